/**
 * Writes `docs/reference/schema.sql`, the tables as they are after all migrations, from the catalog of a throwaway database:
 * `deno run -A scripts/gen/schema.ts`. `tests/db/schema_page_test.ts` compares.
 */
import type postgres from "postgres";
import { createDatabase } from "../../tests/_postgres.ts";
import connect from "postgres";

export const SCHEMA_FILE = new URL("../../docs/reference/schema.sql", import.meta.url);

interface Described {
  readonly name: string;
  readonly lines: readonly string[];
}

/** Every table with its columns, constraints, indexes, policies and triggers, sorted by name, as the text of the file. */
export async function describeTables(sql: postgres.Sql): Promise<string> {
  const tables = await sql<Described[]>`
    select c.relname as name,
           (select array_agg(format('  %s %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
                     case when a.attnotnull then ' not null' else '' end,
                     case when a.attgenerated = 's' then ' generated always as ' || pg_get_expr(d.adbin, d.adrelid) || ' stored'
                          when d.adbin is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid) else '' end)
                     order by a.attnum)
              from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
             where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)
           || coalesce((select array_agg('  ' || pg_get_constraintdef(k.oid) order by k.contype <> 'p', k.contype, k.conname)
              from pg_constraint k where k.conrelid = c.oid and k.contype in ('p', 'u', 'f', 'c')), '{}')
           || coalesce((select array_agg('  -- ' || pg_get_indexdef(i.indexrelid) order by i.indexrelid::regclass::text)
              from pg_index i where i.indrelid = c.oid
               and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u'))), '{}')
           || coalesce((select array_agg(format('  -- policy %s for %s to %s', p.policyname, lower(p.cmd),
                     array_to_string(p.roles, ', ')) order by p.policyname)
              from pg_policies p where p.schemaname = 'public' and p.tablename = c.relname), '{}')
           || coalesce((select array_agg('  -- trigger ' || t.tgname || ': ' || t.tgfoid::regproc order by t.tgname)
              from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal), '{}') as lines
      from pg_class c
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname <> 'schema_migration'
     order by c.relname`;
  return "-- Every table as it is after all migrations. Made by scripts/gen/schema.ts; why each is so stands in migrations/.\n\n" +
    tables.map(({ name, lines }) => `table ${name} (\n${lines.join("\n")}\n)\n`).join("\n");
}

if (import.meta.main) {
  await using database = await createDatabase();
  const sql = connect(database.superuserUrl, { max: 1, onnotice: () => {} });
  await Deno.writeTextFile(SCHEMA_FILE, await describeTables(sql));
  await sql.end();
  Deno.exit();
}
