/** Runs the operations of an edit inside the transaction, under the rights of an agent. */
import type { OperationContext } from "../../context.ts";
import type { Tx } from "../../db/tx.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { findUnits } from "../../db/queries/units.ts";
import { ServiceError } from "../../errors.ts";
import type { FactConflict } from "../../schema/fact.ts";
import type { ErasureReceipt, UnitType } from "../../schema/unit.ts";
import { archive } from "../unit/archive.ts";
import { eraseUnit } from "../unit/erase.ts";
import type { Fill, PreparedAdd, PreparedChange } from "../kinds/kind_writing.ts";
import { reviseUnit } from "../unit/store.ts";
import { type Made, requireMade, type Target } from "./references.ts";
import { BeyondRight, TextChanged } from "./rights.ts";
import { isProtected } from "../unit/trust.ts";
import { type AnyUnit, explainMissing, lockTarget } from "./targets.ts";

/** What the steps know besides the operation. */
export interface EditRun {
  readonly ctx: OperationContext;
  /** The note in the history of each unit. */
  readonly note: string;
  readonly made: Made;
  /** Whether a person decided that it may overwrite protected knowledge. */
  readonly isApproved: boolean;
}

/** The effect of an operation. */
export interface Effect {
  readonly outcome: "applied" | "unchanged";
  readonly unit: { readonly id: string; readonly type: string };
  /** Set if an add repeats a known unit. The version after may be the one before. */
  readonly restated?: { readonly before: number; readonly after: number };
  readonly conflict?: FactConflict;
  readonly receipt?: ErasureReceipt;
}

/**
 * Carries an operation out in an open transaction.
 * @throws ServiceError like the corresponding operation of callers; `BeyondRight`, `TextChanged`. A transaction in
 * which it threw must not be committed.
 */
export type Apply = (tx: Tx, run: EditRun) => Promise<Effect>;

function idOf(target: Target, made: Made): string {
  return "id" in target ? target.id : requireMade(target.position, made).id;
}

/** Locks the target, and refuses to overwrite protected knowledge, except units that the edit itself made. */
async function own(
  tx: Tx,
  run: EditRun,
  target: Target,
  expectedVersion: number | undefined,
  overwrites: boolean,
): Promise<AnyUnit> {
  const unit = await lockTarget(tx, idOf(target, run.made), expectedVersion);
  const isOwn = run.made.values().some((made) => made.id === unit.id);
  if (overwrites && !run.isApproved && !isOwn && isProtected(unit)) throw new BeyondRight(unit);
  return unit;
}

/** Makes the step of an edit whose target is not there: it throws the error that explains why. */
export function missing(target: Target): Apply {
  return async (tx, { made }) => {
    throw await explainMissing(tx, idOf(target, made));
  };
}

/** Makes the step that creates a unit. */
export function add(type: UnitType, prepared: PreparedAdd, fill: (made: Made) => Fill): Apply {
  return async (tx, run) => {
    const { id, ...said } = await prepared.add(run.ctx, tx, fill(run.made));
    if (said.conflict !== undefined) await requireUnprotected(tx, run, said.conflict);
    return { outcome: "applied", unit: { id, type }, ...said };
  };
}

/** Closing a fact in favour of another one overwrites it as well. */
async function requireUnprotected(tx: Tx, run: EditRun, conflict: FactConflict): Promise<void> {
  if (run.isApproved || conflict.outcome !== "superseded") return;
  const own = new Set(run.made.values().map((made) => made.id));
  const closed = await findUnits(tx, conflict.factIds);
  const isClosed = ({ status, body }: UnitRow) => status === "superseded" || body["supersededBy"] != null;
  const beyond = closed.find((unit) => isClosed(unit) && !own.has(unit.id) && isProtected(unit));
  if (beyond !== undefined) throw new BeyondRight(beyond);
}

/** Makes the step that changes a unit. */
export function change(
  target: Target,
  expectedVersion: number | undefined,
  prepared: PreparedChange,
  fill: (made: Made) => Fill,
): Apply {
  return async (tx, run) => {
    const unit = await own(tx, run, target, expectedVersion, true);
    const changed = await prepared.change(run.ctx, tx, unit.id, fill(run.made), run.note);
    if (changed === undefined) throw new TextChanged();
    const { id, version, conflict } = changed;
    if (conflict !== undefined) await requireUnprotected(tx, run, conflict);
    return {
      outcome: version === unit.version ? "unchanged" : "applied",
      unit: { id, type: unit.type },
      ...(conflict && { conflict }),
    };
  };
}

/** Makes the step that pins a unit, or takes its pin away. */
export function pin(target: Target, expectedVersion: number | undefined, pinned: boolean): Apply {
  return async (tx, run) => {
    const unit = await own(tx, run, target, expectedVersion, false);
    const effect = { unit: { id: unit.id, type: unit.type } };
    if (unit.pinned === pinned) return { ...effect, outcome: "unchanged" };
    await reviseUnit(tx, unit, { pinned }, { event: pinned ? "pinned" : "unpinned", reason: run.note });
    return { ...effect, outcome: "applied" };
  };
}

/**
 * Makes the step that archives or erases a unit.
 * @throws ServiceError `insufficient_scope` when the step runs
 */
export function forget(target: Target, expectedVersion: number | undefined, mode: "archive" | "erase"): Apply {
  return async (tx, run) => {
    if (mode === "erase" && !run.ctx.scopes.has("memory:delete")) {
      throw new ServiceError("insufficient_scope", "Cannot erase: the key lacks the scope memory:delete");
    }
    const unit = await own(tx, run, target, expectedVersion, true);
    const effect = { unit: { id: unit.id, type: unit.type } };
    if (mode === "archive") {
      return { ...effect, outcome: await archiveTarget(tx, unit, run.note) ? "applied" : "unchanged" };
    }
    const receipt = await eraseUnit(run.ctx, tx, unit, run.note);
    return { ...effect, outcome: "applied", receipt };
  };
}

/** Archives a unit; false when it is archived already. */
export async function archiveTarget(tx: Tx, unit: AnyUnit, note: string): Promise<boolean> {
  if (unit.status === "archived") return false;
  if (unit.status === "merged") {
    throw new ServiceError("invalid_transition", `Cannot archive the ${unit.type}: it is merged; undo the merge first`);
  }
  await archive(tx, unit, { reason: note });
  return true;
}
