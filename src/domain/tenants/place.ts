/** Where a tenant stands: whose it is, and in which transactions it is read and changed. */
import type { Broker, OperationContext } from "../../context.ts";
import { findBroker } from "../../db/queries/brokers.ts";
import { HOME } from "../../db/database.ts";
import { enterWorkspace } from "../../db/enter_workspace.ts";
import * as queries from "../../db/queries/tenants.ts";
import type { Tx, TxOptions } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import type { Tenant } from "../../schema/tenant.ts";

/**
 * The broker on whose behalf the request is made: that of the key, or the one that an admin names.
 * @throws ServiceError `not_found` for a broker that does not exist or is another one than the key's; `validation_failed`
 *   when an admin names none
 */
export async function requireBroker(ctx: OperationContext, brokerId: string | undefined): Promise<Broker> {
  const own = ctx.key?.broker;
  if (own !== undefined) {
    if (brokerId !== undefined && brokerId !== own.id) throw unknownBroker();
    return own;
  }
  if (brokerId === undefined) {
    throw new ServiceError("validation_failed", "Cannot choose a broker: brokerId is missing", {
      errors: [{ path: "brokerId", message: "is required for admins" }],
    });
  }
  const row = await ctx.tx((tx) => findBroker(tx, brokerId), { readOnly: true });
  if (row === undefined) throw unknownBroker();
  return { ...row, id: row.brokerId, scopes: new Set(row.scopes) };
}

/** A tenant with its broker. */
export interface PlacedTenant {
  readonly broker: Broker;
  readonly row: queries.TenantRow;
}

/**
 * A tenant of the key's broker or, for admins, of any.
 * @throws ServiceError `not_found`, in the same words for a tenant of another broker
 */
export async function requireTenant(ctx: OperationContext, tenantId: string): Promise<PlacedTenant> {
  const brokerId = ctx.key?.broker?.id ??
    await ctx.tx((tx) => queries.locateTenant(tx, tenantId), { readOnly: true });
  if (brokerId === undefined) throw unknownTenant();
  const broker = await requireBroker(ctx, brokerId);
  const row = await atBroker(ctx, broker.id, (tx) => queries.findTenant(tx, tenantId), { readOnly: true });
  if (row === undefined) throw unknownTenant();
  return { broker, row };
}

/** Runs a transaction on the rows of one broker's tenants. */
export function atBroker<T>(
  ctx: OperationContext,
  brokerId: string,
  work: (tx: Tx) => Promise<T>,
  options?: TxOptions,
): Promise<T> {
  return ctx.tx((tx) => enterWorkspace(tx, brokerId, work), options);
}

/** @throws ServiceError `not_found` */
export async function lockTenant(tx: Tx, tenantId: string): Promise<queries.TenantRow> {
  const row = await queries.findTenant(tx, tenantId, true);
  if (row === undefined) throw unknownTenant();
  return row;
}

/** Where the holder of a tenant's lock works. */
export interface LockedTenant {
  readonly row: queries.TenantRow;
  /** Runs statements on the rows of the broker's tenants. */
  readonly own: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  /** Runs statements in the tenant's workspace. */
  readonly inside: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
}

/**
 * Changes a tenant and its workspace while nobody else changes both: whoever makes, suspends, resumes or erases it at the same
 * time sees what the one before did. On the home cluster it is one transaction; elsewhere what `own` does is committed
 * first, so that no connection to the home cluster waits for another cluster.
 * @throws ServiceError `not_found`
 */
export async function withLockedTenant<T>(
  ctx: OperationContext,
  brokerId: string,
  tenantId: string,
  work: (tenant: LockedTenant) => Promise<T>,
): Promise<T> {
  return await ctx.tx(async (tx) => {
    const isHome = await ctx.deps.db.clusterOf(tenantId) === HOME;
    await queries.lockTenantWorkspace(tx, tenantId);
    const own: LockedTenant["own"] = (work) =>
      isHome ? enterWorkspace(tx, brokerId, work) : atBroker(ctx, brokerId, work);
    const inside: LockedTenant["inside"] = (work) => enterWorkspace(tx, tenantId, work);
    return await work({ row: await own((all) => lockTenant(all, tenantId)), own, inside });
  }, { at: tenantId });
}

export function toTenant({ region }: Pick<Broker, "region">, row: queries.TenantRow): Tenant {
  const time = (at: Date | null) => at?.toISOString() ?? null;
  return {
    id: row.tenantId,
    version: row.version,
    externalId: row.externalId,
    brokerId: row.brokerId,
    region,
    state: row.state,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    suspendedAt: time(row.suspendedAt),
    erasedAt: time(row.erasedAt),
    erasedRows: row.erasedRows && { ...row.erasedRows },
  };
}

function unknownBroker(): ServiceError {
  return new ServiceError("not_found", "Cannot find the broker");
}

function unknownTenant(): ServiceError {
  return new ServiceError("not_found", "Cannot find the tenant");
}
