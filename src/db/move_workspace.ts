/**
 * Moves a workspace from one cluster to another while it is in use; docs/guides/clusters.md says why this is safe.
 * `placement_move` and the marks at both ends record each step, so that a later run continues a move that was killed.
 */
import postgres from "postgres";
import { ServiceError } from "../errors.ts";
import { ARRAY_TYPES } from "./array_types.ts";
import { HOME } from "./database.ts";
import { toServiceError } from "./database_fault.ts";
import { type CopyOptions, type CopyProgress, MoveCopy, TABLES_AT_ONCE } from "./move_copy.ts";
import { clearTable, type Copied, type Ends, inside, listTables, type MovedTable, openTables } from "./move_tables.ts";
import type { PostgresOptions } from "./pool.ts";
import { PLACEMENT_CHANNEL } from "./queries/placement.ts";
import { LISTENER } from "./queries/notifications.ts";
import { APPLICATION_NAME } from "./connections.ts";

export interface MoveOptions extends CopyOptions {
  /** How to connect to each cluster as its owner, by the cluster's name. */
  readonly ways: ReadonlyMap<string, PostgresOptions>;
  /** Called after each step of the move, which waits for it. */
  readonly tell: (progress: MoveProgress) => void | Promise<void>;
}

export interface MoveProgress {
  readonly step: CopyProgress["step"] | "switched" | "deleted";
  readonly rows?: number;
  readonly ms?: number;
}

export interface Moved {
  readonly source: string;
  readonly target: string;
  /** How long writers waited, in milliseconds; undefined when they waited in an earlier run. */
  readonly pausedMs: number | undefined;
  /** Whether this run made the switch. */
  readonly hasSwitched: boolean;
}

interface Move {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly phase: "copy" | "switched";
  readonly copied: Readonly<Record<string, Copied>>;
  readonly switchedAt: Date | null;
}

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
   * Moves a workspace, or continues its move.
   * @throws ServiceError `not_found` when there is no such workspace; `conflict`, with the reason, when it cannot be
   *   moved; `unavailable` when writers could not be paused for long enough: then `source` serves as before
   */
  async move(id: string, target: string): Promise<Moved> {
    return await this.#alone(id, async () => {
      const move = await this.#begin(id, target);
      const { source } = move;
      if (move.phase === "switched") return { source, target, pausedMs: undefined, hasSwitched: false };
      const ends = { source: this.#at(source), target: this.#at(target), mover: crypto.randomUUID() };
      const tables = await this.#prepare(ends, source);
      let pausedMs: number | undefined;
      // When an earlier run was killed right before the switch, all rows have been copied.
      if (await markOf(ends.source, id) !== "left") {
        await ends.target`
          insert into placement_mark (id, state, mover) values (${id}, 'arriving', ${ends.mover})
          on conflict (id) do update set state = 'arriving', paused_until = null, mover = excluded.mover`;
        const copy = new MoveCopy(this.#at(HOME), ends, move, tables, this.#options);
        await copy.copyMost();
        pausedMs = await copy.leave();
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
   * Deletes the rows that a moved workspace left at its source, once `graceSeconds` have passed since the switch: by
   * then every transaction that began to read there has ended. The mark stays.
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

  /** Ends a move that has not switched: deletes what was copied, and the source serves as before. */
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
      // The mark at the target becomes `left`: if the workspace was here before, a process that still remembers that is
      // refused.
      await target`update placement_mark set state = 'left' where id = ${id} and state = 'arriving'`;
      await this.#at(HOME)`delete from placement_move where id = ${id}`;
    });
  }

  /** Moves that are under way, or whose rows at the source have not been purged. */
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
   * Runs `work` under a lock, so that one process at a time works at a move.
   * @throws ServiceError `conflict` when another process holds the lock; `unavailable` when a cluster cannot be reached
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

  /** Checks that the move is possible, and opens the tables at both ends to the owner. */
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
       where datname = current_database() and application_name in ${
      source([APPLICATION_NAME, APPLICATION_NAME + LISTENER])
    }`;
    if (alone.n > 0) {
      throw new ServiceError(
        "conflict",
        `Cannot move: a process without SVC_CLUSTERS is connected to ${sourceName} and would not hear of it`,
      );
    }
    return from;
  }
}

async function markOf(sql: postgres.Sql, id: string): Promise<string | undefined> {
  const [row] = await sql<[{ state: string }?]>`select state from placement_mark where id = ${id}`;
  return row?.state;
}
