/**
 * Tokens between instances. One on a request proves which instance sends it, for this receiver, method, address and body; one
 * on a reply proves the same of the reply, for this request.
 */
import { randomBytes } from "node:crypto";
import type { Deps } from "../../context.ts";
import { readToken, signToken, TokenFault, type UnverifiedToken, verifyToken } from "../../crypto/compact_jws.ts";
import { equalSecrets, sha256 } from "../../crypto/hash.ts";
import { ServiceError } from "../../errors.ts";
import { InstanceId } from "../../schema/federation_peer.ts";

export const TOKEN_HEADER = "x-svc-federation-token";
/** In seconds. */
export const TOKEN_LIFETIME = 300;
/** How far two clocks may be apart, in seconds. */
export const CLOCK_LEEWAY = 30;

const REQUEST = {
  typ: "svc-fed+jwt",
  claims: ["iss", "aud", "iat", "exp", "jti", "payload_hash", "htm", "htu"],
} as const;
const REPLY = {
  typ: "svc-fed-reply+jwt",
  claims: ["iss", "aud", "iat", "exp", "jti", "payload_hash", "req", "status"],
} as const;

export type UnverifiedRequestToken = UnverifiedToken<(typeof REQUEST.claims)[number]>;

/** Base64url SHA-256 of a body as it travels; of none, that of no bytes. */
export function payloadHash(body: Uint8Array | string): string {
  return sha256(body).toBase64({ alphabet: "base64url", omitPadding: true });
}

/** A URL as both sides write it. */
function canonicalUrl(url: string): string {
  return new URL(url).href;
}

export interface OutgoingRequest {
  /** The instance that is called. */
  readonly to: string;
  /** Upper case. */
  readonly method: string;
  /** Where it is called, whole. */
  readonly url: string;
  readonly body: Uint8Array | string;
}

/**
 * Makes the token of a request; `jti` is what the reply's token has to name.
 * @throws ServiceError `unavailable` when the instance has no key that signs
 */
export async function mintRequestToken(
  deps: Deps,
  { to, method, url, body }: OutgoingRequest,
): Promise<{ readonly token: string; readonly jti: string }> {
  const { signingKey, config, clock } = deps;
  if (signingKey === undefined) {
    throw new ServiceError(
      "unavailable",
      "Cannot call a peer: SVC_FEDERATION_PRIVATE_KEY is not set or cannot be read",
    );
  }
  const iat = Math.floor(clock().getTime() / 1_000);
  const jti = newJti();
  const token = await signToken(signingKey, REQUEST.typ, {
    iss: config.instanceId,
    aud: to,
    iat,
    exp: iat + TOKEN_LIFETIME,
    jti,
    payload_hash: payloadHash(body),
    htm: method,
    htu: canonicalUrl(url),
  });
  return { token, jti };
}

/** 128 random bits. */
function newJti(): string {
  return randomBytes(16).toString("base64url");
}

/** Takes the token of a request apart; nothing of it is believed yet. @throws TokenFault */
export function readRequestToken(text: string): UnverifiedRequestToken & { readonly iss: string } {
  const token = readToken(text, REQUEST);
  const { iss } = token.claims;
  if (!InstanceId.safeParse(iss).success) throw new TokenFault("iss");
  return { ...token, iss: iss as string };
}

/** What a request's token is held against. */
export interface IncomingRequest {
  /** The keys of the entry of the token's issuer, 32 bytes each. */
  readonly keys: readonly Uint8Array[];
  /** Upper case. */
  readonly method: string;
  /** The path with its query, as they arrived. */
  readonly target: string;
}

/** What of a genuine token is still to be done, when the body is there. */
export interface RequestToken {
  readonly iss: string;
  readonly jti: string;
  readonly payloadHash: string;
  /** Seconds until nobody takes the token any more. */
  readonly secondsLeft: number;
}

/**
 * Verifies the signature of a token. The claims of one that holds are its issuer's, whatever they say.
 * @throws TokenFault
 */
export function verifyRequestSignature(token: UnverifiedRequestToken, keys: readonly Uint8Array[]): Promise<void> {
  return verifyToken(token, keys);
}

/** Holds the claims of a genuine token against the request. @throws TokenFault */
export function checkRequestClaims(
  { config, clock }: Pick<Deps, "config" | "clock">,
  { claims }: UnverifiedRequestToken,
  { method, target }: Omit<IncomingRequest, "keys">,
): RequestToken {
  const { iss, aud, jti, payload_hash, htm, htu } = claims;
  if (aud !== config.instanceId) throw new TokenFault("aud");
  const exp = checkTimes(claims, clock());
  if (!isJti(jti)) throw new TokenFault("jti");
  if (htm !== method) throw new TokenFault("htm");
  if (!isOwnAddress(config.federation.endpoint, htu, target)) throw new TokenFault("htu");
  if (typeof payload_hash !== "string") throw new TokenFault("payload_hash");
  const secondsLeft = Math.ceil(exp + CLOCK_LEEWAY - clock().getTime() / 1_000);
  return { iss: iss as string, jti, payloadHash: payload_hash, secondsLeft };
}

/** 128 bits and more are 22 characters and more. */
function isJti(jti: unknown): jti is string {
  return typeof jti === "string" && /^[A-Za-z0-9_-]{22,86}$/.test(jti);
}

/** Answers `exp`. */
function checkTimes({ iat, exp }: { readonly iat: unknown; readonly exp: unknown }, now: Date): number {
  if (!Number.isSafeInteger(iat) || !Number.isSafeInteger(exp)) throw new TokenFault("times");
  const [from, until] = [iat as number, exp as number];
  if (from < 0 || until - from !== TOKEN_LIFETIME) throw new TokenFault("times");
  const seconds = now.getTime() / 1_000;
  if (from > seconds + CLOCK_LEEWAY || until < seconds - CLOCK_LEEWAY) throw new TokenFault("clock");
  return until;
}

/** What the request says of its host is not looked at: the configuration says where this instance is reached. */
function isOwnAddress(endpoint: string | undefined, htu: unknown, target: string): boolean {
  if (typeof htu !== "string") return false;
  const url = URL.parse(htu);
  if (url === null || url.href !== htu || url.hash !== "") return false;
  if (endpoint !== undefined) return htu === URL.parse(endpoint + target)?.href;
  return url.protocol === "https:" && url.username === "" && url.pathname + url.search === target;
}

/** Whether a body is the one that a token was made for, in constant time. */
export function isBodyOf({ payloadHash: claimed }: Pick<RequestToken, "payloadHash">, body: Uint8Array): boolean {
  return equalSecrets(claimed, payloadHash(body));
}

/** Whose request a reply answers. */
export interface ReplyTo {
  /** The instance that asked. */
  readonly instance: string;
  readonly jti: string;
}

/** The token of a reply; undefined where this instance has no key that signs. */
export async function mintReplyToken(
  { signingKey, config, clock }: Deps,
  to: ReplyTo,
  status: number,
  body: Uint8Array,
): Promise<string | undefined> {
  if (signingKey === undefined) return undefined;
  const iat = Math.floor(clock().getTime() / 1_000);
  return await signToken(signingKey, REPLY.typ, {
    iss: config.instanceId,
    aud: to.instance,
    iat,
    exp: iat + TOKEN_LIFETIME,
    jti: newJti(),
    payload_hash: payloadHash(body),
    req: to.jti,
    status,
  });
}

export interface IncomingReply {
  /** The instance that was called, and the keys of its entry. */
  readonly from: string;
  readonly keys: readonly Uint8Array[];
  /** The `jti` of the request's token. */
  readonly jti: string;
  readonly status: number;
  /** As it came. */
  readonly body: Uint8Array;
}

/**
 * Verifies the token of a reply: it is of the instance that was called, for this instance, of this request, status and body.
 * @throws TokenFault
 */
export async function checkReplyToken(deps: Deps, text: string, reply: IncomingReply): Promise<void> {
  const token = readToken(text, REPLY);
  const { iss, aud, payload_hash, req, status } = token.claims;
  if (iss !== reply.from) throw new TokenFault("iss");
  await verifyToken(token, reply.keys);
  if (aud !== deps.config.instanceId) throw new TokenFault("aud");
  checkTimes(token.claims, deps.clock());
  if (!isJti(token.claims.jti)) throw new TokenFault("jti");
  if (req !== reply.jti) throw new TokenFault("req");
  if (status !== reply.status) throw new TokenFault("status");
  if (typeof payload_hash !== "string" || !isBodyOf({ payloadHash: payload_hash }, reply.body)) {
    throw new TokenFault("payload_hash");
  }
}
