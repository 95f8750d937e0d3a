/** Finds the operation that forgets a unit, by the unit's id, because each type has its own. */
import type { OperationContext } from "../context.ts";
import { typeOfUnit } from "../domain/kinds/any_unit.ts";
import type { UnitType } from "../schema/unit.ts";
import { forgetDecision } from "./decisions.ts";
import { forgetEntity } from "./entities.ts";
import { forgetEpisode } from "./episodes.ts";
import { forgetFact } from "./facts.ts";
import type { Operation } from "./operation.ts";
import { forgetSkill } from "./skills.ts";
import { forgetStrategy } from "./strategies.ts";
import { forgetWorkflow } from "./workflows.ts";

const FORGETTING = {
  fact: forgetFact,
  decision: forgetDecision,
  strategy: forgetStrategy,
  workflow: forgetWorkflow,
  skill: forgetSkill,
  episode: forgetEpisode,
  entity: forgetEntity,
} as unknown as Readonly<Record<UnitType, Operation>>;

/** Returns the operation for a unit that the caller sees; for an unknown id, that of facts. */
export async function findForgetting(ctx: OperationContext, id: string): Promise<Operation> {
  return FORGETTING[await typeOfUnit(ctx, id) ?? "fact"];
}
