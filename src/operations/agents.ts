/** The agents whom a workspace's rows name. */
import * as agents from "../domain/agents/list.ts";
import { AgentPage, ListAgentsQuery } from "../schema/agent.ts";
import { BATCH } from "./cost.ts";
import { operation } from "./operation.ts";

/** Lists the agents by name. */
export const listAgents = operation({
  id: "listAgents",
  summary: "List the agents",
  description:
    "Every `agentId` that sessions, tasks, events, chains of reasoning, playbooks or self-edits name, with how many of each and when the first and the last was. For a key without `tasks:read`, tasks and events do not count.",
  scope: "memory:read",
  cost: BATCH,
  query: ListAgentsQuery,
  reply: AgentPage,
}, (ctx, { query }) => agents.listAgents(ctx, query));
