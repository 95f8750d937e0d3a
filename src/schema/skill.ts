/** Skills: reusable capabilities that earn their reliability from outcomes. */
import { z } from "zod";
import { JsonValue, pageOf } from "./common.ts";
import { JsonSchema } from "./json_schema.ts";
import {
  CHANGES_SOMETHING,
  changesSomething,
  Name,
  Prose,
  unitInputShape,
  unitListQuery,
  unitPatchShape,
  unitShape,
} from "./unit.ts";

/** This many outcomes are needed before they change a skill's state. */
export const SKILL_OUTCOMES_MIN = 5;
/** A skill on trial becomes active at this reliability. */
export const SKILL_ACTIVE_FROM = 0.75;
/** A skill is retired at this reliability. */
export const SKILL_RETIRED_FROM = 0.35;

export const SKILL_STATUSES = ["probationary", "active", "contested", "retired", "archived"] as const;
export const SkillStatus = z.enum(SKILL_STATUSES).meta({
  id: "SkillStatus",
  description: `\`probationary\` is on trial and becomes \`active\` after ${SKILL_OUTCOMES_MIN} outcomes with a ` +
    `reliability of ${SKILL_ACTIVE_FROM} or more; with ${SKILL_RETIRED_FROM} or less it is \`retired\`, as an active ` +
    "one is. `contested` is a peer's version of what is known here otherwise, which waits for review. `archived` is deleted " +
    "softly. `retired` and `archived` ones are not recalled",
});
export type SkillStatus = z.infer<typeof SkillStatus>;

const Example = z.strictObject({
  description: Prose,
  arguments: z.record(z.string().min(1).max(200), JsonValue).optional(),
  result: JsonValue.optional(),
}).meta({ id: "SkillExample" });
const EXAMPLES_BYTES_MAX = 65_536;
const Examples = z.array(Example).max(50).refine(
  (examples) => new TextEncoder().encode(JSON.stringify(examples)).byteLength <= EXAMPLES_BYTES_MAX,
  `must be at most ${EXAMPLES_BYTES_MAX} bytes as JSON`,
);

export const Skill = z.strictObject({
  ...unitShape("skill", SkillStatus),
  name: z.string(),
  description: z.string(),
  instructions: z.string(),
  parameters: z.record(z.string(), JsonValue).meta({ description: "JSON Schema of its arguments" }),
  examples: z.array(Example),
  reliability: z.number().min(0).max(1).meta({
    description: "(successes + 1) / (outcomes + 2): the mean of a Beta distribution with a uniform prior",
  }),
  successCount: z.int().min(0),
  failureCount: z.int().min(0),
}).meta({ id: "Skill", description: "A skill, with its outcomes" });
export type Skill = z.infer<typeof Skill>;
export const SkillPage = pageOf(Skill).meta({ id: "SkillPage" });

export const CreateSkillBody = z.strictObject({
  ...unitInputShape,
  name: Name,
  description: Prose,
  instructions: Prose,
  parameters: JsonSchema.optional().meta({
    description: "JSON Schema of its arguments. Default: `{}`, which allows anything",
  }),
  examples: Examples.default([]),
}).meta({ id: "CreateSkillBody" });
export type CreateSkillBody = z.infer<typeof CreateSkillBody>;

export const UpdateSkillBody = z.strictObject({
  ...unitPatchShape,
  name: Name.optional(),
  description: Prose.optional(),
  instructions: Prose.optional(),
  parameters: JsonSchema.optional(),
  examples: Examples.optional(),
  status: z.enum(["probationary", "retired"]).optional().meta({
    description:
      "`retired` takes the skill out of use. `probationary` puts a retired or archived skill on trial again; a retired one starts with no outcomes. `active` is reached only by outcomes",
  }),
}).refine(changesSomething, CHANGES_SOMETHING).meta({ id: "UpdateSkillBody" });
export type UpdateSkillBody = z.infer<typeof UpdateSkillBody>;

export const SkillOutcomeBody = z.strictObject({
  outcome: z.enum(["success", "failure"]),
  reason: z.string().min(1).max(1_000).optional().meta({ description: "What happened; kept in the history" }),
}).meta({ id: "SkillOutcomeBody" });
export type SkillOutcomeBody = z.infer<typeof SkillOutcomeBody>;

export const ListSkillsQuery = unitListQuery(SkillStatus, "`probationary` and `active`").extend({
  name: Name.optional().meta({ description: "Equal to this name, exactly" }),
});
export type ListSkillsQuery = z.infer<typeof ListSkillsQuery>;
