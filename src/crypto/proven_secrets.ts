/**
 * Remembers which token was verified against which stored hash. A match stays true for ever, so a key in use needs one
 * Argon2id hash during the life of a process; whether the hash is still valid is in the key's row, which is read each
 * time.
 */
import { randomBytes } from "node:crypto";
import { TokenHmac } from "./verified_keys.ts";

/** Beyond this number, the one that was proven longest ago is dropped first. */
const ENTRIES_MAX = 10_000;

/** As in `VerifiedKeys`, tokens are stored as HMACs under a random key of this process. */
export class ProvenSecrets {
  readonly #hmac = new TokenHmac(randomBytes(32));
  readonly #hashes = new Map<string, string>();

  /** The stored hash against which this token was last verified. */
  hashOf(token: string): string | undefined {
    return this.#hashes.get(this.#hmac.digest(token));
  }

  /** Notes that the token's secret matches `secretHash`. */
  note(token: string, secretHash: string): void {
    const digest = this.#hmac.digest(token);
    this.#hashes.delete(digest);
    if (this.#hashes.size >= ENTRIES_MAX) this.#hashes.delete(this.#hashes.keys().next().value!);
    this.#hashes.set(digest, secretHash);
  }

  /** Forgets a refused token: its next use counts like any other attempt. */
  forget(token: string): void {
    this.#hashes.delete(this.#hmac.digest(token));
  }
}
