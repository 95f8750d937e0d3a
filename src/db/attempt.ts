/** One attempt at a transaction on a pool's connection: its queue, its deadline, and what it does if a backend dies. */
import {
  errorCode,
  type Generation,
  isConnectionError,
  isLostStatement,
  isRefusedForNumber,
  isUnreachable,
  type Pool,
} from "./pool.ts";
import { endMarked, newMark, type Openings, type ServedQuestion } from "./opening.ts";
import { DEADLINE, NotBegun } from "./database_fault.ts";
import { guardHandle, type TransactionState } from "./guarded_handle.ts";
import type { ReplicaBound } from "./queries/replica.ts";
import type { Sql, TxOptions } from "./tx.ts";

/**
 * Options of a transaction that may run on a replica. If they have a bound, the service tries the transaction once and throws
 * the driver's own error.
 */
export interface ReplicaTxOptions extends TxOptions {
  /** How far the replica must have replayed the primary's log before it runs the transaction. */
  readonly bound?: ReplicaBound;
}

/** Shared by all transactions of a database. */
export interface Means {
  readonly pool: Pool;
  readonly openings: Openings;
  /** Whether a late transaction can be found by a mark and ended. */
  readonly isMarked: boolean;
}

/** The result of a transaction's work, and its last statements, which were sent but not waited for. */
export interface Done<T> {
  readonly value: T;
  readonly sent?: Promise<unknown>;
}

/** Settings of a transaction besides those of all. */
export type Settings = readonly (readonly [name: string, value: string])[];

/** How a transaction begins, and who is notified of the time it took. */
export interface Manner {
  readonly settings: Settings;
  /** The owner in whose queue it waits for a connection. */
  readonly owner: string;
  readonly onUsed?: (usedMs: number) => void;
  readonly served?: ServedQuestion;
}

/** The share of its deadline that a transaction may wait for a connection. After a longer wait it would not end in time. */
const WAITING_SHARE = 0.4;

/** A replica that has not begun a transaction after this time, in milliseconds, is not waited for. */
const REPLICA_BEGUN_MS = 1_000;

/** Postgres cancels a slow statement itself at the deadline; if it lasts longer, the connection is dead. */
const DEADLINE_MARGIN_MS = 500;

/**
 * Runs one attempt at a transaction: waits for its connection, opens it, does its work and commits.
 * @param expiresAt by the clock of `performance.now()`
 * @throws NotBegun when the work was not begun; otherwise the driver's error, or one with the code `DEADLINE`
 */
export async function attemptTransaction<T>(
  { pool: pools, openings, isMarked }: Means,
  work: (sql: Sql) => Promise<Done<T>>,
  options: ReplicaTxOptions,
  expiresAt: number,
  { settings, owner, onUsed, served }: Manner,
): Promise<T> {
  options.signal?.throwIfAborted();
  let pool: Generation | undefined;
  const mark = isMarked ? newMark() : undefined;
  const lockTimeout: Settings = options.lockTimeoutMs === undefined
    ? []
    : [["lock_timeout", `${options.lockTimeoutMs}`]];
  const opening = openings.make([...settings, ...lockTimeout], mark, served, options.bound);
  let unopened: unknown;
  const state: TransactionState = {
    phase: "queued",
    lose: (error) => {
      state.lost ??= { error };
      if (pool !== undefined) pools.retire(pool, error);
    },
    fail: (error) => {
      state.failed = true;
      state.lose(error);
      loss.reject(error);
    },
  };
  const loss = Promise.withResolvers<never>();
  loss.promise.catch(() => {});
  const onRetired = (error: unknown) => loss.reject(new NotBegun(error, !isUnreachable(error)));
  pools.waiting.add(onRetired);
  const slot = pools.slots.enter(owner);
  let usedMs = 0;
  const giveBack = () => void (usedMs ||= slot.leave());
  const deadline = Promise.withResolvers<never>();
  const expire = () => deadline.reject(Object.assign(new Error("database deadline"), { code: DEADLINE }));
  const beginning = options.bound && setTimeout(expire, REPLICA_BEGUN_MS);
  const begin = async () => {
    if (state.phase === "abandoned") throw new Error("the caller has gone");
    const current = pool = pools.take();
    pools.waiting.delete(onRetired);
    current.waiting.add(onRetired);
    current.slots.add(giveBack);
    const { value, sent } = await current.sql.begin(options.readOnly ? "read only" : "", async (raw) => {
      if (state.phase === "abandoned") throw new Error("the caller has gone");
      state.phase = "running";
      slot.noteBegun();
      current.waiting.delete(onRetired);
      try {
        const sql = guardHandle(raw, state);
        // Not awaited: it is sent ahead of the first statement in the same write. Should it fail, so does all after it.
        const opened = opening && sql.unsafe(opening.text, [...opening.values], { prepare: true }).execute();
        // Postgres has rolled the transaction back, and postgres.js 3.4.9 may never settle a statement with
        // parameters that it sent behind the failed one. So nothing waits for `work` or for COMMIT.
        const onFailed = (error: unknown) => {
          if (!isLostStatement(error)) return;
          state.lost ??= { error };
          loss.reject(error);
        };
        opened?.then(() => clearTimeout(beginning), (error) => {
          unopened = error;
          onFailed(error);
        });
        const done = await work(sql);
        done.sent?.catch(onFailed);
        await opened;
        // The connection died while `work` was busy elsewhere: no COMMIT may be sent on whatever took its place.
        if (state.lost) await never();
        return done;
      } catch (error) {
        if (isConnectionError(error) || state.lost && !isLostStatement(state.lost.error)) {
          // Throwing would make the driver send ROLLBACK on a connection that may be another transaction's by now.
          state.lose(error);
          loss.reject(state.lost!.error);
          await never();
        }
        // If the transaction failed before its first statement, `work` met only a consequence of
        // that.
        throw unopened ?? error;
      }
    }) as Done<T>;
    // When one of the last statements fails, Postgres answers the COMMIT behind it with a ROLLBACK.
    await sent;
    return value;
  };
  const run = slot.admitted === undefined ? begin() : slot.admitted.then(begin);
  run.catch(() => {});

  const leftMs = Math.max(0, expiresAt - performance.now());
  const timers = [setTimeout(expire, leftMs + DEADLINE_MARGIN_MS)];
  if (slot.admitted && pools.slots.isShort) {
    const waiting = setTimeout(expire, WAITING_SHARE * leftMs);
    timers.push(waiting);
    slot.admitted.then(() => clearTimeout(waiting));
  }
  try {
    return await Promise.race([run, loss.promise, deadline.promise]);
  } catch (error) {
    if (error instanceof NotBegun) throw error;
    if (isRefusedForNumber(error)) pools.slots.noteRefused();
    const dead = isConnectionError(error);
    const begun = (state.phase as TransactionState["phase"]) === "running";
    const isLate = begun && errorCode(error) === DEADLINE;
    if (dead || isLate) state.lose(error);
    // Nobody uses this transaction any more. Left alone, it would hold its locks until its own time limit.
    if ((isLate || state.failed) && mark) endMarked(pools.aside, mark).catch(() => {});
    throw begun ? error : new NotBegun(error, dead && !isUnreachable(error));
  } finally {
    state.phase = "abandoned";
    giveBack();
    pool?.slots.delete(giveBack);
    if (usedMs > 0) onUsed?.(usedMs);
    for (const waiting of [pools.waiting, pool?.waiting]) waiting?.delete(onRetired);
    for (const timer of [...timers, beginning]) clearTimeout(timer);
  }
}

/**
 * Never settles; the garbage collector removes a callback that awaits it. New each time, as a promise keeps those
 * callbacks.
 */
function never(): Promise<never> {
  return new Promise(() => {});
}
