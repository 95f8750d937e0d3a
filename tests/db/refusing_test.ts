/** A database that is there and will not serve: 503 with Retry-After through every face, never 500. docs/reference/guarantees.md F1, F8. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { createDatabase, POSTGRES, type TestDatabase } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";

/** Runs statements as the superuser, in another database, and then ends all connections to this one. */
async function spoil({ superuserUrl, name }: TestDatabase, ...statements: string[]): Promise<void> {
  const url = new URL(superuserUrl);
  url.pathname = "/postgres";
  const sql = postgres(url.href, { max: 1, onnotice: () => {} });
  try {
    const end = () => sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
    await end();
    for (const statement of statements) {
      // Renaming waits for the connections that are just ending, or that are made meanwhile.
      await waitFor(statement, async () => {
        await end();
        return await sql.unsafe(statement).then(() => true);
      });
    }
    await end();
  } finally {
    await sql.end({ timeout: 5 });
  }
}

const FACES = [
  ["HTTP", "/v1/memory/facts", (statement: string) => ({ statement })],
  ["RPC", "/svc.v1.SvcService/Remember", (statement: string) => ({ statement })],
  ["MCP", "/mcp", (statement: string) => ({
    ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
    params: { name: "remember", arguments: { statement } },
  })],
] as const;

async function writeThroughAll(service: TestService, what: string): Promise<number[]> {
  const statuses: number[] = [];
  for (const [face, path, bodyOf] of FACES) {
    const headers = { accept: "application/json, text/event-stream" };
    const reply = await service.call("POST", path, { body: bodyOf(`${face} writes ${what}.`), headers });
    const problem = face === "MCP"
      ? reply.body.result?.structuredContent?.problem ?? reply.body.error?.data
      : reply.body;
    statuses.push(reply.status === 200 && problem?.status !== undefined ? problem.status : reply.status);
    if (reply.status === 503) assert.ok(Number(reply.headers.get("retry-after")) > 0, `${face} ${what}`);
    assert.notEqual(reply.status, 500, `${face} ${what}: ${JSON.stringify(reply.body)}`);
  }
  return statuses;
}

async function readiness(service: TestService) {
  const { status, body } = await service.get("/health/ready", { key: null });
  return [status, body.checks.database, body.checks.writes];
}

const WAYS: readonly (readonly [string, (name: string) => string, (name: string) => string])[] = [
  [
    "takes no connections (55000)",
    (n) => `alter database ${n} allow_connections false`,
    (n) => `alter database ${n} allow_connections true`,
  ],
  [
    "has no connection left (53300)",
    (n) => `alter database ${n} connection limit 0`,
    (n) => `alter database ${n} connection limit -1`,
  ],
  [
    "does not let the role connect (42501)",
    (n) => `revoke connect on database ${n} from public`,
    (n) => `grant connect on database ${n} to public`,
  ],
  [
    "has another name (3D000)",
    (n) => `alter database ${n} rename to ${n}_away`,
    (n) => `alter database ${n}_away rename to ${n}`,
  ],
];

Deno.test({
  ...POSTGRES,
  name: "F1 a database that refuses connections is 503 with Retry-After through every face, and serves again by itself",
  async fn(t) {
    for (const [what, begin, end] of WAYS) {
      await t.step(`it ${what}`, async () => {
        await using database = await createDatabase();
        await using service = await startService({ database, env: { SVC_DB_DEADLINE_MS: "1000" } });
        assert.deepEqual(await writeThroughAll(service, "before"), [201, 200, 200]);
        await spoil(database, begin(database.name));
        // The first requests may still meet the connections that were ended.
        for (let n = 0; n < 2; n++) {
          assert.deepEqual(await writeThroughAll(service, `away ${n}`), [503, 503, 503]);
        }
        assert.deepEqual(await readiness(service), [503, "unavailable", undefined]);
        await spoil(database, end(database.name));
        await waitFor("readiness", async () => (await readiness(service))[0] === 200);
        assert.deepEqual(await writeThroughAll(service, "after"), [201, 200, 200]);
      });
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "F8 a write to a database that can be read only is refused with 503, and readiness says so",
  async fn() {
    await using database = await createDatabase();
    await using service = await startService({ database });
    assert.deepEqual(await writeThroughAll(service, "before"), [201, 200, 200]);
    assert.deepEqual(await readiness(service), [200, "ok", undefined]);
    await spoil(database, `alter database ${database.name} set default_transaction_read_only = on`);
    await waitFor("the change", async () => (await readiness(service))[2] === "unavailable");
    assert.deepEqual(await readiness(service), [503, "ok", "unavailable"]);
    assert.deepEqual(await writeThroughAll(service, "read-only"), [503, 503, 503]);
    await spoil(database, `alter database ${database.name} reset default_transaction_read_only`);
    await waitFor("readiness", async () => (await readiness(service))[0] === 200);
    assert.deepEqual(await writeThroughAll(service, "after"), [201, 200, 200]);
  },
});
