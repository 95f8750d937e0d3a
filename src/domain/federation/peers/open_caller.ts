/**
 * The first half of identifying the sender of a request between instances: its API key, or its client certificate,
 * opens a workspace and determines which of its peers may send the request.
 */
import { createContext, type Deps, type OperationContext, type Principal } from "../../../context.ts";
import { TokenFault } from "../../../crypto/compact_jws.ts";
import { isInvitedKey } from "../../../db/queries/federation_invites.ts";
import { findWorkspace } from "../../../db/queries/workspaces.ts";
import { ServiceError } from "../../../errors.ts";
import type { Scope } from "../../../schema/scopes.ts";
import { looksLikeUuid } from "../../../schema/uuid.ts";
import { type AccessRequest, authorize } from "../../access/authorize.ts";
import { readBearerToken } from "../../access/bearer_tokens.ts";
import { readCaller } from "../../access/caller.ts";
import { readBearer, refusedCredentials, refuseRegion, refuseSuspended } from "../../access/credentials.ts";
import { auditTrailOf, type subjectOf } from "../../audit/trail.ts";
import { clientPinsOf, findPeerOfKey, listPeers, type Peer, signingKeysOf } from "./peers.ts";
import { readRequestToken, type ReplyTo, TOKEN_HEADER, verifyRequestSignature } from "./token.ts";

/** The callers that an operation admits besides approved and verified peers; see `PeerAdmission` of operations. */
type Admits = readonly ("key_holder" | "unverified" | "stranger")[];

/** A request between instances, and what its operation admits. */
export interface PeerAccess extends Omit<AccessRequest, "bearer" | "ticket" | "access"> {
  readonly access: Scope;
  readonly admits: Admits;
  /** In upper case. */
  readonly method: string;
  /** The path with its query, as it arrived. */
  readonly target: string;
  /** The token to check in place of the one in the headers; null: none. */
  readonly token?: string | null;
  /**
   * Called as soon as the caller's signature holds, with what a reply token needs; also if the request is refused
   * later.
   */
  readonly onProven?: (to: ReplyTo) => void;
}

/** What the key or the certificate has opened, before the token is checked. */
export interface Opened {
  readonly ctx: OperationContext;
  /** The peer whose certificate this is, or to which the key was issued. */
  readonly bound: Peer | undefined;
  /** Whether the key belongs to an invitation: then it opens nothing without a token. */
  readonly isInvited?: boolean;
}

/**
 * Opens a workspace by the API key or the client certificate of a request.
 * @throws ServiceError `unauthenticated`, `ip_not_allowed`, `wrong_region`, `workspace_suspended`, `insufficient_scope`,
 *   `rate_limited`
 */
export function openCaller(deps: Deps, access: PeerAccess): Promise<Opened> {
  return access.headers.has("authorization") ? openByKey(deps, access) : openByCertificate(deps, access);
}

async function openByKey(deps: Deps, access: PeerAccess): Promise<Opened> {
  // An admin's grant lets its holder look into a workspace, not act as another instance; so does a person's token.
  if (readBearer(access.headers).startsWith("mk_admin_")) throw refusedCredentials();
  if (readBearerToken(access.headers) !== undefined) {
    throw refusedCredentials("it has a token; another instance presents the key of a workspace");
  }
  const ctx = await authorize(deps, access);
  const keyId = ctx.actor.slice("key:".length);
  return await ctx.tx(async (tx) => ({
    ctx,
    bound: await findPeerOfKey(deps, tx, keyId),
    isInvited: await isInvitedKey(tx, keyId),
  }), { readOnly: true });
}

/** Identifies a caller without an API key. It names the workspace in the URL, which the token covers. */
async function openByCertificate(deps: Deps, access: PeerAccess): Promise<Opened> {
  const { address, certificatePin } = readCaller(access.headers, access.remoteAddress, deps.config.trustedProxyIp);
  const workspaceId = new URL(access.target, "https://any").searchParams.get("workspace");
  if (certificatePin === undefined || workspaceId === null || !looksLikeUuid(workspaceId)) throw refusedCredentials();
  const attempt = await deps.failedAttempts.begin(address ?? "unknown", `certificate of ${address}`);
  const found = await readEntries(deps, workspaceId, access.signal).catch(async (error) => {
    // The database failed, not the caller.
    await attempt.giveBack();
    throw error;
  });
  const now = deps.clock();
  const bound = found.peers.find((peer) =>
    peer.approvedAt !== null && clientPinsOf(peer, now).includes(certificatePin)
  );
  if (bound === undefined) {
    attempt.fail();
    throw await refusePin(deps, access, found.peers, { workspaceId, address });
  }
  await attempt.giveBack();
  refuseRegion(deps, { region: found.workspace?.region ?? null });
  refuseSuspended({ isSuspended: (found.workspace?.suspendedAt ?? null) !== null });
  const { scopes, maxSensitivity } = rightsOf(bound);
  const principal = { actor: actorOf(bound), workspaceId, scopes, maxSensitivity };
  return { ctx: createContext(deps, principal, { ...access, address, certificatePin }), bound };
}

function readEntries(deps: Deps, workspaceId: string, signal: AbortSignal) {
  const nobody = { workspaceId, maxSensitivity: "public", actor: "anonymous" } as const;
  return deps.db.tx(nobody, async (tx) => ({
    workspace: await findWorkspace(tx),
    peers: await listPeers(deps, tx),
  }), { readOnly: true, signal });
}

/**
 * Makes the refusal of a certificate that belongs to no peer. If a valid token proves which peer sends it, the audit
 * log notes the refusal; the requests of strangers are not noted.
 */
async function refusePin(
  deps: Deps,
  access: PeerAccess,
  peers: readonly Peer[],
  { workspaceId, address }: { readonly workspaceId: string; readonly address: string | undefined },
): Promise<ServiceError> {
  try {
    const token = readRequestToken(access.headers.get(TOKEN_HEADER) ?? "");
    const peer = peers.find(({ id }) => id === token.iss);
    if (peer !== undefined) {
      await verifyRequestSignature(token, signingKeysOf(peer, deps.clock()));
      const subject = { actor: actorOf(peer), operationId: access.operationId, requestId: access.requestId, address };
      noteWrongPin(deps, workspaceId, subject, peer);
    }
  } catch (error) {
    if (!(error instanceof TokenFault)) throw error;
  }
  return wrongCertificate();
}

/** Notes in the audit log that a peer came with a certificate that its entry does not have. */
export function noteWrongPin(deps: Deps, workspaceId: string, subject: ReturnType<typeof subjectOf>, peer: Peer): void {
  auditTrailOf(deps).note(workspaceId, subject, {
    eventType: "federation_cert_pin_mismatch",
    outcome: "unauthenticated",
    targets: [peer.uid],
    detail: { peer: peer.id },
  });
}

/** The refusal of a certificate; its text is the same for every caller. */
export function wrongCertificate(): ServiceError {
  const { code, message, headers } = refusedCredentials();
  return new ServiceError(code, message, { headers: { ...headers, connection: "close" } });
}

/** Returns the name under which a peer acts. */
export function actorOf({ id }: Pick<Peer, "id">): string {
  return `peer:${id}`;
}

/** Returns the scopes and the clearance of a peer. */
export function rightsOf(peer: Peer): Pick<Principal, "scopes" | "maxSensitivity"> {
  return { scopes: new Set(["federation"]), maxSensitivity: peer.maxSensitivity };
}
