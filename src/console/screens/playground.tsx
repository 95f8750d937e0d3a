/** Ask what an agent would ask: what it gets, why, and why something else is not among it. */
import { useSignal } from "@preact/signals";
import type {
  ExplainedRecallResult,
  ExplainRecallBody,
  ExplainRecallReply,
  RecallType,
} from "../../../clients/typescript/mod.ts";
import { go, href, type ScreenProps } from "../router.ts";
import { can, isWriting, svc } from "../session.ts";
import { Badge, State } from "../ui/badge.tsx";
import { Button, Check, DateField, Select, TextField } from "../ui/form.tsx";
import { useAction, useLoad } from "../ui/load.ts";
import { Alert, Empty, Loaded } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { Copy, Share, When, Words } from "../ui/words.tsx";
import { asCurl, asMcp, asSdk } from "./calls.ts";

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
  const load = useLoad(asked && ((signal) => ask(asked, signal)), [JSON.stringify(asked)]);
  return (
    <>
      <h1>Playground</h1>
      <p class="quiet lead">
        Ask as an agent would. Each result says which way of searching found it, and why; below, you can ask why
        something else is not there.
      </p>
      <Ask key={JSON.stringify(query)} given={query} />
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

type Reply = ExplainRecallReply & {
  /** The units among what was said later. */
  readonly newerUnits: ReadonlySet<string>;
};

async function ask(asked: ExplainRecallBody, signal: AbortSignal): Promise<Reply> {
  const reply = await svc.explainRecall(asked, { signal });
  const ids = [...new Set(reply.results.flatMap(({ newer }) => newer === undefined ? [] : [newer.id]))];
  const { data } = ids.length === 0 ? { data: [] } : await svc.getUnits({ id: ids }, { signal });
  return { ...reply, newerUnits: new Set(data.filter(({ unit }) => unit !== null).map(({ id }) => id)) };
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

function Ask({ given }: { readonly given: ScreenProps["query"] }) {
  const text = useSignal(given["q"] ?? "");
  const more = useSignal({ ...given });
  const set = (name: string) => (value: string) => more.value = { ...more.value, [name]: value };
  const submit = (event: Event) => {
    event.preventDefault();
    go("/playground", { ...more.value, q: text.value.trim(), why: undefined });
  };
  const { type = "", asOf = "", knownAt = "", limit = "", tags = "", ended } = more.value;
  const isNarrowed = [type, asOf, knownAt, limit, tags, ended].some((one) => one);
  return (
    <form class="card stack" role="search" onSubmit={submit}>
      <div class="row">
        <div class="grow">
          <TextField label="Question" type="search" value={text.value} onInput={(to) => text.value = to} autofocus />
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
          <DateField label="As of" value={asOf} onInput={set("asOf")} hint="What was true in the world then" />
          <DateField label="Known at" value={knownAt} onInput={set("knownAt")} hint="What this service knew then" />
          <Check
            label="Also what no longer holds"
            checked={ended === "1"}
            onChange={(on) => set("ended")(on ? "1" : "")}
          />
        </div>
      </details>
    </form>
  );
}

function Answer({ asked, reply, query }: {
  readonly asked: ExplainRecallBody;
  readonly reply: Reply;
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
              <Result result={result} newerAt={addressOf(result.newer?.id, reply)} />
            </li>
          ))}
        </ol>
        {pinned.length > 0 && (
          <>
            <h2 class="section">Pinned: every answer has them</h2>
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

/** Where a unit or turn can be read; undefined: it is a turn that is not among the results. */
function addressOf(id: string | undefined, { results, newerUnits }: Reply): string | undefined {
  if (id !== undefined && newerUnits.has(id)) return href(`/unit/${id}`);
  const turn = results.find((one) => one.id === id);
  return turn?.sessionId == null ? undefined : href(`/sessions/${turn.sessionId}`, { turn: turn.id });
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

function Result({ result, newerAt }: {
  readonly result: ExplainedRecallResult;
  readonly newerAt: string | undefined;
}) {
  const { id, type, text, invisibleText, status, contested, stale, score, scoreDetails, why, newer, outdatedBy } =
    result;
  const isTurn = type === "turn";
  return (
    <article class="card result" aria-label={`${type}: ${text.slice(0, 80)}`}>
      <div class="row between top-line">
        <span class="marks">
          <Badge tone="info">{type}</Badge>
          {status !== "active" && <State of={status} />}
          {contested && status !== "contested" && <State of="contested" />}
          {stale && <State of="stale" />}
          {outdatedBy !== undefined && (
            <Badge tone="warn" title="Another fact is true instead at this time">outdated</Badge>
          )}
        </span>
        <Share of={score} label="Score: how likely it is relevant" />
      </div>
      <p class="result-text">
        {isTurn && result.name && (
          <strong>
            <bdi>{result.name}</bdi>:{" "}
          </strong>
        )}
        <Words text={text} invisible={invisibleText} />
      </p>
      <Dates result={result} />
      {newer !== undefined && (
        <Alert tone="info">
          <strong>Said later</strong> (<When at={newer.occurredAt} />):{" "}
          {newerAt === undefined ? <Words text={newer.text} lines /> : (
            <a class="plain" href={newerAt}>
              <Words text={newer.text} lines />
            </a>
          )}
        </Alert>
      )}
      {outdatedBy !== undefined && outdatedBy !== newer?.id && (
        <p>
          <a href={href(`/unit/${outdatedBy}`)}>What is true instead</a>
        </p>
      )}
      <p class="quiet">{why}</p>
      <details>
        <summary>
          Found by {scoreDetails.arms.map(({ arm, rank }) => `${arm} (${rank})`).join(", ") || "no tier of its own"}
        </summary>
        <Signs of={scoreDetails.boosts} />
      </details>
      <div class="row">
        {isTurn
          ? result.sessionId && <a href={href(`/sessions/${result.sessionId}`, { turn: id })}>Open the session</a>
          : <a href={href(`/unit/${id}`)}>Open the {type}</a>}
        {!isTurn && can("governance:write") && <Votes id={id} />}
      </div>
    </article>
  );
}

function Dates({ result }: { readonly result: ExplainedRecallResult }) {
  const { occurredAt, validFrom, validTo, attribution, trustScore, citations, tags } = result;
  return (
    <p class="quiet facts-line">
      {occurredAt && (
        <span>
          Happened <When at={occurredAt} />
        </span>
      )}
      {(validFrom || validTo) && (
        <span>
          True from {validFrom ? <When at={validFrom} /> : "an unknown day"} to{" "}
          {validTo ? <When at={validTo} /> : "now"}
        </span>
      )}
      <span title="Who says so, and how far that is trusted">
        {attribution.replaceAll("_", " ")}, trust {trustScore}
      </span>
      {citations.length > 0 && <span>{citations.length} {citations.length === 1 ? "source" : "sources"}</span>}
      {tags.map((tag) => (
        <Badge key={tag}>
          <bdi>{tag}</bdi>
        </Badge>
      ))}
    </p>
  );
}

/** What each sign added to the score, the strongest first. */
function Signs({ of }: { readonly of: ExplainedRecallResult["scoreDetails"]["boosts"] }) {
  const signs = Object.entries(of).sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  const most = Math.max(0.001, ...signs.map(([, value]) => Math.abs(value)));
  return (
    <dl class="signs">
      {signs.map(([name, value]) => (
        <div key={name}>
          <dt>{SIGNS[name] ?? name}</dt>
          <dd>
            <meter min={0} max={most} value={Math.abs(value)} aria-label={SIGNS[name] ?? name} />{" "}
            <span class="number">{value > 0 ? "+" : "−"}{Math.abs(value).toFixed(2)}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The signs in words. */
const SIGNS: Readonly<Record<string, string>> = {
  closeWords: "words of the question stand close together",
  ownWords: "it has the question's words",
  surroundings: "the text around it is about the question",
  neighbours: "what was said before or after is about the question",
  names: "it has the question's names",
  session: "its conversation is about the question",
  participants: "somebody named takes part in its session",
  speaker: "somebody named said it",
  afterQuestion: "it follows a question",
  question: "it asks something itself",
  substance: "how much it says",
  firstPerson: "the speaker speaks of themselves",
  opening: "it opens its session",
  timeTold: "it says when",
  title: "it names a title",
  place: "it names a place",
  number: "it has a number",
  date: "it dates from the days asked about",
  meaning: "its meaning is similar",
  graph: "relations lead to it",
  current: "it holds at the time asked about",
};

function Votes({ id }: { readonly id: string }) {
  const [run, isBusy] = useAction();
  const vote = (signal: "helpful" | "harmful") =>
    run(() => svc.giveWorthFeedback({ signals: [{ unitId: id, signal }] }), `Noted as ${signal}.`);
  const title = isWriting.value ? "Counts for the unit's worth" : "Allow changes first, at the top of the page";
  return (
    <span class="row">
      {(["helpful", "harmful"] as const).map((signal) => (
        <Button
          key={signal}
          small
          disabled={!isWriting.value}
          busy={isBusy}
          title={title}
          onClick={() => vote(signal)}
        >
          {signal[0]!.toUpperCase() + signal.slice(1)}
        </Button>
      ))}
    </span>
  );
}

function WhyNot({ reply, query }: { readonly reply: ExplainRecallReply; readonly query: ScreenProps["query"] }) {
  const id = useSignal(query["why"] ?? "");
  const submit = (event: Event) => {
    event.preventDefault();
    go("/playground", { ...query, why: id.value.trim() }, { replace: true });
  };
  return (
    <form class="stack" onSubmit={submit}>
      <div class="row">
        <div class="grow">
          <TextField
            label="Id of a unit or turn that you expected"
            value={id.value}
            onInput={(text) => id.value = text}
            placeholder="01890000-0000-7000-8000-000000000000"
          />
        </div>
        <Button type="submit">Why not?</Button>
      </div>
      {reply.whyNot.map((one) => (
        <Alert key={one.id} tone={one.reason === "returned" || one.reason === "pinned" ? "good" : "info"}>
          <strong>{REASONS[one.reason]}</strong>
          {one.rank !== undefined && ` (rank ${one.rank})`}. {one.explanation}
        </Alert>
      ))}
    </form>
  );
}

const REASONS: Readonly<Record<ExplainRecallReply["whyNot"][number]["reason"], string>> = {
  returned: "It is among the results",
  pinned: "It is pinned, so every answer has it",
  not_found: "There is no such unit or turn",
  filtered: "A filter or a time left it out",
  not_matched: "Nothing in it fits the question",
  cut: "It fits too little",
  beyond_limit: "Better ones filled the limit",
  no_room: "There was no room for it in the tokens",
  not_named: "The question does not name it",
};

function How({ reply, tiers }: { readonly reply: ExplainRecallReply; readonly tiers: ExplainRecallReply["tiers"] }) {
  const { trace } = reply;
  return (
    <div class="columns">
      <dl class="pairs">
        {tiers.map(({ tier, candidates, durationMs }) => (
          <div key={tier}>
            <dt>{tier}</dt>
            <dd>{candidates} found in {durationMs.toFixed(1)} ms</dd>
          </div>
        ))}
      </dl>
      {trace && (
        <dl class="pairs">
          <Line name="Words looked up" values={trace.terms} />
          <Line name="Words that no text has" values={trace.unknownTerms} />
          <Line
            name="Other spellings used"
            values={Object.entries(trace.substitutes).map(([word, others]) => `${word} → ${others.join(", ")}`)}
          />
          <Line name="Speakers named" values={trace.people} />
          <Line
            name="Days named"
            values={trace.windows.map(({ from, to }) => `${from.slice(0, 10)} to ${to.slice(0, 10)}`)}
          />
          <div>
            <dt>Candidates</dt>
            <dd>{trace.candidates}, of which {trace.eligible} passed the filters and {trace.relevant} were relevant</dd>
          </div>
        </dl>
      )}
    </div>
  );
}

function Line({ name, values }: { readonly name: string; readonly values: readonly string[] }) {
  if (values.length === 0) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <bdi>{values.join(", ")}</bdi>
      </dd>
    </div>
  );
}

function Calls({ asked }: { readonly asked: ExplainRecallBody }) {
  const calls = [["curl", asCurl(asked)], ["SDK", asSdk(asked)], ["MCP", asMcp(asked)]] as const;
  return (
    <div class="stack">
      {calls.map(([name, text]) => (
        <div key={name}>
          <div class="row between">
            <h3>{name}</h3>
            <Copy text={text} label={`Copy as ${name}`} />
          </div>
          <pre tabIndex={0} aria-label={`The question as a call by ${name}`}>{text}</pre>
        </div>
      ))}
    </div>
  );
}
