/** The agents that a workspace's rows name, with the kinds of rows that name them. */
import type { AgentKind } from "../../schema/agent.ts";
import type { Tx } from "../tx.ts";

interface Source {
  readonly kind: AgentKind;
  /** The table under the alias `r`, with an index on (workspace_id, agent_id). */
  readonly table: Fragment;
  readonly firstAt: Fragment;
  readonly lastAt: Fragment;
}

type Fragment = ReturnType<Tx["sql"]>;

/** The tables whose rows name agents, for some kinds of rows. */
function sourcesOf({ sql }: Tx, kinds: readonly AgentKind[]): Source[] {
  const changing: Pick<Source, "firstAt" | "lastAt"> = { firstAt: sql`r.created_at`, lastAt: sql`r.updated_at` };
  const all: Source[] = [
    { kind: "sessions", table: sql`session r`, ...changing },
    { kind: "tasks", table: sql`task r`, ...changing },
    { kind: "events", table: sql`event r`, firstAt: sql`r.occurred_at`, lastAt: sql`r.occurred_at` },
    { kind: "reasoning", table: sql`reasoning_entry r`, ...changing },
    { kind: "playbooks", table: sql`procedural_playbook r`, ...changing },
    { kind: "selfEdits", table: sql`self_edit r`, ...changing },
  ];
  return all.filter(({ kind }) => kinds.includes(kind));
}

export interface AgentRow {
  readonly agentId: string;
  /** A count of 0 is left out. */
  readonly counts: Readonly<Partial<Record<AgentKind, number>>>;
  readonly firstSeenAt: Date;
  readonly lastSeenAt: Date;
}

export interface AgentWindow {
  /** The kinds of resources that may name an agent; at least one. */
  readonly kinds: readonly AgentKind[];
  readonly order: "asc" | "desc";
  /** The last agent of the page before. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** Agents in the order of their names. Each table's index is walked from one name to the next, then the page is counted. */
export async function listAgents(tx: Tx, { kinds, order, after, limit }: AgentWindow): Promise<AgentRow[]> {
  const { sql, workspaceId: ws } = tx;
  const way = order === "asc" ? sql`asc` : sql`desc`;
  const beyond = order === "asc" ? sql`>` : sql`<`;
  const sources = sourcesOf(tx, kinds);
  const walks = sources.map(({ table }): Fragment => {
    const next = (than: Fragment): Fragment =>
      sql`
      select r.agent_id from ${table}
       where r.workspace_id = ${ws} and r.agent_id is not null ${than} order by r.agent_id ${way} limit 1`;
    return sql`(
      with recursive walk as (
        (${next(after === undefined ? sql`` : sql`and r.agent_id ${beyond} ${after}`)})
        union all
        select (${next(sql`and r.agent_id ${beyond} w.agent_id`)}) from walk w where w.agent_id is not null
      )
      select w.agent_id from walk w where w.agent_id is not null limit ${limit})`;
  });
  const counts = sources.map(({ kind, table, firstAt, lastAt }): Fragment =>
    sql`
    select ${kind}::text as kind, count(*)::int as count, min(${firstAt}) as first_at, max(${lastAt}) as last_at
      from ${table} where r.workspace_id = ${ws} and r.agent_id = p.agent_id`
  );
  const all = (parts: readonly Fragment[]): Fragment =>
    parts.reduce((before, part) => sql`${before} union all ${part}`);
  return await sql<AgentRow[]>`
    with page as materialized (
      select distinct a.agent_id from (${all(walks)}) a order by a.agent_id ${way} limit ${limit}
    )
    select p.agent_id as "agentId", c.counts, c.first_at as "firstSeenAt", c.last_at as "lastSeenAt"
      from page p
     cross join lateral (
       select coalesce(jsonb_object_agg(n.kind, n.count) filter (where n.count > 0), '{}') as counts,
              min(n.first_at) as first_at, max(n.last_at) as last_at
         from (${all(counts)}) n) c
     where c.first_at is not null
     order by p.agent_id ${way}`;
}
