/** Statements on `webhook_delivery`: which change is sent to which endpoint, and the state of each delivery. */
import type { Sensitivity } from "../../schema/common.ts";
import type { DeliveryState } from "../../schema/webhook.ts";
import type { ChangeRow } from "./changes.ts";
import type { Sql, Tx } from "../tx.ts";

/** Says which changes an endpoint is sent. */
export interface Receiving {
  readonly endpointId: string;
  /** The endpoint's; the transaction's clearance may be higher. */
  readonly maxSensitivity: Sensitivity;
  /** Names of kinds, or prefixes that end with `.`; empty: all. */
  readonly kinds: readonly string[];
  /** Types of resources whose changes are left out. */
  readonly withoutTypes: readonly string[];
}

/** The condition on `c`, a change or a delivery, under which the endpoint may be sent it. */
function mayReceive(sql: Sql, { maxSensitivity, withoutTypes }: Omit<Receiving, "kinds">) {
  return sql`
    c.sensitivity <= ${maxSensitivity}::sensitivity and c.resource_type <> all(${withoutTypes as string[]}::text[])`;
}

/** The condition on `c`, a change or a delivery, under which the service sends it to the endpoint. */
function receives(sql: Sql, receiving: Receiving) {
  const { endpointId, kinds } = receiving;
  const exact = kinds.filter((kind) => !kind.endsWith("."));
  const begins = kinds.filter((kind) => kind.endsWith("."));
  // An endpoint is not sent what happens to itself; the other endpoints are.
  return sql`
    ${mayReceive(sql, receiving)} and c.resource_id <> ${endpointId}
    ${
    kinds.length === 0 ? sql`` : sql`and (c.kind = any(${exact}::text[]) or exists (
      select from unnest(${begins}::text[]) as b(beginning) where starts_with(c.kind, b.beginning)))`
  }`;
}

/** Columns of new deliveries, and their values for the changes `c`. The id follows from the change, so it never differs. */
function newDeliveries(tx: Tx, endpointId: string) {
  return {
    names: tx.sql`
      workspace_id, endpoint_id, seq, id, kind, resource_type, resource_id, sensitivity, state, next_attempt_at,
      created_at`,
    values: tx.sql`
      c.workspace_id, ${endpointId}::uuid, c.seq,
      'msg_' || left(encode(sha256(convert_to(c.workspace_id || ' ' || ${endpointId}::text || ' ' || c.seq, 'UTF8')),
                            'hex'), 32),
      c.kind, c.resource_type, c.resource_id, c.sensitivity, 'pending', ${tx.now}::timestamptz, ${tx.now}::timestamptz`,
  };
}

export interface FannedOut {
  /** How many changes of the stretch the endpoint is sent, at most the limit. */
  readonly looked: number;
  /** The last of them; 0 without one. */
  readonly last: number;
  readonly inserted: number;
}

/** Makes deliveries of the next changes of a stretch that the endpoint is sent, at most `limit`. */
export async function fanOut(
  tx: Tx,
  receiving: Receiving,
  { after, through, limit }: { readonly after: number; readonly through: number; readonly limit: number },
): Promise<FannedOut> {
  const { sql } = tx;
  const { names, values } = newDeliveries(tx, receiving.endpointId);
  const [row] = await sql<[FannedOut]>`
    with page as (
      select * from change c
       where c.workspace_id = ${tx.workspaceId} and c.seq > ${after} and c.seq <= ${through}
         and ${receives(sql, receiving)}
       order by c.seq limit ${limit}
    ), added as (
      insert into webhook_delivery (${names}) select ${values} from page c
          on conflict (workspace_id, endpoint_id, seq) do nothing returning 1
    )
    select (select count(*) from page)::integer as looked, coalesce((select max(seq) from page), 0)::float8 as last,
           (select count(*) from added)::integer as inserted`;
  return row;
}

/** Makes every change of a stretch that the endpoint is sent due again, also a delivered one; returns how many. */
export async function replayFeed(
  tx: Tx,
  receiving: Receiving,
  { after, through }: { readonly after: number; readonly through: number },
): Promise<number> {
  const { sql } = tx;
  const { names, values } = newDeliveries(tx, receiving.endpointId);
  const rows = await sql`
    insert into webhook_delivery (${names})
    select ${values} from change c
     where c.workspace_id = ${tx.workspaceId} and c.seq > ${after} and c.seq <= ${through}
       and ${receives(sql, receiving)}
        on conflict (workspace_id, endpoint_id, seq) do update
       set state = 'pending', attempts = 0, next_attempt_at = ${tx.now}, finished_at = null, lease_id = null,
           lease_expires_at = null
    returning 1`;
  return rows.length;
}

/** Makes those deliveries of a stretch due again that are in one of the states; returns how many. */
export async function replayLog(
  tx: Tx,
  receiving: Receiving,
  { after, through, states }: {
    readonly after: number;
    readonly through: number;
    readonly states: readonly DeliveryState[];
  },
): Promise<number> {
  const rows = await tx.sql`
    update webhook_delivery c
       set state = 'pending', attempts = 0, next_attempt_at = ${tx.now}, finished_at = null, lease_id = null,
           lease_expires_at = null
     where c.workspace_id = ${tx.workspaceId} and c.endpoint_id = ${receiving.endpointId} and c.seq > ${after}
       and c.seq <= ${through} and c.state = any(${states as string[]}::text[]) and ${receives(tx.sql, receiving)}
    returning 1`;
  return rows.length;
}

/** A delivery that the sender is about to try, with its change. */
export interface LeasedDelivery extends ChangeRow {
  readonly id: string;
  /** Including the attempt that begins now. */
  readonly attempts: number;
}

/**
 * Leases due deliveries of an enabled endpoint: only the first pending one of each resource, so that a resource's
 * changes arrive in order. The database's clock decides when the lease ends.
 */
export async function leaseDeliveries(
  tx: Tx,
  endpointId: string,
  { leaseId, seconds, limit }: { readonly leaseId: string; readonly seconds: number; readonly limit: number },
): Promise<LeasedDelivery[]> {
  const { sql, workspaceId: ws } = tx;
  return await sql<LeasedDelivery[]>`
    with leased as (
      update webhook_delivery
         set lease_id = ${leaseId}, lease_expires_at = clock_timestamp() + make_interval(secs => ${seconds}),
             attempts = attempts + 1, last_attempt_at = ${tx.now}
       where workspace_id = ${ws} and endpoint_id = ${endpointId} and seq in (
         select d.seq from webhook_delivery d
           join webhook_endpoint e on e.workspace_id = d.workspace_id and e.id = d.endpoint_id
          where d.workspace_id = ${ws} and d.endpoint_id = ${endpointId} and d.state = 'pending'
            and e.status = 'enabled' and coalesce(e.throttled_until <= ${tx.now}, true)
            and d.next_attempt_at <= ${tx.now}
            and (d.lease_expires_at is null or d.lease_expires_at <= clock_timestamp())
            and not exists (
              select from webhook_delivery b
               where b.workspace_id = ${ws} and b.endpoint_id = ${endpointId} and b.resource_id = d.resource_id
                 and b.state = 'pending' and b.seq < d.seq)
          order by d.next_attempt_at, d.seq limit ${limit} for update of d skip locked)
      returning seq, id, attempts
    )
    select l.id, l.attempts, c.seq::float8 as seq, c.kind, c.resource_type as "resourceType",
           c.resource_id as "resourceId", c.version, c.sensitivity, c.actor, c.recorded_at as "recordedAt", c.payload
      from leased l join change c on c.workspace_id = ${ws} and c.seq = l.seq
     order by c.seq`;
}

/** The result of an attempt. */
export interface FinishedAttempt {
  readonly seq: number;
  readonly state: Exclude<DeliveryState, "skipped">;
  readonly nextAttemptAt: Date;
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
}

/** Writes the results of attempts. A delivery that another process has leased in the meantime is left as it is. */
export async function finishAttempts(
  tx: Tx,
  endpointId: string,
  leaseId: string,
  attempts: readonly FinishedAttempt[],
): Promise<void> {
  if (attempts.length === 0) return;
  const rows = attempts.map(({ seq, state, nextAttemptAt, status, error, durationMs }) => ({
    ...{ seq, state, last_status: status, last_error: error, duration_ms: durationMs },
    next_attempt_at: nextAttemptAt.toISOString(),
  }));
  await tx.sql`
    update webhook_delivery d
       set state = n.state, next_attempt_at = n.next_attempt_at, last_status = n.last_status, last_error = n.last_error,
           duration_ms = n.duration_ms, lease_id = null, lease_expires_at = null,
           finished_at = case when n.state = 'pending' then null else ${tx.now}::timestamptz end
      from jsonb_to_recordset(${tx.sql.json(rows)}) as n(
             seq bigint, state text, next_attempt_at timestamptz, last_status integer, last_error text,
             duration_ms integer)
     where d.workspace_id = ${tx.workspaceId} and d.endpoint_id = ${endpointId} and d.seq = n.seq
       and d.lease_id = ${leaseId}`;
}

/** Ends the lease of deliveries that were not tried, and takes back the attempt that the lease counted. */
export async function releaseDeliveries(
  tx: Tx,
  endpointId: string,
  leaseId: string,
  seqs: readonly number[],
): Promise<void> {
  await tx.sql`
    update webhook_delivery set lease_id = null, lease_expires_at = null, attempts = attempts - 1
     where workspace_id = ${tx.workspaceId} and endpoint_id = ${endpointId} and lease_id = ${leaseId}
       and seq = any(${seqs as number[]}::bigint[])`;
}

/** Marks every pending delivery as skipped; returns how many. */
export async function skipPending(tx: Tx, endpointId: string): Promise<number> {
  const rows = await tx.sql`
    update webhook_delivery set state = 'skipped', finished_at = ${tx.now}, lease_id = null, lease_expires_at = null
     where workspace_id = ${tx.workspaceId} and endpoint_id = ${endpointId} and state = 'pending'
    returning 1`;
  return rows.length;
}

/** Marks the pending deliveries as skipped that the endpoint may not be sent any more. */
export async function skipForbidden(tx: Tx, { endpointId, ...receiving }: Receiving): Promise<void> {
  await tx.sql`
    update webhook_delivery c set state = 'skipped', finished_at = ${tx.now}, lease_id = null, lease_expires_at = null
     where c.workspace_id = ${tx.workspaceId} and c.endpoint_id = ${endpointId} and c.state = 'pending'
       and not (${mayReceive(tx.sql, { endpointId, ...receiving })})`;
}

/** Whether an endpoint has more than `count` pending deliveries. */
export async function arePendingOver(tx: Tx, endpointId: string, count: number): Promise<boolean> {
  const rows = await tx.sql`
    select 1 from webhook_delivery
     where workspace_id = ${tx.workspaceId} and endpoint_id = ${endpointId} and state = 'pending'
     offset ${count} limit 1`;
  return rows.length > 0;
}
