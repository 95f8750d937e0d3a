/** Requests of devices that wait for a person. They stand in the workspace of all zeros, which the transaction has entered. */
import type { Scope } from "../../schema/scopes.ts";
import type { Tx } from "../tx.ts";

export interface NewDeviceRequest {
  readonly deviceHash: string;
  readonly userHash: string;
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  readonly resource: string;
  readonly expiresAt: Date;
  readonly intervalSeconds: number;
}

export async function insertRequest(tx: Tx, request: NewDeviceRequest): Promise<void> {
  const { sql, workspaceId, now } = tx;
  const { deviceHash, userHash, clientId, scopes, resource, expiresAt, intervalSeconds } = request;
  await sql`
    insert into oauth_device_request (workspace_id, device_hash, user_hash, client_id, scopes, resource, created_at,
                                      expires_at, ask_from, interval_seconds)
    values (${workspaceId}, ${deviceHash}, ${userHash}, ${clientId}, ${scopes as string[]}, ${resource}, ${now},
            ${expiresAt}, ${now}, ${intervalSeconds})`;
}

export async function deleteOldRequests(tx: Tx): Promise<void> {
  await tx.sql`delete from oauth_device_request where workspace_id = ${tx.workspaceId} and expires_at <= ${tx.now}`;
}

export async function countRequests(tx: Tx): Promise<number> {
  const [row] = await tx.sql<[{ n: number }]>`
    select count(*)::int as n from oauth_device_request where workspace_id = ${tx.workspaceId}`;
  return row.n;
}

/**
 * Notes that a device has asked whether somebody has decided. One that asks too soon has to wait longer each time.
 * @returns undefined when there is no such request, or its time is over
 */
export async function noteAsked(
  tx: Tx,
  deviceHash: string,
): Promise<{ readonly clientId: string; readonly isDenied: boolean; readonly isTooSoon: boolean } | undefined> {
  const { sql, workspaceId, now } = tx;
  const [row] = await sql<{ clientId: string; isDenied: boolean; isTooSoon: boolean }[]>`
    with before as (
      select ask_from > ${now} as too_soon from oauth_device_request
       where workspace_id = ${workspaceId} and device_hash = ${deviceHash} for update
    )
    update oauth_device_request r
       set interval_seconds = least(r.interval_seconds + case when b.too_soon then 5 else 0 end, 60),
           ask_from = ${now}::timestamptz
             + make_interval(secs => least(r.interval_seconds + case when b.too_soon then 5 else 0 end, 60))
      from before b
     where r.workspace_id = ${workspaceId} and r.device_hash = ${deviceHash} and r.expires_at > ${now}
    returning r.client_id as "clientId", r.denied_at is not null as "isDenied", b.too_soon as "isTooSoon"`;
  return row;
}

export interface DeviceRow {
  readonly deviceHash: string;
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  readonly resource: string;
  readonly expiresAt: Date;
}

/** The request of a person's code that still waits. */
export async function findRequest(tx: Tx, userHash: string): Promise<DeviceRow | undefined> {
  const { sql, workspaceId, now } = tx;
  const [row] = await sql<DeviceRow[]>`
    select device_hash as "deviceHash", client_id as "clientId", scopes, resource, expires_at as "expiresAt"
      from oauth_device_request
     where workspace_id = ${workspaceId} and user_hash = ${userHash} and expires_at > ${now} and denied_at is null`;
  return row;
}

/** Takes a request; false when somebody else has. */
export async function takeRequest(tx: Tx, deviceHash: string): Promise<boolean> {
  const { count } = await tx.sql`
    delete from oauth_device_request
     where workspace_id = ${tx.workspaceId} and device_hash = ${deviceHash} and denied_at is null`;
  return count > 0;
}

export async function denyRequest(tx: Tx, deviceHash: string): Promise<boolean> {
  const { count } = await tx.sql`
    update oauth_device_request set denied_at = ${tx.now}
     where workspace_id = ${tx.workspaceId} and device_hash = ${deviceHash} and denied_at is null`;
  return count > 0;
}
