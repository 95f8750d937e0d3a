/**
 * Changes a code, or a refresh token, for tokens, once. Whoever presents one a second time may have stolen it, or the first
 * one may have: so the grant ends (RFC 9700 §4.14).
 */
import { createHash } from "node:crypto";
import { createContext, type Deps, type OperationContext, type OperationRequest } from "../../../context.ts";
import { equalSecrets, sha256Hex } from "../../../crypto/hash.ts";
import { generateApiKey } from "../../../crypto/api_key.ts";
import { replaceSecret } from "../../../db/queries/api_keys.ts";
import * as queries from "../../../db/queries/oauth_grants.ts";
import type { Tx } from "../../../db/tx.ts";
import type { Scope } from "../../../schema/scopes.ts";
import { type GiverStanding, standingOf } from "../tokens/givers.ts";
import { issueToken } from "../tokens/issue.ts";
import { COMMAND_LINE } from "./clients.ts";
import { oauthFault } from "./faults.ts";
import { endGrant } from "./grants.ts";
import { isSecret, newSecret, type SecretKind } from "./secrets.ts";

/** How long an access token counts. */
const TOKEN_SECONDS = 3_600;
/** A grant that nobody uses for so long ends. */
const IDLE_SECONDS = 30 * 86_400;
/** As many used secrets of a grant are kept, to know them again. */
const USED_MAX = 100;

export interface PresentedSecret {
  readonly kind: SecretKind;
  readonly secret: string;
  readonly clientId: string;
  /** The service's own address, which becomes the token's issuer. */
  readonly issuer: string;
  /** Of a code: what hashes to its challenge. */
  readonly verifier?: string | undefined;
  /** Of a code: must be the one of the request, if it is given. */
  readonly redirectUri?: string | undefined;
  /** Must be that of the grant, if it is given. */
  readonly resource?: string | undefined;
  /** Fewer scopes than those of the grant, if they are given. */
  readonly scope?: string | undefined;
}

/** The reply of RFC 6749. The command line of this service gets a key, which does not expire and is not renewed. */
export interface Tokens {
  readonly access_token: string;
  readonly token_type: "Bearer";
  readonly expires_in?: number;
  readonly refresh_token?: string;
  readonly scope: string;
}

/**
 * Changes a secret for tokens.
 * @throws ServiceError with `invalid_grant` and the like; `rate_limited` after too many failures of the source
 */
export async function redeem(deps: Deps, request: OperationRequest, presented: PresentedSecret): Promise<Tokens> {
  const hash = sha256Hex(presented.secret);
  if (!isSecret(presented.secret, presented.kind)) throw unknownSecret(presented.kind);
  const attempt = await deps.failedAttempts.begin(request.address ?? "unknown", hash);
  let found: queries.FoundSecret | undefined;
  try {
    found = await deps.db.first((sql) => queries.findSecret(sql, hash));
  } catch (error) {
    await attempt.giveBack();
    throw error;
  }
  if (found === undefined) {
    attempt.fail();
    throw unknownSecret(presented.kind);
  }
  await attempt.giveBack();
  const ctx = contextOf(deps, found, request);
  return await change(ctx, hash, presented);
}

/** Whether a secret of this kind belongs to a grant. */
export async function isKnownSecret(deps: Deps, secret: string, kind: SecretKind): Promise<boolean> {
  if (!isSecret(secret, kind)) return false;
  return await deps.db.first((sql) => queries.findSecret(sql, sha256Hex(secret)), { readOnly: true }) !== undefined;
}

/** The context of a client in the workspace of its grant. */
export function contextOf(deps: Deps, { workspaceId, keyId }: queries.FoundSecret, request: OperationRequest) {
  const principal = { actor: `key:${keyId}`, workspaceId, scopes: new Set<Scope>(), maxSensitivity: "public" } as const;
  return createContext(deps, principal, request);
}

async function change(ctx: OperationContext, hash: string, presented: PresentedSecret): Promise<Tokens> {
  const { deps } = ctx;
  const seen = await ctx.tx((tx) => queries.readSecret(tx, hash), { readOnly: true });
  if (seen === undefined) throw unknownSecret(presented.kind);
  requireFitting(seen, presented);
  const standing = await standingOf(deps, `key:${seen.publicId}`, ctx.workspaceId);
  const scopes = standing === undefined ? [] : scopesOf(standing, presented.scope);
  const next = seen.clientId === COMMAND_LINE.id ? await newKey(ctx) : newRefresh();
  const ended = await ctx.tx(async (tx) => {
    const row = await queries.readSecret(tx, hash, { lock: true });
    if (row === undefined || row.usedAt !== null) {
      return await endGrant(tx, seen.keyId, `${SAID[seen.kind]} was used twice`);
    }
    if (row.expiresAt <= tx.now || standing === undefined) throw expired(row.kind);
    await queries.useSecret(tx, hash);
    await next.store(tx, row);
    return undefined;
  });
  // What was known of the grant is no longer true.
  for (const publicId of ended ?? [seen.publicId]) deps.verifiedKeys.evict(publicId);
  if (ended !== undefined || standing === undefined) {
    throw oauthFault("invalid_grant", `Cannot give a token: ${SAID[seen.kind]} was used before; the grant has ended`);
  }
  const scope = scopes.join(" ");
  if (next.kind === "key") return { access_token: next.text, token_type: "Bearer", scope };
  const { token } = await issueToken(deps, {
    issuer: presented.issuer,
    audience: seen.resource,
    subject: ctx.actor,
    clientId: seen.clientId,
    grant: `key:${seen.publicId}`,
    name: seen.name,
    workspaceId: ctx.workspaceId,
    region: standing.region,
    scopes,
    maxSensitivity: standing.maxSensitivity,
    seconds: TOKEN_SECONDS,
  });
  return { access_token: token, token_type: "Bearer", expires_in: TOKEN_SECONDS, refresh_token: next.text, scope };
}

/** What a client gets to keep: it is stored in the transaction that uses up what the client had. */
interface NextSecret {
  readonly kind: "refresh" | "key";
  readonly text: string;
  readonly store: (tx: Tx, used: queries.SecretRow) => Promise<void>;
}

function newRefresh(): NextSecret {
  const text = newSecret("refresh");
  return {
    kind: "refresh",
    text,
    async store(tx, { keyId, expiresAt: from }) {
      const until = new Date(tx.now.getTime() + IDLE_SECONDS * 1_000);
      await queries.insertSecret(tx, { secretHash: sha256Hex(text), keyId, kind: "refresh", expiresAt: until });
      await queries.deleteOldSecrets(tx, keyId, USED_MAX);
      await queries.extendGrant(tx, keyId, { from, until });
    },
  };
}

/** Programs of the command line run side by side and seldom: they could not renew one token together. */
async function newKey({ deps, signal }: OperationContext): Promise<NextSecret> {
  const { key: text, publicId, secret } = generateApiKey("svc_live_");
  const secretHash = await deps.argon2id.hash(secret, signal);
  return {
    kind: "key",
    text,
    async store(tx, { keyId, expiresAt: from }) {
      await replaceSecret(tx, keyId, { publicId, secretHash }, undefined);
      await queries.extendGrant(tx, keyId, { from, until: null });
    },
  };
}

const SAID = { code: "the code", refresh: "the refresh token", device: "the device's code" } as const;

/** Refuses a secret that the client may not change. It stays unused: whoever found it elsewhere cannot use it up. */
function requireFitting(row: queries.SecretRow, presented: PresentedSecret): void {
  const { kind, clientId, redirectUri, resource, verifier = "" } = presented;
  if (row.kind !== kind || row.clientId !== clientId) {
    throw oauthFault("invalid_grant", `Cannot give a token: ${SAID[kind]} is another client's`);
  }
  if (resource !== undefined && resource.replace(/\/$/, "") !== row.resource) {
    throw oauthFault("invalid_target", "Cannot give a token: the grant is for another resource");
  }
  if (kind !== "code") return;
  if (redirectUri !== undefined && redirectUri !== row.redirectUri) {
    throw oauthFault("invalid_grant", "Cannot give a token: the redirect_uri is not that of the request");
  }
  const isProven = /^[\w.~-]{43,128}$/.test(verifier) &&
    equalSecrets(createHash("sha256").update(verifier).digest("base64url"), row.challenge!);
  if (!isProven) throw oauthFault("invalid_grant", "Cannot give a token: the code_verifier is not that of the request");
}

function scopesOf({ scopes }: GiverStanding, asked: string | undefined): Scope[] {
  const all = [...scopes].sort();
  if (asked === undefined || asked.trim() === "") return all;
  const wanted = asked.split(" ");
  const some = all.filter((scope) => wanted.includes(scope));
  if (some.length > 0) return some;
  throw oauthFault("invalid_scope", "Cannot give a token: the grant has none of these scopes");
}

function unknownSecret(kind: SecretKind) {
  return oauthFault("invalid_grant", `Cannot give a token: ${SAID[kind]} is not known`);
}

function expired(kind: SecretKind) {
  return oauthFault("invalid_grant", `Cannot give a token: ${SAID[kind]} or its grant has ended`);
}
