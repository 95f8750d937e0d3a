/**
 * Statements on the recall diary: `recall_entry`, and `recall_shown` with the units and turns that each recall showed.
 */
import type { Sensitivity } from "../../schema/common.ts";
import type { RecallPath, RecallShown } from "../../schema/recall_diary.ts";
import type { Sql, Tx } from "../tx.ts";

/** A unit or turn that a recall showed. */
export interface NewShown extends RecallShown {
  readonly sensitivity: Sensitivity;
}

/** A recall in the form in which it is written. */
export interface NewRecallEntry {
  readonly id: string;
  /** The clearance of the caller. */
  readonly sensitivity: Sensitivity;
  readonly recalledAt: string;
  readonly path: RecallPath;
  readonly operation: string;
  readonly query: string | null;
  readonly filters: Readonly<Record<string, unknown>> | null;
  /** The ids that query and filters name. */
  readonly namedIds: readonly string[];
  readonly sessionId: string | null;
  readonly caller: string;
  readonly requestId: string;
  readonly traceId: string;
  readonly evidenceConfidence: number;
  readonly durationMs: number;
  /** How many the reply had. */
  readonly resultCount: number;
  readonly shown: readonly NewShown[];
}

export interface RecallEntryRow extends Omit<NewRecallEntry, "shown" | "recalledAt" | "namedIds" | "sensitivity"> {
  readonly recalledAt: Date;
  readonly agentId: string | null;
  readonly results: RecallShown[];
}

/** The workspaces that keep a diary. */
export async function listRecallDiaries(sql: Sql): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select id from svc_system.list_recall_diaries() as d(id)`;
  return rows.map((row) => row.id);
}

/** Makes erasures from the workspace's diary wait until the transaction ends; false if one is running. */
export async function lockDiary(tx: Tx): Promise<boolean> {
  const [row] = await tx.sql<[{ taken: boolean }]>`
    select pg_try_advisory_xact_lock(hashtextextended(${tx.workspaceId}::uuid::text, 7305414)) as taken`;
  return row.taken;
}

/** Returns those of the given units and turns that exist. */
export async function findExisting(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx.sql<{ id: string }[]>`
    select id from unit where workspace_id = ${tx.workspaceId} and id = any(${ids as string[]}::uuid[])
    union all
    select id from turn where workspace_id = ${tx.workspaceId} and id = any(${ids as string[]}::uuid[])`;
  return new Set(rows.map((row) => row.id));
}

/** Writes entries, unless the workspace keeps no diary; leaves out those of sessions that were discarded or erased. */
export async function insertRecalls(tx: Tx, entries: readonly NewRecallEntry[]): Promise<void> {
  const { sql, workspaceId: ws } = tx;
  const rows = sql.json(entries.map(({ shown: _, ...entry }) => entry));
  const shown = sql.json(
    entries.flatMap((entry) => entry.shown.map((one, position) => ({ ...one, recallId: entry.id, position }))),
  );
  await sql`
    insert into recall_entry
      (workspace_id, id, sensitivity, recalled_at, path, operation, query, filters, named_ids, session_id, agent_id,
       caller, request_id, trace_id, evidence_confidence, result_count, duration_ms)
    select ${ws}, e.id, e.sensitivity, e."recalledAt", e.path, e.operation, e.query, nullif(e.filters, 'null'),
           e."namedIds", e."sessionId", case when s.sensitivity <= e.sensitivity then s.agent_id end, e.caller, e."requestId", e."traceId", e."evidenceConfidence",
           e."resultCount", e."durationMs"
      from jsonb_to_recordset(${rows}) as e(
             id uuid, sensitivity sensitivity, "recalledAt" timestamptz, path text, operation text, query text,
             filters jsonb, "namedIds" uuid[], "sessionId" uuid, caller text, "requestId" text, "traceId" text,
             "evidenceConfidence" float8, "resultCount" int, "durationMs" float8)
      left join session s on s.workspace_id = ${ws} and s.id = e."sessionId"
     where s.status is distinct from 'discarded'
       and exists (select from workspace w where w.workspace_id = ${ws} and w.recall_diary_days > 0)`;
  await sql`
    insert into recall_shown (workspace_id, recall_id, position, unit_id, type, sensitivity, score, from_pins)
    select ${ws}, s."recallId", s.position, s.id, s.type, s.sensitivity, s.score, s.pinned
      from jsonb_to_recordset(${shown}) as s(
             "recallId" uuid, position smallint, id uuid, type text, sensitivity sensitivity, score float8, pinned boolean)
      join recall_entry e on e.workspace_id = ${ws} and e.id = s."recallId"`;
}

/**
 * Removes erased resources from the diary, also above the transaction's clearance: ids and scores of units and turns,
 * and queries that came from their texts or name them; for a session, its entries as a whole.
 */
export async function eraseRecalls(
  tx: Tx,
  erased: readonly { readonly id: string; readonly text: string }[],
  sessionId: string | null = null,
): Promise<void> {
  await tx.sql`
    select svc_system.erase_recalls(${erased.map(({ id }) => id)}::uuid[], ${erased.map(({ text }) => text)}::text[],
                                    ${sessionId}::uuid)`;
}

export interface DiaryFilter {
  readonly since: Date | undefined;
  readonly until: Date | undefined;
  readonly caller: string | undefined;
  readonly agentId: string | undefined;
  readonly unitId: string | undefined;
  readonly text: string | undefined;
}

export interface RecallWindow {
  readonly order: "asc" | "desc";
  /** The last entry of the page before. */
  readonly after: { readonly at: Date; readonly id: string } | undefined;
  readonly limit: number;
}

type Fragment = ReturnType<Tx["sql"]>;

/** Entries that are still kept, by time. */
export async function listRecalls(tx: Tx, filter: DiaryFilter, window: RecallWindow): Promise<RecallEntryRow[]> {
  const { sql, workspaceId: ws } = tx;
  const { since, until, caller, agentId, unitId, text } = filter;
  const { order, after, limit } = window;
  const all = <T>(value: T | undefined, make: (value: T) => Fragment) =>
    value === undefined ? sql`` : sql`and ${make(value)}`;
  const way = order === "asc" ? sql`asc` : sql`desc`;
  const beyond = order === "asc" ? sql`>` : sql`<`;
  const like = text === undefined ? undefined : `%${text.replaceAll(/[\\%_]/g, (c) => `\\${c}`)}%`;
  return await sql<RecallEntryRow[]>`
    select ${columns(tx)} from recall_entry e
     where e.workspace_id = ${ws} and e.recalled_at >= ${keptSince(tx)}
       ${all(after, ({ at, id }) => sql`(e.recalled_at, e.id) ${beyond} (${at}, ${id}::uuid)`)}
       ${all(since, (time) => sql`e.recalled_at >= ${time}`)} ${all(until, (time) => sql`e.recalled_at < ${time}`)}
       ${all(caller, (name) => sql`e.caller = ${name}`)} ${all(agentId, (name) => sql`e.agent_id = ${name}`)}
       ${
    all(unitId, (id) =>
      sql`e.id in (
        select s.recall_id from recall_shown s where s.workspace_id = ${ws} and s.unit_id = ${id} and ${isThere(tx)})`)
  }
       ${all(like, (like) => sql`e.query ilike ${like}`)}
     order by e.recalled_at ${way}, e.id ${way} limit ${limit}`;
}

/** An entry that is still kept. */
export async function findRecall(tx: Tx, id: string): Promise<RecallEntryRow | undefined> {
  const [row] = await tx.sql<RecallEntryRow[]>`
    select ${columns(tx)} from recall_entry e
     where e.workspace_id = ${tx.workspaceId} and e.id = ${id} and e.recalled_at >= ${keptSince(tx)}`;
  return row;
}

/** Deletes entries that have expired, or that are older than the diary; at most `limit`. Returns how many. */
export async function sweepRecalls(tx: Tx, limit: number): Promise<number> {
  const { sql, workspaceId: ws } = tx;
  const rows = await sql`
    delete from recall_entry where workspace_id = ${ws} and id in (
      select e.id from recall_entry e
       where e.workspace_id = ${ws} and e.recalled_at < ${keptSince(tx)} order by e.recalled_at limit ${limit})
    returning 1`;
  return rows.length;
}

/** The time from which on entries are kept; if there is no diary, none are. */
function keptSince(tx: Tx): Fragment {
  return tx.sql`(
    select case when w.recall_diary_days = 0 then 'infinity'::timestamptz
                else greatest(w.recall_diary_from, ${tx.now}::timestamptz - w.recall_diary_days * interval '1 day') end
      from workspace w where w.workspace_id = ${tx.workspaceId})`;
}

/** Whether a shown resource (`s`) still exists and is visible, by its present sensitivity. */
function isThere(tx: Tx): Fragment {
  const { sql, workspaceId: ws } = tx;
  return sql`(
    exists (select from unit u where u.workspace_id = ${ws} and u.id = s.unit_id)
    or exists (select from turn t where t.workspace_id = ${ws} and t.id = s.unit_id))`;
}

function columns(tx: Tx): Fragment {
  return tx.sql`
    e.id, e.recalled_at as "recalledAt", e.path, e.operation, e.query, e.filters, e.session_id as "sessionId",
    e.agent_id as "agentId", e.caller, e.request_id as "requestId", e.trace_id as "traceId",
    e.evidence_confidence as "evidenceConfidence", e.result_count as "resultCount", e.duration_ms as "durationMs",
    (select coalesce(jsonb_agg(jsonb_build_object('id', s.unit_id, 'type', s.type, 'score', s.score, 'pinned', s.from_pins)
                               order by s.position), '[]')
       from recall_shown s where s.workspace_id = ${tx.workspaceId} and s.recall_id = e.id and ${
    isThere(tx)
  }) as results`;
}
