/**
 * The entries of peers, each in one workspace: from the configuration, or stored.
 *
 * Every key that verifies something comes from here: from the entry of the workspace that the request is about. It
 * never comes from a message of a peer, and never from another workspace's entry of the same peer.
 */
import type { ConfiguredPeer } from "../../../configured_peers.ts";
import { createContext, type Deps, type OperationContext } from "../../../context.ts";
import { uuidv7 } from "../../../crypto/ids.ts";
import * as queries from "../../../db/queries/federation_peers.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import { OVERLAP_MS, type PeerSecrets } from "../../../schema/federation_peer.ts";
import { configuredPeerTakesOver, removedPeerIsConfigured } from "../../../telemetry/federation_events.ts";
import type { Capability } from "./handshake_messages.ts";
import { perService } from "../../common/per_service.ts";
import { openSecret, sealSecret } from "../../common/stored_secrets.ts";

/** An entry in its present form. `secretsOf` returns its secrets. */
export type Peer = queries.PeerRow;

/** The configured entries, by workspace and id. */
const configuredOf = perService(({ config }) =>
  new Map(
    config.federation.peers.flatMap((peer) =>
      peer.workspaces.map(({ here, there }) => [`${here} ${peer.id}`, { peer, there }] as const)
    ),
  )
);

/** Finds the configured entry of a peer in a workspace. */
function findConfigured(deps: Deps, workspaceId: string, id: string) {
  return configuredOf(deps).get(`${workspaceId} ${id}`);
}

/**
 * Returns the entry that counts for a row. For a configured peer, the members come from this process's configuration.
 * Undefined for a removed peer, and for a configured one that this process's configuration does not name.
 */
function toPeer(deps: Deps, row: queries.PeerRow | undefined): Peer | undefined {
  if (row === undefined || row.removedAt !== null) return undefined;
  if (row.source !== "config") return row;
  const configured = findConfigured(deps, row.workspaceId, row.id);
  if (configured === undefined) return undefined;
  const members = membersOf(configured.peer, configured.there);
  const isSame = (a: Uint8Array | null, b: Uint8Array | null) => a?.toHex() === b?.toHex();
  return {
    ...row,
    ...members,
    // Another process may have started with another configuration. The time that it stored counts only for its own next
    // pin or key.
    certPinNextSince: members.certPinNext === row.certPinNext ? row.certPinNextSince : null,
    signingKeyNextSince: isSame(members.signingKeyNext, row.signingKeyNext) ? row.signingKeyNextSince : null,
  };
}

function membersOf(peer: ConfiguredPeer, there: string): queries.PeerMembers {
  return {
    endpoint: peer.endpoint,
    direction: peer.direction,
    remoteWorkspaceId: there,
    region: peer.region ?? null,
    maxSensitivity: peer.maxSensitivity,
    conflictResolution: peer.conflictResolution,
    trustWeight: peer.trustWeight ?? null,
    certPin: peer.certPin ?? null,
    certPinNext: peer.certPinNext ?? null,
    clientCertPin: peer.clientCertPin ?? null,
    signingKey: peer.signingKey ?? null,
    signingKeyNext: peer.signingKeyNext ?? null,
  };
}

/** Finds a peer of the transaction's workspace; undefined if there is none. `lock` locks its row. */
export async function findPeer(deps: Deps, tx: Tx, id: string, lock = false): Promise<Peer | undefined> {
  return toPeer(deps, await queries.findPeerRow(tx, id, lock));
}

/** Finds the peer to which an API key of the transaction's workspace was issued. */
export async function findPeerOfKey(deps: Deps, tx: Tx, keyId: string): Promise<Peer | undefined> {
  return toPeer(deps, await queries.findPeerRowOfKey(tx, keyId));
}

/** Lists all peers of the transaction's workspace, by id. */
export async function listPeers(deps: Deps, tx: Tx): Promise<Peer[]> {
  const rows = await queries.listPeerRows(tx);
  return rows.flatMap((row) => toPeer(deps, row) ?? []);
}

/**
 * Returns which of a present and a next key or pin are accepted now: both for 72 hours after the next one was set, then
 * the next one alone. The next one comes first.
 */
function countingNow<T>(first: T | null, next: T | null, since: Date | null, now: Date): T[] {
  if (next === null) return first === null ? [] : [first];
  const isOver = since !== null && now.getTime() - since.getTime() > OVERLAP_MS;
  return first === null || isOver ? [next] : [next, first];
}

/** Whether the entry has a key that verifies what the peer signs. Then nothing else about the peer's identity counts. */
export function hasKey({ signingKey, signingKeyNext }: Pick<Peer, "signingKey" | "signingKeyNext">): boolean {
  return signingKey !== null || signingKeyNext !== null;
}

/** Whether a peer announced in its last handshake that it supports a feature. */
export function announces({ told }: Pick<Peer, "told">, capability: Capability): boolean {
  const { capabilities } = told;
  return Array.isArray(capabilities) && capabilities.includes(capability);
}

/** Returns the region of a peer: that of its entry, else the one that it told in a handshake; null if neither is known. */
export function regionOf({ region, told }: Pick<Peer, "region" | "told">): string | null {
  return region ?? (typeof told["region"] === "string" ? told["region"] : null);
}

/**
 * Whether a peer is in another region than the workspace here, so that only the projection of facts is exchanged. A peer
 * whose region is not known counts as one.
 */
export function isAbroad(peer: Pick<Peer, "region" | "told" | "homeRegion">): boolean {
  return regionOf(peer) !== peer.homeRegion;
}

/** Returns the keys that verify a peer's signatures now, 32 bytes each; none if it signs nothing. */
export function signingKeysOf(peer: Peer, now: Date): Uint8Array[] {
  return countingNow(peer.signingKey, peer.signingKeyNext, peer.signingKeyNextSince, now);
}

/** Returns the pins of a peer's server; none if its certificate is only checked for its name and authority. */
export function serverPinsOf(peer: Peer, now: Date): string[] {
  return countingNow(peer.certPin, peer.certPinNext, peer.certPinNextSince, now);
}

/** Returns the pins of the certificate that a peer presents when it calls. */
export function clientPinsOf(peer: Peer, now: Date): string[] {
  return peer.clientCertPin === null ? serverPinsOf(peer, now) : [peer.clientCertPin];
}

const NO_SECRETS: PeerSecrets = {
  symmetricKey: undefined,
  symmetricKeyNext: undefined,
  sealKey: undefined,
  apiKey: undefined,
};

/**
 * Returns the secrets of an entry.
 * @throws ServiceError `unavailable` if they are stored and `SVC_SECRETS_KEY` does not open them
 */
export function secretsOf(deps: Deps, peer: Peer): PeerSecrets {
  if (peer.source === "config") {
    const configured = findConfigured(deps, peer.workspaceId, peer.id)?.peer;
    return configured === undefined ? NO_SECRETS : { ...configured, apiKey: configured.apiKey };
  }
  if (peer.secrets === null) return NO_SECRETS;
  const texts = JSON.parse(openSecret(deps, peer.secrets, contextOf(peer.workspaceId, peer.id)));
  const bytes = (text: string | undefined) => text === undefined ? undefined : Uint8Array.fromBase64(text);
  return {
    symmetricKey: bytes(texts.symmetricKey),
    symmetricKeyNext: bytes(texts.symmetricKeyNext),
    sealKey: bytes(texts.sealKey),
    apiKey: texts.apiKey,
  };
}

/**
 * Seals the secrets of an entry for the database; null if it has none.
 * @param texts the API key, and the keys in base64
 * @throws ServiceError `unavailable` if there is no `SVC_SECRETS_KEY`
 */
export function sealPeerSecrets(
  deps: Deps,
  { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
  texts: { readonly [member in keyof PeerSecrets]?: string | undefined },
): string | null {
  const { symmetricKey, symmetricKeyNext, sealKey, apiKey } = texts;
  const text = JSON.stringify({ symmetricKey, symmetricKeyNext, sealKey, apiKey });
  return text === "{}" ? null : sealSecret(deps, text, contextOf(workspaceId, id));
}

function contextOf(workspaceId: string, id: string): string {
  return `federation peer ${workspaceId} ${id}`;
}

/**
 * Brings the stored entries in line with the configuration, at every start. A configured entry is approved and replaces
 * a stored one; a peer that left the configuration is removed. A configured peer that a person removed stays removed
 * until somebody adds it, or it leaves the configuration.
 * @throws ServiceError `conflict` if the configuration names an unknown workspace
 */
export async function storeConfiguredPeers(deps: Deps): Promise<void> {
  for (const [i, peer] of deps.config.federation.peers.entries()) {
    for (const { here, there } of peer.workspaces) {
      const ctx = bootContext(deps, here);
      const isThere = await ctx.tx((tx) => storeConfigured(ctx, tx, peer, there));
      if (isThere) continue;
      throw new ServiceError("conflict", `Cannot start: peer ${i} of the configuration names an unknown workspace`);
    }
  }
  const before = await deps.db.each(queries.listConfiguredPeerRows, { readOnly: true, partial: true });
  for (const { workspaceId, id } of before) {
    if (findConfigured(deps, workspaceId, id) !== undefined) continue;
    await bootContext(deps, workspaceId).tx(async (tx) => {
      const row = await queries.findPeerRow(tx, id, true);
      if (row?.source !== "config") return;
      // The peer left the configuration, so the person's removal no longer counts: it may be configured anew.
      if (row.removedAt !== null) return await queries.noteRemovedBy(tx, id, "config");
      await queries.removePeer(tx, id, "config");
      await queries.tellPeerChanged(tx, id);
      tx.audit({ eventType: "federation.peer_removed", targets: [row.uid], detail: { peer: id, by: "config" } });
    });
  }
}

function bootContext(deps: Deps, workspaceId: string): OperationContext {
  const principal = {
    actor: "system:configuration",
    workspaceId,
    scopes: new Set<never>(),
    maxSensitivity: "restricted",
  } as const;
  const requestId = uuidv7(deps.clock());
  return createContext(deps, principal, { requestId, operationId: "configuration", signal: deps.stopping });
}

/** Stores a configured entry. Returns false if the workspace does not exist. */
async function storeConfigured(ctx: OperationContext, tx: Tx, peer: ConfiguredPeer, there: string): Promise<boolean> {
  if (await queries.readWorkspaceRegion(tx) === undefined) return false;
  const { id } = peer;
  const members = membersOf(peer, there);
  const row = await queries.findPeerRow(tx, id, true);
  if (row?.source === "config" && row.removedAt === null) {
    if (isEqual(row, members)) return true;
    await queries.writePeerMembers(tx, id, members);
    await queries.tellPeerChanged(tx, id);
    tx.audit({ eventType: "federation.peer_updated", targets: [row.uid], detail: { peer: id, by: "config" } });
    return true;
  }
  if (row?.source === "config" && row.removedAt !== null && row.removedBy !== "config") {
    removedPeerIsConfigured(ctx.deps.telemetry.log, { workspaceId: ctx.workspaceId, peer: id });
    return true;
  }
  if (row !== undefined && row.removedAt === null) {
    configuredPeerTakesOver(ctx.deps.telemetry.log, { workspaceId: ctx.workspaceId, peer: id });
  }
  const uid = row?.uid ?? uuidv7(tx.now);
  await queries.putPeer(tx, {
    ...members,
    id,
    uid,
    source: "config",
    state: "HANDSHAKE",
    approvedBy: "config",
    secrets: null,
    // A key that was issued to the peer stays bound to it: alone it opens nothing.
    inboundKeyId: row?.inboundKeyId ?? null,
  });
  await queries.tellPeerChanged(tx, id);
  tx.audit({ eventType: "federation.peer_added", targets: [uid], detail: { peer: id, by: "config" } });
  return true;
}

function isEqual(row: queries.PeerRow, members: queries.PeerMembers): boolean {
  const plain = (value: unknown) => value instanceof Uint8Array ? value.toHex() : value;
  return Object.entries(members).every(([name, value]) =>
    plain(value) === plain(row[name as keyof queries.PeerMembers])
  );
}
