/** Invitations: one side makes them, the other accepts them, and both store each other as peers. */
import { createHmac, randomBytes } from "node:crypto";
import type { OperationContext } from "../../../context.ts";
import { generateApiKey } from "../../../crypto/api_key.ts";
import { canonicalJson } from "../../../crypto/canonical_json.ts";
import { publicKeyPem } from "../../../crypto/ed25519.ts";
import { equalSecrets } from "../../../crypto/hash.ts";
import { uuidv7 } from "../../../crypto/ids.ts";
import * as apiKeys from "../../../db/queries/api_keys.ts";
import * as invites from "../../../db/queries/federation_invites.ts";
import * as queries from "../../../db/queries/federation_peers.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import type { Sensitivity } from "../../../schema/common.ts";
import type { Join, Joined } from "../../../schema/federation_handshake.ts";
import type { ConflictResolution, PeerDirection } from "../../../schema/federation_peer.ts";
import { openSecret, sealSecret } from "../../common/stored_secrets.ts";
import { chainsOf } from "../../common/system.ts";
import { toBase64url } from "./handshake_messages.ts";
import { type Invite, writeInvite } from "./invite.ts";
import { readKey, requireCallable, requireRoom, storePeer } from "./manage_peers.ts";
import { sealPeerSecrets } from "./peers.ts";

const HOURS_MAX = 24;
const WRONG_PROOFS_MAX = 5;

/** How the inviting side sets the entry of the future peer. */
export interface InviteTerms {
  readonly maxSensitivity: Sensitivity;
  readonly direction: PeerDirection;
  readonly conflictResolution: ConflictResolution;
  readonly trustWeight: number | null;
}

/** The pins of this instance's own certificates. */
export interface OwnCertificates {
  /** The pin of the certificate at this instance's endpoint. */
  readonly certPin: string;
  /** The pin of its client certificate, if that is another one. */
  readonly clientCertPin: string | undefined;
}

/**
 * Returns what peers must know about this instance.
 * @throws ServiceError `unavailable`, naming the variable that is missing
 */
export function requireIdentity({ deps }: OperationContext) {
  const { signingKey, config: { instanceId, federation: { endpoint }, region = null } } = deps;
  const missing = (name: string) =>
    new ServiceError("unavailable", `Cannot pair: ${name} is not set (\`svc federation init\` prints what is needed)`);
  if (endpoint === undefined) throw missing("SVC_FEDERATION_ENDPOINT");
  if (signingKey === undefined) throw missing("SVC_FEDERATION_PRIVATE_KEY");
  if (deps.secretsKeys.length === 0) throw missing("SVC_SECRETS_KEY");
  return { id: instanceId, endpoint, region, signingPublicKey: publicKeyPem(signingKey.publicKey) };
}

/**
 * Makes an invitation into the context's workspace: a text that works once, within a day. Its secrets are stored only
 * sealed. Accepting the invitation also approves the joining instance.
 * @throws ServiceError `unavailable` if the instance is not set up for federation
 */
export async function makeInvite(
  ctx: OperationContext,
  own: OwnCertificates,
  terms: InviteTerms,
): Promise<{ text: string; id: string; expiresAt: Date }> {
  const { deps, workspaceId } = ctx;
  const identity = requireIdentity(ctx);
  const id = uuidv7(deps.clock());
  const [secret, symmetricKey] = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")];
  const key = await newPeerKey(ctx, `peer of invitation ${id}`, terms.maxSensitivity);
  const expiresAt = new Date(deps.clock().getTime() + HOURS_MAX * 3_600_000);
  const sealed = sealSecret(deps, JSON.stringify({ secret, symmetricKey, terms }), contextOf(workspaceId, id));
  await ctx.tx(async (tx) => {
    await endOverInvites(tx);
    await requireRoom(tx, true, null);
    await insertPeerKey(tx, key);
    await invites.insertInvite(tx, { id, sealed, keyId: key.keyId, expiresAt });
    const detail = { invite: id, maxSensitivity: terms.maxSensitivity, expiresAt: expiresAt.toISOString() };
    tx.audit({ eventType: "federation.invite_made", targets: [id], detail, chains: chainsOf(workspaceId) });
  });
  const text = writeInvite({
    v: 1,
    invite: id,
    ...identity,
    workspace: workspaceId,
    certPin: own.certPin,
    ...(own.clientCertPin !== undefined && { clientCertPin: own.clientCertPin }),
    symmetricKey,
    apiKey: key.key,
    secret,
    expiresAt: expiresAt.toISOString(),
  });
  return { text, id, expiresAt };
}

/** Deletes expired invitations that nobody accepted, and revokes their keys. */
async function endOverInvites(tx: Tx): Promise<void> {
  for (const { keyId } of await invites.deleteOverInvites(tx)) {
    await apiKeys.tellKeyChanged(tx, keyId);
    await apiKeys.revokeApiKey(tx, keyId);
  }
}

interface PeerKey extends apiKeys.NewApiKey {
  /** The whole key, which is handed over once. */
  readonly key: string;
}

/** Makes an API key for a peer, with the scope `federation` alone. It opens nothing without the peer's token. */
export async function newPeerKey(
  { deps, signal }: OperationContext,
  name: string,
  maxSensitivity: Sensitivity,
): Promise<PeerKey> {
  const { key, publicId, secret } = generateApiKey("svc_live_");
  return {
    ...{ key, publicId, name, maxSensitivity, keyId: uuidv7(deps.clock()) },
    secretHash: await deps.argon2id.hash(secret, signal),
    scopes: ["federation"],
    expiresAt: null,
    cidrs: [],
    // The key needs no rate limit: the peer has its own, which counts before the key's would.
    rateLimit: null,
  };
}

/** Stores a peer's API key and notes it in the audit log. */
export async function insertPeerKey(tx: Tx, key: PeerKey): Promise<void> {
  const { key: _whole, ...row } = key;
  await apiKeys.insertApiKey(tx, row);
  const { name, scopes, maxSensitivity, publicId } = key;
  const detail = { name, scopes, maxSensitivity, publicId };
  tx.audit({ eventType: "api_key.created", targets: [key.keyId], detail, chains: chainsOf(tx.workspaceId) });
}

/** Computes the proof that the joining side has the text of the invitation. */
export function proofOf(body: Omit<Join, "proof">, secret: string): string {
  const { v, type, invite, from, endpoint, workspace, region, signingPublicKey, certPin, clientCertPin, apiKey } = body;
  const proven = {
    v,
    type,
    invite,
    from,
    endpoint,
    workspace,
    region,
    signingPublicKey,
    certPin,
    clientCertPin,
    apiKey,
  };
  return toBase64url(createHmac("sha256", Uint8Array.fromBase64(secret)).update(canonicalJson(proven)).digest());
}

/**
 * Accepts an invited instance: stores and approves its entry. That uses the invitation up; five wrong proofs burn it.
 * @throws ServiceError `not_found` for an invitation that is used, burnt, expired, or not this key's; `conflict` if the
 * workspace has a peer of that id; `validation_failed`
 */
export async function takeIn(ctx: OperationContext, body: Join): Promise<Joined> {
  const { deps, workspaceId } = ctx;
  if (body.from === deps.config.instanceId) {
    throw new ServiceError("validation_failed", "Cannot join: both sides have the same SVC_INSTANCE_ID");
  }
  requireCallable(ctx, body.endpoint, undefined);
  const signingKey = readKey("signingPublicKey", body.signingPublicKey)!;
  const outcome = await ctx.tx(async (tx) => {
    const invite = await invites.findInvite(tx, body.invite);
    // All these cases get the same refusal, so that a stranger with the key learns nothing about invitations.
    if (invite === undefined || invite.usedAt !== null || ctx.actor !== `key:${invite.keyId}`) return "unknown";
    if (invite.failures >= WRONG_PROOFS_MAX || invite.expiresAt <= tx.now) return "unknown";
    const { secret, symmetricKey, terms } = JSON.parse(
      openSecret(deps, invite.sealed, contextOf(workspaceId, invite.id)),
    ) as { secret: string; symmetricKey: string; terms: InviteTerms };
    const { proof, ...proven } = body;
    if (!equalSecrets(proofOf(proven, secret), proof)) {
      const failures = await invites.countWrongProof(tx, invite.id);
      tx.audit({
        eventType: "federation.invite_refused",
        targets: [invite.id],
        outcome: "federation_verify_failed",
        detail: { failures },
      });
      return "unknown";
    }
    await requireRoom(tx, true, body.from);
    const row = await queries.findPeerRow(tx, body.from, true);
    if (row !== undefined && row.removedAt === null) return "known";
    await invites.useInvite(tx, invite.id, body.from);
    tx.audit({
      eventType: "federation.invite_used",
      targets: [invite.id],
      detail: { peer: body.from },
      chains: chainsOf(workspaceId),
    });
    return await storePeer(ctx, tx, {
      ...terms,
      id: body.from,
      uid: row?.uid ?? uuidv7(tx.now),
      endpoint: body.endpoint,
      remoteWorkspaceId: body.workspace,
      region: body.region,
      certPin: body.certPin,
      certPinNext: null,
      clientCertPin: body.clientCertPin ?? null,
      signingKey,
      signingKeyNext: null,
      secrets: sealPeerSecrets(deps, { workspaceId, id: body.from }, {
        symmetricKey,
        sealKey: symmetricKey,
        apiKey: body.apiKey,
      }),
      inboundKeyId: invite.keyId,
      by: `invite:${invite.id}`,
    });
  });
  if (outcome === "unknown") {
    throw new ServiceError(
      "not_found",
      "Cannot join: the invitation does not exist, was used, has expired, or has another key",
    );
  }
  if (outcome === "known") throw new ServiceError("conflict", "Cannot join: the workspace has a peer of this id");
  for (const run of outcome) run();
  return { v: 1, type: "joined", peer: body.from, state: "HANDSHAKE" };
}

/** Stores the inviting instance as a peer of the joining one. */
export async function storeInviter(
  ctx: OperationContext,
  invite: Invite,
  terms: InviteTerms,
): Promise<{ apiKey: string }> {
  const { deps, workspaceId } = ctx;
  if (invite.id === deps.config.instanceId) {
    throw new ServiceError("validation_failed", "Cannot join: both sides have the same SVC_INSTANCE_ID");
  }
  requireCallable(ctx, invite.endpoint, ctx.actor);
  const signingKey = readKey("signingPublicKey", invite.signingPublicKey)!;
  const secrets = sealPeerSecrets(deps, { workspaceId, id: invite.id }, {
    symmetricKey: invite.symmetricKey,
    sealKey: invite.symmetricKey,
    apiKey: invite.apiKey,
  });
  const key = await newPeerKey(ctx, `peer ${invite.id}`, terms.maxSensitivity);
  const after = await ctx.tx(async (tx) => {
    await requireRoom(tx, true, invite.id);
    const row = await queries.findPeerRow(tx, invite.id, true);
    if (row !== undefined && row.removedAt === null) {
      throw new ServiceError("conflict", "Cannot join: the workspace has a peer of this id; remove it first");
    }
    await insertPeerKey(tx, key);
    return await storePeer(ctx, tx, {
      ...terms,
      id: invite.id,
      uid: row?.uid ?? uuidv7(tx.now),
      endpoint: invite.endpoint,
      remoteWorkspaceId: invite.workspace,
      region: invite.region,
      certPin: invite.certPin,
      certPinNext: null,
      clientCertPin: invite.clientCertPin ?? null,
      signingKey,
      signingKeyNext: null,
      secrets,
      inboundKeyId: key.keyId,
      by: ctx.actor,
    });
  });
  for (const run of after) run();
  return { apiKey: key.key };
}

function contextOf(workspaceId: string, id: string): string {
  return `federation invite ${workspaceId} ${id}`;
}
