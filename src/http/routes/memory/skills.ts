/** Skills: reusable capabilities with a reliability from outcomes. Interface §4.3, decisions §6 "memory/skills". */
import { recordSkillOutcome as recordOutcome, SKILLS } from "../../../domain/kinds/skills.ts";
import {
  CreateSkillBody,
  ListSkillsQuery,
  Skill,
  SKILL_ACTIVE_FROM,
  SKILL_OUTCOMES_MIN,
  SKILL_RETIRED_FROM,
  SkillOutcomeBody,
  SkillPage,
  UpdateSkillBody,
} from "../../../schema/skill.ts";
import { UnitParams } from "../../../schema/unit.ts";
import { endpoint } from "../../endpoint.ts";
import {
  archiveEndpoint,
  createEndpoint,
  createManyEndpoint,
  forgetEndpoint,
  getEndpoint,
  listEndpoint,
  restoreEndpoint,
  revisionsEndpoint,
  type UnitFace,
  updateEndpoint,
} from "../../unit_endpoints.ts";

const face: UnitFace = {
  kind: SKILLS,
  path: "/memory/skills",
  one: "Skill",
  many: "Skills",
  article: "a skill",
  plural: "skills",
  unit: Skill,
  page: SkillPage,
  createBody: CreateSkillBody,
  updateBody: UpdateSkillBody,
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

export const createSkill = createEndpoint(face);
export const listSkills = listEndpoint(face);
export const getSkill = getEndpoint(face);
export const updateSkill = updateEndpoint(face);
export const archiveSkill = archiveEndpoint(face);
export const createSkills = createManyEndpoint(face);
export const forgetSkill = forgetEndpoint(face);
export const restoreSkill = restoreEndpoint(face);
export const listSkillRevisions = revisionsEndpoint(face);

/** Counts a success or a failure of a skill. */
export const recordSkillOutcome = endpoint({
  method: "post",
  path: "/memory/skills/{id}/outcome",
  operationId: "recordSkillOutcome",
  summary: "Record an outcome of a skill",
  description:
    `After ${SKILL_OUTCOMES_MIN} outcomes or more, a skill on trial becomes \`active\` at a reliability of ` +
    `${SKILL_ACTIVE_FROM}, and one on trial or active is \`retired\` at ${SKILL_RETIRED_FROM} or below. Each outcome ` +
    "is a version. A skill that is not in use takes none (409).",
  scope: "memory:write",
  params: UnitParams,
  body: SkillOutcomeBody,
  response: Skill,
  versioned: true,
  errors: ["erased", "invalid_transition", "version_mismatch"],
  example: { body: { outcome: "success", reason: "the rate matched the bank's" } },
}, (ctx, { params, body, ifMatch }) => recordOutcome(ctx, params.id, body, ifMatch));
