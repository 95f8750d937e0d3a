/** What every reply says to browsers and caches, unless its endpoint says something else. */
import type { LimitReport } from "../domain/access/request_load.ts";

/**
 * Replies are data of one workspace, shown to whoever holds its key: no cache keeps them (RFC 9111 would let a private
 * cache do so), no browser takes them for another type, runs anything in them or shows them in a frame.
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
 * The header fields of the IETF draft (draft-ietf-httpapi-ratelimit-headers-10), RFC 9651 structured fields. Of the rate:
 * how many requests a minute and at once, how many are left now and in how many seconds all are. Of what is limited
 * beside it, the same in units of its own.
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
