/** The rights of the request role, which the service checks when it starts. */
import type { Sql } from "../tx.ts";

export interface RolePrivileges {
  readonly role: string;
  readonly superuser: boolean;
  readonly bypassesRls: boolean;
  /** Tables of the schema that the role owns, or may become the owner of. */
  readonly ownedTables: number;
  /** May act as the owner of the functions that read all workspaces. */
  readonly definer: boolean;
  /** Whether it is in the group of request roles; false also while there is no such group. */
  readonly app: boolean;
  /** Whether the list of applied migrations exists and may be read. */
  readonly seesMigrations: boolean;
}

export async function readPrivileges(sql: Sql): Promise<RolePrivileges> {
  const [row] = await sql<[RolePrivileges]>`
    select current_user as "role", r.rolsuper as "superuser", r.rolbypassrls as "bypassesRls",
           (select count(*)::int from pg_class c
             where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
               and pg_has_role(current_user, c.relowner, 'member')) as "ownedTables",
           coalesce((select pg_has_role(current_user, g.oid, 'member') from pg_roles g where g.rolname = 'svc_definer'), false)
             as "definer",
           coalesce((select pg_has_role(current_user, g.oid, 'usage') from pg_roles g where g.rolname = 'svc_app'), false)
             as "app",
           coalesce(has_table_privilege(to_regclass('public.schema_migration'), 'select'), false) as "seesMigrations"
      from pg_roles r where r.rolname = current_user`;
  return row;
}

/**
 * Lists where requests would bypass the row-level policies: tables of workspaces without forced policies, policies that
 * do not check the workspace, and views that read with their owner's rights. Each entry says what is wrong; after the
 * migrations there are none.
 */
export async function readUnguarded(sql: Sql): Promise<string[]> {
  const rows = await sql<{ what: string }[]>`
    with own as (
      select c.* from pg_class c
       where c.relnamespace = 'public'::regnamespace
         and not exists (select from pg_depend d
                          where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    ), guarded as (
      select o.* from own o
       where o.relkind in ('r', 'p')
         and exists (select from pg_attribute a
                      where a.attrelid = o.oid and a.attname = 'workspace_id' and not a.attisdropped)
    )
    select format('the table %s has no forced row-level security', g.relname) as what
      from guarded g where not (g.relrowsecurity and g.relforcerowsecurity)
    union all
    select format('the policy %s on %s does not look at the workspace', p.polname, g.relname)
      from guarded g join pg_policy p on p.polrelid = g.oid
     where p.polpermissive and exists (
             select from unnest(p.polroles) as r(oid)
              where case when r.oid = 0 then true else pg_has_role(current_user, r.oid, 'usage') end) and (
             coalesce(pg_get_expr(p.polqual, p.polrelid), 'current_workspace') not like '%current_workspace%'
          or coalesce(pg_get_expr(p.polwithcheck, p.polrelid), 'current_workspace') not like '%current_workspace%')
    union all
    select format('the view %s asks as its owner', o.relname)
      from own o
     where has_table_privilege(o.oid, 'select') and (
             o.relkind = 'm'
          or (o.relkind = 'v' and not coalesce(o.reloptions::text[] &&
                array['security_invoker=true', 'security_invoker=on', 'security_invoker=1'], false)))
     order by what`;
  return rows.map((row) => row.what);
}

/** Digests of the applied migrations by their names; for a role that sees them. */
export async function readMigrations(sql: Sql): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ name: string; digest: string }[]>`select name, digest from schema_migration`;
  return new Map(rows.map((row) => [row.name, row.digest]));
}

/** The deployment's embedding dimension, fixed by the first run of the migrations. */
export async function readEmbeddingDimension(sql: Sql): Promise<number | undefined> {
  const [row] = await sql<[{ dimension: number }?]>`select embedding_dimension as "dimension" from deployment`;
  return row?.dimension;
}

export async function ping(sql: Sql): Promise<void> {
  await sql`select 1`;
}

/**
 * Whether the server takes writes: it is no standby and not read-only, and its disk has room, which a temporary file of
 * some 300 KB shows without a trace in the log of writes.
 * @throws PostgresError 53100 when the disk is full
 */
export async function takesWrites(sql: Sql): Promise<boolean> {
  // A result that is larger than this goes to a file.
  const small = sql`select set_config('work_mem', '64kB', true)`.execute();
  const [row] = await sql<[{ takesWrites: boolean }]>`
    with spilled as materialized (select repeat(md5(n::text), 16) from generate_series(1, 600) n)
    select current_setting('transaction_read_only') = 'off' and (select count(*) from spilled) = 600 as "takesWrites"`;
  await small;
  return row.takesWrites;
}
