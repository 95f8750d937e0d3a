/** The diary of recalls: what was asked, what was shown, and what the same question finds today. */
import { useSignal } from "@preact/signals";
import type {
  ExplainRecallBody,
  ExplainRecallReply,
  RecallEntry,
  SoughtUnit,
} from "../../../clients/typescript/mod.ts";
import { href, type ScreenProps } from "../router.ts";
import { svc } from "../session.ts";
import { Actor } from "../ui/actor.tsx";
import { Badge } from "../ui/badge.tsx";
import { type Filter, Filters } from "../ui/filters.tsx";
import { Button } from "../ui/form.tsx";
import { useLoad, usePages } from "../ui/load.ts";
import { Alert, Loaded } from "../ui/states.tsx";
import { PagedTable } from "../ui/table.tsx";
import { TextDifference } from "../ui/difference.tsx";
import { textOf, UnitLink } from "../ui/unit.tsx";
import { Share, When, Words } from "../ui/words.tsx";

const FILTERS: readonly Filter[] = [
  { name: "q", label: "The question contains", kind: "search" },
  { name: "agentId", label: "Agent" },
  { name: "unitId", label: "It showed (id)" },
  { name: "since", label: "From", kind: "time" },
  { name: "until", label: "To", kind: "time" },
];

export function Recalls({ query }: ScreenProps) {
  const { q = "", agentId = "", unitId = "", since = "", until = "" } = query;
  const pages = usePages(
    (cursor, signal) =>
      svc.listRecalls({
        limit: 50,
        ...(q && { q }),
        ...(agentId && { agentId }),
        ...(unitId && { unitId }),
        ...(since && { since }),
        ...(until && { until }),
        ...(cursor && { cursor }),
      }, { signal }),
    [q, agentId, unitId, since, until],
  );
  return (
    <>
      <h1>Recalls</h1>
      <Filters path="/recalls" query={query} filters={FILTERS} />
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
            cell: ({ agentId: agent, caller }) => agent === null ? <Actor id={caller} /> : <Words text={agent} />,
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
  const read = async (knownAt?: string) =>
    ids.length === 0 ? [] : (await svc.getUnits({ id: ids, ...(knownAt && { knownAt }) }, { signal })).data;
  const [then, now] = await Promise.all([read(entry.recalledAt), read()]);
  const of = (units: readonly SoughtUnit[], id: string) => units.find((one) => one.id === id)?.unit;
  return entry.results.map((shown) => ({ ...shown, then: of(then, shown.id), now: of(now, shown.id) }));
}

/** A result as it read then, and what it says now. */
function Shown({ result: { type, score, then, now } }: {
  readonly result: Awaited<ReturnType<typeof readShown>>[number];
}) {
  const isChanged = then != null && now != null && textOf(then) !== textOf(now);
  return (
    <li class="card">
      {type === "turn" ? <span class="quiet">a turn of a conversation</span> : <UnitLink unit={then ?? now} />}{" "}
      <Share of={score} label="Score" />
      {isChanged && (
        <p class="hint">
          It says now: <TextDifference was={textOf(then)} is={textOf(now)} />
        </p>
      )}
    </li>
  );
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
            <When at={one.recalledAt} as="moment" />, by{" "}
            {one.agentId === null ? <Actor id={one.caller} /> : <Words text={one.agentId} />}, {one.path} path, in{" "}
            {one.durationMs.toFixed(1)} ms. Confidence <Share of={one.evidenceConfidence} label="Confidence" />
          </p>
          <h2>What was shown</h2>
          <Loaded load={shown} what="what was shown">
            {(list) =>
              list.length === 0 ? <p>Nothing.</p> : (
                <ol class="list">
                  {list.map((result) => <Shown key={result.id} result={result} />)}
                </ol>
              )}
          </Loaded>
          {one.query !== null && <Replay entry={one} query={one.query} />}
        </>
      )}
    </Loaded>
  );
}

type Time = "now" | "then";

/** Asks the same again: of what is known now, or of what was known then. */
function Replay({ entry, query }: { readonly entry: RecallEntry; readonly query: string }) {
  const time = useSignal<Time | undefined>(undefined);
  const asked = {
    ...entry.filters as Partial<ExplainRecallBody> | null,
    query,
    ...(time.value === "then" && { asOf: entry.recalledAt, knownAt: entry.recalledAt }),
    explainIds: entry.results.map(({ id }) => id).slice(0, 20),
  };
  const load = useLoad(
    time.value && ((signal) => svc.explainRecall(asked, { signal })),
    [entry.id, time.value],
  );
  return (
    <section class="section">
      <h2>Ask it again</h2>
      <div class="row filters">
        <Button kind="primary" onClick={() => time.value = "now"}>Of what is known now</Button>
        <Button onClick={() => time.value = "then"}>Of what was known then</Button>
        <a class="button" href={href("/playground", playgroundQuery(entry, query))}>Open it in the playground</a>
      </div>
      {time.value !== undefined && (
        <Loaded load={load} what="the answer">{(reply) => <Compared entry={entry} reply={reply} />}</Loaded>
      )}
    </section>
  );
}

/** The members of a question that the playground has fields for. */
function playgroundQuery({ filters }: RecallEntry, q: string) {
  const { types, tags, limit, asOf, knownAt } = (filters ?? {}) as Partial<ExplainRecallBody>;
  const times = { asOf: asOf as string | undefined, knownAt: knownAt as string | undefined };
  return { q, limit, ...times, type: types?.length === 1 ? types[0] : undefined, tags: tags?.join(",") };
}

/** What the question finds, beside what it found. */
function Compared({ entry, reply }: { readonly entry: RecallEntry; readonly reply: ExplainRecallReply }) {
  const before = new Set(entry.results.map(({ id }) => id));
  const gone = reply.whyNot.filter(({ id, reason }) => before.has(id) && reason !== "returned" && reason !== "pinned");
  return (
    <>
      {gone.length === 0 && [...reply.results, ...reply.pinned].every(({ id }) => before.has(id)) && (
        <Alert tone="info">It finds the same units. What some of them say may have changed: see above.</Alert>
      )}
      <ol class="list">
        {[...reply.results, ...reply.pinned].map(({ id, type, text, score, sessionId }) => (
          <li key={id} class="card">
            {!before.has(id) && <Badge tone="good">new</Badge>} {type}{" "}
            <Words
              text={text}
              leadsTo={sessionId ? href(`/sessions/${sessionId}`, { turn: id }) : href(`/unit/${id}`)}
            />{" "}
            <Share of={score} label="Score" />
          </li>
        ))}
      </ol>
      {gone.length > 0 && (
        <>
          <h3 class="section">No longer shown</h3>
          <ul class="list">
            {gone.map(({ id, explanation }) => (
              <li key={id} class="card">
                <a href={href(`/unit/${id}`)}>Open it</a> {explanation}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
