/** Procedural memory. */
import * as procedural from "../domain/procedural/playbooks.ts";
import {
  AgentParams,
  DiffQuery,
  HistoryQuery,
  OptimizeBody,
  OptimizeReply,
  PlaybookRule,
  PlaybookRulePage,
  Prompt,
  PromptDiff,
  PromptQuery,
  PromptVersionPage,
  RollbackBody,
  RuleListQuery,
  RuleParams,
  UpdateRuleBody,
} from "../schema/procedural.ts";
import { BATCH } from "./cost.ts";
import { operation } from "./operation.ts";

/** Evolves a playbook by runs. */
export const optimizePlaybook = operation({
  id: "optimizePlaybook",
  summary: "Evolve an agent's playbook by runs",
  description:
    "Lessons become rules on trial, or join the rule that says nearly the same; runs credit the rules that they used; " +
    "what harms or is never used falls out. Where the runs of a task tell no lessons, rules are derived from the steps " +
    "that all its good runs and no bad one have, and the other way round. A change of the rules makes a candidate " +
    "version; the first version is current at once. The candidate becomes current after three runs with it (their " +
    "`promptVersion`), when the lower bound of its mean score is not below the mean of the current one; it is rejected " +
    "when its upper bound is below, or after 20 runs, and takes with it the rules that it alone had, unless they proved " +
    "helpful. While a candidate is tried, further changes wait. A run counts once, by its id or content. No model is " +
    "needed; a configured one may propose shorter words for a lesson, never what is counted or joined.",
  scope: "self:write",
  cost: BATCH,
  body: OptimizeBody,
  reply: OptimizeReply,
  errors: ["conflict"],
  example: {
    body: {
      agentId: "assistant-1",
      trajectories: [{
        trajectoryId: "run-41",
        task: "Book a meeting room",
        steps: ["Look at the calendar.", { action: "book", room: "blue" }],
        outcome: "success",
        score: 0.9,
        lessons: ["Look at the calendar before booking a room.", {
          text: "Do not book two rooms for one meeting.",
          section: "pitfalls",
        }],
      }],
    },
  },
}, (ctx, { body }) => procedural.optimizePlaybook(ctx, body));

/** The evolved prompt. */
export const getPrompt = operation({
  id: "getPrompt",
  summary: "Read an agent's evolved prompt",
  description: "Name its `version` as `promptVersion` of the runs that use it: this is how versions are judged.",
  scope: "memory:read",
  params: AgentParams,
  query: PromptQuery,
  reply: Prompt,
}, (ctx, { params, query }) => procedural.getPrompt(ctx, params.agent, query));

/** Versions of the prompt. */
export const listPromptHistory = operation({
  id: "listPromptHistory",
  summary: "List the versions of an agent's prompt",
  description: "Each with what it changed, the runs with it and what was decided.",
  scope: "memory:read",
  params: AgentParams,
  query: HistoryQuery,
  reply: PromptVersionPage,
}, (ctx, { params, query }) => procedural.listPromptHistory(ctx, params.agent, query));

/** The difference of two versions. */
export const diffPrompts = operation({
  id: "diffPrompts",
  summary: "Compare two versions of an agent's prompt",
  scope: "memory:read",
  params: AgentParams,
  query: DiffQuery,
  reply: PromptDiff,
}, (ctx, { params, query }) => procedural.diffPrompts(ctx, params.agent, query));

/** Goes back to an earlier version. */
export const rollbackPrompt = operation({
  id: "rollbackPrompt",
  summary: "Go back to the rules of another version",
  description:
    "Recorded as a new version with the runs of the one it copies, so it can be undone in the same way. A candidate is " +
    "discarded; rules that the version does not have are retired.",
  scope: "self:write",
  params: AgentParams,
  body: RollbackBody,
  reply: Prompt,
  errors: ["conflict"],
  example: { body: { version: 1, reason: "the new rules made it slower" } },
}, (ctx, { params, body }) => procedural.rollbackPrompt(ctx, params.agent, body));

/** All rules of a playbook. */
export const listPlaybookRules = operation({
  id: "listPlaybookRules",
  summary: "List the rules of an agent's playbook",
  description: "In any state, with their counts.",
  scope: "memory:read",
  params: AgentParams,
  query: RuleListQuery,
  reply: PlaybookRulePage,
}, (ctx, { params, query }) => procedural.listPlaybookRules(ctx, params.agent, query));

/** Changes a rule by hand. */
export const updatePlaybookRule = operation({
  id: "updatePlaybookRule",
  summary: "Pin, retire, restore or reword a rule",
  description: "It takes effect at once, as a new current version: who edits by hand needs no evidence.",
  scope: "self:write",
  params: RuleParams,
  body: UpdateRuleBody,
  reply: PlaybookRule,
  errors: ["conflict"],
  example: { body: { pinned: true, reason: "the safety team asks for it" } },
}, (ctx, { params, body }) => procedural.updatePlaybookRule(ctx, params.agent, params.rule, body));
