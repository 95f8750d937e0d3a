/**
 * Tokens in the compact form of JWS (RFC 7515), signed with Ed25519.
 *
 * `jose` makes and verifies them. It accepts several texts for one token, and headers that tell it how to verify. So
 * `readToken` first checks that a text has the one form that this service writes, and `verifyToken` verifies the
 * signature by strict rules as well.
 */
import { CompactSign, compactVerify, importJWK } from "jose";
import { Buffer } from "node:buffer";
import { parseJson } from "../schema/json_text.ts";
import { keyIdOf, type SigningKey, verifySignature } from "./ed25519.ts";
import { readBase64Url } from "./jwt.ts";

export const TOKEN_BYTES_MAX = 4_096;
const ALG = "EdDSA";

/** Names the check that a token failed. The log shows it; the caller never learns it. */
export class TokenFault extends Error {
  constructor(readonly check: string) {
    super(`the token failed the check: ${check}`);
    this.name = "TokenFault";
  }
}

/** A token whose form is right and whose signature is not verified yet. */
export interface UnverifiedToken<Claim extends string> {
  readonly text: string;
  readonly kid: string;
  readonly claims: Readonly<Record<Claim, unknown>>;
}

/** The first byte of a JSON object. */
const OPENING = "{".charCodeAt(0);

/** The form of one kind of token. */
export interface TokenForm<Claim extends string> {
  readonly typ: string;
  /** The claims that a token must have, and no other ones. */
  readonly claims: readonly Claim[];
}

/**
 * Parses a token without verifying its signature. It has at most 4 KiB and three parts in base64url, without padding or
 * unused bits; its header has exactly `alg`, `typ` and `kid`, and its claims are exactly those of the form.
 * @throws TokenFault `size`, `form`, `header`, `claims`
 */
export function readToken<Claim extends string>(text: string, form: TokenForm<Claim>): UnverifiedToken<Claim> {
  if (text.length > TOKEN_BYTES_MAX) throw new TokenFault("size");
  const parts = text.split(".");
  if (parts.length !== 3) throw new TokenFault("form");
  const [header, claims, signature] = parts.map(readPart) as [Uint8Array, Uint8Array, Uint8Array];
  if (signature.length !== 64) throw new TokenFault("form");
  const { alg, typ, kid } = readMembers(header, ["alg", "typ", "kid"], "header");
  if (alg !== ALG || typ !== form.typ || typeof kid !== "string" || !/^[0-9a-f]{16}$/.test(kid)) {
    throw new TokenFault("header");
  }
  return { text, kid, claims: readMembers(claims, form.claims, "claims") };
}

/** Decodes a part; refuses every text except the one canonical encoding of its bytes. */
function readPart(text: string): Uint8Array {
  const bytes = readBase64Url(text);
  if (bytes === undefined) throw new TokenFault("form");
  return bytes;
}

function readMembers<Name extends string>(
  bytes: Uint8Array,
  names: readonly Name[],
  check: string,
): Record<Name, unknown> {
  let value: unknown;
  // A token has one text, so no byte order mark stands before it.
  if (bytes[0] !== OPENING) throw new TokenFault(check);
  try {
    value = parseJson(bytes);
  } catch {
    throw new TokenFault(check);
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw new TokenFault(check);
  const given = Object.keys(value);
  if (given.length !== names.length || !names.every((name) => Object.hasOwn(value, name))) throw new TokenFault(check);
  return value as Record<Name, unknown>;
}

/**
 * Verifies a token with the key that its `kid` names, by strict Ed25519 rules and by `jose`.
 * @param keys the keys that may have signed it, 32 bytes each
 * @throws TokenFault `kid`, `signature`
 */
export async function verifyToken(token: UnverifiedToken<string>, keys: readonly Uint8Array[]): Promise<void> {
  const key = keys.find((one) => keyIdOf(one) === token.kid);
  if (key === undefined) throw new TokenFault("kid");
  const end = token.text.lastIndexOf(".");
  const signature = Buffer.from(token.text.slice(end + 1), "base64url");
  if (!verifySignature(signature, new TextEncoder().encode(token.text.slice(0, end)), key)) {
    throw new TokenFault("signature");
  }
  try {
    const x = key.toBase64({ alphabet: "base64url", omitPadding: true });
    await compactVerify(token.text, await importJWK({ kty: "OKP", crv: "Ed25519", x }, ALG), { algorithms: [ALG] });
  } catch {
    throw new TokenFault("signature");
  }
}

/** Signs claims. The members are sorted by name, so that equal claims make equal tokens. */
export async function signToken(
  key: SigningKey,
  typ: string,
  claims: Readonly<Record<string, string | number>>,
): Promise<string> {
  const sorted = Object.fromEntries(Object.entries(claims).sort(([a], [b]) => a < b ? -1 : 1));
  return await new CompactSign(new TextEncoder().encode(JSON.stringify(sorted)))
    .setProtectedHeader({ alg: ALG, kid: key.keyId, typ })
    .sign(await importJWK(key.exportJwk(), ALG));
}
