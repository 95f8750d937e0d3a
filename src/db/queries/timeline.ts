/** Everything that has a time, in its order: units of all types, events, turns, tasks. */
import type { Sensitivity } from "../../schema/common.ts";
import type { TimelineType } from "../../schema/timeline.ts";
import { UNIT_TYPES, type UnitType } from "../../schema/unit.ts";
import type { Tx } from "../tx.ts";
import { isMentioning, type Mentioning } from "./mention_condition.ts";
import { hasTags } from "./tags.ts";

/** The position of something in time; the id distinguishes things that happened at the same time. */
export interface MomentKey {
  readonly at: Date;
  readonly id: string;
}

export interface TimelineRow extends MomentKey {
  readonly type: TimelineType;
  readonly text: string;
  readonly status: string | null;
  readonly trustScore: number | null;
  readonly sensitivity: Sensitivity;
  readonly stale: boolean;
  readonly tags: readonly string[];
  readonly entityIds: readonly string[];
  readonly sessionId: string | null;
  readonly agentId: string | null;
  readonly messageId: string | null;
  readonly data: Readonly<Record<string, unknown>> | null;
}

/** A bound of a span: a time, and also an id if it is the time of a certain moment. */
export interface MomentBound {
  readonly at: Date;
  readonly id: string | undefined;
}

export interface MomentBounds {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly after?: MomentBound | undefined;
  readonly before?: MomentBound | undefined;
}

/** The contents of a timeline; every member that is given narrows them. */
export interface TimelineFilter extends MomentBounds {
  readonly types: readonly TimelineType[];
  /** The types of units whose bodies name the session in which they happened, as `sessionId`. */
  readonly withSession: readonly UnitType[];
  readonly text?: string | undefined;
  readonly mentioning?: Mentioning | undefined;
  readonly agentId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly minTrust?: number | undefined;
}

type Fragment = ReturnType<Tx["sql"]>;

/** Conditions that hold a moment within bounds; its time and id are given as expressions. */
export function withinBounds(tx: Tx, bounds: MomentBounds, at: Fragment, id: Fragment): Fragment {
  const { sql } = tx;
  const { from, to, after, before } = bounds;
  const beyond = (bound: MomentBound | undefined, isAfter: boolean) => {
    if (bound === undefined) return sql``;
    if (bound.id === undefined) return isAfter ? sql`and ${at} > ${bound.at}` : sql`and ${at} < ${bound.at}`;
    return isAfter
      ? sql`and (${at}, ${id}) > (${bound.at}, ${bound.id}::uuid)`
      : sql`and (${at}, ${id}) < (${bound.at}, ${bound.id}::uuid)`;
  };
  return sql`${from === undefined ? sql`` : sql`and ${at} >= ${from}`} ${
    to === undefined ? sql`` : sql`and ${at} < ${to}`
  } ${beyond(after, true)} ${beyond(before, false)}`;
}

interface Arm {
  /** The columns of a `TimelineRow`. */
  readonly columns: Fragment;
  readonly type: Fragment;
  /** The table, and the conditions but for those of time. */
  readonly source: Fragment;
  readonly at: Fragment;
  readonly id: Fragment;
}

/** The sources of the moments of each type. A type of which the filter leaves nothing has no arm. */
function armsOf(tx: Tx, filter: TimelineFilter): Arm[] {
  const { sql } = tx;
  const { withSession, mentioning, agentId, sessionId, tags, minTrust } = filter;
  const all = <T>(value: T | undefined, make: (value: T) => Fragment) =>
    value === undefined ? sql`` : sql`and ${make(value)}`;
  const like = filter.text === undefined ? undefined : `%${filter.text.replaceAll(/[\\%_]/g, (c) => `\\${c}`)}%`;
  const isWanted = (type: TimelineType) => filter.types.includes(type);
  const units = UNIT_TYPES.filter((type) =>
    isWanted(type) && agentId === undefined && (sessionId === undefined || withSession.includes(type))
  );
  const noUnit = minTrust === undefined && mentioning === undefined;
  const arms = units.map((type): Arm => ({
    type: sql`u.type`,
    // As the index has it: CASE is leakproof, coalesce() is not.
    at: sql`(case when u.occurred_at is not null then u.occurred_at when u.valid_from is not null then u.valid_from
                  else u.recorded_at end)`,
    id: sql`u.id`,
    columns: sql`
      left(u.text, 1000) as text,
      case when u.status in ('active', 'contested') and u.expires_at <= ${tx.now} then 'expired' else u.status end
        as status,
      u.trust_score as "trustScore", u.sensitivity, u.stale, u.tags, u.entity_ids as "entityIds",
      ${
      withSession.includes(type) ? sql`u.body ->> 'sessionId'` : sql`null::text`
    } as "sessionId", null::text as "agentId",
      null::text as "messageId", null::jsonb as data`,
    source: sql`unit u
      where u.workspace_id = ${tx.workspaceId} and u.type = ${type}
        and u.status not in ('archived', 'retracted', 'merged')
        ${all(like, (like) => sql`u.text ilike ${like}`)}
        ${all(mentioning, (entity) => isMentioning(tx, entity, sql`u.doc_no`))}
        ${all(tags, (tags) => hasTags(sql, "u.tags", tags))}
        ${all(minTrust, (value) => sql`u.trust_score >= ${value}`)}
        ${all(sessionId, (id) => sql`u.body ->> 'sessionId' = ${id}`)}`,
  }));
  if (isWanted("event") && noUnit && tags === undefined) {
    arms.push({
      type: sql`'event'`,
      at: sql`e.occurred_at`,
      id: sql`e.id`,
      columns: sql`
        e.type as text, null::text as status, null::smallint as "trustScore", e.sensitivity, false as stale,
        '{}'::text[] as tags, '{}'::uuid[] as "entityIds", e.session_id::text as "sessionId", e.agent_id as "agentId",
        null::text as "messageId", e.data`,
      source: sql`event e
        where e.workspace_id = ${tx.workspaceId}
          ${all(like, (like) => sql`(e.type ilike ${like} or e.data::text ilike ${like})`)}
          ${all(agentId, (id) => sql`e.agent_id = ${id}`)} ${all(sessionId, (id) => sql`e.session_id = ${id}`)}`,
    });
  }
  if (isWanted("turn") && minTrust === undefined) {
    arms.push({
      type: sql`'turn'`,
      at: sql`t.occurred_at`,
      id: sql`t.id`,
      columns: sql`
        left(t.content, 1000) as text, null::text as status, null::smallint as "trustScore", t.sensitivity,
        false as stale, t.tags, t.entity_ids as "entityIds", t.session_id::text as "sessionId",
        s.agent_id as "agentId", t.message_id as "messageId", null::jsonb as data`,
      source: sql`turn t
        join session s on s.workspace_id = t.workspace_id and s.id = t.session_id
        where t.workspace_id = ${tx.workspaceId}
          ${all(like, (like) => sql`t.content ilike ${like}`)}
          ${all(mentioning, (entity) => isMentioning(tx, entity, sql`t.doc_no`))}
          ${all(agentId, (id) => sql`s.agent_id = ${id}`)} ${all(sessionId, (id) => sql`t.session_id = ${id}`)}
          ${all(tags, (tags) => hasTags(sql, "t.tags", tags))}`,
    });
  }
  if (isWanted("task") && noUnit && sessionId === undefined) {
    arms.push({
      type: sql`'task'`,
      at: sql`k.created_at`,
      id: sql`k.id`,
      columns: sql`
        k.title as text, k.status, null::smallint as "trustScore", k.sensitivity, false as stale, k.tags,
        '{}'::uuid[] as "entityIds", null::text as "sessionId", k.agent_id as "agentId", null::text as "messageId",
        null::jsonb as data`,
      source: sql`task k
        where k.workspace_id = ${tx.workspaceId}
          ${all(like, (like) => sql`k.title ilike ${like}`)} ${all(agentId, (id) => sql`k.agent_id = ${id}`)}
          ${all(tags, (tags) => hasTags(sql, "k.tags", tags))}`,
    });
  }
  return arms;
}

export interface TimelineWindow {
  readonly order: "asc" | "desc";
  readonly limit: number;
}

/** Moments by time, then by id. Each table gives its first ones; the first of these are the page. */
export async function listMoments(
  tx: Tx,
  filter: TimelineFilter,
  { order, limit }: TimelineWindow,
): Promise<TimelineRow[]> {
  const { sql } = tx;
  const way = order === "asc" ? sql`asc` : sql`desc`;
  const parts = armsOf(tx, filter).map(({ type, at, id, columns, source }) =>
    sql`
    (select ${type} as type, ${id} as id, ${at} as at, ${columns} from ${source} ${withinBounds(tx, filter, at, id)}
      order by ${at} ${way}, ${id} ${way} limit ${limit})`
  );
  if (parts.length === 0) return [];
  const all = parts.reduce((before, part) => sql`${before} union all ${part}`);
  return await sql<TimelineRow[]>`select m.* from (${all}) m order by m.at ${way}, m.id ${way} limit ${limit}`;
}

export interface MomentCount {
  readonly type: TimelineType;
  /** Number of the span, counted from 1, in the order of `starts`. */
  readonly span: number;
  readonly count: number;
}

/** How many moments of each type lie in each span; the spans begin at `starts`, the last ends with the filter's bounds. */
export async function countMoments(
  tx: Tx,
  filter: TimelineFilter,
  starts: readonly Date[],
): Promise<MomentCount[]> {
  const { sql } = tx;
  const parts = armsOf(tx, filter).map(({ type, at, id, source }) =>
    sql`(select ${type} as type, ${at} as at from ${source} ${withinBounds(tx, filter, at, id)})`
  );
  if (parts.length === 0) return [];
  const all = parts.reduce((before, part) => sql`${before} union all ${part}`);
  return await sql<MomentCount[]>`
    select m.type, width_bucket(m.at, ${
    starts.map((start) => start.toISOString())
  }::timestamptz[]) as span, count(*)::int as count
      from (${all}) m group by 1, 2`;
}

/** When something happened, whatever it is; `withTasks`: also a task or an event. */
export async function findMoment(
  tx: Tx,
  id: string,
  { withTasks }: { readonly withTasks: boolean },
): Promise<MomentKey | undefined> {
  const { sql } = tx;
  const tasks = sql`
    union all
    select e.id, e.occurred_at from event e where e.workspace_id = ${tx.workspaceId} and e.id = ${id}
    union all
    select k.id, k.created_at from task k where k.workspace_id = ${tx.workspaceId} and k.id = ${id}`;
  const [row] = await sql<MomentKey[]>`
    select u.id, coalesce(u.occurred_at, u.valid_from, u.recorded_at) as at from unit u
     where u.workspace_id = ${tx.workspaceId} and u.id = ${id}
    union all
    select t.id, t.occurred_at from turn t where t.workspace_id = ${tx.workspaceId} and t.id = ${id}
    ${withTasks ? tasks : sql``}
     limit 1`;
  return row;
}
