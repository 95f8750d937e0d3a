/** The change feed as a list, and the form in which every face shows a change. */
import type { OperationContext } from "../../context.ts";
import * as queries from "../../db/queries/changes.ts";
import { ServiceError } from "../../errors.ts";
import {
  type Change,
  type ChangePage,
  type Channel,
  type ListChangesQuery,
  type ListedChange,
  TASK_RESOURCES,
} from "../../schema/change.ts";
import { decodeCursor, encodeCursor } from "../common/cursor.ts";
import { missingTaskScope, seesTasks, TASK_TYPES } from "../common/task_scope.ts";

/** Positions of the feed that one page covers. They have no gaps, so a filter that finds little has bounded work. */
const SPAN_MAX = 10_000;

/** Whether a kind, or a prefix that ends with `.`, belongs to tasks or events. */
export function isTaskKind(kind: string): boolean {
  return TASK_TYPES.includes(kind.split(".")[0]!);
}

/** Which channel sends a resource's changes. */
export function channelOf(resourceType: string): Channel {
  return TASK_RESOURCES[resourceType as keyof typeof TASK_RESOURCES] ?? "memory";
}

/** A cursor for the position right after `seq`. It is of no use in another workspace. */
export function cursorAt(workspaceId: string, seq: number): string {
  return encodeCursor(listOf(workspaceId), "asc", seq);
}

/** Reads the position in `since`, or in another `member`. @throws ServiceError `validation_failed` */
export function readSince(workspaceId: string, since: string, member = "since"): number {
  try {
    return decodeCursor(listOf(workspaceId), "asc", since, isSeq)!;
  } catch (cause) {
    throw invalidSince("must be a cursor of this workspace's change feed", { member, cause });
  }
}

/** @throws ServiceError `validation_failed` for a position that the feed has not reached. */
export function requireReached(since: number, head: number): void {
  if (since > head) throw invalidSince("is beyond the end of the change feed");
}

function invalidSince(message: string, { member = "since", cause }: { member?: string; cause?: unknown } = {}) {
  return new ServiceError("validation_failed", `Cannot use this position: ${member} ${message}`, {
    errors: [{ path: member, message }],
    cause,
  });
}

function listOf(workspaceId: string): string {
  return `changes ${workspaceId}`;
}

function isSeq(key: unknown): key is number {
  return Number.isSafeInteger(key) && (key as number) >= 0;
}

/**
 * Lists a page of the feed, the oldest first unless the caller asks otherwise. A page may be short, or empty, and yet
 * have a next one. Callers who may not read tasks are not shown changes of tasks and events.
 * @throws ServiceError `validation_failed`; `insufficient_scope` when such a caller asks for these alone
 */
export async function listChanges(ctx: OperationContext, query: ListChangesQuery): Promise<ChangePage> {
  const { limit, order, kind: kinds, resourceId } = query;
  const withoutTypes = seesTasks(ctx) ? [] : TASK_TYPES;
  if (withoutTypes.length > 0 && kinds?.some(isTaskKind)) throw missingTaskScope();
  const list = listOf(ctx.workspaceId);
  const since = query.since === undefined ? 0 : readSince(ctx.workspaceId, query.since);
  const from = decodeCursor(list, order, query.cursor, isSeq);
  const { head, rows, span } = await ctx.tx(async (tx) => {
    // The end is read first: a later read sees every row up to it.
    const head = await queries.readFeedHead(tx);
    requireReached(since, head);
    const span = spanOf({ since, from, head, order, isBounded: resourceId === undefined });
    const filter = { ...span, kinds, withoutTypes, resourceId, order, limit: limit + 1 };
    return { head, span, rows: await queries.listChanges(tx, filter) };
  }, { readOnly: true });
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1)!.seq : undefined;
  const next = order === "asc" ? nextAfter(last, span.through, head) : nextBefore(last, span.after, since);
  return {
    data: shown.map((row): ListedChange => ({ ...toChange(row), cursor: cursorAt(ctx.workspaceId, row.seq) })),
    nextCursor: next === undefined ? null : encodeCursor(list, order, next),
    endCursor: cursorAt(ctx.workspaceId, head),
  };
}

interface SpanInput {
  readonly since: number;
  /** The last position that the previous page covered, in either order. */
  readonly from: number | undefined;
  readonly head: number;
  readonly order: "asc" | "desc";
  /** Whether the work has to be bounded; an index finds the changes of one resource. */
  readonly isBounded: boolean;
}

/** The stretch of the feed that a page covers: after `after`, up to `through`. */
function spanOf({ since, from, head, order, isBounded }: SpanInput): { after: number; through: number } {
  const span = isBounded ? SPAN_MAX : Number.MAX_SAFE_INTEGER;
  if (order === "asc") {
    const after = Math.max(since, from ?? 0);
    return { after, through: Math.min(head, after + span) };
  }
  const through = Math.min(head, (from ?? Infinity) - 1);
  return { after: Math.max(since, through - span), through };
}

function nextAfter(last: number | undefined, through: number, head: number): number | undefined {
  return last ?? (through < head ? through : undefined);
}

/** In descending order, a cursor is the position before which the next page begins. */
function nextBefore(last: number | undefined, after: number, since: number): number | undefined {
  return last ?? (after > since ? after + 1 : undefined);
}

/** The position of a text in the recall index is not shown. */
const INTERNAL_MEMBERS = new Set(["docNo", "docNos"]);

export function toChange(row: queries.ChangeRow): Change {
  const { seq, kind, resourceType, resourceId, version, sensitivity, actor } = row;
  const payload = Object.fromEntries(Object.entries(row.payload).filter(([name]) => !INTERNAL_MEMBERS.has(name)));
  return {
    ...{ seq, kind, resourceType, resourceId, version, sensitivity, actor },
    recordedAt: row.recordedAt.toISOString(),
    payload: payload as Change["payload"],
  };
}
