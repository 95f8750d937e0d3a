/** Streams that the caller sends: IngestBatch and ImportMemory. */
import assert from "node:assert/strict";
import { create, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { ImportResultSchema, IngestItemSchema } from "../../src/gen/svc/v1/svc_pb.ts";
import { GZIP } from "../../src/rpc/gzip.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { waitFor, within } from "../_wait.ts";
import { clientOf, type ClientOptions, refusalOf, revoke } from "./_client.ts";
import { requestLoadOf } from "../../src/domain/access/request_load.ts";
import { auditTrailOf } from "../../src/domain/audit/trail.ts";

type Item = MessageInitShape<typeof IngestItemSchema>;

const fact = (statement: string, more: object = {}): Item => ({
  item: { case: "fact", value: { statement, ...more } },
});
const turn = (sessionId: string, content: string, messageId?: string): Item => ({
  item: { case: "turn", value: { sessionId, role: "user", content, ...(messageId && { messageId }) } },
});

/** Sends items; with `until`, the stream is not ended before that is resolved. */
function ingest(
  service: TestService,
  items: Iterable<Item>,
  { until, ...options }: ClientOptions & { until?: Promise<unknown> } = {},
) {
  const requests = async function* () {
    for (const item of items) yield create(IngestItemSchema, item);
    await until;
  };
  // The longest sends 32 MiB.
  return within("the summary", clientOf(service, options).ingestBatch(requests()), 60_000);
}

const never = new Promise<void>(() => {});

async function newSession(service: TestService): Promise<string> {
  return (await service.post("/v1/session", { title: "Planning" })).body.id;
}

Deno.test({
  ...POSTGRES,
  name: "IngestBatch gives each item an outcome of its own, in order, and holds turns to their own scope",
  async fn() {
    await using service = await startService();
    const session = await newSession(service);
    const unknown = "01890000-0000-7000-8000-000000000000";
    const items = [
      fact("Ada keeps a dog."),
      fact("Ada keeps a dog."),
      fact(" "),
      turn(session, "One.", "m1"),
      turn(session, "One.", "m1"),
      turn(session, "Two.", "m2"),
      turn(session, "Another one.", "m1"),
      turn(session, "Three.", "m3"),
      turn(unknown, "Nowhere."),
      {},
      fact("Ada keeps a cat.", { derivedFrom: [unknown] }),
      fact("Ada keeps a fish."),
    ];
    for (const json of [true, false]) {
      const protocol = json ? "connect" : "grpc-web";
      const summary = await ingest(service, json ? items : [fact("Ada keeps a bird.")], { json, protocol });
      if (!json) {
        assert.deepEqual([summary.received, summary.created], [1, 1]);
        continue;
      }
      const { received, settled, created, known, refused } = summary;
      assert.deepEqual({ received, settled, created, known, refused }, {
        received: 12,
        settled: 12,
        created: 5,
        known: 2,
        refused: 5,
      });
      assert.deepEqual(summary.refusals.map(({ index, error }) => [index, error!.code]), [
        [2, "validation_failed"],
        [6, "conflict"],
        [8, "not_found"],
        [9, "validation_failed"],
        [10, "validation_failed"],
      ]);
      assert.equal(summary.ended, undefined);
    }
    const { data } = (await service.get(`/v1/session/${session}/turns`)).body;
    assert.deepEqual(data.map(({ content }: { content: string }) => content), ["One.", "Two.", "Three."]);

    const key = await service.createKey({ scopes: ["memory:write"] });
    const { refusals, created } = await ingest(service, [turn(session, "Four."), fact("Ada keeps a hen.")], { key });
    assert.deepEqual([refusals.map(({ error }) => error!.code), created], [["insufficient_scope"], 1]);
    const foreign = await service.createKey({ workspaceId: await service.createWorkspace("stranger") });
    const strangers = await ingest(service, [turn(session, "Five.")], { key: foreign });
    assert.equal(strangers.refusals[0]!.error!.code, "not_found", "T1 a session of another workspace");
    await auditTrailOf(service.deps).flush();
    const audit = (await service.get("/v1/audit?limit=200")).body.data;
    const types = new Set(audit.map((row: { event_type: string }) => row.event_type));
    assert.ok(types.has("write.createFacts") && !types.has("read.createFacts"), [...types].join());
  },
});

Deno.test({
  ...POSTGRES,
  name: "T62 a stream that stalls, or has too much in it, is closed with a summary of what was committed",
  async fn(t) {
    await using service = await startService({ env: { SVC_BODY_DEADLINE_MS: "400" } });
    const two = (name: string) => [fact(`${name} keeps a dog.`), fact(`${name} keeps a cat.`)];
    const shown = ({ received, settled, created, ended }: Awaited<ReturnType<typeof ingest>>) => {
      return { received, settled, created, ended: ended?.code };
    };
    await t.step("T56 T62 stalled", async () => {
      for (const protocol of ["connect", "grpc-web"] as const) {
        const summary = await ingest(service, two(protocol), { protocol, until: never });
        assert.deepEqual(shown(summary), { received: 2, settled: 2, created: 2, ended: "deadline_exceeded" });
      }
    });
    await t.step("T62 more than 10,000 messages", async () => {
      const many = function* () {
        for (let i = 0; i < 10_002; i++) yield {};
      };
      const summary = await ingest(service, many());
      assert.deepEqual(shown(summary), { received: 10_000, settled: 10_000, created: 0, ended: "payload_too_large" });
      assert.deepEqual([summary.refusals.length, summary.refusalsOmitted], [1_000, 9_000]);
    });
    await t.step("T55 T62 a message of more than a megabyte, inflated or not", async () => {
      const text = "x".repeat(20_000_000);
      for (const compression of [undefined, GZIP]) {
        const items = [...two(`${compression?.name}`), fact(text), fact("After it.")];
        const summary = await ingest(service, items, compression && { compression });
        assert.deepEqual(shown(summary), { received: 2, settled: 2, created: 2, ended: "payload_too_large" });
      }
    });
    await t.step("T51 T62 a message that cannot be read", async () => {
      const summary = await ingest(service, [...two("Zoe"), fact("a\0b"), fact("After it.")]);
      assert.deepEqual(shown(summary), { received: 2, settled: 2, created: 2, ended: "validation_failed" });
    });
    await t.step("T62 more than 32 MiB", async () => {
      const chunk = new Uint8Array(1_000_000).fill(32);
      const chunks = async function* () {
        for (let i = 0; i < 40; i++) yield { data: chunk };
      };
      assert.deepEqual(await refusalOf(clientOf(service).importMemory(chunks())), {
        code: "ResourceExhausted",
        detail: "payload_too_large",
      });
    });
    await t.step("T55 T62 more than 32 MiB when inflated, however small on the wire", async () => {
      const chunk = new Uint8Array(1_000_000).fill(32);
      let sent = 0;
      const chunks = async function* () {
        for (; sent < 100; sent++) yield { data: chunk };
      };
      const refusal = await refusalOf(clientOf(service, { compression: GZIP }).importMemory(chunks()));
      assert.deepEqual(refusal, { code: "ResourceExhausted", detail: "payload_too_large" });
      assert.ok(sent < 100, "the rest was not taken");
    });
    await t.step("T62 beyond the caller's timeout", async () => {
      const headers = { "connect-timeout-ms": "300" };
      const { ended, settled } = await ingest(service, two("Tim"), { headers, until: never });
      assert.deepEqual([ended?.code, settled], ["deadline_exceeded", 0]);
    });
    await t.step("T59 an idempotency-key is refused, not ignored", async () => {
      const headers = { "idempotency-key": "once" };
      assert.equal((await refusalOf(ingest(service, two("Yan"), { headers }))).detail, "invalid_request");
      const { data } = (await service.get("/v1/memory/facts?limit=200")).body;
      assert.ok(!data.some(({ statement }: { statement: string }) => statement.startsWith("Yan")));
    });
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T15 F13 an ingest ends with its key and with the service: what was read is committed where it may be, and told",
  async fn() {
    const service = await startService();
    await using _ = service;
    const key = await service.createKey({ scopes: ["memory:write"] });
    // One batch, and the beginning of another, which is never whole.
    const items = (name: string) => [...Array(199).fill({}), fact(`${name} keeps a dog.`), fact(`${name} is late.`)];
    const committed = (count: number) =>
      waitFor("the first batch", async () => (await service.get("/v1/memory/facts")).body.data.length === count);
    const revoked = ingest(service, items("Ada"), { key, until: never });
    await committed(1);
    await revoke(service, key);
    const { settled, created, ended } = await revoked;
    assert.deepEqual([settled, created, ended?.code], [200, 1, "unauthenticated"]);
    assert.equal((await service.get("/v1/memory/facts")).body.data.length, 1);

    const stopped = ingest(service, items("Bo"), { until: never });
    await committed(2);
    await service[Symbol.asyncDispose]();
    const last = await stopped;
    assert.deepEqual([last.settled, last.created, last.ended?.code], [200, 1, "unavailable"]);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "IngestBatch and ImportMemory have the heavy turn for each batch and file, and a batch costs what it costs over HTTP",
  async fn() {
    const now = new Date("2026-03-01T12:00:00Z");
    await using service = await startService({
      clock: () => now,
      env: { SVC_HEAVY_PER_WORKSPACE_MAX: "1", SVC_REQUESTS_WAIT_MS: "50" },
    });
    const file = new TextEncoder().encode((await service.get("/v1/export")).body);
    const send = () =>
      clientOf(service).importMemory((async function* () {
        yield { data: file };
      })());
    const owner = { actor: "key:another", workspaceId: service.workspaceId };
    const heavy = await requestLoadOf(service.deps).enterHeavy(owner, new AbortController().signal);
    const refused = await ingest(service, [fact("Ada keeps a dog.")]);
    assert.deepEqual([refused.settled, refused.ended?.code], [0, "rate_limited"]);
    assert.equal((await refusalOf(send())).detail, "rate_limited");
    heavy[Symbol.dispose]();
    assert.equal((await ingest(service, [fact("Ada keeps a dog.")])).created, 1);
    assert.equal((await send()).complete, true);
    assert.equal((await ingest(service, [fact("Ada keeps a cat.")])).created, 1, "its turn came back");
    // Five for the first batch of 200, five for the second, and too few for the third.
    const key = await service.createKey({ rateLimit: { perMinute: 1, burst: 13 } });
    const { settled, ended } = await ingest(service, Array(601).fill({}), { key });
    assert.deepEqual([settled, ended?.code], [400, "rate_limited"]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "ImportMemory tries a file as HTTP does with dryRun: the result says what it would do, and nothing is written",
  async fn() {
    await using service = await startService();
    await ingest(service, [fact("Ada keeps a dog."), fact("Ada keeps a cat.")]);
    const file = new TextEncoder().encode((await service.get("/v1/export")).body);
    const key = await service.createKey({ workspaceId: await service.createWorkspace("copy") });
    const headers = { "content-type": "application/x-ndjson" };
    const send = (chunks: object[], more = {}) =>
      clientOf(service, { key, headers: more }).importMemory((async function* () {
        yield* chunks;
      })());
    const once = { "idempotency-key": "try" };
    const tried = await send([{ data: file, dryRun: true }], once);
    assert.deepEqual([tried.dryRun, tried.created, tried.samples.length > 0], [true, 2, true]);
    assert.equal((await service.get("/v1/memory/facts", { key })).body.data.length, 0);
    const http = (await service.post("/v1/import?dryRun=true", file, { key, headers })).body;
    // A message has no null: such a member is not set.
    delete http.source.asOf;
    assert.deepEqual(toJson(ImportResultSchema, tried, { alwaysEmitImplicit: true }), http);
    assert.equal((await refusalOf(send([{ data: file }, { dryRun: true }]))).detail, "validation_failed");
    // A trial is not the import, whose key it is.
    assert.equal((await refusalOf(send([{ data: file }], once))).detail, "idempotency_key_reused");
    const done = await send([{ data: file }]);
    assert.deepEqual([done.dryRun, done.created, done.samples], [undefined, 2, []]);
    assert.equal((await service.get("/v1/memory/facts", { key })).body.data.length, 2);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T61 T11 ImportMemory takes a file in pieces as HTTP takes it whole; one that is cut off changes nothing",
  async fn() {
    await using service = await startService();
    await ingest(service, [fact("Ada keeps a dog.", { tags: ["a"] }), fact("Ada keeps a cat.")]);
    const file = new TextEncoder().encode((await service.get("/v1/export")).body);
    const into = async () => await service.createKey({ workspaceId: await service.createWorkspace("copy") });
    const send = async (key: string, bytes: Uint8Array, format?: string, partial?: boolean, headers = {}) => {
      const pieces = async function* () {
        const size = Math.ceil(bytes.byteLength / 3);
        for (let at = 0; at < bytes.byteLength; at += size) {
          yield {
            data: bytes.subarray(at, at + size),
            ...(at === 0 && { ...(format && { format }), ...(partial && { partial }) }),
          };
        }
      };
      return await clientOf(service, { key, headers }).importMemory(pieces());
    };
    const [one, other] = [await into(), await into()];
    const cut = await refusalOf(send(one, file.subarray(0, file.byteLength - 20)));
    assert.deepEqual(cut, { code: "InvalidArgument", detail: "validation_failed" });
    assert.equal((await service.get("/v1/memory/facts", { key: one })).body.data.length, 0);
    const part = await send(await into(), file.subarray(0, file.byteLength - 20), "svc", true);
    assert.deepEqual([part.complete, part.created, part.failed], [false, 2, 1]);
    assert.equal((await refusalOf(send(one, file, "mem0", true))).detail, "validation_failed");
    const report = toJson(ImportResultSchema, await send(one, file, "svc"), { alwaysEmitImplicit: true });
    const headers = { "content-type": "application/x-ndjson" };
    const http = (await service.post("/v1/import", file, { key: other, headers })).body;
    delete http.source.asOf;
    // A list that HTTP leaves out is an empty one in a message.
    assert.deepEqual(report, { ...http, samples: [] });
    assert.equal(http.created, 2);
    assert.equal((await service.get("/v1/memory/facts", { key: one })).body.data.length, 2);
    assert.deepEqual(await refusalOf(send(one, new Uint8Array(0))), {
      code: "InvalidArgument",
      detail: "invalid_request",
    });
    assert.equal((await refusalOf(send(one, file, "pdf"))).detail, "validation_failed");
    // T11: without memory:admin neither a chain of reasoning nor a pin comes in.
    const chain = { goal: "Feed the dog", answer: "Twice a day." };
    assert.equal((await service.post("/v1/memory/reasoning/record", chain)).status, 201);
    const { body: { data: [kept] } } = await service.get("/v1/memory/facts");
    assert.equal((await service.post(`/v1/facts/${kept.id}/pin`)).status, 200);
    const more = new TextEncoder().encode((await service.get("/v1/export")).body);
    const workspaceId = await service.createWorkspace("copy");
    const plain = await send(await service.createKey({ workspaceId, scopes: ["memory:import"] }), more);
    assert.equal(plain.withheld["pinned"], 1);
    assert.deepEqual(plain.errors.map(({ kind, code }) => [kind, code]), [["reasoning_entry", "insufficient_scope"]]);
    const [third, once] = [await into(), { "idempotency-key": "file" }];
    const first = await send(third, file, "svc", false, once);
    assert.deepEqual([first.created, await send(third, file, "svc", false, once)], [2, first]);
    const reused = await refusalOf(send(third, file, "svc", true, once));
    assert.deepEqual(reused, { code: "InvalidArgument", detail: "idempotency_key_reused" });
  },
});
