/**
 * The postgres.js pool, and its replacement when a connection dies.
 *
 * postgres.js 3.4.9 hands a transaction's slot to another transaction when its backend dies, while the first callback
 * may still hold a handle to it (porsager/postgres #1216, #1215). So a dead connection condemns the whole pool object:
 * it is retired, and a new one takes its place. `scope.ts` does the rest and is the only user of this module.
 */
import postgres from "postgres";

export type PostgresOptions = postgres.Options<Record<string, postgres.PostgresType>>;

/** Errors after which nothing on the connection, or on its pool, can be trusted. */
const CONNECTION_ERRORS = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECTION_ENDED",
  "CONNECT_TIMEOUT",
  "57P01", // admin_shutdown
  "57P02", // crash_shutdown
  "57P03", // cannot_connect_now
  "25P03", // idle_in_transaction_session_timeout
  "08000",
  "08001",
  "08003",
  "08006",
  "53300", // too_many_connections
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
]);

export function isConnectionError(error: unknown): boolean {
  return CONNECTION_ERRORS.has(errorCode(error) ?? "");
}

/** The SQLSTATE or driver code of an error, if it has one. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}

type Timer = ReturnType<typeof setTimeout>;

export interface PoolOptions {
  readonly connection: PostgresOptions;
  /** Called after a pool was retired; for the log and the metrics. */
  readonly onReplaced?: (error: unknown, generation: number) => void;
}

/** How long a retired pool may take to end what still runs on it, in milliseconds. */
const RETIRE_AFTER_MS = 5_000;

/** Holds the current postgres.js pool and replaces it as a whole. */
export class Pool implements AsyncDisposable {
  readonly #options: PoolOptions;
  readonly #retired = new Map<postgres.Sql, Timer>();
  #current: postgres.Sql;
  #generation = 1;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#current = this.#open();
  }

  /** The pool to use for the next transaction. */
  get current(): postgres.Sql {
    return this.#current;
  }

  /** How many pools there have been, 1 at first. */
  get generation(): number {
    return this.#generation;
  }

  /** Replaces `pool` if it is still the current one; late reports about a pool that is already retired do nothing. */
  retire(pool: postgres.Sql, error: unknown): void {
    if (pool !== this.#current || this.#closed) return;
    this.#current = this.#open();
    this.#generation++;
    this.#retired.set(pool, setTimeout(() => this.#end(pool), RETIRE_AFTER_MS));
    this.#options.onReplaced?.(error, this.#generation);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const retired = [...this.#retired.keys()];
    for (const timer of this.#retired.values()) clearTimeout(timer);
    await Promise.all([this.#current, ...retired].map((pool) => this.#end(pool)));
  }

  #open(): postgres.Sql {
    return postgres({
      onnotice: () => {},
      // Reconnects are serialised by the driver, so a long back-off would stall every caller behind the first.
      backoff: () => 0.05,
      ...this.#options.connection,
    });
  }

  async #end(pool: postgres.Sql): Promise<void> {
    this.#retired.delete(pool);
    // `end()` may never settle after a lost connection (porsager/postgres #1097), so it is not waited for beyond that.
    let timer: Timer | undefined;
    const deadline = new Promise<void>((resolve) => timer = setTimeout(resolve, 2_000));
    await Promise.race([pool.end({ timeout: 1 }).catch(() => {}), deadline]);
    clearTimeout(timer);
  }
}
