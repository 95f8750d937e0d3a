/** The worth of units: its sources, the agents' votes, when it is due, and lists by it. */
import type { Sensitivity } from "../../schema/common.ts";
import { UNIT_TYPES, type UnitType } from "../../schema/unit.ts";
import { LIVE_STATUSES } from "../../schema/unit_state.ts";
import type { Tx } from "../tx.ts";

/** The values from which a unit's worth is computed. */
export interface WorthSource {
  readonly id: string;
  readonly type: UnitType;
  readonly version: number;
  readonly status: string;
  readonly stale: boolean;
  readonly sensitivity: Sensitivity;
  readonly docNo: number;
  readonly trustScore: number;
  readonly useCount: number;
  readonly lastUsedAt: Date | null;
  readonly updatedAt: Date;
  readonly corroborationCount: number;
  readonly successCount: number;
  readonly failureCount: number;
  readonly helpful: number;
  readonly harmful: number;
  readonly worth: number;
}

export interface WorthSourceOptions {
  /** The types whose bodies count outcomes, as `successCount` and `failureCount`. */
  readonly withOutcomes: readonly UnitType[];
  /** Whether to skip units that another transaction has locked, or to wait for them. */
  readonly locked: "skip" | "wait";
}

/** Locks units and reads the agents' feedback on them; all votes of one key together weigh at most one vote. */
export async function lockWorthSources(
  tx: Tx,
  ids: readonly string[],
  { withOutcomes, locked }: WorthSourceOptions,
): Promise<WorthSource[]> {
  const { sql, workspaceId: ws } = tx;
  const votes = (isHelpful: boolean) =>
    sql`(select coalesce(sum(part), 0) from (
           select coalesce(sum(s.weight::float8) filter (where s.is_helpful = ${isHelpful}), 0)
                  / greatest(1, sum(s.weight::float8)) as part
             from worth_signal s where s.workspace_id = ${ws} and s.unit_id = u.id group by s.given_by) keys)`;
  const outcomes = (name: string) =>
    sql`case when u.type = any(${withOutcomes as string[]}::text[]) then coalesce((u.body ->> ${name})::float8, 0) else 0 end`;
  return await sql<WorthSource[]>`
    select u.id, u.type, u.version, u.status, u.stale, u.sensitivity, u.doc_no::float8 as "docNo",
           u.trust_score as "trustScore", u.use_count as "useCount", u.last_used_at as "lastUsedAt",
           u.updated_at as "updatedAt", u.corroboration_count as "corroborationCount", u.worth,
           ${outcomes("successCount")} as "successCount", ${outcomes("failureCount")} as "failureCount",
           ${votes(true)} as "helpful", ${votes(false)} as "harmful"
      from unit u
     where u.workspace_id = ${ws} and u.id = any(${ids as string[]}::uuid[])
     order by u.id for update of u ${locked === "skip" ? sql`skip locked` : sql``}`;
}

export interface ComputedWorth {
  readonly id: string;
  readonly worth: number;
  readonly parts: Readonly<Record<string, number>>;
  readonly dueAt: Date;
}

/** Writes worths of units that the transaction has locked. It makes no version. */
export async function storeWorths(tx: Tx, rows: readonly ComputedWorth[]): Promise<void> {
  const { sql, workspaceId: ws } = tx;
  const json = sql.json(
    rows.map((row) => ({ unit_id: row.id, worth: row.worth, parts: row.parts, due_at: row.dueAt })),
  );
  await sql`
    update unit u set worth = n.worth
      from jsonb_to_recordset(${json}) as n(unit_id uuid, worth real)
     where u.workspace_id = ${ws} and u.id = n.unit_id and u.worth <> n.worth`;
  await sql`
    insert into unit_worth as w (workspace_id, unit_id, due_at, computed_at, parts)
    select ${ws}, n.unit_id, n.due_at, ${tx.now}, n.parts
      from jsonb_to_recordset(${json}) as n(unit_id uuid, parts jsonb, due_at timestamptz)
     order by n.unit_id
        on conflict (workspace_id, unit_id) do update
       set due_at = excluded.due_at, computed_at = excluded.computed_at, parts = excluded.parts`;
}

/** Units whose worth is due, the longest due first. */
export async function listDue(tx: Tx, limit: number): Promise<string[]> {
  const rows = await tx.sql<{ id: string }[]>`
    select unit_id as id from unit_worth
     where workspace_id = ${tx.workspaceId} and due_at <= ${tx.now} order by due_at limit ${limit}`;
  return rows.map((row) => row.id);
}

/** When the next worth is due; undefined if the workspace has no unit. */
export async function readNextDue(tx: Tx): Promise<Date | undefined> {
  const [row] = await tx.sql<{ at: Date | null }[]>`
    select min(due_at) as at from unit_worth where workspace_id = ${tx.workspaceId}`;
  return row?.at ?? undefined;
}

/** Postpones units that others are writing. */
export async function putOff(tx: Tx, ids: readonly string[], dueAt: Date): Promise<void> {
  await tx.sql`
    update unit_worth w set due_at = ${dueAt}
      from (select unit_id from unit_worth
             where workspace_id = ${tx.workspaceId} and unit_id = any(${ids as string[]}::uuid[])
             order by unit_id for update skip locked) as n
     where w.workspace_id = ${tx.workspaceId} and w.unit_id = n.unit_id`;
}

/**
 * Makes worths due after a use, an hour after they were computed at the earliest. Skips rows that are being written.
 */
export async function hastenWorth(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.sql`
    update unit_worth w set due_at = w.computed_at + interval '1 hour'
      from (select unit_id from unit_worth
             where workspace_id = ${tx.workspaceId} and unit_id = any(${ids as string[]}::uuid[])
               and due_at > computed_at + interval '1 hour'
             order by unit_id for update skip locked) as n
     where w.workspace_id = ${tx.workspaceId} and w.unit_id = n.unit_id`;
}

export interface FeedStretch {
  readonly from: number;
  readonly to: number;
}

/**
 * The next stretch of the change feed that the worker has not followed; undefined when there is none or another process
 * is following it.
 */
export async function lockFeedStretch(tx: Tx, limit: number): Promise<FeedStretch | undefined> {
  const { sql, workspaceId: ws } = tx;
  const [behind] = await sql<{ seq: number; head: number }[]>`
    select coalesce((select seq from worth_cursor where workspace_id = ${ws}), 0)::float8 as seq,
           coalesce((select seq from feed_head where workspace_id = ${ws}), 0)::float8 as head`;
  if (behind === undefined || behind.seq >= behind.head) return undefined;
  await sql`insert into worth_cursor (workspace_id, seq) values (${ws}, 0) on conflict do nothing`;
  const [cursor] = await sql<{ seq: number }[]>`
    select seq::float8 as seq from worth_cursor where workspace_id = ${ws} for update skip locked`;
  if (cursor === undefined || cursor.seq >= behind.head) return undefined;
  return { from: cursor.seq, to: Math.min(behind.head, cursor.seq + limit) };
}

/** Makes the worth of every unit that a stretch of the feed changed due now. */
export async function followStretch(tx: Tx, { from, to }: FeedStretch): Promise<void> {
  const { sql, workspaceId: ws } = tx;
  await sql`
    insert into unit_worth as w (workspace_id, unit_id, due_at)
    select ${ws}, u.id, ${tx.now} from (
      select id from unit
       where workspace_id = ${ws} and id in (
         select resource_id from change
          where workspace_id = ${ws} and seq > ${from} and seq <= ${to}
            and resource_type = any(${[...UNIT_TYPES]}::text[]) and kind not like '%.revalued')
       order by id for key share) u
        on conflict (workspace_id, unit_id) do update set due_at = excluded.due_at`;
  await sql`update worth_cursor set seq = ${to} where workspace_id = ${ws}`;
}

export interface WorthVote {
  readonly unitId: string;
  readonly isHelpful: boolean;
  readonly weight: number;
}

/** Writes votes of the caller; each replaces the voter's earlier one. The caller's latest `keep` voters stay. */
export async function storeVotes(tx: Tx, voter: string, votes: readonly WorthVote[], keep: number): Promise<void> {
  await tx.sql`
    insert into worth_signal as s (workspace_id, unit_id, agent_id, is_helpful, weight, given_at, given_by)
    select ${tx.workspaceId}, n.unit_id, ${voter}, n.is_helpful, n.weight, ${tx.now}, ${tx.actor}
      from jsonb_to_recordset(${
    tx.sql.json(
      votes.map((vote) => ({ unit_id: vote.unitId, is_helpful: vote.isHelpful, weight: vote.weight })),
    )
  }) as n(unit_id uuid, is_helpful boolean, weight real)
     order by n.unit_id
        on conflict (workspace_id, unit_id, agent_id) do update
       set is_helpful = excluded.is_helpful, weight = excluded.weight, given_at = excluded.given_at,
           given_by = excluded.given_by`;
  await tx.sql`
    delete from worth_signal s using (
      select unit_id, agent_id,
             row_number() over (partition by unit_id order by given_at desc, agent_id = ${voter} desc, agent_id) as place
        from worth_signal
       where workspace_id = ${tx.workspaceId} and given_by = ${tx.actor}
         and unit_id = any(${votes.map((vote) => vote.unitId)}::uuid[])) old
     where s.workspace_id = ${tx.workspaceId} and s.unit_id = old.unit_id and s.agent_id = old.agent_id
       and old.place > ${keep}`;
}

/**
 * Notes that the caller uses the units now.
 * @returns those for which the caller had not said so since `since`
 */
export async function noteUses(tx: Tx, ids: readonly string[], since: Date): Promise<string[]> {
  const rows = await tx.sql<{ id: string }[]>`
    insert into use_signal as s (workspace_id, unit_id, given_by, given_at)
    select ${tx.workspaceId}, n.id, ${tx.actor}, ${tx.now} from unnest(${ids as string[]}::uuid[]) as n(id) order by n.id
        on conflict (workspace_id, unit_id, given_by) do update set given_at = excluded.given_at
     where s.given_at <= ${since}
    returning unit_id as id`;
  return rows.map((row) => row.id);
}

/** Counts uses of units that the transaction has locked. */
export async function addSureUses(tx: Tx, ids: readonly string[], uses: number): Promise<void> {
  await tx.sql`
    update unit set use_count = use_count + ${uses}, last_used_at = ${tx.now}
     where workspace_id = ${tx.workspaceId} and id = any(${ids as string[]}::uuid[])`;
}

export interface WorthFilter {
  readonly types: readonly UnitType[] | undefined;
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly order: "asc" | "desc";
  readonly after: { readonly worth: number; readonly id: string } | undefined;
  readonly limit: number;
}

export interface WorthRow {
  readonly id: string;
  readonly type: UnitType;
  readonly status: string;
  readonly pinned: boolean;
  readonly stale: boolean;
  readonly trustScore: number;
  readonly worth: number;
  readonly parts: Readonly<Record<string, number>> | null;
  readonly computedAt: Date | null;
  readonly createdAt: Date;
}

function inForce(tx: Tx, types: readonly UnitType[] | undefined) {
  const { sql } = tx;
  return sql`
    u.workspace_id = ${tx.workspaceId} and u.status = any(${[...LIVE_STATUSES]}::text[])
      and (u.expires_at is null or u.expires_at > ${tx.now})
      ${types === undefined ? sql`` : sql`and u.type = any(${types as string[]}::text[])`}`;
}

/** Units in force in the order of their worth, then of their ids. */
export async function listWorths(tx: Tx, filter: WorthFilter): Promise<WorthRow[]> {
  const { sql } = tx;
  const { min, max, order, after } = filter;
  const direction = order === "asc" ? sql`asc` : sql`desc`;
  const beyond = after === undefined
    ? sql``
    : order === "asc"
    ? sql`and (u.worth, u.id) > (${after.worth}::real, ${after.id}::uuid)`
    : sql`and (u.worth, u.id) < (${after.worth}::real, ${after.id}::uuid)`;
  return await sql<WorthRow[]>`
    select u.id, u.type, u.status, u.pinned, u.stale, u.trust_score as "trustScore", u.worth,
           case when w.computed_at is not null then w.parts end as parts, w.computed_at as "computedAt",
           u.created_at as "createdAt"
      from unit u left join unit_worth w on w.workspace_id = u.workspace_id and w.unit_id = u.id
     where ${inForce(tx, filter.types)}
       ${min === undefined ? sql`` : sql`and u.worth >= ${min}::real`}
       ${max === undefined ? sql`` : sql`and u.worth <= ${max}::real`} ${beyond}
     order by u.worth ${direction}, u.id ${direction} limit ${filter.limit}`;
}

export interface WorthDistributionRow {
  readonly units: number;
  readonly mean: number | null;
  readonly deciles: readonly number[] | null;
  /** Units by tenth, 0 to 9. */
  readonly tenths: Readonly<Record<string, number>>;
}

/** The distribution of worth over the units in force. */
export async function readWorthDistribution(
  tx: Tx,
  types: readonly UnitType[] | undefined,
): Promise<WorthDistributionRow> {
  const [row] = await tx.sql<[WorthDistributionRow]>`
    with seen as materialized (select u.worth::numeric as worth from unit u where ${inForce(tx, types)})
    select (select count(*)::int from seen) as units,
           (select avg(worth)::float8 from seen) as mean,
           (select to_jsonb(percentile_disc(array[.1, .2, .3, .4, .5, .6, .7, .8, .9]) within group (order by worth))
              from seen) as deciles,
           (select coalesce(jsonb_object_agg(t.tenth, t.n), '{}') from (
              select least(9, floor(worth * 10))::int as tenth, count(*)::int as n from seen group by 1) t) as tenths`;
  return row;
}
