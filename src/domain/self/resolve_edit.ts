/** Carries out a person's decision about operations beyond an agent's rights: to apply them as proposed, or not. */
import type { OperationContext } from "../../context.ts";
import type { Tx } from "../../db/tx.ts";
import type { ReviewItemRow } from "../../db/queries/review_items.ts";
import * as queries from "../../db/queries/self_edits.ts";
import type { SelfEditRow, StoredOperation } from "../../db/queries/self_edits.ts";
import { findUnits } from "../../db/queries/units.ts";
import { ServiceError } from "../../errors.ts";
import type { ReviewedUnit } from "../../schema/review.ts";
import type { SelfEditOperation } from "../../schema/self_edit.ts";
import { noteOf, type ReviewEffect, type ReviewResolver } from "../unit/review_resolver.ts";
import { recordEdit } from "./read.ts";
import { prepareAgain, type PreparedOperation, prepareOperations } from "./operations.ts";
import type { Made } from "./references.ts";
import { applyAll } from "./outcomes.ts";
import { noteReverted } from "./revert.ts";
import { prepareReverts, type RevertOperation } from "./revert_operations.ts";
import { TextChanged } from "./rights.ts";
import { sensitivityOf } from "./sensitivity.ts";
import { lockUnits } from "../kinds/any_unit.ts";

export const SELF_EDIT: ReviewResolver = {
  actions: ["accept_incoming", "keep_local"],
  async lock(tx, item) {
    const { waiting } = await readWaiting(tx, item);
    await lockUnits(tx, waiting.flatMap(({ resourceId }) => resourceId ?? []));
  },
  async prepare(ctx, item, body) {
    const { edit, all, waiting } = await ctx.tx((tx) => readWaiting(tx, item), { readOnly: true });
    if (body.action === "keep_local") return async (tx) => ({ outcome: await decline(tx, item), units: [] });
    const ready = await prepareStored(ctx, edit, all, waiting);
    const reason = noteOf(item, body);
    return async (tx) => await accept(ctx, tx, { edit, all, waiting, ready, reason });
  },
  async dismiss(_ctx, tx, item) {
    await decline(tx, item);
  },
};

interface Waiting {
  readonly edit: SelfEditRow;
  /** All operations of the edit, to which the waiting ones may refer. */
  readonly all: readonly StoredOperation[];
  readonly waiting: readonly StoredOperation[];
}

async function readWaiting(tx: Tx, item: ReviewItemRow): Promise<Waiting> {
  const edit = await queries.findSelfEdit(tx, item.subjectId);
  if (edit === undefined) throw refuse("the edit is not there");
  const all = await queries.listOperations(tx, [edit.id]);
  return {
    edit,
    all,
    waiting: all.filter(({ reviewItemId, outcome }) => reviewItemId === item.id && outcome === "review"),
  };
}

function refuse(why: string): ServiceError {
  return new ServiceError("conflict", `Cannot resolve the review item: ${why}; dismiss it or decide otherwise`);
}

/** Prepares the proposed operations again: texts are embedded, and the rights of the person who decides are checked. */
async function prepareStored(
  ctx: OperationContext,
  edit: SelfEditRow,
  all: readonly StoredOperation[],
  waiting: readonly StoredOperation[],
): Promise<PreparedOperation[]> {
  if (waiting.some(({ operation }) => operation === null)) throw refuse("what it proposed is gone");
  if (edit.source === "revert") {
    return await prepareReverts(ctx, waiting.map(({ operation }) => operation as unknown as RevertOperation));
  }
  // Only finished operations can have deleted contents, and they are not prepared again.
  const operations = all.map(({ operation }) =>
    operation as unknown as SelfEditOperation ?? { op: "pin", id: edit.id }
  );
  const isWhole = waiting.length === all.length;
  const ready = isWhole
    ? await prepareOperations(ctx, operations)
    : await Promise.all(waiting.map(({ position }) => prepareAgain(ctx, operations, position, madeBy(all))));
  return ready.map((operation) => {
    if ("refusal" in operation) throw operation.refusal;
    return operation;
  });
}

/** The units that operations of the edit have added already. */
function madeBy(all: readonly StoredOperation[]): Made {
  return new Map(
    all.flatMap(({ op, position, outcome, resourceId: id, resourceType: type }) =>
      op === "add" && outcome === "applied" && id !== null && type !== null ? [[position, { id, type }] as const] : []
    ),
  );
}

async function accept(
  ctx: OperationContext,
  tx: Tx,
  { edit, all, waiting, ready, reason }: Waiting & {
    readonly ready: readonly PreparedOperation[];
    readonly reason: string;
  },
): Promise<ReviewEffect> {
  await requireUnchanged(tx, waiting);
  const operations = waiting.map(({ op, ref }) => ({ op, ref: ref ?? undefined }));
  const run = {
    id: edit.id,
    reason: `${edit.reason} (${reason})`,
    operations,
    ready,
    isApproved: true,
    made: madeBy(all),
  };
  const results = await applyAll(ctx, tx, run).catch((error) => {
    if (error instanceof TextChanged) throw refuse("what it changes was changed meanwhile");
    throw error;
  });
  const rows = results.map(({ row, unitId }, i) => {
    const { position, reviewItemId } = waiting[i]!;
    return { ...row, position, reviewItemId, unitId };
  });
  await queries.updateOperations(tx, edit.id, rows);
  const touched = await queries.touchSelfEdit(tx, edit.id, { sensitivity: await sensitivityOf(tx, rows, "public") });
  recordEdit(tx, touched, "updated");
  await noteReverted(tx, touched);
  return { outcome: "applied", units: await toReviewed(tx, rows.flatMap((row) => row.changes.map(({ id }) => id))) };
}

/** Refuses if a unit has changed since the proposal that the person decides about. @throws ServiceError `conflict` */
async function requireUnchanged(tx: Tx, waiting: readonly StoredOperation[]): Promise<void> {
  const units = await findUnits(tx, waiting.flatMap(({ resourceId }) => resourceId ?? []));
  const versions = new Map(units.map((unit) => [unit.id, unit.version]));
  for (const { resourceId, resourceType, versionBefore } of waiting) {
    if (resourceId === null || versions.get(resourceId) === versionBefore) continue;
    throw refuse(`${resourceType} ${resourceId} was changed since it was proposed`);
  }
}

async function toReviewed(tx: Tx, ids: readonly string[]): Promise<ReviewedUnit[]> {
  const units = ids.length === 0 ? [] : await findUnits(tx, [...new Set(ids)]);
  return units.map(({ id, version, status }) => ({ id, version, status }));
}

/** Rejects the proposal: none of it is applied. */
async function decline(tx: Tx, item: ReviewItemRow): Promise<string> {
  const { edit, waiting } = await readWaiting(tx, item);
  await queries.updateOperations(
    tx,
    edit.id,
    waiting.map((row) => ({
      ...row,
      outcome: "declined" as const,
      unitId: row.resourceType === "relation" ? null : row.resourceId,
    })),
  );
  recordEdit(tx, await queries.touchSelfEdit(tx, edit.id), "updated");
  return "declined";
}
