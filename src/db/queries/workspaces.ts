/** Workspaces as the operator sees them; functions of `svc_system` read across all of them. */
import type { WorkspaceSettings } from "../../schema/admin_workspace.ts";
import type { Sql, Tx } from "../tx.ts";

export interface WorkspaceRow {
  readonly workspaceId: string;
  readonly name: string;
  readonly region: string;
  readonly createdAt: Date;
}

export async function createWorkspace(sql: Sql, workspace: Omit<WorkspaceRow, "createdAt">): Promise<void> {
  await sql`select svc_system.create_workspace(${workspace.workspaceId}, ${workspace.name}, ${workspace.region})`;
}

export async function listWorkspaces(sql: Sql): Promise<WorkspaceRow[]> {
  return await sql<WorkspaceRow[]>`
    select workspace_id as "workspaceId", name, region, created_at as "createdAt" from svc_system.list_workspaces()`;
}

/** Creates the first workspace; returns false, and does nothing, if there is one already. */
export async function createFirstWorkspace(sql: Sql, workspace: Omit<WorkspaceRow, "createdAt">): Promise<boolean> {
  const [row] = await sql<[{ created: boolean }]>`
    select svc_system.create_first_workspace(${workspace.workspaceId}, ${workspace.name}, ${workspace.region}) as created`;
  return row.created;
}

/** A workspace with the members that admins see. */
export interface WorkspaceListed extends WorkspaceRow, WorkspaceSettings {
  readonly version: number;
  readonly restrictedRetentionFrom: Date | null;
  /** When the recall diary was turned on; null: it is off. */
  readonly recallDiaryFrom: Date | null;
  /** Since when every request in it is refused; null: it is in service. */
  readonly suspendedAt: Date | null;
  readonly updatedAt: Date;
}

function columns(sql: Sql) {
  return sql`
    workspace_id as "workspaceId", name, region, version, created_at as "createdAt", updated_at as "updatedAt",
    max_sensitivity as "maxSensitivity", rate_limit as "rateLimit", audit_address_days as "auditAddressDays",
    consolidate_every_hours as "consolidateEveryHours", restricted_retention_days as "restrictedRetentionDays",
    restricted_retention_from as "restrictedRetentionFrom", recall_diary_days as "recallDiaryDays",
    recall_diary_from as "recallDiaryFrom", predicates, timezone, suspended_at as "suspendedAt"`;
}

/** The transaction's own workspace; `lock` keeps it as it is until the transaction ends. */
export async function findWorkspace(tx: Tx, lock = false): Promise<WorkspaceListed | undefined> {
  const { sql } = tx;
  const [row] = await sql<WorkspaceListed[]>`
    select ${columns(sql)} from workspace where workspace_id = ${tx.workspaceId} ${lock ? sql`for update` : sql``}`;
  return row;
}

/** Makes the workspace of a tenant, if it is not there yet; returns whether this made it. */
export async function createTenantWorkspace(sql: Sql, workspace: Omit<WorkspaceRow, "createdAt">): Promise<boolean> {
  const { workspaceId, name, region } = workspace;
  const [row] = await sql<[{ made: boolean }]>`
    select svc_system.create_tenant_workspace(${workspaceId}, ${name}, ${region}) as made`;
  return row.made;
}

/** Suspends the transaction's own workspace, or resumes it with null. Returns false if there is no such workspace. */
export async function setSuspended(tx: Tx, suspendedAt: Date | null): Promise<boolean> {
  const rows = await tx.sql`
    update workspace set suspended_at = case when ${suspendedAt}::timestamptz is null then null
                                             else coalesce(suspended_at, ${suspendedAt}::timestamptz) end,
           version = version + 1, updated_at = ${tx.now}
     where workspace_id = ${tx.workspaceId} returning 1`;
  return rows.length > 0;
}

/** How many rows the transaction's own workspace has in each table that has any, up to the transaction's clearance. */
export async function countWorkspaceRows(tx: Tx): Promise<Record<string, number>> {
  const rows = await tx.sql<{ name: string; n: number }[]>`
    select name, n::float8 as n from svc_system.count_workspace_rows()`;
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
}

/**
 * Deletes at most `limit` rows of the transaction's own workspace, which is suspended; the row of the workspace is the last.
 * Returns how many it deleted: 0 once no row is left.
 */
export async function eraseWorkspacePart(tx: Tx, limit: number): Promise<number> {
  const [row] = await tx.sql<[{ n: number }]>`select svc_system.erase_workspace_part(${limit})::float8 as n`;
  return row.n;
}

/** The predicate settings of the transaction's own workspace. */
export async function readPredicates(tx: Tx): Promise<WorkspaceSettings["predicates"]> {
  const [row] = await tx.sql<Pick<WorkspaceSettings, "predicates">[]>`
    select predicates from workspace where workspace_id = ${tx.workspaceId}`;
  return row?.predicates ?? {};
}

/** The time zone of the transaction's own workspace; null: it has none. */
export async function readTimezone(tx: Tx): Promise<string | null> {
  const [row] = await tx.sql<{ timezone: string | null }[]>`
    select timezone from workspace where workspace_id = ${tx.workspaceId}`;
  return row?.timezone ?? null;
}

/** Writes the columns that may change, of the transaction's own workspace, which it has locked. */
export async function updateWorkspace(
  tx: Tx,
  row: WorkspaceSettings & Pick<WorkspaceListed, "name" | "restrictedRetentionFrom" | "recallDiaryFrom">,
): Promise<void> {
  const { sql } = tx;
  await sql`
    update workspace set name = ${row.name}, max_sensitivity = ${row.maxSensitivity},
           rate_limit = ${row.rateLimit && sql.json({ ...row.rateLimit })},
           audit_address_days = ${row.auditAddressDays}, consolidate_every_hours = ${row.consolidateEveryHours},
           restricted_retention_days = ${row.restrictedRetentionDays},
           restricted_retention_from = ${row.restrictedRetentionFrom}, recall_diary_days = ${row.recallDiaryDays},
           recall_diary_from = ${row.recallDiaryFrom}, predicates = ${sql.json(row.predicates)},
           timezone = ${row.timezone},
           version = version + 1, updated_at = ${tx.now}
     where workspace_id = ${tx.workspaceId}`;
}

export interface WorkspacePageFilter {
  readonly order: "asc" | "desc";
  /** The workspace before the first. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** All workspaces in the order of their ids. */
export async function pageWorkspaces(sql: Sql, filter: WorkspacePageFilter): Promise<WorkspaceListed[]> {
  const { after = null, order, limit } = filter;
  return await sql<WorkspaceListed[]>`
    select ${columns(sql)}
      from svc_system.page_workspace_rows(${after}::uuid, ${order === "asc"}, ${limit})
     order by ${order === "asc" ? sql`workspace_id` : sql`workspace_id desc`}`;
}
