/**
 * Presents several databases as one: each transaction runs on the cluster that serves its workspace. See docs/guides/clusters.md.
 *
 * The home cluster stores where each workspace is placed, and this class caches it. A cache entry may be out of date,
 * so every transaction of a workspace first asks the cluster whether it serves that workspace
 * (`svc_system.refuse_unserved`). If it does not, it refuses the transaction before that has done anything; this class
 * then reads the placement again and retries the transaction where the workspace is now.
 */
import { Database, HOME, type SystemOptions } from "./database.ts";
import { ReplicatedDatabase, type ReplicatedOptions } from "./replicated_database.ts";
import { unavailable, UNSERVED } from "./database_fault.ts";
import { errorCode } from "./pool.ts";
import { findPlacement, listUnserved, placeWorkspace } from "./queries/placement.ts";
import type { Sql, Tx, TxOptions, WorkspaceScope } from "./tx.ts";
import { ServiceError } from "../errors.ts";
import { pause } from "../pause.ts";

/** The ids that are always on the home cluster: all zeros, and the empty one. */
const SYSTEM = /^(|00000000-0000-0000-0000-000000000000)$/;
/** The most placements that are cached; beyond it the whole cache is emptied. */
const REMEMBERED_MAX = 200_000;
/**
 * How long to wait before a retry while a workspace is being moved, in milliseconds; a random part of up to as much is
 * added.
 */
const MOVING_PAUSE_MS = 20;

type Made = (name: string) => ReplicatedOptions;

export class Clusters extends ReplicatedDatabase {
  readonly #others: ReadonlyMap<string, Database>;
  readonly #deadlineMs: number;
  readonly #remembered = new Map<string, string>();
  /** Clusters that passed the checks and may be used. */
  readonly #admitted = new Set<string>();

  /**
   * @param others names of the clusters other than the home cluster
   * @param optionsOf returns how to reach the cluster of a name
   */
  constructor(others: readonly string[], optionsOf: Made) {
    const made: Made = (name) => ({
      ...optionsOf(name),
      cluster: {
        moves: (workspaceId) => !SYSTEM.test(workspaceId),
        chainElsewhere: async (tx, chain, append) => {
          if (await this.clusterOf(chain) === name) {
            if (!SYSTEM.test(chain)) await this.#refuseUnserved(tx.sql, chain, true);
            return false;
          }
          await this.tx({ ...tx, workspaceId: chain }, append);
          return true;
        },
      },
    });
    const home = made(HOME);
    super(home);
    this.#deadlineMs = home.deadlineMs;
    this.#others = new Map(others.map((name) => [name, new Database(made(name))]));
  }

  override get clusters(): ReadonlyMap<string, Database> {
    return new Map([[HOME, this], ...this.#others]);
  }

  /** Records that a cluster passed the checks and may be used. */
  admit(name: string): void {
    this.#admitted.add(name);
  }

  /** Evicts the cached placement of one workspace, or of all: they may have moved. */
  forget(workspaceId?: string): void {
    if (workspaceId === undefined) this.#remembered.clear();
    else this.#remembered.delete(workspaceId);
  }

  /** The cluster of a workspace. The answer may come from the cache and be out of date. */
  override async clusterOf(workspaceId: string): Promise<string> {
    if (SYSTEM.test(workspaceId)) return HOME;
    const known = this.#remembered.get(workspaceId);
    if (known !== undefined) return known;
    const found = await super.system((sql) => findPlacement(sql, workspaceId), { readOnly: true }) ?? HOME;
    if (this.#remembered.size >= REMEMBERED_MAX) this.#remembered.clear();
    this.#remembered.set(workspaceId, found);
    return found;
  }

  override tx<T>(scope: WorkspaceScope, work: (tx: Tx) => Promise<T>, options: TxOptions = {}): Promise<T> {
    return this.#whereServed(options.at ?? scope.workspaceId, options, (name, inTime) => {
      if (name === HOME) return super.tx(scope, work, inTime);
      return this.#other(name).tx(scope, work, inTime);
    });
  }

  /** @param options `at` names the workspace on whose cluster to run; by default it is the home cluster */
  override system<T>(work: (sql: Sql) => Promise<T>, options: TxOptions = {}): Promise<T> {
    if (options.at === undefined) return super.system(work, options);
    return this.#whereServed(options.at, options, (name, inTime) => this.#systemOf(name, work, inTime));
  }

  override async each<T extends string | object>(
    work: (sql: Sql) => Promise<readonly T[]>,
    { partial = false, ...options }: SystemOptions = {},
  ): Promise<T[]> {
    const pages = await Promise.all([HOME, ...this.#others.keys()].map(async (name) => {
      try {
        const [rows, unserved] = await this.#systemOf(
          name,
          async (sql) => [await work(sql), await listUnserved(sql)],
          options,
        );
        const left = new Set(unserved);
        return left.size === 0 ? rows : rows.filter((row) => !left.has(workspaceOf(row)));
      } catch (error) {
        if (partial && isAway(error)) return [];
        throw error;
      }
    }));
    return pages.flat();
  }

  override async first<T extends { readonly workspaceId: string }>(
    work: (sql: Sql) => Promise<T | undefined>,
    options: TxOptions = {},
  ): Promise<T | undefined> {
    const expiresAt = performance.now() + (options.deadlineMs ?? this.#deadlineMs);
    while (true) {
      const looks = [HOME, ...this.#others.keys()].map(async (name) => {
        let workspaceId: string | undefined;
        try {
          const found = await this.#systemOf(name, async (sql) => {
            const one = await work(sql);
            workspaceId = one?.workspaceId;
            if (workspaceId !== undefined && !SYSTEM.test(workspaceId)) {
              await this.#refuseUnserved(sql, workspaceId, options.readOnly !== true);
            }
            return one;
          }, options);
          if (found === undefined) return "nothing";
          // Both ends of a move hold the rows; only those of the cluster where the workspace is placed are valid.
          return await this.clusterOf(found.workspaceId) === name ? { found } : found.workspaceId;
        } catch (error) {
          if (errorCode(error) === UNSERVED && workspaceId !== undefined) return workspaceId;
          throw error;
        }
      });
      const seen = await firstFound(looks);
      if (typeof seen === "object") return seen.found;
      if (seen === "nothing") return undefined;
      // Found on a cluster where the workspace no longer is: it moved after its placement was cached.
      this.forget(seen);
      await this.#waitForMove(expiresAt, undefined);
    }
  }

  override async place(workspaceId: string, cluster: string): Promise<void> {
    if (cluster === HOME) return;
    if (!this.#others.has(cluster)) return await super.place(workspaceId, cluster);
    await super.system((sql) => placeWorkspace(sql, workspaceId, cluster));
    this.forget(workspaceId);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#others.values()].map((db) => db[Symbol.asyncDispose]()));
    await super[Symbol.asyncDispose]();
  }

  /**
   * Asks the cluster of a transaction whether it serves a workspace other than the one that the transaction began with.
   */
  async #refuseUnserved(sql: Sql, workspaceId: string, writes: boolean): Promise<void> {
    try {
      await sql`select svc_system.refuse_unserved(${workspaceId}, ${writes})`;
    } catch (error) {
      this.forget(workspaceId);
      throw error;
    }
  }

  async #whereServed<T>(
    workspaceId: string,
    options: TxOptions,
    run: (name: string, options: TxOptions) => Promise<T>,
  ): Promise<T> {
    const expiresAt = performance.now() + (options.deadlineMs ?? this.#deadlineMs);
    while (true) {
      const name = await this.clusterOf(workspaceId);
      try {
        return await run(name, { ...options, deadlineMs: Math.max(1, expiresAt - performance.now()) });
      } catch (error) {
        if (errorCode(error) !== UNSERVED || options.signal?.aborted) throw error;
        this.forget(workspaceId);
        await this.#waitForMove(expiresAt, error);
      }
    }
  }

  async #waitForMove(expiresAt: number, cause: unknown): Promise<void> {
    const ms = MOVING_PAUSE_MS * (1 + Math.random());
    if (performance.now() + ms > expiresAt) {
      throw unavailable("Cannot use the workspace: it is being moved to another cluster", cause);
    }
    await pause(ms);
  }

  #systemOf<T>(name: string, work: (sql: Sql) => Promise<T>, options: TxOptions): Promise<T> {
    return name === HOME ? super.system(work, options) : this.#other(name).system(work, options);
  }

  #other(name: string): Database {
    const db = this.#others.get(name);
    if (db === undefined) {
      throw new ServiceError("unavailable", `Cannot use the workspace: its cluster ${name} is not configured here`);
    }
    if (!this.#admitted.has(name)) throw new ServiceError("unavailable", `Cannot reach the cluster ${name}`);
    return db;
  }
}

function workspaceOf(row: string | object): string {
  return typeof row === "string" ? row : (row as { readonly workspaceId?: string }).workspaceId ?? "";
}

function isAway(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === "unavailable" || error.code === "deadline_exceeded");
}

/**
 * Returns the first result that a look-up finds, without waiting for the others. If none finds the
 * workspace: its id if it was found on the wrong cluster, else `nothing`.
 */
async function firstFound<F extends object>(looks: readonly Promise<F | string>[]): Promise<F | string> {
  const found = Promise.withResolvers<F>();
  for (const look of looks) look.then((value) => typeof value === "object" && found.resolve(value), () => {});
  const all = Promise.allSettled(looks).then((results) => {
    const strays = results.flatMap(({ status, ...rest }) =>
      status === "fulfilled" ? [(rest as { value: F | string }).value] : []
    ).filter((value) => typeof value === "string" && value !== "nothing");
    if (strays.length > 0) return strays[0]!;
    // The cluster that failed may have it, so the answer is not `nothing`.
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    return "nothing";
  });
  return await Promise.race([found.promise, all]);
}
