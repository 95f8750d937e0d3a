/** Episodes: what happened, told in a summary, with the facts that came of it. Decisions §3, interface §4.5. */
import type { OperationContext } from "../../context.ts";
import {
  countEpisodeMoments,
  type EpisodeMomentRow,
  findEpisodeEnds,
  listEpisodeMoments,
} from "../../db/queries/episode_moments.ts";
import { findSession } from "../../db/queries/sessions.ts";
import { findTurns } from "../../db/queries/turns.ts";
import { findUnits } from "../../db/queries/units.ts";
import type { Tx } from "../../db/scope.ts";
import { ServiceError } from "../../errors.ts";
import { type Attribution, clampTime, type Sensitivity } from "../../schema/common.ts";
import {
  type CreateEpisodeBody,
  type Episode,
  EPISODE_FACTS_MAX,
  type EpisodeCountsQuery,
  type EpisodeMoment,
  type EpisodeTimeline,
  type EpisodeTimelineQuery,
  type LinkFactsBody,
  type ListEpisodesQuery,
} from "../../schema/episode.ts";
import { decodeCursor, encodeCursor, toPage } from "../common/cursor.ts";
import { toTurn } from "../common/turn.ts";
import { type FactRow, toFact } from "./facts/fields.ts";
import {
  insertUnit,
  type KindPatch,
  labelled,
  prepareBody,
  type PreparedUnit,
  textsOf,
  toIso,
  toUnit,
  type UnitKind,
} from "../unit/mod.ts";
import {
  beyondPage,
  fromMomentKey,
  isMomentKey,
  readBounds,
  readSpans,
  requireZone,
  toCounts,
  toMomentKey,
} from "../timeline/window.ts";
import type { TimelineCounts } from "../../schema/timeline.ts";
import { openNamesOf } from "./entities/open_names.ts";
import { requireNamed, requireUnit, requireVersion, reviseUnit, type UnitRow } from "../unit/store.ts";

/** The typed rest of an episode, as the row keeps it. */
export interface EpisodeBody {
  readonly title: string;
  readonly summary: string;
  readonly kind: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly participants: readonly string[];
  readonly factIds: readonly string[];
  readonly sessionId: string | null;
  readonly outcome: string | null;
}

export type EpisodeRow = UnitRow<EpisodeBody>;

export const EPISODES: UnitKind<EpisodeBody, CreateEpisodeBody, KindPatch, ListEpisodesQuery> = {
  type: "episode",
  people: ["participants"],
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
  // Nothing revises an episode but linking facts: what happened has happened.
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

/** What a writer says about a new episode, but for the facts, which may be made with it. */
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
 * Links facts to an episode; those that it has already are kept, and a link twice makes no version.
 * @throws ServiceError `not_found`, `erased`, `version_mismatch`, `validation_failed`; `invalid_transition` when it is
 *   archived.
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

/**
 * What happened in an episode in order of time: its facts, and the turns of its session while it lasted. Facts that are
 * gone or above the key's clearance are left out.
 * @throws ServiceError `not_found`, `erased`
 */
export async function getEpisodeTimeline(
  ctx: OperationContext,
  id: string,
  query: EpisodeTimelineQuery,
): Promise<EpisodeTimeline> {
  const { limit, order } = query;
  const list = `moments:${id}`;
  const key = decodeCursor(list, order, query.cursor, isMomentKey);
  return await ctx.tx(async (tx) => {
    const episode = await requireUnit<EpisodeBody>(tx, "episode", id);
    const asked = await readBounds(tx, query);
    const bounds = beyondPage(asked, order, key === undefined ? undefined : fromMomentKey(key));
    const moments = await listEpisodeMoments(tx, episode.body, { order, bounds, limit: limit + 1 });
    const show = await readMoments(tx, moments.slice(0, limit));
    const page = toPage(moments, limit, show, (row) => encodeCursor(list, order, toMomentKey(row)));
    return { episode: toUnit<Episode>(episode), ...page };
  }, { readOnly: true });
}

/**
 * How much of each type happened in an episode in each span of the calendar, from its first moment to its last unless
 * asked otherwise.
 * @throws ServiceError `not_found`, `erased`; `validation_failed` for an unknown time zone or too many spans
 */
export async function countEpisodeTimeline(
  ctx: OperationContext,
  id: string,
  query: EpisodeCountsQuery,
): Promise<TimelineCounts> {
  return await ctx.tx(async (tx) => {
    const { body } = await requireUnit<EpisodeBody>(tx, "episode", id);
    const { first, last } = await findEpisodeEnds(tx, body);
    const from = query.from ?? first?.toISOString();
    // Times are kept in whole milliseconds, so this is right after the last moment.
    const to = query.to ?? (last === null ? undefined : new Date(clampTime(last.getTime() + 1)).toISOString());
    const { bucket, timeZone } = query;
    requireZone(timeZone);
    if (from === undefined || to === undefined) return { bucket, timeZone, from: null, to: null, total: 0, data: [] };
    const spans = readSpans({ bucket, timeZone, from, to }, tx.now);
    return toCounts(spans, await countEpisodeMoments(tx, body, { from: spans.from, to: spans.to }, spans.starts));
  }, { readOnly: true });
}

async function readMoments(
  tx: Tx,
  rows: readonly EpisodeMomentRow[],
): Promise<(row: EpisodeMomentRow) => EpisodeMoment> {
  const idsOf = (type: string) => rows.filter((row) => row.type === type).map((row) => row.id);
  const [facts, turns] = await Promise.all([
    findUnits(tx, idsOf("fact"), { type: "fact" }),
    findTurns(tx, idsOf("turn")),
  ]);
  const factsById = new Map(facts.map((row) => [row.id, row as unknown as FactRow]));
  const turnsById = new Map(turns.map((row) => [row.id, row]));
  return ({ type, id, at }) =>
    type === "fact"
      ? { type, at: at.toISOString(), fact: toFact(factsById.get(id)!, tx.now) }
      : { type, at: at.toISOString(), turn: toTurn(turnsById.get(id)!) };
}
