/** Statements on reasoning entries, their preconditions, votes and uses. */
import type { Sensitivity } from "../../schema/common.ts";
import type { CheckedPrecondition, ReasoningOutcome, ReasoningStatus } from "../../schema/reasoning.ts";
import type { Sql, Tx } from "../tx.ts";

export interface ReasoningRow {
  readonly id: string;
  readonly version: number;
  readonly goalKey: string;
  readonly goal: string;
  readonly contextKind: "none" | "text" | "object";
  readonly context: unknown;
  readonly contextKey: string;
  readonly steps: readonly unknown[];
  readonly answer: string;
  readonly outcome: ReasoningOutcome;
  readonly tokensSpent: number;
  readonly agentId: string | null;
  /** The status by the votes. */
  readonly standing: ReasoningStatus;
  readonly helpful: number;
  readonly harmful: number;
  /** Whether a precondition was found changed. */
  readonly broken: boolean;
  readonly attempts: Readonly<Record<ReasoningOutcome, number>>;
  readonly attemptHash: string;
  readonly useCount: number;
  readonly tokensSaved: number;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly sensitivity: Sensitivity;
  readonly tags: readonly string[];
  readonly contentHash: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly createdBy: string;
  /** Checked when the row was read. */
  readonly preconditions: readonly CheckedPrecondition[];
}

/** The columns of `reasoning_entry` under the alias `e`, with its preconditions as the reader may see them. */
function columns(tx: Tx) {
  return tx.sql`
    e.id, e.version, e.goal_key as "goalKey", e.goal, e.context_kind as "contextKind", e.context,
    e.context_key as "contextKey", e.steps, e.answer, e.outcome, e.tokens_spent as "tokensSpent",
    e.agent_id as "agentId", e.standing, e.helpful, e.harmful, e.broken, e.attempts, e.attempt_hash as "attemptHash",
    e.use_count as "useCount", e.tokens_saved::float8 as "tokensSaved", e.last_used_at as "lastUsedAt",
    e.expires_at as "expiresAt", e.sensitivity, e.tags, e.content_hash as "contentHash", e.created_at as "createdAt",
    e.updated_at as "updatedAt", e.created_by as "createdBy",
    coalesce((
      select jsonb_agg(jsonb_build_object('factId', p.unit_id, 'contentHash', p.content_hash, 'holds',
               precondition_holds(p.content_hash, u.content_hash, u.status, u.stale, u.expires_at, u.valid_to, ${tx.now}))
             order by p.unit_id)
        from reasoning_precondition p
        left join unit u on u.workspace_id = ${tx.workspaceId} and u.id = p.unit_id
       where p.workspace_id = ${tx.workspaceId} and p.entry_id = e.id), '[]') as preconditions`;
}

/** Entries by id, in no order. */
export async function findEntries(
  tx: Tx,
  ids: readonly string[],
  options: { readonly lock?: boolean } = {},
): Promise<ReasoningRow[]> {
  return await tx.sql<ReasoningRow[]>`
    select ${columns(tx)} from reasoning_entry e
     where e.workspace_id = ${tx.workspaceId} and e.id = any(${ids as string[]}::uuid[])
     ${options.lock ? tx.sql`for update of e` : tx.sql``}`;
}

/** The entries of a goal and context: one of each sensitivity. */
export async function findEntriesByKey(
  tx: Tx,
  goalKey: string,
  sensitivities: readonly Sensitivity[],
  options: { readonly lock?: boolean } = {},
): Promise<ReasoningRow[]> {
  return await tx.sql<ReasoningRow[]>`
    select ${columns(tx)} from reasoning_entry e
     where e.workspace_id = ${tx.workspaceId} and e.goal_key = ${goalKey}
       and e.sensitivity = any(${sensitivities as string[]}::text[]::sensitivity[])
     order by e.sensitivity ${options.lock ? tx.sql`for update of e` : tx.sql``}`;
}

/** Writes an entry: a new one, or the next version of one that the transaction has locked. */
export async function upsertEntry(tx: Tx, row: Omit<ReasoningRow, "preconditions">): Promise<void> {
  const { sql } = tx;
  const json = (value: unknown) => value === null ? null : sql.json(value);
  await sql`
    insert into reasoning_entry as e (
      workspace_id, id, version, goal_key, goal, context_kind, context, context_key, steps, answer, outcome,
      tokens_spent, agent_id, standing, helpful, harmful, broken, attempts, attempt_hash, use_count, tokens_saved,
      last_used_at, expires_at, sensitivity, tags, content_hash, created_at, updated_at, created_by)
    values (
      ${tx.workspaceId}, ${row.id}, ${row.version}, ${row.goalKey}, ${row.goal}, ${row.contextKind},
      ${json(row.context)}, ${row.contextKey}, ${json(row.steps)}, ${row.answer}, ${row.outcome}, ${row.tokensSpent},
      ${row.agentId}, ${row.standing}, ${row.helpful}, ${row.harmful}, ${row.broken}, ${json(row.attempts)},
      ${row.attemptHash}, ${row.useCount}, ${row.tokensSaved}, ${row.lastUsedAt}, ${row.expiresAt}, ${row.sensitivity},
      ${row.tags as string[]}, ${row.contentHash}, ${row.createdAt}, ${row.updatedAt}, ${row.createdBy})
        on conflict (workspace_id, id) do update set
      version = excluded.version, goal = excluded.goal, context = excluded.context, steps = excluded.steps,
      answer = excluded.answer, outcome = excluded.outcome, tokens_spent = excluded.tokens_spent,
      agent_id = excluded.agent_id, standing = excluded.standing, helpful = excluded.helpful,
      harmful = excluded.harmful, broken = excluded.broken, attempts = excluded.attempts,
      attempt_hash = excluded.attempt_hash, expires_at = excluded.expires_at, tags = excluded.tags,
      content_hash = excluded.content_hash, updated_at = excluded.updated_at`;
}

export interface PreconditionRow {
  readonly factId: string;
  readonly contentHash: string;
}

/** Replaces the preconditions of an entry. */
export async function replacePreconditions(
  tx: Tx,
  entry: { readonly id: string; readonly sensitivity: Sensitivity },
  rows: readonly PreconditionRow[],
): Promise<void> {
  await tx.sql`delete from reasoning_precondition where workspace_id = ${tx.workspaceId} and entry_id = ${entry.id}`;
  if (rows.length === 0) return;
  await tx.sql`
    insert into reasoning_precondition (workspace_id, unit_id, entry_id, sensitivity, content_hash)
    select ${tx.workspaceId}, r.unit_id, ${entry.id}, ${entry.sensitivity}, r.content_hash
      from unnest(${rows.map((row) => row.factId)}::uuid[], ${rows.map((row) => row.contentHash)}::text[])
           as r(unit_id, content_hash)`;
}

/** Deletes an entry with all rows that belong to it. */
export async function deleteEntry(tx: Tx, id: string): Promise<void> {
  await tx.sql`delete from reasoning_vector where workspace_id = ${tx.workspaceId} and entry_id = ${id}`;
  await tx.sql`delete from reasoning_entry where workspace_id = ${tx.workspaceId} and id = ${id}`;
}

/** A voter's vote about an entry that the transaction has locked. */
export async function findVote(
  tx: Tx,
  entryId: string,
  voter: string,
): Promise<{ helpful: boolean; note: string | null } | undefined> {
  const [row] = await tx.sql<{ helpful: boolean; note: string | null }[]>`
    select helpful, note from reasoning_vote
     where workspace_id = ${tx.workspaceId} and entry_id = ${entryId} and agent_id = ${voter}`;
  return row;
}

/** Writes a vote of the caller about an entry that the transaction has locked; of its voters the latest `keep` stay. */
export async function upsertVote(
  tx: Tx,
  entry: { readonly id: string; readonly sensitivity: Sensitivity },
  vote: { readonly voter: string; readonly helpful: boolean; readonly note: string | null },
  keep: number,
): Promise<void> {
  await tx.sql`
    insert into reasoning_vote (workspace_id, entry_id, agent_id, given_by, sensitivity, helpful, note, voted_at)
    values (${tx.workspaceId}, ${entry.id}, ${vote.voter}, ${tx.actor}, ${entry.sensitivity}, ${vote.helpful},
            ${vote.note}, ${tx.now})
        on conflict (workspace_id, entry_id, agent_id) do update
       set helpful = excluded.helpful, note = excluded.note, voted_at = excluded.voted_at, given_by = excluded.given_by`;
  await tx.sql`
    delete from reasoning_vote
     where workspace_id = ${tx.workspaceId} and entry_id = ${entry.id} and agent_id in (
       select agent_id from reasoning_vote
        where workspace_id = ${tx.workspaceId} and entry_id = ${entry.id} and given_by = ${tx.actor}
          and agent_id <> ${vote.voter}
        order by voted_at desc, agent_id offset ${keep - 1})`;
}

/** The votes about an entry, one for each key: helpful if more of its voters say so than not. */
export async function countVotes(tx: Tx, entryId: string): Promise<{ helpful: number; harmful: number }> {
  const [row] = await tx.sql<[{ helpful: number; harmful: number }]>`
    select count(*) filter (where is_helpful)::int as helpful, count(*) filter (where not is_helpful)::int as harmful
      from (select sum(case when helpful then 1 else -1 end) > 0 as is_helpful from reasoning_vote
             where workspace_id = ${tx.workspaceId} and entry_id = ${entryId}
             group by coalesce(given_by, agent_id)) keys`;
  return row;
}

/** Forgets the votes about an entry: they were about another chain. */
export async function deleteVotes(tx: Tx, entryId: string): Promise<void> {
  await tx.sql`delete from reasoning_vote where workspace_id = ${tx.workspaceId} and entry_id = ${entryId}`;
}

/**
 * Notes that a run was served an entry; false if this was noted already since `since`. Deletes older uses of the entry.
 */
export async function addRun(
  tx: Tx,
  entry: { readonly id: string; readonly sensitivity: Sensitivity },
  runId: string,
  since: Date,
): Promise<boolean> {
  await tx.sql`
    delete from reasoning_use
     where workspace_id = ${tx.workspaceId} and entry_id = ${entry.id} and used_at <= ${since}`;
  const rows = await tx.sql`
    insert into reasoning_use (workspace_id, entry_id, run_id, sensitivity, used_at)
    values (${tx.workspaceId}, ${entry.id}, ${runId}, ${entry.sensitivity}, ${tx.now})
        on conflict do nothing returning run_id`;
  return rows.length === 1;
}

/** Counts a use. It makes no version. False if the entry no longer exists. */
export async function addUse(tx: Tx, id: string, tokensSaved: number): Promise<boolean> {
  const rows = await tx.sql`
    update reasoning_entry
       set use_count = use_count + 1, tokens_saved = tokens_saved + ${tokensSaved}, last_used_at = ${tx.now}
     where workspace_id = ${tx.workspaceId} and id = ${id} returning id`;
  return rows.length === 1;
}

/** An entry about which a change of its preconditions was noted. */
export interface SettledEntry {
  readonly id: string;
  readonly version: number;
  readonly sensitivity: Sensitivity;
  readonly broken: boolean;
}

/** Notes for entries whether all their preconditions hold; also for those above the transaction's clearance. */
export async function settleEntries(
  tx: Tx,
  named: { readonly unitIds?: readonly string[]; readonly entryIds?: readonly string[]; readonly limit: number },
): Promise<SettledEntry[]> {
  return await tx.sql<SettledEntry[]>`
    select id, version, sensitivity, broken from svc_system.settle_reasoning(
      ${(named.unitIds ?? []) as string[]}::uuid[], ${(named.entryIds ?? []) as string[]}::uuid[], ${tx.now},
      ${named.limit})`;
}

/** Forgets the hash of a unit that is erased. */
export async function forgetPrecondition(tx: Tx, unitId: string): Promise<void> {
  await tx.sql`select svc_system.forget_precondition(${unitId})`;
}

/** Deletes entries that rest on erased units, at most `limit`; also those above the transaction's clearance. */
export async function eraseEntries(
  tx: Tx,
  limit: number,
): Promise<{ readonly id: string; readonly version: number; readonly sensitivity: Sensitivity }[]> {
  return await tx.sql<{ id: string; version: number; sensitivity: Sensitivity }[]>`
    select id, version, sensitivity from svc_system.erase_reasoning(${limit}) order by id`;
}

export interface ReasoningFilter {
  /** Stems that must all be in the goal. */
  readonly terms: readonly string[] | undefined;
  readonly statuses: readonly ReasoningStatus[] | undefined;
  readonly outcomes: readonly ReasoningOutcome[] | undefined;
  readonly agentId: string | undefined;
  readonly factId: string | undefined;
  readonly order: "asc" | "desc";
  /** The last id of the page before. */
  readonly after: string | undefined;
  readonly limit: number;
}

function statusSql(sql: Sql, now: Date) {
  return sql`case when e.broken or coalesce(e.expires_at <= ${now}, false) then 'retired' else e.standing end`;
}

/** Entries in the order they were first recorded. */
export async function listEntries(tx: Tx, filter: ReasoningFilter): Promise<ReasoningRow[]> {
  const { sql } = tx;
  const { terms, statuses, outcomes, agentId, factId, after, order } = filter;
  return await sql<ReasoningRow[]>`
    select ${columns(tx)} from reasoning_entry e
     where e.workspace_id = ${tx.workspaceId}
       ${
    terms === undefined ? sql`` : sql`and e.id in (
         select t.entry_id from reasoning_term t
          where t.workspace_id = ${tx.workspaceId} and t.term = any(${terms as string[]}::text[])
          group by t.entry_id having count(*) = ${terms.length})`
  }
       ${statuses === undefined ? sql`` : sql`and ${statusSql(sql, tx.now)} = any(${statuses as string[]}::text[])`}
       ${outcomes === undefined ? sql`` : sql`and e.outcome = any(${outcomes as string[]}::text[])`}
       ${agentId === undefined ? sql`` : sql`and e.agent_id = ${agentId}`}
       ${
    factId === undefined ? sql`` : sql`and e.id in (
         select p.entry_id from reasoning_precondition p
          where p.workspace_id = ${tx.workspaceId} and p.unit_id = ${factId})`
  }
       ${after === undefined ? sql`` : order === "asc" ? sql`and e.id > ${after}` : sql`and e.id < ${after}`}
     order by e.id ${order === "asc" ? sql`asc` : sql`desc`} limit ${filter.limit}`;
}

/** Returns those of the given units on which nothing may rest: units not in force, and stale ones. */
export async function findFallen(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.sql<{ id: string }[]>`
    select u.id from unit u
     where u.workspace_id = ${tx.workspaceId} and u.id = any(${ids as string[]}::uuid[])
       and not precondition_holds(
         u.content_hash, u.content_hash, u.status, u.stale, u.expires_at, u.valid_to, ${tx.now})
     order by u.id`;
  return rows.map((row) => row.id);
}
