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

/** The longest work before yielding to the event loop, in milliseconds. */
const SLICE_MS = 8;

/** Splits long work on the event loop, so that other requests are served in between. */
export class Slices {
  readonly #sliceMs: number;
  readonly #signal: AbortSignal | undefined;
  #endsAt: number;

  /**
   * @param signal ends the work when it is aborted
   * @param sliceMs the longest work between two yields, in milliseconds; default 8
   */
  constructor(signal?: AbortSignal, sliceMs = SLICE_MS) {
    this.#signal = signal;
    this.#sliceMs = sliceMs;
    this.#endsAt = performance.now() + sliceMs;
  }

  /**
   * Yields to the event loop if the present slice is over. @returns whether it did
   * @throws the signal's reason when it is aborted
   */
  async yieldIfDue(): Promise<boolean> {
    if (performance.now() < this.#endsAt) return false;
    await letOthersRun();
    this.#signal?.throwIfAborted();
    this.#endsAt = performance.now() + this.#sliceMs;
    return true;
  }

  /**
   * Does work that comes in small pieces, and yields to the event loop between two of them when the slice is over.
   * @throws the signal's reason when it is aborted
   */
  async do<Result>(pieces: Iterator<unknown, Result>): Promise<Result> {
    for (;;) {
      const { done, value } = pieces.next();
      if (done) return value;
      if (performance.now() >= this.#endsAt) await this.yieldIfDue();
    }
  }
}

/** Ends when everything that began to wait before has run. */
let queue: Promise<void> = Promise.resolve();

/**
 * Yields to the event loop once. Of several works that wait, each turn of the loop resumes one, so that all together
 * never hold it for longer than one of them does.
 */
export function letOthersRun(): Promise<void> {
  return queue = queue.then(() => new Promise((resolve) => setTimeout(resolve, 0)));
}
