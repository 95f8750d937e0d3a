/** Databases and roles on which the service refuses to start. docs/reference/guarantees.md T5. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { readConfig } from "../../src/config.ts";
import { MIGRATIONS } from "../../src/db/migrations.ts";
import { Service } from "../../src/service.ts";
import { createDatabase, POSTGRES, type TestDatabase } from "../_postgres.ts";
import { POOLED, startPgBouncer } from "../_pgbouncer.ts";
import { startProcess } from "../_process.ts";

async function boot(env: Record<string, string>): Promise<void> {
  await using _service = await Service.boot(
    readConfig({ SVC_LOG_LEVEL: "error", SVC_DB_CONNECT_TIMEOUT_SECONDS: "30", ...env }),
    {
      workers: false,
      showFirstAccess: () => {},
    },
  );
}

async function refusalOf(env: Record<string, string>): Promise<string> {
  try {
    await boot(env);
  } catch (error) {
    assert.equal((error as { code?: string }).code, "conflict", String(error));
    return (error as Error).message;
  }
  return "started";
}

async function asSuperuser(database: TestDatabase, statements: string): Promise<void> {
  const sql = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
  await sql.unsafe(statements).finally(() => sql.end({ timeout: 5 }));
}

/** Makes a login role for one test, and returns its URL; the role is dropped with the test. */
async function createRole(database: TestDatabase, stack: AsyncDisposableStack, definition: string): Promise<string> {
  const role = `svc_test_role_${crypto.randomUUID().slice(0, 8)}`;
  await asSuperuser(database, `create role ${role} login password 'x' ${definition}`);
  stack.defer(() => asSuperuser(database, `drop role ${role}`));
  const url = new URL(database.requestUrl);
  url.username = role;
  url.password = "x";
  return url.href;
}

Deno.test({
  ...POSTGRES,
  name: "T5 the service refuses roles with too much power and says which",
  async fn(t) {
    await using database = await createDatabase();
    await using stack = new AsyncDisposableStack();
    const cases: Record<string, [url: string, reason: RegExp]> = {
      superuser: [database.superuserUrl, /the database role postgres is a superuser and bypasses row-level security/],
      owner: [database.ownerUrl, /the database role svc_test_owner owns the service's tables/],
      BYPASSRLS: [
        await createRole(database, stack, "bypassrls in role svc_app"),
        /the database role svc_test_role_\w+ bypasses row-level security;/,
      ],
      "a member of the owner": [
        await createRole(database, stack, "in role svc_app, svc_test_owner"),
        /owns the service's tables/,
      ],
      "a member of svc_definer, also without inheriting": [
        await createRole(database, stack, "noinherit in role svc_definer"),
        /the database role svc_test_role_\w+ is a member of svc_definer;/,
      ],
      "a role outside svc_app": [
        await createRole(database, stack, ""),
        /the database role svc_test_role_\w+ is not a member of svc_app;/,
      ],
    };
    for (const [name, [url, reason]] of Object.entries(cases)) {
      await t.step(name, async () => {
        const message = await refusalOf({ DATABASE_URL: url });
        assert.match(message, /^Cannot start: /);
        assert.match(message, reason);
      });
    }
    await t.step("the request role starts", async () => {
      assert.equal(await refusalOf({ DATABASE_URL: database.requestUrl }), "started");
    });
  },
});

Deno.test({
  ...POSTGRES,
  name: "T4 the service refuses to start where row-level security was taken away or gone around, and says where",
  async fn(t) {
    await using database = await createDatabase();
    const holes: [breakIt: string, mendIt: string, reason: RegExp][] = [
      [
        "alter table unit disable row level security",
        "alter table unit enable row level security",
        /the table unit has/,
      ],
      [
        "alter table turn no force row level security",
        "alter table turn force row level security",
        /the table turn has/,
      ],
      [
        "create table extra (workspace_id uuid)",
        "drop table extra",
        /the table extra has no forced row-level security/,
      ],
      [
        "create policy hole on unit for select to svc_app using (true)",
        "drop policy hole on unit",
        /the policy hole on unit does not look at the workspace/,
      ],
      [
        `create policy hole on unit for select to ${new URL(database.requestUrl).username} using (true)`,
        "drop policy hole on unit",
        /the policy hole on unit/,
      ],
      ["create policy hole on unit using (true)", "drop policy hole on unit", /the policy hole on unit/],
      [
        "create view all_units as select * from unit; grant select on all_units to svc_app",
        "drop view all_units",
        /the view all_units asks as its owner/,
      ],
      [
        "create materialized view all_units as select * from unit; grant select on all_units to svc_app",
        "drop materialized view all_units",
        /the view all_units asks as its owner/,
      ],
    ];
    for (const [breakIt, mendIt, reason] of holes) {
      await t.step(breakIt, async () => {
        await asSuperuser(database, breakIt);
        assert.match(await refusalOf({ DATABASE_URL: database.requestUrl }), reason);
        await asSuperuser(database, mendIt);
      });
    }
    // A table that requests cannot read, and a view that reads with their rights, are no holes.
    await asSuperuser(
      database,
      `create view theirs as select * from unit;
       create view ours with (security_invoker = true) as select * from unit; grant select on ours to svc_app`,
    );
    assert.equal(await refusalOf({ DATABASE_URL: database.requestUrl }), "started");
  },
});

Deno.test({
  ...POSTGRES,
  name: "the service refuses a schema of another build and another embedding dimension",
  async fn() {
    await using database = await createDatabase();
    const env = { DATABASE_URL: database.requestUrl };
    const last = MIGRATIONS.at(-1)!.name;
    await using small = await createDatabase({ embeddingDimension: 16 });
    assert.equal(
      await refusalOf({ DATABASE_URL: small.requestUrl }),
      "Cannot start: the database holds embeddings of 16 dimensions, the configuration says 384",
    );
    await asSuperuser(database, "insert into schema_migration (name, digest) values ('9999_future', 'x')");
    assert.equal(await refusalOf(env), "Cannot start: the database has 9999_future, which this build does not know");
    await asSuperuser(database, `delete from schema_migration where name in ('9999_future', '${last}')`);
    assert.equal(await refusalOf(env), `Cannot start: the database lacks ${last}; run \`svc migrate\` first`);
    await using empty = await createDatabase({ migrated: false });
    assert.equal(
      await refusalOf({ DATABASE_URL: empty.requestUrl }),
      "Cannot start: the database is not migrated; run `svc migrate` first",
    );
  },
});

Deno.test({
  ...POSTGRES,
  name: "with the owner's URL the service migrates an empty database before it serves",
  async fn() {
    await using database = await createDatabase({ migrated: false });
    const env = { DATABASE_URL: database.requestUrl, SVC_OWNER_DATABASE_URL: database.ownerUrl };
    assert.equal(await refusalOf(env), "started");
    assert.equal(await refusalOf({ DATABASE_URL: database.requestUrl }), "started");
  },
});

Deno.test({
  ignore: POSTGRES.ignore || POOLED.ignore,
  name: "behind a pooler the service starts with a way past it, and says without one, or with half of one, what to set",
  async fn() {
    await using database = await createDatabase();
    await using bouncer = await startPgBouncer(database);
    const pooled = bouncer.through(database.requestUrl);
    const lost = /leads through a pooler in transaction mode, where notifications get lost/;
    const without = await refusalOf({ DATABASE_URL: pooled });
    assert.match(without, lost);
    assert.match(without, /^Cannot start: DATABASE_URL .* set SVC_DATABASE_DIRECT_URL/);
    const roundabout = await refusalOf({ DATABASE_URL: pooled, SVC_DATABASE_DIRECT_URL: pooled });
    assert.match(roundabout, lost);
    assert.match(roundabout, /^Cannot start: SVC_DATABASE_DIRECT_URL /);
    const way = { SVC_DATABASE_DIRECT_URL: database.requestUrl };
    assert.match(
      await refusalOf({ DATABASE_URL: `${pooled}?prepare=true`, ...way }),
      /does not carry prepared statements; take `prepare=true` out of the URL$/,
    );
    for (const url of [pooled, `${pooled}?prepare=false`]) {
      assert.equal(await refusalOf({ DATABASE_URL: url, ...way }), "started");
    }
    await using sessions = await startPgBouncer(database, { mode: "session" });
    assert.equal(await refusalOf({ DATABASE_URL: sessions.through(database.requestUrl) }), "started");
  },
});

Deno.test({
  ...POSTGRES,
  name: "T5 `deno task start` as the owner of the tables ends with an error and says why",
  async fn() {
    await using database = await createDatabase();
    await using started = await startProcess({ DATABASE_URL: database.ownerUrl });
    assert.notEqual(await started.exitCode, 0);
    assert.match(started.output(), /^Cannot start: the database role svc_test_owner owns the service's tables/);
    assert.doesNotMatch(started.output(), /postgres:\/\//);
  },
});
