/** Statements on `webhook_delivery` as the log that callers read: listing, one row, retrying, deleting what is old. */
import type { Sensitivity } from "../../schema/common.ts";
import type { DeliveryState } from "../../schema/webhook.ts";
import type { Sql, Tx } from "../tx.ts";

/** A delivery as the log shows it. */
export interface DeliveryRow {
  readonly id: string;
  readonly seq: number;
  readonly kind: string;
  readonly resourceType: string;
  readonly resourceId: string;
  readonly sensitivity: Sensitivity;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly nextAttemptAt: Date;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly lastAttemptAt: Date | null;
  readonly durationMs: number | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

function columns(sql: Sql) {
  return sql`
    id, seq::float8 as seq, kind, resource_type as "resourceType", resource_id as "resourceId", sensitivity, state,
    attempts, next_attempt_at as "nextAttemptAt", last_status as "lastStatus", last_error as "lastError",
    last_attempt_at as "lastAttemptAt", duration_ms as "durationMs", created_at as "createdAt",
    finished_at as "finishedAt"`;
}

export interface DeliveryFilter {
  readonly states: readonly DeliveryState[] | undefined;
  readonly kinds: readonly string[] | undefined;
  /** Types of resources whose deliveries are left out. */
  readonly withoutTypes: readonly string[];
  readonly resourceId: string | undefined;
  readonly order: "asc" | "desc";
  /** The place in the feed at which the page before ended. */
  readonly after: number | undefined;
  readonly limit: number;
}

/** Lists the deliveries of an endpoint in the order of the feed. */
export async function listDeliveries(tx: Tx, endpointId: string, filter: DeliveryFilter): Promise<DeliveryRow[]> {
  const { sql } = tx;
  const { states, kinds, withoutTypes, resourceId, order, after, limit } = filter;
  const exact = kinds?.filter((kind) => !kind.endsWith("."));
  const begins = kinds?.filter((kind) => kind.endsWith("."));
  return await sql<DeliveryRow[]>`
    select ${columns(sql)} from webhook_delivery
     where workspace_id = ${tx.workspaceId} and endpoint_id = ${endpointId}
       ${states === undefined ? sql`` : sql`and state = any(${states as string[]}::text[])`}
       ${
    kinds === undefined ? sql`` : sql`and (kind = any(${exact!}::text[]) or exists (
      select from unnest(${begins!}::text[]) as b(beginning) where starts_with(kind, b.beginning)))`
  }
       ${withoutTypes.length === 0 ? sql`` : sql`and resource_type <> all(${withoutTypes as string[]}::text[])`}
       ${resourceId === undefined ? sql`` : sql`and resource_id = ${resourceId}`}
       ${after === undefined ? sql`` : order === "asc" ? sql`and seq > ${after}` : sql`and seq < ${after}`}
     order by seq ${order === "asc" ? sql`asc` : sql`desc`} limit ${limit}`;
}

/** Finds one delivery and locks it. */
export async function findDelivery(tx: Tx, endpointId: string, id: string): Promise<DeliveryRow | undefined> {
  const [row] = await tx.sql<DeliveryRow[]>`
    select ${columns(tx.sql)} from webhook_delivery
     where workspace_id = ${tx.workspaceId} and endpoint_id = ${endpointId} and id = ${id} for update`;
  return row;
}

/** Makes a delivery due now; a dead one gets one further attempt. */
export async function retryDelivery(tx: Tx, endpointId: string, id: string): Promise<DeliveryRow> {
  const [row] = await tx.sql<[DeliveryRow]>`
    update webhook_delivery set state = 'pending', next_attempt_at = ${tx.now}, finished_at = null
     where workspace_id = ${tx.workspaceId} and endpoint_id = ${endpointId} and id = ${id}
    returning ${columns(tx.sql)}`;
  return row;
}

/** Deletes deliveries that finished at `ended` or before, and dead ones that did at `dead` or before; at most `limit`. */
export async function sweepDeliveries(
  tx: Tx,
  { ended, dead, limit }: { readonly ended: Date; readonly dead: Date; readonly limit: number },
): Promise<number> {
  const { sql, workspaceId: ws } = tx;
  const rows = await sql`
    delete from webhook_delivery where workspace_id = ${ws} and (endpoint_id, seq) in (
      select endpoint_id, seq from webhook_delivery
       where workspace_id = ${ws} and finished_at <= ${ended} and (state <> 'dead' or finished_at <= ${dead})
       order by finished_at limit ${limit} for update skip locked)
    returning 1`;
  return rows.length;
}
