/**
 * Moves a workspace from one cluster to another while it is in use. docs/scale.md says why it is safe; what is done is kept
 * in `placement_move` and in the marks of both ends, so that a move that was killed goes on where it was.
 */
import postgres from "postgres";
import { ServiceError } from "../errors.ts";
import { pause } from "../pause.ts";
import { ARRAY_TYPES } from "./array_types.ts";
import { HOME } from "./database.ts";
import { toServiceError } from "./database_fault.ts";
import {
  carrySequences,
  clearTable,
  type Copied,
  copyTable,
  type Ends,
  inside,
  listTables,
  type MovedTable,
  openTables,
} from "./move_tables.ts";
import { errorCode, type PostgresOptions } from "./pool.ts";
import { PLACEMENT_CHANNEL } from "./queries/placement.ts";
import { APPLICATION_NAME } from "./ways.ts";

export interface MoveOptions {
  /** The owner's ways to all clusters, by their names. */
  readonly ways: ReadonlyMap<string, PostgresOptions>;
  /** Longest time for which writes wait, in seconds; beyond it the move lets them through and tries again. */
  readonly pauseSeconds: number;
  /** Called as the move goes on, which waits for it. */
  readonly tell: (progress: MoveProgress) => void | Promise<void>;
}

export interface MoveProgress {
  readonly step: "copied" | "paused" | "again" | "switched" | "deleted";
  readonly rows?: number;
  readonly ms?: number;
}

export interface Moved {
  readonly source: string;
  readonly target: string;
  /** For how long writes waited, in milliseconds; undefined where an earlier run had switched already. */
  readonly pausedMs: number | undefined;
  /** Whether it was this run that switched. */
  readonly hasSwitched: boolean;
}

interface Move {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly phase: "copy" | "switched";
  copied: Record<string, Copied>;
  readonly switchedAt: Date | null;
}

/** The lock that writers hold, shared; see migration 0110. */
const lockOf = (tx: postgres.TransactionSql, id: string) =>
  tx`select pg_advisory_xact_lock(hashtextextended(${id}, 7305415))`;
/** Writers wait behind the move while it waits for those that have begun. */
const LOCK_TIMEOUT = "1s";
const LOCK_TRIES = 30;
/** While more rows than that were copied, another pass brings the pause down. */
const FEW_ROWS = 500;
const PASSES_MAX = 5;
const PAUSES_MAX = 3;
const TABLES_AT_ONCE = 4;

/** The connections of one move. */
export class Mover implements AsyncDisposable {
  readonly #options: MoveOptions;
  readonly #open = new Map<string, postgres.Sql>();

  constructor(options: MoveOptions) {
    this.#options = options;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#open.values()].map((sql) => sql.end({ timeout: 1 })));
  }

  /**
   * Moves a workspace, or goes on with its move.
   * @throws ServiceError `not_found`; `conflict` when it cannot be moved, says why; `unavailable` when writes could not be
   *   paused long enough, and `source` serves as before
   */
  async move(id: string, target: string): Promise<Moved> {
    return await this.#alone(id, async () => {
      const move = await this.#begin(id, target);
      const { source } = move;
      if (move.phase === "switched") return { source, target, pausedMs: undefined, hasSwitched: false };
      const ends = { source: this.#at(source), target: this.#at(target), mover: crypto.randomUUID() };
      const tables = await this.#prepare(ends, source);
      let pausedMs: number | undefined;
      // An earlier run may have been killed right before the switch: then nothing is copied any more.
      if (await markOf(ends.source, id) !== "left") {
        await ends.target`
          insert into placement_mark (id, state, mover) values (${id}, 'arriving', ${ends.mover})
          on conflict (id) do update set state = 'arriving', paused_until = null, mover = excluded.mover`;
        await this.#copyMost(ends, move, tables);
        pausedMs = await this.#leave(ends, move, tables);
      }
      await ends.target`delete from placement_mark where id = ${id} and state = 'arriving'`;
      const hasSwitched = await this.#at(HOME).begin(async (tx) => {
        const switched = await tx`
          update placement_move set phase = 'switched', switched_at = now(), copied = '{}'
           where id = ${id} and source = ${source} and target = ${target} and phase = 'copy' returning id`;
        // Another process was faster.
        if (switched.length === 0) return false;
        await tx`
          insert into placement (id, cluster) values (${id}, ${target})
          on conflict (id) do update set cluster = excluded.cluster, placed_at = now()`;
        await tx`select pg_notify(${PLACEMENT_CHANNEL}, ${id})`;
        return true;
      });
      await this.#options.tell({ step: "switched", ...(pausedMs !== undefined && { ms: Math.round(pausedMs) }) });
      return { source, target, pausedMs, hasSwitched };
    });
  }

  /**
   * Deletes what a moved workspace left at its source, when the switch is `graceSeconds` ago: what began to read there has
   * ended. The mark stays.
   * @throws ServiceError `not_found` when nothing was moved; `conflict` when it is too early
   */
  async purge(id: string, graceSeconds: number): Promise<{ readonly source: string }> {
    return await this.#alone(id, async () => {
      const move = await this.#find(id);
      if (move === undefined) {
        throw new ServiceError("not_found", "Cannot purge: the workspace has left nothing behind");
      }
      const [row] = await this.#at(HOME)<[{ due: boolean }]>`
        select coalesce(bool_and(switched_at <= now() - make_interval(secs => ${graceSeconds})), false) as due
          from placement_move where id = ${id} and phase = 'switched'`;
      if (!row.due) {
        throw new ServiceError("conflict", "Cannot purge: the workspace has not been at its new place for long enough");
      }
      const source = this.#at(move.source);
      if (await markOf(source, id) !== "left" || await this.#placed(id) !== move.target) {
        throw new ServiceError("conflict", `Cannot purge: the cluster ${move.source} still serves the workspace`);
      }
      for (const table of await listTables(source)) await inside(source, id, (tx) => clearTable(tx, id, table));
      await this.#at(HOME)`delete from placement_move where id = ${id} and phase = 'switched'`;
      await this.#options.tell({ step: "deleted" });
      return { source: move.source };
    });
  }

  /** Ends a move that has not switched: the source serves as before, and what was copied is deleted. */
  async abandon(id: string): Promise<void> {
    await this.#alone(id, async () => {
      const move = await this.#find(id);
      if (move === undefined) throw new ServiceError("not_found", "Cannot abandon the move: there is none");
      const [source, target] = [this.#at(move.source), this.#at(move.target)];
      if (move.phase === "switched" || await markOf(source, id) === "left") {
        throw new ServiceError(
          "conflict",
          "Cannot abandon the move: the workspace has left its source; run the move again",
        );
      }
      await source`delete from placement_mark where id = ${id} and state = 'paused'`;
      for (const table of await listTables(target)) await inside(target, id, (tx) => clearTable(tx, id, table));
      // Should the workspace have been here before, nobody who still remembers that is served.
      await target`update placement_mark set state = 'left' where id = ${id} and state = 'arriving'`;
      await this.#at(HOME)`delete from placement_move where id = ${id}`;
    });
  }

  /** Moves that are under way or have left rows behind. */
  async list(): Promise<(Omit<Move, "copied">)[]> {
    return await this.#at(HOME)<Omit<Move, "copied">[]>`
      select id, source, target, phase, switched_at as "switchedAt" from placement_move order by started_at`;
  }

  #at(name: string): postgres.Sql {
    const open = this.#open.get(name);
    if (open !== undefined) return open;
    const way = this.#options.ways.get(name);
    if (way === undefined) {
      throw new ServiceError(
        "validation_failed",
        `Cannot reach the cluster ${name} as its owner: SVC_OWNER_CLUSTERS lacks it`,
      );
    }
    const sql = postgres({
      ...way,
      onnotice: () => {},
      fetch_types: false,
      prepare: false,
      types: ARRAY_TYPES,
      max: 2 * TABLES_AT_ONCE,
    });
    this.#open.set(name, sql);
    return sql;
  }

  /**
   * Runs while no other process works at the same move.
   * @throws ServiceError `unavailable` when a cluster cannot be reached
   */
  async #alone<T>(id: string, work: () => Promise<T>): Promise<T> {
    try {
      return await this.#at(HOME).begin(async (tx) => {
        await tx`select set_config('idle_in_transaction_session_timeout', '0', true)`;
        const [row] = await tx<[{ mine: boolean }]>`
          select pg_try_advisory_xact_lock(hashtextextended(${id}, 7305416)) as mine`;
        if (!row.mine) throw new ServiceError("conflict", "Cannot move: another process is at it");
        return await work();
      }) as T;
    } catch (error) {
      throw toServiceError(error);
    }
  }

  async #find(id: string): Promise<Move | undefined> {
    const [row] = await this.#at(HOME)<[Move?]>`
      select id, source, target, phase, copied, switched_at as "switchedAt" from placement_move where id = ${id}`;
    return row;
  }

  async #placed(id: string): Promise<string> {
    const [row] = await this.#at(HOME)<[{ cluster: string }?]>`select cluster from placement where id = ${id}`;
    return row?.cluster ?? HOME;
  }

  async #begin(id: string, target: string): Promise<Move> {
    const found = await this.#find(id);
    if (found !== undefined) {
      if (found.target === target) return found;
      const what = found.phase === "copy" ? "a move" : "what it left behind is to be purged after its move";
      throw new ServiceError(
        "conflict",
        `Cannot move: ${what} from ${found.source} to ${found.target} is not finished`,
      );
    }
    const source = await this.#placed(id);
    if (source === target) throw new ServiceError("conflict", `Cannot move: the workspace is on ${target}`);
    this.#at(target);
    const [there] = await this.#at(source)<[{ there: boolean }]>`
      select exists (select from svc_system.list_workspaces() w where w.workspace_id = ${id}) as there`;
    if (!there.there) throw new ServiceError("not_found", "Cannot find the workspace");
    await this.#at(HOME)`
      insert into placement_move (id, source, target, phase) values (${id}, ${source}, ${target}, 'copy')`;
    return { id, source, target, phase: "copy", copied: {}, switchedAt: null };
  }

  /** Makes sure that the copy can be one. */
  async #prepare({ source, target }: Ends, sourceName: string): Promise<MovedTable[]> {
    const [from, to] = await Promise.all([listTables(source), listTables(target)]);
    if (JSON.stringify(from) !== JSON.stringify(to)) {
      throw new ServiceError("conflict", "Cannot move: the clusters have different tables; run `svc migrate`");
    }
    for (const sql of [source, target]) {
      const [may] = await sql<[{ may: boolean; role: string }]>`
        select has_parameter_privilege('session_replication_role', 'set') as may, current_user as role`;
      if (!may.may) {
        throw new ServiceError(
          "conflict",
          `Cannot move: the owner may not copy past triggers; as a superuser of each cluster: ` +
            `grant set on parameter session_replication_role to ${may.role}`,
        );
      }
      await openTables(sql, from);
    }
    const [alone] = await source<[{ n: number }]>`
      select count(*)::int as n from pg_stat_activity
       where datname = current_database() and application_name = ${APPLICATION_NAME}`;
    if (alone.n > 0) {
      throw new ServiceError(
        "conflict",
        `Cannot move: a process without SVC_CLUSTERS is connected to ${sourceName} and would not hear of it`,
      );
    }
    return from;
  }

  /** Copies while the source is written to, again and again what has changed, until that is little. */
  async #copyMost(ends: Ends, move: Move, tables: readonly MovedTable[]): Promise<void> {
    for (let pass = 1; pass <= PASSES_MAX; pass++) {
      const rows = await this.#pass(ends, move, tables, true);
      if (rows <= FEW_ROWS) return;
    }
  }

  /** @returns how many rows were copied */
  async #pass(ends: Ends, move: Move, tables: readonly MovedTable[], isNoted: boolean): Promise<number> {
    const started = performance.now();
    const waiting = [...tables];
    let rows = 0;
    const work = async () => {
      for (let table = waiting.shift(); table !== undefined; table = waiting.shift()) {
        const copied = await copyTable(ends, move.id, table, move.copied[table.name]);
        rows += copied.rows;
        if (!isNoted) continue;
        move.copied = { ...move.copied, [table.name]: copied };
        await this.#at(HOME)`
          update placement_move set copied = copied || ${this.#at(HOME).json({ [table.name]: { ...copied } })}
           where id = ${move.id}`;
      }
    };
    await Promise.all(Array.from({ length: TABLES_AT_ONCE }, work));
    await this.#options.tell({ step: "copied", rows, ms: Math.round(performance.now() - started) });
    return rows;
  }

  /**
   * Pauses the writes, copies the last rows and ends the service at the source. The pause ends by itself, so that a move
   * that is killed in it holds nobody up; then the source was written to again, and nothing has been switched.
   */
  async #leave(ends: Ends, move: Move, tables: readonly MovedTable[]): Promise<number> {
    const { id } = move;
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
      await this.#pass(ends, move, tables, false);
      await carrySequences(ends);
      const left = await locked(ends.source, id, (tx) =>
        tx`
          update placement_mark set state = 'left', paused_until = null
           where id = ${id} and state = 'paused' and mover = ${mover} and paused_until > clock_timestamp() returning id`);
      if (left.length > 0) return performance.now() - started;
      await this.#options.tell({ step: "again" });
      await ends.source`delete from placement_mark where id = ${id} and state = 'paused' and mover = ${mover}`;
      await this.#copyMost(ends, move, tables);
    }
    throw new ServiceError(
      "unavailable",
      `Cannot move now: the last rows took longer than the ${this.#options.pauseSeconds} s for which writes may wait`,
    );
  }
}

async function markOf(sql: postgres.Sql, id: string): Promise<string | undefined> {
  const [row] = await sql<[{ state: string }?]>`select state from placement_mark where id = ${id}`;
  return row?.state;
}

/** Runs while no writer of the workspace is in a transaction; waits for those that are. */
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
      // Who waits behind gets its turn.
      await pause(50 * (1 + Math.random()));
    }
  }
}
