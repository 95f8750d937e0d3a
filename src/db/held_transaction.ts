/**
 * A transaction that stays open for a whole operation: the data that it writes and the records about them commit
 * together, or not at all. It opens with the first piece of work, so that it holds nothing while texts are embedded.
 */
import { ServiceError } from "../errors.ts";
import type { AuditEvent, ChangeInput, Tx, TxOptions, VocabularyChange } from "./tx.ts";
import { toServiceError } from "./database_fault.ts";

type Work<T> = (tx: Tx) => Promise<T>;
/** Opens a transaction, runs the work and commits; may run it again when the database undid it. */
type Begin = <T>(work: Work<T>, options?: TxOptions) => Promise<T>;

interface Opened {
  readonly tx: Tx;
  /** Settles with the transaction. */
  readonly ended: Promise<void>;
  readonly verdict: PromiseWithResolvers<Work<void>>;
}

export class HeldTransaction {
  readonly #begin: Begin;
  readonly #prepare: Work<void>;
  #opened: Opened | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  /** Pieces of work that have not ended. */
  #running = 0;
  #savepoints = 0;

  /** @param prepare the first work of the transaction; if it throws, the transaction ends */
  constructor(begin: Begin, prepare: Work<void>) {
    this.#begin = begin;
    this.#prepare = prepare;
  }

  /** Whether it is open or is being opened. On a database with one session everything else waits for its end. */
  get isOpen(): boolean {
    return this.#opened !== undefined || this.#running > 0;
  }

  /**
   * Runs work in the transaction, one piece after another. Work that throws is undone alone. The options are those of
   * the first piece, for the transaction as a whole.
   */
  run<T>(work: Work<T>, options?: TxOptions): Promise<T> {
    this.#running++;
    const turn = this.#turn
      .then(() => this.#opened ? this.#continue(this.#opened, work) : this.#open(work, options))
      .finally(() => this.#running--);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /** Runs the last piece of work and commits everything. */
  async commit(finish: Work<void>): Promise<void> {
    await this.#turn;
    const opened = this.#opened;
    if (opened === undefined) {
      await this.#begin(async (tx) => {
        await this.#prepare(tx);
        await finish(tx);
      });
      return;
    }
    opened.verdict.resolve(finish);
    await opened.ended;
  }

  /** Undoes everything. */
  async rollback(): Promise<void> {
    await this.#turn;
    this.#opened?.verdict.reject(new RolledBack());
    await this.#opened?.ended.catch(() => {});
  }

  async #open<T>(work: Work<T>, { readOnly: _, ...options }: TxOptions = {}): Promise<T> {
    const first = Promise.withResolvers<T>();
    const verdict = Promise.withResolvers<Work<void>>();
    verdict.promise.catch(() => {});
    let isHandedOut = false;
    const ended: Promise<void> = this.#begin(async (tx) => {
      // The operation has already used results that the database undid.
      if (isHandedOut) throw new ServiceError("unavailable", "Cannot finish the request: others changed the same rows");
      await this.#prepare(tx);
      const value = await work(tx);
      isHandedOut = true;
      this.#opened = { tx, ended, verdict };
      first.resolve(value);
      const finish = await verdict.promise;
      await finish(tx);
    }, options);
    ended.catch(first.reject);
    return await first.promise;
  }

  async #continue<T>({ tx, ended }: Opened, work: Work<T>): Promise<T> {
    const broken = Promise.withResolvers<never>();
    broken.promise.catch(() => {});
    ended.catch(broken.reject);
    try {
      return await Promise.race([broken.promise, this.#inSavepoint(tx, work)]);
    } catch (error) {
      throw toServiceError(error);
    }
  }

  async #inSavepoint<T>(tx: Tx, work: Work<T>): Promise<T> {
    const name = `held_${++this.#savepoints}`;
    const changes: ChangeInput[] = [];
    const events: AuditEvent[] = [];
    const words: VocabularyChange[] = [];
    await tx.sql.unsafe(`savepoint ${name}`);
    try {
      const value = await work({
        ...tx,
        record: (change) => void changes.push(change),
        audit: (event) => void events.push(event),
        noteWords: (change) => void words.push(change),
      });
      await tx.sql.unsafe(`release savepoint ${name}`);
      for (const change of changes) tx.record(change);
      for (const event of events) tx.audit(event);
      for (const change of words) tx.noteWords(change);
      return value;
    } catch (error) {
      // On a connection that died, this throws the cause of its death, and sends nothing.
      await tx.sql.unsafe(`rollback to savepoint ${name}`);
      throw error;
    }
  }
}

/** The error of a transaction that was undone on purpose; no caller sees it. */
class RolledBack extends Error {
  constructor() {
    super("the held transaction was rolled back");
  }
}
