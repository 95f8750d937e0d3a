/**
 * Tokens between instances. The token of a request proves which instance sends it, and covers receiver, method, URL and
 * body. The token of a reply proves the same of the reply, and names the request.
 */
import { randomBytes } from "node:crypto";
import type { Deps } from "../../../context.ts";
import { readToken, signToken, TokenFault, type UnverifiedToken, verifyToken } from "../../../crypto/compact_jws.ts";
import { equalSecrets, sha256 } from "../../../crypto/hash.ts";
import { ServiceError } from "../../../errors.ts";
import { InstanceId } from "../../../schema/federation_peer.ts";

export const TOKEN_HEADER = "x-svc-federation-token";
/** The header in which a peer without a signing key names itself; it also sends the API key that it was issued. */
export const PEER_HEADER = "x-svc-federation-peer";
/** How long a token is valid, in seconds. */
export const TOKEN_LIFETIME = 300;
/** The most that two clocks may differ, in seconds. */
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

/** Base64url SHA-256 of a body as it is sent; a missing body counts as zero bytes. */
export function payloadHash(body: Uint8Array | string): string {
  return sha256(body).toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Writes a URL in the form that both sides use. */
function canonicalUrl(url: string): string {
  return new URL(url).href;
}

/** A request for which a token is made. */
export interface OutgoingRequest {
  /** The instance that is called. */
  readonly to: string;
  /** In upper case. */
  readonly method: string;
  /** The whole URL that is called. */
  readonly url: string;
  readonly body: Uint8Array | string;
}

/**
 * Makes the token of a request. The reply's token must name its `jti`.
 * @throws ServiceError `unavailable` if the instance has no signing key
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

/** Makes an id of 128 random bits. */
function newJti(): string {
  return randomBytes(16).toString("base64url");
}

/**
 * Parses the token of a request. Nothing of it is verified yet.
 * @throws TokenFault
 */
export function readRequestToken(text: string): UnverifiedRequestToken & { readonly iss: string } {
  const token = readToken(text, REQUEST);
  const { iss } = token.claims;
  if (!InstanceId.safeParse(iss).success) throw new TokenFault("iss");
  return { ...token, iss: iss as string };
}

/** What a request's token is checked against. */
export interface IncomingRequest {
  /** The keys in the entry of the token's issuer, 32 bytes each. */
  readonly keys: readonly Uint8Array[];
  /** In upper case. */
  readonly method: string;
  /** The path with its query, as it arrived. */
  readonly target: string;
}

/** The members of a verified token that are checked when the body has been read. */
export interface RequestToken {
  readonly iss: string;
  readonly jti: string;
  readonly payloadHash: string;
  /** For how many seconds the token would still be accepted. */
  readonly secondsLeft: number;
}

/**
 * Verifies the signature of a token. If it holds, the claims are the issuer's, whatever they say.
 * @throws TokenFault
 */
export function verifyRequestSignature(token: UnverifiedRequestToken, keys: readonly Uint8Array[]): Promise<void> {
  return verifyToken(token, keys);
}

/**
 * Checks the claims of a genuine token against the request.
 * @throws TokenFault
 */
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

/** Whether a claim is an id of at least 128 bits, that is 22 characters. */
function isJti(jti: unknown): jti is string {
  return typeof jti === "string" && /^[A-Za-z0-9_-]{22,86}$/.test(jti);
}

/** Checks the times of a token. Returns `exp`. */
function checkTimes({ iat, exp }: { readonly iat: unknown; readonly exp: unknown }, now: Date): number {
  if (!Number.isSafeInteger(iat) || !Number.isSafeInteger(exp)) throw new TokenFault("times");
  const [from, until] = [iat as number, exp as number];
  if (from < 0 || until - from !== TOKEN_LIFETIME) throw new TokenFault("times");
  const seconds = now.getTime() / 1_000;
  if (from > seconds + CLOCK_LEEWAY || until < seconds - CLOCK_LEEWAY) throw new TokenFault("clock");
  return until;
}

/**
 * Whether the URL in a token is that of the request. The Host header does not count: the configuration says where this
 * instance is reached.
 */
function isOwnAddress(endpoint: string | undefined, htu: unknown, target: string): boolean {
  if (typeof htu !== "string") return false;
  const url = URL.parse(htu);
  if (url === null || url.href !== htu || url.hash !== "") return false;
  if (endpoint !== undefined) return htu === URL.parse(endpoint + target)?.href;
  return url.protocol === "https:" && url.username === "" && url.pathname + url.search === target;
}

/** Whether a body is the one for which a token was made; compares in constant time. */
export function isBodyOf({ payloadHash: claimed }: Pick<RequestToken, "payloadHash">, body: Uint8Array): boolean {
  return equalSecrets(claimed, payloadHash(body));
}

/** The request that a reply answers. */
export interface ReplyTo {
  /** The instance that asked. */
  readonly instance: string;
  readonly jti: string;
}

/** Makes the token of a reply; undefined if this instance has no signing key. */
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

/** A reply to check. */
export interface IncomingReply {
  /** The instance that was called. */
  readonly from: string;
  readonly keys: readonly Uint8Array[];
  /** The `jti` of the request's token. */
  readonly jti: string;
  readonly status: number;
  /** The bytes of the body as they arrived. */
  readonly body: Uint8Array;
}

/**
 * Verifies the token of a reply: the called instance signed it for this instance, this request, this status and this
 * body.
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
