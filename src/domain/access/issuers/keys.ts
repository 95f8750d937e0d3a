/**
 * The public keys of an issuer. They are fetched when the first token comes, again every ten minutes, and when a token names
 * a key that nobody knows; but however many such tokens come, at most every thirty seconds. While the issuer is away the
 * known keys go on counting for a day; without any, no token counts.
 */
import { createLocalJWKSet, errors, type JWK, type JWTHeaderParameters, type JWTVerifyGetKey } from "jose";
import type { Deps } from "../../../context.ts";
import { ServiceError } from "../../../errors.ts";
import type { TokenIssuerEntry } from "../../../schema/token_issuer.ts";
import { issuerAway } from "../../../telemetry/events.ts";
import { perService } from "../../common/per_service.ts";
import { IssuerError, readFromIssuer } from "./ask.ts";
import { fetchMetadata } from "./metadata.ts";

/** The keys are asked for again after this time, while the known ones go on. */
const FRESH_MS = 600_000;
/** Keys that could not be fetched again for so long count no longer. */
const STALE_MAX_MS = 86_400_000;
/** The least time between two questions, and after one that failed. */
const FLOOR_MS = 30_000;
const FLOOR_AFTER_FAULT_MS = 5_000;
const KEYS_MAX = 100;

interface KnownKeys {
  readonly find: JWTVerifyGetKey;
  readonly fetchedAtMs: number;
}

const allKeysOf = perService(() => new Map<string, IssuerKeys>());

/** The keys of a configured issuer; all that verify by them share what was fetched. */
export function keysOf(deps: Deps, entry: TokenIssuerEntry): IssuerKeys {
  const all = allKeysOf(deps);
  const known = all.get(entry.issuer) ?? new IssuerKeys(deps, entry);
  all.set(entry.issuer, known);
  return known;
}

type Parts = Pick<Deps, "outbound" | "stopping" | "clock" | "telemetry">;

export class IssuerKeys {
  readonly #deps: Parts;
  readonly #entry: TokenIssuerEntry;
  #known: KnownKeys | undefined;
  #askedAtMs = -Infinity;
  #fault: unknown;
  #asking: Promise<void> | undefined;

  constructor(deps: Parts, entry: TokenIssuerEntry) {
    this.#deps = deps;
    this.#entry = entry;
  }

  /**
   * Finds the key that a token's head names.
   * @throws ServiceError `unavailable` while no keys are known; an error of jose when there is no such key
   */
  readonly find: JWTVerifyGetKey = async (head, token) => {
    const keys = await this.#current();
    try {
      return await keys.find(head, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // The issuer may have changed its keys since.
      await this.#ask();
      if (this.#known === undefined || this.#known === keys) throw error;
      return await this.#known.find(head as JWTHeaderParameters, token);
    }
  };

  async #current(): Promise<KnownKeys> {
    const ageMs = this.#ageMs();
    if (ageMs > STALE_MAX_MS) await this.#ask();
    else if (ageMs > FRESH_MS) void this.#ask();
    if (this.#known !== undefined && this.#ageMs() <= STALE_MAX_MS) return this.#known;
    throw new ServiceError("unavailable", "Cannot check the token: the keys of its issuer cannot be fetched", {
      cause: this.#fault,
    });
  }

  #ageMs(): number {
    return this.#known === undefined ? Infinity : this.#deps.clock().getTime() - this.#known.fetchedAtMs;
  }

  /** Fetches the keys, unless they were asked for a moment ago. All who wait share one question; it never throws. */
  async #ask(): Promise<void> {
    if (this.#asking !== undefined) return await this.#asking;
    const nowMs = this.#deps.clock().getTime();
    const floorMs = this.#fault === undefined ? FLOOR_MS : FLOOR_AFTER_FAULT_MS;
    if (nowMs - this.#askedAtMs < floorMs && nowMs >= this.#askedAtMs) return;
    this.#askedAtMs = nowMs;
    this.#asking = this.#fetch().finally(() => this.#asking = undefined);
    await this.#asking;
  }

  async #fetch(): Promise<void> {
    try {
      const url = this.#entry.jwksUri ?? (await fetchMetadata(this.#deps, this.#entry))["jwks_uri"];
      if (typeof url !== "string") throw new IssuerError("its metadata names no jwks_uri");
      const { keys } = await readFromIssuer(this.#deps, this.#entry, url);
      const find = createLocalJWKSet({ keys: publicKeys(keys) });
      this.#known = { find, fetchedAtMs: this.#deps.clock().getTime() };
      this.#fault = undefined;
    } catch (error) {
      this.#fault = error;
      const known = this.#known !== undefined;
      issuerAway(this.#deps.telemetry.log, { issuer: this.#entry.name, known, error });
    }
  }
}

/** The keys that verify signatures. What is secret, or for encryption, is left out. @throws IssuerError */
function publicKeys(keys: unknown): JWK[] {
  const isPublic = (key: unknown): key is JWK =>
    typeof key === "object" && key !== null && "kty" in key && ["RSA", "EC", "OKP"].includes(String(key.kty)) &&
    !("d" in key) && !("use" in key && key.use !== "sig");
  const found = Array.isArray(keys) ? keys.filter(isPublic) : [];
  if (found.length > 0 && found.length <= KEYS_MAX) return found;
  throw new IssuerError(`it has ${found.length} keys that verify tokens, and may have 1 to ${KEYS_MAX}`);
}
