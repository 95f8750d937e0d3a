/** Episodes: what happened, with the facts that came of it. */
import { z } from "zod";
import { EndInput, Id, isSpan, ListQuery, NO_SPAN, pageOf, Timestamp, TimestampInput } from "./common.ts";
import { Fact } from "./fact.ts";
import { KeptStatus } from "./strategy.ts";
import { countShape, windowShape } from "./timeline.ts";
import { Turn } from "./turn.ts";
import { Ids, Name, Prose, unitInputShape, unitListQuery, unitShape } from "./unit.ts";

/** Facts that one episode may link. */
export const EPISODE_FACTS_MAX = 1_000;

const EpisodeKind = z.string().min(1).max(64);

export const Episode = z.strictObject({
  ...unitShape("episode", KeptStatus),
  title: z.string(),
  summary: z.string(),
  kind: z.string().meta({ description: "What sort of episode; `session` if a session was collapsed to it" }),
  startedAt: Timestamp,
  endedAt: Timestamp.nullable().meta({ description: "Null: the end is not known" }),
  participants: z.array(z.string()),
  factIds: z.array(Id),
  sessionId: Id.nullable(),
  outcome: z.string().nullable(),
}).meta({ id: "Episode", description: "An episode: what happened in a span of time" });
export type Episode = z.infer<typeof Episode>;
export const EpisodePage = pageOf(Episode).meta({ id: "EpisodePage" });

export const CreateEpisodeBody = z.strictObject({
  ...unitInputShape,
  title: Name,
  summary: Prose.optional(),
  kind: EpisodeKind.default("event"),
  startedAt: TimestampInput.optional().meta({ description: "Default: now" }),
  endedAt: EndInput.optional(),
  participants: z.array(Name).max(100).default([]),
  factIds: Ids.default([]).meta({ description: "Facts that resulted from it or that it is about" }),
  sessionId: Id.optional().meta({ description: "The session in which it happened" }),
  outcome: Prose.optional(),
}).meta({ id: "CreateEpisodeBody" });
export type CreateEpisodeBody = z.infer<typeof CreateEpisodeBody>;

export const ListEpisodesQuery = unitListQuery(KeptStatus, "`active`").extend({
  kind: EpisodeKind.optional(),
  sessionId: Id.optional(),
  participant: Name.optional().meta({ description: "Equal to this name, exactly" }),
  factId: Id.optional().meta({ description: "Episodes that link this fact" }),
  from: TimestampInput.optional().meta({ description: "Episodes that started then or later" }),
  to: EndInput.optional().meta({ description: "Episodes that started before then" }),
}).refine(isSpan, NO_SPAN);
export type ListEpisodesQuery = z.infer<typeof ListEpisodesQuery>;

export const LinkFactsBody = z.strictObject({
  factIds: z.array(Id).min(1).max(100),
  reason: z.string().min(1).max(1_000).optional(),
}).meta({ id: "LinkFactsBody" });
export type LinkFactsBody = z.infer<typeof LinkFactsBody>;

/** Something that happened in an episode. */
export const EpisodeMoment = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("fact"),
    at: Timestamp.meta({ description: "`occurredAt`, else `validFrom`, else `recordedAt`" }),
    fact: Fact,
  }).meta({ id: "FactMoment" }),
  z.strictObject({ type: z.literal("turn"), at: Timestamp, turn: Turn }).meta({ id: "TurnMoment" }),
]).meta({ id: "EpisodeMoment" });
export type EpisodeMoment = z.infer<typeof EpisodeMoment>;

export const EpisodeTimelineQuery = ListQuery.extend({
  order: z.enum(["asc", "desc"]).default("asc"),
  ...windowShape,
}).refine(isSpan, NO_SPAN);
export type EpisodeTimelineQuery = z.infer<typeof EpisodeTimelineQuery>;
export const EpisodeTimeline = pageOf(EpisodeMoment).extend({ episode: Episode }).meta({
  id: "EpisodeTimeline",
  description: "The episode and what happened around it",
});
export type EpisodeTimeline = z.infer<typeof EpisodeTimeline>;

export const EpisodeCountsQuery = z.strictObject({
  ...countShape,
  from: windowShape.from.meta({ description: "Default: the first entry" }),
  to: windowShape.to.meta({ description: "Default: right after the last entry" }),
});
export type EpisodeCountsQuery = z.infer<typeof EpisodeCountsQuery>;
