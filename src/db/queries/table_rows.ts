/** Rows of some tables as JSON with the column names, for export and import. Names of tables and columns are the code's. */
import type { Sql, Tx } from "../tx.ts";
import type { ExportView } from "./exports.ts";

export interface TableShape {
  readonly table:
    | "gate_action"
    | "procedural_playbook"
    | "procedural_rule"
    | "procedural_trajectory"
    | "procedural_version"
    | "reasoning_entry"
    | "reasoning_precondition"
    | "reasoning_vote"
    | "self_edit"
    | "self_edit_content"
    | "self_edit_operation"
    | "snapshot"
    | "worth_signal";
  /** All that are exported, without `workspace_id`. */
  readonly columns: readonly string[];
  /** The key without `workspace_id`. */
  readonly key: readonly string[];
  /** The order of the export if it is not that of the key; unique, too. */
  readonly order?: readonly string[];
  /** When a row was last written, for exports of the past. */
  readonly writtenAt?: string;
  /** Grows with each change; a table without it never changes. */
  readonly versionColumn?: string;
  /** The row to which it belongs, whose policy has the clearance: the table and the column that names its `id`. */
  readonly parent?: { readonly table: string; readonly column: string; readonly writtenAt: string };
}

type Row = Readonly<Record<string, unknown>>;

/** Equal for rows with the same key. */
export function keyOf({ key }: TableShape, row: Row): string {
  // A file and the database write a time differently.
  const text = (name: string) => /_(at|start)$/.test(name) ? new Date(row[name] as string).toJSON() : String(row[name]);
  return JSON.stringify(key.map(text));
}

function visible(tx: Tx, { parent }: TableShape, asOf: Date | null) {
  const { sql } = tx;
  if (parent === undefined) return sql`true`;
  const isKnown = asOf === null ? sql`` : sql`and up.${sql.unsafe(parent.writtenAt)} <= ${asOf}`;
  return sql`exists (select from ${sql.unsafe(parent.table)} up
                      where up.workspace_id = ${tx.workspaceId} and up.id = t.${sql.unsafe(parent.column)} ${isKnown})`;
}

function names(sql: Sql, columns: readonly string[], prefix = "") {
  return sql.unsafe(columns.map((name) => `${prefix}${name}`).join(", "));
}

/** A page of rows in their order; `key` is what the next page begins after. */
export async function listRows(
  tx: Tx,
  shape: TableShape,
  view: ExportView,
  after: Row | undefined,
  limit: number,
): Promise<{ readonly row: Row; readonly key: Row }[]> {
  const { sql } = tx;
  const table = sql.unsafe(shape.table);
  const order = shape.order ?? shape.key;
  const beyond = after === undefined ? sql`` : sql`
       and (${names(sql, order, "t.")}) > (select ${names(sql, order, "p.")}
                                   from jsonb_populate_record(null::${table}, ${sql.json(after)}) p)`;
  const isKnown = view.asOf === null || shape.writtenAt === undefined
    ? sql``
    : sql`and t.${sql.unsafe(shape.writtenAt)} <= ${view.asOf}`;
  const rows = await sql<{ row: Row }[]>`
    select to_jsonb(t) as row from ${table} t
     where t.workspace_id = ${tx.workspaceId} and ${visible(tx, shape, view.asOf)} ${isKnown} ${beyond}
     order by ${names(sql, order, "t.")} limit ${limit}`;
  return rows.map(({ row }) => ({ row, key: Object.fromEntries(order.map((name) => [name, row[name]])) }));
}

/** Rows that an export of the past leaves out: they were written since. */
export async function countRowsChangedSince(tx: Tx, shape: TableShape, asOf: Date): Promise<number> {
  const { sql } = tx;
  const { writtenAt } = shape;
  const madeAt = shape.columns.includes("created_at") ? "created_at" : undefined;
  if (writtenAt === undefined || madeAt === undefined || madeAt === writtenAt) return 0;
  const [row] = await sql<[{ n: number }]>`
    select count(*)::int as n from ${sql.unsafe(shape.table)} t
     where t.workspace_id = ${tx.workspaceId} and t.${sql.unsafe(madeAt)} <= ${asOf}
       and t.${sql.unsafe(writtenAt)} > ${asOf}`;
  return row.n;
}

/** The stored rows with the keys of some. */
export async function findRows(tx: Tx, shape: TableShape, rows: readonly Row[]): Promise<Row[]> {
  const { sql } = tx;
  const table = sql.unsafe(shape.table);
  const found = await sql<{ row: Row }[]>`
    select to_jsonb(t) as row from ${table} t
      join jsonb_populate_recordset(null::${table}, ${sql.json(rows)}) n
        on (${names(sql, shape.key, "t.")}) = (${names(sql, shape.key, "n.")})
     where t.workspace_id = ${tx.workspaceId}`;
  return found.map(({ row }) => row);
}

/** Inserts rows; skips those that exist already, or whose place another row has. Returns the keys of those inserted. */
export async function insertRows(tx: Tx, shape: TableShape, rows: readonly Row[]): Promise<Set<string>> {
  const { sql } = tx;
  const table = sql.unsafe(shape.table);
  const inserted = await sql<Row[]>`
    insert into ${table} (workspace_id, ${names(sql, shape.columns)})
    select ${tx.workspaceId}, ${names(sql, shape.columns, "n.")}
      from jsonb_populate_recordset(null::${table}, ${sql.json(rows)}) n
        on conflict do nothing
    returning ${sql.unsafe(shape.key.map((name) => `to_jsonb(${name}) #>> '{}' as ${name}`).join(", "))}`;
  return new Set(inserted.map((row) => keyOf(shape, row)));
}

/** Replaces rows by later versions. */
export async function updateRows(tx: Tx, shape: TableShape, rows: readonly Row[]): Promise<void> {
  const { sql } = tx;
  const table = sql.unsafe(shape.table);
  const others = shape.columns.filter((name) => !shape.key.includes(name));
  await sql`
    update ${table} t set ${sql.unsafe(others.map((name) => `${name} = n.${name}`).join(", "))}
      from jsonb_populate_recordset(null::${table}, ${sql.json(rows)}) n
     where t.workspace_id = ${tx.workspaceId} and (${names(sql, shape.key, "t.")}) = (${names(sql, shape.key, "n.")})`;
}
