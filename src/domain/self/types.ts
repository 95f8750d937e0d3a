/** The types of units that an edit can add and revise, with the schemas of their bodies. */
import type { z } from "zod";
import { CreateDecisionBody, UpdateDecisionBody } from "../../schema/decision.ts";
import { CreateEntityBody, UpdateEntityBody } from "../../schema/entity.ts";
import { CreateEpisodeBody } from "../../schema/episode.ts";
import { CreateFactBody, UpdateFactBody } from "../../schema/fact.ts";
import { CreateSkillBody, UpdateSkillBody } from "../../schema/skill.ts";
import { CreateStrategyBody, UpdateStrategyBody } from "../../schema/strategy.ts";
import type { UnitType } from "../../schema/unit.ts";
import { CreateWorkflowBody, UpdateWorkflowBody } from "../../schema/workflow.ts";
import { DECISIONS } from "../kinds/decisions.ts";
import { ENTITIES } from "../kinds/entities/mod.ts";
import { EPISODES } from "../kinds/episodes.ts";
import type { AnyKind } from "../unit/mod.ts";
import { SKILLS } from "../kinds/skills.ts";
import { STRATEGIES } from "../kinds/strategies.ts";
import { WORKFLOWS } from "../kinds/workflows.ts";

interface EditableType {
  readonly create: z.ZodType;
  /** Undefined: units of the type are not revised. */
  readonly update: z.ZodType | undefined;
  /** Undefined for facts, which have rules of their own. */
  readonly kind: AnyKind | undefined;
}

export const EDITABLE_TYPES: Readonly<Record<UnitType, EditableType>> = {
  fact: { create: CreateFactBody, update: UpdateFactBody, kind: undefined },
  decision: { create: CreateDecisionBody, update: UpdateDecisionBody, kind: DECISIONS },
  strategy: { create: CreateStrategyBody, update: UpdateStrategyBody, kind: STRATEGIES },
  workflow: { create: CreateWorkflowBody, update: UpdateWorkflowBody, kind: WORKFLOWS },
  skill: { create: CreateSkillBody, update: UpdateSkillBody, kind: SKILLS },
  entity: { create: CreateEntityBody, update: UpdateEntityBody, kind: ENTITIES },
  episode: { create: CreateEpisodeBody, update: undefined, kind: EPISODES },
};
