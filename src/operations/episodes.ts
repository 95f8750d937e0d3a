/** Episodes: summaries of events, with the facts that resulted. */
import * as episodes from "../domain/kinds/episodes.ts";
import * as timelines from "../domain/timeline/episode.ts";
import {
  Episode,
  EpisodeCountsQuery,
  EpisodePage,
  EpisodeTimeline,
  EpisodeTimelineQuery,
  LinkFactsBody,
  ListEpisodesQuery,
} from "../schema/episode.ts";
import { TimelineCounts } from "../schema/timeline.ts";
import { UnitParams } from "../schema/unit.ts";
import * as unit from "./kind.ts";
import { operation } from "./operation.ts";

/** Episodes are never revised, so there is no update. */
const EPISODE: unit.KindWords = {
  kind: episodes.EPISODES,
  one: "Episode",
  many: "Episodes",
  article: "an episode",
  plural: "episodes",
  page: EpisodePage,
  listQuery: ListEpisodesQuery,
  createDescription:
    "Facts and session that it names have to be known. Sessions make their episode when they collapse.",
  createExample: {
    title: "Planning of the launch",
    summary: "Caroline and Ada agreed to ship on Friday, and to write the announcement together.",
    kind: "meeting",
    startedAt: "2026-03-01T09:00:00Z",
    endedAt: "2026-03-01T10:00:00Z",
    participants: ["Caroline", "Ada"],
    outcome: "The launch is on Friday.",
    tags: ["launch"],
  },
};

export const createEpisode = unit.creating(EPISODE);
export const createEpisodes = unit.creatingMany(EPISODE);
export const listEpisodes = unit.listing(EPISODE);
export const getEpisode = unit.getting(EPISODE);
export const archiveEpisode = unit.archiving(EPISODE);
export const forgetEpisode = unit.forgetting(EPISODE);
export const restoreEpisode = unit.restoring(EPISODE);
export const listEpisodeRevisions = unit.listingRevisions(EPISODE);

export const linkEpisodeFacts = operation({
  id: "linkEpisodeFacts",
  summary: "Link facts to an episode",
  description: "Facts that are linked already stay linked; linking again creates no version.",
  scope: "memory:write",
  params: UnitParams,
  body: LinkFactsBody,
  reply: Episode,
  versioned: true,
  errors: ["erased", "invalid_transition", "version_mismatch"],
  example: { body: { factIds: ["0195c1a0-0000-7000-8000-000000000001"], reason: "agreed there" } },
}, (ctx, { params, body, expectedVersion }) => episodes.linkFacts(ctx, params.id, body, expectedVersion));

/** Lists the moments of an episode in order of time. */
export const getEpisodeTimeline = operation({
  id: "getEpisodeTimeline",
  summary: "Read the timeline of an episode",
  description:
    "The episode's facts, and the turns of its session from its start to its end, in order of time. `after` and `before` take a time or the id of an entry. Erased items and those above the key's clearance are left out.",
  scope: "memory:read",
  params: UnitParams,
  query: EpisodeTimelineQuery,
  reply: EpisodeTimeline,
  errors: ["erased"],
}, (ctx, { params, query }) => timelines.getEpisodeTimeline(ctx, params.id, query));

/** Counts the moments of an episode by span of time. */
export const countEpisodeTimeline = operation({
  id: "countEpisodeTimeline",
  summary: "Count the timeline of an episode over time",
  description: "Counts the episode's facts and turns per hour, day, week or month of a time zone. At most 1,000 spans.",
  scope: "memory:read",
  params: UnitParams,
  query: EpisodeCountsQuery,
  reply: TimelineCounts,
  errors: ["erased"],
}, (ctx, { params, query }) => timelines.countEpisodeTimeline(ctx, params.id, query));
