/** Agents, as callers name them where they say who acts. */
import { z } from "zod";
import { ListQuery, pageOf, Timestamp } from "./common.ts";

/** What names an agent. */
export const AGENT_KINDS = ["sessions", "tasks", "events", "reasoning", "playbooks", "selfEdits"] as const;
export type AgentKind = typeof AGENT_KINDS[number];

const Count = z.int().min(0);

export const Agent = z.strictObject({
  agentId: z.string(),
  counts: z.strictObject({
    sessions: Count,
    tasks: Count.meta({ description: "Assigned to it or claimed by it" }),
    events: Count,
    reasoning: Count.meta({ description: "Chains of reasoning" }),
    playbooks: Count,
    selfEdits: Count,
  }).meta({ id: "AgentCounts", description: "How many of each name it, as far as the key sees them" }),
  firstSeenAt: Timestamp.meta({ description: "When the first of them was made; an event: when it occurred" }),
  lastSeenAt: Timestamp.meta({ description: "When the last of them was made or changed" }),
}).meta({ id: "Agent" });
export type Agent = z.infer<typeof Agent>;

export const ListAgentsQuery = ListQuery.extend({
  order: z.enum(["asc", "desc"]).default("asc").meta({ description: "By `agentId`" }),
});
export type ListAgentsQuery = z.infer<typeof ListAgentsQuery>;
export const AgentPage = pageOf(Agent).meta({ id: "AgentPage" });
