/** Decides when the service sends a message again, and what the outcome of an attempt means. No I/O. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The pauses between attempts, as the Standard Webhooks specification proposes them: ten attempts in 75 hours. */
const PAUSES_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
/** The pauses between challenges to a URL: five challenges within an hour. */
export const VERIFY_PAUSES_MS: readonly number[] = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 39 * MINUTE_MS];

const RETRY_AFTER_MS_MAX = HOUR_MS;
/** The service disables an endpoint when every attempt has failed for this time, and at least this many have. */
const DISABLED_AFTER_MS = 5 * DAY_MS;
const DISABLED_AFTER_FAILURES = 10;

/** How an attempt ended: with a reply, or with the reason why no reply came. */
export type Attempted =
  | { readonly status: number; readonly headers: Headers }
  | { readonly reason: string };

/** `gone`: the receiver wants no messages any more; `throttled`: none for some time; `abandoned`: never this one. */
export type AttemptOutcome = "delivered" | "gone" | "throttled" | "abandoned" | "failed";

/** Says what the outcome of an attempt is. */
export function judgeAttempt(attempted: Attempted): AttemptOutcome {
  if (!("status" in attempted)) return "failed";
  const { status, headers } = attempted;
  if (status >= 200 && status < 300) return "delivered";
  if (status === 410) return "gone";
  if (headers.get("webhook-delivery") === "abort-message") return "abandoned";
  return [429, 502, 503, 504].includes(status) ? "throttled" : "failed";
}

/** The pause after a number of attempts, varied by chance, in milliseconds; undefined: there is no further attempt. */
export function pauseAfter(attempts: number, random: () => number): number | undefined {
  const pause = PAUSES_MS[attempts - 1];
  return pause === undefined ? undefined : Math.round(pause * (0.9 + 0.3 * random()));
}

/** How long the endpoint gets no messages, in milliseconds: its `Retry-After`, at most an hour; without one, `pauseMs`. */
export function throttleMs(headers: Headers, pauseMs: number, now: Date): number {
  const text = headers.get("retry-after") ?? "";
  const wanted = /^\d{1,9}$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now.getTime();
  return Number.isFinite(wanted) ? Math.min(Math.max(wanted, 0), RETRY_AFTER_MS_MAX) : pauseMs;
}

/** Whether the service disables an endpoint whose attempts, `failures` in number, have all failed since `failingSince`. */
export function hasFailedTooLong(failingSince: Date, failures: number, now: Date): boolean {
  return failures >= DISABLED_AFTER_FAILURES && now.getTime() - failingSince.getTime() >= DISABLED_AFTER_MS;
}
