/** Erases tasks and events, one at a time. They have no archived state: they stay, or are erased for ever. */
import type { OperationContext } from "../../context.ts";
import { insertDeletion, isErased } from "../../db/queries/deletion_log.ts";
import { eraseEvent, type EventRow, findEvent, findEventsOf } from "../../db/queries/events.ts";
import { eraseReplies } from "../../db/queries/idempotent_replies.ts";
import { countTaskVersions, deleteTask, findTask } from "../../db/queries/tasks.ts";
import { lockNames } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import type { Sensitivity } from "../../schema/common.ts";
import type { ErasureReceipt, ForgetRecordBody, ForgetRecordReply } from "../../schema/unit.ts";
import { signReceipt } from "../unit/erase.ts";
import { requireVersion } from "../unit/store.ts";

/**
 * Erases a task with its history and dependencies; tasks that depend on it no longer wait for it.
 * @throws ServiceError `not_found`, `version_mismatch`, `erased`
 */
export function forgetTask(
  ctx: OperationContext,
  id: string,
  { reason }: ForgetRecordBody,
  ifMatch: number | undefined,
): Promise<ForgetRecordReply> {
  return ctx.tx(async (tx) => {
    const task = await findTask(tx, id, { lock: true });
    if (task === undefined) throw await missing(tx, "task", id);
    requireVersion(task, ifMatch);
    return { mode: "erase", receipt: await eraseTask(ctx, tx, task, reason ?? null) };
  });
}

/** Erases an event. @throws ServiceError `not_found`, `erased` */
export function forgetEvent(
  ctx: OperationContext,
  id: string,
  { reason }: ForgetRecordBody,
): Promise<ForgetRecordReply> {
  return ctx.tx(async (tx) => {
    await lockNames(tx, [`id:${id}`]);
    const event = await requireEvent(tx, id);
    return { mode: "erase", receipt: await eraseOneEvent(ctx, tx, event, reason ?? null) };
  });
}

/** Erases a task that the transaction has locked. */
export async function eraseTask(
  ctx: OperationContext,
  tx: Tx,
  task: { readonly id: string; readonly version: number; readonly sensitivity: Sensitivity },
  reason: string | null,
): Promise<ErasureReceipt> {
  const revisions = await countTaskVersions(tx, task.id);
  await deleteTask(tx, task.id);
  return await noteErased(ctx, tx, { ...task, resourceType: "task", revisions }, reason);
}

/** Erases an existing event. */
export async function eraseOneEvent(
  ctx: OperationContext,
  tx: Tx,
  event: { readonly id: string; readonly sensitivity: Sensitivity },
  reason: string | null,
): Promise<ErasureReceipt> {
  // The log comes first, because the database deletes only events that it lists.
  const erased = { ...event, version: 1, resourceType: "event", revisions: 1 } as const;
  const receipt = await noteErased(ctx, tx, erased, reason);
  await eraseEvent(tx, event.id);
  return receipt;
}

/** The most events of a session that are erased in one transaction. */
const EVENTS_MAX = 1_000;

/**
 * Erases the events that name a session.
 * @throws ServiceError `conflict` when they are too many for one transaction
 */
export async function eraseEventsOf(ctx: OperationContext, tx: Tx, sessionId: string): Promise<void> {
  const events = await findEventsOf(tx, sessionId, EVENTS_MAX + 1);
  if (events.length > EVENTS_MAX) {
    throw new ServiceError(
      "conflict",
      `Cannot erase: more than ${EVENTS_MAX} events name the session; erase some of these first`,
    );
  }
  for (const event of events) await eraseOneEvent(ctx, tx, event, `named session ${sessionId}`);
}

interface ErasedRecord {
  readonly id: string;
  readonly version: number;
  readonly sensitivity: Sensitivity;
  readonly resourceType: "task" | "event";
  readonly revisions: number;
}

/** Writes the traces of an erasure: the entry in the deletion log with its receipt, and the tombstone in the feed. */
async function noteErased(
  ctx: OperationContext,
  tx: Tx,
  { id, version, sensitivity, resourceType, revisions }: ErasedRecord,
  reason: string | null,
): Promise<ErasureReceipt> {
  await eraseReplies(tx, id);
  const { instanceId } = ctx.deps.config;
  const receipt = signReceipt(ctx, {
    ...{ id, resourceType, erasedAt: tx.now.toISOString(), erasedBy: tx.actor, reason },
    removed: { revisions, texts: 0, reviewItems: 0, relations: 0 },
    ...{ staleDependants: 0, moreDependants: false, instance: instanceId },
  });
  await insertDeletion(tx, { resourceId: id, resourceType, originInstance: instanceId, sensitivity, receipt });
  tx.record({ kind: `${resourceType}.erased`, resourceType, resourceId: id, version, sensitivity });
  return receipt;
}

async function missing(tx: Tx, type: "task" | "event", id: string): Promise<ServiceError> {
  if (await isErased(tx, type, id)) return new ServiceError("erased", `Cannot read the ${type}: it was erased`);
  return new ServiceError("not_found", `Cannot find the ${type}`);
}

/** Reads an existing event. @throws ServiceError `not_found`, `erased` */
export async function requireEvent(tx: Tx, id: string): Promise<EventRow> {
  const row = await findEvent(tx, id);
  if (row === undefined) throw await missing(tx, "event", id);
  return row;
}

/** Refuses a task that does not exist. @throws ServiceError `not_found`, `erased` */
export async function requireTask<Row>(tx: Tx, id: string, row: Row | undefined): Promise<Row> {
  if (row === undefined) throw await missing(tx, "task", id);
  return row;
}
