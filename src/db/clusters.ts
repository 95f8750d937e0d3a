/**
 * Several databases as one: each transaction runs on the cluster that serves its workspace. docs/scale.md.
 *
 * Which that is stands in the home cluster and is remembered here. What is remembered may be old: every transaction of a
 * workspace begins with the question whether the cluster serves it (`svc_system.refuse_unserved`), and one that is refused
 * has done nothing, is looked up again and runs where the workspace is now.
 */
import { Database, HOME, type SystemOptions } from "./database.ts";
import { ReplicatedDatabase, type ReplicatedOptions } from "./replicated_database.ts";
import { unavailable, UNSERVED } from "./database_fault.ts";
import { errorCode } from "./pool.ts";
import { findPlacement, listUnserved, placeWorkspace } from "./queries/placement.ts";
import type { Sql, Tx, TxOptions, WorkspaceScope } from "./tx.ts";
import { ServiceError } from "../errors.ts";
import { pause } from "../pause.ts";

/** Whose workspaces are on the home cluster for ever: all zeros, and none. */
const SYSTEM = /^(|00000000-0000-0000-0000-000000000000)$/;
/** Placements that are remembered; when there are more, all are forgotten. */
const REMEMBERED_MAX = 200_000;
/** Until a cluster is asked again while a workspace is on its way from one to another; and up to as much again, by chance. */
const MOVING_PAUSE_MS = 20;

type Made = (name: string) => ReplicatedOptions;

export class Clusters extends ReplicatedDatabase {
  readonly #others: ReadonlyMap<string, Database>;
  readonly #deadlineMs: number;
  readonly #remembered = new Map<string, string>();
  /** Clusters that were found fit to be used. */
  readonly #admitted = new Set<string>();

  /**
   * @param others names of the clusters beside the home cluster
   * @param optionsOf how each is reached, by its name
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

  /** Notes that a cluster was looked at and may be used. */
  admit(name: string): void {
    this.#admitted.add(name);
  }

  /** Forgets where a workspace is, or where all are: they may have moved. */
  forget(workspaceId?: string): void {
    if (workspaceId === undefined) this.#remembered.clear();
    else this.#remembered.delete(workspaceId);
  }

  /** The cluster that a workspace is placed on, as far as this process knows. */
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

  /** @param options `at` names the workspace on whose cluster it runs; without it that is the home cluster */
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
          // Both ends of a move have it.
          return await this.clusterOf(found.workspaceId) === name ? { found } : found.workspaceId;
        } catch (error) {
          if (errorCode(error) === UNSERVED && workspaceId !== undefined) return workspaceId;
          throw error;
        }
      });
      const seen = await firstFound(looks);
      if (typeof seen === "object") return seen.found;
      if (seen === "nothing") return undefined;
      // Found where it is no more: it has moved since.
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

  /** Asks the cluster of a transaction whether it serves a workspace that the transaction was not begun for. */
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

/** What was found, as soon as it is; else the id of what was found in the wrong place; else `nothing`. */
async function firstFound<F extends object>(looks: readonly Promise<F | string>[]): Promise<F | string> {
  const found = Promise.withResolvers<F>();
  for (const look of looks) look.then((value) => typeof value === "object" && found.resolve(value), () => {});
  const all = Promise.allSettled(looks).then((results) => {
    const strays = results.flatMap(({ status, ...rest }) =>
      status === "fulfilled" ? [(rest as { value: F | string }).value] : []
    ).filter((value) => typeof value === "string" && value !== "nothing");
    if (strays.length > 0) return strays[0]!;
    // A cluster that is away may have it.
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    return "nothing";
  });
  return await Promise.race([found.promise, all]);
}
