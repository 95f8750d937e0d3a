/** Skills: reliability from outcomes, and the states that result from it. */
import type { OperationContext } from "../../context.ts";
import { ServiceError } from "../../errors.ts";
import {
  type CreateSkillBody,
  type ListSkillsQuery,
  type Skill,
  SKILL_ACTIVE_FROM,
  SKILL_OUTCOMES_MIN,
  SKILL_RETIRED_FROM,
  type SkillOutcomeBody,
  type SkillStatus,
  type UpdateSkillBody,
} from "../../schema/skill.ts";
import { textsOf, toUnit, type UnitKind } from "../unit/kind.ts";
import { requireUnit, requireVersion, reviseUnit } from "../unit/store.ts";

/** The typed rest of a skill, as the row keeps it. */
export type SkillBody = {
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly examples: CreateSkillBody["examples"];
  readonly reliability: number;
  readonly successCount: number;
  readonly failureCount: number;
};

/** The states in which a skill is used and its outcomes are counted. */
const USED_STATUSES: readonly SkillStatus[] = ["probationary", "active"];

export const SKILLS: UnitKind<SkillBody, CreateSkillBody, UpdateSkillBody, ListSkillsQuery> = {
  type: "skill",
  called: ["name"],
  people: [],
  terms: [],
  content: ["name", "description", "instructions", "parameters", "examples"],
  listed: USED_STATUSES,
  editable: USED_STATUSES,
  transitions: {
    probationary: ["retired"],
    active: ["retired"],
    retired: ["probationary"],
    archived: ["probationary"],
  },
  statusOf: () => "probationary",
  toBody: ({ name, description, instructions, parameters, examples }) => ({
    name,
    description,
    instructions,
    parameters: parameters ?? {},
    examples,
    ...countOutcomes(0, 0),
  }),
  patchBody: (body, patch) => ({
    name: patch.name ?? body.name,
    description: patch.description ?? body.description,
    instructions: patch.instructions ?? body.instructions,
    parameters: patch.parameters ?? body.parameters,
    examples: patch.examples ?? body.examples,
    // With the outcomes that ended the first trial, a second one would end immediately.
    ...(patch.status === "probationary" && statusAfter("active", body) === "retired"
      ? countOutcomes(0, 0)
      : countOutcomes(body.successCount, body.failureCount)),
  }),
  textOf: (body) =>
    textsOf([
      body.name,
      body.description,
      body.instructions,
      ...body.examples.map((example) => `Example: ${example.description}`),
    ]),
  filterOf: ({ name }) => name === undefined ? {} : { bodyContains: { name } },
};

type Outcomes = Pick<SkillBody, "successCount" | "failureCount" | "reliability">;

/** The mean of Beta(successes + 1, failures + 1), to four places. */
export function countOutcomes(successCount: number, failureCount: number): Outcomes {
  const mean = (successCount + 1) / (successCount + failureCount + 2);
  return { successCount, failureCount, reliability: Math.round(mean * 10_000) / 10_000 };
}

/** The state of a skill in use after its outcomes. */
export function statusAfter(
  status: SkillStatus,
  { successCount, failureCount, reliability }: Outcomes,
): SkillStatus {
  if (successCount + failureCount < SKILL_OUTCOMES_MIN) return status;
  if (reliability <= SKILL_RETIRED_FROM) return "retired";
  return reliability >= SKILL_ACTIVE_FROM ? "active" : status;
}

/**
 * Counts an outcome of a skill. Each makes a version of its own, so that the history of its reliability can be read.
 * @throws ServiceError `not_found`, `erased`, `version_mismatch`; `invalid_transition` when it is not in use.
 */
export async function recordSkillOutcome(
  ctx: OperationContext,
  id: string,
  { outcome, reason }: SkillOutcomeBody,
  ifMatch: number | undefined,
): Promise<Skill> {
  return await ctx.tx(async (tx) => {
    const skill = await requireUnit<SkillBody>(tx, "skill", id, { lock: "update" });
    requireVersion(skill, ifMatch);
    const status = skill.status as SkillStatus;
    if (!USED_STATUSES.includes(status)) {
      throw new ServiceError(
        "invalid_transition",
        `Cannot record an outcome: the skill is ${status}; make it probationary first`,
      );
    }
    const { successCount, failureCount } = skill.body;
    const outcomes = countOutcomes(
      successCount + (outcome === "success" ? 1 : 0),
      failureCount + (outcome === "failure" ? 1 : 0),
    );
    const next = statusAfter(status, outcomes);
    const row = await reviseUnit(tx, skill, { status: next, body: { ...skill.body, ...outcomes } }, {
      event: next === status ? outcome : next === "active" ? "activated" : "retired",
      reason: reason ?? null,
    });
    return toUnit<Skill>(row);
  });
}
