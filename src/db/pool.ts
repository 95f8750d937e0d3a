/**
 * The postgres.js pool, and its replacement when a connection dies.
 *
 * postgres.js 3.4.9 hands a transaction's slot to another transaction when its backend dies, while the first callback
 * may still hold a handle to it (porsager/postgres #1216, #1215). So a dead connection condemns the whole pool object:
 * it is retired, and a new one takes its place. `database.ts` does the rest and is the only user of this module.
 */
import postgres from "postgres";
import { ARRAY_TYPES, BYTEA } from "./array_types.ts";
import type { ServerRoom } from "./queries/notifications.ts";
import { Slots } from "./connection_slots.ts";

export type PostgresOptions = postgres.Options<Record<string, postgres.PostgresType>>;

/** No connection could be made. Nothing was sent, and an immediate retry would not help. */
const UNREACHABLE = new Set([
  "CONNECT_TIMEOUT",
  "57P03", // cannot_connect_now
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT", // no Unix socket
  "ENOTFOUND",
  "ETIMEDOUT",
]);

/** A connection ended: nothing on it, or on its pool, can be trusted. */
const DEAD = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECTION_ENDED",
  "57P01", // admin_shutdown
  "57P02", // crash_shutdown
  "57P05", // idle_session_timeout
  "25P03", // idle_in_transaction_session_timeout
  "08000",
  "08001",
  "08003",
  "08006",
  "08P01", // PgBouncer's code for everything: its own end, its server's end, a wait that was too long
  "ECONNABORTED",
  "ECONNRESET",
  "EPIPE",
]);

/** Whether the connection is lost, or none could be made. */
export function isConnectionError(error: unknown): boolean {
  return isUnreachable(error) || DEAD.has(errorCode(error) ?? "");
}

/** Whether no connection could be made. */
export function isUnreachable(error: unknown): boolean {
  return UNREACHABLE.has(errorCode(error) ?? "");
}

/** Whether the server had no connection left for this one: `too_many_connections`, or PgBouncer's `max_client_conn`. */
export function isRefusedForNumber(error: unknown): boolean {
  const code = errorCode(error);
  return code === "53300" || (code === "08P01" && /no more connections allowed/.test((error as Error).message));
}

/** Whether a prepared statement was not where it had been prepared: a pooler had handed the session on. */
export function isLostStatement(error: unknown): boolean {
  return errorCode(error) === "26000"; // invalid_sql_statement_name
}

/** The SQLSTATE or driver code of an error, if it has one. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}

export interface PoolOptions {
  readonly connection: PostgresOptions;
  /** A connection past the pooler, if `connection` leads through one; for statements that must not wait for a turn. */
  readonly direct?: PostgresOptions | undefined;
  /** How many of its connections one workspace may hold; default: all. */
  readonly perWorkspaceMax?: number | undefined;
  /** Called after a pool was retired; for the log and the metrics. */
  readonly onReplaced?: (error: unknown, generation: number) => void;
}

const COMMON: PostgresOptions = {
  onnotice: () => {},
  fetch_types: false,
  types: { ...ARRAY_TYPES, bytea: BYTEA },
  // Reconnects are serialised by the driver, so a long back-off would stall every caller behind the first.
  backoff: () => 0.05,
};

/** How long the connection beside the pool is kept when nothing is done on it. */
const ASIDE_IDLE_SECONDS = 10;

/** How long transactions on a retired pool may still take, in seconds. Idle connections are closed immediately. */
const RETIRED_SECONDS = 5;

/**
 * When a pool has needed no more than half of its connections for this long, in milliseconds, it gives them back to the
 * server: another process may be waiting for one.
 */
const SURPLUS_MS = 10_000;

/** A process may take more connections only while this many are free: they are for a process that starts later. */
const ROOM_FREE = 3;

/** How long a transaction that began on a replaced pool may take to end, in seconds. */
const GIVEN_BACK_SECONDS = 300;

/** While the server cannot be reached, pools are replaced again and again; the log reports it at most this often. */
const UNREACHABLE_TOLD_MS = 10_000;

/**
 * One postgres.js pool, and the transactions that wait for one of its connections; they are
 * notified when it is retired.
 */
export interface Generation {
  readonly sql: postgres.Sql;
  readonly waiting: Set<(error: unknown) => void>;
  /** Give back the slots of the transactions on this pool, so that they do not hold up those on the next pool. */
  readonly slots: Set<() => void>;
  /** The most transactions that ran on the pool at the same time; it may have opened as many connections. */
  opened: number;
}

/** Holds the current postgres.js pool and replaces it as a whole. */
export class Pool implements AsyncDisposable {
  /** Outlives the pools: the server's capacity is the same for the next one. */
  readonly slots: Slots;
  /**
   * Transactions that wait for a slot, and so for no particular pool; they are notified when the
   * current one is retired.
   */
  readonly waiting = new Set<(error: unknown) => void>();
  readonly #options: PoolOptions;
  readonly #ending = new Set<postgres.Sql>();
  #current: Generation;
  #generation = 1;
  #closed = false;
  #unreachableToldAt = -Infinity;
  #unnamed = false;
  #aside: postgres.Sql | undefined;
  /** The most connections that transactions needed at the same time since `#countedAt`. */
  #needed = 0;
  #countedAt = performance.now();
  /** The most connections that all processes together had since the server became full; 0 while it is not. */
  #usedWhenFull = 0;
  /** The pool is to be replaced by an empty one. */
  #isRenewalDue = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#current = this.#open();
    this.slots = new Slots({ max: this.#current.sql.options.max, perOwnerMax: options.perWorkspaceMax });
  }

  /** The pool for a transaction that has a slot and begins now. */
  take(): Generation {
    this.#giveBackSurplus();
    this.#current.opened = Math.max(this.#current.opened, this.slots.taken);
    return this.#current;
  }

  /** Connections for work beside the transactions; past the pooler if there is a direct way. */
  get aside(): postgres.Sql {
    const { direct } = this.#options;
    if (direct === undefined) return this.#current.sql;
    return this.#aside ??= postgres({ ...COMMON, ...direct, max: 1, prepare: false, idle_timeout: ASIDE_IDLE_SECONDS });
  }

  /** From now on statements are not prepared by name, because a pooler shares a session and its prepared statements. */
  useUnnamedStatements(): void {
    if (this.#unnamed || this.#closed) return;
    this.#unnamed = true;
    this.#replace(Object.assign(new Error("statements lose their names"), { code: "CONNECTION_ENDED" }));
  }

  /** Its connections are a pooler's clients: giving them back gives the server nothing. */
  get #isPooled(): boolean {
    return this.#options.direct !== undefined;
  }

  /** How many pools there have been, 1 at first. */
  get generation(): number {
    return this.#generation;
  }

  /** Replaces `retired` if it is still the current one; late reports about a pool that is retired do nothing. */
  retire(retired: Generation, error: unknown): void {
    if (retired !== this.#current || this.#closed) return;
    this.#replace(error);
    if (isUnreachable(error)) {
      if (performance.now() - this.#unreachableToldAt < UNREACHABLE_TOLD_MS) return;
      this.#unreachableToldAt = performance.now();
    }
    this.#options.onReplaced?.(error, this.#generation);
  }

  /** Replaces the pool, so that new connections look for a server again. */
  reconnect(error: unknown): void {
    this.retire(this.#current, error);
  }

  /**
   * Keeps the pool within its share while the server is full. The connections of all processes are
   * divided among these and one more, since a process without a connection cannot be counted. One
   * connection of each share is the listener's. While there is room, each call raises the capacity
   * by this process's part of the free connections.
   */
  noteRoom({ free, used, listeners }: ServerRoom): void {
    if (this.#isPooled) return;
    if (free <= 0) {
      // A process that gave connections back keeps its earlier count: others may have taken them.
      this.#usedWhenFull = Math.max(this.#usedWhenFull, used);
      this.slots.setCapacity(Math.floor(this.#usedWhenFull / (listeners + 1)) - 1);
    } else if (free >= ROOM_FREE) {
      this.#usedWhenFull = 0;
      this.slots.setCapacity(this.slots.capacity + Math.max(1, Math.floor((free - ROOM_FREE) / (listeners + 1))));
    }
    this.#shrink();
  }

  /** Gives one connection back to the server, unless it is the last one: the listener was refused one. */
  makeRoom(): void {
    if (this.#isPooled) return;
    this.slots.giveUp();
    this.#shrink();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const all = [this.#current.sql, this.#aside, ...this.#ending].filter((sql) => sql !== undefined);
    await Promise.all(all.map((sql) => this.#end(sql, 1)));
  }

  #replace(error: unknown): void {
    const retired = this.#current;
    this.#current = this.#open();
    this.#isRenewalDue = false;
    this.#generation++;
    this.#end(retired.sql, RETIRED_SECONDS);
    for (const giveBack of retired.slots) giveBack();
    for (const tell of [...retired.waiting, ...this.waiting]) tell(error);
  }

  /**
   * Replaces a pool that has opened at least twice the connections it needs; the new one opens only what is needed. The
   * driver itself never closes any: it uses its connections in turn, so that none is idle for long. On a server with
   * few connections, a process that was busy once would leave none to the others.
   */
  #giveBackSurplus(): void {
    const needed = this.slots.taken;
    this.#needed = Math.max(this.#needed, needed);
    if (performance.now() - this.#countedAt >= SURPLUS_MS) {
      this.#isRenewalDue ||= this.#needed * 2 <= this.#current.opened;
      this.#needed = needed;
      this.#countedAt = performance.now();
    }
    if (this.#isRenewalDue) this.#renew();
  }

  /** Gives back the connections that the pool has opened beyond the number of slots. */
  #shrink(): void {
    if (this.#current.opened <= this.slots.limit) return;
    this.#isRenewalDue = true;
    this.#renew();
  }

  /**
   * Replaces the pool by an empty one, as soon as no transaction waits for one of its connections. Idle connections are
   * closed immediately, the others when their transactions end.
   */
  #renew(): void {
    const generation = this.#current;
    if (generation.waiting.size > 0 || this.#closed) return;
    this.#isRenewalDue = false;
    this.#current = this.#open();
    this.#end(generation.sql, GIVEN_BACK_SECONDS);
  }

  #open(): Generation {
    const sql = postgres({
      ...COMMON,
      ...this.#options.connection,
      ...(this.#unnamed && { prepare: false }),
    });
    return { sql, waiting: new Set(), slots: new Set(), opened: 0 };
  }

  /** `end()` may never settle after a lost connection (porsager/postgres #1097), so the wait for it is bounded. */
  async #end(sql: postgres.Sql, seconds: number): Promise<void> {
    this.#ending.add(sql);
    const { promise: deadline, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, (seconds + 1) * 1_000);
    await Promise.race([sql.end({ timeout: seconds }).catch(() => {}), deadline]);
    clearTimeout(timer);
    this.#ending.delete(sql);
  }
}
