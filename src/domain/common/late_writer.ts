/** Writing what waits in memory a moment later, in batches, so that no request waits for it. */

export interface LateWriterOptions {
  /** How long something waits for others, in milliseconds. */
  readonly waitMs: number;
  /** How long it waits after a failure, in milliseconds. */
  readonly retryMs: number;
  /** Writes everything that waits. After an error the rest stays in the queue. */
  readonly write: () => Promise<void>;
  /** Called with what `write` threw in a run that nobody waits for. */
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

  /** Says that something waits. */
  wake(): void {
    this.#wakeIn(this.#options.waitMs);
  }

  /** Writes now, after what is being written. @throws what `write` throws */
  flush(): Promise<void> {
    const written = this.#writing.then(() => this.#options.write());
    this.#writing = written.catch(() => {});
    return written;
  }

  /** Forgets what `wake` asked for. */
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
