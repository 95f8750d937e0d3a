/**
 * How units are written by whoever knows only their type: edits of an agent's own memory, consolidation, reviews. Each
 * kind says how its own are prepared, stored, changed and restored; most are written alike.
 */
import type { OperationContext } from "../../context.ts";
import type { UnitRow } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import type { FactConflict } from "../../schema/fact.ts";
import type { UnitInput } from "../../schema/unit.ts";
import { prepareTexts } from "../unit/indexing.ts";
import { insertUnit, prepareUnit } from "../unit/create.ts";
import type { AnyKind, KindPatch } from "../unit/kind.ts";
import { applyUnitUpdate } from "../unit/update.ts";
import { type ReviseNote, reviseUnit } from "../unit/store.ts";
import { requireClaimable, requireClearance } from "../unit/trust.ts";

/** Puts ids in the place of references to what was made meanwhile. */
export type Fill = <Said extends object>(said: Said) => Said;

/** What became of a unit that was added. */
export interface Added {
  readonly id: string;
  /** Set where it was known already. The version after may be the one before. */
  readonly restated?: { readonly before: number; readonly after: number };
  readonly conflict?: FactConflict;
}

/** A unit that is checked, analysed and embedded, and not written yet. */
export interface PreparedAdd {
  /** Names under which its writers wait for each other, to be locked before any row is. */
  readonly names: readonly string[];
  /** What a later patch of the same edit changes; left out where patches of it are prepared without it. */
  readonly body?: object;
  add(ctx: OperationContext, tx: Tx, fill: Fill): Promise<Added>;
}

export interface Changed {
  readonly id: string;
  readonly version: number;
  readonly conflict?: FactConflict;
}

/** A patch that is checked, and its text analysed and embedded. */
export interface PreparedChange {
  readonly names: readonly string[];
  /** The body with the patch in it; left out where the body before was not known. */
  readonly body?: object;
  /**
   * Applies it; `reason` is kept where the patch says none. Undefined: the text was changed meanwhile, and has to be
   * prepared anew. Nothing is written then.
   */
  change(ctx: OperationContext, tx: Tx, id: string, fill: Fill, reason: string): Promise<Changed | undefined>;
}

/** How units of one type are written. */
export interface KindWriting {
  /** Checks, analyses and embeds new units, without the database; each that is refused says why. */
  prepareAdds(
    ctx: OperationContext,
    bodies: readonly unknown[],
  ): Promise<(PreparedAdd | { readonly refusal: ServiceError })[]>;
  /**
   * Checks, analyses and embeds a patch, without the database.
   * @param body of the unit as the patch will find it; undefined where that is not known
   * @throws ServiceError `validation_failed`, `insufficient_scope`
   */
  prepareChange(ctx: OperationContext, patch: object, body: object | undefined): Promise<PreparedChange>;
  /** The patch that says that it was wrong; null: units of the type are not retracted. */
  readonly retraction: object | null;
  /** Names under which writers of some units wait for each other, to be locked before the rows are. */
  namesOf(units: readonly UnitRow<object>[]): string[];
  /** Restores a unit that the transaction has locked to the state that it had before it was archived. */
  restore(tx: Tx, unit: UnitRow<object>, status: string, reason: string): Promise<UnitRow<object>>;
  /** Gives a unit that the transaction has locked what an earlier version of it said, in its next version. */
  bringBack(tx: Tx, unit: UnitRow<object>, next: UnitRow<object>, note: ReviseNote): Promise<UnitRow<object>>;
}

/** How units are written of which nothing follows for others of their type. */
export function plainWriting(kind: AnyKind): KindWriting {
  return {
    async prepareAdds(ctx, bodies) {
      const prepared = [];
      // One after the other, so that a long edit does not ask for all its embeddings at once.
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

/** What a check makes, or its refusal; anything else that goes wrong is thrown on. */
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
  // The text is made of the whole body.
  const next: object | undefined = body && kind.patchBody(body, patch, ctx.deps.clock());
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
