/** The audit log: who saw and changed what, in a chain. docs/reference/guarantees.md T65 and T66. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import postgres from "postgres";
import { commitToAddress } from "../../src/crypto/audit_chain.ts";
import { hashLeaf, verifyConsistency, verifyInclusion } from "../../src/crypto/merkle.ts";
import { isSignedBy } from "../../src/crypto/signed_note.ts";
import { SYSTEM_WORKSPACE } from "../../src/domain/common/system.ts";
import { pathOf } from "../../src/http/app.ts";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import type { Endpoint } from "../../src/http/route.ts";
import { bearerFor, createFixture, type Fixture } from "../_fixtures.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { assertChain, connectSuperuser, fillLog, readLog } from "./_audit.ts";
import { StreamClient } from "./_stream.ts";
import { Tables } from "./_tables.ts";
import { emptyWorkspace, exportAll, sha256 } from "./_transfer.ts";
import { auditTrailOf } from "../../src/domain/audit/trail.ts";

Deno.test({
  ...POSTGRES,
  name: "T65 every request leaves one row in an unbroken chain: what it changed, showed or was refused",
  async fn() {
    await using service = await startService();
    await using superuser = connectSuperuser(service);
    const { body: fact } = await service.post("/v1/memory/facts", { statement: "The build runs on two cores" });
    await service.get(`/v1/facts/${fact.id}`);
    await service.post("/v1/memory/recall", { query: "two cores" });
    await service.post("/v1/memory/recall/hot", { query: "two cores" }, { once: true });
    await service.get(`/v1/facts/${crypto.randomUUID()}`);
    const narrow = await service.createKey({ scopes: ["memory:read"] });
    await service.post("/v1/memory/facts", { statement: "No" }, { key: narrow });
    await auditTrailOf(service.deps).flush();
    const rows = (await readLog(superuser.sql, service.workspaceId)).filter((row) => row.actor_type === "key");
    const seen = rows.map((row) => [row.event_type, row.outcome, row.targets.includes(fact.id)]);
    // Writes are in the log immediately, reads a moment later.
    assert.deepEqual(seen, [
      ["write.createFact", "ok", true],
      ["read.getFactV2", "ok", true],
      ["read.recall", "ok", true],
      ["read.recallHot", "ok", true],
      ["refused.getFactV2", "not_found", false],
      ["refused.createFact", "insufficient_scope", false],
    ]);
    assertChain(await readLog(superuser.sql, service.workspaceId));
  },
});

Deno.test({
  ...POSTGRES,
  name: "what a reply shows is told wherever in it it stands: batches, graphs, profiles",
  async fn() {
    await using service = await startService();
    const statement = "The build runs on two cores";
    const { body: fact } = await service.post("/v1/memory/facts", { statement, factType: "preference", pinned: true });
    const { body: session } = await service.post("/v1/session", { title: "Build" });
    await service.post(`/v1/session/${session.id}/turns`, { role: "user", content: "How many cores has the build?" });
    const reads = [
      await service.post("/v1/memory/recall/batch", { queries: [{ query: "two cores" }] }),
      await service.get("/v1/graph"),
      await service.get(`/v1/session/${session.id}/context?query=two+cores`),
      await service.get("/v1/self/profile"),
    ];
    for (const { status, body } of reads) assert.equal(status, 200, JSON.stringify(body));
    await auditTrailOf(service.deps).flush();
    const { body: page } = await service.get(`/v1/audit?target=${fact.id}&eventType=read.`);
    const holding = reads.filter(({ body }) => JSON.stringify(body).includes(fact.id));
    assert.ok(holding.length >= 3, "batch, graph and profile show it");
    assert.equal(page.data.length, holding.length, "as many rows name it as replies show it");
  },
});

Deno.test({
  ...POSTGRES,
  name: "T65 an export tells how many lines it showed and their hash, also one whose reader goes away",
  async fn() {
    await using service = await startService();
    await service.post("/v1/memory/facts", { statement: "The build runs on two cores" });
    const ended = async () => {
      await auditTrailOf(service.deps).flush();
      return (await service.get("/v1/audit?eventType=export.ended&order=asc")).body.data.map(
        (
          row: { outcome: string; target_count: number; detail: { sha256: string } },
        ) => [row.outcome, row.target_count, row.detail.sha256],
      );
    };
    const { lines, end } = await exportAll(service);
    const whole = ["ok", lines.length, end.sha256];
    assert.deepEqual(await ended(), [whole]);
    const headers = { authorization: `Bearer ${service.key}` };
    const reply = await service.service.fetch(new Request("http://svc.test/v1/export?types=fact", { headers }));
    const reader = reply.body!.getReader();
    const text = async () => new TextDecoder().decode((await reader.read()).value);
    const shown = await text() + await text();
    await reader.cancel();
    assert.deepEqual(await ended(), [whole, ["broken_off", 1, sha256(shown)]]);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T65 what a key is refused again and again is counted; the first refusals and other keys' have rows of their own",
  async fn() {
    await using service = await startService();
    const [one, other] = [await service.createKey({ scopes: [] }), await service.createKey({ scopes: [] })];
    {
      await using flooded = await startService({ database: service.database! });
      for (let i = 0; i < 33; i++) await flooded.get("/v1/facts", { key: one });
      for (let i = 0; i < 20; i++) await flooded.get("/v1/facts", { key: other });
    }
    const { data } = (await service.get("/v1/audit?eventType=refused.&limit=200")).body;
    const byActor = Map.groupBy(
      data as { actor_id: string; event_type: string; outcome: string }[],
      (row) => row.actor_id,
    );
    assert.deepEqual([...byActor.values()].map((rows) => rows.length).sort(), [20, 21]);
    const [counted, ...more] = data.filter((row: { event_type: string }) => row.event_type === "refused.repeatedly");
    assert.deepEqual([counted.outcome, counted.detail.count, more.length], ["insufficient_scope", 13, 0]);
    assert.deepEqual((await service.get("/v1/audit/verify")).body.ok, true);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T65 a hundred writers at once make one chain without a gap, two processes too",
  async fn() {
    // A busy machine may be slow.
    const env = { SVC_DB_DEADLINE_MS: "120000" };
    await using service = await startService({ env });
    await using other = await startService({ env, database: service.database! });
    await using superuser = connectSuperuser(service);
    await Promise.all(Array.from({ length: 100 }, async (_, i) => {
      const to = i % 2 === 0 ? service : other;
      const key = service.key;
      const reply = await to.post("/v1/memory/facts", { statement: `Item ${i} weighs ${i} grams` }, { key });
      assert.equal(reply.status, 201);
      await to.get(`/v1/facts/${reply.body.id}`, { key });
    }));
    await auditTrailOf(service.deps).flush();
    await auditTrailOf(other.deps).flush();
    const rows = await readLog(superuser.sql, service.workspaceId);
    assert.equal(rows.filter((row) => row.event_type === "write.createFact").length, 100);
    assert.equal(rows.filter((row) => row.event_type === "read.getFactV2").length, 100);
    assertChain(rows);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T66 what cannot be told to the audit log is not done: every write is 503, nothing changes, and nothing is shown",
  async fn(t) {
    await using service = await startService();
    await using superuser = connectSuperuser(service);
    await using tables = new Tables(service);
    const writes = ENDPOINTS.filter(({ idempotency }) => idempotency === "kept");
    assert.ok(writes.length > 60, `${writes.length}`);
    const prepared = new Map<Endpoint, Fixture>();
    for (const endpoint of writes) prepared.set(endpoint, await createFixture(service, endpoint));
    const send = async (endpoint: Endpoint) => {
      const { params, query = "", ...fixture } = prepared.get(endpoint)!;
      const path = pathOf(endpoint).replaceAll(/\{(\w+)\}/g, (_, name) => params[name]!) + query;
      const body = fixture.body ?? exampleOf(endpoint);
      const key = bearerFor(service, endpoint, prepared.get(endpoint));
      return await service.call(endpoint.route.method.toUpperCase(), path, { body, key });
    };
    const target = await emptyWorkspace(service);
    const { text } = await exportAll(service);
    await auditTrailOf(service.deps).flush();
    const places = [service.workspaceId, target.workspaceId, SYSTEM_WORKSPACE];
    const digests = () =>
      Promise.all(places.map(async (workspaceId) => {
        // Any request uses up its one-time code, and the use of the key is noted.
        const { svc_admin: _, svc_admin_key: __, ...others } = await tables.digest(workspaceId);
        return others;
      }));
    const readKeys = () => superuser.sql`select key_id, version, secret_hash, revoked_at from api_key order by key_id`;
    const [before, keys] = [await digests(), await readKeys()];
    await superuser.sql`revoke insert on svc_audit_log from svc_app`;
    for (const endpoint of writes) {
      await t.step(endpoint.route.operationId, async () => {
        const refused = await send(endpoint);
        if (NOTHING_TO_DO.has(endpoint.route.operationId)) return;
        assert.deepEqual([refused.status, refused.body.code], [503, "unavailable"], JSON.stringify(refused.body));
        assert.equal(refused.headers.get("retry-after"), "1");
      });
    }
    await t.step("an import", async () => {
      const headers = { "content-type": "application/x-ndjson" };
      const refused = await service.call("POST", "/v1/import", { key: target.key, body: text, headers });
      assert.deepEqual([refused.status, refused.body.code], [503, "unavailable"], JSON.stringify(refused.body));
    });
    assert.deepEqual(await digests(), before, "something was changed");
    assert.deepEqual(await readKeys(), keys);
    await t.step("once as many rows wait as may, nothing is read either", () => readWithoutRoom(service));
    await superuser.sql`grant insert on svc_audit_log to svc_app`;
    await t.step("with the log they are done", async () => {
      await auditTrailOf(service.deps).flush();
      assert.equal((await service.get("/v1/facts")).status, 200);
      const done = await service.post("/v1/memory/facts", { statement: "The build runs on two cores" });
      assert.equal(done.status, 201);
    });
  },
});

/** Fills the memory for rows that cannot be written; then every request that shows something is refused. */
async function readWithoutRoom(service: TestService): Promise<void> {
  const client = await StreamClient.open(service.listen().url, { key: service.key });
  await using _ = client;
  const read = () => service.get("/v1/facts");
  assert.equal((await read()).status, 200, "what is read before is kept in memory");
  const subject = { actor: "cli", operationId: "test", requestId: "test" };
  const isFull = () => {
    try {
      auditTrailOf(service.deps).requireRoom();
      return false;
    } catch {
      return true;
    }
  };
  for (let n = 0; n < 100_000 && !isFull(); n++) {
    auditTrailOf(service.deps).note(service.workspaceId, subject, { eventType: "read.test" });
  }
  const replies = [
    await read(),
    await service.post("/v1/memory/recall/hot", { query: "two cores" }),
    await service.post("/svc.v1.SvcService/Recall", { query: "two cores" }),
  ];
  for (const { status, body, headers } of replies) {
    assert.deepEqual([status, body.code], [503, "unavailable"], JSON.stringify(body));
    assert.equal(headers.get("retry-after"), "1");
  }
  assert.equal((await client.subscribe("memory")).code, "unavailable", "nor is it told on a stream");
  assert.equal((await service.get("/health/live", { key: null })).status, 200);
}

/** Operations whose examples change nothing in the fixtures, so there is nothing to record. */
const NOTHING_TO_DO = new Set([
  "reflectSelf",
  "resolveReasoning",
  "unfileEntity",
  "unfileEntityV2",
  "unpinFact",
  "updateSkill",
]);

function exampleOf(endpoint: Endpoint): unknown {
  const content = endpoint.route.request?.body?.content as Record<string, { example?: unknown }> | undefined;
  return Object.values(content ?? {}).find((type) => type.example !== undefined)?.example;
}

Deno.test({
  ...POSTGRES,
  name: "T65 nobody changes, deletes or truncates a row, the tables' owner included",
  async fn() {
    await using service = await startService();
    await service.post("/v1/memory/facts", { statement: "The build runs on two cores" });
    await auditTrailOf(service.deps).flush();
    for (const url of [service.database!.requestUrl, service.database!.ownerUrl, service.database!.superuserUrl]) {
      const sql = postgres(url, { max: 1, onnotice: () => {} });
      try {
        const attempts = [
          "update svc_audit_log set actor_id = 'nobody'",
          "delete from svc_audit_log",
          "truncate svc_audit_log",
          "delete from svc_audit_head",
          "truncate svc_audit_head",
        ];
        for (const attempt of attempts) {
          const refusal = sql.begin(async (tx) => {
            await tx`select set_config('app.workspace_id', ${service.workspaceId}, true)`;
            const rows = await tx.unsafe(`${attempt}`);
            // Forced policies of another role hide all rows from the owner: nothing is changed either.
            assert.equal(rows.count, 0);
            throw Object.assign(new Error("no row"), { code: "42501" });
          });
          await assert.rejects(refusal, { code: "42501" }, `${attempt} as ${new URL(url).username}`);
        }
      } finally {
        await sql.end({ timeout: 5 });
      }
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "an address stands beside its commitment, so that it can be forgotten with the chain intact",
  async fn() {
    await using service = await startService();
    await using superuser = connectSuperuser(service);
    const { url } = service.listen();
    const reply = await fetch(`${url}/v1/session`, { headers: { authorization: `Bearer ${service.key}` } });
    await reply.body?.cancel();
    await auditTrailOf(service.deps).flush();
    const [row] = await superuser.sql`
      select l.ip_commitment, a.ip_address, a.salt from svc_audit_log l join svc_audit_address a using (workspace_id, seq)
       where workspace_id = ${service.workspaceId}`;
    assert.equal(row.ip_address, "127.0.0.1");
    assert.equal(commitToAddress("127.0.0.1", row.salt).commitment, row.ip_commitment);
    await superuser.sql`delete from svc_audit_address`;
    assertChain(await readLog(superuser.sql, service.workspaceId));
  },
});

Deno.test({
  ...POSTGRES,
  name: "T65 a row's proof and the proof between two checkpoints hold for a verifier that has nothing else",
  async fn() {
    await using service = await startService();
    await fillLog(service);
    const first = (await service.get("/v1/audit/checkpoint")).body;
    await fillLog(service);
    const { body: consistency } = await service.get(`/v1/audit/consistency?first=${first.size}`);
    assert.equal(consistency.firstRoot, first.root);
    const bytes = (hex: string) => Uint8Array.fromHex(hex);
    const { second, secondRoot, path } = consistency;
    assert.ok(verifyConsistency(first.size, bytes(first.root), second, bytes(secondRoot), path.map(bytes)));
    const { body: page } = await service.get("/v1/audit?eventType=write.createFact&order=asc&limit=3");
    for (const row of page.data) {
      const { body: proof } = await service.get(`/v1/audit/${row.seq}/proof?size=${second}`);
      assert.equal(proof.leafHash, hashLeaf(bytes(row.hash)).toHex());
      assert.ok(verifyInclusion(bytes(proof.leafHash), row.seq - 1, second, proof.path.map(bytes), bytes(secondRoot)));
    }
    assert.equal((await service.get("/v1/audit/999999/proof")).status, 404);
    assert.equal((await service.get(`/v1/audit/consistency?first=999999`)).status, 404);
    const { body: verified } = await service.get("/v1/audit/verify");
    assert.deepEqual([verified.ok, verified.problem, verified.firstBadSeq], [true, null, null]);
    assert.ok(verified.checkpointsChecked >= 1);
  },
});

Deno.test({
  ...POSTGRES,
  name: "the log is listed by kind, actor, outcome, resource and time, each workspace's its own",
  async fn() {
    await using service = await startService();
    await fillLog(service);
    const { body: fact } = await service.post("/v1/memory/facts", { statement: "The build runs on two cores" });
    const list = async (query: string, key?: string) => {
      const reply = await service.get(`/v1/audit?${query}`, key === undefined ? {} : { key });
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      return reply.body.data;
    };
    const [only] = await list(`target=${fact.id}`);
    assert.equal(only.event_type, "write.createFact");
    assert.match(only.actor_id, /^key:/);
    assert.equal(
      (await list("eventType=write.")).every((row: { event_type: string }) => /^write\./.test(row.event_type)),
      true,
    );
    assert.equal((await list(`requestId=${only.request_id}`)).length, 1);
    assert.equal((await list("outcome=not_found")).length, 0);
    assert.equal((await list("to=2000-01-01T00:00:00Z")).length, 0);
    const stranger = await service.createKey({ workspaceId: await service.createWorkspace() });
    assert.equal((await list("eventType=write.", stranger)).length, 0);
    const seen = new Set<number>();
    for (let cursor: string | null = ""; cursor !== null;) {
      const { body: page } = await service.get(`/v1/audit?limit=4&order=asc${cursor && `&cursor=${cursor}`}`);
      for (const row of page.data) seen.add(row.seq);
      cursor = page.nextCursor;
    }
    assert.deepEqual([...seen], Array.from({ length: seen.size }, (_, i) => i + 1));
  },
});

Deno.test({
  ...POSTGRES,
  name: "the worker gives out signed checkpoints: to the table, the log stream and the file; also of the system's log",
  async fn() {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const file = await Deno.makeTempFile();
    const lines: string[] = [];
    await using service = await startService({
      env: {
        SVC_FEDERATION_PRIVATE_KEY: privateKey.export({ format: "pem", type: "pkcs8" }) as string,
        SVC_AUDIT_CHECKPOINT_FILE: file,
        SVC_LOG_LEVEL: "info",
      },
      logSink: (line) => void lines.push(line),
    });
    await fillLog(service);
    await service.step("audit");
    await service.step("audit");
    const written = (await Deno.readTextFile(file)).trim().split("\n").map((line) => JSON.parse(line));
    assert.equal(written.length, 1, "nothing was added, so none was made");
    const raw = publicKey.export({ format: "jwk" }).x!;
    assert.ok(isSignedBy(written[0].note, Uint8Array.fromBase64(raw, { alphabet: "base64url" })));
    assert.ok(lines.some((line) => line.includes("audit.checkpoint")));
    const { body } = await service.get("/v1/audit/checkpoint");
    assert.equal(body.note, written[0].note);
    assert.equal(body.signed, true);
    await Deno.remove(file);
  },
});

Deno.test({
  ...POSTGRES,
  name: "a key that cannot be read is told at boot, and nothing is signed",
  async fn() {
    const lines: string[] = [];
    await using service = await startService({
      env: { SVC_FEDERATION_PRIVATE_KEY: "no key" },
      logSink: (line) => void lines.push(line),
    });
    assert.ok(lines.some((line) => line.includes("federation.serve_crypto_init_failed")));
    await fillLog(service);
    assert.equal((await service.get("/v1/audit/checkpoint")).body.signed, false);
  },
});

Deno.test({
  ...POSTGRES,
  name: "a chain that cannot be written holds up no other, and gets its rows when it can be again",
  async fn() {
    await using service = await startService();
    await using superuser = connectSuperuser(service);
    const other = await service.createWorkspace("other");
    const key = await service.createKey({ workspaceId: other });
    await auditTrailOf(service.deps).flush();
    const count = async (workspaceId: string) => {
      const [row] = await superuser.sql`
        select count(*)::int as n from svc_audit_log where workspace_id = ${workspaceId}
           and event_type = 'read.listFactsV2'`;
      return row!["n"];
    };
    await superuser.sql.unsafe(`
      create function refuse_here() returns trigger language plpgsql as $$ begin
        if new.workspace_id = '${service.workspaceId}' then raise exception 'not here'; end if;
        return new;
      end $$;
      create trigger refuse_here before insert on svc_audit_log for each row execute function refuse_here()`);
    await service.get("/v1/facts");
    await service.get("/v1/facts", { key });
    await assert.rejects(auditTrailOf(service.deps).flush());
    assert.deepEqual([await count(service.workspaceId), await count(other)], [0, 1]);
    await superuser.sql`drop trigger refuse_here on svc_audit_log`;
    await auditTrailOf(service.deps).flush();
    assert.deepEqual([await count(service.workspaceId), await count(other)], [1, 1]);
  },
});
