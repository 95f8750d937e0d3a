/** Statements on playbooks, their rules, versions and runs. */
import type { Sensitivity } from "../../schema/common.ts";
import type { PromptDecision, PromptRule, RuleStatus, VersionStatus } from "../../schema/procedural.ts";
import type { Tx } from "../tx.ts";

export interface PlaybookRow {
  readonly id: string;
  readonly agentId: string;
  readonly sensitivity: Sensitivity;
  readonly lastRuleNo: number;
  readonly lastVersion: number;
  readonly currentVersion: number | null;
  readonly candidateVersion: number | null;
}

/** An agent's playbook of one sensitivity, or the most sensitive one that the transaction sees. */
export async function findPlaybook(
  tx: Tx,
  agentId: string,
  sensitivity: Sensitivity | undefined,
  options: { readonly lock?: boolean } = {},
): Promise<PlaybookRow | undefined> {
  const { sql } = tx;
  const [row] = await sql<PlaybookRow[]>`
    select id, agent_id as "agentId", sensitivity, last_rule_no as "lastRuleNo", last_version as "lastVersion",
           current_version as "currentVersion", candidate_version as "candidateVersion"
      from procedural_playbook p
     where workspace_id = ${tx.workspaceId} and agent_id = ${agentId}
       ${sensitivity === undefined ? sql`` : sql`and sensitivity = ${sensitivity}`}
     order by sensitivity desc limit 1 ${options.lock ? sql`for update` : sql``}`;
  return row;
}

/** Writes a playbook: a new one, or one that the transaction has locked. */
export async function upsertPlaybook(tx: Tx, row: PlaybookRow): Promise<void> {
  await tx.sql`
    insert into procedural_playbook as p (
      workspace_id, id, agent_id, sensitivity, last_rule_no, last_version, current_version, candidate_version,
      created_at, updated_at, created_by)
    values (${tx.workspaceId}, ${row.id}, ${row.agentId}, ${row.sensitivity}, ${row.lastRuleNo}, ${row.lastVersion},
            ${row.currentVersion}, ${row.candidateVersion}, ${tx.now}, ${tx.now}, ${tx.actor})
        on conflict (workspace_id, id) do update
       set last_rule_no = excluded.last_rule_no, last_version = excluded.last_version,
           current_version = excluded.current_version, candidate_version = excluded.candidate_version,
           updated_at = greatest(p.updated_at, excluded.updated_at)`;
}

export interface RuleRow {
  readonly no: number;
  /** Grows with each change of what a person may edit; the database counts it. */
  readonly version: number;
  readonly section: PromptRule["section"];
  readonly text: string;
  readonly lesson: string;
  readonly status: RuleStatus;
  readonly retiredReason: "harmful" | "unused" | "displaced" | "rejected" | "rolled_back" | "edited" | "erased" | null;
  readonly source: "lesson" | "derived";
  readonly helpful: number;
  readonly harmful: number;
  readonly support: number;
  readonly unused: number;
  readonly pinned: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface RuleFilter {
  readonly statuses: readonly RuleStatus[] | undefined;
  /** Whether to leave out erased rules, of which only the number is left; default: false. */
  readonly isErasedLeftOut?: boolean;
  readonly order: "asc" | "desc";
  /** The last number of the page before. */
  readonly after: number | undefined;
  readonly limit: number;
}

/** Rules of a playbook by their numbers. */
export async function listRules(tx: Tx, playbookId: string, filter: RuleFilter): Promise<RuleRow[]> {
  const { sql } = tx;
  const { statuses, order, after } = filter;
  return await sql<RuleRow[]>`
    select no, version, section, text, lesson, status, retired_reason as "retiredReason", source, helpful, harmful, support,
           unused, pinned, created_at as "createdAt", updated_at as "updatedAt"
      from procedural_rule
     where workspace_id = ${tx.workspaceId} and playbook_id = ${playbookId}
       ${statuses === undefined ? sql`` : sql`and status = any(${statuses as string[]}::text[])`}
       ${filter.isErasedLeftOut === true ? sql`and retired_reason is distinct from 'erased'` : sql``}
       ${after === undefined ? sql`` : order === "asc" ? sql`and no > ${after}` : sql`and no < ${after}`}
     order by no ${order === "asc" ? sql`asc` : sql`desc`} limit ${filter.limit}`;
}

/** Writes rules, new or known. */
export async function upsertRules(
  tx: Tx,
  playbook: Pick<PlaybookRow, "id" | "sensitivity">,
  rules: readonly Omit<RuleRow, "version" | "createdAt" | "updatedAt">[],
): Promise<void> {
  if (rules.length === 0) return;
  await tx.sql`
    insert into procedural_rule (
      workspace_id, playbook_id, no, sensitivity, section, text, lesson, status, retired_reason, source, helpful,
      harmful, support, unused, pinned, created_at, updated_at)
    select ${tx.workspaceId}, ${playbook.id}, r.no, ${playbook.sensitivity}, r.section, r.text, r.lesson, r.status,
           r."retiredReason", r.source, r.helpful, r.harmful, r.support, r.unused, r.pinned, ${tx.now}, ${tx.now}
      from jsonb_to_recordset(${tx.sql.json(rules)}) as r(
             no int, section text, text text, lesson text, status text, "retiredReason" text, source text, helpful int,
             harmful int, support int, unused int, pinned boolean)
        on conflict (workspace_id, playbook_id, no) do update set
      section = excluded.section, text = excluded.text, status = excluded.status,
      retired_reason = excluded.retired_reason, helpful = excluded.helpful, harmful = excluded.harmful,
      support = excluded.support, unused = excluded.unused, pinned = excluded.pinned, updated_at = excluded.updated_at`;
}

/** Deletes retired rules beyond the newest `keep`; versions keep their own copies of rules. */
export async function pruneRules(tx: Tx, playbookId: string, keep: number): Promise<void> {
  await tx.sql`
    delete from procedural_rule
     where workspace_id = ${tx.workspaceId} and playbook_id = ${playbookId} and no in (
       select no from procedural_rule
        where workspace_id = ${tx.workspaceId} and playbook_id = ${playbookId} and status = 'retired'
          and retired_reason is distinct from 'erased'
        order by updated_at desc, no desc offset ${keep})`;
}

/** The sources named by the runs that submitted a rule. */
export interface RuleSources {
  readonly no: number;
  /** Ids that occur in the runs: of units, of sessions, or of nothing that exists. */
  readonly ids: readonly string[];
}

/** Stores the units and sessions from which rules came, so that the rules are erased with them. */
export async function insertSources(
  tx: Tx,
  playbook: Pick<PlaybookRow, "id" | "sensitivity">,
  sources: readonly RuleSources[],
): Promise<void> {
  const rows = sources.flatMap(({ no, ids }) => ids.map((id) => ({ no, id })));
  if (rows.length === 0) return;
  await tx.sql`
    insert into procedural_source (workspace_id, source_id, playbook_id, no, sensitivity)
    select ${tx.workspaceId}, s.id, ${playbook.id}, s.no, ${playbook.sensitivity}
      from jsonb_to_recordset(${tx.sql.json(rows)}) as s(id uuid, no int)
     where exists (select from unit u where u.workspace_id = ${tx.workspaceId} and u.id = s.id)
        or exists (select from session e where e.workspace_id = ${tx.workspaceId} and e.id = s.id)
        on conflict do nothing`;
}

export interface PlaybookVersionRow {
  readonly version: number;
  readonly status: VersionStatus;
  readonly cause: "optimize" | "rollback" | "edit";
  readonly reason: string | null;
  readonly baseVersion: number | null;
  readonly rules: readonly PromptRule[];
  readonly runs: number;
  readonly scoreSum: number;
  readonly evidence: PromptDecision | null;
  readonly createdAt: Date;
  readonly createdBy: string;
  readonly decidedAt: Date | null;
}

function versionColumns(tx: Tx) {
  return tx.sql`
    version, status, cause, reason, base_version as "baseVersion", rules, runs, score_sum as "scoreSum", evidence,
    created_at as "createdAt", created_by as "createdBy", decided_at as "decidedAt"`;
}

export async function findVersions(
  tx: Tx,
  playbookId: string,
  versions: readonly number[],
): Promise<PlaybookVersionRow[]> {
  return await tx.sql<PlaybookVersionRow[]>`
    select ${versionColumns(tx)} from procedural_version
     where workspace_id = ${tx.workspaceId} and playbook_id = ${playbookId}
       and version = any(${versions as number[]}::int[]) order by version`;
}

export async function listVersions(
  tx: Tx,
  playbookId: string,
  filter: { readonly order: "asc" | "desc"; readonly after: number | undefined; readonly limit: number },
): Promise<PlaybookVersionRow[]> {
  const { sql } = tx;
  const { order, after } = filter;
  return await sql<PlaybookVersionRow[]>`
    select ${versionColumns(tx)} from procedural_version
     where workspace_id = ${tx.workspaceId} and playbook_id = ${playbookId}
       ${after === undefined ? sql`` : order === "asc" ? sql`and version > ${after}` : sql`and version < ${after}`}
     order by version ${order === "asc" ? sql`asc` : sql`desc`} limit ${filter.limit}`;
}

export type NewVersion = Omit<PlaybookVersionRow, "createdAt" | "createdBy" | "decidedAt" | "evidence">;

export async function insertVersion(
  tx: Tx,
  playbook: Pick<PlaybookRow, "id" | "sensitivity">,
  row: NewVersion,
): Promise<void> {
  await tx.sql`
    insert into procedural_version (
      workspace_id, playbook_id, version, sensitivity, status, cause, reason, base_version, rules, runs, score_sum,
      created_at, created_by)
    values (${tx.workspaceId}, ${playbook.id}, ${row.version}, ${playbook.sensitivity}, ${row.status}, ${row.cause},
            ${row.reason}, ${row.baseVersion}, ${tx.sql.json(row.rules)}, ${row.runs}, ${row.scoreSum},
            ${tx.now}, ${tx.actor})`;
}

/** Sets the state of a version, with the evidence for the decision if it is given. */
export async function setVersionStatus(
  tx: Tx,
  playbookId: string,
  version: number,
  status: VersionStatus,
  evidence: PromptDecision | null = null,
): Promise<void> {
  const { sql } = tx;
  await sql`
    update procedural_version
       set status = ${status}, decided_at = ${tx.now}
           ${evidence === null ? sql`` : sql`, evidence = ${sql.json(evidence)}`}
     where workspace_id = ${tx.workspaceId} and playbook_id = ${playbookId} and version = ${version}`;
}

/** Counts runs with versions. */
export async function addRuns(
  tx: Tx,
  playbookId: string,
  runs: readonly { readonly version: number; readonly runs: number; readonly scoreSum: number }[],
): Promise<void> {
  if (runs.length === 0) return;
  await tx.sql`
    update procedural_version v set runs = v.runs + r.runs, score_sum = v.score_sum + r."scoreSum"
      from jsonb_to_recordset(${tx.sql.json(runs)}) as r(version int, runs int, "scoreSum" float8)
     where v.workspace_id = ${tx.workspaceId} and v.playbook_id = ${playbookId} and v.version = r.version`;
}

export interface TrajectoryRow {
  readonly key: string;
  readonly contentHash: string;
  readonly taskKey: string;
  readonly promptVersion: number | null;
  readonly outcome: string;
  readonly score: number;
  readonly body: unknown;
}

/** Content hashes of runs that were counted. */
export async function findTrajectories(
  tx: Tx,
  playbookId: string,
  keys: readonly string[],
): Promise<{ key: string; contentHash: string }[]> {
  return await tx.sql<{ key: string; contentHash: string }[]>`
    select trajectory_key as key, content_hash as "contentHash" from procedural_trajectory
     where workspace_id = ${tx.workspaceId} and playbook_id = ${playbookId}
       and trajectory_key = any(${keys as string[]}::text[])`;
}

export async function insertTrajectories(
  tx: Tx,
  playbook: Pick<PlaybookRow, "id" | "sensitivity">,
  rows: readonly TrajectoryRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx.sql`
    insert into procedural_trajectory (
      workspace_id, playbook_id, trajectory_key, sensitivity, content_hash, task_key, prompt_version, outcome, score,
      body, recorded_at)
    select ${tx.workspaceId}, ${playbook.id}, r.key, ${playbook.sensitivity}, r."contentHash", r."taskKey",
           r."promptVersion", r.outcome, r.score, r.body, ${tx.now}
      from jsonb_to_recordset(${tx.sql.json(rows.map((row, place) => ({ ...row, place })))}) as r(
             key text, "contentHash" text, "taskKey" text, "promptVersion" int, outcome text, score float8, body jsonb,
             place int)
     order by r.place`;
}

/** The newest runs of a task, the oldest first. */
export async function listTaskRuns(
  tx: Tx,
  playbookId: string,
  taskKey: string,
  limit: number,
): Promise<{ task: string; steps: unknown[]; score: number }[]> {
  return await tx.sql<{ task: string; steps: unknown[]; score: number }[]>`
    select body ->> 'task' as task, body -> 'steps' as steps, score from (
      select body, score, seq from procedural_trajectory
       where workspace_id = ${tx.workspaceId} and playbook_id = ${playbookId} and task_key = ${taskKey}
       order by seq desc limit ${limit}) newest
     order by seq`;
}
