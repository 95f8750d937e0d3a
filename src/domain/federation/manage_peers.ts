/** Adding, approving and removing peers of a workspace. */
import type { OperationContext } from "../../context.ts";
import { readPublicKey } from "../../crypto/ed25519.ts";
import { uuidv7 } from "../../crypto/ids.ts";
import * as apiKeys from "../../db/queries/api_keys.ts";
import * as queries from "../../db/queries/federation_peers.ts";
import { deleteInvitesOf } from "../../db/queries/federation_invites.ts";
import * as standing from "../../db/queries/federation_peer_standing.ts";
import { lockNames } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import { PEERS_PER_SERVICE_MAX, PEERS_PER_WORKSPACE_MAX } from "../../schema/federation_peer.ts";
import type { AddPeerBody, ApprovePeerBody, Peer as PeerView } from "../../schema/federation_peer_resource.ts";
import { advancePeer, PENDING_MAX } from "./peer_state.ts";
import { callRules } from "./call_peer.ts";
import { findPeer, type Peer, sealPeerSecrets, secretsOf } from "./peers.ts";
import { showPeer, unknownPeer } from "./show_peers.ts";
import { type AfterCommit, applyAdvance, disconnect, PEERS_LOCK, standingOf, tellOfPeer } from "./standing.ts";

/**
 * Adds a peer to the caller's workspace. Whoever has the command line approves it by that; anybody else's waits.
 * @throws ServiceError `conflict` when there is one of that id; `validation_failed`; `insufficient_scope`; `unavailable`
 *   when it has secrets and there is no key to seal them under
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

/** Stores a peer that somebody adds and tells of it; `by` = who approves it with that. */
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
 * Approves a peer that waits for it, with what is known of it now.
 * @throws ServiceError `not_found`; `invalid_transition` when it is approved; `validation_failed` when DNS named it and no
 *   pin or no key says who it is; `insufficient_scope`
 */
export async function approvePeer(ctx: OperationContext, id: string, body: ApprovePeerBody): Promise<PeerView> {
  requireManager(ctx);
  const after = await ctx.tx(async (tx) => {
    await requireRoom(tx, true, id);
    const peer = await findPeer(ctx.deps, tx, id, true);
    if (peer === undefined) throw unknownPeer();
    const next = { ...peer, ...changedMembers(peer, body) };
    const identity = { hasPin: next.certPin !== null, hasSigningKey: next.signingKey !== null };
    const advance = advancePeer(standingOf(peer), { kind: "approved", by: ctx.actor, identity }, tx.now, Math.random);
    requireCallable(ctx, next.endpoint, ctx.actor);
    await queries.writePeerMembers(tx, id, next);
    await writeSecrets(ctx, tx, peer, body);
    return await applyAdvance(ctx, tx, next, advance, { by: ctx.actor, changed: Object.keys(body).sort() });
  });
  for (const run of after) run();
  return await showPeer(ctx, id);
}

/**
 * Names the pin that a peer's certificate has next: for 72 hours both are good, then the next one alone.
 * @throws ServiceError `not_found`; `conflict` when the configuration names the peer, or it has no pin; `insufficient_scope`
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
    return await disconnect(ctx.deps, tx, id);
  });
  after();
  return await showPeer(ctx, id);
}

/**
 * Removes a peer: from the commit on nothing is served to it and nothing asked of it, in any process. What was received from
 * it stays. One that the configuration names stays removed as well, until somebody adds it.
 * @throws ServiceError `not_found`, `insufficient_scope`
 */
export async function removePeer(ctx: OperationContext, id: string): Promise<{ id: string; removed: true }> {
  requireManager(ctx);
  const after = await ctx.tx(async (tx) => {
    const peer = await findPeer(ctx.deps, tx, id, true);
    if (peer === undefined) throw unknownPeer();
    return await removeStored(ctx, tx, peer);
  });
  for (const run of after) run();
  return { id, removed: true };
}

async function removeStored(ctx: OperationContext, tx: Tx, peer: Peer): Promise<AfterCommit[]> {
  const { effects } = advancePeer(standingOf(peer), { kind: "removed" }, tx.now, Math.random);
  // Before the row forgets which key it was.
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

/** Revokes the key that a peer was given, with all its secrets; answers their public ids. */
async function revokeKey(tx: Tx, keyId: string): Promise<readonly string[]> {
  // Before the change: a secret that it takes away has to be forgotten, too.
  const publicIds = await apiKeys.tellKeyChanged(tx, keyId);
  await apiKeys.revokeApiKey(tx, keyId);
  tx.audit({ eventType: "api_key.revoked", targets: [keyId], detail: { reason: "peer_removed" } });
  return publicIds;
}

/** @throws ServiceError `insufficient_scope` */
export function requireManager(ctx: OperationContext): void {
  if (!ctx.scopes.has("memory:admin")) {
    throw new ServiceError("insufficient_scope", "Cannot change peers: the key lacks the scope memory:admin");
  }
  if (ctx.actor === "cli" || ctx.deps.config.federation.tenantPeers) return;
  throw new ServiceError("insufficient_scope", "Cannot change peers: only the operator of this service may");
}

/** Whoever has the command line approves what it adds by that. */
function approverOf({ actor }: OperationContext): string | undefined {
  return actor === "cli" ? actor : undefined;
}

function refuseOwnId({ deps }: OperationContext, id: string): void {
  if (id !== deps.config.instanceId) return;
  throw invalid("id", "is this instance itself");
}

/**
 * Peers are called at addresses that people name: what may never be called is refused when it is named.
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
 * Whether a peer may be added or approved: the workspace, and the service, have only so many.
 * @param id null while nobody knows it
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
