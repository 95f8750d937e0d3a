/**
 * Pages of everything that a workspace holds, as an export reads them: keyset by id, each page in a transaction of its own.
 *
 * An export shows the workspace at one point of the change feed, which is written in the order in which changes become
 * visible: what was made after `seq` is left out, and of a unit the versions that came after it. `asOf` looks further back.
 */
import type { LiveMembers } from "../../schema/transfer_lines.ts";
import type { Sql, Tx } from "../scope.ts";
import type { PlainTable } from "./imports.ts";

export interface ExportView {
  /** The last entry of the change feed that the export holds. */
  readonly seq: number;
  /** The time whose state is asked for; null: that of `seq`. */
  readonly asOf: Date | null;
}

/** Whether a resource was there at the export's point: its first change is not after it. */
function wasThere(tx: Tx, view: ExportView, id: ReturnType<Sql>) {
  return tx.sql`
    not exists (select from change later
                 where later.workspace_id = ${tx.workspaceId} and later.resource_id = ${id}
                   and later.seq > ${view.seq}
                   and not exists (select from change earlier
                                    where earlier.workspace_id = ${tx.workspaceId} and earlier.resource_id = ${id}
                                      and earlier.seq <= ${view.seq}))`;
}

function until(tx: Tx, view: ExportView, column: ReturnType<Sql>) {
  return view.asOf === null ? tx.sql`true` : tx.sql`${column} <= ${view.asOf}`;
}

export interface RevisionKey {
  readonly id: string;
  readonly version: number;
}

export interface ExportedRevision {
  readonly id: string;
  readonly version: number;
  readonly event: string;
  readonly reason: string | null;
  readonly recordedAt: Date;
  readonly replacedAt: Date | null;
  readonly changedBy: string;
  /** A row of `unit` by its column names. */
  readonly snapshot: Readonly<Record<string, unknown>>;
  /** Of the version in force now: what changes without a new version, as it is. */
  readonly live: LiveMembers | null;
}

/** Units of a type after a key, in the order of their ids: what a page may be made of. */
export async function listUnitIds(
  tx: Tx,
  type: string,
  after: RevisionKey | undefined,
  limit: number,
): Promise<string[]> {
  const { sql } = tx;
  const rows = await sql<{ id: string }[]>`
    select id from unit
     where workspace_id = ${tx.workspaceId} and type = ${type}
       ${after === undefined ? sql`` : sql`and id >= ${after.id}`}
     order by id limit ${limit}`;
  return rows.map((row) => row.id);
}

/**
 * Versions of some units, by id and version. The last one that the view holds counts as the one in force. Of the version
 * that is in force now, what changes without a new version comes beside it.
 */
export async function listUnitRevisions(
  tx: Tx,
  view: ExportView,
  ids: readonly string[],
  after: RevisionKey | undefined,
  limit: number,
): Promise<ExportedRevision[]> {
  const { sql, workspaceId } = tx;
  const beyond = after === undefined ? sql`` : sql`and (u.id > ${after.id} or r.version > ${after.version})`;
  const known = view.asOf === null ? sql`` : sql`
    cross join lateral (
      select least(seen.version, coalesce(max(p.version), 0)) as version from unit_revision p
       where p.workspace_id = ${workspaceId} and p.id = u.id and p.recorded_at <= ${view.asOf}) as past`;
  const last = view.asOf === null ? sql`seen.version` : sql`past.version`;
  return await sql<ExportedRevision[]>`
    select r.id, r.version, r.event, r.reason, r.recorded_at as "recordedAt",
           case when r.version < ${last} then r.replaced_at end as "replacedAt", r.changed_by as "changedBy",
           r.snapshot,
           case when r.version = u.version and ${view.asOf === null}
                then jsonb_build_object(
                       'trustScore', u.trust_score, 'trustCap', u.trust_cap, 'worth', u.worth, 'stale', u.stale,
                       'entityIds', to_jsonb(u.entity_ids), 'corroborationCount', u.corroboration_count) end as live
      from unnest(${ids as string[]}::uuid[]) as page(id)
      join unit u on u.workspace_id = ${workspaceId} and u.id = page.id
     cross join lateral (
       select case when exists (select from change c
                                 where c.workspace_id = ${workspaceId} and c.resource_id = u.id and c.seq > ${view.seq})
                   then coalesce((select max(c.version) from change c
                                   where c.workspace_id = ${workspaceId} and c.resource_id = u.id
                                     and c.seq <= ${view.seq}), 0)
                   else u.version end as version) as seen
     ${known}
     cross join lateral (
       select * from unit_revision v
        where v.workspace_id = ${workspaceId} and v.id = page.id and v.version <= ${last} offset 0) r
     where true ${beyond}
     order by r.id, r.version limit ${limit}`;
}

/** A row as JSON with the table's column names; times are texts. */
export type JsonRow = Readonly<Record<string, unknown>>;

/** A table, and what an export of the past takes a row by: when it was made or (tasks have no history) last changed. */
function plainTable(
  sql: Sql,
  table: PlainTable,
): { readonly from: ReturnType<Sql>; readonly writtenAt: ReturnType<Sql> } {
  switch (table) {
    case "event":
      return { from: sql`event`, writtenAt: sql`t.recorded_at` };
    case "review_item":
      return { from: sql`review_item`, writtenAt: sql`t.created_at` };
    case "session":
      return { from: sql`session`, writtenAt: sql`t.created_at` };
    case "task":
      return { from: sql`task`, writtenAt: sql`t.updated_at` };
  }
}

/** Rows as they are, by id. */
export async function listPlainRows(
  tx: Tx,
  table: PlainTable,
  view: ExportView,
  after: string | undefined,
  limit: number,
): Promise<JsonRow[]> {
  const { sql } = tx;
  const { from, writtenAt } = plainTable(sql, table);
  const rows = await sql<{ row: JsonRow }[]>`
    select to_jsonb(t) as row from ${from} t
     where t.workspace_id = ${tx.workspaceId} ${after === undefined ? sql`` : sql`and t.id > ${after}`}
       and ${wasThere(tx, view, sql`t.id`)} and ${until(tx, view, writtenAt)}
     order by t.id limit ${limit}`;
  return rows.map(({ row }) => row);
}

/** Rows without history that were there at a time and were changed since: an export of that time leaves them out. */
export async function countChangedSince(tx: Tx, table: "relation" | "task", asOf: Date): Promise<number> {
  const { sql } = tx;
  const [row] = await sql<[{ n: number }]>`
    select count(*)::int as n from ${table === "task" ? sql`task` : sql`relation`}
     where workspace_id = ${tx.workspaceId} and created_at <= ${asOf} and updated_at > ${asOf}`;
  return row.n;
}

export interface TurnKey {
  readonly sessionId: string;
  readonly position: number;
}

/** Turns by session and position. */
export async function listTurnsToExport(
  tx: Tx,
  view: ExportView,
  after: TurnKey | undefined,
  limit: number,
): Promise<JsonRow[]> {
  const { sql } = tx;
  const beyond = after === undefined
    ? sql``
    : sql`and (t.session_id, t.position) > (${after.sessionId}::uuid, ${after.position}::int)`;
  const rows = await sql<{ row: JsonRow }[]>`
    select to_jsonb(t) as row from turn t
     where t.workspace_id = ${tx.workspaceId} ${beyond}
       and ${wasThere(tx, view, sql`t.id`)} and ${until(tx, view, sql`t.recorded_at`)}
     order by t.session_id, t.position limit ${limit}`;
  return rows.map(({ row }) => row);
}

export interface ExportedRelation {
  readonly row: JsonRow;
  /** In their places; the units that were named. */
  readonly ends: { readonly role: string; readonly id: string }[];
}

/** Relations have no history: with `asOf`, those that were changed since are left out. */
export async function listRelationsToExport(
  tx: Tx,
  view: ExportView,
  after: string | undefined,
  limit: number,
): Promise<ExportedRelation[]> {
  const { sql } = tx;
  return await sql<ExportedRelation[]>`
    select to_jsonb(r) as row,
           (select jsonb_agg(jsonb_build_object('role', p.role, 'id', p.unit_id) order by p.place)
              from relation_participant p
             where p.workspace_id = r.workspace_id and p.relation_id = r.id) as ends
      from relation r
     where r.workspace_id = ${tx.workspaceId} ${after === undefined ? sql`` : sql`and r.id > ${after}`}
       and ${wasThere(tx, view, sql`r.id`)} and ${until(tx, view, sql`r.updated_at`)}
     order by r.id limit ${limit}`;
}

export interface DependencyKey {
  readonly taskId: string;
  readonly dependsOn: string;
}

/** What tasks depend on, of the tasks that are exported. */
export async function listDependenciesToExport(
  tx: Tx,
  view: ExportView,
  after: DependencyKey | undefined,
  limit: number,
): Promise<DependencyKey[]> {
  const { sql } = tx;
  const beyond = after === undefined
    ? sql``
    : sql`and (d.task_id, d.depends_on) > (${after.taskId}::uuid, ${after.dependsOn}::uuid)`;
  return await sql<DependencyKey[]>`
    select d.task_id as "taskId", d.depends_on as "dependsOn" from task_dependency d
      join task t on t.workspace_id = d.workspace_id and t.id = d.task_id
      join task o on o.workspace_id = d.workspace_id and o.id = d.depends_on
     where d.workspace_id = ${tx.workspaceId} ${beyond}
       and ${wasThere(tx, view, sql`t.id`)} and ${until(tx, view, sql`t.updated_at`)}
       and ${wasThere(tx, view, sql`o.id`)} and ${until(tx, view, sql`o.updated_at`)}
     order by d.task_id, d.depends_on limit ${limit}`;
}

/** The deletion log, as far as the clearance may know of it. */
export async function listDeletionsToExport(
  tx: Tx,
  view: ExportView,
  after: string | undefined,
  limit: number,
): Promise<JsonRow[]> {
  const { sql } = tx;
  const rows = await sql<{ row: JsonRow }[]>`
    select to_jsonb(d) as row from deletion_log d
     where d.workspace_id = ${tx.workspaceId} ${after === undefined ? sql`` : sql`and d.resource_id > ${after}`}
       and d.sensitivity <= ${tx.maxSensitivity}::sensitivity and ${until(tx, view, sql`d.erased_at`)}
     order by d.resource_id limit ${limit}`;
  return rows.map(({ row }) => row);
}
