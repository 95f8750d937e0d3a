/**
 * Copies the rows of a workspace from one cluster to another. It reads the list of tables from the catalog, so that it
 * forgets none. Rows are copied in Postgres' own text form and inserted unchanged, without triggers or foreign-key
 * checks: those ran when the rows were first written. Transaction ids (`xid8`) mean nothing on another cluster and are
 * left out.
 */
import type postgres from "postgres";
import { ServiceError } from "../errors.ts";

export interface MovedTable {
  readonly name: string;
  /** All columns with their types, in their order; both clusters must have the same. */
  readonly columns: readonly string[];
  /** Columns to insert: all but the generated ones. */
  readonly written: readonly { readonly name: string; readonly isTransaction: boolean }[];
  readonly key: readonly string[];
}

/**
 * How far a table has been copied. `since` is the oldest transaction that was still running at the source then
 * (`pg_snapshot_xmin`): rows that it or a later one wrote may be missing from the copy.
 */
export interface Copied {
  readonly since: string;
  readonly rows: number;
}

const ROWS = 500;
const KEYS = 50_000;

/** Runs `work` in a transaction of the owner inside a workspace; no triggers fire in it. */
export async function inside<T>(
  sql: postgres.Sql,
  workspaceId: string,
  work: (tx: postgres.TransactionSql) => Promise<T>,
  options = "",
): Promise<T> {
  return await sql.begin(options, async (tx) => {
    await tx`
      select set_config('app.workspace_id', ${workspaceId}, true), set_config('app.max_sensitivity', 'restricted', true),
             set_config('session_replication_role', 'replica', true), set_config('statement_timeout', '0', true),
             set_config('lock_timeout', '0', true), set_config('extra_float_digits', '1', true),
             set_config('DateStyle', 'ISO', true), set_config('IntervalStyle', 'postgres', true),
             set_config('TimeZone', 'UTC', true)`;
    return await work(tx);
  }) as T;
}

/** The tables with a `workspace_id`. @throws ServiceError `conflict` for a table that has no key */
export async function listTables(sql: postgres.Sql): Promise<MovedTable[]> {
  const rows = await sql<(Omit<MovedTable, "key"> & { key: string[] | null })[]>`
    select c.relname as name,
           (select jsonb_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) order by a.attnum)
              from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
           (select jsonb_agg(jsonb_build_object('name', a.attname, 'isTransaction', a.atttypid = 'xid8'::regtype)
                             order by a.attnum)
              from pg_attribute a
             where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as written,
           (select jsonb_agg(a.attname order by a.attnum)
              from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
             where i.indrelid = c.oid and i.indisprimary) as key
      from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
       and exists (select from pg_attribute w
                    where w.attrelid = c.oid and w.attname = 'workspace_id' and not w.attisdropped)
     order by c.relname`;
  return rows.map(({ key, ...table }) => {
    if (key === null) throw new ServiceError("conflict", `Cannot move: the table ${table.name} has no primary key`);
    return { ...table, key };
  });
}

/**
 * Creates a policy on each table by which the owner may read and write the rows of the transaction's workspace. Without
 * it, forced row-level security hides all rows from the owner.
 */
export async function openTables(sql: postgres.Sql, tables: readonly MovedTable[]): Promise<void> {
  const present = await sql<{ table: string }[]>`
    select tablename as table from pg_policies where schemaname = 'public' and policyname = 'placement_owner'`;
  const open = new Set(present.map((row) => row.table));
  for (const { name } of tables) {
    if (open.has(name)) continue;
    await sql.begin(async (tx) => {
      // The table is in use, so others must not wait long behind this lock.
      await tx`select set_config('lock_timeout', '5s', true)`;
      await tx.unsafe(`create policy placement_owner on ${quote(name)} to current_user
        using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()))`);
    });
  }
}

/** The two ends of a move, and the run that moves. */
export interface Ends {
  readonly source: postgres.Sql;
  readonly target: postgres.Sql;
  /** The id of this run of the move, which the marks at both ends name. */
  readonly mover: string;
}

/**
 * Runs `work` in a transaction at the target, if this run still owns the move. A run that was taken over without
 * noticing must not overwrite what its successor has copied.
 * @throws ServiceError `conflict` when another run has taken the move over
 */
async function atTarget<T>(
  { target, mover }: Ends,
  workspaceId: string,
  work: (tx: postgres.TransactionSql) => Promise<T>,
): Promise<T> {
  return await inside(target, workspaceId, async (tx) => {
    const mark = await tx`
      select from placement_mark where id = ${workspaceId} and state = 'arriving' and mover = ${mover} for share`;
    if (mark.length === 0) throw new ServiceError("conflict", "Cannot go on: another process has taken the move over");
    return await work(tx);
  });
}

/**
 * Makes the target's rows of a table equal to those of the source at one moment.
 * @param before how far the table was copied; undefined when it was not, so that all rows at the target are replaced
 */
export async function copyTable(
  ends: Ends,
  workspaceId: string,
  table: MovedTable,
  before: Copied | undefined,
): Promise<Copied> {
  const into = <T>(work: (tx: postgres.TransactionSql) => Promise<T>) => atTarget(ends, workspaceId, work);
  const made = await inside(ends.source, workspaceId, async (from) => {
    const [{ since }] = await from<[{ since: string }]>`
      select pg_snapshot_xmin(pg_current_snapshot())::text as since`;
    const changed = (what: string) =>
      from.unsafe(
        `select ${what} from ${quote(table.name)} t where t.workspace_id = $1${
          before === undefined ? "" : " and age(t.xmin) <= age($2::xid8::xid)"
        }`,
        before === undefined ? [workspaceId] : [workspaceId, before.since],
      );
    let rows = 0;
    if (before === undefined) {
      await into((tx) => clearTable(tx, workspaceId, table));
    } else {
      // Delete all changed rows before inserting any: a unique value may have passed from one row to another.
      for await (const batch of changed("t::text as row").cursor(ROWS)) {
        rows += batch.length;
        await into((tx) => deleteRows(tx, workspaceId, table, batch.map(({ row }) => row)));
      }
      const [here, there] = await Promise.all([
        countRows(from, workspaceId, table),
        into((tx) => countRows(tx, workspaceId, table)),
      ]);
      // The target lacks rows that an earlier run should have copied: copy the whole table again.
      if (there < here - rows) return undefined;
      if (there !== here - rows) await deleteOthers(from, into, workspaceId, table, there);
    }
    let copied = 0;
    for await (const batch of changed("t::text as row").cursor(ROWS)) {
      copied += batch.length;
      await into((tx) => insertRows(tx, table, batch.map(({ row }) => row)));
    }
    return { since, rows: copied };
  }, "isolation level repeatable read read only");
  return made ?? await copyTable(ends, workspaceId, table, undefined);
}

/** Deletes a table's rows of the workspace. */
export async function clearTable(tx: postgres.TransactionSql, workspaceId: string, table: MovedTable): Promise<void> {
  await tx.unsafe(`delete from ${quote(table.name)} where workspace_id = $1`, [workspaceId]);
}

/** Counts a table's rows of the workspace. */
export async function countRows(
  tx: postgres.TransactionSql,
  workspaceId: string,
  table: MovedTable,
): Promise<number> {
  const [row] = await tx.unsafe(`select count(*)::float8 as n from ${quote(table.name)} where workspace_id = $1`, [
    workspaceId,
  ]);
  return row!["n"];
}

/**
 * Advances the sequences of the target past those of the source, so that they never repeat a number of a moved row. The
 * margin covers the numbers that other workspaces take at the target between the two statements.
 */
export async function carrySequences(ends: Ends): Promise<void> {
  const read = (sql: postgres.Sql) =>
    sql<{ name: string; last: string | null }[]>`
      select sequencename as name, last_value::text as last from pg_sequences where schemaname = 'public'`;
  const [there, here] = await Promise.all([read(ends.target), read(ends.source)]);
  const reached = new Map(there.map(({ name, last }) => [name, BigInt(last ?? 0)]));
  for (const { name, last } of here) {
    if (last === null || reached.get(name)! > BigInt(last)) continue;
    await ends.target`select setval(${`public.${quote(name)}`}::regclass, ${`${BigInt(last) + 100_000n}`}::bigint)`;
  }
}

async function insertRows(tx: postgres.TransactionSql, table: MovedTable, rows: readonly string[]): Promise<void> {
  const name = quote(table.name);
  const columns = table.written.map((column) => quote(column.name));
  const values = table.written.map((column) => column.isTransaction ? "null" : `(x).${quote(column.name)}`);
  await tx.unsafe(
    `insert into ${name} (${columns.join(", ")}) overriding system value
     select ${values.join(", ")} from (select r::${name} as x from unnest($1::text[]) as r offset 0) s`,
    [rows as string[]],
  );
}

async function deleteRows(
  tx: postgres.TransactionSql,
  workspaceId: string,
  table: MovedTable,
  rows: readonly string[],
): Promise<void> {
  const name = quote(table.name);
  const same = table.key.map((column) => `t.${quote(column)} = (d.x).${quote(column)}`);
  await tx.unsafe(
    `with d as materialized (select r::${name} as x from unnest($2::text[]) as r)
     delete from ${name} t using d where t.workspace_id = $1 and ${same.join(" and ")}`,
    [workspaceId, rows as string[]],
  );
}

type Into = <T>(work: (tx: postgres.TransactionSql) => Promise<T>) => Promise<T>;

/** Deletes the target's rows that the source no longer has. It compares keys in parts that fit into memory. */
async function deleteOthers(
  from: postgres.TransactionSql,
  into: Into,
  workspaceId: string,
  table: MovedTable,
  count: number,
): Promise<void> {
  const name = quote(table.name);
  const key = `row(${table.key.map((column) => `t.${quote(column)}`).join(", ")})::text`;
  const parts = Math.ceil((count + 1) / KEYS);
  const part = `t.workspace_id = $1 and abs(hashtext(${key})::bigint) % $2 = $3`;
  for (let i = 0; i < parts; i++) {
    const keysOf = async (tx: postgres.TransactionSql) =>
      (await tx.unsafe(`select ${key} as key from ${name} t where ${part}`, [workspaceId, parts, i])).map((row) =>
        row["key"] as string
      );
    const [kept, found] = await Promise.all([keysOf(from), into(keysOf)]);
    const here = new Set(kept);
    const gone = found.filter((one) => !here.has(one));
    if (gone.length === 0) continue;
    await into((tx) =>
      tx.unsafe(`delete from ${name} t where t.workspace_id = $1 and ${key} = any($2::text[])`, [workspaceId, gone])
    );
  }
}

/** Quotes a name for SQL. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
