/** The diary of recalls: what was asked, what was shown, and what the same question finds today. */
import type { RecallEntry } from "../../../clients/typescript/mod.ts";
import { go, href, type ScreenProps } from "../router.ts";
import { svc } from "../session.ts";
import { Button, TextField } from "../ui/form.tsx";
import { useLoad, usePages, useTyped } from "../ui/load.ts";
import { Loaded } from "../ui/states.tsx";
import { PagedTable } from "../ui/table.tsx";
import { UnitLink } from "../ui/unit.tsx";
import { Share, When, Words } from "../ui/words.tsx";

export function Recalls({ query }: ScreenProps) {
  const { q = "", agentId = "" } = query;
  const typed = useTyped({ q, agentId });
  const pages = usePages(
    (cursor, signal) =>
      svc.listRecalls({ limit: 50, ...(q && { q }), ...(agentId && { agentId }), ...(cursor && { cursor }) }, {
        signal,
      }),
    [q, agentId],
  );
  return (
    <>
      <h1>Recalls</h1>
      <form
        class="row filters"
        onSubmit={(event) => (event.preventDefault(), go("/recalls", { ...typed.value }, { replace: true }))}
      >
        <div class="grow">
          <TextField
            label="The question contains"
            type="search"
            value={typed.value.q}
            onInput={(text) => typed.value = { ...typed.value, q: text }}
          />
        </div>
        <TextField
          label="Agent"
          value={typed.value.agentId}
          onInput={(text) => typed.value = { ...typed.value, agentId: text }}
        />
        <Button type="submit" kind="primary">Find</Button>
      </form>
      <PagedTable
        caption="recalls"
        pages={pages}
        keyOf={({ id }) => id}
        empty="No recall is kept. A workspace keeps them if its setting recallDiaryDays is above 0."
        columns={[
          { head: "When", cell: ({ recalledAt }) => <When at={recalledAt} as="moment" /> },
          {
            head: "Asked",
            isWide: true,
            cell: ({ id, query: asked }) => (
              <a href={href(`/recalls/${id}`)}>
                <Words text={asked ?? "a filter alone"} lines />
              </a>
            ),
          },
          {
            head: "By",
            cell: ({ agentId: agent, caller }) => agent === null ? <code>{caller}</code> : <Words text={agent} />,
          },
          { head: "Shown", isNumber: true, cell: ({ resultCount }) => resultCount },
          { head: "Confidence", cell: (one) => <Share of={one.evidenceConfidence} label="Confidence" /> },
          { head: "Took", isNumber: true, cell: ({ durationMs }) => `${durationMs.toFixed(1)} ms` },
        ]}
      />
    </>
  );
}

async function readShown(entry: RecallEntry, signal: AbortSignal) {
  const ids = entry.results.map(({ id }) => id).slice(0, 100);
  const known = ids.length === 0 ? [] : (await svc.getUnits({ id: ids }, { signal })).data;
  return entry.results.map((shown) => ({ ...shown, unit: known.find(({ id }) => id === shown.id)?.unit }));
}

export function Recall({ params: { id = "" } }: ScreenProps) {
  const entry = useLoad((signal) => svc.getRecall({ id }, { signal }), [id]);
  const shown = useLoad(
    entry.data === undefined ? undefined : (signal) => readShown(entry.data!, signal),
    [entry.data?.id],
  );
  return (
    <Loaded load={entry} what="the recall">
      {(one) => (
        <>
          <h1>What was asked</h1>
          <p class="card">
            <Words text={one.query ?? "a filter alone"} />
          </p>
          <p class="quiet">
            <When at={one.recalledAt} as="moment" />, by <Words text={one.agentId ?? one.caller} />, {one.path} path, in
            {" "}
            {one.durationMs.toFixed(1)} ms. Confidence <Share of={one.evidenceConfidence} label="Confidence" />
          </p>
          {one.query !== null && (
            <p>
              <a class="button" href={href("/playground", { q: one.query })}>Ask it again today</a>
            </p>
          )}
          <h2>What was shown</h2>
          <Loaded load={shown} what="what was shown">
            {(list) =>
              list.length === 0 ? <p>Nothing.</p> : (
                <ol class="list">
                  {list.map((result) => (
                    <li key={result.id} class="card">
                      {result.type === "turn"
                        ? <span class="quiet">a turn of a conversation</span>
                        : <UnitLink id={result.id} unit={result.unit} />} <Share of={result.score} label="Score" />
                    </li>
                  ))}
                </ol>
              )}
          </Loaded>
        </>
      )}
    </Loaded>
  );
}
