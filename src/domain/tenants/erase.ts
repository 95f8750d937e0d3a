/** Erases everything of a tenant: all rows of its workspace, its keys, and the app's id of its user. */
import type { OperationContext } from "../../context.ts";
import { enterWorkspace, withClearance } from "../../db/enter_workspace.ts";
import { listPeerRows } from "../../db/queries/federation_peers.ts";
import { eraseReplies } from "../../db/queries/idempotent_replies.ts";
import * as queries from "../../db/queries/tenants.ts";
import { countWorkspaceRows, eraseWorkspacePart } from "../../db/queries/workspaces.ts";
import { ServiceError } from "../../errors.ts";
import type { Tenant } from "../../schema/tenant.ts";
import { chainsOf, inWorkspace } from "../common/system.ts";
import { setWorkspaceService } from "./manage.ts";
import { lockTenant, type PlacedTenant, requireTenant, toTenant, withLockedTenant } from "./place.ts";

/** Rows that one transaction deletes. */
const ROWS_AT_ONCE = 2_000;

/**
 * Erases a tenant. Its workspace is suspended first, then its rows are deleted in parts; when a call breaks off, the next one
 * goes on. What stays: the tenant's row without the external id, which is the receipt, and the audit chain of its workspace,
 * whose rows hold ids and no content.
 * @throws ServiceError `not_found`; `conflict` while its workspace has peers, which hold what they received
 */
export async function eraseTenant(ctx: OperationContext, id: string): Promise<Tenant> {
  const placed = await requireTenant(ctx, id);
  if (placed.row.state === "erased") return toTenant(placed.broker, placed.row);
  await begin(ctx, placed);
  while (await erasePart(ctx, id) > 0) ctx.signal.throwIfAborted();
  const erased = await ctx.tx(async (tx) => {
    // Replies that are kept for a day name the user, too.
    await eraseReplies(tx, id);
    const row = await enterWorkspace(tx, placed.broker.id, async (own) => {
      const now = await lockTenant(own, id);
      return now.state === "erased" ? now : await queries.setTenantState(own, id, "erased");
    });
    const detail = { rows: row.erasedRows };
    tx.audit({ eventType: "tenant.erased", targets: [id], detail, chains: chainsOf(id) });
    return row;
  });
  return toTenant(placed.broker, erased);
}

/** Suspends the workspace, and notes what is there: from now on nobody adds to it. */
async function begin(ctx: OperationContext, { broker, row: { tenantId } }: PlacedTenant): Promise<void> {
  const peers = await inWorkspace(ctx, tenantId).tx((tx) => withClearance(tx, "restricted", listPeerRows), {
    readOnly: true,
  });
  if (peers.length > 0) {
    const names = peers.map(({ id }) => id).join(", ");
    throw new ServiceError("conflict", `Cannot erase the tenant: ${names} may hold what its workspace shared`);
  }
  const publicIds = await withLockedTenant(ctx, broker.id, tenantId, async ({ row, own, inside }) => {
    if (row.state === "erased") return [];
    const { publicIds, rows } = await inside(async (tx) => ({
      publicIds: await setWorkspaceService(tx, "suspended"),
      // A call that broke off has counted before it deleted.
      rows: row.erasedRows ?? await withClearance(tx, "restricted", countWorkspaceRows),
    }));
    await own((tx) => queries.setTenantState(tx, tenantId, "erasing", rows));
    return publicIds;
  });
  for (const publicId of publicIds) ctx.deps.verifiedKeys.evict(publicId);
}

/** Deletes some rows; returns how many. A request that was let in before may still add one, which the next part deletes. */
async function erasePart(ctx: OperationContext, id: string): Promise<number> {
  return await inWorkspace(ctx, id).tx((tx) =>
    withClearance(tx, "restricted", (all) => eraseWorkspacePart(all, ROWS_AT_ONCE))
  );
}
