/** Lists, suspends, resumes and exports tenants. */
import type { OperationContext } from "../../context.ts";
import { generateApiKey } from "../../crypto/api_key.ts";
import { replaceSecret, tellKeyChanged, tellKeysChanged } from "../../db/queries/api_keys.ts";
import * as queries from "../../db/queries/tenants.ts";
import { setSuspended } from "../../db/queries/workspaces.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import type { Page } from "../../schema/common.ts";
import type { ListTenantsQuery, Tenant } from "../../schema/tenant.ts";
import { decodeCursor, encodeCursor, isId, toPage } from "../common/cursor.ts";
import { chainsOf, inWorkspace } from "../common/system.ts";
import { beginExport } from "../transfer/export.ts";
import { hashOfNothing } from "./open.ts";
import { atBroker, requireBroker, requireTenant, toTenant, withLockedTenant } from "./place.ts";

/** Lists the tenants of a broker, the newest first unless asked otherwise. */
export async function pageTenants(ctx: OperationContext, query: ListTenantsQuery): Promise<Page<Tenant>> {
  const broker = await requireBroker(ctx, query.brokerId);
  const { limit, order, externalId, q: beginning, state } = query;
  const after = decodeCursor("tenants", order, query.cursor, isId);
  const filter = { externalId, beginning, state, order, after, limit: limit + 1 };
  const rows = await atBroker(ctx, broker.id, (tx) => queries.pageTenants(tx, filter), { readOnly: true });
  return toPage(rows, limit, (row) => toTenant(broker, row), (row) => encodeCursor("tenants", order, row.tenantId));
}

/** @throws ServiceError `not_found` */
export async function getTenant(ctx: OperationContext, id: string): Promise<Tenant> {
  const { broker, row } = await requireTenant(ctx, id);
  return toTenant(broker, row);
}

/**
 * Refuses every request in the tenant's workspace from now on, in every process, until it is resumed.
 * @throws ServiceError `not_found`; `invalid_transition` when it is being erased or erased
 */
export function suspendTenant(ctx: OperationContext, id: string): Promise<Tenant> {
  return setService(ctx, id, "suspended");
}

/** Serves a suspended tenant again. @throws ServiceError like `suspendTenant` */
export function resumeTenant(ctx: OperationContext, id: string): Promise<Tenant> {
  return setService(ctx, id, "active");
}

async function setService(ctx: OperationContext, id: string, state: "suspended" | "active"): Promise<Tenant> {
  const { broker } = await requireTenant(ctx, id);
  const { changed, publicIds } = await withLockedTenant(ctx, broker.id, id, async ({ row, own, inside }) => {
    requireService(row);
    const publicIds = await inside((tx) => setWorkspaceService(tx, state));
    return { publicIds, changed: await own((tx) => queries.setTenantState(tx, id, state)) };
  });
  for (const publicId of publicIds) ctx.deps.verifiedKeys.evict(publicId);
  return toTenant(broker, changed);
}

/**
 * What decides whether requests in the workspace are served: its row, with every process told at the commit.
 * @returns the public ids of keys that this process forgets after the commit
 */
export async function setWorkspaceService(tx: Tx, state: "suspended" | "active"): Promise<string[]> {
  if (!await setSuspended(tx, state === "suspended" ? tx.now : null)) return [];
  const eventType = state === "suspended" ? "tenant.suspended" : "tenant.resumed";
  tx.audit({ eventType, targets: [tx.workspaceId], chains: chainsOf(tx.workspaceId) });
  return await tellKeysChanged(tx);
}

/**
 * Ends all tokens of a tenant, in every process. Its keys stay, and new tokens count.
 * @throws ServiceError like `suspendTenant`
 */
export async function revokeTenantTokens(ctx: OperationContext, id: string): Promise<Tenant> {
  const { broker } = await requireTenant(ctx, id);
  const { publicId } = generateApiKey("svc_live_");
  const { changed, publicIds } = await withLockedTenant(ctx, broker.id, id, async ({ row, own, inside }) => {
    requireService(row);
    const publicIds = await inside(async (tx) => {
      // The key has the id of its tenant.
      const publicIds = await tellKeyChanged(tx, id);
      await replaceSecret(tx, id, { publicId, secretHash: hashOfNothing() }, undefined);
      tx.audit({ eventType: "tenant.tokens_revoked", targets: [id], chains: chainsOf(id) });
      return publicIds;
    });
    // The next tokens name the new id.
    return { publicIds, changed: await own((tx) => queries.setTenantPublicId(tx, id, publicId)) };
  });
  for (const one of publicIds) ctx.deps.verifiedKeys.evict(one);
  return toTenant(broker, changed);
}

function requireService({ state }: queries.TenantRow): void {
  if (state === "active" || state === "suspended") return;
  const why = { creating: "has no workspace yet", erasing: "is being erased", erased: "is erased" }[state];
  throw new ServiceError("invalid_transition", `Cannot change the tenant: it ${why}`);
}

/**
 * Exports everything of a tenant that its broker is cleared for. An admin sees what a workspace holds under a grant alone.
 * @throws ServiceError `break_glass_required` for an admin; `not_found`; `insufficient_scope` when the broker lacks
 *   `memory:export`; `invalid_transition` when there is nothing of it
 */
export async function exportTenant(
  ctx: OperationContext,
  id: string,
): Promise<AsyncIterableIterator<Uint8Array<ArrayBuffer>>> {
  if (ctx.key?.broker === undefined) {
    throw new ServiceError(
      "break_glass_required",
      "Cannot export the tenant: admins see what a workspace holds under a grant alone; with one, POST /v1/memory/admin/export",
    );
  }
  const { broker, row } = await requireTenant(ctx, id);
  if (!broker.scopes.has("memory:export")) {
    throw new ServiceError("insufficient_scope", "Cannot export the tenant: its broker lacks the scope memory:export");
  }
  requireService(row);
  const inside = inWorkspace(ctx, id);
  await inside.tx(async (tx) => tx.audit({ eventType: "tenant.exported", targets: [id], chains: chainsOf(id) }));
  return await beginExport(inside);
}
