/**
 * Deletes rows that are kept only for a time; each statement deletes at most `limit` rows and returns what it deleted.
 */
import type { Sensitivity } from "../../schema/common.ts";
import type { Tx } from "../tx.ts";

/** For how many days rows of some kinds are kept; 0: for ever. */
export interface KeptDays {
  readonly jobsDays: number;
  readonly reasoningDays: number;
  readonly trajectoriesDays: number;
  readonly breakGlassDays: number;
  readonly webhooksDays: number;
}

/** When the oldest row of those below has been kept for its time; undefined if there is none. */
export async function readNextSweep(tx: Tx, kept: KeptDays): Promise<Date | undefined> {
  const { sql, workspaceId: ws } = tx;
  const day = sql`interval '1 day'`;
  const days = (n: number) => sql`nullif(${n}::int, 0) * ${day}`;
  const [row] = await sql<{ at: Date | null }[]>`
    select least(
      (select min(finished_at) from job where workspace_id = ${ws} and finished_at is not null) + ${
    days(kept.jobsDays)
  },
      (select min(expires_at) from reasoning_entry where workspace_id = ${ws} and expires_at is not null)
        + ${days(kept.reasoningDays)},
      (select min(updated_at) from reasoning_entry where workspace_id = ${ws} and (broken or standing = 'retired'))
        + ${days(kept.reasoningDays)},
      (select min(coalesce(ended_at, expires_at, created_at + ${day})) from svc_break_glass_request
        where workspace_id = ${ws}) + ${days(kept.breakGlassDays)},
      (select min(recorded_at) from procedural_trajectory where workspace_id = ${ws}) + ${days(kept.trajectoriesDays)},
      (select min(e.recalled_at) + min(w.recall_diary_days) * ${day} from recall_entry e
         join workspace w on w.workspace_id = ${ws} where e.workspace_id = ${ws}),
      (select min(used_at) from reasoning_use where workspace_id = ${ws}) + ${day},
      (select min(expires_at) from api_key_former_secret where workspace_id = ${ws}) + ${day},
      (select min(finished_at) from webhook_delivery where workspace_id = ${ws} and finished_at is not null)
        + ${kept.webhooksDays}::int * ${day},
      (select min(created_at) from idempotent_reply where workspace_id = ${ws}) + ${day}) as at`;
  return row?.at ?? undefined;
}

/**
 * Jobs that ended before a time, with their steps. Jobs with a lasting meaning stay: the last consolidation, and jobs
 * of which a person took something back, because no later job may do that again.
 */
export async function sweepJobs(tx: Tx, before: Date, limit: number): Promise<string[]> {
  const { sql, workspaceId: ws } = tx;
  const rows = await sql<{ id: string }[]>`
    delete from job where workspace_id = ${ws} and id in (
      select j.id from job j
       where j.workspace_id = ${ws} and j.finished_at <= ${before}
         and not exists (select from job_step s
                          where s.workspace_id = ${ws} and s.reverted_by is not null
                            and (s.job_id = j.id or s.reverted_by = j.id))
         and j.id is distinct from (
           select last.id from job last
            where last.workspace_id = ${ws} and last.kind = 'consolidate' and last.state = 'completed'
              and coalesce((last.input ->> 'dryRun')::boolean, false) = false
            order by last.id desc limit 1)
       order by j.finished_at, j.id limit ${limit} for update skip locked)
    returning id`;
  return rows.map((row) => row.id);
}

export interface SweptEntry {
  readonly id: string;
  readonly version: number;
  readonly sensitivity: Sensitivity;
}

/** Chains of reasoning that expired, or were retired and not touched since, before a time. */
export async function sweepReasoning(tx: Tx, before: Date, limit: number): Promise<SweptEntry[]> {
  const { sql, workspaceId: ws } = tx;
  const swept = await sql<SweptEntry[]>`
    delete from reasoning_entry where workspace_id = ${ws} and id in (
      select e.id from reasoning_entry e
       where e.workspace_id = ${ws}
         and (e.expires_at <= ${before} or ((e.broken or e.standing = 'retired') and e.updated_at <= ${before}))
       limit ${limit} for update skip locked)
    returning id, version, sensitivity`;
  if (swept.length > 0) {
    const ids = swept.map((entry) => entry.id);
    await sql`delete from reasoning_vector where workspace_id = ${ws} and entry_id = any(${ids}::uuid[])`;
  }
  return swept;
}

/** Deletes uses of reasoning from before a time: a later request with the same run is no retry. */
export async function sweepReasoningUses(tx: Tx, before: Date, limit: number): Promise<number> {
  const { sql, workspaceId: ws } = tx;
  const rows = await sql`
    delete from reasoning_use where workspace_id = ${ws} and (entry_id, run_id) in (
      select entry_id, run_id from reasoning_use where workspace_id = ${ws} and used_at <= ${before}
       order by used_at limit ${limit})
    returning 1`;
  return rows.length;
}

/** Deletes runs of agents that were submitted before a time. The rules that were learnt from them stay. */
export async function sweepTrajectories(tx: Tx, before: Date, limit: number): Promise<number> {
  const { sql, workspaceId: ws } = tx;
  const rows = await sql`
    delete from procedural_trajectory where workspace_id = ${ws} and (playbook_id, trajectory_key) in (
      select playbook_id, trajectory_key from procedural_trajectory
       where workspace_id = ${ws} and recorded_at <= ${before} order by recorded_at limit ${limit})
    returning 1`;
  return rows.length;
}

/** Requests for access that ended this many days ago, by the database's clock. */
export async function sweepBreakGlass(tx: Tx, days: number, limit: number): Promise<string[]> {
  const { sql, workspaceId: ws } = tx;
  const rows = await sql<{ id: string }[]>`
    delete from svc_break_glass_request where workspace_id = ${ws} and id in (
      select id from svc_break_glass_request
       where workspace_id = ${ws}
         and coalesce(ended_at, expires_at, created_at + interval '1 day') <= clock_timestamp() - ${days} * interval '1 day'
       order by id limit ${limit} for update skip locked)
    returning id`;
  return rows.map((row) => row.id);
}

/** Deletes the secrets that a rotation replaced and that are no longer valid. */
export async function sweepFormerSecrets(tx: Tx, before: Date, limit: number): Promise<number> {
  const { sql, workspaceId: ws } = tx;
  const rows = await sql`
    delete from api_key_former_secret where workspace_id = ${ws} and public_id in (
      select public_id from api_key_former_secret
       where workspace_id = ${ws} and expires_at <= ${before} order by public_id limit ${limit})
    returning 1`;
  return rows.length;
}
