/**
 * Writes units for code that works with all types alike: edits of an agent's own memory, consolidation, reviews. Each kind
 * provides how its units are prepared, stored, changed and restored; most use `plainWriting`.
 */
import type { OperationContext } from "../../context.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import type { FactConflict } from "../../schema/fact.ts";
import type { UnitInput } from "../../schema/unit.ts";
import { prepareTexts } from "../unit/indexing.ts";
import { insertUnit, prepareUnit } from "../unit/create.ts";
import { type AnyKind, type KindPatch, patchedBody } from "../unit/kind.ts";
import { applyUnitUpdate } from "../unit/update.ts";
import { type ReviseNote, reviseUnit } from "../unit/store.ts";
import { requireClaimable, requireClearance } from "../unit/trust.ts";

/** Replaces references to units that earlier operations of the same edit created with the ids of these units. */
export type Fill = <Said extends object>(said: Said) => Said;

/** The result of adding a unit. */
export interface Added {
  readonly id: string;
  /** Set if the unit existed already: its versions before and after, which may be the same. */
  readonly restated?: { readonly before: number; readonly after: number };
  readonly conflict?: FactConflict;
}

/** A new unit that is validated, analysed and embedded, but not written yet. */
export interface PreparedAdd {
  /** The names of the locks to take for it before any row is locked. */
  readonly names: readonly string[];
  /** The body, to which a later patch in the same edit applies; left out if patches are prepared without it. */
  readonly body?: object;
  add(ctx: OperationContext, tx: Tx, fill: Fill): Promise<Added>;
}

export interface Changed {
  readonly id: string;
  readonly version: number;
  readonly conflict?: FactConflict;
}

/** A patch that is validated, and whose new text is analysed and embedded. */
export interface PreparedChange {
  readonly names: readonly string[];
  /** The body after the patch; left out if the body before it was not known. */
  readonly body?: object;
  /**
   * Applies the patch; `reason` is stored if the patch has none. Returns undefined, and writes nothing, if the unit's text
   * has changed since the patch was prepared, so that the caller has to prepare it again.
   */
  change(ctx: OperationContext, tx: Tx, id: string, fill: Fill, reason: string): Promise<Changed | undefined>;
}

/** Writes units of one type. */
export interface KindWriting {
  /**
   * Validates, analyses and embeds new units, without the database; returns the refusal in place of each refused unit.
   */
  prepareAdds(
    ctx: OperationContext,
    bodies: readonly unknown[],
  ): Promise<(PreparedAdd | { readonly refusal: ServiceError })[]>;
  /**
   * Validates, analyses and embeds a patch, without the database.
   * @param body the unit's body before the patch; undefined if it is not known
   * @throws ServiceError `validation_failed`, `insufficient_scope`
   */
  prepareChange(ctx: OperationContext, patch: object, body: object | undefined): Promise<PreparedChange>;
  /** The patch that marks a unit as wrong; null: units of the type cannot be retracted. */
  readonly retraction: object | null;
  /** The names of the locks that writers of the units take, before they lock the rows. */
  namesOf(units: readonly UnitRow<object>[]): string[];
  /** Restores a unit that the transaction has locked to the state that it had before it was archived. */
  restore(tx: Tx, unit: UnitRow<object>, status: string, reason: string): Promise<UnitRow<object>>;
  /** Writes a next version of a unit that the transaction has locked, with the content of an earlier version. */
  bringBack(tx: Tx, unit: UnitRow<object>, next: UnitRow<object>, note: ReviseNote): Promise<UnitRow<object>>;
}

/** Writes units of kinds in which a write does not affect other units of the same type. */
export function plainWriting(kind: AnyKind): KindWriting {
  return {
    async prepareAdds(ctx, bodies) {
      const prepared = [];
      // Prepared one after another, so that a long edit does not request all its embeddings at once.
      for (const body of bodies) prepared.push(await orRefusal(() => prepareAdd(ctx, kind, body as UnitInput)));
      return prepared;
    },
    prepareChange: (ctx, patch, body) => prepareChange(ctx, kind, patch as KindPatch, body),
    retraction: null,
    namesOf: () => [],
    restore: (tx, unit, status, reason) => reviseUnit(tx, unit, { status }, { event: "reverted", reason }),
    bringBack: reviseUnit,
  };
}

/** Returns what `make` returns, or the refusal that it throws; rethrows any other error. */
async function orRefusal<T>(make: () => Promise<T>): Promise<T | { readonly refusal: ServiceError }> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof ServiceError) return { refusal: error };
    throw error;
  }
}

async function prepareAdd(ctx: OperationContext, kind: AnyKind, input: UnitInput): Promise<PreparedAdd> {
  const prepared = await prepareUnit<object, UnitInput>(ctx, kind, input);
  return {
    names: [],
    body: prepared.body,
    add: (ctx, tx, fill) =>
      insertUnit(ctx, tx, kind, { ...prepared, input: fill(prepared.input), body: fill(prepared.body) }),
  };
}

async function prepareChange(
  ctx: OperationContext,
  kind: AnyKind,
  patch: KindPatch,
  body: object | undefined,
): Promise<PreparedChange> {
  if (patch.attribution !== undefined) requireClaimable(ctx, patch.attribution);
  if (patch.sensitivity !== undefined) requireClearance(ctx, patch.sensitivity);
  // The text is computed from the whole body, so it cannot be prepared without the body.
  const next: object | undefined = body && patchedBody(kind, body, patch, ctx.deps.clock());
  const [prepared] = next === undefined
    ? []
    : await prepareTexts(ctx, [{ kind: kind.type, sensitivity: "internal", text: kind.textOf(next) }]);
  return {
    names: [],
    ...(next && { body: next }),
    change(ctx, tx, id, fill, reason) {
      const said = { ...fill(patch), reason: patch.reason ?? reason };
      return applyUnitUpdate(ctx, tx, kind, id, said, { ifMatch: undefined, prepared });
    },
  };
}
