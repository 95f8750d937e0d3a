/** What the request role may do, looked at when the service starts. Decisions §2 "Roles in Postgres". */
import type { Sql } from "../scope.ts";

export interface RolePrivileges {
  readonly role: string;
  readonly superuser: boolean;
  readonly bypassesRls: boolean;
  /** Tables of the schema that the role owns, or may become the owner of. */
  readonly ownedTables: number;
  readonly embeddingDimension: number | null;
}

export async function readPrivileges(sql: Sql): Promise<RolePrivileges> {
  const [row] = await sql<[RolePrivileges]>`
    select current_user as "role", r.rolsuper as "superuser", r.rolbypassrls as "bypassesRls",
           (select count(*)::int from pg_class c
             where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
               and pg_has_role(current_user, c.relowner, 'member')) as "ownedTables",
           (select embedding_dimension from deployment) as "embeddingDimension"
      from pg_roles r where r.rolname = current_user`;
  return row;
}

export async function ping(sql: Sql): Promise<void> {
  await sql`select 1`;
}
