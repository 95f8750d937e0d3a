/** Ask what an agent would ask: what it gets, why, and why something else is not among it. */
import type { ExplainRecallBody, ExplainRecallReply, RecallType } from "../../../clients/typescript/mod.ts";
import { go, type ScreenProps } from "../router.ts";
import { svc } from "../session.ts";
import { Button, Check, Select, TextField } from "../ui/form.tsx";
import { useLoad, useTyped } from "../ui/load.ts";
import { Empty, Loaded } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { TimeSlider } from "../ui/time_slider.tsx";
import { STATES } from "../ui/unit.tsx";
import { Share, Words } from "../ui/words.tsx";
import { Calls } from "./playground/calls.tsx";
import { How } from "./playground/how.tsx";
import { Result } from "./playground/result.tsx";
import { WhyNot } from "./playground/why_not.tsx";

const TYPES: readonly RecallType[] = [
  ...["turn", "fact", "decision", "strategy", "workflow", "skill", "episode", "entity"] as const,
];
const TYPE_CHOICES = [{ value: "", label: "Everything" }, ...TYPES.map((type) => ({ value: type, label: `${type}s` }))];
TYPE_CHOICES.find(({ value }) => value === "strategy")!.label = "strategies";
TYPE_CHOICES.find(({ value }) => value === "entity")!.label = "entities";

/** Below it, an agent had better say that it does not know. */
const CONFIDENT = 0.5;

export function Playground({ query }: ScreenProps) {
  const asked = bodyOf(query);
  const first = useLoad(readFirst, []);
  const load = useLoad(asked && ((signal) => svc.explainRecall(asked, { signal })), [JSON.stringify(asked)]);
  return (
    <>
      <h1>Playground</h1>
      <p class="quiet lead">
        Ask as an agent would. Each result says which way of searching found it, and why; below, you can ask why
        something else is not there.
      </p>
      <Ask given={query} first={first.data} />
      {asked === undefined
        ? <Empty title="Nothing asked yet">Type a question, such as “How long are backups kept?”.</Empty>
        : (
          <Loaded load={load} what="the answer">
            {(reply) => <Answer asked={asked} reply={reply} query={query} />}
          </Loaded>
        )}
    </>
  );
}

/** What the address asks; undefined: nothing yet. */
function bodyOf(query: ScreenProps["query"]): ExplainRecallBody | undefined {
  const { q, type, asOf, knownAt, limit, ended, why, tags } = query;
  if (!q) return undefined;
  return {
    query: q,
    ...(limit && { limit: Number(limit) }),
    ...(type && { types: [type as RecallType] }),
    ...(tags && { tags: tags.split(",").map((tag) => tag.trim()).filter((tag) => tag !== "") }),
    ...(asOf && { asOf }),
    ...(knownAt && { knownAt }),
    include: ["trace", ...(ended ? ["superseded" as const] : [])],
    ...(why && { explainIds: why.split(",") }),
  };
}

/** When what is stored begins: the first that happened, and the first that was stored. */
async function readFirst(signal: AbortSignal) {
  const [happened, known] = await Promise.all([
    svc.listTimeline({ limit: 1, order: "asc" }, { signal }),
    svc.getUnits({ limit: 1, sort: "createdAt", order: "asc", status: [...STATES] }, { signal }),
  ]);
  return { happened: happened.data[0]?.at, known: known.data[0]?.unit?.createdAt };
}

const FIELDS = ["q", "type", "tags", "limit", "asOf", "knownAt", "ended"] as const;

function Ask({ given, first }: {
  readonly given: ScreenProps["query"];
  readonly first: Awaited<ReturnType<typeof readFirst>> | undefined;
}) {
  const typed = useTyped(Object.fromEntries(FIELDS.map((name) => [name, given[name] ?? ""])));
  const { q = "", type = "", tags = "", limit = "", asOf = "", knownAt = "", ended = "" } = typed.value;
  const set = (name: typeof FIELDS[number]) => (value: string) => typed.value = { ...typed.value, [name]: value };
  const submit = (event: Event) => {
    event.preventDefault();
    go("/playground", { ...typed.value, q: q.trim() });
  };
  const travel = (to: { readonly asOf: string } | { readonly knownAt: string }) => {
    typed.value = { ...typed.value, ...to };
    // A time shows at once what was found then.
    if (given["q"]) go("/playground", { ...given, ...to }, { replace: true });
  };
  const isNarrowed = [type, asOf, knownAt, limit, tags, ended].some((one) => one);
  return (
    <form class="card stack" role="search" onSubmit={submit}>
      <div class="row">
        <div class="grow">
          <TextField label="Question" type="search" value={q} onInput={set("q")} autofocus />
        </div>
        <Button type="submit" kind="primary">Ask</Button>
      </div>
      <details open={isNarrowed}>
        <summary>Filters and times</summary>
        <div class="fields">
          <Select label="Only" options={TYPE_CHOICES} value={type} onChange={set("type")} />
          <TextField label="Tags" value={tags} onInput={set("tags")} hint="With any of them, separated by commas" />
          <TextField
            label="At most"
            type="number"
            min={1}
            max={100}
            value={limit}
            onInput={set("limit")}
            placeholder="10"
          />
          <Check
            label="Also what no longer holds"
            checked={ended === "1"}
            onChange={(on) => set("ended")(on ? "1" : "")}
          />
        </div>
        <div class="fields">
          <TimeSlider
            label="As of"
            hint="What was true in the world then"
            first={first?.happened}
            value={asOf}
            onChange={(to) => travel({ asOf: to })}
          />
          <TimeSlider
            label="Known at"
            hint="What this service knew then"
            first={first?.known}
            value={knownAt}
            onChange={(to) => travel({ knownAt: to })}
          />
        </div>
      </details>
    </form>
  );
}

function Answer({ asked, reply, query }: {
  readonly asked: ExplainRecallBody;
  readonly reply: ExplainRecallReply;
  readonly query: ScreenProps["query"];
}) {
  const { results, pinned, evidenceConfidence, usage, tiers } = reply;
  return (
    <>
      <section class="section" aria-labelledby="results">
        <div class="row between">
          <h2 id="results">{sayResults(results.length)}</h2>
          <span class="quiet">{usage.tokens} tokens, {usage.durationMs.toFixed(0)} ms</span>
        </div>
        <Confidence of={evidenceConfidence} isEmpty={results.length === 0} />
        <ol class="list">
          {results.map((result) => (
            <li key={result.id}>
              <Result result={result} />
            </li>
          ))}
        </ol>
        {pinned.length > 0 && (
          <>
            <h2 class="section">Pinned: part of every answer</h2>
            <ul class="list rows">
              {pinned.map(({ id, text }) => (
                <li key={id}>
                  <Words text={text} lines />
                </li>
              ))}
            </ul>
          </>
        )}
      </section>
      <section class="section card">
        <Tabs
          label="More about this answer"
          tabs={[
            { id: "why-not", label: "Why not …?", panel: () => <WhyNot reply={reply} query={query} /> },
            { id: "how", label: "How it searched", panel: () => <How reply={reply} tiers={tiers} /> },
            { id: "copy", label: "Copy as a call", panel: () => <Calls asked={asked} /> },
          ]}
        />
      </section>
    </>
  );
}

function sayResults(n: number): string {
  return n === 0 ? "No results" : n === 1 ? "One result" : `${n} results`;
}

function Confidence({ of, isEmpty }: { readonly of: number; readonly isEmpty: boolean }) {
  const isHigh = of >= CONFIDENT && !isEmpty;
  return (
    <div class="confidence">
      <Share of={of} label="Evidence confidence" />
      <span>
        <strong>Evidence confidence.</strong>{" "}
        {isHigh ? "The answer is probably among these." : "An honest agent would say that it does not know."}
      </span>
    </div>
  );
}
