/** Statements of imports: rows as their source had them, with their own times and versions. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Tx } from "../tx.ts";

/** The ids here of those resources of a source that could not keep their own. */
export async function listImportIds(tx: Tx, source: string): Promise<{ sourceId: string; localId: string }[]> {
  return await tx.sql<{ sourceId: string; localId: string }[]>`
    select source_id as "sourceId", local_id as "localId" from import_id
     where workspace_id = ${tx.workspaceId} and source = ${source}`;
}

export async function insertImportIds(
  tx: Tx,
  source: string,
  ids: readonly { readonly sourceId: string; readonly localId: string }[],
): Promise<void> {
  await tx.sql`
    insert into import_id (workspace_id, source, source_id, local_id)
    select ${tx.workspaceId}, ${source}, n.source_id, n.local_id
      from unnest(${ids.map((id) => id.sourceId)}::uuid[], ${ids.map((id) => id.localId)}::uuid[])
           as n(source_id, local_id)
        on conflict do nothing`;
}

/** Finds those of the ids that were erased in this workspace and whose erasure the transaction's clearance may see. */
export async function findErased(tx: Tx, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx.sql<{ id: string }[]>`
    select resource_id as id from deletion_log
     where workspace_id = ${tx.workspaceId} and resource_id = any(${ids as string[]}::uuid[])
       and sensitivity <= ${tx.maxSensitivity}::sensitivity`;
  return new Set(rows.map((row) => row.id));
}

/**
 * Finds those of the ids that belong, or belonged until its erasure, to a resource above `clearance`. The transaction
 * must see it.
 */
export async function findIdsAbove(tx: Tx, ids: readonly string[], clearance: Sensitivity): Promise<Set<string>> {
  const { sql } = tx;
  const tables = HIDEABLE.map((table) =>
    sql`
    select id from ${sql.unsafe(table)}
     where workspace_id = ${tx.workspaceId} and id = any(${ids as string[]}::uuid[]) and sensitivity > ${clearance}`
  );
  const erased = sql`
    select resource_id as id from deletion_log
     where workspace_id = ${tx.workspaceId} and resource_id = any(${ids as string[]}::uuid[])
       and sensitivity > ${clearance}`;
  const rows = await sql<{ id: string }[]>`${tables.reduce((all, table) => sql`${all} union all ${table}`, erased)}`;
  return new Set(rows.map((row) => row.id));
}

/** Finds those of the ids that were erased in this workspace, whatever the clearance that their erasure needed. */
export async function findIdsErased(tx: Tx, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx.sql<{ id: string }[]>`
    select resource_id as id from deletion_log
     where workspace_id = ${tx.workspaceId} and resource_id = any(${ids as string[]}::uuid[])`;
  return new Set(rows.map((row) => row.id));
}

/** Lists the tables with a row of this id that the transaction may see. */
export async function listTablesWith(tx: Tx, id: string): Promise<string[]> {
  const { sql } = tx;
  const tables = HIDEABLE.map((table) =>
    sql`select ${table}::text as name from ${sql.unsafe(table)} where workspace_id = ${tx.workspaceId} and id = ${id}`
  );
  const rows = await sql<{ name: string }[]>`${tables.reduce((all, table) => sql`${all} union all ${table}`)}`;
  return rows.map(({ name }) => name);
}

const HIDEABLE = [
  ...["unit", "relation", "session", "turn", "task", "event", "review_item"],
  ...["reasoning_entry", "self_edit", "procedural_playbook"],
];

/** The columns that distinguish a stored version from a different one with the same number. */
export interface RevisionMark {
  readonly id: string;
  readonly version: number;
  readonly event: string;
  readonly contentHash: string;
  readonly recordedAt: Date;
}

export async function listRevisionMarks(tx: Tx, ids: readonly string[]): Promise<RevisionMark[]> {
  return await tx.sql<RevisionMark[]>`
    select id, version, event, snapshot ->> 'content_hash' as "contentHash", recorded_at as "recordedAt"
      from unit_revision where workspace_id = ${tx.workspaceId} and id = any(${ids as string[]}::uuid[])`;
}

/** The columns that the last import of a unit wrote. */
export interface LastImport {
  readonly id: string;
  readonly contentHash: string;
  readonly status: string;
  readonly attribution: string;
  readonly validFrom: Date | null;
  readonly validTo: Date | null;
}

/** For each unit, the last version that an import of another product's file wrote. */
export async function listLastImports(tx: Tx, ids: readonly string[]): Promise<LastImport[]> {
  return await tx.sql<LastImport[]>`
    select distinct on (id) id, snapshot ->> 'content_hash' as "contentHash", snapshot ->> 'status' as status,
           snapshot ->> 'attribution' as attribution, (snapshot ->> 'valid_from')::timestamptz as "validFrom",
           (snapshot ->> 'valid_to')::timestamptz as "validTo"
      from unit_revision
     where workspace_id = ${tx.workspaceId} and id = any(${ids as string[]}::uuid[]) and event = 'imported'
     order by id, version desc`;
}

/** Returns those of the given ids that some unit rests on. */
export async function findNamedAsSource(tx: Tx, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx.sql<{ id: string }[]>`
    select distinct source_id as id from unit_source
     where workspace_id = ${tx.workspaceId} and source_id = any(${ids as string[]}::uuid[])`;
  return new Set(rows.map((row) => row.id));
}

/** The columns that distinguish a stored resource from a different one with the same id. */
export interface Taken {
  readonly id: string;
  readonly version: number;
  readonly createdAt: Date;
  /** The actor who created it; null if the row does not store it. */
  readonly createdBy: string | null;
  readonly sensitivity: Sensitivity;
}

/** Tables without history whose rows an import writes as JSON with the column names. */
export type PlainTable = "session" | "task" | "event" | "review_item";

const PLAIN: Readonly<Record<PlainTable, Readonly<Record<"version" | "createdAt" | "createdBy", string>>>> = {
  session: { version: "version", createdAt: "created_at", createdBy: "created_by" },
  task: { version: "version", createdAt: "created_at", createdBy: "created_by" },
  event: { version: "1", createdAt: "occurred_at", createdBy: "created_by" },
  review_item: {
    version: "case when status = 'open' then 1 else 2 end",
    createdAt: "created_at",
    createdBy: "null::text",
  },
};

/** Finds rows by id. `lock` locks them, except in a table whose rows never change. */
export async function findTaken(
  tx: Tx,
  table: PlainTable,
  ids: readonly string[],
  options: { readonly lock?: boolean } = {},
): Promise<Map<string, Taken>> {
  const { sql } = tx;
  const isLocked = options.lock === true && table !== "event";
  const { version, createdAt, createdBy } = PLAIN[table];
  const rows = await sql<Taken[]>`
    select id, ${sql.unsafe(version)} as version, ${sql.unsafe(createdAt)} as "createdAt",
           ${sql.unsafe(createdBy)} as "createdBy", sensitivity
      from ${sql.unsafe(table)}
     where workspace_id = ${tx.workspaceId} and id = any(${ids as string[]}::uuid[])
     order by id ${isLocked ? sql`for update` : sql``}`;
  return new Map(rows.map((row) => [row.id, row]));
}

type ColumnRow = Readonly<Record<string, unknown>> & { readonly id: string };

/** Inserts rows; ids that are taken are passed over. Returns those inserted. */
export async function insertPlainRows(
  tx: Tx,
  table: PlainTable,
  columns: readonly string[],
  rows: readonly ColumnRow[],
): Promise<Set<string>> {
  const { sql } = tx;
  const name = sql.unsafe(table);
  const inserted = await sql<{ id: string }[]>`
    insert into ${name} (workspace_id, ${sql.unsafe(columns.join(", "))})
    select ${tx.workspaceId}, ${sql.unsafe(columns.map((column) => `n.${column}`).join(", "))}
      from jsonb_populate_recordset(null::${name}, ${sql.json(rows)}) n
        on conflict do nothing
    returning id`;
  return new Set(inserted.map((row) => row.id));
}

/** Replaces rows that the transaction has locked with newer versions. A row keeps its author. */
export async function updatePlainRows(
  tx: Tx,
  table: Exclude<PlainTable, "event">,
  columns: readonly string[],
  rows: readonly ColumnRow[],
): Promise<void> {
  const { sql } = tx;
  const name = sql.unsafe(table);
  await sql`
    update ${name} u set ${sql.unsafe(columns.map((column) => `${column} = n.${column}`).join(", "))}
      from jsonb_populate_recordset(null::${name}, ${sql.json(rows)}) n
     where u.workspace_id = ${tx.workspaceId} and u.id = n.id`;
}

/** Numbers for new sessions. */
export async function allocateGroupNos(tx: Tx, count: number): Promise<number[]> {
  const rows = await tx.sql<{ n: number }[]>`
    select nextval('group_no')::float8 as n from generate_series(1, ${count}::int)`;
  return rows.map((row) => row.n);
}

/** Notes imported turns in their session: its version is its source's. */
export async function addImportedTurns(
  tx: Tx,
  sessionId: string,
  added: { readonly turns: number; readonly tokens: number; readonly participants: readonly string[] },
): Promise<void> {
  await tx.sql`
    update session set turn_count = turn_count + ${added.turns}, token_count = token_count + ${added.tokens},
           participants = participants || ${added.participants as string[]}
     where workspace_id = ${tx.workspaceId} and id = ${sessionId}`;
}

/** Sets the members of a turn that may change. */
export async function updateImportedTurn(
  tx: Tx,
  turn: { readonly id: string; readonly version: number; readonly pinned: boolean },
): Promise<void> {
  await tx.sql`
    update turn set version = ${turn.version}, pinned = ${turn.pinned}
     where workspace_id = ${tx.workspaceId} and id = ${turn.id}`;
}

/** Adds a dependency between two tasks that the transaction sees; false if it exists already. */
export async function insertDependency(tx: Tx, taskId: string, dependsOn: string): Promise<boolean> {
  const rows = await tx.sql`
    insert into task_dependency (workspace_id, task_id, depends_on)
    values (${tx.workspaceId}, ${taskId}, ${dependsOn}) on conflict do nothing returning task_id`;
  return rows.length > 0;
}

export interface ImportedDeletion {
  readonly id: string;
  readonly resourceType: string;
  readonly originInstance: string;
  readonly sensitivity: Sensitivity;
  readonly erasedAt: string;
  readonly erasedBy: string;
  readonly receipt: Readonly<Record<string, unknown>>;
}

/** Inserts an entry of another workspace's deletion log; returns false if this log has an entry for the id and type. */
export async function insertImportedDeletion(tx: Tx, deletion: ImportedDeletion): Promise<boolean> {
  const rows = await tx.sql`
    insert into deletion_log (
      workspace_id, resource_id, resource_type, origin_instance, sensitivity, erased_at, erased_by, receipt)
    values (${tx.workspaceId}, ${deletion.id}, ${deletion.resourceType}, ${deletion.originInstance},
            ${deletion.sensitivity}, ${deletion.erasedAt}, ${deletion.erasedBy},
            ${tx.sql.json(deletion.receipt)}) on conflict do nothing returning resource_id`;
  return rows.length > 0;
}
