/** The moments of an episode: its facts and the turns of its session, in order of time. */
import type { Tx } from "../tx.ts";
import { type MomentBounds, type MomentCount, type MomentKey, withinBounds } from "./timeline.ts";

export interface EpisodeMomentRow extends MomentKey {
  readonly type: "fact" | "turn";
}

export interface MomentWindow {
  readonly order: "asc" | "desc";
  readonly bounds: MomentBounds;
  readonly limit: number;
}

export interface EpisodeSpan {
  readonly factIds: readonly string[];
  readonly sessionId: string | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
}

/** The moments of an episode. Turns count from the episode's start to its end, both included. */
function momentsOf(tx: Tx, episode: EpisodeSpan) {
  return tx.sql`(
    select 'fact' as type, u.id, coalesce(u.occurred_at, u.valid_from, u.recorded_at) as at from unit u
     where u.workspace_id = ${tx.workspaceId} and u.type = 'fact'
       and u.id = any(${episode.factIds as string[]}::uuid[])
    union all
    select 'turn', t.id, t.occurred_at from turn t
     where t.workspace_id = ${tx.workspaceId} and t.session_id = ${episode.sessionId}
       and t.occurred_at >= ${episode.startedAt}::timestamptz
       and (${episode.endedAt}::timestamptz is null or t.occurred_at <= ${episode.endedAt}::timestamptz)
  ) m`;
}

/** Moments by time, then by id. */
export async function listEpisodeMoments(
  tx: Tx,
  episode: EpisodeSpan,
  { order, bounds, limit }: MomentWindow,
): Promise<EpisodeMomentRow[]> {
  const { sql } = tx;
  const way = order === "asc" ? sql`asc` : sql`desc`;
  return await sql<EpisodeMomentRow[]>`
    select m.type, m.id, m.at from ${momentsOf(tx, episode)}
     where true ${withinBounds(tx, bounds, sql`m.at`, sql`m.id`)}
     order by m.at ${way}, m.id ${way} limit ${limit}`;
}

/** When an episode's first and last moments were; null where it has none. */
export async function findEpisodeEnds(
  tx: Tx,
  episode: EpisodeSpan,
): Promise<{ readonly first: Date | null; readonly last: Date | null }> {
  const [row] = await tx.sql<[{ first: Date | null; last: Date | null }]>`
    select min(m.at) as first, max(m.at) as last from ${momentsOf(tx, episode)}`;
  return row;
}

/** How many moments of each type lie in each span; see `countMoments`. */
export async function countEpisodeMoments(
  tx: Tx,
  episode: EpisodeSpan,
  bounds: MomentBounds,
  starts: readonly Date[],
): Promise<MomentCount[]> {
  const { sql } = tx;
  return await sql<MomentCount[]>`
    select m.type, width_bucket(m.at, ${
    starts.map((start) => start.toISOString())
  }::timestamptz[]) as span, count(*)::int as count
      from ${momentsOf(tx, episode)}
     where true ${withinBounds(tx, bounds, sql`m.at`, sql`m.id`)}
     group by 1, 2`;
}
