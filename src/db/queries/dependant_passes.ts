/** Statements on `dependant_pass`: passes over the dependants of units, which a worker continues. */
import type { Tx } from "../tx.ts";
import type { PassEntry, PassKind } from "./unit_sources.ts";

/**
 * Queues passes. If a pass for the same unit is queued already, it starts over from the new start.
 */
export async function queuePasses(tx: Tx, what: PassKind, entries: readonly PassEntry[]): Promise<void> {
  const rows = entries.map((entry) => ({
    source_id: entry.sourceId,
    after_id: entry.afterId,
    fallen_id: entry.fallenId,
    how: entry.how,
    fallen_sensitivity: entry.fallenSensitivity,
  })).sort((a, b) => a.source_id < b.source_id ? -1 : 1);
  await tx.sql`
    insert into dependant_pass (
      workspace_id, source_id, what, after_id, fallen_id, how, fallen_sensitivity, queued_at)
    select ${tx.workspaceId}, r.source_id, ${what}, r.after_id, r.fallen_id, r.how, r.fallen_sensitivity, ${tx.now}
      from jsonb_populate_recordset(null::dependant_pass, ${tx.sql.json(rows)}) r
        on conflict (workspace_id, source_id, what) do update set
           after_id = excluded.after_id, fallen_id = excluded.fallen_id, how = excluded.how,
           fallen_sensitivity = excluded.fallen_sensitivity, queued_at = excluded.queued_at`;
}

/** Takes the passes that wait longest out of the queue; those that another worker has taken are passed over. */
export async function takePasses(tx: Tx, limit: number): Promise<(PassEntry & { readonly what: PassKind })[]> {
  return await tx.sql<(PassEntry & { what: PassKind })[]>`
    delete from dependant_pass p
     using (select source_id, what from dependant_pass
             where workspace_id = ${tx.workspaceId}
             order by queued_at, source_id limit ${limit} for update skip locked) due
     where p.workspace_id = ${tx.workspaceId} and p.source_id = due.source_id and p.what = due.what
    returning p.source_id as "sourceId", p.what, p.after_id as "afterId", p.fallen_id as "fallenId", p.how,
              p.fallen_sensitivity as "fallenSensitivity"`;
}

/** Whether a unit that the transaction may see rests directly on one of these and is not marked yet. */
export async function hasUnmarkedDependants(tx: Tx, entries: readonly PassEntry[]): Promise<boolean> {
  const rows = await tx.sql`
    select from unnest(${entries.map((entry) => entry.sourceId)}::uuid[],
                       ${entries.map((entry) => entry.afterId)}::uuid[]) as e(source_id, after_id)
      join unit_source s
        on s.workspace_id = ${tx.workspaceId} and s.source_id = e.source_id and s.unit_id > e.after_id
      join unit u on u.workspace_id = ${tx.workspaceId} and u.id = s.unit_id and not u.stale
     limit 1`;
  return rows.length > 0;
}
