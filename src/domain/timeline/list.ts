/** The global timeline: everything that has a time, in order, and its counts by span. */
import type { OperationContext } from "../../context.ts";
import {
  countMoments,
  listMoments,
  type MomentBounds,
  type TimelineFilter,
  type TimelineRow,
} from "../../db/queries/timeline.ts";
import { findMentioning } from "../../db/queries/mention_condition.ts";
import type { Tx } from "../../db/tx.ts";
import type { Page } from "../../schema/common.ts";
import {
  TIMELINE_TYPES,
  type TimelineCounts,
  type TimelineCountsQuery,
  type TimelineItem,
  type TimelineQuery,
  type TimelineType,
} from "../../schema/timeline.ts";
import { decodeCursor, encodeCursor, toPage } from "../common/cursor.ts";
import { missingTaskScope, seesTasks, TASK_TYPES } from "../common/task_scope.ts";
import { typesWhere } from "../kinds/registry.ts";
import { beyondPage, fromMomentKey, isMomentKey, readBounds, readSpans, toCounts, toMomentKey } from "./window.ts";

const WITH_SESSION = typesWhere(({ hasSession }) => hasSession);

/**
 * Lists events and knowledge in order of time. Archived and retracted units are left out, and tasks and events for
 * callers who may not read them.
 * @throws ServiceError `validation_failed` when `after` or `before` is an unknown id; `insufficient_scope` when such a
 * caller asks for tasks and events alone
 */
export async function listTimeline(ctx: OperationContext, query: TimelineQuery): Promise<Page<TimelineItem>> {
  const { limit, order } = query;
  const key = decodeCursor("timeline", order, query.cursor, isMomentKey);
  const types = typesFor(ctx, query.types);
  return await ctx.tx(async (tx) => {
    const asked = await readBounds(ctx, tx, query);
    const bounds = beyondPage(asked, order, key === undefined ? undefined : fromMomentKey(key));
    const rows = await listMoments(tx, await toFilter(tx, { ...query, types }, bounds), { order, limit: limit + 1 });
    return toPage(rows, limit, toItem, (row) => encodeCursor("timeline", order, toMomentKey(row)));
  }, { readOnly: true, fromReplica: true });
}

/**
 * Counts the timeline by type and span of the calendar; tasks and events only for callers who may read them.
 * @throws ServiceError `validation_failed` for an unknown time zone or too many spans; `insufficient_scope` when other
 * callers ask for tasks and events alone
 */
export async function countTimeline(ctx: OperationContext, query: TimelineCountsQuery): Promise<TimelineCounts> {
  const spans = readSpans(query, ctx.deps.clock());
  const { from, to } = spans;
  const asked = { ...query, types: typesFor(ctx, query.types) };
  return await ctx.tx(
    async (tx) => toCounts(spans, await countMoments(tx, await toFilter(tx, asked, { from, to }), spans.starts)),
    { readOnly: true, fromReplica: true },
  );
}

/** Selects the requested types that the caller may see. */
function typesFor(ctx: OperationContext, asked: readonly TimelineType[] = TIMELINE_TYPES): readonly TimelineType[] {
  if (seesTasks(ctx)) return asked;
  const shown = asked.filter((type) => !TASK_TYPES.includes(type));
  if (shown.length === 0) throw missingTaskScope();
  return shown;
}

type Asked = Omit<TimelineCountsQuery, "bucket" | "timeZone" | "types"> & { readonly types: readonly TimelineType[] };

async function toFilter(tx: Tx, query: Asked, bounds: MomentBounds): Promise<TimelineFilter> {
  const { types, q, entityId, agentId, sessionId, tags, minTrust } = query;
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
