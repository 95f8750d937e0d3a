/** Writes queued entries in batches a moment later, so that no request waits for it. */

export interface LateWriterOptions {
  /** How long an entry waits for others, in milliseconds. */
  readonly waitMs: number;
  /** How long it waits after a failure, in milliseconds. */
  readonly retryMs: number;
  /** Writes all queued entries. After an error the rest stays in the queue. */
  readonly write: () => Promise<void>;
  /** Called with the error of a `write` that nobody waits for. */
  readonly tellFailure: (error: unknown) => void;
}

/** Runs `write` a moment after `wake`, one run at a time, and again after a failure. */
export class LateWriter {
  readonly #options: LateWriterOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: LateWriterOptions) {
    this.#options = options;
  }

  /** Says that entries are queued. */
  wake(): void {
    this.#wakeIn(this.#options.waitMs);
  }

  /** Writes now, after a write in progress. @throws what `write` throws */
  flush(): Promise<void> {
    const written = this.#writing.then(() => this.#options.write());
    this.#writing = written.catch(() => {});
    return written;
  }

  /** Cancels the write that `wake` asked for. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #wakeIn(ms: number): void {
    this.#timer ??= setTimeout(() => void this.#run(), ms);
  }

  async #run(): Promise<void> {
    this.#timer = undefined;
    try {
      await this.flush();
    } catch (error) {
      this.#options.tellFailure(error);
      this.#wakeIn(this.#options.retryMs);
    }
  }
}
