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
