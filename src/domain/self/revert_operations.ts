/** The operations of a revert: each restores a unit's earlier version, or archives the unit if there was none. */
import type { OperationContext } from "../../context.ts";
import { findRevision } from "../../db/queries/revisions.ts";
import { findUnits } from "../../db/queries/units.ts";
import { ServiceError } from "../../errors.ts";
import type { UnitType } from "../../schema/unit.ts";
import { namesOfUnits } from "../kinds/any_unit.ts";
import { type PreparedText, prepareTexts } from "../unit/indexing.ts";
import { bringBack } from "./bring_back.ts";
import { applyRelationUpdate, putRelationAway } from "../relations/update.ts";
import { archiveTarget } from "./apply.ts";
import type { PreparedOperation } from "./operations.ts";
import { BeyondRight } from "./rights.ts";
import { isProtected } from "../unit/trust.ts";
import { type AnyUnit, lockTarget } from "./targets.ts";

export interface RevertOperation {
  readonly op: "revert";
  readonly id: string;
  readonly type: string;
  /** 0: the unit is archived. */
  readonly toVersion: number;
  /** Absent if later changes are reverted, too. */
  readonly expectedVersion?: number;
  /** Set if it undoes more than an agent did by itself. */
  readonly overwrites?: true;
}

/** Reads the earlier versions and embeds their texts. */
export async function prepareReverts(
  ctx: OperationContext,
  operations: readonly RevertOperation[],
): Promise<PreparedOperation[]> {
  const { units, earlier } = await ctx.tx(async (tx) => {
    const found = await findUnits(tx, operations.map(({ id }) => id));
    const versions = new Map<string, AnyUnit>();
    for (const { id, toVersion } of operations) {
      const revision = toVersion === 0 ? undefined : await findRevision(tx, id, toVersion);
      if (revision !== undefined) versions.set(id, revision.unit);
    }
    return { units: new Map<string, AnyUnit>(found.map((unit) => [unit.id, unit])), earlier: versions };
  }, { readOnly: true });
  const changed = [...earlier.values()].filter(({ id, text }) => units.get(id)?.text !== text);
  const texts = await prepareTexts(
    ctx,
    changed.map(({ type, text }) => ({ kind: type as UnitType, sensitivity: "internal", text })),
  );
  const prepared = new Map(changed.map(({ id }, i) => [id, texts[i]!]));
  return operations.map((operation) => {
    const { id } = operation;
    const target = earlier.get(id);
    return {
      target: { id },
      seen: units.get(id),
      names: target === undefined ? [] : namesOfUnits([target]),
      apply: operation.type === "relation" ? revertRelation(operation) : revert(operation, target, prepared.get(id)),
    };
  });
}

function revert(
  { id, toVersion, expectedVersion, overwrites }: RevertOperation,
  earlier: AnyUnit | undefined,
  prepared: PreparedText | undefined,
): PreparedOperation["apply"] {
  return async (tx, run) => {
    const unit = await lockTarget(tx, id);
    if (expectedVersion !== undefined && unit.version !== expectedVersion) {
      // Other operations of the same revert may have restored it; otherwise somebody changed it since.
      throw new ServiceError("conflict", `Cannot revert: ${unit.type} ${id} changed in the meantime`);
    }
    if (overwrites && !run.isApproved && isProtected(unit)) throw new BeyondRight(unit);
    const effect = { unit: { id, type: unit.type } };
    if (toVersion === 0) {
      return { ...effect, outcome: await archiveTarget(tx, unit, run.note) ? "applied" : "unchanged" };
    }
    if (earlier === undefined) {
      throw new ServiceError("conflict", `Cannot revert: version ${toVersion} of ${unit.type} ${id} cannot be read`);
    }
    await bringBack(tx, unit, earlier, { reason: run.note, prepared });
    return { ...effect, outcome: "applied" };
  };
}

/** Only the creation of a relation is reverted: its earlier content is not stored. */
function revertRelation({ id, toVersion, expectedVersion }: RevertOperation): PreparedOperation["apply"] {
  return async (tx, run) => {
    if (toVersion === 0) await putRelationAway(tx, id, expectedVersion);
    else await applyRelationUpdate(run.ctx, tx, id, { status: "active" }, expectedVersion);
    return { outcome: "applied", unit: { id, type: "relation" } };
  };
}
