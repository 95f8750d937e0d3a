/** The end of a call: by its time limit, or by the caller's signal. */
import { SvcError } from "./error.ts";

export interface Limit {
  /** Aborted when either ends the call, with what the call throws as its reason. */
  readonly signal: AbortSignal;
  /** Waits; throws `error` at once where the time limit comes first, the reason when the call is aborted meanwhile. */
  pause(ms: number, error: unknown): Promise<void>;
  /** Lets go of the timer, and of the caller's signal unless what came back can still be aborted by it. */
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

/** Waits so many milliseconds. @throws the signal's reason when it is aborted */
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
