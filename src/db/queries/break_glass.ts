/** Requests for access to workspaces. Their rows are in the workspace of all zeros; times are the database's. */
import type { Sensitivity } from "../../schema/common.ts";
import type { BreakGlassState } from "../../schema/break_glass.ts";
import type { Scope } from "../../schema/scopes.ts";
import type { Sql, Tx } from "../tx.ts";

export interface BreakGlassRow {
  readonly id: string;
  readonly state: BreakGlassState;
  readonly targetWorkspaceId: string;
  readonly requestedBy: string;
  readonly requestedByName: string;
  readonly reason: string;
  readonly scopes: readonly Scope[];
  readonly maxSensitivity: Sensitivity;
  readonly ttlSeconds: number;
  readonly createdAt: Date;
  readonly pendingUntil: Date;
  readonly approvedBy: string | null;
  readonly approvedByName: string | null;
  readonly approvedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly endedBy: string | null;
  readonly endedByName: string | null;
  readonly endedAt: Date | null;
  readonly uses: number;
  readonly lastUsedAt: Date | null;
}

/** A request about which nobody has decided expires after this time. */
const PENDING = "1 hour";

function isPending(sql: Sql) {
  return sql`(r.decision = 'pending' and r.created_at > clock_timestamp() - ${PENDING}::interval)`;
}

function isApproved(sql: Sql) {
  return sql`(r.decision = 'approved' and r.expires_at > clock_timestamp())`;
}

function stateOf(sql: Sql) {
  return sql`
    case when r.decision in ('denied', 'revoked') or ${isPending(sql)} or ${isApproved(sql)} then r.decision
         else 'expired' end`;
}

function columns(sql: Sql) {
  const nameOf = (column: ReturnType<Sql>) =>
    sql`(select a.name from svc_admin a where a.workspace_id = r.workspace_id and a.admin_id = ${column})`;
  return sql`
    r.id, ${stateOf(sql)} as state, r.target_workspace_id as "targetWorkspaceId", r.requested_by as "requestedBy",
    ${nameOf(sql`r.requested_by`)} as "requestedByName", r.reason, r.scopes, r.max_sensitivity as "maxSensitivity",
    r.ttl_seconds as "ttlSeconds", r.created_at as "createdAt", r.created_at + ${PENDING}::interval as "pendingUntil",
    r.approved_by as "approvedBy", ${nameOf(sql`r.approved_by`)} as "approvedByName", r.approved_at as "approvedAt",
    r.expires_at as "expiresAt", r.ended_by as "endedBy", ${nameOf(sql`r.ended_by`)} as "endedByName",
    r.ended_at as "endedAt", r.uses::float8 as uses, r.last_used_at as "lastUsedAt"`;
}

export type NewBreakGlass = Pick<
  BreakGlassRow,
  "id" | "targetWorkspaceId" | "requestedBy" | "reason" | "scopes" | "maxSensitivity" | "ttlSeconds"
>;

export async function insertRequest(tx: Tx, request: NewBreakGlass): Promise<void> {
  await tx.sql`
    insert into svc_break_glass_request
      (workspace_id, id, target_workspace_id, requested_by, reason, scopes, max_sensitivity, ttl_seconds)
    values (${tx.workspaceId}, ${request.id}, ${request.targetWorkspaceId}, ${request.requestedBy}, ${request.reason},
            ${request.scopes as string[]}, ${request.maxSensitivity}, ${request.ttlSeconds})`;
}

export async function findRequest(tx: Tx, id: string): Promise<BreakGlassRow | undefined> {
  const { sql } = tx;
  const [row] = await sql<BreakGlassRow[]>`
    select ${columns(sql)} from svc_break_glass_request r where r.workspace_id = ${tx.workspaceId} and r.id = ${id}`;
  return row;
}

export interface BreakGlassFilter {
  readonly targetWorkspaceId: string | undefined;
  readonly state: BreakGlassState | undefined;
  readonly order: "asc" | "desc";
  /** The request before the first. */
  readonly after: string | undefined;
  readonly limit: number;
}

export async function listRequests(tx: Tx, filter: BreakGlassFilter): Promise<BreakGlassRow[]> {
  const { sql } = tx;
  const { targetWorkspaceId, state, order, after, limit } = filter;
  return await sql<BreakGlassRow[]>`
    select ${columns(sql)} from svc_break_glass_request r
     where r.workspace_id = ${tx.workspaceId}
       ${targetWorkspaceId === undefined ? sql`` : sql`and r.target_workspace_id = ${targetWorkspaceId}`}
       ${state === undefined ? sql`` : sql`and ${stateOf(sql)} = ${state}`}
       ${after === undefined ? sql`` : order === "asc" ? sql`and r.id > ${after}` : sql`and r.id < ${after}`}
     order by ${order === "asc" ? sql`r.id` : sql`r.id desc`}
     limit ${limit}`;
}

/**
 * Approves a pending request of another admin, for at most a day from the request. False if there
 * is no such request.
 */
export async function approveRequest(tx: Tx, id: string, adminId: string, secondsMax: number): Promise<boolean> {
  const { sql } = tx;
  const rows = await sql`
    update svc_break_glass_request r
       set decision = 'approved', approved_by = ${adminId}, approved_at = clock_timestamp(),
           expires_at = least(clock_timestamp() + least(r.ttl_seconds, ${secondsMax}) * interval '1 second',
                              r.created_at + interval '24 hours')
     where r.workspace_id = ${tx.workspaceId} and r.id = ${id} and ${isPending(sql)} and r.requested_by <> ${adminId}
    returning 1`;
  return rows.length > 0;
}

/**
 * Ends a request: denies a pending one, or revokes one that is pending or approved; false if it is in another state.
 */
export async function endRequest(tx: Tx, id: string, adminId: string, as: "denied" | "revoked"): Promise<boolean> {
  const { sql } = tx;
  const rows = await sql`
    update svc_break_glass_request r
       set decision = ${as}, ended_by = ${adminId}, ended_at = clock_timestamp()
     where r.workspace_id = ${tx.workspaceId} and r.id = ${id}
       and (${isPending(sql)} ${as === "revoked" ? sql`or ${isApproved(sql)}` : sql``})
    returning 1`;
  return rows.length > 0;
}

/** Counts a use of an approved request; false when it is not approved, or no longer. */
export async function useRequest(tx: Tx, id: string): Promise<boolean> {
  const { sql } = tx;
  const rows = await sql`
    update svc_break_glass_request r set uses = r.uses + 1, last_used_at = clock_timestamp()
     where r.workspace_id = ${tx.workspaceId} and r.id = ${id} and ${isApproved(sql)}
    returning 1`;
  return rows.length > 0;
}
