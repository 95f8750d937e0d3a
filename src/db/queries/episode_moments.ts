/** What happened in an episode: its facts and the turns of its session, in order of time. */
import type { Tx } from "../scope.ts";

export interface MomentKey {
  readonly at: Date;
  readonly id: string;
}

export interface EpisodeMomentRow extends MomentKey {
  readonly type: "fact" | "turn";
}

export interface MomentWindow {
  readonly order: "asc" | "desc";
  /** The last moment of the page before. */
  readonly after: MomentKey | undefined;
  readonly limit: number;
}

/** Moments by time, then by id. Turns count from the episode's start to its end, both included. */
export async function listEpisodeMoments(
  tx: Tx,
  episode: {
    readonly factIds: readonly string[];
    readonly sessionId: string | null;
    readonly startedAt: string;
    readonly endedAt: string | null;
  },
  { order, after, limit }: MomentWindow,
): Promise<EpisodeMomentRow[]> {
  const { sql } = tx;
  const beyond = after === undefined
    ? sql``
    : order === "asc"
    ? sql`where (m.at, m.id) > (${after.at}, ${after.id}::uuid)`
    : sql`where (m.at, m.id) < (${after.at}, ${after.id}::uuid)`;
  return await sql<EpisodeMomentRow[]>`
    select m.type, m.id, m.at from (
      select 'fact' as type, u.id, coalesce(u.occurred_at, u.valid_from, u.recorded_at) as at from unit u
       where u.workspace_id = ${tx.workspaceId} and u.type = 'fact'
         and u.id = any(${episode.factIds as string[]}::uuid[])
      union all
      select 'turn', t.id, t.occurred_at from turn t
       where t.workspace_id = ${tx.workspaceId} and t.session_id = ${episode.sessionId}
         and t.occurred_at >= ${episode.startedAt}::timestamptz
         and (${episode.endedAt}::timestamptz is null or t.occurred_at <= ${episode.endedAt}::timestamptz)
    ) m ${beyond}
     order by m.at ${order === "asc" ? sql`asc` : sql`desc`}, m.id ${order === "asc" ? sql`asc` : sql`desc`}
     limit ${limit}`;
}
