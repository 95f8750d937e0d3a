/**
 * Converts values to labels and numbers of metrics: only the service's own words and finite numbers, never a caller's
 * text.
 */

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const WORD = /^[a-z][a-z0-9_.-]{0,63}$/i;
/** The buckets of the distribution of worth, in order. */
export const WORTH_BUCKETS: readonly string[] = Array.from({ length: 10 }, (_, tenth) => worthBucket(tenth / 10));

/** The bucket of a worth from 0 to 1, in tenths: `0.0-0.1` … `0.9-1.0`. */
export function worthBucket(worth: number): string {
  const tenth = Math.min(9, Math.max(0, Math.floor(worth * 10 + 1e-9)));
  return `${(tenth / 10).toFixed(1)}-${((tenth + 1) / 10).toFixed(1)}`;
}

/** An HTTP method; `OTHER` for any other text. */
export function methodLabel(method: string): string {
  return METHODS.has(method) ? method : "OTHER";
}

/** An HTTP status; `other` for any other number. */
export function statusLabel(status: number): string {
  return Number.isInteger(status) && status >= 100 && status <= 599 ? String(status) : "other";
}

/** A word from the code; any other text becomes `other`, so that no text of a caller is a label. */
export function word(value: string): string {
  return WORD.test(value) ? value : "other";
}

/** Counters refuse negative numbers and NaN by throwing, which must not happen inside a request. */
export function amount(value: number): number {
  return Number.isFinite(value) && value > 0 ? value : 0;
}

/** Milliseconds as the seconds of a histogram. */
export function seconds(durationMs: number): number {
  return amount(durationMs) / 1_000;
}
