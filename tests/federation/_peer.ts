/**
 * A peer for tests. Its keys, entries and tokens are made by hand with `node:crypto`, never by the code under test, so
 * that a test can lie in every member.
 */
import { Buffer } from "node:buffer";
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import type { OperationContext } from "../../src/context.ts";
import { readPublicKey } from "../../src/crypto/ed25519.ts";
import { type NewPeer, putPeer } from "../../src/db/queries/federation_peers.ts";

export interface PeerKeys {
  readonly privateKey: KeyObject;
  /** In PEM. */
  readonly publicPem: string;
  readonly privatePem: string;
  readonly kid: string;
}

export function makePeerKeys(): PeerKeys {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return {
    privateKey,
    publicPem: publicKey.export({ format: "pem", type: "spki" }) as string,
    privatePem: privateKey.export({ format: "pem", type: "pkcs8" }) as string,
    kid: createHash("sha256").update(publicKey.export({ format: "der", type: "spki" })).digest("hex").slice(0, 16),
  };
}

export const b64url = (data: string | Uint8Array) => Buffer.from(data).toString("base64url");
export const hashOf = (body: string | Uint8Array) => createHash("sha256").update(body).digest("base64url");

export interface TokenParts {
  readonly header?: Record<string, unknown>;
  readonly claims?: Record<string, unknown>;
  /** Replaces the JSON of the header or of the claims. */
  readonly headerText?: string;
  readonly claimsText?: string;
}

export interface TokenFor {
  readonly keys: PeerKeys;
  readonly from: string;
  readonly to: string;
  readonly now: Date;
  readonly method?: string;
  readonly url: string;
  readonly body?: string | Uint8Array;
}

/** Makes the claims of a valid token. */
export function claimsFor({ from, to, now, method = "GET", url, body = "" }: TokenFor) {
  const iat = Math.floor(now.getTime() / 1_000);
  return {
    iss: from,
    aud: to,
    iat,
    exp: iat + 300,
    jti: randomBytes(16).toString("base64url"),
    payload_hash: hashOf(body),
    htm: method,
    htu: new URL(url).href,
  };
}

/** Makes a token; `parts` replaces members of the valid one. A member that is `undefined` is left out. */
export function makeToken(request: TokenFor, parts: TokenParts = {}): string {
  const header = { alg: "EdDSA", kid: request.keys.kid, typ: "svc-fed+jwt", ...parts.header };
  const claims = { ...claimsFor(request), ...parts.claims };
  const text = `${b64url(parts.headerText ?? JSON.stringify(header))}.${
    b64url(parts.claimsText ?? JSON.stringify(claims))
  }`;
  return `${text}.${b64url(sign(null, Buffer.from(text), request.keys.privateKey))}`;
}

/** What a usual peer has told in a handshake. */
export const GREETED = { region: "us-east-1", capabilities: ["digest-1", "plain-1", "push-1", "reply-token"] };

/** The members of a test's entry; the others have usual values. */
export interface EntryOptions extends Partial<NewPeer> {
  readonly id: string;
  readonly keys?: PeerKeys;
  /** Whether no handshake, of either side, was completed. */
  readonly isUnverified?: boolean;
}

/** Stores an entry in a workspace, approved, and verified unless `isUnverified`. */
export async function storePeer(ctx: OperationContext, options: EntryOptions): Promise<void> {
  const { keys, isUnverified = false, ...members } = options;
  await ctx.tx(async (tx) => {
    await putPeer(tx, {
      uid: crypto.randomUUID(),
      source: "stored",
      endpoint: `https://${options.id.slice("instance:".length)}`,
      state: "ACTIVE",
      approvedBy: "test",
      direction: "bidirectional",
      remoteWorkspaceId: ctx.workspaceId,
      region: null,
      maxSensitivity: "internal",
      conflictResolution: "manual",
      trustWeight: null,
      certPin: null,
      certPinNext: null,
      clientCertPin: null,
      signingKey: keys === undefined ? null : readPublicKey(keys.publicPem),
      signingKeyNext: null,
      secrets: null,
      inboundKeyId: null,
      ...members,
    });
    if (isUnverified) return;
    await tx.sql`
      update federation_peer set verified_at = now(), told = ${
      tx.sql.json(GREETED)
    } where workspace_id = ${tx.workspaceId} and id = ${options.id}`;
  });
}
