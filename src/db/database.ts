/**
 * The only door to SQL: a transaction that is bound to one workspace and one clearance.
 *
 * Its promises, which hold even when backends die (`tests/db/dead_backend*_test.ts`):
 * - a callback never reads or writes in a transaction other than its own: the handle refuses every use once its
 *   transaction is lost, and the callback of a lost transaction is never resumed into a COMMIT or ROLLBACK;
 * - a write that was acknowledged is in the database, one that was refused is either wholly there or not at all;
 * - nobody waits longer than the deadline.
 */
import {
  attemptTransaction,
  type Done,
  type Manner,
  type Means,
  type ReplicaTxOptions,
  type Settings,
} from "./attempt.ts";
import { errorCode, isConnectionError, isLostStatement, isRefusedForNumber, Pool, type PoolOptions } from "./pool.ts";
import { lookAtSessions, type Sessions } from "./sessions.ts";
import { BACKGROUND } from "./connection_slots.ts";
import { Openings } from "./opening.ts";
import { appendToChains, asAudit, auditEntries, auditRows, type ChainElsewhere, sendAudit } from "./audit.ts";
import { lockFeed, writeChanges } from "./changes.ts";
import { NotBegun, toServiceError, UNDONE } from "./database_fault.ts";
import { sendWords } from "./vocabulary.ts";
import type { ServerRoom } from "./queries/notifications.ts";
import type {
  AuditEvent,
  ChangeInput,
  RecordedChange,
  Sql,
  Tx,
  TxOptions,
  VocabularyChange,
  WorkspaceScope,
} from "./tx.ts";
import { ServiceError } from "../errors.ts";
import { pause } from "../pause.ts";

/** The cluster that holds data of no workspace, and every workspace that was not placed on another cluster. */
export const HOME = "home";

/** Notifies listeners of the changes that a committed transaction appended to the change feed. */
export type Tell = (changes: readonly RecordedChange[]) => void;

export interface DatabaseOptions extends PoolOptions {
  readonly deadlineMs: number;
  readonly clock: () => Date;
  /**
   * Settings with which every transaction begins, by their names. The service sets nothing for a session, because a
   * pooler may give the session to another client with the next transaction.
   */
  readonly settings?: Readonly<Record<string, string>>;
  /** Called after a transaction with the milliseconds for which it had a connection. */
  readonly onUsed?: (scope: WorkspaceScope, usedMs: number) => void;
  /**
   * Called when a transaction that may write begins, except one of a background loop. The function that it returns is
   * called when the transaction ends.
   */
  readonly onWriting?: () => () => void;
  /**
   * Called in a transaction that is about to commit changes, and may read there what listeners need to know after the
   * commit. The function that it returns is called then, before `onCommitted`. Its statements are sent together with
   * those that end the transaction.
   */
  readonly onCommitting?: (tx: Tx, changes: readonly ChangeInput[]) => Promise<Tell | undefined>;
  /** Called after a commit with what it appended to the change feed. */
  readonly onCommitted?: (workspaceId: string, changes: readonly RecordedChange[]) => void;
  /** Called after a commit that wrote to the audit log, for each chain. */
  readonly onAudited?: (chain: string, scope: WorkspaceScope) => void;
  /** Set when the database is one of several clusters. */
  readonly cluster?: ClusterMember;
}

/** The options of a database that is one of several clusters. */
export interface ClusterMember {
  /**
   * Whether a workspace can be moved between clusters. If so, each of its transactions first asks whether this cluster
   * serves it.
   */
  readonly moves: (workspaceId: string) => boolean;
  readonly chainElsewhere: ChainElsewhere;
}

/** Options of `each`, which runs outside any workspace. */
export interface SystemOptions extends TxOptions {
  /** Leave out clusters that cannot be reached, instead of failing. */
  readonly partial?: boolean;
}

/** How `/health/ready` and the log name the state of a replica. */
export type ReplicaState = "ok" | "behind" | "promoted" | "foreign" | "unavailable";

/** The queue of transactions that belong to no workspace, such as key look-ups. It is apart from all others. */
const NO_WORKSPACE = "";

/**
 * The owner in whose queue a transaction waits. Work of the loops is in a queue of its own,
 * whichever workspace it is about.
 */
function ownerOf({ actor, workspaceId }: WorkspaceScope): string {
  return /^(worker|system):/.test(actor) ? BACKGROUND : workspaceId;
}

const RETRIES_MAX = 3;
/** How long to wait after the server refused a connection, in milliseconds; a random part of up to as much is added. */
const REFUSED_PAUSE_MS = 50;

export class Database implements AsyncDisposable {
  readonly #pool: Pool;
  readonly #options: DatabaseOptions;
  readonly #means: Means;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.#pool = new Pool(options);
    // The embedded database has a single backend, and we cannot terminate it.
    const isMarked = options.settings !== undefined;
    this.#means = { pool: this.#pool, openings: new Openings(options.settings), isMarked };
  }

  get poolGeneration(): number {
    return this.#pool.generation;
  }

  /** Gives up all connections, which lead to a server that is no longer what it was. */
  reconnect(error: unknown): void {
    this.#pool.reconnect(error);
  }

  /**
   * Finds out whether a pooler shares the connections' sessions. If so, statements are not prepared by name from then
   * on, unless the pooler keeps prepared ones.
   * @throws ServiceError `unavailable` when the database cannot be reached
   */
  async lookAtSessions(): Promise<Sessions> {
    const { connection, settings } = this.#options;
    // The embedded database has one session, which is the process's own.
    if (settings === undefined) return { areShared: false, keepStatements: true };
    try {
      const sessions = await lookAtSessions(connection);
      if (!sessions.keepStatements) this.#pool.useUnnamedStatements();
      return sessions;
    } catch (error) {
      throw toServiceError(error);
    }
  }

  /**
   * Runs `work` in a transaction of its own that sees one workspace up to one clearance.
   *
   * `work` awaits nothing but its statements. It is run again after a deadlock or a serialization failure, and, when
   * read-only, once after its connection died, so it has no effects outside the transaction.
   * @throws ServiceError `unavailable` when the database cannot be reached, `deadline_exceeded` when it takes too long.
   */
  async tx<T>(scope: WorkspaceScope, work: (tx: Tx) => Promise<T>, options: ReplicaTxOptions = {}): Promise<T> {
    let recorded: readonly RecordedChange[] = [], tell: Tell | undefined;
    let audited = false, chains: readonly string[] = [];
    const now = this.#options.clock();
    const about = options.at ?? scope.workspaceId;
    const owner = ownerOf(scope);
    const noteEnded = options.readOnly || owner === BACKGROUND ? undefined : this.#options.onWriting?.();
    const settings: Settings = [
      ["app.workspace_id", scope.workspaceId],
      ["app.max_sensitivity", scope.maxSensitivity],
    ];
    const result = await this.#retrying(
      async (sql) => {
        // An earlier attempt may have set these before it failed.
        [recorded, tell] = [[], undefined];
        const changes: ChangeInput[] = [];
        const events: AuditEvent[] = [];
        const words: VocabularyChange[] = [];
        const tx: Tx = {
          ...scope,
          sql,
          now,
          record: (change) => void changes.push(change),
          audit: (event) => void events.push(event),
          noteWords: (change) => void words.push(change),
        };
        const value = await work(tx);
        const entries = auditEntries(options.subject, now, changes, events);
        audited = entries.length > 0;
        chains = [...new Set(entries.flatMap((entry) => entry.chains ?? [scope.workspaceId]))];
        const beginTelling = () => changes.length > 0 ? this.#options.onCommitting?.(tx, changes) : undefined;
        if (entries.some((entry) => entry.chains !== undefined || about !== scope.workspaceId)) {
          recorded = changes.length > 0 ? await writeChanges(tx, changes) : [];
          await inOrder(...sendVocabulary(tx, changes, words));
          tell = await beginTelling();
          await asAudit(appendToChains(tx, entries, this.#options.cluster?.chainElsewhere));
          return { value };
        }
        // Building the rows may throw, so it happens before anything is sent.
        const rows = audited ? auditRows(tx.workspaceId, entries) : "";
        // Always in this order: feed, words, audit log. The end of the feed is locked before the end of the log. The
        // service waits for none of these statements here: it sends COMMIT right behind them, and so holds no lock for a
        // round trip.
        const fed = changes.length > 0 ? writeChanges(tx, changes).then((appended) => recorded = appended) : undefined;
        const spelled = sendVocabulary(tx, changes, words);
        // These statements run behind the lock on the feed, so they see all that transactions with lower sequence
        // numbers wrote.
        const telling = beginTelling()?.then((told) => tell = told);
        const logged = audited ? asAudit(sendAudit(tx, rows)) : undefined;
        return { value, sent: inOrder(fed, ...spelled, telling, logged) };
      },
      options,
      {
        settings,
        owner,
        onUsed: (usedMs) => this.#options.onUsed?.(scope, usedMs),
        ...this.#options.cluster?.moves(about) && { served: { workspaceId: about, writes: options.readOnly !== true } },
      },
    ).finally(noteEnded);
    if (audited) options.onAudited?.();
    for (const chain of chains) this.#options.onAudited?.(chain, scope);
    tell?.(recorded);
    if (recorded.length > 0) this.#options.onCommitted?.(scope.workspaceId, recorded);
    return result;
  }

  /**
   * Runs one statement outside any workspace: for the SECURITY DEFINER functions in `svc_system`, and for the boot
   * checks. Row-level security shows it no row of any workspace. Retries and errors are those of `tx`.
   */
  async system<T>(work: (sql: Sql) => Promise<T>, options: ReplicaTxOptions = {}): Promise<T> {
    return await this.#retrying(async (sql) => ({ value: await work(sql) }), options, {
      settings: [],
      owner: NO_WORKSPACE,
    });
  }

  /**
   * Runs `system` on every cluster and returns all rows, without those of workspaces that another cluster serves. Here
   * there is one cluster.
   */
  async each<T extends string | object>(
    work: (sql: Sql) => Promise<readonly T[]>,
    { partial: _, ...options }: SystemOptions = {},
  ): Promise<T[]> {
    return [...await this.system(work, options)];
  }

  /** Runs `system` on every cluster and returns the row that one of them finds, whichever workspace it belongs to. */
  async first<T extends { readonly workspaceId: string }>(
    work: (sql: Sql) => Promise<T | undefined>,
    options: TxOptions = {},
  ): Promise<T | undefined> {
    return await this.system(work, options);
  }

  /** The databases by the names of their clusters, the home cluster first. */
  get clusters(): ReadonlyMap<string, Database> {
    return new Map([[HOME, this]]);
  }

  /** The cluster that a workspace is placed on. */
  clusterOf(_workspaceId: string): Promise<string> {
    return Promise.resolve(HOME);
  }

  /**
   * Places a workspace that is about to be created. @throws ServiceError `validation_failed` when there is no such
   * cluster
   */
  place(_workspaceId: string, cluster: string): Promise<void> {
    if (cluster === HOME) return Promise.resolve();
    return Promise.reject(
      new ServiceError("validation_failed", `Cannot place the workspace: there is no cluster ${cluster}`),
    );
  }

  /** Keeps the connections within this process's share while the server has no more. */
  noteRoom(room: ServerRoom): void {
    this.#pool.noteRoom(room);
  }

  /**
   * Gives one connection back to the server, unless it is the last one: the listener needs one beside the transactions.
   */
  makeRoom(): void {
    this.#pool.makeRoom();
  }

  /** Checks whether the replica can be used; undefined if there is none. */
  lookAtReplica(): Promise<ReplicaState | undefined> {
    return Promise.resolve(undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
  }

  async #retrying<T>(work: (sql: Sql) => Promise<Done<T>>, options: ReplicaTxOptions, manner: Manner): Promise<T> {
    const expiresAt = performance.now() + (options.deadlineMs ?? this.#options.deadlineMs);
    for (let attempt = 1;; attempt++) {
      try {
        return await attemptTransaction(this.#means, work, options, expiresAt, manner);
      } catch (error) {
        if (isLostStatement(error)) this.#pool.useUnnamedStatements();
        if (options.bound !== undefined) throw error;
        if (error instanceof NotBegun && isRefusedForNumber(error.cause) && !options.signal?.aborted) {
          const ms = REFUSED_PAUSE_MS * (1 + Math.random());
          if (performance.now() + ms < expiresAt) {
            await pause(ms);
            attempt--;
            continue;
          }
        }
        const again = error instanceof NotBegun
          ? error.again && attempt <= RETRIES_MAX
          : UNDONE.has(errorCode(error) ?? "") || isLostStatement(error)
          ? attempt <= RETRIES_MAX
          : options.readOnly === true && attempt === 1 && isConnectionError(error);
        if (!again || options.signal?.aborted) throw toServiceError(error, options.readOnly);
      }
    }
  }
}

/** Sends the changes of the vocabulary behind the lock on the feed; takes the lock itself if no change has. */
function sendVocabulary(
  tx: Tx,
  changes: readonly ChangeInput[],
  words: readonly VocabularyChange[],
): Promise<unknown>[] {
  const isAny = words.some(({ gained = [], lost = [] }) => gained.length > 0 || lost.length > 0);
  const lock = isAny && changes.length === 0 ? [lockFeed(tx)] : [];
  return [...lock, ...sendWords(tx, words)];
}

/**
 * Waits for statements that were sent one after the other. If several failed, it throws the error of the first: the
 * others follow from it.
 */
async function inOrder(...sent: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  for (const one of sent) one?.catch(() => {});
  for (const one of sent) await one;
}
