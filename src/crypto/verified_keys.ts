/** Remembers keys whose secret was verified a moment ago, so that only one request a minute pays for Argon2id. */
import { hash, randomBytes } from "node:crypto";

/** An entry of the cache. */
interface VerifiedKey<T> {
  readonly publicId: string;
  readonly value: T;
  readonly expiresAtMs: number;
}

export interface VerifiedKeysOptions<T> {
  readonly clock: () => Date;
  /** How long a verification counts, in seconds. Default 60. */
  readonly ttlSeconds?: number;
  /** Beyond this number, the one that was verified longest ago is dropped first. Default 10,000. */
  readonly entriesMax?: number;
  /** Called when a key, or without an id any key, has to be verified again. */
  readonly onEvict?: (publicId: string | undefined) => void;
  /** The public id of the key that a result stands for, where only the result names it. */
  readonly publicIdOf?: (value: T) => string | undefined;
}

/**
 * Maps tokens to the results of their verification (`T`: the principal). The map's keys are HMAC-SHA-256 of the tokens
 * under a random key of this process: a memory dump holds no token, and the time of a lookup reveals nothing about one.
 *
 * A revocation (`evict`, `clear`) also reaches running verifications: their results are not kept.
 */
export class VerifiedKeys<T> {
  readonly #hmac = new TokenHmac(randomBytes(32));
  readonly #entries = new Map<string, VerifiedKey<T>>();
  readonly #tokensOf = new Map<string, Set<string>>();
  readonly #running = new Map<string, Running<T>>();
  readonly #clock: () => Date;
  readonly #ttlMs: number;
  readonly #entriesMax: number;
  readonly #onEvict: VerifiedKeysOptions<T>["onEvict"];
  readonly #publicIdOf: VerifiedKeysOptions<T>["publicIdOf"];

  constructor({ clock, ttlSeconds = 60, entriesMax = 10_000, onEvict, publicIdOf }: VerifiedKeysOptions<T>) {
    this.#clock = clock;
    this.#ttlMs = ttlSeconds * 1_000;
    this.#entriesMax = entriesMax;
    this.#onEvict = onEvict;
    this.#publicIdOf = publicIdOf;
  }

  /** The number of tokens held, including expired ones. */
  get size(): number {
    return this.#entries.size;
  }

  /** The result of this token's verification, at most 60 s old. */
  get(token: string): T | undefined {
    return this.#find(this.#digest(token));
  }

  /**
   * Returns the result of the token's verification: from the cache, from a running verification of the same token, or
   * from `verify`. `undefined` (not genuine) and errors reach everyone who waits and are not kept.
   * @param publicId of the key; undefined if only the result names it
   * @param verify is shared by all who present the token, so it must not depend on one caller's signal
   */
  resolve(token: string, publicId: string | undefined, verify: () => Promise<T | undefined>): Promise<T | undefined> {
    const digest = this.#digest(token);
    const value = this.#find(digest);
    if (value !== undefined) return Promise.resolve(value);
    const running = this.#running.get(digest);
    if (running !== undefined) return running.result;
    return this.#start(digest, publicId, verify);
  }

  /** Forgets every token of one key, because it was revoked or its rights changed. */
  evict(publicId: string): void {
    for (const digest of this.#tokensOf.get(publicId) ?? []) this.#entries.delete(digest);
    this.#tokensOf.delete(publicId);
    for (const [digest, running] of this.#running) {
      // Nobody knows yet whose the others are.
      if (running.publicId === publicId || running.publicId === undefined) this.#revoke(digest, running);
    }
    this.#onEvict?.(publicId);
  }

  /** Forgets everything, because notifications of revocations may have been missed. */
  clear(): void {
    this.#entries.clear();
    this.#tokensOf.clear();
    for (const [digest, running] of this.#running) this.#revoke(digest, running);
    this.#onEvict?.(undefined);
  }

  #start(digest: string, publicId: string | undefined, verify: () => Promise<T | undefined>): Promise<T | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<T | undefined>();
    const running: Running<T> = { publicId, isRevoked: false, result: promise };
    this.#running.set(digest, running);
    const end = () => {
      if (this.#running.get(digest) === running) this.#running.delete(digest);
    };
    // In a promise chain, so that a `verify` that throws before its first await ends like any other.
    Promise.resolve().then(verify).then((value) => {
      end();
      const id = value === undefined ? undefined : publicId ?? this.#publicIdOf?.(value);
      if (value !== undefined && id !== undefined && !running.isRevoked) this.#keep(digest, id, value);
      resolve(value);
    }, (error) => {
      end();
      reject(error);
    });
    return promise;
  }

  /** Later callers verify again. */
  #revoke(digest: string, running: Running<T>): void {
    running.isRevoked = true;
    this.#running.delete(digest);
  }

  #find(digest: string): T | undefined {
    const entry = this.#entries.get(digest);
    if (entry === undefined) return undefined;
    if (entry.expiresAtMs > this.#clock().getTime()) return entry.value;
    this.#forget(digest, entry);
  }

  #keep(digest: string, publicId: string, value: T): void {
    const oldest = this.#entries.entries().next();
    if (!oldest.done && this.#entries.size >= this.#entriesMax) this.#forget(...oldest.value);
    this.#entries.set(digest, { publicId, value, expiresAtMs: this.#clock().getTime() + this.#ttlMs });
    const tokens = this.#tokensOf.get(publicId);
    if (tokens === undefined) this.#tokensOf.set(publicId, new Set([digest]));
    else tokens.add(digest);
  }

  #forget(digest: string, { publicId }: VerifiedKey<T>): void {
    this.#entries.delete(digest);
    const tokens = this.#tokensOf.get(publicId);
    tokens?.delete(digest);
    if (tokens?.size === 0) this.#tokensOf.delete(publicId);
  }

  #digest(token: string): string {
    return this.#hmac.digest(token);
  }
}

/** A verification that has not ended. */
interface Running<T> {
  readonly publicId: string | undefined;
  readonly result: Promise<T | undefined>;
  isRevoked: boolean;
}

const BLOCK_BYTES = 64, HASH_BYTES = 32;
const encoder = new TextEncoder();

/**
 * HMAC-SHA-256 (RFC 2104) with one key, for texts. Every request asks for one, and two hashes, each made by one call,
 * take a quarter of the time of `createHmac`.
 */
export class TokenHmac {
  readonly #inner: Uint8Array;
  readonly #outer: Uint8Array;

  /** @param key 64 bytes at most */
  constructor(key: Uint8Array) {
    if (key.length > BLOCK_BYTES) throw new RangeError(`Cannot use the key: it is longer than ${BLOCK_BYTES} bytes`);
    this.#inner = new Uint8Array(BLOCK_BYTES).fill(0x36);
    this.#outer = new Uint8Array(BLOCK_BYTES + HASH_BYTES).fill(0x5c, 0, BLOCK_BYTES);
    for (let i = 0; i < key.length; i++) {
      this.#inner[i]! ^= key[i]!;
      this.#outer[i]! ^= key[i]!;
    }
  }

  /** The text's HMAC in base64. */
  digest(text: string): string {
    const bytes = encoder.encode(text);
    const message = new Uint8Array(BLOCK_BYTES + bytes.length);
    message.set(this.#inner);
    message.set(bytes, BLOCK_BYTES);
    this.#outer.set(Uint8Array.fromHex(hash("sha256", message, "hex")), BLOCK_BYTES);
    return hash("sha256", this.#outer, "base64");
  }
}
