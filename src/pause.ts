/** Waiting for a time, in the background and between tries, and yielding to the event loop during long work. */

/** Waits for `ms` milliseconds, or until the signal is aborted. Leaves no timer or listener behind. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
    signal?.addEventListener("abort", done, { once: true });
  });
}

/** Splits long work on the event loop, so that other requests are served in between. */
export class Slices {
  readonly #sliceMs: number;
  #endsAt: number;

  /** @param sliceMs the longest work between two yields, in milliseconds */
  constructor(sliceMs: number) {
    this.#sliceMs = sliceMs;
    this.#endsAt = performance.now() + sliceMs;
  }

  /** Yields to the event loop if the present slice is over. @returns whether it did */
  async yieldIfDue(): Promise<boolean> {
    if (performance.now() < this.#endsAt) return false;
    await letOthersRun();
    this.#endsAt = performance.now() + this.#sliceMs;
    return true;
  }
}

/** Yields to the event loop once. */
export function letOthersRun(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
