/** The headers of every reply for browsers and caches, unless its endpoint sets others. */
import type { LimitReport } from "../domain/access/request_load.ts";

/**
 * A reply is data of one workspace for the holder of its key. So no cache stores it (RFC 9111 would let a private cache
 * do so), and no browser guesses another type, runs anything in it or shows it in a frame.
 */
const DEFAULTS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

export function addReplyHeaders(headers: Headers): void {
  for (const [name, value] of Object.entries(DEFAULTS)) {
    if (!headers.has(name)) headers.set(name, value);
  }
}

/** A key's limit, and what is left of it. */
export interface RateLimitReport {
  readonly limit: { readonly perMinute: number; readonly burst: number };
  readonly state: { readonly remaining: number; readonly fullInSeconds: number };
}

/**
 * Adds the header fields of the IETF draft (draft-ietf-httpapi-ratelimit-headers-10), RFC 9651 structured fields. For
 * the rate: the requests per minute and in a burst, how many are left now, and the seconds until all are back. For the
 * other limits, the same in their own units.
 */
export function addLimitHeaders(
  headers: Headers,
  rate: RateLimitReport | undefined,
  others: readonly LimitReport[],
): void {
  const policies: string[] = [];
  const left: string[] = [];
  if (rate !== undefined) {
    const { limit, state } = rate;
    const refillSeconds = Math.ceil((60 * limit.burst) / limit.perMinute);
    policies.push(`"minute";q=${limit.perMinute};w=60`, `"burst";q=${limit.burst};w=${refillSeconds}`);
    left.push(`"burst";r=${state.remaining};t=${state.fullInSeconds}`);
  }
  for (const { name, quota, unit, remaining, fullInSeconds } of others) {
    const isTimed = fullInSeconds !== undefined;
    policies.push(`"${name}";q=${quota};qu="${unit}"${isTimed ? ";w=60" : ""}`);
    left.push(`"${name}";r=${remaining}${isTimed ? `;t=${fullInSeconds}` : ""}`);
  }
  if (policies.length === 0) return;
  headers.set("ratelimit-policy", policies.join(", "));
  headers.set("ratelimit", left.join(", "));
}
