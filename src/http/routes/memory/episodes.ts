/** Episodes, version 3. Interface §4.5, decisions §6 "episodes". */
import { getEpisodeTimeline as getTimeline } from "../../../domain/episodes.ts";
import { EpisodeTimeline, EpisodeTimelineQuery } from "../../../schema/episode.ts";
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
  description: "Its facts, and the turns of its session from its start to its end, in order of time. What is gone or " +
    "above the key's clearance is left out.",
  scope: "memory:read",
  params: UnitParams,
  query: EpisodeTimelineQuery,
  response: EpisodeTimeline,
  errors: ["erased"],
}, (ctx, { params, query }) => getTimeline(ctx, params.id, query));
