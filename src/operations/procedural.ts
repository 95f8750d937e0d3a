/** Procedural memory. */
import * as optimize from "../domain/procedural/optimize.ts";
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
  summary: "Submit runs, from which an agent's playbook evolves",
  description:
    "Each lesson becomes a rule on trial, or joins an existing rule that says nearly the same. Runs credit the rules that they used; harmful and unused rules are retired. If the runs of a task come without lessons, rules are derived from steps that all its good runs have and no bad run has, and vice versa.\n\nA change of the rules creates a candidate version; the very first version becomes current immediately. A candidate becomes current after three runs with it (their `promptVersion`) if the lower bound of its mean score is not below the mean of the current version. It is rejected if its upper bound is below that, or after 20 runs; rules that only it has go with it, unless they proved helpful. While a candidate is on trial, further changes wait.\n\nA run counts once, by its id or content. No language model is needed. If one is configured, it may shorten the wording of a lesson, but it decides neither what counts nor what is joined.",
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
}, (ctx, { body }) => optimize.optimizePlaybook(ctx, body));

/** The evolved prompt. */
export const getPrompt = operation({
  id: "getPrompt",
  summary: "Read an agent's current prompt",
  description: "Send its `version` as `promptVersion` of the runs that use it: versions are judged by their runs.",
  scope: "memory:read",
  params: AgentParams,
  query: PromptQuery,
  reply: Prompt,
  versioned: true,
}, (ctx, { params, query }) => procedural.getPrompt(ctx, params.agent, query));

/** Versions of the prompt. */
export const listPromptHistory = operation({
  id: "listPromptHistory",
  summary: "List the versions of an agent's prompt",
  description: "Each version with its changes, its runs and the decision about it.",
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

/** Returns to an earlier version. */
export const rollbackPrompt = operation({
  id: "rollbackPrompt",
  summary: "Roll back to the rules of another version",
  description:
    "Creates a new version with the rules and runs of that version, so a rollback can be rolled back, too. A candidate is discarded; rules that the version does not have are retired. `If-Match` takes the current version.",
  scope: "self:write",
  params: AgentParams,
  body: RollbackBody,
  reply: Prompt,
  versioned: true,
  errors: ["conflict"],
  example: { body: { version: 1, reason: "the new rules made it slower" } },
}, (ctx, { params, body, expectedVersion }) => procedural.rollbackPrompt(ctx, params.agent, body, expectedVersion));

/** All rules of a playbook. */
export const listPlaybookRules = operation({
  id: "listPlaybookRules",
  summary: "List the rules of an agent's playbook",
  description: "Rules in any state, with their counts.",
  scope: "memory:read",
  params: AgentParams,
  query: RuleListQuery,
  reply: PlaybookRulePage,
}, (ctx, { params, query }) => procedural.listPlaybookRules(ctx, params.agent, query));

/** Changes a rule by hand. */
export const updatePlaybookRule = operation(
  {
    id: "updatePlaybookRule",
    summary: "Pin, retire, restore or reword a rule",
    description:
      "Takes effect immediately, as a new current version. A manual edit needs no evidence. `If-Match` takes the rule's version, not the prompt's.",
    scope: "self:write",
    params: RuleParams,
    body: UpdateRuleBody,
    reply: PlaybookRule,
    versioned: true,
    errors: ["conflict"],
    example: { body: { pinned: true, reason: "the safety team asks for it" } },
  },
  (ctx, { params, body, expectedVersion }) =>
    procedural.updatePlaybookRule(ctx, params.agent, params.rule, body, expectedVersion),
);
