/**
 * An agent edits its own memory: a list of operations, applied all or nothing or one by one.
 *
 * An operation that would overwrite `user_stated` or `verified` knowledge is not run: it (or, if the edit is atomic,
 * the whole edit) becomes a review item, and a person decides. An atomic edit that cannot be applied leaves no trace.
 * An edit per item is recorded before its first operation, and each outcome is committed with its effects, so that an
 * interrupted edit shows how far it came.
 */
import type { OperationContext } from "../../context.ts";
import { uuidv7 } from "../../crypto/ids.ts";
import type { Tx } from "../../db/tx.ts";
import * as queries from "../../db/queries/self_edits.ts";
import { ServiceError } from "../../errors.ts";
import type { Sensitivity } from "../../schema/common.ts";
import type { SelfEdit, SelfEditBody, SelfEditOperation } from "../../schema/self_edit.ts";
import { openReviewItem } from "../unit/review_item.ts";
import { mostSensitive } from "../unit/trust.ts";
import { finishEdit, recordEdit, toSelfEdit } from "./read.ts";
import { prepareAgain, type PreparedOperation, prepareOperations, type Ready } from "./operations.ts";
import { BeyondRight, TextChanged } from "./rights.ts";
import {
  applyAll,
  applyOne,
  atOperation,
  noteOf,
  pendingRow,
  refusedRow,
  reviewRow,
  type StoredResult,
  withContents,
} from "./outcomes.ts";
import { proposedSensitivity, sensitivityOf } from "./sensitivity.ts";

/** How often operations are prepared again if their texts change meanwhile. */
const ATTEMPTS_MAX = 3;
/** The deadline of an edit. It is longer than that of other requests, because an edit may have many operations. */
const DEADLINE_MS = 60_000;
/** With these errors the outcome is unknown; the stored edit tells it. */
const UNKNOWN_OUTCOME = new Set(["unavailable", "deadline_exceeded", "internal"]);

/** An edit that is about to be carried out. */
export interface EditToApply extends Omit<SelfEditBody, "operations"> {
  readonly id: string;
  readonly source: "edit" | "reflection";
  readonly operations: readonly SelfEditOperation[];
}

/**
 * Applies an edit.
 * @throws ServiceError `validation_failed` for a wrong reference; in atomic mode the refusal of the first operation
 * that cannot be applied, with its index; `conflict` when other requests keep changing the same units.
 */
export async function editSelf(
  ctx: OperationContext,
  body: SelfEditBody,
  source: EditToApply["source"] = "edit",
): Promise<SelfEdit> {
  await ctx.noteItems?.(body.operations.length);
  const edit: EditToApply = { ...body, source, id: uuidv7(ctx.deps.clock()) };
  return edit.mode === "atomic" ? await editAtomic(ctx, edit) : await editPerItem(ctx, edit);
}

async function editAtomic(ctx: OperationContext, edit: EditToApply): Promise<SelfEdit> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const ready = (await prepareOperations(ctx, edit.operations)).map((operation, index) =>
      requireReady(operation, index, edit.operations[index]!)
    );
    try {
      return await ctx.tx((tx) => storeApplied(ctx, tx, edit, ready), { deadlineMs: DEADLINE_MS });
    } catch (error) {
      if (error instanceof BeyondRight) return await ctx.tx((tx) => storeForReview(tx, edit, ready, error));
      if (!(error instanceof TextChanged)) throw error;
    }
  }
  throw new ServiceError("conflict", "Cannot apply the edit: other requests keep changing the same units; try again");
}

function requireReady(ready: Ready, index: number, operation: SelfEditOperation): PreparedOperation {
  if ("refusal" in ready) throw atOperation(ready.refusal, index, operation.op);
  return ready;
}

async function storeApplied(
  ctx: OperationContext,
  tx: Tx,
  edit: EditToApply,
  ready: readonly PreparedOperation[],
): Promise<SelfEdit> {
  const sensitivity = await proposedSensitivity(tx, edit.operations);
  const results = await applyAll(ctx, tx, { ...edit, ready });
  const row = await queries.insertSelfEdit(tx, {
    ...editColumns(edit),
    sensitivity: await sensitivityOf(tx, results.map(({ row }) => row), sensitivity),
  }, withContents(edit.operations, results));
  return await finishEdit(tx, row, "created");
}

function editColumns({ id, mode, source, reason, agentId }: EditToApply) {
  return { id, mode, source, reason, agentId: agentId ?? null, reverts: null };
}

/** The whole edit waits for one decision; nothing of it is applied. */
async function storeForReview(
  tx: Tx,
  edit: EditToApply,
  ready: readonly PreparedOperation[],
  beyond: BeyondRight,
): Promise<SelfEdit> {
  const sensitivity = mostSensitive(beyond.unit.sensitivity, await proposedSensitivity(tx, edit.operations));
  const reviewItemId = await openReview(tx, edit, edit.operations.map((_, i) => i), sensitivity, beyond);
  const results = edit.operations.map((operation, i): StoredResult =>
    reviewRow(operation, i, ready[i]!.seen, reviewItemId)
  );
  const row = await queries.insertSelfEdit(
    tx,
    { ...editColumns(edit), sensitivity },
    withContents(edit.operations, results),
  );
  return await finishEdit(tx, row, "created");
}

async function openReview(
  tx: Tx,
  edit: Pick<EditToApply, "id" | "mode" | "operations">,
  positions: readonly number[],
  sensitivity: Sensitivity,
  { unit }: BeyondRight,
): Promise<string> {
  return await openReviewItem(tx, {
    kind: "self_edit",
    sensitivity,
    subjectId: edit.id,
    otherId: unit.id,
    detail: {
      editId: edit.id,
      mode: edit.mode,
      operations: positions.map((index) => ({ index, op: edit.operations[index]!.op })),
      attribution: unit.attribution,
      trustScore: unit.trustScore,
    },
  });
}

async function editPerItem(ctx: OperationContext, edit: EditToApply): Promise<SelfEdit> {
  const ready = await prepareOperations(ctx, edit.operations);
  await ctx.tx(async (tx) => {
    const pending = edit.operations.map((operation, i) => pendingRow(operation, i, ready[i]!));
    const sensitivity = await proposedSensitivity(tx, edit.operations);
    const row = await queries.insertSelfEdit(
      tx,
      { ...editColumns(edit), sensitivity },
      withContents(edit.operations, pending),
    );
    recordEdit(tx, row, "created");
  });
  const made = new Map<number, { id: string; type: string }>();
  for (const [index, operation] of ready.entries()) {
    const unit = await carryOut(ctx, edit, index, operation, made);
    if (unit !== undefined) made.set(index, unit);
  }
  return await ctx.tx(async (tx) => {
    const row = await queries.findSelfEdit(tx, edit.id);
    return toSelfEdit(row!, await queries.listOperations(tx, [edit.id]));
  }, { readOnly: true });
}

/** Runs one operation of an edit per item, and stores its outcome in the same transaction. Returns what it made. */
async function carryOut(
  ctx: OperationContext,
  edit: EditToApply,
  index: number,
  prepared: Ready,
  made: ReadonlyMap<number, { readonly id: string; readonly type: string }>,
): Promise<{ id: string; type: string } | undefined> {
  const operation = edit.operations[index]!;
  let ready = prepared;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    try {
      if ("refusal" in ready) throw ready.refusal;
      const { apply, seen } = ready;
      return await ctx.tx(async (tx) => {
        const run = { ctx, made, note: noteOf(edit), isApproved: false };
        const { result, unit } = await applyOne(tx, run, operation, index, { apply, seen });
        await storeOutcome(tx, edit.id, result, await sensitivityOf(tx, [result.row], "public"));
        return operation.op === "add" ? unit : undefined;
      });
    } catch (error) {
      if (error instanceof BeyondRight) {
        const seen = "seen" in ready ? ready.seen : undefined;
        await ctx.tx((tx) => storeReview(tx, edit, index, seen, error));
        return undefined;
      }
      if (error instanceof TextChanged) {
        ready = await prepareAgain(ctx, edit.operations, index, made);
        continue;
      }
      if (!(error instanceof ServiceError) || UNKNOWN_OUTCOME.has(error.code)) throw error;
      await ctx.tx((tx) => storeOutcome(tx, edit.id, refusedRow(operation, index, ready, error), "public"));
      return undefined;
    }
  }
  const refusal = new ServiceError("conflict", "Cannot change the unit: other requests keep changing it; try again");
  await ctx.tx((tx) => storeOutcome(tx, edit.id, refusedRow(operation, index, ready, refusal), "public"));
}

async function storeReview(
  tx: Tx,
  edit: EditToApply,
  index: number,
  seen: PreparedOperation["seen"],
  beyond: BeyondRight,
): Promise<void> {
  const row = await queries.findSelfEdit(tx, edit.id, { lock: true });
  const sensitivity = mostSensitive(beyond.unit.sensitivity, row!.sensitivity);
  const reviewItemId = await openReview(tx, edit, [index], sensitivity, beyond);
  await storeOutcome(tx, edit.id, reviewRow(edit.operations[index]!, index, seen, reviewItemId), sensitivity);
}

async function storeOutcome(tx: Tx, editId: string, result: StoredResult, sensitivity: Sensitivity): Promise<void> {
  await queries.updateOperations(tx, editId, [{ ...result.row, unitId: result.unitId }]);
  recordEdit(tx, await queries.touchSelfEdit(tx, editId, { sensitivity }), "updated");
}
