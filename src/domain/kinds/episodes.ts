/** Episodes: summaries of events, with the facts that resulted. */
import type { OperationContext } from "../../context.ts";
import { findSession } from "../../db/queries/sessions.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { findUnits } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import type { Attribution, Sensitivity } from "../../schema/common.ts";
import {
  type CreateEpisodeBody,
  type Episode,
  EPISODE_FACTS_MAX,
  type LinkFactsBody,
  type ListEpisodesQuery,
} from "../../schema/episode.ts";
import { insertUnit, prepareBody, type PreparedUnit } from "../unit/create.ts";
import { type KindPatch, labelled, textsOf, toIso, toUnit, type UnitKind } from "../unit/kind.ts";
import { openNamesOf } from "./entities/open_names.ts";
import { requireNamed, requireUnit, requireVersion, reviseUnit } from "../unit/store.ts";

/** The typed rest of an episode, as the row keeps it. */
export type EpisodeBody = {
  readonly title: string;
  readonly summary: string;
  readonly kind: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly participants: readonly string[];
  readonly factIds: readonly string[];
  readonly sessionId: string | null;
  readonly outcome: string | null;
};

export type EpisodeRow = UnitRow<EpisodeBody>;

export const EPISODES: UnitKind<EpisodeBody, CreateEpisodeBody, KindPatch, ListEpisodesQuery> = {
  type: "episode",
  called: ["title"],
  people: ["participants"],
  terms: [],
  content: ["title", "summary", "kind", "startedAt", "endedAt", "participants", "sessionId"],
  listed: ["active"],
  editable: ["active"],
  transitions: {},
  statusOf: () => "active",
  toBody(input, now) {
    const startedAt = input.startedAt === undefined ? now.toISOString() : toIso(input.startedAt);
    const endedAt = input.endedAt === undefined ? null : toIso(input.endedAt);
    if (endedAt !== null && endedAt < startedAt) {
      throw new ServiceError("validation_failed", "Cannot store the episode: it ended before it started", {
        errors: [{ path: "endedAt", message: "must not be before startedAt" }],
      });
    }
    return {
      title: input.title,
      summary: input.summary ?? "",
      kind: input.kind,
      startedAt,
      endedAt,
      participants: [...new Set(input.participants)],
      factIds: [...new Set(input.factIds)],
      sessionId: input.sessionId ?? null,
      outcome: input.outcome ?? null,
    };
  },
  // Nothing revises an episode except linking facts: the past does not change.
  patchBody: (body) => body,
  textOf: ({ title, summary, outcome }) => textsOf([title, summary, labelled("Outcome", outcome)]),
  beforeInsert: openNamesOf,
  timesOf: ({ startedAt }) => ({ occurredAt: new Date(startedAt) }),
  async checkBody(tx, { factIds, sessionId }) {
    await requireFacts(tx, factIds);
    if (sessionId === null || await findSession(tx, sessionId) !== undefined) return;
    throw new ServiceError("validation_failed", "Cannot store the episode: its session is not known", {
      errors: [{ path: "sessionId", message: "is not known" }],
    });
  },
  filterOf({ kind, sessionId, participant, factId, from, to }) {
    return {
      bodyContains: {
        ...(kind !== undefined && { kind }),
        ...(sessionId !== undefined && { sessionId }),
        ...(participant !== undefined && { participants: [participant] }),
        ...(factId !== undefined && { factIds: [factId] }),
      },
      bodyFrom: { startedAt: from === undefined ? undefined : new Date(from) },
      bodyUntil: { startedAt: to === undefined ? undefined : new Date(to) },
    };
  },
};

/** @throws ServiceError `validation_failed` when an id is not that of a visible fact. */
async function requireFacts(tx: Tx, ids: readonly string[]): Promise<void> {
  const rows = ids.length === 0 ? [] : await findUnits(tx, ids, { type: "fact", lock: "share" });
  requireNamed(new Map(rows.map((row) => [row.id, row])), ids, "factIds");
}

/** A writer's statement about a new episode, without the facts, which may be made together with it. */
export interface NewEpisode {
  readonly body: Omit<EpisodeBody, "factIds">;
  readonly attribution: Attribution;
  readonly confidence: number;
  readonly sensitivity: Sensitivity;
  readonly tags: readonly string[];
}

export type PreparedEpisode = PreparedUnit<EpisodeBody>;

/** Analyses and embeds an episode, without the database. */
export async function prepareEpisode(ctx: OperationContext, episode: NewEpisode): Promise<PreparedEpisode> {
  const { body, tags, ...said } = episode;
  const input = { ...said, tags: [...tags], metadata: {}, pinned: false, derivedFrom: [] };
  return await prepareBody(ctx, EPISODES, input, { ...body, factIds: [] }, "active");
}

/** Stores a prepared episode with its facts in an open transaction. */
export async function writeEpisode(
  ctx: OperationContext,
  tx: Tx,
  episode: PreparedEpisode,
  factIds: readonly string[],
): Promise<EpisodeRow> {
  return await insertUnit(ctx, tx, EPISODES, { ...episode, body: { ...episode.body, factIds } });
}

/**
 * Links facts to an episode; earlier links stay, and linking a fact again makes no version.
 * @throws ServiceError `not_found`, `erased`, `version_mismatch`, `validation_failed`; `invalid_transition` when it is
 * archived.
 */
export async function linkFacts(
  ctx: OperationContext,
  id: string,
  { factIds, reason }: LinkFactsBody,
  ifMatch: number | undefined,
): Promise<Episode> {
  return await ctx.tx(async (tx) => {
    const episode = await requireUnit<EpisodeBody>(tx, "episode", id, { lock: "update" });
    requireVersion(episode, ifMatch);
    if (episode.status !== "active") {
      throw new ServiceError("invalid_transition", `Cannot link facts: the episode is ${episode.status}`);
    }
    await requireFacts(tx, factIds);
    const { body } = episode;
    const linked = [...new Set([...body.factIds, ...factIds])];
    if (linked.length === body.factIds.length) return toUnit<Episode>(episode);
    if (linked.length > EPISODE_FACTS_MAX) {
      throw new ServiceError("validation_failed", `Cannot link facts: an episode has at most ${EPISODE_FACTS_MAX}`, {
        errors: [{ path: "factIds", message: `the episode would have ${linked.length}` }],
      });
    }
    const note = { event: "linked", reason: reason ?? null };
    return toUnit<Episode>(await reviseUnit(tx, episode, { body: { ...body, factIds: linked } }, note));
  });
}
