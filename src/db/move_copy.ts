/**
 * The copy of a workspace's rows in a move: passes while writers go on at the source, and a last one while they are
 * paused, after which the source no longer serves the workspace.
 */
import type postgres from "postgres";
import { ServiceError } from "../errors.ts";
import { pause } from "../pause.ts";
import { carrySequences, type Copied, copyTable, type Ends, type MovedTable } from "./move_tables.ts";
import { errorCode } from "./pool.ts";

export interface CopyOptions {
  /** How long writers may have to wait, in seconds. When it takes longer, the move lets them write and tries again. */
  readonly pauseSeconds: number;
  /** Called after each step of the copy, which waits for it. */
  readonly tell: (progress: CopyProgress) => void | Promise<void>;
}

export interface CopyProgress {
  readonly step: "copied" | "paused" | "again";
  readonly rows?: number;
  readonly ms?: number;
}

/** Takes exclusively the advisory lock that writers share; see migration 0110. */
const lockOf = (tx: postgres.TransactionSql, id: string) =>
  tx`select pg_advisory_xact_lock(hashtextextended(${id}, 7305415))`;
/**
 * How long the move waits for the lock at a time. Meanwhile new writers queue behind it, as it waits for those that
 * have begun.
 */
const LOCK_TIMEOUT = "1s";
const LOCK_TRIES = 30;
/** A pass that copied more rows than this is followed by another one, which makes the pause shorter. */
const FEW_ROWS = 500;
const PASSES_MAX = 5;
const PAUSES_MAX = 3;
/** How many tables are copied at the same time. */
export const TABLES_AT_ONCE = 4;

/** Copies the rows of one workspace. */
export class MoveCopy {
  readonly #home: postgres.Sql;
  readonly #ends: Ends;
  readonly #id: string;
  readonly #tables: readonly MovedTable[];
  readonly #options: CopyOptions;
  #copied: Readonly<Record<string, Copied>>;

  /**
   * @param home the cluster that holds the record of the move
   * @param move the workspace's id, and how far earlier runs have copied each table
   */
  constructor(
    home: postgres.Sql,
    ends: Ends,
    move: { readonly id: string; readonly copied: Readonly<Record<string, Copied>> },
    tables: readonly MovedTable[],
    options: CopyOptions,
  ) {
    this.#home = home;
    this.#ends = ends;
    this.#id = move.id;
    this.#copied = move.copied;
    this.#tables = tables;
    this.#options = options;
  }

  /**
   * Copies while the source serves writes: in the first pass everything, in each further one what has changed since,
   * until a pass copies few rows.
   */
  async copyMost(): Promise<void> {
    for (let pass = 1; pass <= PASSES_MAX; pass++) {
      const rows = await this.#pass(true);
      if (rows <= FEW_ROWS) return;
    }
  }

  /** @returns how many rows were copied */
  async #pass(isNoted: boolean): Promise<number> {
    const started = performance.now();
    const [home, id] = [this.#home, this.#id];
    const waiting = [...this.#tables];
    let rows = 0;
    const work = async () => {
      for (let table = waiting.shift(); table !== undefined; table = waiting.shift()) {
        const copied = await copyTable(this.#ends, id, table, this.#copied[table.name]);
        rows += copied.rows;
        if (!isNoted) continue;
        this.#copied = { ...this.#copied, [table.name]: copied };
        await home`
          update placement_move set copied = copied || ${home.json({ [table.name]: { ...copied } })} where id = ${id}`;
      }
    };
    await Promise.all(Array.from({ length: TABLES_AT_ONCE }, work));
    await this.#options.tell({ step: "copied", rows, ms: Math.round(performance.now() - started) });
    return rows;
  }

  /**
   * Pauses writers, copies the last rows and marks the source `left`, so that it no longer serves the workspace. The
   * pause expires by itself: if the move is killed during it, writers go on at the source, and nothing has been
   * switched.
   * @returns how long writers waited, in milliseconds
   * @throws ServiceError `unavailable` when writers could not be paused for long enough; `conflict` when another process
   *   has finished the copy
   */
  async leave(): Promise<number> {
    const [id, ends] = [this.#id, this.#ends];
    const { mover } = ends;
    for (let i = 1; i <= PAUSES_MAX; i++) {
      const started = performance.now();
      const paused = await locked(ends.source, id, (tx) =>
        tx`
          insert into placement_mark (id, state, paused_until, mover)
          values (${id}, 'paused', clock_timestamp() + make_interval(secs => ${this.#options.pauseSeconds}), ${mover})
          on conflict (id) do update set state = 'paused', paused_until = excluded.paused_until, mover = excluded.mover
           where placement_mark.state <> 'left' returning id`);
      if (paused.length === 0) throw new ServiceError("conflict", "Cannot move: another process has finished the copy");
      await this.#options.tell({ step: "paused" });
      await this.#pass(false);
      await carrySequences(ends);
      const left = await locked(ends.source, id, (tx) =>
        tx`
          update placement_mark set state = 'left', paused_until = null
           where id = ${id} and state = 'paused' and mover = ${mover} and paused_until > clock_timestamp() returning id`);
      if (left.length > 0) return performance.now() - started;
      await this.#options.tell({ step: "again" });
      await ends.source`delete from placement_mark where id = ${id} and state = 'paused' and mover = ${mover}`;
      await this.copyMost();
    }
    throw new ServiceError(
      "unavailable",
      `Cannot move now: the last rows took longer than the ${this.#options.pauseSeconds} s for which writes may wait`,
    );
  }
}

/** Runs `work` while no writer of the workspace is in a transaction; first waits for those that are. */
async function locked<T>(
  sql: postgres.Sql,
  id: string,
  work: (tx: postgres.TransactionSql) => Promise<T>,
): Promise<T> {
  for (let i = 1;; i++) {
    try {
      return await sql.begin(async (tx) => {
        await tx`select set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`;
        await lockOf(tx, id);
        return await work(tx);
      }) as T;
    } catch (error) {
      if (errorCode(error) !== "55P03" || i === LOCK_TRIES) throw error;
      // The writers that queued behind this lock go first.
      await pause(50 * (1 + Math.random()));
    }
  }
}
