/** The global timeline: everything that has a time, in its order, and how much of it when. */
import type { OperationContext } from "../../context.ts";
import {
  countMoments,
  listMoments,
  type MomentBounds,
  type TimelineFilter,
  type TimelineRow,
} from "../../db/queries/timeline.ts";
import { findMentioning } from "../../db/queries/mentioning.ts";
import type { Tx } from "../../db/tx.ts";
import type { Page } from "../../schema/common.ts";
import {
  TIMELINE_TYPES,
  type TimelineCounts,
  type TimelineCountsQuery,
  type TimelineItem,
  type TimelineQuery,
} from "../../schema/timeline.ts";
import { decodeCursor, encodeCursor, toPage } from "../common/cursor.ts";
import { typesWhere } from "../kinds/registry.ts";
import { beyondPage, fromMomentKey, isMomentKey, readBounds, readSpans, toCounts, toMomentKey } from "./window.ts";

const WITH_SESSION = typesWhere(({ hasSession }) => hasSession);

/**
 * What happened and what was known, in order of time. Archived and retracted units are left out.
 * @throws ServiceError `validation_failed` when `after` or `before` is an id that is not known
 */
export async function listTimeline(ctx: OperationContext, query: TimelineQuery): Promise<Page<TimelineItem>> {
  const { limit, order } = query;
  const key = decodeCursor("timeline", order, query.cursor, isMomentKey);
  return await ctx.tx(async (tx) => {
    const bounds = beyondPage(await readBounds(tx, query), order, key === undefined ? undefined : fromMomentKey(key));
    const rows = await listMoments(tx, await toFilter(tx, query, bounds), { order, limit: limit + 1 });
    return toPage(rows, limit, toItem, (row) => encodeCursor("timeline", order, toMomentKey(row)));
  }, { readOnly: true, fromReplica: true });
}

/**
 * How much there is of each type in each span of the calendar.
 * @throws ServiceError `validation_failed` for an unknown time zone or too many spans
 */
export async function countTimeline(ctx: OperationContext, query: TimelineCountsQuery): Promise<TimelineCounts> {
  const spans = readSpans(query, ctx.deps.clock());
  const { from, to } = spans;
  return await ctx.tx(
    async (tx) => toCounts(spans, await countMoments(tx, await toFilter(tx, query, { from, to }), spans.starts)),
    { readOnly: true, fromReplica: true },
  );
}

async function toFilter(
  tx: Tx,
  query: Omit<TimelineCountsQuery, "bucket" | "timeZone">,
  bounds: MomentBounds,
): Promise<TimelineFilter> {
  const { types = TIMELINE_TYPES, q, entityId, agentId, sessionId, tags, minTrust } = query;
  return {
    ...bounds,
    withSession: WITH_SESSION,
    ...{ types, agentId, sessionId, tags, minTrust, text: q },
    mentioning: entityId === undefined ? undefined : await findMentioning(tx, entityId),
  };
}

function toItem(row: TimelineRow): TimelineItem {
  return {
    type: row.type,
    id: row.id,
    at: row.at.toISOString(),
    text: row.text,
    status: row.status,
    trustScore: row.trustScore,
    sensitivity: row.sensitivity,
    stale: row.stale,
    tags: [...row.tags],
    entityIds: [...row.entityIds],
    sessionId: row.sessionId,
    agentId: row.agentId,
    messageId: row.messageId,
    data: row.data as TimelineItem["data"],
  };
}
