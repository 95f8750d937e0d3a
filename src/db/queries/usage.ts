/** Counters of use: of workspaces by day, and of units. */
import type { Tx } from "../tx.ts";

/** Adds to the workspace's counters of the day. */
export async function addUsage(tx: Tx, counts: Readonly<Record<string, number>>): Promise<void> {
  const names = Object.keys(counts).sort();
  await tx.sql`
    insert into usage_counter as c (workspace_id, day, name, value)
    select ${tx.workspaceId}, ${tx.now}::timestamptz::date, n.name, n.value
      from unnest(${names}::text[], ${names.map((name) => counts[name])}::bigint[]) as n(name, value)
        on conflict (workspace_id, day, name) do update set value = c.value + excluded.value`;
}

/** Adds uses to units, without a new version and without waiting: rows that are being written are passed over. */
export async function addUses(tx: Tx, uses: ReadonlyMap<string, number>): Promise<void> {
  const ids = [...uses.keys()].sort();
  await tx.sql`
    update unit u set use_count = u.use_count + n.uses, last_used_at = ${tx.now}
      from (select w.id, w.uses
              from unnest(${ids}::uuid[], ${ids.map((id) => uses.get(id)!)}::int[]) as w(id, uses)
              join unit l on l.workspace_id = ${tx.workspaceId} and l.id = w.id
               for update of l skip locked) as n
     where u.workspace_id = ${tx.workspaceId} and u.id = n.id`;
}
