/**
 * The only door to SQL: a transaction that is bound to one workspace and one clearance.
 *
 * What it promises, also when backends die under it (`tests/db/dead_backend_test.ts`):
 * - a callback never reads or writes in a transaction other than its own: the handle refuses every use once its
 *   transaction is lost, and the callback of a lost transaction is never resumed into a COMMIT or ROLLBACK;
 * - a write that was acknowledged is in the database, one that was refused is either wholly there or not at all;
 * - nobody waits longer than the deadline.
 */
import type postgres from "postgres";
import { ServiceError } from "../errors.ts";
import { errorCode, isConnectionError, Pool, type PoolOptions } from "./pool.ts";
import { type ChangeInput, type RecordedChange, writeChanges } from "./changes.ts";
import type { Sensitivity } from "../schema/common.ts";

export type Sql = postgres.TransactionSql;

/** Who is asking: the two settings that every row-level policy reads. */
export interface Scope {
  readonly workspaceId: string;
  readonly maxSensitivity: Sensitivity;
  /** Recorded as the author of changes, such as `key:<id>` or `worker:<name>`. */
  readonly actor: string;
}

/** An open transaction. Query functions take it first and name its workspace in every statement. */
export interface Tx extends Scope {
  readonly sql: Sql;
  /** The time of the operation, the same for all that it writes. */
  readonly now: Date;
  /** Adds a row to the change feed; all are appended in one statement right before the commit. */
  record(change: ChangeInput): void;
}

export interface TxOptions {
  /** READ ONLY in Postgres; may be run a second time when its connection dies. */
  readonly readOnly?: boolean;
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

export interface DatabaseOptions extends PoolOptions {
  readonly deadlineMs: number;
  readonly clock: () => Date;
  /** Called after a commit with what it appended to the change feed. */
  readonly onCommitted?: (workspaceId: string, changes: readonly RecordedChange[]) => void;
}

/** Settles never; a callback that awaits it is left behind for the garbage collector. A new one each time: it holds on. */
function never(): Promise<never> {
  return new Promise(() => {});
}

/** Serialization failures and deadlocks: the database undid everything, so the same work may be done again. */
const RETRYABLE = new Set(["40001", "40P01"]);
const RETRIES_MAX = 3;

const DEADLINE = "SVC_DEADLINE";
const DEADLINE_MARGIN_MS = 500;

export class Database implements AsyncDisposable {
  readonly #pool: Pool;
  readonly #options: DatabaseOptions;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.#pool = new Pool(options);
  }

  get poolGeneration(): number {
    return this.#pool.generation;
  }

  /**
   * Runs `work` in a transaction of its own that sees one workspace up to one clearance.
   *
   * `work` awaits nothing but its statements. It is run again after a deadlock or a serialization failure, and, when
   * read-only, once after a lost connection, so it has no effects outside the transaction.
   * @throws ServiceError `unavailable` when the database cannot be reached, `deadline_exceeded` when it takes too long.
   */
  async tx<T>(scope: Scope, work: (tx: Tx) => Promise<T>, options: TxOptions = {}): Promise<T> {
    for (let attempt = 1;; attempt++) {
      try {
        return await this.#once(scope, work, options);
      } catch (error) {
        const again = RETRYABLE.has(errorCode(error) ?? "")
          ? attempt <= RETRIES_MAX
          : options.readOnly === true && attempt === 1 && isConnectionError(error);
        if (!again || options.signal?.aborted) throw toServiceError(error);
      }
    }
  }

  /**
   * Runs one statement outside any workspace: for the SECURITY DEFINER functions in `svc_system`, and for the boot
   * checks. Row-level security shows it no row of any workspace.
   */
  async system<T>(work: (sql: Sql) => Promise<T>, options: TxOptions = {}): Promise<T> {
    for (let attempt = 1;; attempt++) {
      try {
        return await this.#guarded((sql) => work(sql), "", options);
      } catch (error) {
        if (attempt > 1 || !options.readOnly || !isConnectionError(error)) throw toServiceError(error);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
  }

  async #once<T>(scope: Scope, work: (tx: Tx) => Promise<T>, options: TxOptions): Promise<T> {
    const changes: ChangeInput[] = [];
    let recorded: readonly RecordedChange[] = [];
    const now = this.#options.clock();
    const result = await this.#guarded(
      async (sql) => {
        // Not awaited: it is sent ahead of the first statement in the same write. Should it fail, so does all after it.
        const scoped = sql`
        select set_config('app.workspace_id', ${scope.workspaceId}, true),
               set_config('app.max_sensitivity', ${scope.maxSensitivity}, true)`.execute();
        scoped.catch(() => {});
        changes.length = 0;
        const tx: Tx = { ...scope, sql, now, record: (change) => void changes.push(change) };
        const value = await work(tx);
        await scoped;
        recorded = changes.length > 0 ? await writeChanges(tx, changes) : [];
        return value;
      },
      options.readOnly ? "read only" : "",
      options,
    );
    if (recorded.length > 0) this.#options.onCommitted?.(scope.workspaceId, recorded);
    return result;
  }

  async #guarded<T>(work: (sql: Sql) => Promise<T>, mode: string, options: TxOptions): Promise<T> {
    options.signal?.throwIfAborted();
    const pool = this.#pool.current;
    const state: TransactionState = { phase: "queued" };
    const loss = Promise.withResolvers<never>();
    loss.promise.catch(() => {});
    const lose = (error: unknown) => {
      state.lost ??= { error };
      this.#pool.retire(pool, error);
    };
    const run = pool.begin(mode, async (raw) => {
      if (state.phase === "abandoned") throw new Error("the caller has gone");
      state.phase = "running";
      try {
        const value = await work(guardHandle(raw, state));
        // The connection died while `work` was busy elsewhere: no COMMIT may be sent on whatever took its place.
        if (state.lost) await never();
        return value;
      } catch (error) {
        if (state.lost || isConnectionError(error)) {
          // Throwing would make the driver send ROLLBACK on a connection that may be another transaction's by now.
          lose(error);
          loss.reject(error);
          await never();
        }
        throw error;
      }
    }) as Promise<T>;
    run.catch(() => {});

    const deadlineMs = options.deadlineMs ?? this.#options.deadlineMs;
    const deadline = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => deadline.reject(Object.assign(new Error("database deadline"), { code: DEADLINE })),
      // Postgres cancels a slow statement itself at the deadline; what outlasts that is a connection that is gone.
      deadlineMs + DEADLINE_MARGIN_MS,
    );
    try {
      return await Promise.race([run, loss.promise, deadline.promise]);
    } catch (error) {
      const hung = errorCode(error) === DEADLINE && state.phase === "running";
      if (isConnectionError(error) || hung) lose(error);
      throw error;
    } finally {
      state.phase = "abandoned";
      clearTimeout(timer);
    }
  }
}

interface TransactionState {
  /** `queued` until a connection is free, `abandoned` once the caller has its answer. */
  phase: "queued" | "running" | "abandoned";
  lost?: { readonly error: unknown };
}

/** Wraps a transaction handle so that it refuses every use once its transaction is lost. */
function guardHandle(raw: postgres.TransactionSql, state: TransactionState): Sql {
  return new Proxy(raw, {
    apply(target, self, args) {
      if (state.lost) throw state.lost.error;
      return Reflect.apply(target as unknown as (...args: unknown[]) => unknown, self, args);
    },
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name !== "savepoint") return value;
      return (...args: unknown[]) => {
        if (state.lost) throw state.lost.error;
        const work = args.at(-1) as (sql: postgres.TransactionSql) => unknown;
        const guarded = (sql: postgres.TransactionSql) => work(guardHandle(sql, state));
        return Reflect.apply(value as (...args: unknown[]) => unknown, target, [...args.slice(0, -1), guarded]);
      };
    },
  });
}

/** Turns what the driver threw into what a caller may see. */
function toServiceError(error: unknown): unknown {
  const code = errorCode(error);
  if (code === DEADLINE || code === "57014") {
    return new ServiceError("deadline_exceeded", "Cannot finish the request: the database took too long", {
      cause: error,
    });
  }
  if (isConnectionError(error)) {
    return new ServiceError("unavailable", "Cannot reach the database", {
      cause: error,
      headers: { "retry-after": "1" },
    });
  }
  return error;
}
