/** When a message is sent again, and what an attempt's outcome means. No I/O. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The pauses between attempts, as the Standard Webhooks specification proposes them: ten attempts in 75 hours. */
export const PAUSES_MS: readonly number[] = [
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
/** The same for the question whether a URL wants messages: five within an hour. */
export const VERIFY_PAUSES_MS: readonly number[] = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 39 * MINUTE_MS];

const RETRY_AFTER_MS_MAX = HOUR_MS;
/** An endpoint is given up when every attempt has failed for so long, and there were some. */
export const GIVEN_UP_AFTER_MS = 5 * DAY_MS;
export const GIVEN_UP_AFTER_FAILURES = 10;

/** An attempt's end: a reply, or why none came. */
export type Attempted =
  | { readonly status: number; readonly headers: Headers }
  | { readonly reason: string };

/** `gone`: the receiver wants no message any more; `throttled`: none for a time; `abandoned`: this one never. */
export type Outcome = "delivered" | "gone" | "throttled" | "abandoned" | "failed";

export function judgeAttempt(attempted: Attempted): Outcome {
  if (!("status" in attempted)) return "failed";
  const { status, headers } = attempted;
  if (status >= 200 && status < 300) return "delivered";
  if (status === 410) return "gone";
  if (headers.get("webhook-delivery") === "abort-message") return "abandoned";
  return [429, 502, 503, 504].includes(status) ? "throttled" : "failed";
}

/** The pause after so many attempts, a little more or less by chance; undefined: there is no further one. */
export function pauseAfter(attempts: number, random: () => number): number | undefined {
  const pause = PAUSES_MS[attempts - 1];
  return pause === undefined ? undefined : Math.round(pause * (0.9 + 0.3 * random()));
}

/** For how long an endpoint gets no message: as its `Retry-After` says, at most an hour, or else as long as this one rests. */
export function throttleMs(headers: Headers, pauseMs: number, now: Date): number {
  const text = headers.get("retry-after") ?? "";
  const wanted = /^\d{1,9}$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now.getTime();
  return Number.isFinite(wanted) ? Math.min(Math.max(wanted, 0), RETRY_AFTER_MS_MAX) : pauseMs;
}

/** Whether an endpoint that has failed since then, so many times, is given up. */
export function isGivenUp(failingSince: Date, failures: number, now: Date): boolean {
  return failures >= GIVEN_UP_AFTER_FAILURES && now.getTime() - failingSince.getTime() >= GIVEN_UP_AFTER_MS;
}
