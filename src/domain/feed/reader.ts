/**
 * Reads the feed for streams, in short transactions of a workspace and a clearance. Few run at a time, and all streams
 * at the same position share one, so that requests find free connections however many streams are open. docs/reference/guarantees.md F5.
 */
import * as queries from "../../db/queries/changes.ts";
import type { Database } from "../../db/database.ts";
import type { Change } from "../../schema/change.ts";
import type { Sensitivity } from "../../schema/common.ts";
import { toChange } from "./changes.ts";

/** The most changes that one read returns. */
const BATCH_MAX = 200;
/** The most positions of the feed that one read covers. */
const SPAN_MAX = 2_000;
/** The most transactions for streams at the same time. */
const READS_MAX = 2;

/** A stretch of the feed. */
export interface Batch {
  readonly changes: readonly Change[];
  /** This batch or an earlier one holds every change up to here that the clearance may see. */
  readonly through: number;
  /** The feed's end when it was read, or later. */
  readonly head: number;
}

export interface ReaderScope {
  readonly workspaceId: string;
  readonly maxSensitivity: Sensitivity;
}

export class FeedReader {
  readonly #db: Database;
  /** Reads that have not reached the feed yet, by scope and position. */
  readonly #waiting = new Map<string, Promise<Batch>>();
  readonly #turns = new Turns(READS_MAX);

  constructor(db: Database) {
    this.#db = db;
  }

  /** The changes after a place. @throws ServiceError `unavailable` while the database cannot be reached */
  read(scope: ReaderScope, after: number): Promise<Batch> {
    const name = `${scope.workspaceId} ${scope.maxSensitivity} ${after}`;
    const waiting = this.#waiting.get(name);
    if (waiting !== undefined) return waiting;
    // A reader that comes after this read has begun may know of a change that this read does not see.
    const close = () => void (this.#waiting.get(name) === batch && this.#waiting.delete(name));
    const batch = this.turn(() => this.#read(scope, after, close)).finally(close);
    this.#waiting.set(name, batch);
    return batch;
  }

  /** Reads where the feed ends. */
  readHead(scope: ReaderScope): Promise<number> {
    return this.turn(() => this.#db.tx(asReader(scope), queries.readFeedHead, { readOnly: true }));
  }

  /** Runs database work on behalf of streams when it is its turn. */
  turn<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.run(work);
  }

  async #read(scope: ReaderScope, after: number, onLook: () => void): Promise<Batch> {
    const { head, rows } = await this.#db.tx(asReader(scope), async (tx) => {
      onLook();
      // The end is read first: a later read sees every row up to it.
      const head = await queries.readFeedHead(tx);
      const rows = await queries.listChanges(tx, {
        after,
        through: Math.min(head, after + SPAN_MAX),
        kinds: undefined,
        withoutTypes: [],
        resourceId: undefined,
        order: "asc",
        limit: BATCH_MAX,
      });
      return { head, rows };
    }, { readOnly: true });
    const through = rows.length === BATCH_MAX ? rows.at(-1)!.seq : Math.max(after, Math.min(head, after + SPAN_MAX));
    return { changes: rows.map(toChange), through, head };
  }
}

function asReader({ workspaceId, maxSensitivity }: ReaderScope) {
  return { workspaceId, maxSensitivity, actor: "system:streams" } as const;
}

/** Lets a few tasks run at a time; the others wait in the order in which they came. */
class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(max: number) {
    this.#free = max;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
