/** Runs prepared operations in an open transaction, and makes the stored result of each. */
import type { OperationContext } from "../../context.ts";
import type { Tx } from "../../db/tx.ts";
import type { EditedUnit, NewOperation, OperationRow, StoredOutcome } from "../../db/queries/self_edits.ts";
import { ServiceError } from "../../errors.ts";
import type { EditRun, Effect } from "./apply.ts";
import type { PreparedOperation } from "./operations.ts";
import type { Made } from "./references.ts";
import { lockUnits } from "../kinds/any_unit.ts";
import type { AnyUnit } from "./targets.ts";
import { toUnitChanges, watch } from "./watch.ts";

/** Members of all operations, also of those that revert others. */
export interface AnyOperation {
  readonly op: string;
  readonly ref?: string | undefined;
}

/** The stored result of an operation. */
export interface StoredResult {
  readonly row: OperationRow;
  /** The unit whose erasure also erases the operation's content. */
  readonly unitId: string | null;
}

/** The reason in the units' histories; the author of the edit is the author of the revision. */
export function noteOf(edit: { readonly id: string; readonly reason: string }): string {
  return `self-edit ${edit.id}: ${edit.reason}`;
}

/** Adds to results what was asked for. If the edit erased a unit, the content of its own operations on it goes too. */
export function withContents(
  operations: readonly AnyOperation[],
  results: readonly StoredResult[],
): NewOperation[] {
  const changes = results.flatMap(({ row }) => row.changes);
  const gone = new Set(changes.filter(({ after }) => after === null).map(({ id }) => id));
  return results.map(({ row, unitId }, i) => {
    const operation = operations[i]!;
    const isGone = gone.has(row.resourceId ?? "");
    return { ...row, unitId: isGone ? null : unitId, operation: isGone ? { op: operation.op } : { ...operation } };
  });
}

function emptyRow({ op, ref }: AnyOperation, position: number, outcome: StoredOutcome, seen: AnyUnit | undefined) {
  return {
    position,
    op,
    ref: ref ?? null,
    outcome,
    resourceId: seen?.id ?? null,
    resourceType: seen?.type ?? null,
    versionBefore: seen?.version ?? null,
    versionAfter: null,
    changes: [],
    error: null,
    result: null,
    reviewItemId: null,
  } satisfies OperationRow;
}

function seenOf(ready: object): AnyUnit | undefined {
  return "seen" in ready ? ready.seen as AnyUnit | undefined : undefined;
}

export function pendingRow(operation: AnyOperation, position: number, ready: object): StoredResult {
  const seen = seenOf(ready);
  return { row: emptyRow(operation, position, "pending", seen), unitId: seen?.id ?? null };
}

export function reviewRow(
  operation: AnyOperation,
  position: number,
  seen: AnyUnit | undefined,
  reviewItemId: string,
): StoredResult {
  return { row: { ...emptyRow(operation, position, "review", seen), reviewItemId }, unitId: seen?.id ?? null };
}

export function refusedRow(
  operation: AnyOperation,
  position: number,
  ready: object,
  refusal: ServiceError,
): StoredResult {
  const seen = seenOf(ready);
  const { code, message, errors } = refusal;
  const error = { code, message, ...(errors && { errors: [...errors] }) };
  return { row: { ...emptyRow(operation, position, "refused", seen), error }, unitId: seen?.id ?? null };
}

/** A refusal with the place of its operation. */
export function atOperation(refusal: ServiceError, index: number, op: string): ServiceError {
  const { code, message, errors, extra } = refusal;
  const path = `operations.${index}`;
  return new ServiceError(code, `Cannot apply operation ${index} (${op}): ${message}`, {
    cause: refusal,
    errors: errors?.map((error) => error.path.startsWith(path) ? error : { ...error, path: `${path}.${error.path}` }) ??
      [{ path, message }],
    extra: { ...extra, operationIndex: index },
  });
}

export interface EditToRun {
  readonly id: string;
  readonly reason: string;
  readonly operations: readonly AnyOperation[];
  readonly ready: readonly PreparedOperation[];
  /** Whether a person decided that it may overwrite protected knowledge. */
  readonly isApproved?: boolean;
  /** The units that earlier operations made. */
  readonly made?: Made;
}

/**
 * Carries out all operations of an edit in order.
 * @throws ServiceError the refusal of the first that fails, with its index; `BeyondRight`, `TextChanged`
 */
export async function applyAll(ctx: OperationContext, tx: Tx, edit: EditToRun): Promise<StoredResult[]> {
  const ids = edit.ready.flatMap(({ target }) => target !== undefined && "id" in target ? [target.id] : []);
  await lockUnits(tx, [...new Set(ids)], edit.ready.flatMap(({ names }) => names));
  const made = new Map(edit.made);
  const run = { ctx, made, note: noteOf(edit), isApproved: edit.isApproved ?? false };
  const results: StoredResult[] = [];
  for (const [index, operation] of edit.operations.entries()) {
    try {
      const { result, unit } = await applyOne(tx, run, operation, index, edit.ready[index]!);
      if (operation.op === "add") made.set(index, unit);
      results.push(result);
    } catch (error) {
      throw error instanceof ServiceError ? atOperation(error, index, operation.op) : error;
    }
  }
  return results;
}

/** Carries out one operation and records which versions it makes. */
export async function applyOne(
  tx: Tx,
  run: EditRun,
  operation: AnyOperation,
  position: number,
  { apply, seen }: Pick<PreparedOperation, "apply" | "seen">,
): Promise<{ readonly result: StoredResult; readonly unit: Effect["unit"] }> {
  const watched = watch(tx);
  const effect = await apply(watched.tx, run);
  const changes = toUnitChanges(watched.take());
  const { restated, unit } = effect;
  if (restated !== undefined && restated.after > restated.before) changes.push({ ...unit, ...restated });
  const own = changes.find((change) => change.id === unit.id);
  const isGone = own !== undefined && own.after === null;
  const row: OperationRow = {
    ...emptyRow(operation, position, effect.outcome, seen),
    resourceId: unit.id,
    resourceType: unit.type,
    ...versionsOf(own, restated, seen),
    changes,
    result: resultOf(effect),
  };
  return { result: { row, unitId: isGone || unit.type === "relation" ? null : unit.id }, unit };
}

function versionsOf(own: EditedUnit | undefined, restated: Effect["restated"], seen: AnyUnit | undefined) {
  const version = restated?.before ?? seen?.version ?? null;
  return own === undefined
    ? { versionBefore: version, versionAfter: version }
    : { versionBefore: own.before, versionAfter: own.after };
}

function resultOf({ conflict, receipt }: Effect): OperationRow["result"] {
  if (conflict === undefined && receipt === undefined) return null;
  return { ...(conflict && { conflict }), ...(receipt && { receipt }) };
}
