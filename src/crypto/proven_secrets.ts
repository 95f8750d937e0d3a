/**
 * Which token was verified against which stored hash. That a secret belongs to a hash stays true for ever, so a key in use
 * needs one Argon2id hash in the life of a process; whether the hash is still valid is in the key's row, which is read
 * again each time.
 */
import { randomBytes } from "node:crypto";
import { TokenHmac } from "./verified_keys.ts";

/** Beyond this the one that was proven longest ago goes first. */
const ENTRIES_MAX = 10_000;

/** As in `VerifiedKeys`, tokens stand here as HMACs under a random key of this process. */
export class ProvenSecrets {
  readonly #hmac = new TokenHmac(randomBytes(32));
  readonly #hashes = new Map<string, string>();

  /** The stored hash that this very token was verified against last. */
  hashOf(token: string): string | undefined {
    return this.#hashes.get(this.#hmac.digest(token));
  }

  /** Notes that the token's secret is the one behind `secretHash`. */
  note(token: string, secretHash: string): void {
    const digest = this.#hmac.digest(token);
    this.#hashes.delete(digest);
    if (this.#hashes.size >= ENTRIES_MAX) this.#hashes.delete(this.#hashes.keys().next().value!);
    this.#hashes.set(digest, secretHash);
  }

  /** The token is refused: whoever presents it again is counted like anybody. */
  forget(token: string): void {
    this.#hashes.delete(this.#hmac.digest(token));
  }
}
