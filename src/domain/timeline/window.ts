/** The part of a timeline that a request asks for, and the spans of its counts. */
import type { OperationContext } from "../../context.ts";
import { isUuid } from "../../crypto/ids.ts";
import { findMoment, type MomentBound, type MomentBounds, type MomentKey } from "../../db/queries/timeline.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import { clampTime } from "../../schema/common.ts";
import { BUCKETS_MAX, type TimelineCounts, type TimeWindow } from "../../schema/timeline.ts";
import { seesTasks } from "../common/task_scope.ts";
import { type Bucket, type ClockOffset, nextOf, startOf, startsBetween, zoneOf } from "./buckets.ts";

/** The number of spans by default. */
const SPANS_DEFAULT = 30;

function refuse(path: string, message: string): ServiceError {
  return new ServiceError("validation_failed", `Cannot read the timeline: ${path} ${message}`, {
    errors: [{ path, message }],
  });
}

/**
 * The bounds of a request's window. Only callers who may read tasks and events can name them as bounds.
 * @throws ServiceError `validation_failed` for an id that is not known
 */
export async function readBounds(ctx: OperationContext, tx: Tx, window: TimeWindow): Promise<MomentBounds> {
  const date = (text: string | undefined) => text === undefined ? undefined : new Date(text);
  const bound = async (path: "after" | "before"): Promise<MomentBound | undefined> => {
    const value = window[path];
    if (value === undefined) return undefined;
    if (!isUuid(value)) return { at: new Date(value), id: undefined };
    const moment = await findMoment(tx, value, { withTasks: seesTasks(ctx) });
    if (moment === undefined) throw refuse(path, "is not known");
    return moment;
  };
  return { from: date(window.from), to: date(window.to), after: await bound("after"), before: await bound("before") };
}

/** The time of a moment in milliseconds and its id, as in a cursor. */
const MOMENT_KEY = /^-?\d{1,15} [0-9a-f]{8}-[0-9a-f-]{27}$/;

/** Whether a value from a cursor is the key of a place in a timeline. */
export function isMomentKey(key: unknown): key is string {
  return typeof key === "string" && MOMENT_KEY.test(key) && isUuid(key.split(" ")[1]!);
}

/** Writes a place in a timeline as text for a cursor. */
export function toMomentKey({ at, id }: MomentKey): string {
  return `${at.getTime()} ${id}`;
}

/** Reads what `toMomentKey` wrote. */
export function fromMomentKey(key: string): MomentKey {
  const [ms, id] = key.split(" ") as [string, string];
  return { at: new Date(Number(ms)), id };
}

/** Narrows bounds to the page after a key. Of two bounds on one side, the narrower one applies. */
export function beyondPage(bounds: MomentBounds, order: "asc" | "desc", key: MomentKey | undefined): MomentBounds {
  if (key === undefined) return bounds;
  // The page before ended within the bounds, so its end is the narrower bound.
  return order === "asc" ? { ...bounds, after: key } : { ...bounds, before: key };
}

export interface Spans {
  readonly bucket: Bucket;
  readonly timeZone: string;
  readonly zone: ClockOffset;
  readonly from: Date;
  readonly to: Date;
  readonly starts: readonly Date[];
}

/** @throws ServiceError `validation_failed` when there is no zone of that name */
export function requireZone(timeZone: string): ClockOffset {
  const zone = zoneOf(timeZone);
  if (zone === undefined) throw refuse("timeZone", "is not known");
  return zone;
}

/**
 * The spans that a request asks to count.
 * @throws ServiceError `validation_failed` for an unknown zone, or an empty or too long window
 */
export function readSpans(
  query: {
    readonly bucket: Bucket;
    readonly timeZone: string;
    readonly from?: string | undefined;
    to?: string | undefined;
  },
  now: Date,
): Spans {
  const { bucket, timeZone } = query;
  const zone = requireZone(timeZone);
  const to = query.to === undefined ? now : new Date(query.to);
  const from = query.from === undefined ? spansBefore(bucket, to, zone) : new Date(query.from);
  if (from >= to) throw refuse("from", "must be before to");
  const starts = startsBetween(bucket, from.getTime(), to.getTime(), zone, BUCKETS_MAX);
  if (starts === undefined) throw refuse("from", `makes more than ${BUCKETS_MAX} spans`);
  return { bucket, timeZone, zone, from, to, starts: starts.map((ms) => new Date(clampTime(ms))) };
}

function spansBefore(bucket: Bucket, to: Date, zone: ClockOffset): Date {
  let start = startOf(bucket, to.getTime() - 1, zone);
  for (let i = 1; i < SPANS_DEFAULT; i++) start = startOf(bucket, start - 1, zone);
  return new Date(clampTime(start));
}

/** The reply from counts by type and number of the span. */
export function toCounts(
  { bucket, timeZone, zone, from, to, starts }: Spans,
  counted: readonly { readonly type: string; readonly span: number; readonly count: number }[],
): TimelineCounts {
  const data = starts.map((start, i) => {
    const own = counted.filter(({ span }) => span === i + 1).sort((a, b) => a.type < b.type ? -1 : 1);
    return {
      start: start.toISOString(),
      end: (starts[i + 1] ?? new Date(clampTime(nextOf(bucket, start.getTime(), zone)))).toISOString(),
      total: own.reduce((sum, { count }) => sum + count, 0),
      counts: Object.fromEntries(own.map(({ type, count }) => [type, count])),
    };
  });
  return {
    ...{ bucket, timeZone, data },
    from: from.toISOString(),
    to: to.toISOString(),
    total: data.reduce((sum, { total }) => sum + total, 0),
  };
}
