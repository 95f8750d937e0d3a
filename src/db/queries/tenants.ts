/**
 * Tenants of brokers. Their `workspace_id` holds the id of the broker, so that the row-level policies show each transaction
 * the tenants of one broker alone.
 */
import type { Sql, Tx } from "../tx.ts";

export type TenantState = "creating" | "active" | "suspended" | "erasing" | "erased";

export interface TenantRow {
  readonly brokerId: string;
  readonly tenantId: string;
  /** Null once it is erased. */
  readonly externalId: string | null;
  /** The public id of the key that stands behind its tokens. */
  readonly publicId: string;
  readonly state: TenantState;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly suspendedAt: Date | null;
  readonly erasedAt: Date | null;
  /** How many rows it had in which tables when its erasure began. */
  readonly erasedRows: Readonly<Record<string, number>> | null;
  readonly version: number;
}

function columns(sql: Sql) {
  return sql`
    workspace_id as "brokerId", tenant_id as "tenantId", external_id as "externalId", public_id as "publicId", state, created_at as "createdAt",
    updated_at as "updatedAt", suspended_at as "suspendedAt", erased_at as "erasedAt", erased_rows as "erasedRows",
    version`;
}

/** Inserts a tenant; undefined if the broker has one of this external id. */
export async function insertTenant(
  tx: Tx,
  { tenantId, externalId, publicId }: {
    readonly tenantId: string;
    readonly externalId: string;
    readonly publicId: string;
  },
): Promise<TenantRow | undefined> {
  const { sql } = tx;
  const [row] = await sql<TenantRow[]>`
    insert into svc_tenant (workspace_id, tenant_id, external_id, public_id, created_at, updated_at)
    values (${tx.workspaceId}, ${tenantId}, ${externalId}, ${publicId}, ${tx.now}, ${tx.now})
    on conflict do nothing returning ${columns(sql)}`;
  return row;
}

export async function findTenantOf(tx: Tx, externalId: string): Promise<TenantRow | undefined> {
  const { sql } = tx;
  const [row] = await sql<TenantRow[]>`
    select ${columns(sql)} from svc_tenant where workspace_id = ${tx.workspaceId} and external_id = ${externalId}`;
  return row;
}

/** A tenant; `lock` keeps it as it is until the transaction ends. */
export async function findTenant(tx: Tx, tenantId: string, lock = false): Promise<TenantRow | undefined> {
  const { sql } = tx;
  const [row] = await sql<TenantRow[]>`
    select ${columns(sql)} from svc_tenant where workspace_id = ${tx.workspaceId} and tenant_id = ${tenantId}
    ${lock ? sql`for update` : sql``}`;
  return row;
}

/** Waits for whoever changes the tenant's workspace, on the cluster of the transaction, which is that of the workspace. */
export async function lockTenantWorkspace(tx: Tx, tenantId: string): Promise<void> {
  await tx.sql`select pg_advisory_xact_lock(hashtextextended(${`svc_tenant ${tenantId}`}, 0))`;
}

/** Finds the broker of any tenant. */
export async function locateTenant(tx: Tx, tenantId: string): Promise<string | undefined> {
  const [row] = await tx.sql<[{ brokerId: string | null }]>`select svc_system.locate_tenant(${tenantId}) as "brokerId"`;
  return row.brokerId ?? undefined;
}

/** Writes what changes with a tenant's state; a suspended one keeps the time of its first suspension. */
export async function setTenantState(
  tx: Tx,
  tenantId: string,
  state: TenantState,
  erasedRows: Readonly<Record<string, number>> | null = null,
): Promise<TenantRow> {
  const { sql, now } = tx;
  const [row] = await sql<[TenantRow]>`
    update svc_tenant
       set state = ${state}, version = version + 1, updated_at = ${now},
           suspended_at = case when ${state === "suspended"} then coalesce(suspended_at, ${now})
                               when ${state === "active"} then null else suspended_at end,
           external_id = case when ${state === "erased"} then null else external_id end,
           erased_at = case when ${state === "erased"} then ${now}::timestamptz end,
           erased_rows = coalesce(${erasedRows && sql.json(erasedRows)}::jsonb, erased_rows)
     where workspace_id = ${tx.workspaceId} and tenant_id = ${tenantId}
    returning ${columns(sql)}`;
  return row;
}

/** Gives the key behind the tokens another public id. */
export async function setTenantPublicId(tx: Tx, tenantId: string, publicId: string): Promise<TenantRow> {
  const { sql } = tx;
  const [row] = await sql<[TenantRow]>`
    update svc_tenant set public_id = ${publicId}, version = version + 1, updated_at = ${tx.now}
     where workspace_id = ${tx.workspaceId} and tenant_id = ${tenantId} returning ${columns(sql)}`;
  return row;
}

export interface TenantPageFilter {
  readonly externalId: string | undefined;
  /** What the external id begins with. */
  readonly beginning: string | undefined;
  readonly state: TenantState | undefined;
  readonly order: "asc" | "desc";
  /** The tenant before the first. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** Tenants in the order of their ids, which is that of their making. */
export async function pageTenants(tx: Tx, filter: TenantPageFilter): Promise<TenantRow[]> {
  const { sql } = tx;
  const { externalId, beginning, state, order, after, limit } = filter;
  const isUp = order === "asc";
  const like = beginning === undefined ? undefined : `${beginning.replaceAll(/[\\%_]/g, (c) => `\\${c}`)}%`;
  return await sql<TenantRow[]>`
    select ${columns(sql)} from svc_tenant
     where workspace_id = ${tx.workspaceId}
       ${externalId === undefined ? sql`` : sql`and external_id = ${externalId}`}
       ${like === undefined ? sql`` : sql`and external_id like ${like}`}
       ${state === undefined ? sql`` : sql`and state = ${state}`}
       ${after === undefined ? sql`` : isUp ? sql`and tenant_id > ${after}` : sql`and tenant_id < ${after}`}
     order by ${isUp ? sql`tenant_id` : sql`tenant_id desc`} limit ${limit}`;
}
