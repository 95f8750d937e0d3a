/** The chain of decisions that replaced each other. */
import type { Tx } from "../tx.ts";

/** At most this many decisions are followed in each direction. */
export const CHAIN_REACH = 1_000;

export interface ChainLink {
  readonly id: string;
  /** Steps from the decision asked for: negative for what came before it. */
  readonly place: number;
  readonly status: string;
}

/** The visible chain around a decision, the oldest first; it ends where a link is not visible. */
export async function findDecisionChain(tx: Tx, id: string): Promise<ChainLink[]> {
  return await tx.sql<ChainLink[]>`
    with recursive link as (
      select u.id, u.status, u.body, 0 as place, 0 as step from unit u
       where u.workspace_id = ${tx.workspaceId} and u.type = 'decision' and u.id = ${id}
      union all
      select n.id, n.status, n.body, l.place + d.step, d.step
        from link l
       cross join lateral (
         values (-1, (l.body ->> 'supersedes')::uuid), (1, (l.body ->> 'supersededBy')::uuid)) as d(step, id)
        join unit n on n.workspace_id = ${tx.workspaceId} and n.type = 'decision' and n.id = d.id
       where l.step in (0, d.step) and abs(l.place) < ${CHAIN_REACH}
    )
    select id, place, status from link order by place`;
}
