/** Episodes, version 2: the same capability as `/v1/memory/episodes`. Interface §2.1, decisions §6 "episodes". */
import { episodeFace, linkFactsEndpoint } from "../episode_endpoints.ts";
import { createEndpoint, forgetEndpoint, getEndpoint, listEndpoint, restoreEndpoint } from "../unit_endpoints.ts";

const face = episodeFace("/episodes", "V2");

export const createEpisodeV2 = createEndpoint(face);
export const listEpisodesV2 = listEndpoint(face);
export const getEpisodeV2 = getEndpoint(face);
export const linkEpisodeFactsV2 = linkFactsEndpoint(face);
export const forgetEpisodeV2 = forgetEndpoint(face);
export const restoreEpisodeV2 = restoreEndpoint(face);
