/** Skills: reusable capabilities with a reliability from outcomes. */
import { recordSkillOutcome as recordOutcome, SKILLS } from "../domain/kinds/skills.ts";
import {
  ListSkillsQuery,
  Skill,
  SKILL_ACTIVE_FROM,
  SKILL_OUTCOMES_MIN,
  SKILL_RETIRED_FROM,
  SkillOutcomeBody,
  SkillPage,
} from "../schema/skill.ts";
import { UnitParams } from "../schema/unit.ts";
import * as unit from "./kind.ts";
import { operation } from "./operation.ts";

const SKILL: unit.RevisedKindWords = {
  kind: SKILLS,
  one: "Skill",
  many: "Skills",
  article: "a skill",
  plural: "skills",
  page: SkillPage,
  listQuery: ListSkillsQuery,
  createDescription: "It begins `probationary`. `parameters` has to be a JSON Schema.",
  updateDescription: "`status: retired` takes it out of use; a retired or archived one is put on trial again by " +
    "`status: probationary`. `active` is earned by outcomes and cannot be set.",
  createExample: {
    name: "convert-currency",
    description: "Converts an amount of money between two currencies.",
    instructions: "Look up the day's rate of the central bank, multiply, and round to two places.",
    parameters: {
      type: "object",
      properties: { amount: { type: "number" }, from: { type: "string" }, to: { type: "string" } },
      required: ["amount", "from", "to"],
    },
    examples: [{ description: "Ten euros in dollars.", arguments: { amount: 10, from: "EUR", to: "USD" } }],
    tags: ["finance"],
  },
  updateExample: { description: "Converts money.", reason: "shorter" },
};

export const createSkill = unit.creating(SKILL);
export const listSkills = unit.listing(SKILL);
export const getSkill = unit.getting(SKILL);
export const updateSkill = unit.updating(SKILL);
export const archiveSkill = unit.archiving(SKILL);
export const createSkills = unit.creatingMany(SKILL);
export const forgetSkill = unit.forgetting(SKILL);
export const restoreSkill = unit.restoring(SKILL);
export const listSkillRevisions = unit.listingRevisions(SKILL);

/** Counts a success or a failure of a skill. */
export const recordSkillOutcome = operation({
  id: "recordSkillOutcome",
  summary: "Record an outcome of a skill",
  description:
    `After at least ${SKILL_OUTCOMES_MIN} outcomes, a skill on trial becomes \`active\` at a reliability of ${SKILL_ACTIVE_FROM} or more, and a skill on trial or active is \`retired\` at ${SKILL_RETIRED_FROM} or less. Each outcome creates a version. A skill that is retired or archived accepts none (409).`,
  scope: "memory:write",
  params: UnitParams,
  body: SkillOutcomeBody,
  reply: Skill,
  versioned: true,
  errors: ["erased", "invalid_transition", "version_mismatch"],
  example: { body: { outcome: "success", reason: "the rate matched the bank's" } },
}, (ctx, { params, body, expectedVersion }) => recordOutcome(ctx, params.id, body, expectedVersion));
