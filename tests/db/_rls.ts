/**
 * The matrix of row-level security: compares what a role sees and changes with what it may, for every table of the
 * catalog that has a `workspace_id`. It runs inside one transaction, so that a test may break a policy first and roll
 * back after.
 */
import type postgres from "postgres";
import { SENSITIVITIES, type Sensitivity } from "../../src/schema/common.ts";
import { ROW_MAKERS, SINGLE_ROW, type Workspaces, WRITTEN_AGAIN } from "./_rows.ts";

export type Sql = postgres.TransactionSql;

export const OPERATIONS = ["select", "insert", "update", "delete"] as const;
export type Operation = (typeof OPERATIONS)[number];

/** `done` reached at least one row, `nothing` found none, `refused` is Postgres' insufficient_privilege. */
type Outcome = "done" | "nothing" | "refused" | `failed: ${string}`;

export interface Table {
  readonly name: string;
  readonly hasSensitivity: boolean;
}

/** Every table with a `workspace_id`, in any schema. */
export async function readTables(sql: Sql): Promise<Table[]> {
  return await sql<Table[]>`
    select c.oid::regclass::text as name,
           exists (select from pg_attribute s
                    where s.attrelid = c.oid and s.attname = 'sensitivity' and not s.attisdropped) as "hasSensitivity"
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped
     where c.relkind in ('r', 'p') and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'
     order by 1`;
}

export interface Setting {
  readonly workspaceId: string;
  readonly clearance: Sensitivity | "";
}

/** Becomes `role` with the given settings, does one thing, and undoes everything. */
async function attempt(
  sql: Sql,
  role: string,
  setting: Setting,
  work: (sql: Sql) => Promise<number>,
): Promise<Outcome> {
  const undo = new Error("undo");
  let outcome: Outcome = "nothing";
  try {
    await sql.savepoint(async (inner) => {
      await inner`
        select set_config('app.workspace_id', ${setting.workspaceId}, true),
               set_config('app.max_sensitivity', ${setting.clearance}, true)`;
      await inner`set local role ${inner(role)}`;
      outcome = await work(inner) > 0 ? "done" : "nothing";
      throw undo;
    });
  } catch (error) {
    if (error === undo) return outcome;
    const { code, message } = error as { code?: string; message: string };
    return code === "42501" ? "refused" : `failed: ${message}`;
  }
  return outcome;
}

interface Target {
  readonly workspaceId: string;
  /** Only rows of this sensitivity, if the table has one. */
  readonly sensitivity?: Sensitivity | undefined;
}

async function operate(sql: Sql, table: Table, operation: Operation, target: Target, column: string | undefined) {
  const { workspaceId, sensitivity } = target;
  const name = sql(table.name);
  const where = sensitivity !== undefined && table.hasSensitivity
    ? sql`workspace_id = ${workspaceId} and sensitivity = ${sensitivity}`
    : sql`workspace_id = ${workspaceId}`;
  switch (operation) {
    case "select": {
      const [{ n }] = await sql<[{ n: number }]>`select count(*)::int as n from ${name} where ${where}`;
      return n;
    }
    case "insert": {
      // The workspace exists already, so the row is that of a new one, which is just as foreign.
      const fresh = table.name === "workspace" ? { ...target, workspaceId: crypto.randomUUID() } : target;
      const row = ROW_MAKERS[table.name]!({ ...fresh, n: 100, sensitivity: sensitivity ?? "public" });
      const again = sql.unsafe(WRITTEN_AGAIN[table.name] ?? "");
      return (await sql`insert into ${name} ${sql(row as never)} ${again}`).count;
    }
    case "update": {
      const same = sql(column ?? "workspace_id");
      return (await sql`update ${name} set ${same} = ${same} where ${where}`).count;
    }
    case "delete":
      return (await sql`delete from ${name} where ${where}`).count;
  }
}

/** Which operations the grants allow a role on a table, on the whole or on some columns. */
async function readGrants(sql: Sql, role: string, table: Table) {
  const [row] = await sql<[Record<Operation, boolean> & { column: string | null }]>`
    select has_any_column_privilege(${role}, ${table.name}, 'select') as "select",
           has_table_privilege(${role}, ${table.name}, 'insert') as "insert",
           has_any_column_privilege(${role}, ${table.name}, 'update') as "update",
           has_table_privilege(${role}, ${table.name}, 'delete') as "delete",
           (select attname from pg_attribute
             where attrelid = ${table.name}::regclass and attnum > 0 and not attisdropped and attidentity = '' and attgenerated = ''
               and has_column_privilege(${role}, attrelid, attnum, 'update') and has_column_privilege(${role}, attrelid, attnum, 'select')
             order by attnum desc limit 1) as "column"`;
  return row;
}

/** Which rows a role sees. */
export interface Expectation {
  readonly role: string;
  /** Tables of which the role sees all workspaces. */
  readonly crossWorkspace: ReadonlySet<string>;
  /** Operations that reach rows above the clearance, by design. */
  readonly aboveClearance: Readonly<Record<string, readonly Operation[]>>;
  /** Operations that reach all workspaces, but only outside of any. */
  readonly outside?: Readonly<Record<string, readonly Operation[]>>;
  /** Tables of which the role sees nothing at all, because no policy names it. */
  readonly blind?: (table: string) => boolean;
}

/** Tries every table × operation × owner of rows; returns every violation. */
export async function findLeaks(
  sql: Sql,
  expected: Expectation,
  tables: readonly Table[],
  workspaces: Workspaces,
): Promise<string[]> {
  const wrong: string[] = [];
  const { own } = workspaces;
  for (const table of tables) {
    const grants = await readGrants(sql, expected.role, table);
    const column = grants.column ?? undefined;
    const check = async (what: string, setting: Setting, operation: Operation, target: Target, wanted: Outcome[]) => {
      const found = await attempt(
        sql,
        expected.role,
        setting,
        (inner) => operate(inner, table, operation, target, column),
      );
      if (!wanted.includes(found)) {
        wrong.push(
          `${expected.role}: ${operation} ${what} in ${table.name}: ${found}, expected ${wanted.join(" or ")}`,
        );
      }
    };
    const everywhere = expected.crossWorkspace.has(table.name);
    const inOwn: Setting = { workspaceId: own, clearance: "restricted" };
    const inNone: Setting = { workspaceId: "", clearance: "" };
    for (const operation of OPERATIONS) {
      const closed: Outcome[] = operation === "insert" || !grants[operation] ? ["refused"] : ["nothing"];
      const open: Outcome[] = !grants[operation] ? ["refused"] : expected.blind?.(table.name) ? closed : ["done"];
      const isOutside = expected.outside?.[table.name]?.includes(operation) === true;
      const outside: Outcome[] = isOutside ? ["done"] : everywhere ? open : closed;
      const other = operation === "insert" && SINGLE_ROW.has(table.name) ? workspaces.bare : workspaces.other;
      await check("own rows", inOwn, operation, { workspaceId: own }, open);
      await check("another workspace's rows", inOwn, operation, { workspaceId: other }, everywhere ? open : closed);
      await check("rows without a workspace set", inNone, operation, { workspaceId: own }, outside);
      if (table.hasSensitivity) {
        const unclear: Setting = { workspaceId: own, clearance: "" };
        const exempt = expected.aboveClearance[table.name]?.includes(operation) === true;
        await check("rows without a clearance set", unclear, operation, { workspaceId: own }, exempt ? open : closed);
      }
    }
    if (grants.update && !everywhere && !expected.blind?.(table.name)) {
      const found = await attempt(
        sql,
        expected.role,
        inOwn,
        async (inner) =>
          // Without a condition: with one, the policies for reading would catch the moved rows too.
          (await inner`update ${inner(table.name)} set workspace_id = ${workspaces.bare}`).count,
      );
      if (found !== "refused") {
        wrong.push(`${expected.role}: rows of ${table.name} can be moved to another workspace: ${found}`);
      }
    }
  }
  return wrong;
}

/** Tries every table with a sensitivity × operation × clearance × the row's sensitivity; returns every violation. */
export async function findUncleared(
  sql: Sql,
  expected: Expectation,
  tables: readonly Table[],
  own: string,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const table of tables.filter((each) => each.hasSensitivity)) {
    const grants = await readGrants(sql, expected.role, table);
    for (const [rank, clearance] of SENSITIVITIES.entries()) {
      const setting: Setting = { workspaceId: own, clearance };
      for (const [height, sensitivity] of SENSITIVITIES.entries()) {
        for (const operation of OPERATIONS) {
          if (!grants[operation]) continue;
          const cleared = height <= rank || expected.aboveClearance[table.name]?.includes(operation) === true;
          const wanted: Outcome = cleared ? "done" : operation === "insert" ? "refused" : "nothing";
          const found = await attempt(
            sql,
            expected.role,
            setting,
            (inner) => operate(inner, table, operation, { workspaceId: own, sensitivity }, grants.column ?? undefined),
          );
          if (found !== wanted) {
            wrong.push(
              `${operation} ${sensitivity} rows of ${table.name} with clearance ${clearance}: ${found}, expected ${wanted}`,
            );
          }
        }
      }
      const above = SENSITIVITIES[rank + 1];
      if (above === undefined || !grants.update) continue;
      const raised = await attempt(
        sql,
        expected.role,
        setting,
        async (inner) => (await inner`update ${inner(table.name)} set sensitivity = ${above}`).count,
      );
      if (raised !== "refused") {
        wrong.push(`rows of ${table.name} can be raised above the clearance ${clearance}: ${raised}`);
      }
    }
  }
  return wrong;
}
