/** The timeline of one episode: its facts, and the turns of its session while it lasted. */
import type { OperationContext } from "../../context.ts";
import {
  countEpisodeMoments,
  type EpisodeMomentRow,
  findEpisodeEnds,
  listEpisodeMoments,
} from "../../db/queries/episode_moments.ts";
import { findTurns } from "../../db/queries/turns.ts";
import { findUnits } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import { clampTime } from "../../schema/common.ts";
import type {
  Episode,
  EpisodeCountsQuery,
  EpisodeMoment,
  EpisodeTimeline,
  EpisodeTimelineQuery,
} from "../../schema/episode.ts";
import type { TimelineCounts } from "../../schema/timeline.ts";
import { decodeCursor, encodeCursor, toPage } from "../common/cursor.ts";
import { toTurn } from "../common/turn.ts";
import type { EpisodeBody } from "../kinds/episodes.ts";
import { type FactBody, toFact } from "../kinds/facts/fields.ts";
import { toUnit } from "../unit/kind.ts";
import { requireUnit } from "../unit/store.ts";
import {
  beyondPage,
  fromMomentKey,
  isMomentKey,
  readBounds,
  readSpans,
  requireZone,
  toCounts,
  toMomentKey,
} from "./window.ts";

/**
 * Lists the moments of an episode in order of time: its facts, and the turns of its session while it lasted. Facts that
 * are erased or above the key's clearance are left out.
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
    const asked = await readBounds(ctx, tx, query);
    const bounds = beyondPage(asked, order, key === undefined ? undefined : fromMomentKey(key));
    const moments = await listEpisodeMoments(tx, episode.body, { order, bounds, limit: limit + 1 });
    const show = await readMoments(tx, moments.slice(0, limit));
    const page = toPage(moments, limit, show, (row) => encodeCursor(list, order, toMomentKey(row)));
    return { episode: toUnit<Episode>(episode), ...page };
  }, { readOnly: true, fromReplica: true });
}

/**
 * Counts the moments of an episode by type and span of the calendar, from its first moment to its last unless the
 * caller asks otherwise.
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
  }, { readOnly: true, fromReplica: true });
}

async function readMoments(
  tx: Tx,
  rows: readonly EpisodeMomentRow[],
): Promise<(row: EpisodeMomentRow) => EpisodeMoment> {
  const idsOf = (type: string) => rows.filter((row) => row.type === type).map((row) => row.id);
  const [facts, turns] = await Promise.all([
    findUnits<FactBody>(tx, idsOf("fact"), { type: "fact" }),
    findTurns(tx, idsOf("turn")),
  ]);
  const factsById = new Map(facts.map((row) => [row.id, row]));
  const turnsById = new Map(turns.map((row) => [row.id, row]));
  return ({ type, id, at }) =>
    type === "fact"
      ? { type, at: at.toISOString(), fact: toFact(factsById.get(id)!, tx.now) }
      : { type, at: at.toISOString(), turn: toTurn(turnsById.get(id)!) };
}
