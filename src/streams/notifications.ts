/**
 * Listens for NOTIFY on a connection of its own. A notification only wakes readers up: what is sent while the connection
 * is down is lost, so after every reconnect the readers are told that there may be a gap.
 */
import postgres from "postgres";
import type { PostgresOptions } from "../db/pool.ts";

export interface NotificationsOptions {
  readonly connection: PostgresOptions;
  /** Handler of each channel's messages. */
  readonly channels: Readonly<Record<string, (payload: string) => void>>;
  /** Called whenever listening (again) begins: anything may have happened before. */
  readonly onGap: () => void;
  readonly onError?: (error: unknown) => void;
}

const RETRY_MS = 250;

export class Notifications implements AsyncDisposable {
  readonly #options: NotificationsOptions;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;

  constructor(options: NotificationsOptions) {
    this.#options = options;
    this.#done = this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#listenOnce().catch((error) => this.#options.onError?.(error));
      if (!this.#stop.signal.aborted) await pause(RETRY_MS, this.#stop.signal);
    }
  }

  /** Listens until the connection closes or the listener is stopped. */
  async #listenOnce(): Promise<void> {
    const closed = Promise.withResolvers<void>();
    const { connection, channels } = this.#options;
    // The driver's own `listen` gives up for good when its first reconnect fails, so its parts are used directly.
    const options: PostgresOptions & { onnotify: (channel: string, payload: string) => void } = {
      ...connection,
      max: 1,
      fetch_types: false,
      idle_timeout: 0,
      max_lifetime: null,
      onnotice: () => {},
      onclose: () => closed.resolve(),
      onnotify: (channel, payload) => channels[channel]?.(payload),
    };
    const sql = postgres(options);
    const stop = () => closed.resolve();
    this.#stop.signal.addEventListener("abort", stop, { once: true });
    try {
      const listening = Promise.all(Object.keys(channels).map((channel) => sql`listen ${sql(channel)}`.execute()));
      listening.catch(() => {});
      await Promise.race([listening, closed.promise]);
      if (this.#stop.signal.aborted) return;
      this.#options.onGap();
      await closed.promise;
    } finally {
      this.#stop.signal.removeEventListener("abort", stop);
      await sql.end({ timeout: 1 }).catch(() => {});
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done, { once: true });
  });
}
