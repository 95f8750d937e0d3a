/** The columns that every new unit has, whatever its kind: they follow from its author's statement and its sources. */
import type { OperationContext } from "../../context.ts";
import { uuidv7 } from "../../crypto/ids.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import type { Tx } from "../../db/tx.ts";
import type { Sensitivity } from "../../schema/common.ts";
import type { UnitInput } from "../../schema/unit.ts";
import { mayChange } from "./flow.ts";
import { isStanding } from "./standing.ts";
import { capOf, mostSensitive, requireClearance, trustOf } from "./trust.ts";
import { freshWorth } from "./worth.ts";

/** The stored rows on which a new unit rests. */
export interface Support {
  readonly sources: readonly UnitRow[];
  readonly evidence: readonly UnitRow[];
}

/**
 * Gives a new unit its id and the columns that do not depend on its kind.
 * @param floor the least sensitivity of the unit if its author states none.
 * @throws ServiceError `validation_failed` when the unit would be above the caller's clearance.
 */
export function newColumns(
  ctx: OperationContext,
  tx: Tx,
  input: UnitInput,
  { sources, evidence }: Support,
  floor: Sensitivity = "internal",
) {
  const restsOn = [...sources, ...evidence];
  // Knowledge is at least as sensitive as its sources, unless its author says otherwise.
  const sensitivity = input.sensitivity ??
    mostSensitive("internal", floor, ...restsOn.map((unit) => unit.sensitivity));
  requireClearance(ctx, sensitivity);
  const trustCap = capOf(sources);
  const trustScore = trustOf(input.attribution, trustCap);
  const stale = !restsOn.filter((unit) => mayChange(unit, { sensitivity })).every(isStanding);
  const id = uuidv7(tx.now);
  return {
    id,
    version: 1,
    attribution: input.attribution,
    trustScore,
    trustCap,
    confidence: input.confidence,
    sensitivity,
    tags: [...new Set(input.tags)],
    metadata: input.metadata,
    worth: freshWorth(trustScore, stale).worth,
    pinned: input.pinned,
    originInstance: ctx.deps.config.instanceId,
    originId: id,
    derivedFrom: [...new Set(input.derivedFrom)],
    stale,
    recordedAt: tx.now,
    retractedAt: null,
    corroborationCount: 0,
    createdAt: tx.now,
    updatedAt: tx.now,
    createdBy: tx.actor,
  };
}
