/** Events: appended, never changed, read by time. */
import type { OperationContext } from "../../context.ts";
import { isUuid, uuidv7 } from "../../crypto/ids.ts";
import type { Tx } from "../../db/tx.ts";
import * as queries from "../../db/queries/events.ts";
import type { EventRow } from "../../db/queries/events.ts";
import { ServiceError } from "../../errors.ts";
import { isCleared, type Page } from "../../schema/common.ts";
import type { Event, EventBatchReply, ListEventsQuery, RecordEventBody } from "../../schema/event.ts";
import { decodeCursor, encodeCursor, toPage } from "../common/cursor.ts";
import { requireClearance } from "../unit/trust.ts";
import { requireEvent } from "./erase.ts";

/**
 * Records an event.
 * @throws ServiceError `validation_failed` when its sensitivity is above the caller's clearance.
 */
export async function recordEvent(ctx: OperationContext, body: RecordEventBody): Promise<Event> {
  requireClearance(ctx, body.sensitivity);
  const [row] = await ctx.tx((tx) => append(tx, [body]));
  return toEvent(row!);
}

/**
 * Records up to 500 events in one transaction, all or none.
 * @throws ServiceError `validation_failed` with the place of each event above the caller's clearance.
 */
export async function recordEvents(
  ctx: OperationContext,
  bodies: readonly RecordEventBody[],
): Promise<EventBatchReply> {
  const errors = bodies.flatMap(({ sensitivity }, i) =>
    isCleared(sensitivity, ctx.maxSensitivity)
      ? []
      : [{ path: `events.${i}.sensitivity`, message: `must be at most ${ctx.maxSensitivity}` }]
  );
  if (errors.length > 0) {
    throw new ServiceError(
      "validation_failed",
      "Cannot record the events: their sensitivity is above the key's clearance",
      { errors },
    );
  }
  await ctx.noteItems?.(bodies.length);
  const rows = await ctx.tx((tx) => append(tx, bodies));
  return { recorded: rows.length, data: rows.map(toEvent) };
}

async function append(tx: Tx, bodies: readonly RecordEventBody[]): Promise<EventRow[]> {
  const rows = bodies.map((body): EventRow => ({
    id: uuidv7(tx.now),
    type: body.type,
    agentId: body.agentId ?? null,
    sessionId: body.sessionId ?? null,
    data: body.data,
    sensitivity: body.sensitivity,
    occurredAt: body.occurredAt === undefined ? tx.now : new Date(body.occurredAt),
    recordedAt: tx.now,
    createdBy: tx.actor,
  }));
  await queries.insertEvents(tx, rows);
  for (const { id: resourceId, sensitivity } of rows) {
    tx.record({ kind: "event.recorded", resourceType: "event", resourceId, version: 1, sensitivity });
  }
  return rows;
}

/** @throws ServiceError `not_found`, `erased` */
export async function getEvent(ctx: OperationContext, id: string): Promise<Event> {
  return await ctx.tx(async (tx) => toEvent(await requireEvent(tx, id)), { readOnly: true });
}

/** Lists events by occurrence, the latest first unless the caller asks otherwise. */
export async function listEvents(ctx: OperationContext, query: ListEventsQuery): Promise<Page<Event>> {
  const { limit, order, agentId, sessionId } = query;
  const key = decodeCursor("events", order, query.cursor, isKey);
  const date = (text: string | undefined) => text === undefined ? undefined : new Date(text);
  const filter = {
    agentId,
    sessionId,
    order,
    types: query.type,
    from: date(query.from),
    to: date(query.to),
    after: key === undefined ? undefined : fromKey(key),
    limit: limit + 1,
  };
  const rows = await ctx.tx((tx) => queries.listEvents(tx, filter), { readOnly: true, fromReplica: true });
  return toPage(rows, limit, toEvent, (row) => encodeCursor("events", order, toKey(row)));
}

/** A position in the list: the time, then the id, because several events may occur at one time. */
function toKey({ occurredAt, id }: EventRow): string {
  return `${occurredAt.toISOString()} ${id}`;
}

function fromKey(key: string): { readonly occurredAt: Date; readonly id: string } {
  const [time, id] = key.split(" ");
  return { occurredAt: new Date(time!), id: id! };
}

function isKey(key: unknown): key is string {
  if (typeof key !== "string") return false;
  const [time, id, ...rest] = key.split(" ");
  return rest.length === 0 && id !== undefined && isUuid(id) && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(time!) &&
    !Number.isNaN(Date.parse(time!));
}

function toEvent(row: EventRow): Event {
  return {
    id: row.id,
    type: row.type,
    agentId: row.agentId,
    sessionId: row.sessionId,
    data: row.data as Event["data"],
    sensitivity: row.sensitivity,
    occurredAt: row.occurredAt.toISOString(),
    recordedAt: row.recordedAt.toISOString(),
    createdBy: row.createdBy,
  };
}
