/** `/v1/episodes` */
import * as episodes from "../../operations/episodes.ts";
import { alias } from "../route.ts";

export { GROUP } from "./memory/episodes.ts";

export const createEpisodeV2 = alias("post", "/episodes", episodes.createEpisode);
export const listEpisodesV2 = alias("get", "/episodes", episodes.listEpisodes);
export const getEpisodeV2 = alias("get", "/episodes/{id}", episodes.getEpisode);
export const linkEpisodeFactsV2 = alias("post", "/episodes/{id}/facts", episodes.linkEpisodeFacts);
export const forgetEpisodeV2 = alias("post", "/episodes/{id}/forget", episodes.forgetEpisode);
export const restoreEpisodeV2 = alias("post", "/episodes/{id}/restore", episodes.restoreEpisode);
