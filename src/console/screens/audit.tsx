/** Who did what, in a chain that shows if a row was changed; and the proof of it. */
import { useSignal } from "@preact/signals";
import type { AuditRow } from "../../../clients/typescript/mod.ts";
import { href, type ScreenProps } from "../router.ts";
import { sayFault, svc } from "../session.ts";
import { Actor } from "../ui/actor.tsx";
import { type Filter, Filters } from "../ui/filters.tsx";
import { Button } from "../ui/form.tsx";
import { useAction, usePages } from "../ui/load.ts";
import { Alert } from "../ui/states.tsx";
import { PagedTable } from "../ui/table.tsx";
import { toast } from "../ui/toast.tsx";
import { When } from "../ui/words.tsx";
import { download } from "../download.ts";

const FILTERS: readonly Filter[] = [
  { name: "eventType", label: "What (write. for all writes)" },
  { name: "actorId", label: "Who (id)" },
  { name: "outcome", label: "Outcome" },
  { name: "target", label: "About (id)" },
  { name: "from", label: "From", kind: "time" },
  { name: "to", label: "To", kind: "time" },
];

export function Audit({ query }: ScreenProps) {
  const { eventType = "", actorId = "", outcome = "", target = "", from = "", to = "" } = query;
  const pages = usePages(
    (cursor, signal) =>
      svc.listAudit({
        limit: 50,
        ...(eventType && { eventType: [eventType] }),
        ...(actorId && { actorId }),
        ...(outcome && { outcome }),
        ...(target && { target }),
        ...(from && { from }),
        ...(to && { to }),
        ...(cursor && { cursor }),
      }, { signal }),
    [eventType, actorId, outcome, target, from, to],
  );
  return (
    <>
      <h1>Audit</h1>
      <Chain />
      <Filters path="/audit" query={query} filters={FILTERS} />
      <PagedTable
        caption="rows of the audit log"
        pages={pages}
        keyOf={({ id }) => id}
        empty={<a href={href("/audit")}>Clear the filter</a>}
        columns={[
          { head: "Row", isNumber: true, cell: ({ seq }) => seq },
          { head: "When", cell: (row) => <When at={row.created_at} as="moment" /> },
          {
            head: "Who",
            cell: ({ actor_id: who, detail }) => (
              <a class="plain" href={href("/audit", { ...query, actorId: who })} title="Show what they did alone">
                <Actor id={who} name={detail["admin"]} />
              </a>
            ),
          },
          { head: "What", isWide: true, cell: (row) => <What row={row} /> },
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

/** What was done, with everything that the chain keeps of it. */
function What({ row }: { readonly row: AuditRow }) {
  return (
    <details class="row-detail">
      <summary>{row.event_type}</summary>
      <pre tabIndex={0} aria-label={`Row ${row.seq} as the API gives it`}>{JSON.stringify(row, null, 2)}</pre>
    </details>
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

/** Proves that the log of a checkpoint has a row. */
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
