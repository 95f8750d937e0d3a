/** All that is known: find, filter, correct, pin, and forget, one by one or by filter. */
import { useSignal } from "@preact/signals";
import type { Fact, InputOf, KnowledgeUnit, SoughtUnit, UnitState, UnitType } from "../../../clients/typescript/mod.ts";
import { href, type ScreenProps } from "../router.ts";
import { can, isWriting, svc } from "../session.ts";
import { State } from "../ui/badge.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { type Filter, Filters } from "../ui/filters.tsx";
import { Button, Check } from "../ui/form.tsx";
import { useAction, useLoad, usePages } from "../ui/load.ts";
import { Loaded } from "../ui/states.tsx";
import { PagedTable } from "../ui/table.tsx";
import { toast } from "../ui/toast.tsx";
import { STATES, textOf, Trust, TYPES, UnitWords } from "../ui/unit.tsx";
import { When, Words } from "../ui/words.tsx";
import { archive, restore, sayPinned, setPinned } from "../unit_changes.ts";
import { Correct } from "./unit/correct.tsx";

const FILTERS: readonly Filter[] = [
  { name: "q", label: "Text contains", kind: "search" },
  {
    name: "type",
    label: "Type",
    options: [
      { value: "", label: "Any" },
      ...Object.entries(TYPES).map(([value, label]) => ({ value, label })),
    ],
  },
  {
    name: "status",
    label: "State",
    options: [{ value: "", label: "In force" }, ...STATES.map((one) => ({ value: one, label: one }))],
  },
  {
    name: "trust",
    label: "Trust",
    options: [
      { value: "", label: "Any" },
      { value: "80", label: "80 and more" },
      { value: "50", label: "50 and more" },
      { value: "-49", label: "Below 50" },
    ],
  },
  { name: "tag", label: "Tag" },
  { name: "agent", label: "Agent" },
  {
    name: "sort",
    label: "Order",
    options: [
      { value: "updatedAt", label: "Last changed" },
      { value: "createdAt", label: "Newest" },
      { value: "worth", label: "Most useful" },
    ],
  },
];

type Listed = SoughtUnit & { readonly unit: KnowledgeUnit };

/** What the address asks for, as the service takes it. */
function toInput({ q, type, status, trust, tag, agent, sort }: ScreenProps["query"]): InputOf<"getUnits"> {
  return {
    ...(q && { q }),
    ...(type && { type: [type as UnitType] }),
    ...(status && { status: [status as UnitState] }),
    ...(trust && (Number(trust) < 0 ? { maxTrust: -Number(trust) } : { minTrust: Number(trust) })),
    ...(tag && { tags: [tag] }),
    ...(agent && { agentId: agent }),
    ...(sort && { sort: sort as "updatedAt" }),
  };
}

export function Memory({ query }: ScreenProps) {
  const input = toInput(query);
  const isForgetting = useSignal(false), corrected = useSignal<Fact | undefined>(undefined);
  const pages = usePages<Listed>(
    async (cursor, signal) =>
      await svc.getUnits({ ...input, limit: 50, ...(cursor && { cursor }) }, { signal }) as {
        data: Listed[];
        nextCursor: string | null;
      },
    [JSON.stringify(input)],
  );
  const { sort: _, ...narrowed } = input;
  const isFiltered = Object.keys(narrowed).length > 0;
  return (
    <>
      <h1>Memory</h1>
      <Filters path="/memory" query={query} filters={FILTERS}>
        {can("memory:delete") && isWriting.value && isFiltered && query["status"] !== "archived" && (
          <Button
            kind="danger"
            onClick={() => isForgetting.value = true}
          >
            Archive all of these…
          </Button>
        )}
      </Filters>
      <PagedTable
        caption="units"
        pages={pages}
        keyOf={({ id }) => id}
        empty={isFiltered
          ? <a href={href("/memory")}>Clear the filter</a>
          : "Nothing is stored yet. Agents fill the memory as they work."}
        columns={[
          { head: "Type", cell: ({ unit }) => TYPES[unit.type] },
          { head: "What it says", isWide: true, cell: ({ unit }) => <UnitWords unit={unit} isLink /> },
          { head: "State", cell: ({ unit }) => <State of={unit.status} /> },
          { head: "Trust", cell: ({ unit }) => <Trust unit={unit} /> },
          { head: "Changed", cell: ({ unit }) => <When at={unit.updatedAt} as="ago" /> },
          ...((can("memory:delete") || can("memory:write")) && isWriting.value
            ? [{
              head: "Change",
              cell: ({ unit }: Listed) => (
                <RowChanges
                  unit={unit}
                  reload={pages.reload}
                  correct={(fact) => corrected.value = fact}
                />
              ),
            }]
            : []),
        ]}
      />
      {corrected.value !== undefined && (
        <Correct
          fact={corrected.value}
          onClose={() => corrected.value = undefined}
          onDone={pages.reload}
        />
      )}
      {isForgetting.value && (
        <ForgetMany
          input={narrowed}
          onClose={() => isForgetting.value = false}
          onDone={pages.reload}
        />
      )}
    </>
  );
}

/** What a person may do with a unit without opening it. */
function RowChanges({ unit, reload, correct }: {
  readonly unit: KnowledgeUnit;
  readonly reload: () => void;
  readonly correct: (fact: Fact) => void;
}) {
  const [run, isBusy] = useAction();
  const forget = async () => {
    const isDone = await run(() => archive(unit));
    reload();
    if (isDone) offerUndo([unit], reload);
  };
  const pin = async () => {
    await run(() => setPinned(unit, !unit.pinned), sayPinned(!unit.pinned));
    reload();
  };
  const isFact = can("memory:write") && unit.type === "fact" && ["active", "contested"].includes(unit.status);
  return (
    <span class="row tight">
      {isFact && <Button small onClick={() => correct(unit)}>Correct…</Button>}
      {isFact && <Button small busy={isBusy} onClick={pin}>{unit.pinned ? "Unpin" : "Pin"}</Button>}
      {can("memory:delete") && unit.status !== "archived" && (
        <Button small busy={isBusy} onClick={forget}>Archive</Button>
      )}
    </span>
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

/** As many are looked at, and archived, at once. */
const AT_ONCE = 100;

/** Shows what a filter selects before it is archived. */
function ForgetMany({ input, onClose, onDone }: {
  readonly input: InputOf<"getUnits">;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const [run, isBusy] = useAction();
  const kept = useSignal<ReadonlySet<string>>(new Set());
  const found = useLoad(async (signal) => {
    const { data, nextCursor } = await svc.getUnits({ ...input, limit: AT_ONCE }, { signal });
    return { units: data.flatMap(({ unit }) => unit ?? []), isMore: nextCursor !== null };
  }, []);
  const keep = (id: string, isKept: boolean) =>
    kept.value = isKept ? kept.value.union(new Set([id])) : kept.value.difference(new Set([id]));
  const forget = async (units: readonly KnowledgeUnit[]) => {
    const gone: KnowledgeUnit[] = [];
    await run(async () => {
      // One by one, so that what cannot be archived holds up none of the others.
      const done = await Promise.allSettled(units.map(archive));
      gone.push(...units.filter((_, i) => done[i]!.status === "fulfilled"));
      const refused = done.find((one) => one.status === "rejected");
      if (refused !== undefined) throw refused.reason;
    });
    onClose();
    onDone();
    if (gone.length > 0) offerUndo(gone, onDone);
  };
  return (
    <Dialog title="Archive what the filter selects" onClose={onClose}>
      <Loaded load={found} what="what would be archived">
        {({ units, isMore }) => {
          const chosen = units.filter(({ id }) => !kept.value.has(id));
          return (
            <>
              <p>
                {units.length === 0
                  ? "The filter selects nothing."
                  : `${
                    isMore ? `The first ${units.length}` : units.length
                  } would be archived. Recall leaves them out; you can restore them. Untick what you want to keep.`}
              </p>
              <ul class="list scrolled" tabIndex={0} aria-label="What would be archived">
                {units.map((unit) => (
                  <li key={unit.id}>
                    <Check
                      label={<Words text={textOf(unit)} lines />}
                      checked={!kept.value.has(unit.id)}
                      onChange={(on) => keep(unit.id, !on)}
                    />
                  </li>
                ))}
              </ul>
              <div class="row end">
                <Button onClick={onClose}>Cancel</Button>
                {chosen.length > 0 && (
                  <Button kind="danger" busy={isBusy} onClick={() => forget(chosen)}>Archive {chosen.length}</Button>
                )}
              </div>
            </>
          );
        }}
      </Loaded>
    </Dialog>
  );
}
