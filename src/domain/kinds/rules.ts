/** The rules by which the ledger keeps units of each type. The composition root gives them to it. */
import type { UnitType } from "../../schema/unit.ts";
import type { AnyRules } from "../unit/rules.ts";
import { DECISIONS } from "./decisions.ts";
import { ENTITIES } from "./entities/kind.ts";
import { EPISODES } from "./episodes.ts";
import { FACT_RULES } from "./facts/rules.ts";
import { SKILLS } from "./skills.ts";
import { STRATEGIES } from "./strategies.ts";
import { WORKFLOWS } from "./workflows.ts";

export const RULES: Readonly<Record<UnitType, AnyRules>> = {
  fact: FACT_RULES,
  entity: ENTITIES,
  decision: DECISIONS,
  strategy: STRATEGIES,
  workflow: WORKFLOWS,
  skill: SKILLS,
  episode: EPISODES,
};
