/** Episodes, version 3. Interface §4.5, decisions §6 "episodes". */
import {
  countEpisodeTimeline as countTimeline,
  getEpisodeTimeline as getTimeline,
} from "../../../domain/timeline/episode.ts";
import { TimelineCounts } from "../../../schema/timeline.ts";
import { EpisodeCountsQuery, EpisodeTimeline, EpisodeTimelineQuery } from "../../../schema/episode.ts";
import { UnitParams } from "../../../schema/unit.ts";
import { endpoint } from "../../endpoint.ts";
import { episodeFace, linkFactsEndpoint } from "../../episode_endpoints.ts";
import {
  archiveEndpoint,
  createEndpoint,
  createManyEndpoint,
  forgetEndpoint,
  getEndpoint,
  listEndpoint,
  restoreEndpoint,
  revisionsEndpoint,
} from "../../unit_endpoints.ts";

const face = episodeFace("/memory/episodes", "");

export const createEpisode = createEndpoint(face);
export const listEpisodes = listEndpoint(face);
export const getEpisode = getEndpoint(face);
export const linkEpisodeFacts = linkFactsEndpoint(face);
export const createEpisodes = createManyEndpoint(face);
export const archiveEpisode = archiveEndpoint(face);
export const forgetEpisode = forgetEndpoint(face);
export const restoreEpisode = restoreEndpoint(face);
export const listEpisodeRevisions = revisionsEndpoint(face);

/** What happened in an episode in order of time. */
export const getEpisodeTimeline = endpoint({
  method: "get",
  path: "/memory/episodes/{id}/timeline",
  operationId: "getEpisodeTimeline",
  summary: "Read the timeline of an episode",
  description:
    "Its facts, and the turns of its session from its start to its end, in order of time; `after` and `before` take a time or the id of a moment. What is gone or " +
    "above the key's clearance is left out.",
  scope: "memory:read",
  params: UnitParams,
  query: EpisodeTimelineQuery,
  response: EpisodeTimeline,
  errors: ["erased"],
}, (ctx, { params, query }) => getTimeline(ctx, params.id, query));

/** How much happened in an episode when. */
export const countEpisodeTimeline = endpoint({
  method: "get",
  path: "/memory/episodes/{id}/timeline/counts",
  operationId: "countEpisodeTimeline",
  summary: "Count the timeline of an episode over time",
  description: "Its facts and turns in each hour, day, week or month of a time zone. At most 1,000 spans.",
  scope: "memory:read",
  params: UnitParams,
  query: EpisodeCountsQuery,
  response: TimelineCounts,
  errors: ["erased"],
}, (ctx, { params, query }) => countTimeline(ctx, params.id, query));
