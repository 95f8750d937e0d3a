/** Rules that the catalog must meet after the migrations. docs/reference/guarantees.md T4. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { DATA } from "../_data.ts";

const PUBLISHED = DATA === undefined ? undefined : `${DATA}/security/own/rls-catalog-audit.sql.txt`;
if (PUBLISHED === undefined) console.warn("NOT RUN: the published catalog audit; set SVC_TEST_DATA to its directory");

/** Tables that belong to no workspace. */
const WITHOUT_WORKSPACE = [
  ...["cluster_identity", "deployment", "newer_start", "placement", "placement_mark"],
  ...["placement_move", "replica_mark", "schema_migration", "svc_instance_secret", "svc_replay", "svc_sealed_items"],
];

/** Keys of unique indexes that do not start with the workspace, each with its reason. */
const GLOBAL_KEYS: Readonly<Record<string, string>> = {
  api_key_former_public_id: "as api_key_public_id: a secret that was rotated out is looked up in the same way",
  api_key_public_id: "a key is looked up before its workspace is known; the id is random and says nothing",
};

type Row = Record<string, string | null>;

async function withCatalog(work: (sql: postgres.Sql) => Promise<void>): Promise<void> {
  await using database = await createDatabase();
  const sql = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
  try {
    await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** A rule: a statement whose rows break it, and a way to break it, which proves that the statement finds that. */
interface Rule {
  readonly name: string;
  readonly violations: string;
  readonly breakIt: string;
}

/** All tables of the service, in any schema. */
const TABLES = `
  select c.oid, c.relname, c.relowner, c.relacl, c.relrowsecurity, c.relforcerowsecurity, n.nspname,
         exists (select from pg_attribute a
                  where a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped) as has_workspace
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.relkind in ('r', 'p') and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'`;

const FUNCTIONS = `
  select p.oid, p.proname, p.prosecdef, p.proconfig, p.proowner, p.proacl, n.nspname
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
   where n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'
     and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`;

const MAKE_DEFINER = `create function svc_system.f() returns int language sql security definer`;

const RULES: readonly Rule[] = [
  {
    name: "every table has a workspace_id, but for the deployment's own",
    violations: `select relname from (${TABLES}) t
                  where not has_workspace and relname not in ('${WITHOUT_WORKSPACE.join("', '")}')`,
    breakIt: "create table t (id int)",
  },
  {
    name: "row-level security is enabled and forced",
    violations:
      `select relname from (${TABLES}) t where has_workspace and not (relrowsecurity and relforcerowsecurity)`,
    breakIt: "alter table unit no force row level security",
  },
  {
    name: "every table has a policy for requests",
    violations: `select relname from (${TABLES}) t
                  where has_workspace and not exists (
                    select from pg_policy p where p.polrelid = t.oid and 'svc_app'::regrole = any(p.polroles))`,
    breakIt: "drop policy unit_own on unit",
  },
  {
    name: "a policy names its roles, is permissive and, for requests, looks at the workspace",
    violations: `select polname from pg_policy
                  where 0 = any(polroles) or not polpermissive
                     or ('svc_app'::regrole = any(polroles) and (
                          coalesce(pg_get_expr(polqual, polrelid), 'current_workspace') not like '%current_workspace%'
                       or coalesce(pg_get_expr(polwithcheck, polrelid), 'current_workspace') not like '%current_workspace%'))`,
    breakIt: "create policy p on unit using (workspace_id = current_workspace())",
  },
  {
    name: "foreign keys start with workspace_id on both sides",
    violations: `select k.conname from pg_constraint k join (${TABLES}) t on t.oid = k.conrelid
                  where k.contype = 'f' and not (
                    (select attname from pg_attribute where attrelid = k.conrelid and attnum = k.conkey[1]) = 'workspace_id'
                    and (select attname from pg_attribute where attrelid = k.confrelid and attnum = k.confkey[1]) = 'workspace_id')`,
    breakIt: "alter table turn add foreign key (message_id) references deployment_name (name)",
  },
  {
    name: "primary keys and unique keys start with workspace_id",
    violations:
      `select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid join (${TABLES}) t on t.oid = i.indrelid
                  where i.indisunique and t.has_workspace and c.relname not in ('${
        Object.keys(GLOBAL_KEYS).join("', '")
      }')
                    and not exists (select from pg_attribute a
                                     where a.attrelid = i.indrelid and a.attnum = i.indkey[0] and a.attname = 'workspace_id')`,
    breakIt: "create unique index u on unit (content_hash, workspace_id)",
  },
  {
    name: "there is no view that asks as its owner, and no materialized view",
    violations: `select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
                  where n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'
                    and (c.relkind = 'm' or (c.relkind = 'v' and not coalesce(c.reloptions::text[] &&
                         array['security_invoker=true', 'security_invoker=on', 'security_invoker=1'], false)))`,
    breakIt: "create view v as select text from unit",
  },
  {
    name:
      "functions with their owner's rights live in svc_system and belong to svc_definer, or to svc_eraser those that erase",
    violations: `select proname from (${FUNCTIONS}) f
                  where prosecdef is distinct from (nspname = 'svc_system')
                     or (prosecdef and proowner <> case
                       when proname in ('count_workspace_rows', 'erase_workspace_part') then 'svc_eraser'::regrole
                       else 'svc_definer'::regrole end)`,
    breakIt: `${MAKE_DEFINER} set search_path = pg_catalog, pg_temp as 'select 1'`,
  },
  {
    name: "functions with their owner's rights have a fixed search path",
    violations: `select proname from (${FUNCTIONS}) f
                  where prosecdef and not coalesce(proconfig @> array['search_path=pg_catalog, pg_temp'], false)`,
    breakIt: `${MAKE_DEFINER} as 'select 1'`,
  },
  {
    name: "functions with their owner's rights are for svc_app and not for everybody",
    violations: `select f.proname from (${FUNCTIONS}) f,
                        lateral aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) a
                  where f.prosecdef and a.grantee not in ('svc_app'::regrole, f.proowner)`,
    breakIt: `${MAKE_DEFINER} set search_path = pg_catalog, pg_temp as 'select 1'`,
  },
  {
    name: "triggers fire for tables of the service only by functions of its own without their owner's rights",
    violations:
      `select g.tgname from pg_trigger g join pg_proc p on p.oid = g.tgfoid where not g.tgisinternal and p.prosecdef`,
    breakIt:
      `create function svc_system.g() returns trigger language plpgsql security definer as 'begin return new; end';
              create trigger g before insert on unit for each row execute function svc_system.g()`,
  },
  {
    name: "the group roles cannot log in and have no power of their own",
    violations: `select rolname from pg_roles
                  where rolname in ('svc_app', 'svc_definer', 'svc_test_request')
                    and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication
                         or (rolcanlogin and rolname <> 'svc_test_request'))`,
    breakIt: "alter role svc_app createdb",
  },
  {
    name: "svc_app is in no other role, and what requests use is in svc_app alone",
    violations: `select m.member::regrole::text from pg_auth_members m
                  where m.member in ('svc_app'::regrole, 'svc_definer'::regrole, 'svc_test_request'::regrole)
                    and (m.member <> 'svc_test_request'::regrole or m.roleid <> 'svc_app'::regrole)`,
    breakIt: "grant svc_definer to svc_app",
  },
  {
    name: "requests and definer functions own no table, sequence or schema",
    violations: `select relname::text from pg_class
                  where relowner in ('svc_app'::regrole, 'svc_definer'::regrole, 'svc_test_request'::regrole)
                  union all select nspname::text from pg_namespace
                  where nspowner in ('svc_app'::regrole, 'svc_definer'::regrole, 'svc_test_request'::regrole)`,
    breakIt: "create table t (id int); alter table t owner to svc_definer",
  },
  {
    name: "nobody but the owner has TRUNCATE, REFERENCES or TRIGGER, and PUBLIC has nothing",
    violations:
      `select t.relname from (${TABLES}) t, lateral aclexplode(coalesce(t.relacl, acldefault('r', t.relowner))) a
                  where a.grantee <> t.relowner and (a.grantee = 0 or a.privilege_type in ('TRUNCATE', 'REFERENCES', 'TRIGGER'))`,
    breakIt: "grant truncate on unit to svc_app",
  },
  {
    name: "requests create nothing in any schema",
    violations: `select n.nspname, r.rolname from pg_namespace n, pg_roles r
                  where r.rolname in ('svc_app', 'svc_definer', 'svc_test_request') and n.nspname not like 'pg\\_%'
                    and has_schema_privilege(r.oid, n.oid, 'create')`,
    breakIt: "grant create on schema svc_system to svc_definer",
  },
  {
    name: "the append-only tables are that: no UPDATE for requests, and no DELETE but the erasure of events",
    violations: `select t.relname from (${TABLES}) t
                  where t.relname in ('change', 'deletion_log', 'event')
                    and (has_any_column_privilege('svc_app', t.oid, 'update') or (t.relname <> 'event' and has_table_privilege('svc_app', t.oid, 'delete')))`,
    breakIt: "grant update (payload) on change to svc_app",
  },
];

Deno.test({
  ...POSTGRES,
  name: "T4 the catalog keeps every rule, and every rule notices what breaks it",
  async fn(t) {
    await withCatalog(async (sql) => {
      for (const { name, violations, breakIt } of RULES) {
        await t.step(name, async () => {
          assert.deepEqual([...await sql.unsafe(violations)], []);
          await sql.begin(async (tx) => {
            await tx`create table deployment_name (name text primary key)`;
            await tx.unsafe(breakIt);
            assert.notEqual((await tx.unsafe(violations)).length, 0, "nothing noticed");
            await tx.unsafe("rollback; begin");
          });
        });
      }
    });
  },
});

Deno.test({
  ...POSTGRES,
  ignore: POSTGRES.ignore || PUBLISHED === undefined,
  name: "T4 the published catalog audit returns no row",
  async fn() {
    const text = (await Deno.readTextFile(PUBLISHED!)).replaceAll("'app'", "'svc_app'");
    assert.match(text, /has_table_privilege\('svc_app'/);
    await withCatalog(async (sql) => {
      assert.deepEqual([...await sql.unsafe<Row[]>(text)], []);
    });
  },
});
