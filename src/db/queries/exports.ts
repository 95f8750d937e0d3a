/**
 * Pages of everything that a workspace holds, for exports: keyset by id, each page in a transaction of its own.
 *
 * An export shows the workspace at one point of the change feed, which is written in the order in which changes become
 * visible. It leaves out resources that were created after `seq`, and later versions of units. `asOf` goes further
 * back, for units, tasks and relations by their history.
 */
import type { LiveMembers } from "../../schema/transfer_lines.ts";
import type { Sql, Tx } from "../tx.ts";
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
  /** Only for the version in force now: current values of the members that change without a new version. */
  readonly live: LiveMembers | null;
}

/** Lists the ids of units of a type after a key, in order; pages are made of them. */
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
 * Versions of some units, by id and version. The last one in the view counts as the one in force. If it is in
 * force now, it comes with the members that change without a new version.
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

function tableName({ sql }: Tx, table: "relation" | "task"): ReturnType<Sql> {
  return table === "task" ? sql`task` : sql`relation`;
}

/**
 * A table whose rows `t` have a history, with `seen.row`, the row as the view holds it; if that is not known, `t` is
 * left out. A row of the past has the columns of its time.
 */
function withHistory(tx: Tx, view: ExportView, table: "relation" | "task"): ReturnType<Sql> {
  const { sql } = tx;
  const { asOf } = view;
  const from = tableName(tx, table);
  const revisions = table === "task" ? sql`task_revision` : sql`relation_revision`;
  if (asOf === null) return sql`${from} t cross join lateral (select to_jsonb(t) as row) seen`;
  // The state that was replaced first after `asOf`; it may have begun after it, if an earlier one was not kept.
  return sql`${from} t cross join lateral (
    select to_jsonb(t) as row where t.updated_at <= ${asOf}
     union all
    select past.row
      from (select r.row, r.written_at from ${revisions} r
             where t.updated_at > ${asOf} and r.workspace_id = ${tx.workspaceId} and r.id = t.id
               and r.replaced_at > ${asOf}
             order by r.replaced_at, r.version limit 1) past
     where past.written_at <= ${asOf}) seen`;
}

/** A table, the form in which its rows are read, and the time by which an export of the past selects rows. */
function plainTable(
  tx: Tx,
  view: ExportView,
  table: PlainTable,
): { readonly from: ReturnType<Sql>; readonly row: ReturnType<Sql>; readonly madeAt: ReturnType<Sql> } {
  const { sql } = tx;
  switch (table) {
    case "event":
      return { from: sql`event t`, row: sql`to_jsonb(t)`, madeAt: sql`t.recorded_at` };
    case "review_item":
      return { from: sql`review_item t`, row: sql`to_jsonb(t)`, madeAt: sql`t.created_at` };
    case "session":
      return { from: sql`session t`, row: sql`to_jsonb(t)`, madeAt: sql`t.created_at` };
    case "task":
      return { from: withHistory(tx, view, "task"), row: sql`seen.row`, madeAt: sql`t.created_at` };
  }
}

/** Lists rows by id: as they were if the table has a history, otherwise as they are. */
export async function listPlainRows(
  tx: Tx,
  table: PlainTable,
  view: ExportView,
  after: string | undefined,
  limit: number,
): Promise<JsonRow[]> {
  const { sql } = tx;
  const { from, row, madeAt } = plainTable(tx, view, table);
  const rows = await sql<{ row: JsonRow }[]>`
    select ${row} as row from ${from}
     where t.workspace_id = ${tx.workspaceId} ${after === undefined ? sql`` : sql`and t.id > ${after}`}
       and ${wasThere(tx, view, sql`t.id`)} and ${until(tx, view, madeAt)}
     order by t.id limit ${limit}`;
  return rows.map(({ row }) => row);
}

/**
 * Counts rows that existed at a time but whose state at that time is unknown or invisible; an export leaves them out.
 */
export async function countUnknownAt(tx: Tx, table: "relation" | "task", asOf: Date): Promise<number> {
  const { sql } = tx;
  const [row] = await sql<[{ n: number }]>`
    select count(*)::int as n from ${tableName(tx, table)} now
     where now.workspace_id = ${tx.workspaceId} and now.created_at <= ${asOf} and now.updated_at > ${asOf}
       and not exists (select from ${withHistory(tx, { seq: 0, asOf }, table)}
                        where t.workspace_id = ${tx.workspaceId} and t.id = now.id)`;
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
  /** The units that the relation names, in the order of their places. */
  readonly ends: { readonly role: string; readonly id: string }[];
}

/** Relations as they were, by id. Their ends never change. */
export async function listRelationsToExport(
  tx: Tx,
  view: ExportView,
  after: string | undefined,
  limit: number,
): Promise<ExportedRelation[]> {
  const { sql } = tx;
  return await sql<ExportedRelation[]>`
    select seen.row,
           (select jsonb_agg(jsonb_build_object('role', p.role, 'id', p.unit_id) order by p.place)
              from relation_participant p
             where p.workspace_id = t.workspace_id and p.relation_id = t.id) as ends
      from ${withHistory(tx, view, "relation")}
     where t.workspace_id = ${tx.workspaceId} ${after === undefined ? sql`` : sql`and t.id > ${after}`}
       and ${wasThere(tx, view, sql`t.id`)} and ${until(tx, view, sql`t.created_at`)}
     order by t.id limit ${limit}`;
}

export interface ExportedDependencies {
  readonly taskId: string;
  /** In the order of their ids. */
  readonly dependsOn: readonly string[];
}

/** Lists the dependencies of exported tasks on other exported tasks. */
export async function listDependenciesToExport(
  tx: Tx,
  view: ExportView,
  after: string | undefined,
  limit: number,
): Promise<ExportedDependencies[]> {
  const { sql, workspaceId } = tx;
  const isThere = sql`${wasThere(tx, view, sql`t.id`)} and ${until(tx, view, sql`t.created_at`)}`;
  const rows = await sql<ExportedDependencies[]>`
    select t.id as "taskId",
           coalesce(seen.row -> 'depends_on',
                    to_jsonb(array(select d.depends_on from task_dependency d
                                    where d.workspace_id = ${workspaceId} and d.task_id = t.id
                                    order by d.depends_on))) as "dependsOn"
      from ${withHistory(tx, view, "task")}
     where t.workspace_id = ${workspaceId} ${after === undefined ? sql`` : sql`and t.id > ${after}`} and ${isThere}
     order by t.id limit ${limit}`;
  const ids = [...new Set(rows.flatMap((row) => row.dependsOn))];
  if (ids.length === 0) return rows;
  const found = await sql<{ id: string }[]>`
    select t.id from ${withHistory(tx, view, "task")}
     where t.workspace_id = ${workspaceId} and t.id = any(${ids}::uuid[]) and ${isThere}`;
  const exported = new Set(found.map(({ id }) => id));
  return rows.map(({ taskId, dependsOn }) => ({ taskId, dependsOn: dependsOn.filter((id) => exported.has(id)) }));
}

/** The place of an entry in the deletion log. */
export interface DeletionKey {
  readonly id: string;
  readonly type: string;
}

/** The deletion log, as far as the clearance allows. */
export async function listDeletionsToExport(
  tx: Tx,
  view: ExportView,
  after: DeletionKey | undefined,
  limit: number,
): Promise<JsonRow[]> {
  const { sql } = tx;
  const isLater = after === undefined
    ? sql``
    : sql`and (d.resource_id, d.resource_type) > (${after.id}::uuid, ${after.type}::text)`;
  const rows = await sql<{ row: JsonRow }[]>`
    select to_jsonb(d) as row from deletion_log d
     where d.workspace_id = ${tx.workspaceId} ${isLater}
       and d.sensitivity <= ${tx.maxSensitivity}::sensitivity and ${until(tx, view, sql`d.erased_at`)}
     order by d.resource_id, d.resource_type limit ${limit}`;
  return rows.map(({ row }) => row);
}
