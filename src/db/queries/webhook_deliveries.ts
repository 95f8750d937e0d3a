/** Statements on `webhook_delivery`: which changes go to which endpoint, and how far they have come. */
import type { Sensitivity } from "../../schema/common.ts";
import type { DeliveryState } from "../../schema/webhook.ts";
import type { ChangeRow } from "./changes.ts";
import type { Sql, Tx } from "../tx.ts";

/** Which changes an endpoint receives. */
export interface Receiving {
  readonly endpointId: string;
  /** The transaction may see more. */
  readonly maxSensitivity: Sensitivity;
  readonly kinds: readonly string[];
  readonly withoutTypes: readonly string[];
}

function receives(sql: Sql, { endpointId, maxSensitivity, kinds, withoutTypes }: Receiving) {
  const exact = kinds.filter((kind) => !kind.endsWith("."));
  const begins = kinds.filter((kind) => kind.endsWith("."));
  // What happens to an endpoint is told to the others.
  return sql`
    c.sensitivity <= ${maxSensitivity}::sensitivity and c.resource_id <> ${endpointId} and c.resource_type <> all(${withoutTypes as string[]}::text[])
    ${
    kinds.length === 0 ? sql`` : sql`and (c.kind = any(${exact}::text[]) or exists (
      select from unnest(${begins}::text[]) as b(beginning) where starts_with(c.kind, b.beginning)))`
  }`;
}

/** Columns of new deliveries, and their values for the changes `c`. The id of a change is the same for ever. */
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
  /** How many changes were looked at, at most the limit. */
  readonly looked: number;
  /** The last of them; 0 without one. */
  readonly last: number;
  readonly inserted: number;
}

/** Takes up the next changes of a stretch that an endpoint receives, at most `limit`. */
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

/** Sends again what an endpoint receives of a stretch of the feed, whatever has become of it; answers how many. */
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

/** The same for what the log has in some states. */
export async function replayLog(
  tx: Tx,
  endpointId: string,
  { after, through, states }: {
    readonly after: number;
    readonly through: number;
    readonly states: readonly DeliveryState[];
  },
): Promise<number> {
  const rows = await tx.sql`
    update webhook_delivery
       set state = 'pending', attempts = 0, next_attempt_at = ${tx.now}, finished_at = null, lease_id = null,
           lease_expires_at = null
     where workspace_id = ${tx.workspaceId} and endpoint_id = ${endpointId} and seq > ${after} and seq <= ${through}
       and state = any(${states as string[]}::text[])
    returning 1`;
  return rows.length;
}

/** A delivery that is to be tried now, with the change that it tells of. */
export interface LeasedDelivery extends ChangeRow {
  readonly id: string;
  /** With the one that begins. */
  readonly attempts: number;
}

/**
 * Takes deliveries of an enabled endpoint that are due, of each resource only the first one that is pending. The lease is
 * reckoned by the database's clock.
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

/** What became of an attempt. */
export interface FinishedAttempt {
  readonly seq: number;
  readonly state: Exclude<DeliveryState, "skipped">;
  readonly nextAttemptAt: Date;
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
}

/** Writes what became of attempts; those whose lease another process has meanwhile are left alone. */
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
      from jsonb_to_recordset(${tx.sql.json(rows as never)}) as n(
             seq bigint, state text, next_attempt_at timestamptz, last_status integer, last_error text,
             duration_ms integer)
     where d.workspace_id = ${tx.workspaceId} and d.endpoint_id = ${endpointId} and d.seq = n.seq
       and d.lease_id = ${leaseId}`;
}

/** Gives back what was leased and not tried: it is as if it had not been. */
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
  readonly resourceId: string | undefined;
  readonly order: "asc" | "desc";
  /** The last place of the page before. */
  readonly after: number | undefined;
  readonly limit: number;
}

/** The log of an endpoint, in the order of the feed. */
export async function listDeliveries(tx: Tx, endpointId: string, filter: DeliveryFilter): Promise<DeliveryRow[]> {
  const { sql } = tx;
  const { states, kinds, resourceId, order, after, limit } = filter;
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
       ${resourceId === undefined ? sql`` : sql`and resource_id = ${resourceId}`}
       ${after === undefined ? sql`` : order === "asc" ? sql`and seq > ${after}` : sql`and seq < ${after}`}
     order by seq ${order === "asc" ? sql`asc` : sql`desc`} limit ${limit}`;
}

/** One delivery, locked. */
export async function findDelivery(tx: Tx, endpointId: string, id: string): Promise<DeliveryRow | undefined> {
  const [row] = await tx.sql<DeliveryRow[]>`
    select ${columns(tx.sql)} from webhook_delivery
     where workspace_id = ${tx.workspaceId} and endpoint_id = ${endpointId} and id = ${id} for update`;
  return row;
}

/** Makes a delivery due now; one that was given up gets one attempt more. */
export async function retryDelivery(tx: Tx, endpointId: string, id: string): Promise<DeliveryRow> {
  const [row] = await tx.sql<[DeliveryRow]>`
    update webhook_delivery set state = 'pending', next_attempt_at = ${tx.now}, finished_at = null
     where workspace_id = ${tx.workspaceId} and endpoint_id = ${endpointId} and id = ${id}
    returning ${columns(tx.sql)}`;
  return row;
}

/** Passes over everything that waits; answers how much it was. */
export async function skipPending(tx: Tx, endpointId: string): Promise<number> {
  const rows = await tx.sql`
    update webhook_delivery set state = 'skipped', finished_at = ${tx.now}, lease_id = null, lease_expires_at = null
     where workspace_id = ${tx.workspaceId} and endpoint_id = ${endpointId} and state = 'pending'
    returning 1`;
  return rows.length;
}

/** Passes over what waits and is above a sensitivity: the endpoint receives it no more. */
export async function skipAbove(tx: Tx, endpointId: string, maxSensitivity: Sensitivity): Promise<void> {
  await tx.sql`
    update webhook_delivery set state = 'skipped', finished_at = ${tx.now}, lease_id = null, lease_expires_at = null
     where workspace_id = ${tx.workspaceId} and endpoint_id = ${endpointId} and state = 'pending'
       and sensitivity > ${maxSensitivity}::sensitivity`;
}

/** Whether more than so many wait. */
export async function arePendingOver(tx: Tx, endpointId: string, count: number): Promise<boolean> {
  const rows = await tx.sql`
    select 1 from webhook_delivery
     where workspace_id = ${tx.workspaceId} and endpoint_id = ${endpointId} and state = 'pending'
     offset ${count} limit 1`;
  return rows.length > 0;
}

/** Removes deliveries that ended before a time, at most `limit`; what was given up stays three times as long. */
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
