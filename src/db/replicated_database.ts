/**
 * A database that sends some reads to a streaming replica. docs/guides/scale.md, Replicas.
 *
 * A read sees every write that any process acknowledged before the read began. The service asks the primary for its
 * position in the write-ahead log, and the replica's transaction begins with a check that the replica has replayed the log
 * up to there (`svc_system.refuse_replica`). If the replica cannot answer, the read runs on the primary, and the caller
 * sees no difference.
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
 * Whether a read ran on the replica, or why it ran on the primary. `conflict`: the replica replayed a change that removed
 * rows which the read needed. `failed`: a statement failed on the replica. `resting`: the circuit breaker is open, because
 * the replica has just failed several times.
 */
export type ReplicaOutcome = "replica" | "resting" | "conflict" | "failed" | Exclude<ReplicaState, "ok">;

/** The connection to the replica, and callbacks for metrics and the log. */
export interface ReplicaOptions {
  readonly connection: PostgresOptions;
  readonly onRead: (outcome: ReplicaOutcome) => void;
  /** Called when reads stop going to the replica, and below when they go there again. */
  readonly onUnused: (state: ReplicaState, error: unknown) => void;
  readonly onUsed: (unusedMs: number) => void;
}

export interface ReplicatedOptions extends DatabaseOptions {
  readonly replica?: ReplicaOptions;
}

/** Failures in a row that open the circuit breaker. A promoted or foreign replica opens it on the first failure. */
const FAILURES_MAX = 3;
const REST_MS = 1_000;
const REST_MS_MAX = 10_000;
/** The longest wait for the primary's position in its log. */
const BOUND_MS = 1_000;
/** The longest time that a readiness check spends on the replica. */
const LOOK_MS = 500;
/** The replica gets this share of a read's deadline; the rest is for the primary, in case the replica does not answer. */
const REPLICA_SHARE = 0.5;

export class ReplicatedDatabase extends Database {
  readonly #replica: Replica | undefined;
  readonly #deadlineMs: number;

  constructor({ replica, ...options }: ReplicatedOptions) {
    super(options);
    this.#deadlineMs = options.deadlineMs;
    if (replica === undefined) return;
    // Not `this.system`: `Clusters` overrides it and may send the question to another cluster.
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

/** The options for a pool to the replica: those of the primary, without what concerns writes. */
function toReplica(
  { direct: _, onReplaced: __, onWriting: ___, onCommitting: ____, onCommitted: _____, ...options }: DatabaseOptions,
  { connection }: ReplicaOptions,
): DatabaseOptions {
  return { ...options, connection };
}

class Replica implements AsyncDisposable {
  readonly #options: ReplicaOptions;
  readonly #db: Database;
  /** The question how far the primary has come. */
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
      // The read then runs on the primary, whose own error shows what is wrong with it.
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
        this.#leaveServer(outcome, error);
      }
      this.#options.onRead(outcome);
      return undefined;
    }
  }

  /** Checks for a short time whether the replica can be used. If so, reads go there from now on. */
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
      this.#leaveServer(outcome, error);
      return outcome === "conflict" || outcome === "failed" ? "unavailable" : outcome;
    }
    this.#breaker.close();
    this.#noteBack();
    return "ok";
  }

  /** A server keeps its connections when it is promoted. Another one of the URL's may be the replica now. */
  #leaveServer(outcome: ReplicaOutcome, error: unknown): void {
    if (outcome === "promoted") this.#db.reconnect(error);
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

/** Errors that show another database: it lacks a function of every migrated one, the role, or the database itself. */
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
