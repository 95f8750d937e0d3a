/** `Idempotency-Key`. docs/reference/guarantees.md T59. */
import assert from "node:assert/strict";
import { pathOf } from "../../src/http/app.ts";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import type { Tx } from "../../src/db/tx.ts";
import { answerAfter, answerOnce } from "../../src/domain/access/idempotency.ts";
import { startSession } from "../../src/domain/sessions/session.ts";
import { sweepWorkspace } from "../../src/domain/upkeep/sweeping.ts";
import { createTestAdmins, type TestAdmin } from "../_admin.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { connectSuperuser } from "./_audit.ts";
import { emptyWorkspace, exportAll, JSONL } from "./_transfer.ts";
import { auditTrailOf } from "../../src/domain/audit/trail.ts";

const FACT = { statement: "The build runs on two cores" };

function once(service: TestService, key: string, body: unknown = FACT, path = "/v1/memory/facts") {
  return service.post(path, body, { headers: { "idempotency-key": key } });
}

async function countFacts(service: TestService, key?: string): Promise<number> {
  return (await service.get("/v1/facts?limit=200", key === undefined ? {} : { key })).body.data.length;
}

for (const embedded of [false, true]) {
  Deno.test({
    ...(embedded ? {} : POSTGRES),
    name: `T59 the same key and request get the first reply, ${embedded ? "embedded" : "native"}`,
    async fn() {
      await using service = await startService({ embedded });
      const first = await once(service, "k1");
      const second = await once(service, "k1");
      assert.equal(first.status, 201);
      assert.equal(first.headers.get("idempotency-replayed"), null);
      assert.equal(second.status, 201);
      assert.equal(second.headers.get("idempotency-replayed"), "true");
      assert.deepEqual(second.body, first.body);
      assert.equal(second.headers.get("etag"), first.headers.get("etag"));
      const fact = await service.get(`/v1/facts/${first.body.id}`);
      assert.equal(fact.body.corroborationCount, 0, "it was not stated again");
    },
  });

  Deno.test({
    ...(embedded ? {} : POSTGRES),
    name: `T59 fifty at once have one effect and one reply, ${embedded ? "embedded" : "native"}`,
    async fn() {
      await using service = await startService({ embedded });
      const replies = await Promise.all(Array.from({ length: 50 }, () => once(service, "fifty")));
      assert.deepEqual(new Set(replies.map((reply) => reply.status)), new Set([201]));
      assert.equal(new Set(replies.map((reply) => JSON.stringify(reply.body))).size, 1);
      assert.equal(replies.filter((reply) => reply.headers.get("idempotency-replayed") === null).length, 1);
      assert.equal((await service.get(`/v1/facts/${replies[0].body.id}`)).body.corroborationCount, 0);
    },
  });
}

for (const embedded of [false, true]) {
  Deno.test({
    ...(embedded ? {} : POSTGRES),
    name: `T59 an import under a key takes one file and answers its report again, ${embedded ? "embedded" : "native"}`,
    async fn() {
      await using service = await startService({ embedded });
      await service.post("/v1/memory/facts", FACT);
      const { text: file } = await exportAll(service);
      await service.post("/v1/memory/facts", { statement: "The build takes two minutes" });
      const { text: other } = await exportAll(service);
      const { key, workspaceId } = await emptyWorkspace(service);
      const send = (body: string, path = "/v1/import", bearer = key) =>
        service.call("POST", path, { body, key: bearer, headers: { ...JSONL, "idempotency-key": "file" } });
      const broken = await send(file.slice(0, -10));
      assert.equal(broken.body.code, "validation_failed", "what is refused leaves the key free");
      const first = await send(file);
      assert.equal(first.status, 200, JSON.stringify(first.body));
      assert.ok(first.body.created > 0);
      const again = await send(file);
      assert.equal(again.headers.get("idempotency-replayed"), "true");
      assert.deepEqual(again.body, first.body, "it would be `unchanged` if the file were read again");
      const reused = await send(other);
      assert.deepEqual([reused.status, reused.body.code], [422, "idempotency_key_reused"]);
      // The report was made for a higher clearance, so the row is hidden, but not the fact that its name is taken.
      const low = await service.createKey({ workspaceId, maxSensitivity: "internal" });
      const hidden = await send(file, "/v1/import", low);
      assert.deepEqual([hidden.status, hidden.body.code], [422, "idempotency_key_reused"]);
      assert.equal(await countFacts(service, key), 1);
      // The state that a dying process leaves: there is a claim, but no reply.
      const ctx = service.operator(workspaceId);
      await ctx.tx((tx) =>
        tx.sql`update idempotent_reply set status = null, body = null where workspace_id = ${tx.workspaceId}`
      );
      assert.equal((await send(other)).body.code, "idempotency_key_reused");
      const finished = await send(file);
      assert.equal(finished.headers.get("idempotency-replayed"), null);
      assert.deepEqual([finished.status, finished.body.created], [200, 0]);
      assert.deepEqual((await send(file)).body, finished.body);
      assert.equal((await send(other, "/v1/memory/admin/import")).status, 200, "another operation");
    },
  });
}

Deno.test({
  ...POSTGRES,
  name: "T59 two processes at work in parts under one key answer the reply that was first",
  async fn() {
    await using service = await startService();
    await using other = await startService({ database: service.database! });
    const request = { operationId: "test", key: "k", fingerprint: ["f"] };
    const [a, b] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const begin = (of: TestService, body: Promise<string>) => {
      const begun = Promise.withResolvers<void>();
      const answer = answerAfter(of.operator(service.workspaceId), request, async () => {
        begun.resolve();
        return { status: 200, headers: {}, body: await body };
      });
      return begun.promise.then(() => ({ answer }));
    };
    const slow = await begin(service, a.promise);
    const fast = await begin(other, b.promise);
    b.resolve("fast");
    assert.deepEqual([(await fast.answer).reply.body, (await fast.answer).isReplay], ["fast", false]);
    a.resolve("slow");
    assert.deepEqual([(await slow.answer).reply.body, (await slow.answer).isReplay], ["fast", true]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T59 two processes: one effect, and whoever comes too early is told to come again",
  async fn() {
    await using service = await startService();
    await using other = await startService({ database: service.database! });
    await using superuser = connectSuperuser(service);
    const { key } = service;
    const send = (to: TestService, name = "both", body = FACT) =>
      to.call("POST", "/v1/memory/facts", { body, key, headers: { "idempotency-key": name } });
    const held = { statement: "The build is held" };
    // The first request is held inside its transaction; without a lock on its name, the second one would get as far.
    const [first, early] = await superuser.sql.begin(async (sql) => {
      await sql`lock table unit in exclusive mode`;
      const waiting = async () => {
        const [{ count }] = await sql<[{ count: number }]>`
          select count(*)::int as count from pg_locks where not granted and relation = 'unit'::regclass
             and database = (select oid from pg_database where datname = current_database())`;
        return count;
      };
      const first = send(service, "held", held);
      await waitFor("the first request waits inside", async () => await waiting() === 1);
      let isAnswered = false;
      const second = send(other, "held", held).finally(() => isAnswered = true);
      await waitFor("the second is answered or waits inside too", async () => isAnswered || await waiting() === 2);
      return [() => first, () => second];
    }).then((sent) => Promise.all(sent.map((reply) => reply())));
    assert.equal(first!.status, 201);
    assert.deepEqual([early!.status, early!.body.code], [409, "idempotency_in_progress"]);
    const replies = await Promise.all(Array.from({ length: 20 }, (_, i) => send(i % 2 === 0 ? service : other)));
    for (const { status, body, headers } of replies) {
      if (status === 201) continue;
      assert.equal(status, 409);
      assert.equal(body.code, "idempotency_in_progress");
      assert.equal(headers.get("retry-after"), "1");
    }
    const [a, b] = [await send(service), await send(other)];
    assert.equal(a.body.id, b.body.id);
    assert.equal(b.headers.get("idempotency-replayed"), "true");
    for (const { id } of [a.body, first!.body]) {
      assert.equal((await service.get(`/v1/facts/${id}`)).body.corroborationCount, 0);
    }
    assert.equal(await countFacts(service), 2);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T59 another body, If-Match, clearance or admin under the same key is refused; another endpoint or workspace is not",
  async fn() {
    await using service = await startService();
    const first = await once(service, "k");
    const other = await once(service, "k", { statement: "The build runs on four cores" });
    assert.equal(other.status, 422);
    assert.equal(other.body.code, "idempotency_key_reused");
    const cleared = await service.createKey({ maxSensitivity: "internal" });
    const lower = await service.post("/v1/memory/facts", FACT, { key: cleared, headers: { "idempotency-key": "k" } });
    assert.equal(lower.status, 422, "a reply made for a higher clearance is not served");
    assert.equal(lower.body.code, "idempotency_key_reused");
    const second = { statement: "The build takes two minutes" };
    const low = await service.post("/v1/memory/facts", second, { key: cleared, headers: { "idempotency-key": "k2" } });
    assert.equal(low.status, 201);
    const higher = await once(service, "k2", second);
    assert.deepEqual([higher.status, higher.body.code], [422, "idempotency_key_reused"], "nor one made for a lower");
    const path = `/v1/memory/facts/${first.body.id}`;
    const change = (version: number) =>
      service.patch(path, { confidence: 0.4 }, { headers: { "idempotency-key": "k", "if-match": `"${version}"` } });
    assert.equal((await change(1)).status, 200);
    assert.equal((await change(1)).headers.get("idempotency-replayed"), "true");
    const otherVersion = await change(2);
    assert.deepEqual(
      [otherVersion.status, otherVersion.body.code],
      [422, "idempotency_key_reused"],
      "another If-Match",
    );
    const decision = { title: "Cores", decision: "Two cores." };
    assert.equal((await once(service, "k", decision, "/v1/memory/decisions")).status, 201);
    const stranger = await service.createKey({ workspaceId: await service.createWorkspace() });
    const elsewhere = await service.post("/v1/memory/facts", FACT, {
      key: stranger,
      headers: { "idempotency-key": "k" },
    });
    assert.equal(elsewhere.status, 201);
    assert.notEqual(elsewhere.body.id, first.body.id);
    assert.equal(elsewhere.headers.get("idempotency-replayed"), null);

    // Replies to all admins are stored in one workspace, and each belongs to its own admin.
    const [one, two] = await createTestAdmins(service, 2);
    const found = (admin: TestAdmin) =>
      service.post("/v1/admin/workspaces", { name: "found once", region: "us-east-1" }, {
        key: admin.key,
        headers: { "idempotency-key": "k" },
      });
    const made = await found(one);
    assert.equal(made.status, 201, JSON.stringify(made.body));
    assert.deepEqual((await found(one)).body, made.body);
    const otherAdmin = await found(two);
    assert.deepEqual([otherAdmin.status, otherAdmin.body.code], [422, "idempotency_key_reused"], "another admin");
  },
});

/** The same value with the members of its objects in the reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).reverse().map(([name, member]) => [name, reversed(member)]));
}

Deno.test({
  ...POSTGRES,
  name:
    "T59 a repetition that spells out defaults or orders members otherwise is the same request, for every operation",
  async fn(t) {
    await using service = await startService();
    const apart: string[] = [];
    for (const endpoint of ENDPOINTS) {
      const { body: schema, example, idempotency, bearer } = endpoint;
      const path = pathOf(endpoint);
      if (schema === undefined || example.body === undefined || idempotency === "none") continue;
      if (bearer !== "key" || path.includes("{")) continue;
      const read = schema.safeParse(example.body);
      if (!read.success) continue;
      const name = `${endpoint.route.method} ${path}`;
      const send = (body: unknown) =>
        service.call(endpoint.route.method.toUpperCase(), path, {
          body,
          headers: { "idempotency-key": name.replace(" ", "") },
        });
      const first = await send(example.body);
      // Its example names what is not in this workspace.
      if (first.status >= 300) continue;
      apart.push(name);
      await t.step(name, async () => {
        const spelled = await send(reversed(read.data));
        assert.deepEqual([spelled.status, spelled.headers.get("idempotency-replayed")], [first.status, "true"]);
        assert.deepEqual(spelled.body, first.body);
        const padded = await send(`  ${JSON.stringify(example.body, null, 2)}\n`);
        assert.equal(padded.headers.get("idempotency-replayed"), "true");
      });
    }
    assert.ok(apart.length >= 15, apart.join(", "));
    await t.step("another value is another request, and so is one that cannot be read", async () => {
      // No example states it: what is known already answers 200.
      const fact = { statement: "Quince jam keeps for two winters" };
      assert.equal((await once(service, "other", fact)).status, 201);
      for (const body of [{ ...fact, tags: ["a"] }, { ...fact, confidence: 0.5 }, { ...fact, colour: "red" }, "{"]) {
        const reply = await once(service, "other", body);
        assert.deepEqual([reply.status, reply.body.code], [422, "idempotency_key_reused"], JSON.stringify(body));
      }
      const spelled = await once(service, "other", { ...fact, tags: [], metadata: {} });
      assert.deepEqual([spelled.status, spelled.headers.get("idempotency-replayed")], [201, "true"]);
    });
  },
});

Deno.test({
  ...POSTGRES,
  name: "T59 a refusal is not kept: nothing is stored of it, and the request may be mended",
  async fn() {
    await using service = await startService();
    const path = `/v1/memory/facts/${crypto.randomUUID()}`;
    const missing = await service.patch(path, { confidence: 0.4 }, { headers: { "idempotency-key": "r" } });
    assert.equal(missing.status, 404);
    assert.equal((await once(service, "r2", { statement: "" })).status, 422);
    assert.equal((await once(service, "r2")).status, 201);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T59 a key that is empty, too long or not visible is refused",
  async fn() {
    await using service = await startService();
    for (const key of ["", "a".repeat(256), "a".repeat(10_240), "with space", "tab\there", "ümlaut"]) {
      const reply = await once(service, key);
      assert.equal(reply.status, 400, JSON.stringify(key));
      assert.equal(reply.body.code, "invalid_request");
    }
    assert.equal((await once(service, "a".repeat(255))).status, 201);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T59 after 24 hours the key is free again, and what was kept is deleted",
  async fn() {
    await using service = await startService();
    await using superuser = connectSuperuser(service);
    const first = await once(service, "old");
    await superuser.sql`update idempotent_reply set created_at = now() - interval '24 hours 1 second'`;
    const again = await once(service, "old");
    assert.equal(again.headers.get("idempotency-replayed"), null);
    assert.equal(again.status, 200, "the fact is known");
    assert.equal(again.body.id, first.body.id);
    await superuser.sql`update idempotent_reply set created_at = now() - interval '24 hours 1 second'`;
    await sweepWorkspace(service.operator());
    const [{ count }] = await superuser.sql`select count(*)::int from idempotent_reply`;
    assert.equal(count, 0);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T59 erasing takes the copies of the reply too, whoever they were made for",
  async fn() {
    await using service = await startService();
    await using superuser = connectSuperuser(service);
    // It has no words that could be found as a quotation, so the replies are found by the ids in them.
    const { body: fact } = await once(service, "secret", { statement: "★☆★" });
    const internal = await service.createKey({ maxSensitivity: "internal" });
    const erase = await service.post(`/v1/facts/${fact.id}/forget`, { mode: "erase" }, { key: internal });
    assert.equal(erase.status, 200, JSON.stringify(erase.body));
    const [{ kept }] = await superuser.sql`
      select count(*)::int as kept from idempotent_reply where body like '%★☆★%'`;
    assert.equal(kept, 0);
    const replay = await once(service, "secret", { statement: "★☆★" });
    assert.equal(replay.status, 410);
    assert.equal(replay.body.code, "erased");
    const { body: session } = await service.post("/v1/session", { title: "☆★☆" }, {
      headers: { "idempotency-key": "session" },
    });
    assert.equal((await service.delete(`/v1/session/${session.id}`)).status, 200);
    const [{ held }] = await superuser.sql`
      select count(*)::int as held from idempotent_reply where body like '%☆★☆%'`;
    assert.equal(held, 0);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T59 F12 a write whose reply could not be stored is undone with it",
  async fn() {
    await using service = await startService();
    await using superuser = connectSuperuser(service);
    await superuser.sql`revoke insert on idempotent_reply from svc_app`;
    const refused = await once(service, "torn");
    assert.equal(refused.status, 500);
    assert.equal(await countFacts(service), 0);
    await superuser.sql`grant insert on idempotent_reply to svc_app`;
    assert.equal((await once(service, "torn")).status, 201);
    assert.equal(await countFacts(service), 1);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T59 F1 backends that die under held transactions: every acknowledged write is there once",
  async fn() {
    await using service = await startService();
    await using superuser = connectSuperuser(service);
    const admin = superuser.sql;
    const acknowledged = new Map<string, string>();
    const kill = () =>
      admin`
      select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'svc' and datname = current_database() and state <> 'idle' order by random() limit 1`;
    const send = async (n: number) => {
      for (let attempt = 0; attempt < 60; attempt++) {
        const sent = once(service, `storm-${n}`, { statement: `Item ${n} weighs ${n} grams` });
        // Two kills for each item, so that the storm ends however slow the machine is.
        if (attempt < 2) await kill();
        const reply = await sent;
        if (reply.status === 201) return void acknowledged.set(reply.body.id, reply.body.statement);
        assert.ok([503, 504, 409].includes(reply.status), `${reply.status} ${JSON.stringify(reply.body)}`);
      }
      assert.fail(`item ${n} was never acknowledged`);
    };
    for (let round = 0; round < 6; round++) {
      await Promise.all(Array.from({ length: 10 }, (_, i) => send(round * 10 + i)));
    }
    const rows = await admin<{ id: string; text: string; corroborationCount: number }[]>`
      select id, text, corroboration_count as "corroborationCount" from unit where type = 'fact'`;
    assert.equal(rows.length, 60);
    for (const row of rows) {
      assert.equal(acknowledged.get(row.id), row.text);
      assert.equal(row.corroborationCount, 0);
    }
  },
});

for (const embedded of [false, true]) {
  Deno.test({
    ...(embedded ? {} : POSTGRES),
    name: `T59 an operation that reads while its first write begins comes to its end, ${
      embedded ? "embedded" : "native"
    }`,
    async fn() {
      await using service = await startService({ embedded });
      const ctx = service.operator();
      const count = (tx: Tx) => tx.sql`select count(*) from unit where workspace_id = ${tx.workspaceId}`;
      const answer = answerOnce(ctx, { operationId: "test", key: "k", fingerprint: ["f"] }, async (held) => {
        // The embedded database has one session: a read beside the held transaction would wait for its end.
        await Promise.all([held.tx(count), held.tx(count, { readOnly: true })]);
        return { status: 200, headers: {}, body: "done" };
      });
      assert.deepEqual((await answer).reply.body, "done");
    },
  });
}

Deno.test({
  ...POSTGRES,
  name:
    "T59 whatever the handler throws after it wrote, nothing of it stays: no row, no change, no reply, no audit row",
  async fn() {
    await using service = await startService();
    await using superuser = connectSuperuser(service);
    const ctx = service.operator();
    const counts = async () => {
      await auditTrailOf(service.deps).flush();
      const [row] = await superuser.sql`
        select (select count(*) from session) as sessions, (select count(*) from change) as changes,
               (select count(*) from idempotent_reply) as replies,
               (select count(*) from svc_audit_log where workspace_id = ${service.workspaceId}) as rows,
               (select max(seq) from svc_audit_log where workspace_id = ${service.workspaceId}) as seq`;
      return row;
    };
    const before = await counts();
    const request = { operationId: "test", key: "k", fingerprint: ["f"] };
    await assert.rejects(
      answerOnce(ctx, request, async (held) => {
        await startSession(held, { title: "One", sensitivity: "internal", tags: [], metadata: {}, scratchpad: {} });
        await startSession(held, { title: "Two", sensitivity: "internal", tags: [], metadata: {}, scratchpad: {} });
        throw new Error("after the write");
      }),
      /after the write/,
    );
    assert.deepEqual(await counts(), before);
    assert.equal(ctx.trail.isWritten, false);
    const again = await answerOnce(ctx, request, () => Promise.resolve({ status: 200, headers: {}, body: "free" }));
    assert.equal(again.isReplay, false, "the name was left free");
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T59 a caller who leaves while it waits for the same request gives its place up, and the next one gets the reply",
  async fn() {
    await using service = await startService();
    const ctx = service.operator();
    const request = { operationId: "test", key: "k", fingerprint: ["f"] };
    const gate = Promise.withResolvers<void>();
    const answer = (context = ctx) =>
      answerOnce(context, request, async () => {
        await gate.promise;
        return { status: 200, headers: {}, body: "first" };
      });
    const first = answer();
    const leaving = new AbortController();
    const left = answer({ ...ctx, signal: leaving.signal });
    const third = answer();
    leaving.abort();
    gate.resolve();
    await assert.rejects(left, /abort/i);
    assert.deepEqual([(await first).isReplay, (await third).isReplay], [false, true]);
  },
});
