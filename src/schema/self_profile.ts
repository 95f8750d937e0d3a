/** Who and what a memory is about, within a token budget. */
import { z } from "zod";
import { AgentId, Attribution, Id, Sensitivity, textOf, Timestamp, wholeNumber } from "./common.ts";
import { FactType } from "./fact.ts";
import { NewerStatement } from "./recall.ts";

export const SelfProfileQuery = z.strictObject({
  maxTokens: wholeNumber(100, 20_000).default(1_000).meta({ description: "Token budget of the rendered text" }),
  agentId: AgentId.optional().meta({ description: "Only tasks of this agent" }),
  entityId: Id.optional().meta({ description: "Only facts that mention this entity" }),
  subject: textOf(1_024).optional().meta({
    description: "Only facts about this subject; case and spacing do not matter",
  }),
});
export type SelfProfileQuery = z.infer<typeof SelfProfileQuery>;

const ProfileFact = z.strictObject({
  id: Id,
  text: z.string().meta({ description: "Shortened if it is long" }),
  factType: FactType,
  attribution: Attribution,
  trustScore: z.int().min(0).max(100),
  worth: z.number().min(0).max(1),
  pinned: z.boolean(),
  contested: z.boolean(),
  stale: z.boolean(),
  sensitivity: Sensitivity,
  newer: NewerStatement.optional().meta({ description: "What was said later about the same matter; no verdict" }),
}).meta({ id: "ProfileFact" });

export const SelfProfile = z.strictObject({
  asOfSeq: z.int().min(0).meta({
    description: "The profile is current at least up to this position in the change feed",
  }),
  text: z.string().meta({ description: "Markdown for a system prompt, each line with its id" }),
  tokens: z.int().min(0),
  truncated: z.boolean().meta({ description: "Something did not fit into the budget" }),
  subjects: z.array(z.strictObject({
    name: z.string(),
    id: Id.nullable().meta({ description: "The entity's id; null: only a name" }),
    mentions: z.int().min(1).meta({ description: "Number of the latest units that mention it" }),
  })).meta({ description: "What the latest units are about, most mentioned first" }),
  preferences: z.array(ProfileFact).meta({ description: "Preferences and instructions, pinned ones first" }),
  facts: z.array(ProfileFact).meta({ description: "Ordered by pin, worth, trust and use" }),
  decisions: z.array(z.strictObject({
    id: Id,
    title: z.string(),
    decision: z.string(),
    status: z.enum(["proposed", "accepted"]),
    decidedAt: Timestamp.nullable(),
    reviewAt: Timestamp.nullable(),
    stale: z.boolean(),
  })).meta({ description: "In force or proposed, newest first" }),
  openTasks: z.int().min(0).meta({ description: "0 for a key without `tasks:read`" }),
  recentChanges: z.array(z.strictObject({
    seq: z.int().min(1),
    kind: z.string().meta({ examples: ["fact.created"] }),
    id: Id,
    text: z.string().nullable().meta({ description: "Null: it was erased" }),
    at: Timestamp,
  })),
}).meta({ id: "SelfProfile", description: "What the agent knows about itself" });
export type SelfProfile = z.infer<typeof SelfProfile>;
