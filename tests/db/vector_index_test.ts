/** The nearest-neighbour index: which vectors are in it, and how it is built while the service runs. */
import assert from "node:assert/strict";
import { createConnection } from "node:net";
import postgres from "postgres";
import { startFaultServer } from "../../src/providers/_fault_server.ts";
import { buildNearestIndex, nearestIndexOf } from "../../src/db/nearest_index.ts";
import { embedWorkspace } from "../../src/domain/upkeep/embedding.ts";
import { createDatabase, POSTGRES, type TestDatabase } from "../_postgres.ts";
import { connectionOf } from "../../scripts/gate/native_postgres.ts";
import { findDeadPort } from "../_relay.ts";
import { startService } from "../_service.ts";
import { waitFor, within } from "../_wait.ts";
import { watchUncaught } from "./_door.ts";

const DIMENSION = 384;
/** The one over the vectors of an endpoint's model. */
const INDEX = nearestIndexOf("m")!;
const NEVER = new AbortController().signal;

/**
 * An embedding endpoint that returns the same vector for every text. `asked` is called with the texts of each request.
 */
function startEndpoint(asked: (texts: readonly string[]) => void = () => {}) {
  return startFaultServer(({ body }) => {
    asked(body.input as string[]);
    const data = (body.input as string[]).map((_, index) => ({
      ...{ object: "embedding", index },
      embedding: Array.from({ length: DIMENSION }, () => 1),
    }));
    return Response.json({ object: "list", model: "m", data, usage: { prompt_tokens: 1, total_tokens: 1 } });
  });
}

/** Two superuser connections to a database: one to query, one to keep a transaction open. */
function look(database: TestDatabase) {
  const sql = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
  const other = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
  const letGo: (() => Promise<void>)[] = [];
  return {
    sql,
    /**
     * Writes in a transaction that stays open: an index build cannot finish before this transaction ends. The end of
     * the connections ends a transaction that a failed test left open.
     */
    async hold() {
      const [isHeld, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const held = other.begin(async (tx) => {
        await tx`lock table embedding in row exclusive mode`;
        isHeld.resolve();
        await mayEnd.promise;
      });
      const end = async () => {
        mayEnd.resolve();
        await held;
      };
      letGo.push(end);
      await Promise.race([isHeld.promise, held]);
      return end;
    },
    async indexes() {
      const rows = await sql<{ name: string; valid: boolean }[]>`
        select c.relname as name, i.indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid
          join pg_am a on a.oid = c.relam where a.amname = 'hnsw' and i.indrelid = 'embedding'::regclass`;
      return Object.fromEntries(rows.map(({ name, valid }) => [name, valid]));
    },
    /** The backends that are building an index. */
    async builders() {
      return await sql<{ pid: number }[]>`
        select pid from pg_stat_activity
         where datname = ${database.name} and state = 'active' and query like 'create index concurrently%'`;
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(letGo.map((end) => end()));
      await Promise.all([sql.end({ timeout: 5 }), other.end({ timeout: 5 })]);
    },
  };
}

const WHOLE = { embedding_nearest_cosine: true };

Deno.test({
  ...POSTGRES,
  name: "the vectors of the table of word pieces need no nearest-neighbour index",
  async fn() {
    await using service = await startService({ workers: true });
    await using db = look(service.database!);
    assert.equal(
      (await service.post("/v1/memory/facts", { statement: "The observatory opened in spring" })).status,
      201,
    );
    const ready = await service.get("/health/ready", { key: null });
    assert.deepEqual([ready.status, ready.body.checks.vectorIndex], [200, undefined]);
    assert.match((await service.get("/metrics", { key: null })).body, /^svc_vector_index_ready 1$/m);
    assert.deepEqual(await db.indexes(), {});
  },
});

Deno.test({
  ...POSTGRES,
  name: "while the index of a model's vectors is being built the service is ready, finds texts, and says so",
  async fn() {
    await using endpoint = startEndpoint();
    await using database = await createDatabase();
    await using db = look(database);
    const letGo = await db.hold();
    await using service = await startService({
      database,
      workers: true,
      env: {
        SVC_EMBEDDINGS_URL: endpoint.url,
        SVC_EMBEDDINGS_MODEL: "m",
        SVC_OWNER_DATABASE_URL: database.ownerUrl,
        // With this limit, no workspace counts as small.
        SVC_SEMANTIC_EXACT_MAX: "0",
      },
    });
    await waitFor("it is being built", async () => (await db.builders()).length > 0);
    const during = await service.get("/health/ready", { key: null });
    assert.deepEqual([during.status, during.body.status, during.body.checks.vectorIndex], [200, "ok", "building"]);
    assert.match((await service.get("/metrics", { key: null })).body, /^svc_vector_index_ready 0$/m);
    const { status, body: written } = await service.post("/v1/memory/facts", { statement: "The observatory opened" });
    assert.equal(status, 201);
    const found = async (query: string) => {
      const reply = await service.post("/v1/memory/recall", { query });
      return reply.body.results.map((result: { id: string }) => result.id);
    };
    assert.deepEqual(await found("observatory"), [written.id]);
    assert.deepEqual(await found("zorbles"), []);
    await letGo();
    await waitFor(
      "the service knows that it is whole",
      async () => (await service.get("/health/ready", { key: null })).body.checks.vectorIndex === undefined,
    );
    assert.deepEqual(await db.indexes(), WHOLE);
    assert.match((await service.get("/metrics", { key: null })).body, /^svc_vector_index_ready 1$/m);
    // A text that shares no word with the query is now found by the index.
    await waitFor("it is found for its meaning", async () => (await found("zorbles"))[0] === written.id);
  },
});

Deno.test({
  ...POSTGRES,
  name: "an index whose build was broken off is dropped and built again",
  async fn() {
    await using database = await createDatabase();
    await using db = look(database);
    const letGo = await db.hold();
    const broken = buildNearestIndex(connectionOf(database.ownerUrl), INDEX, DIMENSION, NEVER);
    broken.catch(() => {});
    await waitFor("it waits for the writer", async () => (await db.indexes()).embedding_nearest_cosine === false);
    for (const { pid } of await db.builders()) await db.sql`select pg_terminate_backend(${pid})`;
    await assert.rejects(broken);
    await letGo();
    assert.deepEqual(await db.indexes(), { embedding_nearest_cosine: false });
    assert.equal(await buildNearestIndex(connectionOf(database.ownerUrl), INDEX, DIMENSION, NEVER), true);
    assert.deepEqual(await db.indexes(), WHOLE);
  },
});

Deno.test({
  ...POSTGRES,
  name: "one process builds the index, and another one leaves it to that; whoever stops breaks its build off",
  async fn() {
    await using database = await createDatabase();
    await using db = look(database);
    const letGo = await db.hold();
    const stop = new AbortController();
    const first = buildNearestIndex(connectionOf(database.ownerUrl), INDEX, DIMENSION, stop.signal);
    first.catch(() => {});
    await waitFor("it waits for the writer", async () => (await db.indexes()).embedding_nearest_cosine === false);
    assert.equal(await buildNearestIndex(connectionOf(database.ownerUrl), INDEX, DIMENSION, NEVER), false);
    assert.deepEqual(await db.indexes(), { embedding_nearest_cosine: false });
    stop.abort();
    await assert.rejects(first);
    await letGo();
    assert.equal(await buildNearestIndex(connectionOf(database.ownerUrl), INDEX, DIMENSION, NEVER), true);
    assert.deepEqual(await db.indexes(), WHOLE);
  },
});

Deno.test({
  ...POSTGRES,
  name: "a build that cannot be cancelled, because the database takes no connection any more, ends with its own",
  async fn() {
    using uncaught = watchUncaught();
    await using database = await createDatabase();
    await using db = look(database);
    const letGo = await db.hold();
    const { hostname, port } = new URL(database.ownerUrl);
    const ports = [Number(port), findDeadPort()];
    const way = { ...connectionOf(database.ownerUrl), socket: () => createConnection(ports.shift()!, hostname) };
    const stop = new AbortController();
    const building = buildNearestIndex(way, INDEX, DIMENSION, stop.signal);
    building.catch(() => {});
    await waitFor("it waits for the writer", async () => (await db.indexes()).embedding_nearest_cosine === false);
    stop.abort();
    await assert.rejects(within("the build ends", building), /CONNECTION_DESTROYED/);
    assert.deepEqual([ports, uncaught.errors], [[], []]);
    await letGo();
    await waitFor("nobody builds it", async () => (await db.builders()).length === 0);
  },
});

Deno.test({
  ...POSTGRES,
  name: "a write gives its vector no place in the index: a worker does, and asks the model no second time",
  async fn() {
    const asked: string[] = [];
    await using endpoint = startEndpoint((texts) => asked.push(...texts));
    await using service = await startService({ env: { SVC_EMBEDDINGS_URL: endpoint.url, SVC_EMBEDDINGS_MODEL: "m" } });
    await using db = look(service.database!);
    const statement = "The observatory opened in spring";
    const { body: written } = await service.post("/v1/memory/facts", { statement });
    const count = async () => {
      const [row] = await db.sql<[{ stored: number; waiting: number }]>`
        select (select count(*)::int from embedding where model = 'm') as stored,
               (select count(*)::int from embedding_pending where model = 'm' and vector is not null) as waiting`;
      return row;
    };
    assert.deepEqual(await count(), { stored: 0, waiting: 1 });
    const found = async (query: string) =>
      (await service.post("/v1/memory/recall", { query })).body.results.map((one: { id: string }) => one.id);
    assert.deepEqual(await found("observatory"), [written.id], "its words are found at once");
    while (await embedWorkspace(service.operator()));
    assert.deepEqual(await count(), { stored: 1, waiting: 0 });
    assert.deepEqual(await found("zorbles"), [written.id]);
    assert.deepEqual(asked.filter((text) => text === statement), [statement]);
    // A text that is erased while it is queued leaves nothing behind.
    const { body: second } = await service.post("/v1/memory/facts", { statement: "The harbour is closed on Sundays" });
    assert.deepEqual(await count(), { stored: 1, waiting: 1 });
    const erased = await service.post(`/v1/facts/${second.id}/forget`, { mode: "erase" });
    assert.equal(erased.status, 200, JSON.stringify(erased.body));
    assert.deepEqual(await count(), { stored: 1, waiting: 0 });
  },
});

Deno.test({
  ...POSTGRES,
  name: "while a write goes on, what waits for its vector gets it all the same",
  async fn() {
    await using service = await startService({ workers: true });
    await using db = look(service.database!);
    const [isOpen, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const write = service.operator().tx(async (tx) => {
      await tx.sql`select 1`;
      isOpen.resolve();
      await mayEnd.promise;
    });
    await isOpen.promise;
    // More texts than a write embeds by itself.
    const facts = Array.from({ length: 40 }, (_, i) => ({ statement: `Report ${i} is about the guinea pig` }));
    assert.equal((await service.post("/v1/memory/facts/batch", { facts })).status, 200);
    await waitFor("nothing waits any more", async () => {
      const [{ n }] = await db.sql<[{ n: number }]>`select count(*)::int as n from embedding_pending`;
      return n === 0;
    });
    mayEnd.resolve();
    await write;
  },
});
