/** What the memory holds, what waits for a person, and what changes, as it happens. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Agent, Change, HealthSnapshot } from "../../../clients/typescript/mod.ts";
import { href } from "../router.ts";
import { can, svc } from "../session.ts";
import { Badge } from "../ui/badge.tsx";
import { Live, useLive } from "../ui/live.tsx";
import { useLoad } from "../ui/load.ts";
import { Empty, Loaded } from "../ui/states.tsx";
import { LastDays } from "./overview/last_days.tsx";
import { Welcome } from "./welcome.tsx";
import { Figure, Figures } from "../ui/figures.tsx";
import { REVIEW_KINDS, withSubjects } from "../ui/review_kinds.ts";
import { textOf } from "../ui/unit.tsx";
import { count, When, Words } from "../ui/words.tsx";

const CHANGES = 15;
const UNITS = ["fact", "decision", "strategy", "workflow", "skill", "episode", "entity"];

export function Overview() {
  const live = useLive();
  // The welcome stays while somebody tries it, although the memory is no longer empty then.
  const wasEmpty = useRef(false), isDone = useSignal(false);
  const health = useLoad(() => svc.getMemoryHealth(), [live.round]);
  const stats = useLoad(can("memory:admin") ? () => svc.getUsageStats() : undefined, [live.round]);
  const changes = useLoad(readChanges, [live.round]);
  const waits = useLoad(can("memory:read") ? readWaiting : undefined, [live.round]);
  const agents = useLoad(can("memory:read") ? readAgents : undefined, [live.round]);
  return (
    <>
      <div class="row between">
        <h1>Overview</h1>
        <Live isOn={live.isOn} />
      </div>
      <Loaded load={health} what="the state of the memory">
        {(data) => {
          wasEmpty.current ||= data.changeSeq === 0;
          return wasEmpty.current && !isDone.value
            ? <Welcome onDone={() => isDone.value = true} />
            : <Health of={data} />;
        }}
      </Loaded>
      <div class="columns section">
        <section aria-labelledby="changed">
          <h2 id="changed">What changed</h2>
          <Loaded load={changes} what="changes">{(list) => <Changes list={list} />}</Loaded>
        </section>
        <div class="stack loose">
          {can("memory:read") && (
            <section aria-labelledby="waits">
              <h2 id="waits">What waits for you</h2>
              <Loaded load={waits} what="what waits">{(list) => <Waits list={list} />}</Loaded>
            </section>
          )}
          {can("memory:read") && (
            <section aria-labelledby="agents">
              <h2 id="agents">Agents</h2>
              <Loaded load={agents} what="agents">{(list) => <LatestAgents list={list} />}</Loaded>
            </section>
          )}
          {can("memory:admin") && <Loaded load={stats} what="figures">{(data) => <LastDays of={data} />}</Loaded>}
        </div>
      </div>
    </>
  );
}

function Health({ of }: { readonly of: HealthSnapshot }) {
  const { backlog, recallHitRate, embeddedRatio } = of;
  const waiting = backlog.embedding + backlog.worth + backlog.jobs;
  return (
    <Figures>
      <Figure name="Facts in force" value={count(of.liveFacts)} />
      <Figure
        name="Turns"
        value={count(of.turns)}
        about={`in ${count(of.sessions)} ${of.sessions === 1 ? "session" : "sessions"}`}
      />
      <Figure
        name="Waits for a person"
        value={count(backlog.openReviews)}
        about={backlog.openReviews === 0 ? "nothing to decide" : <a href={href("/review")}>Decide</a>}
        tone={backlog.openReviews > 0 ? "warn" : "quiet"}
      />
      <Figure name="Recalls in 7 days" value={count(of.recalls)} />
      <Figure
        name="Recalls that found something"
        value={recallHitRate === null ? "–" : `${Math.round(recallHitRate * 100)} %`}
        about={recallHitRate === null ? "nobody has asked yet" : "of the last 7 days"}
      />
      <Figure
        name="Work in the background"
        value={count(waiting)}
        about={embeddedRatio < 1 ? `${Math.round(embeddedRatio * 100)} % of texts have an embedding` : "up to date"}
      />
    </Figures>
  );
}

const WAITING = 3, AGENTS = 5;

/** The first items of the review with what they are about. */
async function readWaiting(signal: AbortSignal) {
  const { data } = await svc.listReviewItems({ limit: WAITING }, { signal });
  return await withSubjects(data, signal);
}

function Waits({ list }: { readonly list: Awaited<ReturnType<typeof readWaiting>> }) {
  if (list.length === 0) return <p class="quiet">Nothing: no statement contradicts another.</p>;
  return (
    <ul class="list rows">
      {list.map(({ item, unit }) => (
        <li key={item.id}>
          <div class="row between">
            <a href={href("/review")}>{REVIEW_KINDS[item.kind].title}</a>
            <span class="quiet">
              <When at={item.createdAt} as="ago" />
            </span>
          </div>
          {unit && <Words text={textOf(unit)} lines />}
        </li>
      ))}
    </ul>
  );
}

/** Those that called last. */
async function readAgents(signal: AbortSignal): Promise<readonly Agent[]> {
  const { data } = await svc.listAgents({ limit: 200 }, { signal });
  return data.toSorted((a, b) => a.lastSeenAt < b.lastSeenAt ? 1 : -1).slice(0, AGENTS);
}

function LatestAgents({ list }: { readonly list: readonly Agent[] }) {
  if (list.length === 0) {
    return (
      <p class="quiet">
        No session, task or playbook names one yet. <a href={href("/connect")}>Connect an agent</a>
      </p>
    );
  }
  return (
    <ul class="list rows">
      {list.map(({ agentId, lastSeenAt, counts }) => (
        <li key={agentId} class="row between">
          <a class="grow" href={href(`/agents/${encodeURIComponent(agentId)}`)}>
            <Words text={agentId} lines />
          </a>
          <span class="quiet">
            {count(counts.sessions)} {counts.sessions === 1 ? "session" : "sessions"}, <When at={lastSeenAt} as="ago" />
          </span>
        </li>
      ))}
    </ul>
  );
}

interface Told extends Change {
  /** What the unit says now; undefined if it is no unit or is gone. */
  readonly text: string | undefined;
  /** How many changes of this kind follow each other. */
  readonly times: number;
}

/** The latest changes with the texts of the units that they are about: a change itself holds no content. */
async function readChanges(signal: AbortSignal): Promise<readonly Told[]> {
  const { data } = await svc.listChanges({ limit: CHANGES, order: "desc" }, { signal });
  const ids = [
    ...new Set(data.filter(({ resourceType }) => UNITS.includes(resourceType)).map((one) => one.resourceId)),
  ];
  const units = ids.length === 0 ? [] : (await svc.getUnits({ id: ids }, { signal })).data;
  const texts = new Map(units.map(({ id, unit }) => [id, unit === null ? undefined : textOf(unit)]));
  const told = data.map((change) => ({ ...change, text: texts.get(change.resourceId), times: 1 }));
  return told.reduce<Told[]>((list, change) => {
    const last = list.at(-1);
    const isMore = change.text === undefined && last?.text === undefined && last?.kind === change.kind;
    return isMore ? [...list.slice(0, -1), { ...last, times: last.times + 1 }] : [...list, change];
  }, []);
}

function Changes({ list }: { readonly list: readonly Told[] }) {
  if (list.length === 0) return <Empty title="Nothing has changed yet" />;
  return (
    <ol class="list rows">
      {list.map((change) => (
        <li key={change.seq}>
          <div class="row between">
            <Badge tone={toneOf(change.kind)}>{say(change.kind)}{change.times > 1 && ` × ${change.times}`}</Badge>
            <span class="quiet">
              <When at={change.recordedAt} as="ago" />
            </span>
          </div>
          {change.text !== undefined && (
            <a class="plain" href={href(`/unit/${change.resourceId}`)}>
              <Words text={change.text} lines />
            </a>
          )}
        </li>
      ))}
    </ol>
  );
}

function toneOf(kind: string) {
  if (/\.(contested|stale)/.test(kind)) return "warn";
  if (/\.(retracted|erased|discarded)/.test(kind)) return "bad";
  return /\.(created|started)/.test(kind) ? "good" : "quiet";
}

/** `fact.created` → "fact created"; `near_duplicate` → "near duplicate". */
function say(name: string): string {
  return name.replaceAll(/[._]/g, " ");
}
