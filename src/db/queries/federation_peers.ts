/**
 * Statements on `federation_peer`: the entries of peers. Secrets of an entry are stored sealed, or are in the
 * configuration.
 */
import type { Sensitivity } from "../../schema/common.ts";
import type { ConflictResolution, PeerDirection, PeerSource, PeerState } from "../../schema/federation_peer.ts";
import type { Sql, Tx } from "../tx.ts";

/** The members of an entry that an operator, a workspace admin or DNS sets. */
export interface PeerMembers {
  readonly endpoint: string;
  readonly direction: PeerDirection;
  readonly remoteWorkspaceId: string;
  readonly region: string | null;
  readonly maxSensitivity: Sensitivity;
  readonly conflictResolution: ConflictResolution;
  readonly trustWeight: number | null;
  readonly certPin: string | null;
  readonly certPinNext: string | null;
  readonly clientCertPin: string | null;
  /** An Ed25519 public key, 32 bytes. */
  readonly signingKey: Uint8Array | null;
  readonly signingKeyNext: Uint8Array | null;
}

/** A peer's row. */
export interface PeerRow extends PeerMembers {
  readonly workspaceId: string;
  /** The region of the workspace here. */
  readonly homeRegion: string;
  readonly id: string;
  readonly uid: string;
  readonly source: PeerSource;
  readonly state: PeerState;
  readonly isStale: boolean;
  readonly approvedAt: Date | null;
  readonly approvedBy: string | null;
  readonly verifiedAt: Date | null;
  readonly removedAt: Date | null;
  /** Who removed it. `config`: it left the configuration. */
  readonly removedBy: string | null;
  readonly certPinNextSince: Date | null;
  readonly signingKeyNextSince: Date | null;
  /** Sealed under `SVC_SECRETS_KEY`. */
  readonly secrets: string | null;
  readonly inboundKeyId: string | null;
  readonly told: Readonly<Record<string, unknown>>;
  readonly found: Readonly<Record<string, unknown>> | null;
  readonly contactAt: Date | null;
  readonly successAt: Date | null;
  readonly levelAt: Date | null;
  readonly degradedAt: Date | null;
  readonly failures: number;
  readonly nextAttemptAt: Date | null;
  readonly lastError: Readonly<Record<string, unknown>> | null;
  readonly skewMs: number | null;
  readonly certificate: Readonly<Record<string, unknown>> | null;
  /** Grows with each change of the entry, not with the peer's state. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

function columns(sql: Sql) {
  return sql`
    p.workspace_id as "workspaceId",
    (select w.region from workspace w where w.workspace_id = p.workspace_id) as "homeRegion", p.id, p.uid, p.source, p.endpoint, p.state, p.stale as "isStale",
    p.approved_at as "approvedAt", p.approved_by as "approvedBy", p.verified_at as "verifiedAt",
    p.removed_at as "removedAt", p.removed_by as "removedBy", p.direction, p.remote_workspace_id as "remoteWorkspaceId", p.region,
    p.max_sensitivity as "maxSensitivity", p.conflict_resolution as "conflictResolution",
    p.trust_weight as "trustWeight", p.cert_pin as "certPin", p.cert_pin_next as "certPinNext",
    p.cert_pin_next_since as "certPinNextSince", p.client_cert_pin as "clientCertPin", p.signing_key as "signingKey",
    p.signing_key_next as "signingKeyNext", p.signing_key_next_since as "signingKeyNextSince", p.secrets,
    p.inbound_key_id as "inboundKeyId", p.told, p.found, p.contact_at as "contactAt", p.success_at as "successAt",
    p.level_at as "levelAt", p.degraded_at as "degradedAt", p.failures, p.next_attempt_at as "nextAttemptAt",
    p.last_error as "lastError", p.skew_ms as "skewMs", p.certificate, p.version, p.created_at as "createdAt",
    p.updated_at as "updatedAt"`;
}

/** Finds a peer of the workspace, also a removed one. `lock` locks the row until the transaction ends. */
export async function findPeerRow(tx: Tx, id: string, lock = false): Promise<PeerRow | undefined> {
  const { sql, workspaceId } = tx;
  const [row] = await sql<PeerRow[]>`
    select ${columns(sql)} from federation_peer p
     where p.workspace_id = ${workspaceId} and p.id = ${id} ${lock ? sql`for update of p` : sql``}`;
  return row;
}

/** Lists the peers of the workspace that were not removed, by id. */
export async function listPeerRows(tx: Tx): Promise<PeerRow[]> {
  const { sql, workspaceId } = tx;
  return await sql<PeerRow[]>`
    select ${columns(sql)} from federation_peer p
     where p.workspace_id = ${workspaceId} and p.removed_at is null order by p.id collate "C"`;
}

/** Finds the peer to which an API key was issued, also a removed one. */
export async function findPeerRowOfKey(tx: Tx, keyId: string): Promise<PeerRow | undefined> {
  const { sql, workspaceId } = tx;
  const [row] = await sql<PeerRow[]>`
    select ${columns(sql)} from federation_peer p
     where p.workspace_id = ${workspaceId} and p.inbound_key_id = ${keyId}
     order by (p.removed_at is null) desc limit 1`;
  return row;
}

/** Returns the region of the transaction's workspace; undefined if there is no such workspace. */
export async function readWorkspaceRegion(tx: Tx): Promise<string | undefined> {
  const [row] = await tx.sql<{ region: string }[]>`
    select region from workspace where workspace_id = ${tx.workspaceId}`;
  return row?.region;
}

/** An entry to store. */
export interface NewPeer extends PeerMembers {
  readonly id: string;
  readonly uid: string;
  readonly source: PeerSource;
  readonly state: PeerState;
  /** Who approved it; undefined if nobody has yet. */
  readonly approvedBy: string | undefined;
  readonly secrets: string | null;
  readonly inboundKeyId: string | null;
}

/**
 * Stores an entry. A stored one of the same id is overwritten and starts anew. Its `uid` and the positions of the
 * exchange are kept, because the items that were received are still there.
 */
export async function putPeer(tx: Tx, peer: NewPeer): Promise<void> {
  const { sql, workspaceId, now } = tx;
  await sql`
    insert into federation_peer (
      workspace_id, id, uid, source, endpoint, state, approved_at, approved_by, direction, remote_workspace_id, region,
      max_sensitivity, conflict_resolution, trust_weight, cert_pin, cert_pin_next, cert_pin_next_since, client_cert_pin,
      signing_key, signing_key_next, signing_key_next_since, secrets, inbound_key_id, next_attempt_at, created_at, updated_at)
    values (
      ${workspaceId}, ${peer.id}, ${peer.uid}, ${peer.source}, ${peer.endpoint}, ${peer.state},
      ${peer.approvedBy === undefined ? null : now}, ${peer.approvedBy ?? null}, ${peer.direction},
      ${peer.remoteWorkspaceId}, ${peer.region}, ${peer.maxSensitivity}, ${peer.conflictResolution},
      ${peer.trustWeight}, ${peer.certPin}, ${peer.certPinNext}, ${peer.certPinNext && now}, ${peer.clientCertPin},
      ${peer.signingKey}, ${peer.signingKeyNext}, ${peer.signingKeyNext && now}, ${peer.secrets}, ${peer.inboundKeyId},
      ${peer.approvedBy === undefined ? null : now}, ${now}, ${now})
    on conflict (workspace_id, id) do update set
      source = excluded.source, endpoint = excluded.endpoint, state = excluded.state, stale = false,
      approved_at = excluded.approved_at, approved_by = excluded.approved_by, verified_at = null, removed_at = null,
      removed_by = null,
      direction = excluded.direction, remote_workspace_id = excluded.remote_workspace_id, region = excluded.region,
      max_sensitivity = excluded.max_sensitivity, conflict_resolution = excluded.conflict_resolution,
      trust_weight = excluded.trust_weight, cert_pin = excluded.cert_pin, cert_pin_next = excluded.cert_pin_next,
      cert_pin_next_since = excluded.cert_pin_next_since, client_cert_pin = excluded.client_cert_pin,
      signing_key = excluded.signing_key, signing_key_next = excluded.signing_key_next,
      signing_key_next_since = excluded.signing_key_next_since, secrets = excluded.secrets,
      inbound_key_id = excluded.inbound_key_id, told = '{}', found = null, degraded_at = null, failures = 0,
      next_attempt_at = excluded.next_attempt_at, last_error = null, skew_ms = null, certificate = null,
      version = federation_peer.version + 1, updated_at = excluded.updated_at`;
}

/**
 * Writes the members of an entry. The time since which there is a next pin or key changes only together with that pin
 * or key.
 */
export async function writePeerMembers(tx: Tx, id: string, peer: PeerMembers): Promise<void> {
  const { sql, workspaceId, now } = tx;
  await sql`
    update federation_peer set
      endpoint = ${peer.endpoint}, direction = ${peer.direction}, remote_workspace_id = ${peer.remoteWorkspaceId},
      region = ${peer.region}, max_sensitivity = ${peer.maxSensitivity},
      conflict_resolution = ${peer.conflictResolution}, trust_weight = ${peer.trustWeight}, cert_pin = ${peer.certPin},
      cert_pin_next = ${peer.certPinNext}, client_cert_pin = ${peer.clientCertPin}, signing_key = ${peer.signingKey},
      signing_key_next = ${peer.signingKeyNext},
      cert_pin_next_since = case
        when ${peer.certPinNext}::text is null then null
        when cert_pin_next = ${peer.certPinNext} then cert_pin_next_since else ${now}::timestamptz end,
      signing_key_next_since = case
        when ${peer.signingKeyNext}::bytea is null then null
        when signing_key_next = ${peer.signingKeyNext} then signing_key_next_since else ${now}::timestamptz end,
      version = version + 1, updated_at = ${now}
     where workspace_id = ${workspaceId} and id = ${id}`;
}

/** Removes a peer: deletes its keys and secrets. The row stays, so that discovery does not offer the peer again. */
export async function removePeer(tx: Tx, id: string, by: string): Promise<void> {
  const { sql, workspaceId, now } = tx;
  await sql`
    update federation_peer set
      removed_at = ${now}, removed_by = ${by}, approved_at = null, approved_by = null, verified_at = null, secrets = null,
      signing_key = null, signing_key_next = null, signing_key_next_since = null, cert_pin = null, cert_pin_next = null,
      cert_pin_next_since = null, client_cert_pin = null, inbound_key_id = null, next_attempt_at = null,
      lease_id = null, lease_expires_at = null, version = version + 1, updated_at = ${now}
     where workspace_id = ${workspaceId} and id = ${id} and removed_at is null`;
}

/** Changes who is noted to have removed a peer. */
export async function noteRemovedBy(tx: Tx, id: string, by: string): Promise<void> {
  const { sql, workspaceId } = tx;
  await sql`update federation_peer set removed_by = ${by} where workspace_id = ${workspaceId} and id = ${id}`;
}

/** Lists the entries of all workspaces that came from the configuration, also those that a person removed. */
export async function listConfiguredPeerRows(sql: Sql): Promise<{ workspaceId: string; id: string }[]> {
  return await sql<{ workspaceId: string; id: string }[]>`
    select workspace_id as "workspaceId", id from svc_system.list_configured_peers()`;
}

/** Returns a secret of this deployment, 32 bytes, the same in all processes. The first call makes it. */
export async function readInstanceSecret(sql: Sql, name: "handshake" | "projection"): Promise<Uint8Array> {
  const [row] = await sql<[{ value: Uint8Array }]>`select svc_system.instance_secret(${name}) as value`;
  return row.value;
}

/**
 * The notification channel on which every process hears that an entry changed or was removed. The message is
 * `<workspace> <id> <sender>`; `sender` names the process that made the change, if that has acted on it already.
 */
export const PEER_CHANNEL = "svc_peer";

/** Notifies every process, at the commit, that it must drop its connections and sync runs with a peer. */
export async function tellPeerChanged(tx: Tx, id: string, sender = ""): Promise<void> {
  await tx.sql`select pg_notify(${PEER_CHANNEL}, ${`${tx.workspaceId} ${id} ${sender}`})`;
}
