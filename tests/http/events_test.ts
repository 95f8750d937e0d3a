/** `/v1/memory/events`: append-only, by time range, agent and type, in batches. */
import assert from "node:assert/strict";
import { test, UNKNOWN_ID } from "./_facts.ts";
import type { Reply, TestService } from "../_service.ts";

const EVENTS = "/v1/memory/events";

async function record(service: TestService, body: Record<string, unknown>): Promise<Reply["body"]> {
  const reply = await service.post(EVENTS, body);
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body;
}

async function listTypes(service: TestService, query: string): Promise<string[]> {
  const reply = await service.get(`${EVENTS}?${query}`);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body.data.map((event: { type: string }) => event.type);
}

test("an event is kept as it was recorded", async (service, clock) => {
  const now = clock.now.toISOString();
  const { id, createdBy, ...event } = await record(service, {
    type: "deploy.finished",
    agentId: "ops",
    sessionId: UNKNOWN_ID,
    data: { build: 7, steps: ["a"] },
    occurredAt: "2026-05-01T10:00:00+02:00",
  });
  assert.match(createdBy, /^key:/);
  assert.deepEqual(event, {
    type: "deploy.finished",
    agentId: "ops",
    sessionId: UNKNOWN_ID,
    data: { build: 7, steps: ["a"] },
    sensitivity: "internal",
    occurredAt: "2026-05-01T08:00:00.000Z",
    recordedAt: now,
  });
  const { body } = await service.get(EVENTS);
  assert.deepEqual(body.data, [{ id, createdBy, ...event }]);
  assert.deepEqual((await service.get(`${EVENTS}/${id}`)).body, { id, createdBy, ...event });
  const unknown = await service.get(`${EVENTS}/${UNKNOWN_ID}`);
  assert.deepEqual([unknown.status, unknown.body.code], [404, "not_found"]);
  const bare = await record(service, { type: "x" });
  assert.deepEqual([bare.occurredAt, bare.agentId, bare.sessionId, bare.data], [now, null, null, {}]);
});

test("events are listed by when they occurred, in a range that begins with from and ends before to", async (service) => {
  for (const day of [3, 1, 2]) await record(service, { type: `day ${day}`, occurredAt: `2026-05-0${day}T00:00:00Z` });
  assert.deepEqual(await listTypes(service, ""), ["day 3", "day 2", "day 1"]);
  assert.deepEqual(await listTypes(service, "order=asc&from=2026-05-02T00:00:00Z"), ["day 2", "day 3"]);
  assert.deepEqual(await listTypes(service, "to=2026-05-02T00:00:00Z"), ["day 1"]);
  assert.deepEqual(await listTypes(service, "from=2026-05-02T00:00:00Z&to=2026-05-03T00:00:00Z"), ["day 2"]);
  const wrong = await service.get(`${EVENTS}?from=2026-05-02T00:00:00Z&to=2026-05-01T00:00:00Z`);
  assert.deepEqual([wrong.status, wrong.body.errors[0].path], [422, "to"]);
});

test("events are filtered by agent, type and session", async (service) => {
  const session = UNKNOWN_ID;
  await record(service, { type: "a", agentId: "one" });
  await record(service, { type: "b", agentId: "two", sessionId: session });
  await record(service, { type: "c", agentId: "one", sessionId: session });
  assert.deepEqual(await listTypes(service, "agentId=one"), ["c", "a"]);
  assert.deepEqual(await listTypes(service, "type=a&type=b"), ["b", "a"]);
  assert.deepEqual(await listTypes(service, `sessionId=${session}&agentId=one`), ["c"]);
});

test("pages go over events of the same moment without losing or repeating one", async (service) => {
  const events = Array.from({ length: 7 }, (_, i) => ({ type: `e${i}` }));
  const { body } = await service.post(`${EVENTS}/batch`, { events });
  assert.deepEqual([body.recorded, body.data.map((event: { type: string }) => event.type)], [
    7,
    events.map((event) => event.type),
  ]);
  for (const order of ["asc", "desc"]) {
    const seen: string[] = [];
    let cursor: string | null = "";
    do {
      const page: Reply = await service.get(`${EVENTS}?limit=3&order=${order}${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.body.data.map((event: { type: string }) => event.type));
      cursor = page.body.nextCursor;
    } while (cursor !== null);
    const wanted = events.map((event) => event.type);
    assert.deepEqual(seen, order === "asc" ? wanted : wanted.reverse());
  }
  assert.equal((await service.get(`${EVENTS}?cursor=abc`)).status, 422);
});

test("a batch is recorded whole or not at all, and has at most 500 events", async (service) => {
  const key = await service.createKey({ maxSensitivity: "internal" });
  const secret = await service.post(`${EVENTS}/batch`, {
    events: [{ type: "a" }, { type: "b", sensitivity: "confidential" }],
  }, { key });
  assert.deepEqual([secret.status, secret.body.errors[0].path], [422, "events.1.sensitivity"]);
  assert.deepEqual(await listTypes(service, ""), []);
  const many = (count: number) => ({ events: Array.from({ length: count }, () => ({ type: "many" })) });
  assert.equal((await service.post(`${EVENTS}/batch`, many(501))).status, 422);
  assert.equal((await service.post(`${EVENTS}/batch`, { events: [] })).status, 422);
  assert.equal((await service.post(`${EVENTS}/batch`, many(500))).body.recorded, 500);
  const rows = await service.operator().tx((tx) =>
    tx.sql`
    select count(*)::int as n, max(seq)::int as last from change
     where workspace_id = ${tx.workspaceId} and kind = 'event.recorded'`
  );
  assert.deepEqual([rows[0]!.n, rows[0]!.last], [500, 500]);
});

test("the database refuses to change an event, and to delete one that was not erased", async (service) => {
  const { id } = await record(service, { type: "a" });
  const operator = service.operator();
  await assert.rejects(
    operator.tx((tx) => tx.sql`update event set type = 'b' where workspace_id = ${tx.workspaceId} and id = ${id}`),
    { code: "42501" },
  );
  await assert.rejects(
    operator.tx((tx) => tx.sql`delete from event where workspace_id = ${tx.workspaceId} and id = ${id}`),
    { code: "42501" },
  );
  assert.deepEqual(await listTypes(service, ""), ["a"]);
});

test("events above the clearance are hidden, and each side needs its scope", async (service) => {
  const open = await record(service, { type: "open" });
  const secret = await record(service, { type: "secret", sensitivity: "restricted" });
  const reader = await service.createKey({ scopes: ["tasks:read"], maxSensitivity: "internal" });
  const { body } = await service.get(EVENTS, { key: reader });
  assert.deepEqual(body.data.map((event: { type: string }) => event.type), ["open"]);
  assert.equal((await service.post(EVENTS, { type: "x" }, { key: reader })).status, 403);
  const writer = await service.createKey({ scopes: ["tasks:write"] });
  assert.equal((await service.get(EVENTS, { key: writer })).status, 403);
  const read = async (event: Reply["body"], key: string) =>
    (await service.get(`${EVENTS}/${event.id}`, { key })).status;
  assert.deepEqual([await read(open, reader), await read(secret, reader), await read(open, writer)], [200, 404, 403]);
  for (const bad of [{}, { type: "" }, { type: "x", data: [] }, { type: "x", id: UNKNOWN_ID }]) {
    assert.equal((await service.post(EVENTS, bad)).status, 422);
  }
});
