/** Break-glass: an admin asks for access to a workspace, another one grants it, for a day at most. docs/reference/guarantees.md T22. */
import type { OperationContext } from "../../../context.ts";
import { isUuid, uuidv7 } from "../../../crypto/ids.ts";
import * as queries from "../../../db/queries/break_glass.ts";
import { findWorkspace } from "../../../db/queries/workspaces.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import type {
  ApproveBreakGlassBody,
  BreakGlassRequest,
  ListBreakGlassQuery,
  RequestBreakGlassBody,
} from "../../../schema/break_glass.ts";
import type { Page } from "../../../schema/common.ts";
import { decodeCursor, encodeCursor, isId, toPage } from "../../common/cursor.ts";
import { chainsOf, inWorkspace } from "../../common/system.ts";
import { requireTotp } from "./totp.ts";

/**
 * Asks for access to a workspace.
 * @throws ServiceError `totp_invalid`, `rate_limited`; `validation_failed` for an unknown workspace, or a time beyond what
 *   the configuration allows.
 */
export async function requestBreakGlass(
  ctx: OperationContext,
  { totp, workspaceId, ...body }: RequestBreakGlassBody,
): Promise<BreakGlassRequest> {
  const requestedBy = adminIdOf(ctx);
  const { grantSecondsMax } = ctx.deps.config.admin;
  if (body.ttlSeconds > grantSecondsMax) throw invalid("ttlSeconds", `must be at most ${grantSecondsMax}`);
  const workspace = await inWorkspace(ctx, workspaceId).tx((tx) => findWorkspace(tx), { readOnly: true });
  if (workspace === undefined) throw invalid("workspaceId", "is not a workspace");
  await requireTotp(ctx.deps, requestedBy, totp);
  const id = uuidv7(ctx.deps.clock());
  return await ctx.tx(async (tx) => {
    await queries.insertRequest(tx, { id, targetWorkspaceId: workspaceId, requestedBy, ...body });
    return tell(tx, "break_glass.requested", await loadRequest(tx, id));
  });
}

/** Lists requests, the newest first unless asked otherwise. */
export async function listBreakGlass(
  ctx: OperationContext,
  query: ListBreakGlassQuery,
): Promise<Page<BreakGlassRequest>> {
  const { limit, order, workspaceId: targetWorkspaceId, state } = query;
  const after = decodeCursor("break_glass", order, query.cursor, isId);
  const filter = { targetWorkspaceId, state, order, after, limit: limit + 1 };
  const rows = await ctx.tx((tx) => queries.listRequests(tx, filter), { readOnly: true });
  return toPage(rows, limit, toRequest, (row) => encodeCursor("break_glass", order, row.id));
}

/** @throws ServiceError `not_found` */
export async function getBreakGlass(ctx: OperationContext, id: string): Promise<BreakGlassRequest> {
  return toRequest(await ctx.tx((tx) => loadRequest(tx, id), { readOnly: true }));
}

/**
 * Grants what another admin asked for. Two keys of the same admin count as the same admin.
 * @throws ServiceError `not_found`, `self_approval`, `totp_invalid`, `rate_limited`; `invalid_transition` when the
 * request is not pending or no longer pending: a grant cannot be prolonged.
 */
export async function approveBreakGlass(
  ctx: OperationContext,
  id: string,
  { totp }: ApproveBreakGlassBody,
): Promise<BreakGlassRequest> {
  const adminId = adminIdOf(ctx);
  const before = await ctx.tx((tx) => loadRequest(tx, id), { readOnly: true });
  if (before.requestedBy === adminId) {
    throw new ServiceError(
      "self_approval",
      "Cannot approve: admins cannot approve their own requests; a second admin must",
    );
  }
  requireState(before, ["pending"]);
  await requireTotp(ctx.deps, adminId, totp);
  return await ctx.tx(async (tx) => {
    const approved = await queries.approveRequest(tx, id, adminId, ctx.deps.config.admin.grantSecondsMax);
    const row = await loadRequest(tx, id);
    if (!approved) throw wrongState(row);
    return tell(tx, "break_glass.approved", row);
  });
}

/** Refuses a pending request. @throws ServiceError `not_found`, `invalid_transition` when it is not pending. */
export function denyBreakGlass(ctx: OperationContext, id: string): Promise<BreakGlassRequest> {
  return end(ctx, id, "denied");
}

/**
 * Revokes a pending request or a grant. It takes effect immediately and needs no code, because it
 * only removes rights.
 * @throws ServiceError `not_found`; `invalid_transition` when it is neither pending nor approved.
 */
export function revokeBreakGlass(ctx: OperationContext, id: string): Promise<BreakGlassRequest> {
  return end(ctx, id, "revoked");
}

async function end(ctx: OperationContext, id: string, as: "denied" | "revoked"): Promise<BreakGlassRequest> {
  return await ctx.tx(async (tx) => {
    const ended = await queries.endRequest(tx, id, adminIdOf(ctx), as);
    const row = await loadRequest(tx, id);
    if (!ended) throw wrongState(row);
    return tell(tx, `break_glass.${as}`, row);
  });
}

/** Records in both chains what was done about a request. */
function tell(tx: Tx, eventType: string, row: queries.BreakGlassRow): BreakGlassRequest {
  const { id, targetWorkspaceId, reason, scopes, maxSensitivity, ttlSeconds, expiresAt } = row;
  tx.audit({
    eventType,
    targets: [id],
    detail: { reason, scopes, maxSensitivity, ttlSeconds, expiresAt: expiresAt?.toISOString() ?? null },
    chains: chainsOf(targetWorkspaceId),
  });
  return toRequest(row);
}

async function loadRequest(tx: Tx, id: string): Promise<queries.BreakGlassRow> {
  const row = await queries.findRequest(tx, id);
  if (row === undefined) throw new ServiceError("not_found", "Cannot find the break-glass request");
  return row;
}

function requireState(row: queries.BreakGlassRow, states: readonly string[]): void {
  if (!states.includes(row.state)) throw wrongState(row);
}

function wrongState({ state }: queries.BreakGlassRow): ServiceError {
  return new ServiceError("invalid_transition", `Cannot change the break-glass request: it is ${state}`);
}

/** The id of the admin who asks, whichever of the admin's keys was presented. */
function adminIdOf({ actor }: OperationContext): string {
  const id = actor.replace(/^admin:/, "");
  if (!isUuid(id)) {
    throw new ServiceError("insufficient_scope", "Cannot use break-glass: it needs the key of a named admin");
  }
  return id;
}

function invalid(path: string, message: string): ServiceError {
  return new ServiceError("validation_failed", `Cannot ask for access: ${path} ${message}`, {
    errors: [{ path, message }],
  });
}

function toRequest(row: queries.BreakGlassRow): BreakGlassRequest {
  const admin = (id: string | null, name: string | null) => id === null ? null : { id, name: name ?? "" };
  const time = (at: Date | null) => at?.toISOString() ?? null;
  return {
    id: row.id,
    state: row.state,
    workspaceId: row.targetWorkspaceId,
    reason: row.reason,
    scopes: [...row.scopes],
    maxSensitivity: row.maxSensitivity,
    ttlSeconds: row.ttlSeconds,
    requestedBy: { id: row.requestedBy, name: row.requestedByName },
    createdAt: row.createdAt.toISOString(),
    pendingUntil: row.pendingUntil.toISOString(),
    approvedBy: admin(row.approvedBy, row.approvedByName),
    approvedAt: time(row.approvedAt),
    expiresAt: time(row.expiresAt),
    endedBy: admin(row.endedBy, row.endedByName),
    endedAt: time(row.endedAt),
    uses: row.uses,
    lastUsedAt: time(row.lastUsedAt),
  };
}
