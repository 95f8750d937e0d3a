/** Who and what a memory is about, within a token budget. */
import { z } from "zod";
import { Attribution, Id, Sensitivity, textOf, Timestamp, wholeNumber } from "./common.ts";
import { FactType } from "./fact.ts";

export const SelfProfileQuery = z.strictObject({
  maxTokens: wholeNumber(100, 20_000).default(1_000).meta({ description: "What the rendered text may cost" }),
  agentId: z.string().min(1).max(200).optional().meta({ description: "Counts the tasks of this agent alone" }),
  entityId: Id.optional().meta({ description: "Facts that mention this entity alone" }),
  subject: textOf(1_024).optional().meta({
    description: "Facts about this subject alone, compared without regard to case and spacing",
  }),
});
export type SelfProfileQuery = z.infer<typeof SelfProfileQuery>;

const ProfileFact = z.strictObject({
  id: Id,
  text: z.string().meta({ description: "Shortened where it is long" }),
  factType: FactType,
  attribution: Attribution,
  trustScore: z.int().min(0).max(100),
  worth: z.number().min(0).max(1),
  pinned: z.boolean(),
  contested: z.boolean(),
  stale: z.boolean(),
  sensitivity: Sensitivity,
}).meta({ id: "ProfileFact" });

export const SelfProfile = z.strictObject({
  asOfSeq: z.int().min(0).meta({ description: "The place in the change feed up to which it is current, at least" }),
  text: z.string().meta({ description: "Markdown for a system prompt, each line with its id" }),
  tokens: z.int().min(0),
  truncated: z.boolean().meta({ description: "The budget left something out" }),
  subjects: z.array(z.strictObject({
    name: z.string(),
    id: Id.nullable().meta({ description: "Of an entity; null for a name alone" }),
    mentions: z.int().min(1).meta({ description: "Among the latest units" }),
  })).meta({ description: "What the latest units are about, the most mentioned first" }),
  preferences: z.array(ProfileFact).meta({ description: "Preferences and instructions, the pinned first" }),
  facts: z.array(ProfileFact).meta({ description: "By pin, worth, trust and use" }),
  decisions: z.array(z.strictObject({
    id: Id,
    title: z.string(),
    decision: z.string(),
    status: z.enum(["proposed", "accepted"]),
    decidedAt: Timestamp.nullable(),
    reviewAt: Timestamp.nullable(),
    stale: z.boolean(),
  })).meta({ description: "In force or proposed, the newest first" }),
  openTasks: z.int().min(0),
  recentChanges: z.array(z.strictObject({
    seq: z.int().min(1),
    kind: z.string().meta({ examples: ["fact.created"] }),
    id: Id,
    text: z.string().nullable().meta({ description: "Null for what is gone" }),
    at: Timestamp,
  })),
}).meta({ id: "SelfProfile" });
export type SelfProfile = z.infer<typeof SelfProfile>;
