/** Postgres down at boot, killed under load, back again. Security F2, F3; the liveness rule after every fault. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { findServerPrograms, NativePostgres } from "../../scripts/native_postgres.ts";
import { parseApiKey } from "../../src/crypto/api_key.ts";
import * as access from "../../src/domain/access.ts";
import { readConfig } from "../../src/config.ts";
import { Service } from "../../src/service.ts";
import { createDatabase, type TestDatabase } from "../_postgres.ts";
import { type Reply, startService, type TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";

/** These need a server of their own, to kill it. */
const SERVER = { ignore: await findServerPrograms() === undefined };

/** Far beyond what a refusal takes, and below the deadline of the database: nobody may have waited for that. */
const DEADLINE_MS = 30_000;
const QUICK_MS = 10_000;
const ENV = { SVC_DB_DEADLINE_MS: String(DEADLINE_MS) };

async function startCluster(stack: AsyncDisposableStack): Promise<{ cluster: NativePostgres; database: TestDatabase }> {
  const cluster = stack.use(await NativePostgres.start({ durable: true }));
  // Not disposed of: it goes with its cluster, which may be down by then.
  const database = await createDatabase({ cluster: cluster.url() });
  return { cluster, database };
}

function assertUnavailable(reply: Reply): void {
  assert.equal(reply.status, 503, JSON.stringify(reply.body));
  assert.equal(reply.body.code, "unavailable");
  assert.equal(reply.body.retryable, true);
  assert.ok(Number(reply.headers.get("retry-after")) > 0);
}

async function statusOf(service: Service, path: string): Promise<number> {
  const reply = await service.fetch(new Request(`http://svc.test${path}`));
  await reply.body?.cancel();
  return reply.status;
}

Deno.test({
  ...SERVER,
  name: "F3 Postgres down at boot: the process is up, refuses quickly, and serves as soon as Postgres is there",
  async fn() {
    await using stack = new AsyncDisposableStack();
    const { cluster, database } = await startCluster(stack);
    await cluster.stop("fast");
    let first: { workspaceId: string; key: string } | undefined;
    const service = stack.use(
      await Service.boot(readConfig({ DATABASE_URL: database.requestUrl, SVC_LOG_LEVEL: "error", ...ENV }), {
        workers: false,
        showFirstAccess: (access) => first = access,
      }),
    );
    const ask = async (path: string) => {
      const headers = { authorization: "Bearer anything" };
      const reply = await service.fetch(new Request(`http://svc.test${path}`, { headers }));
      return { status: reply.status, headers: reply.headers, body: await reply.json() };
    };
    assert.equal(await statusOf(service, "/healthz"), 200);
    assert.equal(await statusOf(service, "/health/live"), 200);
    assert.equal(await statusOf(service, "/metrics"), 200);
    const begun = performance.now();
    assert.equal(await statusOf(service, "/health/ready"), 503);
    const replies = await Promise.all(Array.from({ length: 100 }, () => ask("/v1/session")));
    assert.ok(performance.now() - begun < QUICK_MS);
    for (const reply of replies) assertUnavailable(reply);
    assert.equal(first, undefined);

    await cluster.start();
    await waitFor("readiness", async () => await statusOf(service, "/health/ready") === 200);
    // Whoever is told that it is ready is served.
    assert.equal((await ask("/v1/session")).status, 401);
    assert.ok(first);
  },
});

/** Writes turns until told to stop; keeps which of them were acknowledged, and how the others were refused. */
class Writers {
  readonly acknowledged = new Set<string>();
  readonly refused: { status: number; ms: number }[] = [];
  #stopping = false;
  readonly #running: Promise<void>[];

  constructor(service: TestService, sessionIds: readonly string[]) {
    this.#running = sessionIds.map((id, n) => this.#write(service, id, n));
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#running);
  }

  async #write(service: TestService, sessionId: string, writer: number): Promise<void> {
    for (let n = 0; !this.#stopping; n++) {
      const messageId = `message ${writer}-${n}`;
      const begun = performance.now();
      const reply = await service.post(`/v1/session/${sessionId}/turns`, {
        role: "user",
        messageId,
        content: `The marmot of writer ${writer} says ${n}.`,
      });
      if (reply.status === 201) this.acknowledged.add(messageId);
      else {
        assertUnavailable(reply);
        this.refused.push({ status: reply.status, ms: performance.now() - begun });
        // As a client would: not at once again.
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
  }
}

async function startSessions(service: TestService, n: number): Promise<string[]> {
  return await Promise.all(Array.from({ length: n }, async (_, i) => {
    const reply = await service.post("/v1/session", { title: `Writer ${i}` });
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
    return reply.body.id as string;
  }));
}

Deno.test({
  ...SERVER,
  name: "F2 Postgres is killed twice under load: nothing acknowledged is lost, refusals are quick, recovery by itself",
  async fn() {
    await using stack = new AsyncDisposableStack();
    const { cluster, database } = await startCluster(stack);
    const options = { database, workers: true, env: ENV };
    const near = stack.use(await startService(options));
    const far = stack.use(await startService(options));
    const writers = new Writers(near, await startSessions(near, 6));
    const seen = () => writers.acknowledged.size;

    for (const round of [1, 2]) {
      const before = seen();
      await waitFor("writes", () => seen() > before + 30);
      await cluster.kill();
      const refused = writers.refused.length;
      await waitFor("refusals", () => writers.refused.length > refused + 20);
      assert.equal(await statusOf(near.service, "/healthz"), 200);
      assert.equal(await statusOf(near.service, "/health/ready"), 503);
      await cluster.start();
      const down = seen();
      await waitFor(`writes again after kill ${round}`, () => seen() > down);
      await waitFor("readiness", async () => await statusOf(near.service, "/health/ready") === 200);
      await waitFor("readiness of the other", async () => await statusOf(far.service, "/health/ready") === 200);
    }
    await writers.stop();

    const slowest = Math.max(...writers.refused.map(({ ms }) => ms));
    assert.ok(slowest < QUICK_MS, `a refusal took ${slowest} ms`);
    const sql = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
    const stored = await sql<{ id: string; n: number }[]>`
      select message_id as id, count(*)::int as n from turn group by 1`.finally(() => sql.end());
    const found = new Map(stored.map(({ id, n }) => [id, n]));
    assert.deepEqual([...writers.acknowledged].filter((id) => found.get(id) !== 1), []);
    assert.deepEqual(stored.filter(({ n }) => n !== 1), []);
    console.log(JSON.stringify({
      acknowledged: seen(),
      refused: writers.refused.length,
      slowestRefusalMs: Math.round(slowest),
      storedWithoutReply: found.size - seen(),
      pools: near.deps.db.poolGeneration,
    }));
    // The liveness rule: everything works, on both.
    for (let n = 0; n < 50; n++) {
      for (const service of [near, far]) assert.equal((await service.get("/v1/session")).status, 200);
    }
    await assertHears(near, far);
  },
});

/** Notifications pass from one service to the other again: a revocation, and what was written. */
async function assertHears(near: TestService, far: TestService): Promise<void> {
  const key = await near.createKey();
  assert.equal((await far.get("/v1/session", { key })).status, 200);
  const publicId = parseApiKey(key)!.publicId;
  const listed = await access.listApiKeys(near.operator());
  await access.revokeApiKey(near.operator(), listed.find((row) => row.publicId === publicId)!.keyId);
  await waitFor("the revocation", async () => (await far.get("/v1/session", { key })).status === 401);

  const [sessionId] = await startSessions(near, 1);
  const content = "The heliograph stands on the northern terrace.";
  const turn = await near.post(`/v1/session/${sessionId}/turns`, { role: "user", messageId: "late", content });
  assert.equal(turn.status, 201);
  const farKey = await far.createKey({ workspaceId: near.workspaceId });
  const found = await far.post("/v1/memory/recall", { query: "Where is the heliograph?", types: ["turn"] }, {
    key: farKey,
  });
  assert.equal(found.status, 200, JSON.stringify(found.body));
  assert.match(JSON.stringify(found.body), /northern terrace/);
}
