/** Erases everything of a tenant: all rows of its workspace, its keys, and the app's id of its user. */
import type { OperationContext } from "../../context.ts";
import { enterWorkspace, withClearance } from "../../db/enter_workspace.ts";
import { listPeerRows } from "../../db/queries/federation_peers.ts";
import { eraseReplies } from "../../db/queries/idempotent_replies.ts";
import * as queries from "../../db/queries/tenants.ts";
import { countWorkspaceRows, eraseWorkspacePart } from "../../db/queries/workspaces.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import type { Tenant } from "../../schema/tenant.ts";
import { chainsOf, inWorkspace } from "../common/system.ts";
import { setWorkspaceService } from "./manage.ts";
import { atBroker, lockTenant, type PlacedTenant, requireTenant, toTenant } from "./place.ts";

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
async function begin(ctx: OperationContext, { broker, row: { tenantId, erasedRows } }: PlacedTenant): Promise<void> {
  const inside = <T>(work: (tx: Tx) => Promise<T>, readOnly = false) =>
    inWorkspace(ctx, tenantId).tx((tx) => withClearance(tx, "restricted", work), { readOnly });
  const peers = await inside(listPeerRows, true);
  if (peers.length > 0) {
    const names = peers.map(({ id }) => id).join(", ");
    throw new ServiceError("conflict", `Cannot erase the tenant: ${names} may hold what its workspace shared`);
  }
  await setWorkspaceService(ctx, tenantId, "suspended");
  // A call that broke off has counted before it deleted.
  const rows = erasedRows ?? await inside(countWorkspaceRows, true);
  await atBroker(ctx, broker.id, async (tx) => {
    if ((await lockTenant(tx, tenantId)).state !== "erased") {
      await queries.setTenantState(tx, tenantId, "erasing", rows);
    }
  });
}

/** Deletes some rows; returns how many. A request that was let in before may still add one, which the next part deletes. */
async function erasePart(ctx: OperationContext, id: string): Promise<number> {
  return await inWorkspace(ctx, id).tx((tx) =>
    withClearance(tx, "restricted", (all) => eraseWorkspacePart(all, ROWS_AT_ONCE))
  );
}
