/** Ed25519 (RFC 8032): signs with the instance's key, and verifies others' signatures strictly. */
import * as noble from "@noble/ed25519";
import { Buffer } from "node:buffer";
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { ServiceError } from "../errors.ts";

noble.hashes.sha512 = (message) => new Uint8Array(createHash("sha512").update(message).digest());

export interface SigningKey {
  /** The first 16 hex characters of the SHA-256 of the public key's SPKI. */
  readonly keyId: string;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** 64 bytes. */
  sign(message: Uint8Array): Uint8Array;
  /** The private key, for a library that signs by itself (RFC 8037). */
  exportJwk(): { readonly kty: string; readonly crv: string; readonly x: string; readonly d: string };
}

/**
 * Reads a private key in PEM (PKCS #8).
 * @throws ServiceError `validation_failed` when it is no key, or one of another kind.
 */
export function readSigningKey(pem: string): SigningKey {
  return toSigningKey(readKey(() => createPrivateKey(pem)));
}

/** The bytes before the 32 bytes of a private key in PKCS #8 (RFC 8410). */
const PKCS8_PREFIX = Uint8Array.fromHex("302e020100300506032b657004220420");

/** The private key of a seed, which is 32 bytes of randomness. */
export function signingKeyOf(seed: Uint8Array): SigningKey {
  const key = new Uint8Array([...PKCS8_PREFIX, ...seed]);
  return toSigningKey(createPrivateKey({ key: Buffer.from(key), format: "der", type: "pkcs8" }));
}

function toSigningKey(key: KeyObject): SigningKey {
  const publicKey = rawPublicKey(createPublicKey(key));
  return {
    keyId: keyIdOf(publicKey),
    publicKey,
    sign: (message) => sign(null, message, key),
    exportJwk: () => key.export({ format: "jwk" }) as ReturnType<SigningKey["exportJwk"]>,
  };
}

/** The bytes before the 32 bytes of a key in its SPKI (RFC 8410). */
const SPKI_PREFIX = Uint8Array.fromHex("302a300506032b6570032100");

/** The id of a public key: the first 16 hex characters of the SHA-256 of its SPKI. */
export function keyIdOf(publicKey: Uint8Array): string {
  return createHash("sha256").update(SPKI_PREFIX).update(publicKey).digest("hex").slice(0, 16);
}

/**
 * Reads a public key in PEM (SPKI), 32 bytes.
 * @throws ServiceError `validation_failed` when it is no key, of another kind, of low order or not canonical.
 */
export function readPublicKey(pem: string): Uint8Array {
  // The library would derive the public key from a private one, but whoever sends a private key has leaked it.
  if (pem.includes("PRIVATE")) throw new ServiceError("validation_failed", "Cannot read the key: it is a private key");
  const raw = rawPublicKey(readKey(() => createPublicKey(pem)));
  if (!isStrictKey(raw)) {
    throw new ServiceError("validation_failed", "Cannot read the key: its point is not acceptable");
  }
  return raw;
}

/** A public key of 32 bytes in PEM (SPKI). */
export function publicKeyPem(publicKey: Uint8Array): string {
  const spki = new Uint8Array([...SPKI_PREFIX, ...publicKey]).toBase64();
  return `-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----\n`;
}

/** Whether a signature is valid in the strict sense: canonical, of a key that is not of low order. Never throws. */
export function verifySignature(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    return isStrictKey(publicKey) && noble.verify(signature, message, publicKey, { zip215: false });
  } catch {
    return false;
  }
}

function isStrictKey(raw: Uint8Array): boolean {
  try {
    return raw.length === 32 && !noble.Point.fromBytes(raw, false).isSmallOrder();
  } catch {
    return false;
  }
}

function readKey(read: () => KeyObject): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch (cause) {
    throw new ServiceError("validation_failed", "Cannot read the key: it is not a PEM key", { cause });
  }
  if (key.asymmetricKeyType !== "ed25519") {
    throw new ServiceError("validation_failed", "Cannot read the key: it is not an Ed25519 key");
  }
  return key;
}

function rawPublicKey(key: KeyObject): Uint8Array {
  return Uint8Array.fromBase64(key.export({ format: "jwk" }).x!, { alphabet: "base64url" });
}
