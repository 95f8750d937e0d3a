/** Episodes in two faces, `/v1/episodes` and `/v1/memory/episodes`: one description of both. */
import { EPISODES, linkFacts } from "../domain/kinds/episodes.ts";
import { CreateEpisodeBody, Episode, EpisodePage, LinkFactsBody, ListEpisodesQuery } from "../schema/episode.ts";
import { UnitParams } from "../schema/unit.ts";
import { endpoint } from "./endpoint.ts";
import type { KeptFace } from "./unit_endpoints.ts";

/** The face at `path`; `suffix` sets its operation ids apart. Episodes are not revised: there is no update. */
export function episodeFace(path: `/${string}`, suffix: string): KeptFace {
  return {
    kind: EPISODES,
    path,
    one: `Episode${suffix}`,
    many: `Episodes${suffix}`,
    article: "an episode",
    plural: "episodes",
    unit: Episode,
    page: EpisodePage,
    createBody: CreateEpisodeBody,
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
}

/** `POST path/{id}/facts` */
export function linkFactsEndpoint({ path, one }: KeptFace) {
  return endpoint({
    method: "post",
    path: `${path}/{id}/facts`,
    operationId: `link${one.replace("Episode", "EpisodeFacts")}`,
    summary: "Link facts to an episode",
    description: "Facts that it has already stay as they are; a link twice makes no version.",
    scope: "memory:write",
    params: UnitParams,
    body: LinkFactsBody,
    response: Episode,
    versioned: true,
    errors: ["erased", "invalid_transition", "version_mismatch"],
    example: { body: { factIds: ["0195c1a0-0000-7000-8000-000000000001"], reason: "agreed there" } },
  }, (ctx, { params, body, ifMatch }) => linkFacts(ctx, params.id, body, ifMatch));
}
