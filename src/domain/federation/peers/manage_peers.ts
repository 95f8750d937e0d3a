/** Adds, approves and removes peers of a workspace. */
import type { OperationContext } from "../../../context.ts";
import { readPublicKey } from "../../../crypto/ed25519.ts";
import { uuidv7 } from "../../../crypto/ids.ts";
import * as apiKeys from "../../../db/queries/api_keys.ts";
import * as queries from "../../../db/queries/federation_peers.ts";
import { deleteInvitesOf } from "../../../db/queries/federation_invites.ts";
import * as standing from "../../../db/queries/federation_peer_standing.ts";
import { attemptNow } from "../../../db/queries/federation_sync_runs.ts";
import { lockNames } from "../../../db/queries/units.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import { PEERS_PER_SERVICE_MAX, PEERS_PER_WORKSPACE_MAX } from "../../../schema/federation_peer.ts";
import type { AddPeerBody, ApprovePeerBody, Peer as PeerView } from "../../../schema/federation_peer_resource.ts";
import { requireVersion } from "../../unit/store.ts";
import { advancePeer, PENDING_MAX } from "./peer_state.ts";
import { callRules } from "./call_peer.ts";
import { peerSignalsOf } from "./peer_signals.ts";
import { findPeer, type Peer, sealPeerSecrets, secretsOf } from "./peers.ts";
import { showPeer, unknownPeer } from "./show_peers.ts";
import { type AfterCommit, applyAdvance, disconnect, PEERS_LOCK, standingOf, tellOfPeer } from "./standing.ts";

/**
 * Adds a peer to the caller's workspace. An operator at the command line approves it thereby; any other caller's peer
 * waits for approval.
 * @throws ServiceError `conflict` if the workspace has a peer of that id; `validation_failed`; `insufficient_scope`;
 * `unavailable` if it has secrets and there is no key to seal them
 */
export async function addPeer(ctx: OperationContext, body: AddPeerBody): Promise<PeerView> {
  requireManager(ctx);
  refuseOwnId(ctx, body.id);
  const members = readMembers(ctx, body);
  requireCallable(ctx, body.endpoint, approverOf(ctx));
  const secrets = sealPeerSecrets(ctx.deps, { workspaceId: ctx.workspaceId, id: body.id }, body);
  const by = approverOf(ctx);
  const after = await ctx.tx(async (tx) => {
    await requireRoom(tx, by !== undefined, body.id);
    const row = await queries.findPeerRow(tx, body.id, true);
    if (row !== undefined && row.removedAt === null) {
      throw new ServiceError("conflict", "Cannot add the peer: the workspace has one of this id");
    }
    return await storePeer(ctx, tx, {
      ...members,
      id: body.id,
      uid: row?.uid ?? uuidv7(tx.now),
      secrets,
      inboundKeyId: await checkInboundKey(tx, body.inboundKeyId),
      by,
    });
  });
  for (const run of after) run();
  return await showPeer(ctx, body.id);
}

/**
 * Stores a peer that somebody adds, and writes the audit and feed rows.
 * @param by whoever approves it by adding it; undefined: it waits for approval
 */
export async function storePeer(
  ctx: OperationContext,
  tx: Tx,
  { by, ...peer }: Omit<queries.NewPeer, "source" | "state" | "approvedBy"> & { readonly by: string | undefined },
): Promise<AfterCommit[]> {
  const { changes, effects } = advancePeer(undefined, { kind: "added", ...(by && { by }) }, tx.now, Math.random);
  const state = changes.state!;
  await queries.putPeer(tx, { ...peer, source: "stored", state, approvedBy: by });
  const stored = await queries.findPeerRow(tx, peer.id);
  for (const effect of effects) if (effect.kind === "tell") tellOfPeer(tx, stored!, effect);
  return [await disconnect(ctx.deps, tx, peer.id)];
}

/**
 * Approves a peer that waits for approval, and sets the given members of its entry.
 * @throws ServiceError `not_found`; `invalid_transition` if it is approved already; `validation_failed` if DNS named it
 * and its pin is missing; `insufficient_scope`; `version_mismatch`
 */
export async function approvePeer(
  ctx: OperationContext,
  id: string,
  body: ApprovePeerBody,
  ifMatch?: number,
): Promise<PeerView> {
  requireManager(ctx);
  const after = await ctx.tx(async (tx) => {
    await requireRoom(tx, true, id);
    const peer = await findPeer(ctx.deps, tx, id, true);
    if (peer === undefined) throw unknownPeer();
    requireVersion(peer, ifMatch);
    const next = { ...peer, ...changedMembers(peer, body) };
    const approved = { kind: "approved", by: ctx.actor, hasPin: next.certPin !== null } as const;
    const advance = advancePeer(standingOf(peer), approved, tx.now, Math.random);
    requireCallable(ctx, next.endpoint, ctx.actor);
    await queries.writePeerMembers(tx, id, next);
    await writeSecrets(ctx, tx, peer, body);
    return await applyAdvance(ctx, tx, next, advance, { by: ctx.actor, changed: Object.keys(body).sort() });
  });
  for (const run of after) run();
  return await showPeer(ctx, id);
}

/**
 * Sets the pin of a peer's next certificate, and tries the peer at once. Both pins are accepted for 72 hours, then the next
 * one alone.
 * @throws ServiceError `not_found`; `conflict` if the configuration names the peer, or it has no pin;
 * `insufficient_scope`
 */
export async function pinNext(ctx: OperationContext, id: string, certPinNext: string): Promise<PeerView> {
  requireManager(ctx);
  const after = await ctx.tx(async (tx) => {
    const peer = await findPeer(ctx.deps, tx, id, true);
    if (peer === undefined) throw unknownPeer();
    if (peer.source === "config") {
      throw new ServiceError("conflict", "Cannot pin the peer: set certPinNext in the configuration and restart");
    }
    if (peer.certPin === null) throw new ServiceError("conflict", "Cannot pin the peer: it has no pin to follow");
    await queries.writePeerMembers(tx, id, { ...peer, certPinNext });
    tellOfPeer(tx, { ...peer, version: peer.version + 1 }, {
      audit: "federation.peer_pinned",
      feed: "peer.updated",
      detail: { certPinNext },
    });
    // The peer may show the new certificate already, and be waited for.
    await attemptNow(tx, id);
    return await disconnect(ctx.deps, tx, id);
  });
  after();
  peerSignalsOf(ctx.deps).noteHint();
  return await showPeer(ctx, id);
}

/**
 * Removes a peer. From the commit on, no process serves or calls it. The items that were received from it stay. A
 * configured peer stays removed, too, until somebody adds it.
 * @throws ServiceError `not_found`, `insufficient_scope`, `version_mismatch`
 */
export async function removePeer(
  ctx: OperationContext,
  id: string,
  ifMatch?: number,
): Promise<{ id: string; removed: true }> {
  requireManager(ctx);
  const after = await ctx.tx(async (tx) => {
    const peer = await findPeer(ctx.deps, tx, id, true);
    if (peer === undefined) throw unknownPeer();
    requireVersion(peer, ifMatch);
    return await removeStored(ctx, tx, peer);
  });
  for (const run of after) run();
  return { id, removed: true };
}

async function removeStored(ctx: OperationContext, tx: Tx, peer: Peer): Promise<AfterCommit[]> {
  const { effects } = advancePeer(standingOf(peer), { kind: "removed" }, tx.now, Math.random);
  // This must come before the row forgets which key it was.
  const publicIds = peer.inboundKeyId === null ? [] : await revokeKey(tx, peer.inboundKeyId);
  await queries.removePeer(tx, peer.id, ctx.actor);
  await deleteInvitesOf(tx, peer.id);
  await standing.dropPendingErasures(tx, peer.id);
  for (const effect of effects) {
    if (effect.kind === "tell") tellOfPeer(tx, { ...peer, version: peer.version + 1 }, effect);
  }
  const end = await disconnect(ctx.deps, tx, peer.id);
  return [end, () => publicIds.forEach((publicId) => ctx.deps.verifiedKeys.evict(publicId))];
}

/** Revokes the API key that a peer was given, with all its secrets. Returns their public ids. */
async function revokeKey(tx: Tx, keyId: string): Promise<readonly string[]> {
  // This must come before the change, so that the secrets that it takes away are announced, too.
  const publicIds = await apiKeys.tellKeyChanged(tx, keyId);
  await apiKeys.revokeApiKey(tx, keyId);
  tx.audit({ eventType: "api_key.revoked", targets: [keyId], detail: { reason: "peer_removed" } });
  return publicIds;
}

/**
 * Refuses callers that may not manage peers.
 * @throws ServiceError `insufficient_scope`
 */
export function requireManager(ctx: OperationContext): void {
  if (!ctx.scopes.has("memory:admin")) {
    throw new ServiceError("insufficient_scope", "Cannot change peers: the key lacks the scope memory:admin");
  }
  if (ctx.actor === "cli" || ctx.deps.config.federation.tenantPeers) return;
  throw new ServiceError("insufficient_scope", "Cannot change peers: only the operator of this service may");
}

/** An operator at the command line approves a peer by adding it; no other caller does. */
function approverOf({ actor }: OperationContext): string | undefined {
  return actor === "cli" ? actor : undefined;
}

function refuseOwnId({ deps }: OperationContext, id: string): void {
  if (id !== deps.config.instanceId) return;
  throw invalid("id", "is this instance itself");
}

/**
 * Refuses an endpoint that may never be called. People name these addresses, so they are checked when they are named.
 * @throws ServiceError `validation_failed`
 */
export function requireCallable({ deps }: OperationContext, endpoint: string, by: string | undefined): void {
  try {
    deps.outbound.parse(endpoint, callRules({ source: "stored", approvedBy: by ?? null }));
  } catch (cause) {
    throw invalid("endpoint", (cause as Error).message);
  }
}

function readMembers(ctx: OperationContext, body: AddPeerBody): queries.PeerMembers {
  const [pair] = body.workspaces ?? [{ here: ctx.workspaceId, there: ctx.workspaceId }];
  if (pair.here !== ctx.workspaceId) throw invalid("workspaces", "must name the workspace of the key");
  return {
    endpoint: body.endpoint,
    direction: body.direction,
    remoteWorkspaceId: pair.there,
    region: body.region ?? null,
    maxSensitivity: body.maxSensitivity,
    conflictResolution: body.conflictResolution,
    trustWeight: body.trustWeight ?? null,
    certPin: body.certPin ?? null,
    certPinNext: body.certPinNext ?? null,
    clientCertPin: body.clientCertPin ?? null,
    signingKey: readKey("signingPublicKey", body.signingPublicKey) ?? null,
    signingKeyNext: readKey("signingPublicKeyNext", body.signingPublicKeyNext) ?? null,
  };
}

function changedMembers(peer: Peer, body: ApprovePeerBody): Partial<queries.PeerMembers> {
  const { signingPublicKey, symmetricKey: _key, apiKey: _secret, ...rest } = body;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  const signingKey = readKey("signingPublicKey", signingPublicKey) ?? peer.signingKey;
  return { ...given, signingKey };
}

async function writeSecrets({ deps }: OperationContext, tx: Tx, peer: Peer, body: ApprovePeerBody): Promise<void> {
  if (body.symmetricKey === undefined && body.apiKey === undefined) return;
  const now = secretsOf(deps, peer);
  const text = (bytes: Uint8Array | undefined) => bytes?.toBase64();
  const sealed = sealPeerSecrets(deps, peer, {
    symmetricKey: body.symmetricKey ?? text(now.symmetricKey),
    symmetricKeyNext: text(now.symmetricKeyNext),
    sealKey: text(now.sealKey),
    apiKey: body.apiKey ?? now.apiKey,
  });
  await standing.writePeerSecrets(tx, peer.id, sealed);
}

/**
 * Reads a public key in PEM, given as a member of an entry.
 * @throws ServiceError `validation_failed` naming the member
 */
export function readKey(member: string, pem: string | undefined): Uint8Array | undefined {
  try {
    return pem === undefined ? undefined : readPublicKey(pem);
  } catch {
    throw invalid(member, "is no Ed25519 public key that may be used");
  }
}

async function checkInboundKey(tx: Tx, keyId: string | undefined): Promise<string | null> {
  if (keyId === undefined) return null;
  const key = await apiKeys.findListedKey(tx, keyId);
  if (key !== undefined && key.revokedAt === null && key.scopes.includes("federation")) return keyId;
  throw invalid("inboundKeyId", "is no key of this workspace with the scope federation");
}

/**
 * Locks the list of peers and refuses one more if the workspace, or the service, has the most that it may have.
 * @param id null while the peer's id is not known
 * @throws ServiceError `conflict`
 */
export async function requireRoom(tx: Tx, isApproved: boolean, id: string | null): Promise<void> {
  await lockNames(tx, [PEERS_LOCK]);
  const { approved, pending } = await standing.countPeers(tx);
  if (isApproved && approved >= PEERS_PER_WORKSPACE_MAX) {
    throw new ServiceError("conflict", `Cannot add the peer: the workspace has ${PEERS_PER_WORKSPACE_MAX}`);
  }
  if (!isApproved && pending >= PENDING_MAX) {
    throw new ServiceError("conflict", `Cannot add the peer: ${PENDING_MAX} wait for approval`);
  }
  if (isApproved && await standing.countOtherPeers(tx, id) >= PEERS_PER_SERVICE_MAX) {
    throw new ServiceError("conflict", `Cannot add the peer: this service has ${PEERS_PER_SERVICE_MAX}`);
  }
}

function invalid(path: string, message: string): ServiceError {
  return new ServiceError("validation_failed", `Cannot accept the peer: ${path} ${message}`, {
    errors: [{ path, message }],
  });
}
