/** The columns that every new unit has, of whatever kind: they follow from what its author states and what it rests on. */
import type { OperationContext } from "../../context.ts";
import { uuidv7 } from "../../crypto/ids.ts";
import type { UnitRow } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import type { Sensitivity } from "../../schema/common.ts";
import type { UnitInput } from "../../schema/unit.ts";
import { isStanding } from "./standing.ts";
import { capOf, mostSensitive, requireClearance, trustOf } from "./trust.ts";
import { freshWorth } from "./worth.ts";

/** What a new unit rests on, as it is stored. */
export interface Support {
  readonly sources: readonly UnitRow[];
  readonly evidence: readonly UnitRow[];
}

/**
 * Gives a new unit its id and the columns that do not depend on its kind.
 * @param floor how sensitive the unit is at least if its author does not say.
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
  // Knowledge is at least as sensitive as what it rests on, unless its author says otherwise.
  const sensitivity = input.sensitivity ??
    mostSensitive("internal", floor, ...restsOn.map((unit) => unit.sensitivity));
  requireClearance(ctx, sensitivity);
  const trustCap = capOf(sources);
  const trustScore = trustOf(input.attribution, trustCap);
  const stale = !restsOn.every(isStanding);
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
