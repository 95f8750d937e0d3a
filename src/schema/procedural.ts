/** Procedural memory: an agent's playbook of rules, its versions and what they are judged by. */
import { z } from "zod";
import {
  JsonObject,
  ListQuery,
  pageOf,
  repeated,
  Sensitivity,
  Share,
  textOf,
  Timestamp,
  wholeNumber,
} from "./common.ts";

export const RULE_SECTIONS = ["strategies", "pitfalls", "tools", "formats", "other"] as const;
export const RuleSection = z.enum(RULE_SECTIONS).meta({ id: "RuleSection" });
export type RuleSection = z.infer<typeof RuleSection>;

export const RULE_STATUSES = ["trial", "active", "retired"] as const;
export const RuleStatus = z.enum(RULE_STATUSES).meta({
  id: "RuleStatus",
  description:
    "A new rule is on `trial`. It becomes `active` with two helpful runs, if there are more helpful than harmful ones",
});
export type RuleStatus = z.infer<typeof RuleStatus>;

export const RuleRetiredReason = z.enum([
  ...["harmful", "unused", "displaced", "rejected", "rolled_back", "edited", "erased"] as const,
]).meta({
  id: "RuleRetiredReason",
  description:
    "`harmful`: three more harmful runs than helpful ones. `unused`: not used in 20 runs. `displaced`: better rules took the limited space. `rejected`: rejected together with its candidate version. `erased`: its source was erased; its text is then `[erased]` in every version",
});
export type RuleRetiredReason = z.infer<typeof RuleRetiredReason>;

export const RULE_BYTES_MAX = 1_024;
const RuleId = z.string().regex(/^r[1-9]\d{0,8}$/, "must be the id of a rule, such as r3").meta({
  id: "RuleId",
  description: "Id of a rule within its playbook, as the prompt shows it",
  examples: ["r3"],
});
export const AgentName = z.string().normalize("NFC").min(1).max(200).meta({
  description: "An agent, as the caller names it",
});

/** A rule as a version of the prompt has it. */
export const PromptRule = z.strictObject({
  id: RuleId,
  section: RuleSection,
  text: z.string(),
  pinned: z.boolean(),
}).meta({ id: "PromptRule" });
export type PromptRule = z.infer<typeof PromptRule>;

export const PlaybookRule = PromptRule.extend({
  version: z.int().min(1).meta({
    description:
      "Increases by one when the rule's text, section, status or pin changes, not when runs are counted. Send it as `If-Match`",
  }),
  status: RuleStatus,
  retiredReason: RuleRetiredReason.nullable(),
  lesson: z.string().meta({ description: "The lesson as it was first submitted" }),
  source: z.enum(["lesson", "derived"]).meta({
    description: "`lesson`: submitted with a run. `derived`: found in the steps by which good and bad runs differ",
  }),
  helpful: z.int().min(0),
  harmful: z.int().min(0),
  support: z.int().min(0).meta({ description: "How often the lesson was submitted" }),
  unusedRuns: z.int().min(0),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}).meta({ id: "PlaybookRule", description: "A rule of the playbook" });
export type PlaybookRule = z.infer<typeof PlaybookRule>;

const RunOutcome = z.enum(["success", "partial", "failure"]);
export type RunOutcome = z.infer<typeof RunOutcome>;
const RuleIds = z.array(RuleId).max(100).default([]);
const Lesson = z.union([
  textOf(RULE_BYTES_MAX),
  z.strictObject({ text: textOf(RULE_BYTES_MAX), section: RuleSection.default("strategies") }),
]).meta({
  id: "Lesson",
  description: "A short rule that the run taught. A plain text goes to the section `strategies`",
});

const encoder = new TextEncoder();

export const Trajectory = z.strictObject({
  trajectoryId: z.string().min(1).max(200).optional().meta({
    description: "A run with the same id counts once. Default: the hash of the trajectory's content",
  }),
  task: textOf(4_096),
  steps: z.array(z.union([
    textOf(4_096),
    JsonObject.meta({ type: "object", additionalProperties: true }),
  ])).max(100).refine(
    (steps) => encoder.encode(JSON.stringify(steps)).byteLength <= 32_768,
    "must be at most 32768 bytes as JSON",
  ).default([]).meta({
    description: "What was done: sentences, or objects, of which the service reads the member `action`",
  }),
  outcome: RunOutcome,
  score: Share.optional().meta({ description: "Default: 1, 0.5 or 0 by the outcome" }),
  lessons: z.array(Lesson).max(20).default([]),
  usedRuleIds: RuleIds.meta({
    description: "Rules that the run used. A score of 0.7 or more counts as helpful, 0.3 or less as harmful",
  }),
  helpfulRuleIds: RuleIds,
  harmfulRuleIds: RuleIds,
  promptVersion: z.int().min(1).optional().meta({ description: "The version of the prompt that the run had" }),
}).refine((run) => !run.helpfulRuleIds.some((id) => run.harmfulRuleIds.includes(id)), {
  message: "must not name a rule that harmfulRuleIds names",
  path: ["helpfulRuleIds"],
}).meta({ id: "Trajectory" });
export type Trajectory = z.infer<typeof Trajectory>;

const PlaybookLevel = Sensitivity.optional().meta({
  description: "Which of the agent's playbooks. Default: the most sensitive one that the key sees",
});

export const LESSONS_MAX = 200;

export const OptimizeBody = z.strictObject({
  agentId: AgentName,
  sensitivity: Sensitivity.default("internal").meta({
    description:
      "The sensitivity of the playbook, at most the key's clearance. An agent has one playbook per sensitivity",
  }),
  trajectories: z.array(Trajectory).min(1).max(50).refine(
    (runs) => runs.reduce((sum, run) => sum + run.lessons.length, 0) <= LESSONS_MAX,
    `must have at most ${LESSONS_MAX} lessons together`,
  ),
}).meta({ id: "OptimizeBody" });
export type OptimizeBody = z.infer<typeof OptimizeBody>;

export const VersionStatus = z.enum(["candidate", "current", "superseded", "rejected", "discarded"]).meta({
  id: "PromptVersionStatus",
});
export type VersionStatus = z.infer<typeof VersionStatus>;

/** How the runs with a version went. */
export const VersionEvidence = z.strictObject({
  version: z.int().min(1),
  runs: z.int().min(0),
  mean: Share.meta({ description: "Mean of Beta(1 + sum of scores, 1 + runs − sum of scores)" }),
  lowerBound: Share.meta({ description: "The mean minus one standard deviation" }),
  upperBound: Share,
}).meta({ id: "VersionEvidence" });
export type VersionEvidence = z.infer<typeof VersionEvidence>;

export const PromptDecision = z.strictObject({
  outcome: z.enum(["promoted", "rejected", "waiting", "first", "none"]),
  reason: z.string(),
  candidate: VersionEvidence.nullable(),
  current: VersionEvidence.nullable(),
}).meta({ id: "PromptDecision", description: "Whether the candidate replaced the current version, and why" });
export type PromptDecision = z.infer<typeof PromptDecision>;

export const OptimizeReply = z.strictObject({
  agentId: z.string(),
  sensitivity: Sensitivity,
  trajectories: z.array(z.strictObject({
    trajectoryId: z.string(),
    status: z.enum(["counted", "known"]).meta({ description: "`known`: the run was counted before" }),
  })),
  changes: z.strictObject({
    added: z.array(RuleId),
    joined: z.array(RuleId).meta({
      description: "Existing rules that the lessons repeat in the same or similar words",
    }),
    activated: z.array(RuleId),
    retired: z.array(RuleId),
    refused: z.array(RuleId).meta({
      description: "Rules that lessons repeat although they were retired as harmful or by a person; they stay retired",
    }),
  }),
  decision: PromptDecision,
  currentVersion: z.int().nullable(),
  candidateVersion: z.int().nullable(),
  pendingChanges: z.boolean().meta({
    description: "Rules have changed since the candidate was made. They wait until the candidate is decided",
  }),
}).meta({ id: "OptimizeReply", description: "What changed in the playbook" });
export type OptimizeReply = z.infer<typeof OptimizeReply>;

export const AgentParams = z.strictObject({ agent: AgentName });
export const RuleParams = z.strictObject({ agent: AgentName, rule: RuleId });

export const PromptQuery = z.strictObject({
  sensitivity: PlaybookLevel,
  version: z.union([z.literal("candidate"), wholeNumber(1, 999_999_999)]).optional().meta({
    description: "A version's number, or `candidate`. Default: the current one",
  }),
  maxTokens: wholeNumber(50, 100_000).default(2_000).meta({ description: "Token budget of the rendered prompt" }),
});
export type PromptQuery = z.infer<typeof PromptQuery>;

export const Prompt = z.strictObject({
  agentId: z.string(),
  sensitivity: Sensitivity,
  version: z.int().min(1),
  status: VersionStatus,
  prompt: z.string().meta({ description: "Markdown; each rule with its id" }),
  tokens: z.int().min(0),
  omitted: z.array(RuleId).meta({ description: "Rules that did not fit into `maxTokens`" }),
  rules: z.array(PromptRule),
  currentVersion: z.int().nullable(),
  candidateVersion: z.int().nullable(),
  createdAt: Timestamp,
}).meta({ id: "Prompt", description: "The prompt in force" });
export type Prompt = z.infer<typeof Prompt>;

export const PromptDiff = z.strictObject({
  added: z.array(PromptRule),
  removed: z.array(PromptRule),
  changed: z.array(z.strictObject({ before: PromptRule, after: PromptRule })),
}).meta({ id: "PromptDiff", description: "What differs between two versions of the prompt" });
export type PromptDiff = z.infer<typeof PromptDiff>;

export const PromptVersion = z.strictObject({
  version: z.int().min(1),
  status: VersionStatus,
  cause: z.enum(["optimize", "rollback", "edit"]),
  reason: z.string().nullable(),
  baseVersion: z.int().nullable(),
  diff: PromptDiff.meta({ description: "Difference to `baseVersion`" }),
  ruleCount: z.int().min(0),
  evidence: VersionEvidence,
  decision: PromptDecision.nullable().meta({ description: "For a candidate that was decided" }),
  createdAt: Timestamp,
  createdBy: z.string(),
  decidedAt: Timestamp.nullable(),
}).meta({ id: "PromptVersion" });
export type PromptVersion = z.infer<typeof PromptVersion>;
export const PromptVersionPage = pageOf(PromptVersion).meta({ id: "PromptVersionPage" });

export const HistoryQuery = ListQuery.extend({ sensitivity: PlaybookLevel });
export type HistoryQuery = z.infer<typeof HistoryQuery>;

export const DiffQuery = z.strictObject({
  sensitivity: PlaybookLevel,
  from: wholeNumber(1, 999_999_999).optional().meta({ description: "Default: the version from which `to` was made" }),
  to: wholeNumber(1, 999_999_999).optional().meta({ description: "Default: the newest version" }),
});
export type DiffQuery = z.infer<typeof DiffQuery>;

export const RollbackBody = z.strictObject({
  version: z.int().min(1).meta({ description: "The version whose rules become current again" }),
  reason: z.string().min(1).max(1_000).optional(),
  sensitivity: PlaybookLevel,
}).meta({ id: "RollbackBody" });
export type RollbackBody = z.infer<typeof RollbackBody>;

export const RuleListQuery = ListQuery.extend({
  sensitivity: PlaybookLevel,
  status: repeated(RuleStatus, RULE_STATUSES.length).optional().meta({ description: "May be repeated" }),
});
export type RuleListQuery = z.infer<typeof RuleListQuery>;
export const PlaybookRulePage = pageOf(PlaybookRule).meta({ id: "PlaybookRulePage" });

export const UpdateRuleBody = z.strictObject({
  pinned: z.boolean().optional().meta({ description: "A pinned rule comes first and is never retired automatically" }),
  status: z.enum(["active", "retired"]).optional(),
  text: textOf(RULE_BYTES_MAX).optional(),
  section: RuleSection.optional(),
  reason: z.string().min(1).max(1_000).optional(),
  sensitivity: PlaybookLevel,
}).refine((body) => Object.keys(body).some((name) => name !== "reason" && name !== "sensitivity"), {
  message: "must change something",
}).meta({ id: "UpdateRuleBody" });
export type UpdateRuleBody = z.infer<typeof UpdateRuleBody>;
