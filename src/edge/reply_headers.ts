/** What every reply says to browsers and caches, unless its endpoint says something else. */

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
 * The header fields of the IETF draft (draft-ietf-httpapi-ratelimit-headers-10), RFC 9651 structured fields: how many
 * requests a minute and at once, how many are left now and in how many seconds all are.
 */
export function addRateLimitHeaders(headers: Headers, { limit, state }: RateLimitReport): void {
  const refillSeconds = Math.ceil((60 * limit.burst) / limit.perMinute);
  headers.set("ratelimit-policy", `"minute";q=${limit.perMinute};w=60, "burst";q=${limit.burst};w=${refillSeconds}`);
  headers.set("ratelimit", `"burst";r=${state.remaining};t=${state.fullInSeconds}`);
}
