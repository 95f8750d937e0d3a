/** All that is known: find, filter, and forget, one by one or by filter. */
import { useSignal } from "@preact/signals";
import type { InputOf, KnowledgeUnit, SoughtUnit, UnitState, UnitType } from "../../../clients/typescript/mod.ts";
import { go, href, type ScreenProps } from "../router.ts";
import { can, isWriting, svc } from "../session.ts";
import { State } from "../ui/badge.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Button, Select, TextField } from "../ui/form.tsx";
import { useAction, useLoad, usePages, useTyped } from "../ui/load.ts";
import { Loaded } from "../ui/states.tsx";
import { PagedTable } from "../ui/table.tsx";
import { toast } from "../ui/toast.tsx";
import { STATES, Trust, TYPES, UnitWords } from "../ui/unit.tsx";
import { Id, When } from "../ui/words.tsx";
import { archive, restore } from "../unit_changes.ts";

const ANY = { value: "", label: "Any" };
const SORTS = [
  { value: "updatedAt", label: "Last changed" },
  { value: "createdAt", label: "Newest" },
  { value: "worth", label: "Most useful" },
];

type Listed = SoughtUnit & { readonly unit: KnowledgeUnit };

/** What the address asks for, as the service takes it. */
function toInput({ q, type, status, tag, sort }: ScreenProps["query"]): InputOf<"getUnits"> {
  return {
    limit: 50,
    ...(q && { q }),
    ...(type && { type: [type as UnitType] }),
    ...(status && { status: [status as UnitState] }),
    ...(tag && { tags: [tag] }),
    ...(sort && { sort: sort as "updatedAt" }),
  };
}

export function Memory({ query }: ScreenProps) {
  const { q = "", type = "", status = "", tag = "", sort = "" } = query;
  const typed = useTyped({ q, tag });
  const isForgetting = useSignal(false);
  const pages = usePages<Listed>(
    async (cursor, signal) =>
      await svc.getUnits({ ...toInput(query), ...(cursor && { cursor }) }, { signal }) as {
        data: Listed[];
        nextCursor: string | null;
      },
    [q, type, status, tag, sort],
  );
  const set = (next: Record<string, string>) => go("/memory", { ...query, ...next }, { replace: true });
  const [run, isBusy] = useAction();
  const forget = async (unit: KnowledgeUnit) => {
    const isDone = await run(() => archive(unit));
    pages.reload();
    if (isDone) offerUndo([unit], pages.reload);
  };
  return (
    <>
      <h1>Memory</h1>
      <form class="row filters" onSubmit={(event) => (event.preventDefault(), set(typed.value))}>
        <div class="grow">
          <TextField
            label="Text contains"
            type="search"
            value={typed.value.q}
            onInput={(text) => typed.value = { ...typed.value, q: text }}
          />
        </div>
        <TextField
          label="Tag"
          value={typed.value.tag}
          onInput={(text) => typed.value = { ...typed.value, tag: text }}
        />
        <Select
          label="Type"
          options={[ANY, ...Object.entries(TYPES).map(([value, label]) => ({ value, label }))]}
          value={type}
          onChange={(to) => set({ type: to })}
        />
        <Select
          label="State"
          options={[{ value: "", label: "In force" }, ...STATES.map((one) => ({ value: one, label: one }))]}
          value={status}
          onChange={(to) => set({ status: to })}
        />
        <Select label="Order" options={SORTS} value={sort || "updatedAt"} onChange={(to) => set({ sort: to })} />
        <Button type="submit" kind="primary">Find</Button>
        {can("memory:delete") && isWriting.value && tag !== "" && (
          <Button
            kind="danger"
            onClick={() => isForgetting.value = true}
          >
            Archive all with this tag…
          </Button>
        )}
      </form>
      <PagedTable
        caption="units"
        pages={pages}
        keyOf={({ id }) => id}
        empty={q || type || status || tag
          ? <a href={href("/memory")}>Clear the filter</a>
          : "Nothing is stored yet. Agents fill the memory as they work."}
        columns={[
          { head: "Type", cell: ({ unit }) => <a href={href(`/unit/${unit.id}`)}>{TYPES[unit.type]}</a> },
          { head: "What it says", isWide: true, cell: ({ unit }) => <UnitWords unit={unit} /> },
          { head: "State", cell: ({ unit }) => <State of={unit.status} /> },
          { head: "Trust", cell: ({ unit }) => <Trust unit={unit} /> },
          { head: "Changed", cell: ({ unit }) => <When at={unit.updatedAt} as="ago" /> },
          ...(can("memory:delete") && isWriting.value
            ? [{
              head: "Forget",
              cell: ({ unit }: Listed) =>
                unit.status !== "archived" && <Button small busy={isBusy} onClick={() => forget(unit)}>Archive</Button>,
            }]
            : []),
        ]}
      />
      {isForgetting.value && (
        <ForgetByTag
          tag={tag}
          types={type === "" ? undefined : [type as UnitType]}
          onClose={() => isForgetting.value = false}
          onDone={pages.reload}
        />
      )}
    </>
  );
}

/** Says what was archived, and brings it back if the person wants. */
function offerUndo(units: readonly Pick<KnowledgeUnit, "id" | "type">[], done: () => void): void {
  const undo = async () => {
    const failed = (await Promise.allSettled(units.map(restore))).filter(({ status }) => status === "rejected").length;
    toast(failed === 0 ? "Restored." : `${failed} could not be restored.`, { tone: failed === 0 ? "good" : "bad" });
    done();
  };
  toast(units.length === 1 ? "Archived." : `${units.length} archived.`, {
    tone: "good",
    action: { label: "Undo", run: undo },
  });
}

const PREVIEW = 100;

/** Shows what a filter selects before it is archived. */
function ForgetByTag({ tag, types, onClose, onDone }: {
  readonly tag: string;
  readonly types: UnitType[] | undefined;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const [run, isBusy] = useAction();
  const filter = { mode: "archive" as const, tags: [tag], limit: PREVIEW, ...(types && { types }) };
  const found = useLoad(async (signal) => {
    const preview = await svc.forgetUnits({ ...filter, dryRun: true }, { signal });
    const units = preview.data.length === 0 ? [] : (await svc.getUnits({ id: preview.data.map(({ id }) => id) })).data;
    return { units, isMore: preview.nextCursor !== null };
  }, [tag]);
  const forget = async () => {
    let units: Pick<KnowledgeUnit, "id" | "type">[] = [];
    const isDone = await run(async () => {
      const { data } = await svc.forgetUnits(filter);
      units = data.filter(({ outcome }) => outcome === "archived");
    });
    if (!isDone) return;
    onClose();
    onDone();
    offerUndo(units, onDone);
  };
  return (
    <Dialog title={`Archive what has the tag ${tag}`} onClose={onClose}>
      <Loaded load={found} what="what would be archived">
        {({ units, isMore }) => (
          <>
            <p>
              {units.length === 0
                ? "Nothing has this tag."
                : `${
                  isMore ? `The newest ${units.length}` : units.length
                } would be archived. Recall leaves them out; you can restore them.`}
            </p>
            <ul class="list scrolled" tabIndex={0} aria-label="What would be archived">
              {units.map(({ id, unit }) => (
                <li key={id}>{unit === null ? <Id id={id} /> : <UnitWords unit={unit} />}</li>
              ))}
            </ul>
            <div class="row end">
              <Button onClick={onClose}>Cancel</Button>
              {units.length > 0 && <Button kind="danger" busy={isBusy} onClick={forget}>Archive {units.length}</Button>}
            </div>
          </>
        )}
      </Loaded>
    </Dialog>
  );
}
