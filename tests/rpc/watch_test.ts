/** Streams that the service pushes: WatchMemory, WatchTasks, StreamHealth. */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { waitFor, within } from "../_wait.ts";
import { orPause } from "../../src/rpc/or_pause.ts";
import { assertHungUp, callRpc, clientOf, errorOf, next, refusalOf, revoke } from "./_client.ts";
import { auditTrailOf } from "../../src/domain/audit/trail.ts";
import { streamsOf } from "../../src/domain/feed/streams.ts";

const iterate = <T>(stream: AsyncIterable<T>) => stream[Symbol.asyncIterator]();

async function remember(service: TestService, statement: string, sensitivity = "internal", key = service.key) {
  const reply = await callRpc(service, "Remember", { statement, sensitivity }, { key });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body.fact.id as string;
}

Deno.test({
  ...POSTGRES,
  name: "T10 a watch tells each change of its workspace and clearance once, resumes from its cursor, and nothing else",
  async fn() {
    await using service = await startService();
    const stranger = await service.createKey({ workspaceId: await service.createWorkspace("stranger") });
    const low = await service.createKey({ maxSensitivity: "internal" });
    const client = clientOf(service, { key: low });
    const gone = new AbortController();
    const stream = iterate(client.watchMemory({}, { signal: gone.signal }));
    const first = await next(stream);
    assert.equal(first.event, undefined, "where it begins");

    await remember(service, "Not this workspace's.", "internal", stranger);
    await remember(service, "Above the clearance.", "confidential");
    await service.post("/v1/memory/tasks", { title: "No memory" });
    const one = await remember(service, "Ada keeps a dog.");
    const told = await next(stream);
    assert.deepEqual([told.event!.kind, told.event!.resourceId], ["fact.created", one]);
    const two = await remember(service, "Ada keeps a cat.");
    while ((await next(stream)).event?.resourceId !== two);
    gone.abort();
    await assertHungUp(stream);
    await waitFor("the stream is closed when its caller has gone", () => streamsOf(service.deps).sizes().open === 0);

    const left = new AbortController();
    const web = clientOf(service, { key: low, protocol: "grpc-web", json: true });
    const resumed = iterate(web.watchMemory({ since: told.cursor }, { signal: left.signal }));
    assert.equal((await next(resumed)).cursor, told.cursor);
    const seen = [];
    do seen.push((await next(resumed)).event!); while (seen.at(-1)!.resourceId !== two);
    assert.ok(seen.every(({ resourceId }) => resourceId !== one), "what was taken is not told again");
    left.abort();

    const page = (await service.get("/metrics", { key: null })).body;
    assert.match(page, /svc_requests_total\{[^}]*WatchMemory[^}]*\} 2/);
    assert.doesNotMatch(page, /svc_errors_total\{[^}]*WatchMemory/, "to hang up is no error");

    const since = async (cursor: string, key: string) => {
      return await refusalOf(next(iterate(clientOf(service, { key }).watchMemory({ since: cursor }))));
    };
    assert.deepEqual(await since(told.cursor, stranger), { code: "InvalidArgument", detail: "validation_failed" });
    assert.deepEqual(await since("x", low), { code: "InvalidArgument", detail: "validation_failed" });
    assert.equal((await since("a\0", low)).detail, "validation_failed");
    await auditTrailOf(service.deps).flush();
    const { data } = (await service.get("/v1/audit?limit=200")).body;
    const rows = data.map((row: { event_type: string; outcome: string }) => `${row.event_type} ${row.outcome}`);
    for (const row of ["read.listChanges ok", "stream.subscribed ok", "refused.listChanges validation_failed"]) {
      assert.ok(rows.includes(row), `${row} in ${rows}`);
    }

    const url = "http://svc.test/svc.v1.SvcService/WatchMemory";
    const headers = {
      authorization: `Bearer ${low}`,
      "content-type": "application/connect+json",
      "connect-timeout-ms": "500",
    };
    const body = new Uint8Array([0, 0, 0, 0, 2, 0x7b, 0x7d]);
    const text = await (await service.service.fetch(new Request(url, { method: "POST", headers, body }))).text();
    assert.match(text, /"code":"deadline_exceeded".*ErrorDetail/);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T10 F13 tasks are told apart; a watch ends with its key, and with the service, and says why",
  async fn() {
    const service = await startService();
    await using _ = service;
    const key = await service.createKey({ scopes: ["tasks:read"] });
    const tasks = iterate(clientOf(service, { key }).watchTasks({}));
    await next(tasks);
    await remember(service, "No task.");
    const { body: task } = await service.post("/v1/memory/tasks", { title: "Compare" });
    assert.equal((await next(tasks)).event!.resourceId, task.id);
    const ending = errorOf(within("the end", tasks.next()));
    await revoke(service, key);
    assert.deepEqual([(await ending).code, (await ending).detail?.code], ["Unauthenticated", "unauthenticated"]);

    const vitals = iterate(clientOf(service).streamHealth({}));
    const { liveFacts } = await next(vitals);
    await remember(service, "One more.");
    assert.equal((await next(vitals)).liveFacts, liveFacts + 1);
    const memory = iterate(clientOf(service, { protocol: "grpc-web" }).watchMemory({}));
    await next(memory);
    const ends = [errorOf(within("an end", vitals.next())), errorOf(within("an end", memory.next()))];
    await service[Symbol.asyncDispose]();
    for (const end of ends) {
      assert.deepEqual([(await end).code, (await end).detail?.code], ["Unavailable", "unavailable"]);
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "T56 a reader of a watch that takes nothing is broken off, and holds nothing any more",
  async fn() {
    await using service = await startService();
    const body = new Uint8Array([0, 0, 0, 0, 2, 0x7b, 0x7d]);
    const headers = { authorization: `Bearer ${service.key}`, "content-type": "application/connect+json" };
    const url = "http://svc.test/svc.v1.SvcService/WatchMemory";
    const response = await service.service.fetch(new Request(url, { method: "POST", headers, body }));
    const reader = response.body!.getReader();
    await reader.read();
    await remember(service, "The last that it takes.");
    await reader.read();
    await remember(service, "This waits for it.");
    for (let round = 0; round < 3; round++) {
      const events = Array.from({ length: 500 }, () => ({ type: "tool.called" }));
      assert.equal((await service.post("/v1/memory/events/batch", { events })).status, 201);
    }
    await waitFor("the reader is cut off", () => streamsOf(service.deps).sizes().open === 0);
    await assert.rejects(within("the end of the reply", reader.closed), /does not keep up/);
  },
});

Deno.test("what gives nothing for a while is told as a pause, and nothing is asked for before it is taken", async () => {
  let asked = 0;
  const late = Promise.withResolvers<void>();
  const source = async function* () {
    asked++;
    yield 1;
    asked++;
    await late.promise;
    yield 2;
  };
  const values = orPause(source(), 5)[Symbol.asyncIterator]();
  assert.equal((await values.next()).value, 1);
  assert.equal(asked, 1);
  assert.equal((await values.next()).value, undefined);
  assert.equal(asked, 2);
  late.resolve();
  let value: number | undefined;
  do value = (await values.next()).value as number | undefined; while (value === undefined);
  assert.equal(value, 2);
  assert.equal((await values.next()).done, true);
});
