/**
 * The recall diary: stores what was asked and shown, for workspaces that keep a diary. Entries wait in memory and are
 * written in batches, so that no recall waits for them. A process that is killed loses the entries of the last moment;
 * when too many wait, because the database cannot take them, further ones are dropped and counted.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Deps, OperationContext } from "../../../context.ts";
import { uuidv7 } from "../../../crypto/ids.ts";
import * as queries from "../../../db/queries/recall_diary.ts";
import { ServiceError } from "../../../errors.ts";
import type { Page } from "../../../schema/common.ts";
import type { HotRecallBody, RecallBody, RecallReply, RecallResult } from "../../../schema/recall.ts";
import type { ListRecallsQuery, RecallEntry, RecallPath } from "../../../schema/recall_diary.ts";
import { findUuids } from "../../../schema/uuid.ts";
import { diaryWriteFailed } from "../../../telemetry/events.ts";
import { decodeCursor, encodeCursor, isId, toPage } from "../../common/cursor.ts";
import { LateWriter } from "../../common/late_writer.ts";
import { perService } from "../../common/per_service.ts";

/** How long an entry waits for others, and how long a retry waits after a failure, in milliseconds. */
const WAIT_MS = 500;
const RETRY_MS = 2_000;
/** How often the service tries again while it stops, if an erasure is running. */
const LAST_TRIES = 10;
/** How long the process remembers which workspaces keep a diary, in milliseconds. */
const KNOWN_MS = 2_000;
/** The most entries of one transaction. */
const BATCH_MAX = 100;
/** The most entries and characters of all workspaces that may wait, and the most entries of one workspace. */
const WAITING_MAX = 10_000;
const WAITING_CHARACTERS_MAX = 33_554_432;
const WORKSPACE_MAX = 5_000;
/** Filters with more characters are not stored. */
const FILTERS_CHARACTERS_MAX = 16_384;
/** Characters that one waiting result counts as. */
const SHOWN_CHARACTERS = 200;

/** A recall, as the diary stores it. */
export interface DiaryEntry {
  readonly path: RecallPath;
  readonly body: RecallBody | HotRecallBody;
  readonly reply: RecallReply;
  /** The session for which the recall was made, if it is not the filter's. */
  readonly sessionId?: string | undefined;
}

interface Waiting {
  readonly entry: queries.NewRecallEntry;
  readonly characters: number;
}

/** The entries of a service that wait to be written. */
export const diaryOf = perService((deps) => new Diary(deps));

class Diary implements AsyncDisposable {
  readonly #deps: Deps;
  readonly #waiting = new Map<string, Waiting[]>();
  #count = 0;
  #characters = 0;
  #keeping: ReadonlySet<string> = new Set();
  #knownUntil = -Infinity;
  readonly #writer: LateWriter;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#writer = new LateWriter({
      waitMs: WAIT_MS,
      retryMs: RETRY_MS,
      write: () => this.#write(),
      tellFailure: (error) => this.#tellFailure(error),
    });
  }

  /** Queues a recall, if its workspace keeps a diary. */
  note(ctx: OperationContext, recalled: DiaryEntry): void {
    const { workspaceId } = ctx;
    // Until it is known whether the workspace keeps a diary, entries wait.
    if (performance.now() < this.#knownUntil && !this.#keeping.has(workspaceId)) return;
    const entries = this.#waiting.get(workspaceId) ?? [];
    const one = toWaiting(ctx, recalled);
    const isFull = this.#count >= WAITING_MAX || entries.length >= WORKSPACE_MAX ||
      this.#characters + one.characters > WAITING_CHARACTERS_MAX;
    if (isFull) return this.#deps.telemetry.metrics.countRecallsDropped(1);
    this.#waiting.set(workspaceId, entries);
    entries.push(one);
    this.#count++;
    this.#characters += one.characters;
    this.#writer.wake();
  }

  /**
   * Writes waiting entries; while something is erased in a workspace, its entries go on waiting.
   * @throws ServiceError if the database cannot take them; the rest goes on waiting
   */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  #tellFailure(error: unknown): void {
    diaryWriteFailed(this.#deps.telemetry.log, { error, waiting: this.#count });
  }

  async #write(): Promise<void> {
    if (this.#count === 0) return;
    if (performance.now() >= this.#knownUntil) {
      this.#keeping = new Set(await this.#deps.db.each(queries.listRecallDiaries, { readOnly: true, partial: true }));
      this.#knownUntil = performance.now() + KNOWN_MS;
    }
    const faults: unknown[] = [];
    for (const [workspaceId, entries] of this.#waiting) {
      if (!this.#keeping.has(workspaceId)) this.#remove(entries, entries.length);
      try {
        await this.#writeAll(workspaceId, entries);
      } catch (error) {
        // A failure in one workspace does not hold up the others.
        faults.push(error);
      }
      if (entries.length === 0) this.#waiting.delete(workspaceId);
    }
    if (faults.length > 0) throw faults[0];
    if (this.#count > 0) this.#writer.wake();
  }

  async #writeAll(workspaceId: string, entries: Waiting[]): Promise<void> {
    while (entries.length > 0) {
      const batch = entries.slice(0, BATCH_MAX);
      const scope = { workspaceId, maxSensitivity: "restricted", actor: "system:diary" } as const;
      const isWritten = await this.#deps.db.tx(scope, async (tx) => {
        // Waiting here would make every later erasure wait, too.
        if (!await queries.lockDiary(tx)) return false;
        const ids = [...new Set(batch.flatMap(({ entry }) => entry.shown.map(({ id }) => id)))];
        const existing = await queries.findExisting(tx, ids);
        await queries.insertRecalls(tx, batch.map(({ entry }) => withoutErased(entry, existing)));
        return true;
      });
      if (!isWritten) return;
      this.#remove(entries, batch.length);
    }
  }

  #remove(entries: Waiting[], count: number): void {
    for (const { characters } of entries.splice(0, count)) this.#characters -= characters;
    this.#count -= count;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#writer.stop();
    try {
      await this.flush();
      for (let tries = 0; this.#count > 0 && tries < LAST_TRIES; tries++) {
        await delay(WAIT_MS);
        await this.flush();
      }
    } catch (error) {
      this.#tellFailure(error);
    }
    this.#deps.telemetry.metrics.countRecallsDropped(this.#count);
    this.#writer.stop();
  }
}

/**
 * The entry without units that were erased since the recall. If one was, the query is removed too,
 * as it may hold its text.
 */
function withoutErased(entry: queries.NewRecallEntry, existing: ReadonlySet<string>): queries.NewRecallEntry {
  const shown = entry.shown.filter(({ id }) => existing.has(id));
  return shown.length === entry.shown.length ? entry : { ...entry, shown, query: null, filters: null, namedIds: [] };
}

function toWaiting(ctx: OperationContext, { path, body, reply, sessionId }: DiaryEntry): Waiting {
  const { query, explainIds: _, ...asked } = body as RecallBody & { readonly explainIds?: unknown };
  const filters = JSON.stringify(asked);
  const isKept = filters.length <= FILTERS_CHARACTERS_MAX;
  const now = ctx.deps.clock();
  const toShown = (pinned: boolean) => ({ id, type, score, sensitivity }: RecallResult) => {
    return { id, type, score, sensitivity, pinned };
  };
  const shown = [...reply.results.map(toShown(false)), ...reply.pinned.map(toShown(true))];
  return {
    characters: query.length + (isKept ? filters.length : 0) + shown.length * SHOWN_CHARACTERS,
    entry: {
      id: uuidv7(now),
      sensitivity: ctx.maxSensitivity,
      recalledAt: now.toISOString(),
      path,
      operation: ctx.operationId,
      query,
      filters: isKept ? JSON.parse(filters) : null,
      namedIds: [...new Set(findUuids(`${query} ${isKept ? filters : ""}`.toLowerCase()))],
      sessionId: sessionId ?? body.sessionId ?? null,
      caller: ctx.actor,
      requestId: ctx.requestId,
      traceId: reply.traceId,
      evidenceConfidence: reply.evidenceConfidence,
      durationMs: reply.usage.durationMs,
      resultCount: shown.length,
      shown,
    },
  };
}

/** Lists recalls in the diary, the latest first unless the caller asks otherwise. */
export async function listRecalls(ctx: OperationContext, query: ListRecallsQuery): Promise<Page<RecallEntry>> {
  const { limit, order, caller, agentId, unitId, q: text } = query;
  const key = decodeCursor("recalls", order, query.cursor, isKey);
  const toDate = (time: string | undefined) => time === undefined ? undefined : new Date(time);
  const filter = { since: toDate(query.since), until: toDate(query.until), caller, agentId, unitId, text };
  const window = { order, after: key === undefined ? undefined : fromKey(key), limit: limit + 1 };
  const rows = await ctx.tx((tx) => queries.listRecalls(tx, filter, window), { readOnly: true });
  return toPage(rows, limit, toEntry, (row) => {
    return encodeCursor("recalls", order, `${row.recalledAt.toISOString()} ${row.id}`);
  });
}

/**
 * Reads a recall that the diary keeps.
 * @throws ServiceError `not_found`
 */
export async function getRecall(ctx: OperationContext, id: string): Promise<RecallEntry> {
  const row = await ctx.tx((tx) => queries.findRecall(tx, id), { readOnly: true });
  if (row === undefined) throw new ServiceError("not_found", "Cannot find the recall in the diary");
  return toEntry(row);
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function isKey(key: unknown): key is string {
  if (typeof key !== "string") return false;
  const [time = "", id, ...rest] = key.split(" ");
  return rest.length === 0 && isId(id) && TIME.test(time) && !Number.isNaN(Date.parse(time));
}

function fromKey(key: string) {
  const [time, id] = key.split(" ") as [string, string];
  return { at: new Date(time), id };
}

function toEntry({ recalledAt, filters, results, ...row }: queries.RecallEntryRow): RecallEntry {
  return { ...row, recalledAt: recalledAt.toISOString(), filters: filters && { ...filters }, results: [...results] };
}
