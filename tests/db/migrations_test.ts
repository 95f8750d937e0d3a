/** Migrations: one process applies each, wholly or not at all, and an unknown one is refused. F15, F16. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import postgres from "postgres";
import { connectionOf } from "../../scripts/gate/native_postgres.ts";
import { LOCKED } from "../../scripts/locked.ts";
import { migrate, MIGRATIONS, refuseForeignMigrations } from "../../src/db/migrations.ts";
import { readConfig } from "../../src/config.ts";
import { migrateDatabase } from "../../src/migrate.ts";
import { createDatabase, POSTGRES, type TestDatabase } from "../_postgres.ts";
import { POOLED, startPgBouncer } from "../_pgbouncer.ts";
import { waitFor } from "../_wait.ts";

const ROOT = new URL("../../", import.meta.url);
const NAMES = MIGRATIONS.map(({ name }) => name);
const OPTIONS = { embeddingDimension: 384 };

/** An empty database; another one is made first, because it makes the roles, which belong to the cluster. */
async function createEmpty(): Promise<TestDatabase> {
  await using _roles = await createDatabase();
  return await createDatabase({ migrated: false });
}

function connect(url: string) {
  const sql = postgres(url, { max: 2, onnotice: () => {} });
  return { sql, [Symbol.asyncDispose]: () => sql.end({ timeout: 5 }) };
}

/** Everything that migrations make, as sorted lines. */
async function describeSchema(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql<{ line: string }[]>`
    with own as (select oid from pg_namespace where nspname in ('public', 'svc_system'))
    select 'relation ' || c.oid::regclass || ' ' || c.relkind::text || ' ' || c.relrowsecurity::text || ' ' || coalesce((select string_agg(a::text, ' ' order by a::text) from unnest(c.relacl) a), '')
             as line
      from pg_class c where c.relnamespace in (select oid from own) and c.relname not like 'schema_migration%'
    union all select 'column ' || a.attrelid::regclass || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
      from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace in (select oid from own) and a.attnum > 0 and not a.attisdropped and c.relname not like 'schema_migration%'
    union all select 'constraint ' || conrelid::regclass || ' ' || pg_get_constraintdef(oid)
      from pg_constraint where connamespace in (select oid from own) and conrelid <> 0
       and conrelid::regclass::text not like 'schema_migration%'
    union all select 'index ' || pg_get_indexdef(i.indexrelid)
      from pg_index i join pg_class c on c.oid = i.indexrelid
     where c.relnamespace in (select oid from own) and c.relname not like 'schema_migration%'
    union all select 'policy ' || polrelid::regclass || ' ' || polname || ' ' || coalesce(pg_get_expr(polqual, polrelid), '')
             || ' ' || coalesce(pg_get_expr(polwithcheck, polrelid), '') from pg_policy
    union all select 'function ' || p.oid::regprocedure || ' ' || p.prosrc || ' ' || coalesce((select string_agg(a::text, ' ' order by a::text) from unnest(p.proacl) a), '') from pg_proc p
     where p.pronamespace in (select oid from own) and p.proname !~ '^test_'
       and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    union all select 'type ' || t.oid::regtype || ' ' || t.typtype::text from pg_type t
     where t.typnamespace in (select oid from own) and t.typtype = 'e'
    order by 1`;
  return rows.map(({ line }) => line);
}

/**
 * A sum over the rows of the catalogs that migrations write and over their versions: it changes with any row that a
 * committed transaction has written or deleted there.
 */
async function sumUpCatalogs(sql: postgres.Sql): Promise<string> {
  const catalogs = [
    ...["pg_attrdef", "pg_attribute", "pg_class", "pg_constraint", "pg_index", "pg_namespace", "pg_policy", "pg_proc"],
    ...["pg_trigger", "pg_type"],
  ];
  // The others have an oid.
  const keys: Record<string, string> = { pg_attribute: "attrelid::text || attnum", pg_index: "indexrelid::text" };
  const sums = catalogs.map((name) =>
    `select '${name}', count(*), sum(hashtext(oid_or_column || xmin::text)) from
    (select xmin, ${keys[name] ?? "oid::text"} as oid_or_column from ${name}) c`
  );
  return JSON.stringify(await sql.unsafe(`${sums.join(" union all ")} order by 1`));
}

async function describeDatabase(url: string): Promise<string[]> {
  await using connection = connect(url);
  return await describeSchema(connection.sql);
}

Deno.test("the list of migrations is the folder, in order", async () => {
  const files: string[] = [];
  for await (const { name } of Deno.readDir(new URL("migrations", ROOT))) if (/^\d/.test(name)) files.push(name);
  assert.deepEqual(NAMES.map((name) => `${name}.sql`), files.sort());
  for (const { name, text } of MIGRATIONS) {
    assert.equal(text, await Deno.readTextFile(new URL(`migrations/${name}.sql`, ROOT)));
  }
});

Deno.test({
  ignore: POSTGRES.ignore || POOLED.ignore,
  name:
    "F16 four processes at once, two of them through a pooler in transaction mode: each migration is applied by one of them",
  async fn() {
    await using database = await createEmpty();
    await using bouncer = await startPgBouncer(database, { poolSize: 2 });
    const ownerUrls = [database.ownerUrl, bouncer.through(database.ownerUrl)];
    const outputs = await Promise.all([...ownerUrls, ...ownerUrls].map(async (ownerUrl) => {
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", "--quiet", new URL("src/cli/main.ts", ROOT).pathname, "migrate"],
        env: { DATABASE_URL: database.requestUrl, SVC_OWNER_DATABASE_URL: ownerUrl, SVC_SENTENCE_ENCODER: "off" },
        stdin: "null",
      }).output();
      assert.equal(code, 0, new TextDecoder().decode(stderr));
      return JSON.parse(new TextDecoder().decode(stdout)).applied as string[];
    }));
    assert.deepEqual(outputs.flat().sort(), NAMES);
    await using reference = await createDatabase();
    assert.deepEqual(await describeDatabase(database.superuserUrl), await describeDatabase(reference.superuserUrl));
  },
});

/** Stops a run right after the statements of one migration, before it is noted and committed. */
async function holdAt(sql: postgres.Sql, name: string): Promise<{ release(): Promise<void> }> {
  const key = 4_711;
  const [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
  await sql`select pg_advisory_lock(${key})`;
  await sql.unsafe(`
    create table if not exists schema_migration (
      name text primary key, digest text not null, applied_at timestamptz not null default now());
    create or replace function test_hold() returns trigger language plpgsql as $$
      begin if new.name = '${name}' then perform pg_advisory_xact_lock(${key}); end if; return new; end $$;
    create or replace trigger test_hold before insert on schema_migration for each row execute function test_hold();`);
  return {
    async release() {
      const [again] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
      assert.equal(again.pid, pid);
      await sql`select pg_advisory_unlock(${key})`;
    },
  };
}

/** The backend that is held by `holdAt`. */
async function findHeld(sql: postgres.Sql): Promise<number> {
  return await waitFor("a run that is held in its migration", async () => {
    const [row] = await sql<[{ pid: number }?]>`
      select pid from pg_locks
       where locktype = 'advisory' and not granted and objid = 4711
         and database = (select oid from pg_database where datname = current_database())`;
    return row?.pid;
  });
}

/** Interrupts a run that is held in a migration. @param findHeld returns the number of its backend */
type Interrupt = (url: string, findHeld: () => Promise<number>, sql: postgres.Sql) => Promise<void>;

const killBackend: Interrupt = async (url, findHeld, sql) => {
  const run = outcomeOf(url);
  await sql`select pg_terminate_backend(${await findHeld()}, 10000)`;
  assert.match(await run, /CONNECTION_CLOSED|57P01/);
};

/** Cancels the statement, as statement_timeout does. */
const cancelStatement: Interrupt = async (url, findHeld, sql) => {
  const run = outcomeOf(url);
  await sql`select pg_cancel_backend(${await findHeld()})`;
  assert.equal(await run, "57014");
};

const killProcess: Interrupt = async (url, findHeld, sql) => {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", ...LOCKED, "-A", "--no-check", "--quiet", new URL("tests/db/_migrate.ts", ROOT).pathname, url],
    ...{ stdin: "null", stdout: "null", stderr: "null" },
  }).spawn();
  const pid = await findHeld();
  child.kill("SIGKILL");
  await child.status;
  await waitFor("its backend has ended", async () => {
    const [row] = await sql`select from pg_stat_activity where pid = ${pid}`;
    return row === undefined;
  });
};

const INTERRUPTIONS = [killBackend, cancelStatement, killProcess];

async function outcomeOf(url: string): Promise<string> {
  try {
    await migrate(connectionOf(url), OPTIONS);
    return "completed";
  } catch (error) {
    return String((error as { code?: unknown }).code ?? error);
  }
}

Deno.test({
  ...POSTGRES,
  name:
    "F15 killed, cut off or cancelled in any of its migrations, a run leaves nothing of it; the next one completes the schema",
  async fn(t) {
    await using database = await createEmpty();
    await using reference = await createDatabase();
    await using superuser = connect(database.superuserUrl);
    await using holder = connect(database.ownerUrl);
    const one = await holder.sql.reserve();
    for (const [i, name] of NAMES.entries()) {
      await t.step(name, async () => {
        const held = await holdAt(one, name);
        // While the first run is held, the migrations before this one are committed, and nothing of this one is.
        let before: string | undefined;
        const findIt = async () => {
          const pid = await findHeld(superuser.sql);
          before ??= await sumUpCatalogs(superuser.sql);
          return pid;
        };
        for (const interrupt of INTERRUPTIONS) {
          await interrupt(database.ownerUrl, findIt, superuser.sql);
          const noted = await superuser.sql<{ name: string }[]>`select name from schema_migration order by name`;
          assert.deepEqual(noted.map((row) => row.name), NAMES.slice(0, i));
          assert.equal(await sumUpCatalogs(superuser.sql), before);
        }
        await held.release();
      });
    }
    one.release();
    await superuser.sql.unsafe("drop trigger test_hold on schema_migration; drop function test_hold");
    assert.deepEqual(await migrate(connectionOf(database.ownerUrl), OPTIONS), NAMES.slice(-1));
    assert.deepEqual(await describeSchema(superuser.sql), await describeDatabase(reference.superuserUrl));
  },
});

Deno.test({
  ...POSTGRES,
  name: "F15 a process that is killed in a migration keeps nobody from migrating after it",
  async fn() {
    await using database = await createEmpty();
    await using superuser = connect(database.superuserUrl);
    await using holder = connect(database.ownerUrl);
    const one = await holder.sql.reserve();
    const held = await holdAt(one, NAMES[2]!);
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--quiet", new URL("src/cli/main.ts", ROOT).pathname, "migrate"],
      env: { DATABASE_URL: database.requestUrl, SVC_OWNER_DATABASE_URL: database.ownerUrl },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    await findHeld(superuser.sql);
    child.kill("SIGKILL");
    await child.status;
    await held.release();
    one.release();
    await migrate(connectionOf(database.ownerUrl), OPTIONS);
    await superuser.sql.unsafe("drop trigger test_hold on schema_migration; drop function test_hold");
    await using reference = await createDatabase();
    assert.deepEqual(await describeSchema(superuser.sql), await describeDatabase(reference.superuserUrl));
  },
});

Deno.test({
  ...POSTGRES,
  name: "a migration that was changed after it was applied, and one that this build does not know, are refused",
  async fn() {
    await using database = await createDatabase();
    await using owner = connect(database.ownerUrl);
    const [first] = NAMES;
    const [{ digest }] = await owner.sql<
      [{ digest: string }]
    >`select digest from schema_migration where name = ${first!}`;
    await owner.sql`update schema_migration set digest = 'other' where name = ${first!}`;
    await assert.rejects(
      migrate(connectionOf(database.ownerUrl), OPTIONS),
      { code: "conflict", message: `Cannot migrate: the database has ${first} with a different text than this build` },
    );
    await owner.sql`update schema_migration set digest = ${digest} where name = ${first!}`;
    await owner.sql`insert into schema_migration (name, digest) values ('9999_future', 'x')`;
    await assert.rejects(
      migrate(connectionOf(database.ownerUrl), OPTIONS),
      { code: "conflict", message: "Cannot migrate: the database has 9999_future, which this build does not know" },
    );
    await owner.sql`delete from schema_migration where name = '9999_future'`;
    assert.deepEqual(await migrate(connectionOf(database.ownerUrl), OPTIONS), []);
  },
});

Deno.test({
  ...POSTGRES,
  name: "a deployment's embedding dimension does not change",
  async fn() {
    await using database = await createDatabase({ embeddingDimension: 16 });
    await assert.rejects(
      migrate(connectionOf(database.ownerUrl), { embeddingDimension: 32 }),
      { code: "conflict", message: "Cannot use embeddings of 32 dimensions: this deployment has 16" },
    );
    assert.deepEqual(await migrate(connectionOf(database.ownerUrl), { embeddingDimension: 16 }), []);
  },
});

/** A database as the last alpha left it, with a workspace and a fact in it. */
async function createAlpha(): Promise<TestDatabase> {
  const database = await createEmpty();
  const file = await Deno.open(new URL("tests/data/alpha/migrations.json.gz", ROOT));
  const alpha: { name: string; text: string }[] = await new Response(
    file.readable.pipeThrough(new DecompressionStream("gzip")),
  ).json();
  await using owner = connect(database.ownerUrl);
  await owner.sql`create table schema_migration (
    name text primary key, digest text not null, applied_at timestamptz not null default now())`;
  for (const { name, text } of alpha) {
    // Statements that are sent together are one transaction.
    await owner.sql.unsafe(text);
    const digest = createHash("sha256").update(text).digest("hex");
    await owner.sql`insert into schema_migration (name, digest) values (${name}, ${digest})`;
  }
  await owner.sql.unsafe(`grant select on schema_migration to svc_app;
    insert into deployment (embedding_dimension) values (384);
    create index reasoning_vector_hnsw on reasoning_vector using hnsw ((vector::vector(384)) vector_cosine_ops)`);
  return database;
}

Deno.test({
  ...POSTGRES,
  name: "a database of the last alpha is taken over, by one of two processes: its rows stay, its schema is today's",
  async fn() {
    await using database = await createAlpha();
    await using reference = await createDatabase();
    await using superuser = connect(database.superuserUrl);
    const { sql } = superuser;
    const workspaceId = crypto.randomUUID();
    await sql`select svc_system.create_workspace(${workspaceId}, 'older', 'us-east-1')`;
    await sql`insert into vocabulary (workspace_id, sensitivity, term) values (${workspaceId}, 'internal', 'tide')`;
    const both = await Promise.all([1, 2].map(() => migrate(connectionOf(database.ownerUrl), OPTIONS)));
    assert.deepEqual(both.flat().toSorted(), NAMES.slice(12), "each by one of them");
    assert.deepEqual(await describeSchema(sql), await describeDatabase(reference.superuserUrl));
    assert.deepEqual((await sql`select name from workspace`).map(({ name }) => name), ["older"]);
    assert.equal((await sql`select from vocabulary where term = 'tide'`).length, 1);
    assert.deepEqual(await migrate(connectionOf(database.ownerUrl), OPTIONS), []);
  },
});

Deno.test({
  ...POSTGRES,
  name: "a database of an earlier alpha is refused with what to do, and not touched; one of the last is not started on",
  async fn() {
    await using database = await createAlpha();
    await using superuser = connect(database.superuserUrl);
    const { sql } = superuser;
    const applied = async () => {
      const rows = await sql<{ name: string; digest: string }[]>`select name, digest from schema_migration`;
      return new Map(rows.map(({ name, digest }) => [name, digest]));
    };
    const last = await applied();
    assert.throws(() => refuseForeignMigrations(last, "start"), /the last alpha; run `svc migrate` first/);
    await sql`delete from schema_migration where name = '0147_newer_links'`;
    const before = await sumUpCatalogs(sql);
    await assert.rejects(migrate(connectionOf(database.ownerUrl), OPTIONS), /an earlier alpha .*svc export/);
    assert.equal(await sumUpCatalogs(sql), before);
  },
});

Deno.test({
  ...POSTGRES,
  name: "a database that does not let its owner in is refused with the server's reason and the variable",
  async fn() {
    await using database = await createDatabase();
    const owner = new URL(database.ownerUrl);
    const url = (change: Partial<URL>) => Object.assign(new URL(owner), change).href;
    const cases = [
      [
        url({ pathname: "/nowhere" }),
        /the database refuses what is in SVC_OWNER_DATABASE_URL \(database "nowhere" does not/,
      ],
      [url({ username: "nobody_here" }), /the database refuses what is in SVC_OWNER_DATABASE_URL \(.*nobody_here/],
    ] as const;
    for (const [ownerUrl, message] of cases) {
      const config = readConfig({ DATABASE_URL: database.ownerUrl, SVC_OWNER_DATABASE_URL: ownerUrl });
      await assert.rejects(migrateDatabase(config), { code: "unavailable", message });
    }
  },
});
