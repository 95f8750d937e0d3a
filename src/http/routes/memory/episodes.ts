/** `/v1/memory/episodes` */
import * as episodes from "../../../operations/episodes.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Episodes",
  section: "Knowledge",
  description: "What happened, with the facts that resulted, and its timeline.",
};

export const createEpisode = route("post", "/memory/episodes", episodes.createEpisode);
export const listEpisodes = route("get", "/memory/episodes", episodes.listEpisodes);
export const getEpisode = route("get", "/memory/episodes/{id}", episodes.getEpisode);
export const linkEpisodeFacts = route("post", "/memory/episodes/{id}/facts", episodes.linkEpisodeFacts);
export const createEpisodes = route("post", "/memory/episodes/batch", episodes.createEpisodes);
export const archiveEpisode = route("delete", "/memory/episodes/{id}", episodes.archiveEpisode);
export const forgetEpisode = route("post", "/memory/episodes/{id}/forget", episodes.forgetEpisode);
export const restoreEpisode = route("post", "/memory/episodes/{id}/restore", episodes.restoreEpisode);
export const listEpisodeRevisions = route("get", "/memory/episodes/{id}/revisions", episodes.listEpisodeRevisions);
export const getEpisodeTimeline = route("get", "/memory/episodes/{id}/timeline", episodes.getEpisodeTimeline);
export const countEpisodeTimeline = route(
  "get",
  "/memory/episodes/{id}/timeline/counts",
  episodes.countEpisodeTimeline,
);
