/** Who did what, in a chain that shows if a row was changed; and the proof of it. */
import { useSignal } from "@preact/signals";
import { go, href, type ScreenProps } from "../router.ts";
import { sayFault, svc } from "../session.ts";
import { Button, TextField } from "../ui/form.tsx";
import { useAction, usePages, useTyped } from "../ui/load.ts";
import { Alert } from "../ui/states.tsx";
import { PagedTable } from "../ui/table.tsx";
import { toast } from "../ui/toast.tsx";
import { When } from "../ui/words.tsx";
import { download } from "../download.ts";

const FIELDS = ["eventType", "actorId", "outcome", "target"] as const;
const LABELS = { eventType: "What (write. for all writes)", actorId: "Who", outcome: "Outcome", target: "About (id)" };

export function Audit({ query }: ScreenProps) {
  const { eventType = "", actorId = "", outcome = "", target = "" } = query;
  const typed = useTyped({ eventType, actorId, outcome, target });
  const pages = usePages(
    (cursor, signal) =>
      svc.listAudit({
        limit: 50,
        ...(eventType && { eventType: [eventType] }),
        ...(actorId && { actorId }),
        ...(outcome && { outcome }),
        ...(target && { target }),
        ...(cursor && { cursor }),
      }, { signal }),
    [eventType, actorId, outcome, target],
  );
  return (
    <>
      <h1>Audit</h1>
      <Chain />
      <form
        class="row filters"
        onSubmit={(event) => (event.preventDefault(), go("/audit", typed.value, { replace: true }))}
      >
        {FIELDS.map((name) => (
          <div key={name} class="grow">
            <TextField
              label={LABELS[name]}
              value={typed.value[name]}
              onInput={(text) => typed.value = { ...typed.value, [name]: text }}
            />
          </div>
        ))}
        <Button type="submit" kind="primary">Find</Button>
      </form>
      <PagedTable
        caption="rows of the audit log"
        pages={pages}
        keyOf={({ id }) => id}
        empty={<a href={href("/audit")}>Clear the filter</a>}
        columns={[
          { head: "Row", isNumber: true, cell: ({ seq }) => seq },
          { head: "When", cell: (row) => <When at={row.created_at} as="moment" /> },
          { head: "Who", cell: (row) => <code>{row.actor_id}</code> },
          { head: "What", isWide: true, cell: (row) => row.event_type },
          { head: "Outcome", cell: (row) => row.outcome },
          {
            head: "About",
            cell: ({ targets: [first], target_count: count }) =>
              first === undefined ? "" : <a href={href("/audit", { target: first })}>{count === 1 ? "one" : count}</a>,
          },
          { head: "Proof", cell: ({ seq }) => <Proof seq={seq} /> },
        ]}
      />
    </>
  );
}

/** Checks the whole chain, and takes its signed head away. */
function Chain() {
  const found = useSignal<string | undefined>(undefined), isBad = useSignal(false);
  const [run, isBusy] = useAction();
  const verify = () =>
    run(async () => {
      const { ok, size, problem, firstBadSeq } = await svc.verifyAudit({});
      isBad.value = !ok;
      found.value = ok
        ? `All ${size.toLocaleString()} rows are as they were written.`
        : `Row ${firstBadSeq ?? "?"} is ${problem}. Compare with a checkpoint that you keep elsewhere.`;
    });
  const take = async () => {
    try {
      const { note, size } = await svc.getAuditCheckpoint({});
      download(`audit-checkpoint-${size}.txt`, note);
    } catch (error) {
      toast(sayFault(error), { tone: "bad" });
    }
  };
  return (
    <div class="row filters">
      <Button busy={isBusy} onClick={verify}>Verify the chain</Button>
      <Button onClick={take}>Download a signed checkpoint</Button>
      {found.value && <Alert tone={isBad.value ? "bad" : "good"}>{found.value}</Alert>}
    </div>
  );
}

/** Proof that a row stands in the log that a checkpoint names. */
function Proof({ seq }: { readonly seq: number }) {
  const take = async () => {
    try {
      download(`audit-row-${seq}.json`, JSON.stringify(await svc.proveAuditRow({ seq }), null, 2));
    } catch (error) {
      toast(sayFault(error), { tone: "bad" });
    }
  };
  return <Button small onClick={take} title={`Proof of row ${seq}`}>Download</Button>;
}
