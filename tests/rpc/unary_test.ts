/** RPCs with one request and one reply: the same things as on HTTP, in every form of the wire. */
import assert from "node:assert/strict";
import { create, type JsonObject, toBinary } from "@bufbuild/protobuf";
import postgres from "postgres";
import { connectionOf } from "../../scripts/gate/native_postgres.ts";
import { RecallRequestSchema, RememberRequestSchema } from "../../src/gen/svc/v1/svc_pb.ts";
import { RPCS } from "../../src/rpc/methods/mod.ts";
import { GZIP } from "../../src/rpc/gzip.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { callRpc, clientOf, detailOf, PREFIX, refusalOf } from "./_client.ts";
import { REQUESTS } from "./_requests.ts";
import { auditTrailOf } from "../../src/domain/audit/trail.ts";

// deno-lint-ignore no-explicit-any
type Body = any;

async function ok(service: TestService, name: string, body: unknown, headers?: HeadersInit): Promise<Body> {
  const reply = await callRpc(service, name, body, { headers });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

/** Without members that are null, which Protobuf's JSON leaves out. */
function withoutNull(value: Body): Body {
  if (Array.isArray(value)) return value.map(withoutNull);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNull(member)]));
}

Deno.test({
  ...POSTGRES,
  name: "a resource looks the same over RPC and HTTP",
  async fn() {
    await using service = await startService();
    const { fact, created } = await ok(service, "Remember", {
      statement: "Caroline lives in Rome.",
      subject: "Caroline",
      predicate: "lives in",
      object: "Rome",
      confidence: 0,
      occurredAt: "2026-03-01T10:30:00+01:00",
      metadata: { source: { line: 1, tags: [null, true, 0.5] } },
      citations: [{ messageId: "msg-2", quote: "I moved." }],
    });
    assert.equal(created, true);
    const { conflict, ...stored } = fact;
    assert.deepEqual(conflict, { outcome: "none", factIds: [] });
    assert.equal(stored.occurredAt, "2026-03-01T09:30:00.000Z");
    assert.equal(stored.confidence, 0, "said by the caller, so not the default");
    assert.deepEqual(stored, withoutNull((await service.get(`/v1/memory/facts/${fact.id}`)).body));

    const { statement, subject, predicate, object } = fact;
    const again = await ok(service, "Remember", { statement, subject, predicate, object });
    assert.deepEqual([again.created, again.fact.id, again.fact.conflict.outcome], [false, fact.id, "corroborated"]);

    const task = await ok(service, "CreateTask", { title: "Compare", description: "Three quotes.", tags: ["a"] });
    const started = await ok(service, "UpdateTask", {
      id: task.id,
      expectedVersion: 1,
      status: "in_progress",
      description: null,
      result: { found: [1, null] },
      tags: [],
    });
    assert.deepEqual([started.version, started.tags, "description" in started], [2, [], false]);
    assert.deepEqual(withoutNull(started), withoutNull((await service.get(`/v1/memory/tasks/${task.id}`)).body));

    const event = await ok(service, "RecordEvent", { type: "tool.called", data: { n: 1 } });
    const { data: [listed] } = (await service.get("/v1/memory/events")).body;
    assert.deepEqual(event, withoutNull(listed));

    const { entry } = await ok(service, "RecordReasoning", {
      goal: "Sort the mail",
      context: { by: "date" },
      steps: ["Open it.", { action: "sort" }],
      answer: "By date.",
      tokensSpent: 500,
    });
    const read = (await service.get(`/v1/memory/reasoning/${entry.id}`)).body;
    assert.deepEqual(withoutNull(entry), withoutNull(read));
    const resolved = await ok(service, "ResolveReasoning", { goal: "Sort the mail", context: { by: "date" } });
    assert.deepEqual([resolved.hit, resolved.entry.answer], [true, "By date."]);

    const edit = await ok(service, "SelfEdit", {
      reason: "noted",
      mode: "atomic",
      operations: [{ op: "add", type: "fact", ref: "it", body: { statement: "It is green." } }, {
        op: "pin",
        id: "$it",
      }],
    });
    assert.deepEqual(edit.operations.map((one: Body) => one.outcome), ["applied", "applied"]);

    assert.deepEqual(await ok(service, "GetHealth", {}), withoutNull((await service.get("/v1/memory/health")).body));

    const ask = { query: "Where does Caroline live?", include: ["trace"], limit: 3 };
    const [rpc, http] = [await ok(service, "Recall", ask), (await service.post("/v1/memory/recall", ask)).body];
    assert.ok(rpc.results.length > 0);
    const bare = ({ neighbours: _, ...result }: Body) => withoutNull(result);
    assert.deepEqual(rpc.results.map(bare), http.results.map(bare));
    assert.deepEqual(Object.keys(rpc).sort(), Object.keys(http).sort());

    const erased = await ok(service, "Forget", { id: fact.id, mode: "erase", reason: "asked for" });
    assert.deepEqual([erased.mode, erased.receipt.id, "fact" in erased], ["erase", fact.id, false]);
    const gone = await callRpc(service, "Forget", { id: fact.id, mode: "erase" });
    assert.deepEqual([gone.status, gone.body.code, detailOf(gone.body).code], [404, "not_found", "erased"]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "an idempotency-key gets the first reply again, in whatever form, and no other request's",
  async fn() {
    await using service = await startService();
    for (const { method: { name, localName }, operation } of RPCS.filter((rpc) => rpc.kind === "unary")) {
      const mutates = operation.idempotency !== "none";
      const headers = { "idempotency-key": crypto.randomUUID() };
      const request = await REQUESTS[name]!(service);
      const first = await callRpc(service, name, request, { headers });
      const again = await callRpc(service, name, request, { headers });
      assert.deepEqual([first.status, again.status], [200, 200], name);
      assert.equal(again.headers.get("idempotency-replayed"), mutates ? "true" : null, name);
      if (!mutates) continue;
      assert.deepEqual(again.body, first.body);
      if (!("reason" in request)) continue;
      // deno-lint-ignore no-explicit-any
      const client = clientOf(service, { headers, json: true, protocol: "grpc-web" }) as any;
      const refusal = await refusalOf(client[localName]({ ...request, reason: "another" }));
      assert.deepEqual(refusal, { code: "InvalidArgument", detail: "idempotency_key_reused" }, name);
    }
    const bad = await callRpc(service, "CreateTask", { title: "a" }, { headers: { "idempotency-key": "a b" } });
    assert.equal(detailOf(bad.body).code, "invalid_request");
    const headers = { "idempotency-key": "same" };
    const [binary, json] = [clientOf(service, { headers }), clientOf(service, { headers, json: true })];
    const made = await binary.createTask({ title: "Once" });
    assert.equal((await json.createTask({ title: "Once" })).id, made.id);
    assert.equal(
      (await service.get("/v1/memory/tasks?limit=200")).body.data.filter((t: Body) => t.title === "Once").length,
      1,
    );
  },
});

Deno.test({
  ...POSTGRES,
  name: "a refusal carries its code, its faults and its further members",
  async fn() {
    const lines: string[] = [];
    await using service = await startService({ logSink: (line) => lines.push(line) });
    const missing = await callRpc(service, "Forget", { id: "01890000-0000-7000-8000-000000000000", mode: "archive" });
    assert.deepEqual([missing.body.code, detailOf(missing.body).code], ["not_found", "not_found"]);

    const bad = await callRpc(service, "Remember", { statement: " ", confidence: 2, citations: [{ messageId: "" }] });
    assert.deepEqual(detailOf(bad.body).errors.map(({ path }: Body) => path).sort(), [
      "citations.0.messageId",
      "confidence",
      "statement",
    ]);
    const target = await callRpc(service, "UpdateTask", { id: "x", priority: 9 });
    assert.deepEqual(new Set(detailOf(target.body).errors.map(({ path }: Body) => path)), new Set(["id", "priority"]));
    const typed = await callRpc(service, "Recall", { query: "a", limit: "many" });
    assert.deepEqual(detailOf(typed.body).errors, [{ path: "limit", message: "has a value of another type" }]);

    const { id } = await ok(service, "CreateTask", { title: "Compare" });
    const stale = await callRpc(service, "UpdateTask", { id, expectedVersion: 7, priority: 0 });
    assert.deepEqual([stale.body.code, detailOf(stale.body).code], ["aborted", "version_mismatch"]);
    const step = await callRpc(service, "UpdateTask", { id, status: "completed" });
    assert.deepEqual([step.body.code, detailOf(step.body).code], ["failed_precondition", "invalid_transition"]);
    assert.ok(detailOf(step.body).extra.legal.includes("in_progress"));

    await using sql = closing(postgres(connectionOf(service.database!.ownerUrl)));
    await sql.it`alter table event rename to event_secretname`;
    const canary = "canary-in-content";
    const fault = await callRpc(service, "RecordEvent", { type: canary }, { headers: { "x-request-id": "asked-1" } });
    await sql.it`alter table event_secretname rename to event`;
    assert.deepEqual([fault.status, fault.body.code, detailOf(fault.body).code], [500, "internal", "internal"]);
    assert.equal(detailOf(fault.body).requestId, "asked-1");
    assert.doesNotMatch(JSON.stringify(fault.body), /canary|secretname|relation/);
    assert.match(lines.join(), /asked-1/);
    assert.doesNotMatch(lines.join(), new RegExp(canary));
  },
});

function closing(it: postgres.Sql) {
  return { it, [Symbol.asyncDispose]: () => it.end() };
}

Deno.test({
  ...POSTGRES,
  name:
    "T8 in a hundred searches by turns over RPC neither workspace finds the other's text, nor a key what is above it",
  async fn() {
    await using service = await startService();
    const stranger = await service.createKey({ workspaceId: await service.createWorkspace("stranger") });
    const low = await service.createKey({ maxSensitivity: "internal" });
    const [own, theirs, secret] = ["quetzalcoatlus", "archaeopteryx", "pterodactylus"];
    await ok(service, "Remember", { statement: `Ada keeps a ${own}.` });
    await ok(service, "Remember", { statement: `Ada keeps a ${secret}.`, sensitivity: "confidential" });
    await clientOf(service, { key: stranger }).remember({ statement: `Ada keeps an ${theirs}.` });
    const query = `What does Ada keep, a ${own}, an ${theirs} or a ${secret}?`;
    const cases = [
      [clientOf(service), [own, secret], [theirs]],
      [clientOf(service, { key: stranger, json: true }), [theirs], [own, secret]],
      [clientOf(service, { key: low, protocol: "grpc-web" }), [own], [theirs, secret]],
    ] as const;
    for (let round = 0; round < 34; round++) {
      const replies = await Promise.all(cases.map(([client]) => client.recall({ query, limit: 10 })));
      replies.forEach(({ results }, i) => {
        const text = JSON.stringify(results.map(({ text }) => text));
        for (const word of cases[i]![1]) assert.ok(text.includes(word), `${i} ${word}`);
        for (const word of cases[i]![2]) assert.ok(!text.includes(word), `${i} ${word}`);
      });
    }
    const above = await refusalOf(cases[2][0].remember({ statement: "x", sensitivity: "restricted" }));
    assert.equal(above.code, "InvalidArgument");
    const foreign = (await cases[0][0].recall({ query, limit: 1 })).results[0]!.id;
    const forget = (client: typeof cases[0][0]) => refusalOf(client.forget({ id: foreign, mode: "archive" }));
    assert.deepEqual(await forget(cases[1][0]), { code: "NotFound", detail: "not_found" });
  },
});

Deno.test({
  ...POSTGRES,
  name: "T51 T54 T55 what cannot be kept, is nested too deep or grows too large is refused in every form",
  async fn(t) {
    await using service = await startService();
    const send = async (bytes: Uint8Array | string, type: string, headers: Record<string, string> = {}) => {
      const body = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
      const reply = await callRpc(service, "Remember", body, { headers: { "content-type": type, ...headers } });
      return [reply.body.code, detailOf(reply.body).code];
    };
    const deep = (levels: number) => {
      let value: JsonObject = {};
      for (let i = 0; i < levels; i++) value = { a: value };
      return value;
    };
    const proto = (init: Parameters<typeof create<typeof RememberRequestSchema>>[1]) =>
      toBinary(RememberRequestSchema, create(RememberRequestSchema, init));

    await t.step("T54 nesting", async () => {
      const refused = ["invalid_argument", "invalid_request"];
      const json = (levels: number) => JSON.stringify({ statement: "x", metadata: deep(levels) });
      assert.deepEqual(await send(json(64), "application/json"), refused);
      assert.deepEqual(await send(proto({ statement: "x", metadata: deep(64) }), "application/proto"), refused);
      assert.deepEqual(await send(proto({ statement: "x", metadata: deep(150) }), "application/proto"), refused);
      const bomb = `{"metadata":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`;
      assert.deepEqual(await send(bomb, "application/json"), refused);
      const { fact } = await ok(service, "Remember", { statement: "deep enough", metadata: deep(60) });
      assert.deepEqual(fact.metadata, deep(60));
    });
    await t.step("T51 characters", async () => {
      const refused = ["invalid_argument", "validation_failed"];
      for (const text of ["\\u0000", "\\ud800"]) {
        assert.deepEqual(await send(`{"statement":"a${text}"}`, "application/json"), refused);
      }
      assert.deepEqual(await send(proto({ statement: "a\0" }), "application/proto"), refused);
      assert.deepEqual(await send(proto({ metadata: { "a\0": 1 } }), "application/proto"), refused);
      assert.deepEqual(
        await send(new Uint8Array([0x0a, 2, 0xc3, 0x28]), "application/proto"),
        ["invalid_argument", "invalid_request"],
        "not UTF-8",
      );
    });
    await t.step("T24 fields that the message does not have", async () => {
      const unknown = new Uint8Array([...proto({ statement: "x" }), 0xba, 0x3e, 1, 0x61]);
      assert.deepEqual(await send(unknown, "application/proto"), ["invalid_argument", "validation_failed"]);
      for (const name of ["workspaceId", "trustScore", "createdBy"]) {
        const body = JSON.stringify({ statement: "x", [name]: "y" });
        assert.deepEqual(await send(body, "application/json"), ["invalid_argument", "validation_failed"]);
      }
      assert.deepEqual(
        await send('{"statement":"x","statement":"y"}', "application/json"),
        ["invalid_argument", "invalid_request"],
      );
    });
    await t.step("T55 a megabyte, before it is inflated and after", async () => {
      const refused = ["resource_exhausted", "payload_too_large"];
      const text = (length: number) => JSON.stringify({ statement: "x".repeat(length) });
      const gzip = { "content-encoding": "gzip" };
      assert.deepEqual(await send(text(1_048_576), "application/json"), refused);
      const bomb = await GZIP.compress(new Uint8Array(200_000_000).fill(32));
      assert.ok(bomb.byteLength < 1_048_576);
      const before = Deno.memoryUsage().rss;
      assert.deepEqual(await send(bomb, "application/json", gzip), refused);
      assert.deepEqual(await send(bomb, "application/proto", gzip), refused);
      assert.ok(Deno.memoryUsage().rss - before < 150_000_000, "it is not inflated to its end");
      assert.deepEqual(await send("{}", "application/json", gzip), ["invalid_argument", "invalid_request"], "not gzip");
      for (const protocol of ["connect", "grpc-web"] as const) {
        const client = clientOf(service, { protocol, compression: GZIP });
        const call = client.remember({ statement: "x".repeat(2_000_000) });
        assert.deepEqual(await refusalOf(call), { code: "ResourceExhausted", detail: "payload_too_large" });
      }
    });
    assert.equal((await service.get("/v1/memory/facts")).body.data.length, 1, "nothing of it was kept");
  },
});

Deno.test({
  ...POSTGRES,
  name: "an RPC leaves the audit rows, metrics and rate limit that HTTP leaves",
  async fn() {
    const lines: string[] = [];
    await using service = await startService({
      env: { SVC_LOG_LEVEL: "info" },
      logSink: (line) => lines.push(line),
    });
    const { fact } = await ok(service, "Remember", { statement: "Ada keeps a dog." });
    await ok(service, "Recall", { query: "Ada's dog" });
    await callRpc(service, "Recall", { query: "" });
    await callRpc(service, "Recall", "{");
    const reader = await service.createKey({ scopes: ["memory:read"], rateLimit: { perMinute: 1, burst: 2 } });
    await callRpc(service, "CreateTask", { title: "x" }, { key: reader });
    await auditTrailOf(service.deps).flush();
    const { data } = (await service.get("/v1/audit?limit=20&order=asc")).body;
    const rows = data.map((row: Body) => `${row.event_type} ${row.outcome}`);
    for (
      const row of [
        "write.createFact ok",
        "read.recall ok",
        "refused.recall validation_failed",
        "refused.recall invalid_request",
        "refused.createTask insufficient_scope",
      ]
    ) assert.ok(rows.includes(row), `${row} in ${rows}`);
    const shown = data.find((row: Body) => row.event_type === "read.recall");
    assert.ok(JSON.stringify(shown).includes(fact.id), "what the reply showed");

    const page = (await service.get("/metrics", { key: null })).body;
    assert.match(page, /svc_requests_total\{[^}]*endpoint="\/svc\.v1\.SvcService\/Recall"[^}]*status="400"\} 2$/m);
    const logged = lines.map((line) => JSON.parse(line)).filter((line) => line.route === `${PREFIX}/Recall`);
    assert.deepEqual(logged.map((line) => line.errorCode), [undefined, "validation_failed", "invalid_request"]);
    assert.doesNotMatch(lines.join(), /Ada|svc_live_/);

    const client = (n: number) => callRpc(service, "Recall", { query: `${n}` }, { key: reader });
    const replies = [await client(1), await client(2), await client(3)];
    const limited = replies.find(({ status }) => status === 429)!;
    assert.deepEqual([limited.body.code, detailOf(limited.body).code], ["resource_exhausted", "rate_limited"]);
    assert.ok(limited.headers.get("retry-after") && limited.headers.get("ratelimit"));
    assert.equal(detailOf(limited.body).retryable, true);
  },
});

Deno.test({
  ...POSTGRES,
  name: "an unknown request type refuses nothing that it should not: every member of Recall is taken",
  async fn() {
    await using service = await startService();
    const request = create(RecallRequestSchema, {
      query: "What was said?",
      limit: 5,
      types: ["fact", "turn"],
      sessionId: "01890000-0000-7000-8000-000000000000",
      tags: ["a"],
      tagsMatch: "all",
      filters: { AND: [{ trustScore: { gte: 10 } }, { NOT: { subject: { eq: null } } }] },
      asOf: "2026-01-01T00:00:00Z",
      knownAt: "2026-11-01T00:00:00Z",
      referenceDate: "2026-01-01T00:00:00Z",
      window: { from: "2025-01-01T00:00:00Z", to: "2026-01-01T00:00:00Z" },
      minTrust: 0,
      maxSensitivity: "internal",
      maxTokens: 500,
      include: ["superseded", "neighbours", "trace"],
    });
    const reply = await clientOf(service).recall(request);
    assert.deepEqual([reply.results, reply.trace === undefined], [[], false]);
    const unset = await callRpc(service, "Recall", { query: "a", window: { from: "2025-01-01T00:00:00Z" } });
    assert.equal(detailOf(unset.body).errors[0].path, "window.to");
  },
});
