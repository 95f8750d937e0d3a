/**
 * Measures what each key and each workspace has running in this process: requests, heavy ones among
 * them, and the time for which their transactions had a connection. A rate counts requests; this
 * counts their work.
 *
 * Requests beyond a limit on numbers wait for a bounded time, first come first served within their
 * key or workspace. If a key or workspace has used up its database time, its requests are refused
 * until time has come back. Streams have limits of their own and are not counted here.
 */
import { ServiceError } from "../../errors.ts";
import { CallQueues } from "./places.ts";
import { perService } from "../common/per_service.ts";

export interface LoadLimits {
  /** Requests in progress; 0 = no limit. */
  readonly perKeyMax: number;
  readonly perWorkspaceMax: number;
  /** The most heavy requests among those of a workspace; 0 = no limit. */
  readonly heavyPerWorkspaceMax: number;
  /** The longest time that a request waits for all its turns together, in milliseconds. */
  readonly waitMs: number;
  /** Seconds of database connections per minute, which may be used in one go; 0 = no limit. */
  readonly databaseSecondsPerKey: number;
  readonly databaseSecondsPerWorkspace: number;
}

/** The key and workspace to which a request is charged. */
export interface LoadOwner {
  readonly actor: string;
  readonly workspaceId: string;
}

/** An id of a key belongs to one workspace, but one peer may belong to several. */
export function ownerName({ actor, workspaceId }: LoadOwner): string {
  return actor.startsWith("peer:") ? `${actor} of ${workspaceId}` : actor;
}

/** Brokers share the workspace of all zeros, and each has the limits of a workspace of its own. */
function workspaceName({ actor, workspaceId }: LoadOwner): string {
  return actor.startsWith("broker:") ? `tenants of ${actor}` : workspaceId;
}

/** How long a request may still wait for its turns, in milliseconds; each wait takes from it. */
export interface WaitBudget {
  leftMs: number;
}

/** One limit and what is left of it, for the reply's headers. */
export interface LimitReport {
  readonly name: string;
  readonly quota: number;
  /** The unit that the quota counts. */
  readonly unit: "concurrent-requests" | "database-seconds";
  readonly remaining: number;
  /** Seconds until the whole quota is free again; absent if time alone does not free it. */
  readonly fullInSeconds?: number;
}

/** Beyond this many entries, those whose time has come back are forgotten. */
const SPENT_MAX = 10_000;
const WINDOW_SECONDS = 60;

/** Limits the requests that each key and workspace may have in progress in a service. */
export const requestLoadOf = perService(({ config }) => new RequestLoad(config.load));

export class RequestLoad {
  readonly #limits: LoadLimits;
  readonly #now: () => number;
  readonly #ofKey: CallQueues;
  readonly #ofWorkspace: CallQueues;
  readonly #heavy: CallQueues;
  /** Database seconds that have not come back yet, by key or workspace, and when they were counted. */
  readonly #spent = new Map<string, { seconds: number; at: number }>();

  constructor(limits: LoadLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    this.#ofKey = new CallQueues(limits.perKeyMax);
    this.#ofWorkspace = new CallQueues(limits.perWorkspaceMax);
    this.#heavy = new CallQueues(limits.heavyPerWorkspaceMax);
  }

  /** The time that a request may spend waiting. */
  budget(): WaitBudget {
    return { leftMs: this.#limits.waitMs };
  }

  /**
   * Counts a request as in progress until the caller disposes the result.
   * @throws ServiceError `rate_limited` when the longest wait is over; the signal's reason when the caller has
   * disconnected
   */
  async enter(owner: LoadOwner, signal: AbortSignal, budget = this.budget()): Promise<Disposable> {
    using held = new DisposableStack();
    held.use(await this.#wait(this.#ofKey, ownerName(owner), "requests of the key", signal, budget));
    held.use(await this.#wait(this.#ofWorkspace, workspaceName(owner), "requests of the workspace", signal, budget));
    return held.move();
  }

  /**
   * Takes one of the few turns for heavy requests. Call it after the input has arrived, so that a slow sender does not hold
   * a turn.
   */
  enterHeavy(owner: LoadOwner, signal: AbortSignal, budget = this.budget()): Promise<Disposable> {
    return this.#wait(this.#heavy, workspaceName(owner), "heavy requests of the workspace", signal, budget);
  }

  /**
   * Takes a turn for one piece of a streaming request: one page of a streamed reply, or one batch of a streamed input. The
   * caller gives it back between pieces, so that a slow client does not hold a turn. If heavy requests are limited, the
   * piece takes only a heavy turn, so that a request that waits for one holds no other turn; otherwise it takes the turn of
   * an ordinary request.
   * @throws ServiceError `rate_limited` when the longest wait is over; the signal's reason when the caller has disconnected
   */
  enterPiece(owner: LoadOwner, signal: AbortSignal, budget = this.budget()): Promise<Disposable> {
    return this.#heavy.max > 0 ? this.enterHeavy(owner, signal, budget) : this.enter(owner, signal, budget);
  }

  /** Charges the time for which a transaction had a connection. */
  noteDatabaseTime(owner: LoadOwner, usedMs: number): void {
    this.#spend(ownerName(owner), this.#limits.databaseSecondsPerKey, usedMs / 1_000);
    this.#spend(workspaceName(owner), this.#limits.databaseSecondsPerWorkspace, usedMs / 1_000);
  }

  /** @throws ServiceError `rate_limited` when the key or its workspace has used up its share of database time */
  requireDatabaseTime(owner: LoadOwner): void {
    const { databaseSecondsPerKey, databaseSecondsPerWorkspace } = this.#limits;
    for (
      const [name, perMinute, what] of [
        [ownerName(owner), databaseSecondsPerKey, "key"],
        [workspaceName(owner), databaseSecondsPerWorkspace, "workspace"],
      ] as const
    ) {
      const over = this.#spentBy(name, perMinute) - perMinute;
      if (perMinute === 0 || over < 0) continue;
      refuse(`the ${what} has used its ${perMinute} seconds of the database a minute`, back(over, perMinute) || 1);
    }
  }

  /** The limits in force, and how much of each is left. */
  report(owner: LoadOwner): LimitReport[] {
    const [actor, workspaceId] = [ownerName(owner), workspaceName(owner)];
    const { databaseSecondsPerKey, databaseSecondsPerWorkspace } = this.#limits;
    const turns = [
      ["concurrent", this.#ofKey, actor],
      ["workspace-concurrent", this.#ofWorkspace, workspaceId],
      ["workspace-heavy", this.#heavy, workspaceId],
    ] as const;
    const times = [
      ["database", databaseSecondsPerKey, actor],
      ["workspace-database", databaseSecondsPerWorkspace, workspaceId],
    ] as const;
    return [
      ...turns.filter(([, { max }]) => max > 0).map(([name, counted, owner]): LimitReport => ({
        name,
        quota: counted.max,
        unit: "concurrent-requests",
        remaining: Math.max(0, counted.max - counted.countOf(owner)),
      })),
      ...times.filter(([, perMinute]) => perMinute > 0).map(([name, perMinute, owner]): LimitReport => {
        const spent = this.#spentBy(owner, perMinute);
        return {
          name,
          quota: perMinute,
          unit: "database-seconds",
          remaining: Math.max(0, Math.floor(perMinute - spent)),
          fullInSeconds: back(spent, perMinute),
        };
      }),
    ];
  }

  async #wait(
    turns: CallQueues,
    name: string,
    what: string,
    signal: AbortSignal,
    budget: WaitBudget,
  ): Promise<Disposable> {
    const began = this.#now();
    const turn = await turns.enter(name, signal, budget.leftMs);
    budget.leftMs = Math.max(0, budget.leftMs - (this.#now() - began));
    return turn ?? refuse(`${turns.max} ${what} are under way`, 1);
  }

  #spend(name: string, perMinute: number, seconds: number): void {
    if (perMinute === 0) return;
    const spent = this.#spentBy(name, perMinute) + seconds;
    this.#spent.delete(name);
    if (this.#spent.size >= SPENT_MAX) this.#forget(perMinute);
    this.#spent.set(name, { seconds: spent, at: this.#now() });
  }

  #spentBy(name: string, perMinute: number): number {
    const entry = this.#spent.get(name);
    if (entry === undefined) return 0;
    return Math.max(0, entry.seconds - (this.#now() - entry.at) / 1_000 * (perMinute / WINDOW_SECONDS));
  }

  #forget(perMinute: number): void {
    for (const name of this.#spent.keys()) if (this.#spentBy(name, perMinute) === 0) this.#spent.delete(name);
    // If all of them are still in use, the one without a transaction for the longest time is forgotten.
    if (this.#spent.size >= SPENT_MAX) this.#spent.delete(this.#spent.keys().next().value!);
  }
}

/** The number of seconds until the given database time has come back. */
function back(seconds: number, perMinute: number): number {
  return Math.ceil(seconds / (perMinute / WINDOW_SECONDS));
}

function refuse(why: string, retryAfterSeconds: number): never {
  throw new ServiceError("rate_limited", `Cannot begin the request: ${why}`, {
    headers: { "retry-after": String(retryAfterSeconds) },
  });
}
