/** Lists the agents of a workspace: those that sessions, tasks, events, reasoning, playbooks and self edits name. */
import type { OperationContext } from "../../context.ts";
import * as queries from "../../db/queries/agents.ts";
import { type Agent, AGENT_KINDS, type AgentKind, type ListAgentsQuery } from "../../schema/agent.ts";
import type { Page } from "../../schema/common.ts";
import { decodeCursor, encodeCursor, toPage } from "../common/cursor.ts";
import { seesTasks } from "../common/task_scope.ts";

const AGENT_CHARACTERS_MAX = 200;

/** Kinds of records that name agents and need the scope of tasks. */
const OF_TASKS: readonly AgentKind[] = ["tasks", "events"];

/** Lists agents by name, with how many records name each and since when. Tasks and events need their scope. */
export async function listAgents(ctx: OperationContext, query: ListAgentsQuery): Promise<Page<Agent>> {
  const { limit, order } = query;
  const after = decodeCursor("agents", order, query.cursor, isAgentId);
  const kinds = AGENT_KINDS.filter((kind) => seesTasks(ctx) || !OF_TASKS.includes(kind));
  const rows = await ctx.tx((tx) => queries.listAgents(tx, { kinds, order, after, limit: limit + 1 }), {
    readOnly: true,
    fromReplica: true,
  });
  return toPage(rows, limit, toAgent, (row) => encodeCursor("agents", order, row.agentId));
}

function isAgentId(key: unknown): key is string {
  return typeof key === "string" && key.length >= 1 && key.length <= AGENT_CHARACTERS_MAX && key.isWellFormed() &&
    !key.includes("\0");
}

function toAgent({ agentId, counts, firstSeenAt, lastSeenAt }: queries.AgentRow): Agent {
  const none = Object.fromEntries(AGENT_KINDS.map((kind) => [kind, 0])) as Agent["counts"];
  return {
    agentId,
    counts: { ...none, ...counts },
    firstSeenAt: firstSeenAt.toISOString(),
    lastSeenAt: lastSeenAt.toISOString(),
  };
}
