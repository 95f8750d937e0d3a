/** Ends a call by its time limit, or by the caller's signal. */
import { SvcError } from "./error.ts";

export interface Limit {
  /** Aborted when either ends the call; its reason is the error that the call throws. */
  readonly signal: AbortSignal;
  /** Waits; throws `error` at once if the time limit comes first, or the reason when the call is aborted meanwhile. */
  pause(ms: number, error: unknown): Promise<void>;
  /** Releases the timer, and the caller's signal unless it can still abort the reply's stream. */
  end(isStream?: boolean): void;
}

/** Longest time that a timer can measure, in milliseconds. */
const TIMER_MAX = 2_147_483_647;

export function startLimit(id: string, timeoutMs: number, signal?: AbortSignal): Limit {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const endsAt = Date.now() + timeoutMs;
  const abort = () => controller.abort(signal!.reason);
  const timer = timeoutMs > TIMER_MAX ? undefined : setTimeout(() => {
    controller.abort(
      new SvcError("timeout", `Cannot call ${id}: there was no reply within ${timeoutMs} ms`, { retryable: true }),
    );
  }, timeoutMs);
  signal?.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    async pause(ms, error) {
      if (Date.now() + ms >= endsAt) throw error;
      await pause(ms, controller.signal);
    },
    end(isStream) {
      clearTimeout(timer);
      if (!isStream) signal?.removeEventListener("abort", abort);
    },
  };
}

/** Waits for a time in milliseconds. @throws the signal's reason when it is aborted */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
