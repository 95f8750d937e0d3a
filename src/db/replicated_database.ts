/**
 * A database of which some reads go to a streaming replica. docs/scale.md, Replicas.
 *
 * A read sees everything that was acknowledged before it began, by whichever process: the primary is asked how far it had
 * come, and the replica's transaction begins with the question whether it has come so far (`svc_system.refuse_replica`).
 * What the replica does not answer runs on the primary; the caller sees no difference.
 */
import { CircuitBreaker } from "../circuit_breaker.ts";
import { ServiceError } from "../errors.ts";
import { pause } from "../pause.ts";
import { Database, type DatabaseOptions, type ReplicaState } from "./database.ts";
import {
  DEADLINE,
  NotBegun,
  REPLICA_BEHIND,
  REPLICA_FOREIGN,
  REPLICA_PROMOTED,
  UNDONE,
  UNSERVED,
} from "./database_fault.ts";
import { errorCode, isConnectionError, type PostgresOptions } from "./pool.ts";
import { ping } from "./queries/privileges.ts";
import { boundReplica, type ReplicaBound } from "./queries/replica.ts";
import { SharedQuestion } from "./shared_question.ts";
import type { Tx, TxOptions, WorkspaceScope } from "./tx.ts";

/**
 * Where a read ran that a replica may answer: there, or on the primary and why. `conflict`: what the replica replayed
 * removed rows that the read needed. `failed`: a statement failed there. `resting`: the replica was not asked, because it
 * had just failed several times.
 */
export type ReplicaOutcome = "replica" | "resting" | "conflict" | "failed" | Exclude<ReplicaState, "ok">;

/** How the replica is reached, and who is told of what it does. */
export interface ReplicaOptions {
  readonly connection: PostgresOptions;
  readonly onRead: (outcome: ReplicaOutcome) => void;
  /** Called when reads no longer go there; and when they do again. */
  readonly onUnused: (state: ReplicaState, error: unknown) => void;
  readonly onUsed: (unusedMs: number) => void;
}

export interface ReplicatedOptions extends DatabaseOptions {
  readonly replica?: ReplicaOptions;
}

/** Failures in a row after which the replica rests; what it is by itself, not for a moment, lets it rest at once. */
const FAILURES_MAX = 3;
const REST_MS = 1_000;
const REST_MS_MAX = 10_000;
/** The longest wait for the primary to tell how far it has come. */
const BOUND_MS = 1_000;
/** A look takes no longer: who asks whether the service is ready does not wait for its replica. */
const LOOK_MS = 500;
/** The part of a read's time for which a replica may take: the primary has the rest, should it not answer. */
const REPLICA_SHARE = 0.5;

export class ReplicatedDatabase extends Database {
  readonly #replica: Replica | undefined;
  readonly #deadlineMs: number;

  constructor({ replica, ...options }: ReplicatedOptions) {
    super(options);
    this.#deadlineMs = options.deadlineMs;
    if (replica === undefined) return;
    // Not this.system, which a database of several clusters leads to the cluster that it is asked for.
    const askPrimary = () => super.system(boundReplica, { deadlineMs: BOUND_MS });
    this.#replica = new Replica(replica, new Database(toReplica(options, replica)), askPrimary);
  }

  override async tx<T>(scope: WorkspaceScope, work: (tx: Tx) => Promise<T>, options: TxOptions = {}): Promise<T> {
    const replica = options.readOnly && options.fromReplica ? this.#replica : undefined;
    if (replica === undefined) return await super.tx(scope, work, options);
    const expiresAt = performance.now() + (options.deadlineMs ?? this.#deadlineMs);
    const inTime = () => ({ ...options, deadlineMs: Math.max(1, expiresAt - performance.now()) });
    const read = await replica.read((db, bound) => {
      const { deadlineMs, ...rest } = inTime();
      return db.tx(scope, work, { ...rest, bound, deadlineMs: REPLICA_SHARE * deadlineMs });
    });
    return read === undefined ? await super.tx(scope, work, inTime()) : read.value;
  }

  override async lookAtReplica(): Promise<ReplicaState | undefined> {
    return await this.#replica?.look();
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.#replica?.[Symbol.asyncDispose]();
    await super[Symbol.asyncDispose]();
  }
}

/** The same database as its replica shows it; nothing is written there. */
function toReplica(
  { direct: _, onReplaced: __, onWriting: ___, onCommitting: ____, onCommitted: _____, ...options }: DatabaseOptions,
  { connection }: ReplicaOptions,
): DatabaseOptions {
  return { ...options, connection };
}

class Replica implements AsyncDisposable {
  readonly #options: ReplicaOptions;
  readonly #db: Database;
  /** How far the primary has come. */
  readonly #bound: SharedQuestion<ReplicaBound>;
  readonly #breaker = new CircuitBreaker({
    failuresMax: FAILURES_MAX,
    cooldownMs: REST_MS,
    cooldownMsMax: REST_MS_MAX,
  });
  #unusedSince: number | undefined;

  constructor(options: ReplicaOptions, db: Database, askPrimary: () => Promise<ReplicaBound>) {
    this.#options = options;
    this.#db = db;
    this.#bound = new SharedQuestion(askPrimary);
  }

  /**
   * Runs a read on the replica. @returns undefined when it has to run on the primary
   * @throws what the work itself throws, and UNSERVED
   */
  async read<T>(work: (db: Database, bound: ReplicaBound) => Promise<T>): Promise<{ readonly value: T } | undefined> {
    const leave = this.#breaker.enter();
    if (leave === null) {
      this.#options.onRead("resting");
      return undefined;
    }
    let bound: ReplicaBound;
    try {
      bound = await this.#bound.ask();
    } catch {
      // The primary itself tells what is wrong with it.
      leave({ kind: "unknown" });
      return undefined;
    }
    try {
      const value = await work(this.#db, bound);
      leave({ kind: "ok" });
      this.#noteUsed();
      return { value };
    } catch (error) {
      if (error instanceof ServiceError || errorCode(error) === UNSERVED) {
        leave({ kind: "ok" });
        this.#noteUsed();
        throw error;
      }
      const outcome = outcomeOf(error);
      if (outcome === "conflict" || outcome === "failed") leave({ kind: "unknown" });
      else {
        const isLasting = outcome === "promoted" || outcome === "foreign";
        leave({ kind: "failed", ...(isLasting && { retryAfterMs: REST_MS_MAX }) });
        if (!this.#breaker.closed) this.#noteUnused(outcome, error);
      }
      this.#options.onRead(outcome);
      return undefined;
    }
  }

  /** Looks whether it can be used, for a short time. If it can, reads go there at once. */
  async look(): Promise<ReplicaState> {
    const answered = new AbortController();
    try {
      return await Promise.race([
        this.#look(),
        pause(LOOK_MS, answered.signal).then(() => "unavailable" as const),
      ]);
    } finally {
      answered.abort();
    }
  }

  async #look(): Promise<ReplicaState> {
    try {
      const bound = await this.#bound.ask();
      await this.#db.system(ping, { readOnly: true, bound, deadlineMs: BOUND_MS });
    } catch (error) {
      const outcome = outcomeOf(error);
      return outcome === "conflict" || outcome === "failed" ? "unavailable" : outcome;
    }
    this.#breaker.close();
    this.#noteBack();
    return "ok";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#db[Symbol.asyncDispose]();
  }

  #noteUsed(): void {
    this.#options.onRead("replica");
    this.#noteBack();
  }

  #noteBack(): void {
    if (this.#unusedSince === undefined) return;
    this.#options.onUsed(performance.now() - this.#unusedSince);
    this.#unusedSince = undefined;
  }

  #noteUnused(state: ReplicaState, error: unknown): void {
    if (this.#unusedSince !== undefined) return;
    this.#unusedSince = performance.now();
    this.#options.onUnused(state, error);
  }
}

/** Functions that every migrated database has, and what else is missing from one that is another. */
const ABSENT = new Set(["42883", "42P01", "3F000", "42501", "3D000", "28000", "28P01"]);
/** A statement that Postgres ended at its own deadline. */
const TOO_LONG = "57014";

function outcomeOf(error: unknown): Exclude<ReplicaOutcome, "replica" | "resting"> {
  const cause = error instanceof NotBegun ? error.cause : error;
  const code = errorCode(cause) ?? "";
  if (code === REPLICA_BEHIND) return "behind";
  if (code === REPLICA_PROMOTED) return "promoted";
  if (code === REPLICA_FOREIGN || ABSENT.has(code)) return "foreign";
  if (UNDONE.has(code)) return "conflict";
  const isAway = error instanceof NotBegun || isConnectionError(cause) || code === DEADLINE || code === TOO_LONG;
  return isAway ? "unavailable" : "failed";
}
