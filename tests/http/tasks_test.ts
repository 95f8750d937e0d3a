/** `/v1/memory/tasks`: states, dependencies, leases, delegation, lists, clearance, the feed. */
import assert from "node:assert/strict";
import { nextLapseAt, releaseLapsedTasks } from "../../src/domain/tasks/tasks.ts";
import type { Reply, TestService } from "../_service.ts";
import { test, UNKNOWN_ID } from "./_facts.ts";
import { emptyWorkspace, exportAll, importText, makeFile, parseFile } from "./_transfer.ts";

const TASKS = "/v1/memory/tasks";

async function create(service: TestService, body: Record<string, unknown> = {}): Promise<Reply["body"]> {
  const reply = await service.post(TASKS, { title: "Compare the quotes", ...body });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body;
}

async function read(service: TestService, id: string): Promise<Reply["body"]> {
  const reply = await service.get(`${TASKS}/${id}`);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

async function to(service: TestService, id: string, status: string, body = {}): Promise<Reply["body"]> {
  const reply = await service.patch(`${TASKS}/${id}`, { status, ...body });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

async function complete(service: TestService, id: string): Promise<void> {
  await to(service, id, "in_progress");
  await to(service, id, "completed");
}

async function claim(service: TestService, id: string, agentId: string, ttlSeconds = 60): Promise<Reply> {
  return await service.post(`${TASKS}/${id}/claim`, { agentId, ttlSeconds });
}

async function listIds(service: TestService, query: string): Promise<string[]> {
  const reply = await service.get(`${TASKS}?${query}`);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body.data.map((task: { id: string }) => task.id);
}

async function readFeed(service: TestService, id: string): Promise<(readonly [string, number, string])[]> {
  const rows = await service.operator().tx((tx) =>
    tx.sql`
    select kind, version, payload from change
     where workspace_id = ${tx.workspaceId} and resource_type = 'task' and resource_id = ${id} order by seq`
  );
  return rows.map((row) => [row.kind, row.version, row.payload.status]);
}

test("a new task is pending, nobody's, and as it was described", async (service, clock) => {
  const made = await service.post(TASKS, {
    title: "Renew the licence",
    description: "Before the audit.",
    kind: "conflict_review",
    priority: 3,
    dueAt: "2026-07-01T14:00:00+02:00",
    tags: ["legal", "legal"],
    metadata: { ticket: 7 },
  });
  assert.deepEqual([made.status, made.headers.get("etag")], [201, '"1"']);
  const { id, createdBy, ...task } = made.body;
  assert.match(createdBy, /^key:/);
  const now = clock.now.toISOString();
  assert.deepEqual(task, {
    version: 1,
    kind: "conflict_review",
    status: "pending",
    statusReason: null,
    title: "Renew the licence",
    description: "Before the audit.",
    priority: 3,
    agentId: null,
    dependsOn: [],
    leaseExpiresAt: null,
    dueAt: "2026-07-01T12:00:00.000Z",
    result: null,
    delegations: [],
    sensitivity: "internal",
    tags: ["legal"],
    metadata: { ticket: 7 },
    startedAt: null,
    finishedAt: null,
    createdAt: now,
    updatedAt: now,
  });
  assert.deepEqual(await read(service, id), made.body);
});

test("every step of the state machine is taken or refused with the legal ones", async (service) => {
  const legal: Record<string, string[]> = {
    pending: ["in_progress", "cancelled"],
    in_progress: ["blocked", "completed", "failed", "cancelled"],
    blocked: ["in_progress", "failed", "cancelled"],
    completed: [],
    failed: [],
    cancelled: [],
  };
  const way: Record<string, string[]> = {
    pending: [],
    in_progress: ["in_progress"],
    blocked: ["in_progress", "blocked"],
    completed: ["in_progress", "completed"],
    failed: ["in_progress", "failed"],
    cancelled: ["in_progress", "cancelled"],
  };
  for (const from of Object.keys(legal)) {
    for (const target of Object.keys(legal)) {
      const { id } = await create(service);
      for (const step of way[from]!) await to(service, id, step);
      const { status, body } = await service.patch(`${TASKS}/${id}`, { status: target });
      const name = `${from} → ${target}`;
      if (legal[from]!.includes(target)) assert.deepEqual([status, body.status], [200, target], name);
      else if (from === target && legal[from]!.length > 0) {
        assert.deepEqual([status, body.version], [200, 1 + way[from]!.length], `${name} changes nothing`);
      } else {
        assert.deepEqual([status, body.code, body.legal], [409, "invalid_transition", legal[from]], name);
        assert.equal((await read(service, id)).status, from, name);
      }
    }
  }
});

test("a finished task does not change in any way", async (service) => {
  const { id } = await create(service);
  await to(service, id, "in_progress");
  const done = await to(service, id, "completed", { result: { cheapest: "B" }, reason: "all answered" });
  assert.deepEqual([done.result, done.statusReason], [{ cheapest: "B" }, "all answered"]);
  assert.ok(done.startedAt !== null && done.finishedAt !== null);
  const refusals = await Promise.all([
    service.patch(`${TASKS}/${id}`, { title: "Another" }),
    service.patch(`${TASKS}/${id}`, { dependsOn: [] }),
    service.patch(`${TASKS}/${id}`, { result: 1 }),
    service.post(`${TASKS}/${id}/delegate`, { agentId: "b" }),
    claim(service, id, "b"),
  ]);
  for (const { status, body } of refusals) {
    assert.deepEqual([status, body.code, body.legal], [409, "invalid_transition", []]);
  }
  assert.deepEqual(await read(service, id), done);
});

test("a patch changes what it names, and nothing makes no version", async (service, clock) => {
  const { id } = await create(service, { description: "x", dueAt: "2026-07-01T12:00:00Z" });
  clock.step(1_000);
  const changed = await service.patch(`${TASKS}/${id}`, { priority: 0, description: null, dueAt: null, tags: ["a"] });
  assert.deepEqual([changed.headers.get("etag"), changed.body.version, changed.body.updatedAt], [
    '"2"',
    2,
    clock.now.toISOString(),
  ]);
  const { priority, description, dueAt, tags, title } = changed.body;
  assert.deepEqual({ priority, description, dueAt, tags, title }, {
    priority: 0,
    description: null,
    dueAt: null,
    tags: ["a"],
    title: "Compare the quotes",
  });
  assert.equal((await service.patch(`${TASKS}/${id}`, { priority: 0 })).body.version, 2);
  for (
    const body of [{}, { reason: "x" }, { priority: 4 }, { title: " " }, { agentId: "x" }, {
      result: "é".repeat(40_000),
    }]
  ) {
    assert.equal((await service.patch(`${TASKS}/${id}`, body)).status, 422, JSON.stringify(body).slice(0, 50));
  }
});

test("If-Match guards patch, claim and delegate", async (service) => {
  const { id } = await create(service);
  const headers = { "if-match": '"9"' };
  const replies = await Promise.all([
    service.patch(`${TASKS}/${id}`, { priority: 3 }, { headers }),
    service.post(`${TASKS}/${id}/claim`, { agentId: "a" }, { headers }),
    service.post(`${TASKS}/${id}/delegate`, { agentId: "a" }, { headers }),
  ]);
  for (const { status, body } of replies) assert.deepEqual([status, body.code], [412, "version_mismatch"]);
  assert.equal(
    (await service.patch(`${TASKS}/${id}`, { priority: 3 }, { headers: { "if-match": '"1"' } })).status,
    200,
  );
});

test("a task starts only when all that it depends on is completed", async (service) => {
  const [first, second] = [await create(service), await create(service)];
  const { id } = await create(service, { dependsOn: [second.id, first.id, first.id] });
  assert.deepEqual((await read(service, id)).dependsOn, [first.id, second.id].sort());
  await complete(service, first.id);
  for (
    const attempt of [await service.patch(`${TASKS}/${id}`, { status: "in_progress" }), await claim(service, id, "a")]
  ) {
    assert.deepEqual([attempt.status, attempt.body.code, attempt.body.waitingFor], [409, "invalid_transition", [
      second.id,
    ]]);
  }
  await to(service, second.id, "in_progress");
  await to(service, second.id, "failed");
  assert.equal((await claim(service, id, "a")).status, 409, "what failed is not completed");
  await service.patch(`${TASKS}/${id}`, { dependsOn: [first.id] });
  assert.equal((await claim(service, id, "a")).body.status, "in_progress");
});

test("a blocked task may come to depend on others, and goes on only after them", async (service) => {
  const [other, { id }] = [await create(service), await create(service)];
  await to(service, id, "in_progress");
  const refused = await service.patch(`${TASKS}/${id}`, { dependsOn: [other.id] });
  assert.deepEqual([refused.status, refused.body.code], [409, "invalid_transition"]);
  await to(service, id, "blocked");
  await service.patch(`${TASKS}/${id}`, { dependsOn: [other.id] });
  assert.deepEqual((await service.patch(`${TASKS}/${id}`, { status: "in_progress" })).body.waitingFor, [other.id]);
  await complete(service, other.id);
  await to(service, id, "in_progress");
});

test("dependencies make no circle, also when two are added at once", async (service) => {
  const [a, b, c] = [await create(service), await create(service), await create(service)];
  const depend = (task: { id: string }, on: { id: string }[]) =>
    service.patch(`${TASKS}/${task.id}`, { dependsOn: on.map(({ id }) => id) });
  assert.equal((await depend(b, [a])).status, 200);
  assert.equal((await depend(c, [b])).status, 200);
  const refused = await depend(a, [a, c]);
  assert.deepEqual([refused.status, refused.body.code], [422, "validation_failed"]);
  assert.deepEqual(refused.body.errors.map((error: { path: string }) => error.path), ["dependsOn.0", "dependsOn.1"]);
  assert.deepEqual((await read(service, a.id)).dependsOn, []);
  const [x, y] = [await create(service), await create(service)];
  const replies = await Promise.all([depend(x, [y]), depend(y, [x])]);
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 422]);
  const unknown = await service.post(TASKS, { title: "x", dependsOn: [a.id, UNKNOWN_ID] });
  assert.deepEqual([unknown.status, unknown.body.errors], [422, [{ path: "dependsOn.1", message: "is not known" }]]);
});

test("a task is as sensitive as what it depends on, and hidden from who may not see it", async (service) => {
  const hidden = await create(service, { sensitivity: "confidential" });
  assert.equal((await create(service, { dependsOn: [hidden.id] })).sensitivity, "confidential");
  const lower = await service.post(TASKS, { title: "x", dependsOn: [hidden.id], sensitivity: "internal" });
  assert.equal(lower.body.errors[0].message, "is more sensitive than the task");
  const key = await service.createKey({ maxSensitivity: "internal" });
  assert.equal((await service.get(`${TASKS}/${hidden.id}`, { key })).status, 404);
  assert.deepEqual((await service.get(TASKS, { key })).body.data, []);
  assert.equal((await service.post(TASKS, { title: "x", dependsOn: [hidden.id] }, { key })).status, 422);
  assert.equal((await service.post(TASKS, { title: "x", sensitivity: "confidential" }, { key })).status, 422);
});

test("a claim holds a task until its lease runs out; then it waits again for anybody", async (service, clock) => {
  const { id } = await create(service);
  const claimed = await claim(service, id, "a");
  assert.deepEqual([claimed.status, claimed.body.status, claimed.body.agentId], [200, "in_progress", "a"]);
  assert.equal(claimed.body.leaseExpiresAt, new Date(clock.now.getTime() + 60_000).toISOString());
  const refused = await claim(service, id, "b");
  assert.deepEqual([refused.status, refused.body.code, refused.body.agentId], [409, "conflict", "a"]);
  clock.step(30_000);
  const renewed = await claim(service, id, "a");
  assert.equal(renewed.body.leaseExpiresAt, new Date(clock.now.getTime() + 60_000).toISOString());
  assert.equal(renewed.body.startedAt, claimed.body.startedAt);
  clock.step(59_999);
  assert.equal((await read(service, id)).status, "in_progress");
  clock.step(1);
  const view = await read(service, id);
  assert.deepEqual([view.status, view.agentId, view.leaseExpiresAt, view.version], ["pending", null, null, 3]);
  assert.equal(view.statusReason, "the lease of a ran out");
  assert.deepEqual([await listIds(service, "status=pending"), await listIds(service, "status=in_progress")], [
    [id],
    [],
  ]);
  assert.deepEqual(await listIds(service, "agentId=a"), []);
  const late = await service.patch(`${TASKS}/${id}`, { status: "completed" });
  assert.deepEqual(
    [late.status, late.body.legal],
    [409, ["in_progress", "cancelled"]],
    "who was too late does not complete it",
  );
  const next = await claim(service, id, "b");
  assert.deepEqual([next.body.agentId, next.body.version], ["b", 5]);
  assert.deepEqual(await readFeed(service, id), [
    ["task.created", 1, "pending"],
    ["task.claimed", 2, "in_progress"],
    ["task.claimed", 3, "in_progress"],
    ["task.lease_expired", 4, "pending"],
    ["task.claimed", 5, "in_progress"],
  ]);
});

test("the version of a claim fences off who held the task before", async (service, clock) => {
  const { id } = await create(service);
  const first = await claim(service, id, "a");
  clock.step(60_000);
  await claim(service, id, "b");
  const late = await service.patch(`${TASKS}/${id}`, { status: "completed" }, {
    headers: { "if-match": first.headers.get("etag")! },
  });
  assert.equal(late.status, 412);
  assert.equal((await read(service, id)).agentId, "b");
});

test(
  "the worker writes down that leases ran out, once, and leaves assigned tasks with their agent",
  async (service, clock) => {
    const [open, assigned, held] = [
      await create(service),
      await create(service, { agentId: "a" }),
      await create(service),
    ];
    assert.equal((await claim(service, assigned.id, "b")).status, 409, "it is another agent's");
    for (const { id } of [open, assigned]) await claim(service, id, "a");
    await claim(service, held.id, "a", 600);
    const release = () => releaseLapsedTasks(service.operator());
    const next = () => nextLapseAt(service.operator());
    assert.equal(await release(), 0);
    assert.deepEqual(await next(), new Date(Date.parse((await read(service, open.id)).leaseExpiresAt)));
    clock.step(60_000);
    assert.equal(await release(), 2);
    assert.equal(await release(), 0);
    assert.deepEqual(await next(), new Date(Date.parse((await read(service, held.id)).leaseExpiresAt)));
    const states = await Promise.all([open, assigned, held].map(({ id }) => read(service, id)));
    assert.deepEqual(states.map(({ status, agentId, version }) => [status, agentId, version]), [
      ["pending", null, 3],
      ["pending", "a", 3],
      ["in_progress", "a", 2],
    ]);
  },
);

test("a blocked task has no lease to lose, and its agent resumes it by a claim", async (service, clock) => {
  const { id } = await create(service);
  await claim(service, id, "a");
  const blocked = await to(service, id, "blocked", { reason: "waits for an answer" });
  assert.deepEqual([blocked.leaseExpiresAt, blocked.agentId, blocked.statusReason], [null, "a", "waits for an answer"]);
  clock.step(3_600_000);
  assert.equal(await releaseLapsedTasks(service.operator()), 0);
  assert.equal((await claim(service, id, "b")).status, 409);
  const resumed = await claim(service, id, "a");
  assert.deepEqual([resumed.body.status, resumed.body.statusReason], ["in_progress", null]);
});

test("of two who claim at once one wins", async (service) => {
  const { id } = await create(service);
  const replies = await Promise.all(["a", "b", "c"].map((agent) => claim(service, id, agent)));
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 409, 409]);
});

test("delegation hands a task on, ends the lease and keeps the trail", async (service, clock) => {
  const { id } = await create(service);
  const hand = (agentId: string, reason?: string) =>
    service.post(`${TASKS}/${id}/delegate`, { agentId, ...(reason && { reason }) });
  await claim(service, id, "a");
  clock.step(1_000);
  const { body } = await hand("b", "knows the suppliers");
  assert.deepEqual([body.status, body.agentId, body.leaseExpiresAt], ["in_progress", "b", null]);
  const refused = await hand("b");
  assert.deepEqual([refused.status, refused.body.code], [409, "conflict"]);
  clock.step(1_000);
  const { delegations } = (await hand("c")).body;
  const times = [clock.now.getTime() - 1_000, clock.now.getTime()].map((ms) => new Date(ms).toISOString());
  const by = body.delegations[0].by;
  assert.deepEqual(delegations, [
    { from: "a", to: "b", at: times[0], by, reason: "knows the suppliers" },
    { from: "b", to: "c", at: times[1], by, reason: null },
  ]);
  assert.equal((await claim(service, id, "a")).status, 409);
  assert.equal((await claim(service, id, "c")).status, 200);
  clock.step(60_000);
  assert.deepEqual([(await read(service, id)).agentId, (await read(service, id)).status], ["c", "pending"]);
});

test("lists are filtered by agent, state, kind, priority and due date, page by page", async (service) => {
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) {
    const { id } = await create(service, {
      agentId: i % 2 === 0 ? "even" : "odd",
      priority: i % 4,
      kind: i === 4 ? "conflict_review" : "task",
      ...(i < 3 && { dueAt: `2026-07-0${i + 1}T00:00:00Z` }),
    });
    ids.push(id);
  }
  const at = (...places: number[]) => places.map((place) => ids[place]);
  await complete(service, ids[0]!);
  assert.deepEqual(await listIds(service, ""), at(4, 3, 2, 1, 0));
  assert.deepEqual(await listIds(service, "order=asc&agentId=even"), at(0, 2, 4));
  assert.deepEqual(await listIds(service, "status=completed"), at(0));
  assert.deepEqual(await listIds(service, "status=completed&status=pending&agentId=odd"), at(3, 1));
  assert.deepEqual(await listIds(service, "kind=conflict_review"), at(4));
  assert.deepEqual(await listIds(service, "priority=2&priority=3"), at(3, 2));
  assert.deepEqual(await listIds(service, "dueBefore=2026-07-03T00:00:00Z"), at(1, 0));
  const seen: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const { body } = await service.get(`${TASKS}?limit=2${cursor && `&cursor=${cursor}`}`);
    seen.push(...body.data.map((task: { id: string }) => task.id));
    cursor = body.nextCursor;
  }
  assert.deepEqual(seen, at(4, 3, 2, 1, 0));
  assert.equal((await service.get(`${TASKS}?status=done`)).status, 422);
});

test("reading needs tasks:read, changing tasks:write, and an unknown task is 404", async (service) => {
  const { id } = await create(service);
  const reader = await service.createKey({ scopes: ["tasks:read"] });
  const writer = await service.createKey({ scopes: ["tasks:write"] });
  assert.equal((await service.get(`${TASKS}/${id}`, { key: reader })).status, 200);
  assert.equal((await service.patch(`${TASKS}/${id}`, { priority: 3 }, { key: reader })).status, 403);
  assert.equal((await service.patch(`${TASKS}/${id}`, { priority: 3 }, { key: writer })).status, 200);
  assert.equal((await service.get(TASKS, { key: writer })).status, 403);
  assert.equal((await service.get(`${TASKS}/${UNKNOWN_ID}`)).status, 404);
  assert.equal((await claim(service, UNKNOWN_ID, "a")).status, 404);
});

test("T64 a task and an event are erased for ever: receipt, 410, tombstone, and no import brings them back", async (service) => {
  const base = await create(service);
  const waiting = await create(service, { dependsOn: [base.id] });
  await to(service, base.id, "in_progress");
  const event = await service.post("/v1/memory/events", { type: "deploy.finished", data: { a: 1 } });
  const { text, header } = await exportAll(service);
  // A file with the erasure of another resource with the same id does not prevent their erasure.
  const wrong = { kind: "deletion", resourceType: "fact", originInstance: "instance:x", erasedBy: "x", receipt: {} };
  const at = { sensitivity: "internal", erasedAt: "2026-01-01T00:00:00.000Z" };
  const others = [base.id, event.body.id].map((id: string) => ({ ...wrong, ...at, id }));
  const refused = await importText(service, makeFile(header, others));
  assert.deepEqual(refused.errors.map(({ code }) => code), ["conflict", "conflict"]);
  for (const path of [`${TASKS}/${base.id}`, `/v1/memory/events/${event.body.id}`]) {
    const archive = await service.post(`${path}/forget`, { mode: "archive" });
    assert.deepEqual([archive.status, archive.body.code], [422, "validation_failed"]);
    const key = await service.createKey({ scopes: ["tasks:read", "tasks:write"] });
    assert.equal((await service.post(`${path}/forget`, { mode: "erase" }, { key })).status, 403);
    const gone = await service.post(`${path}/forget`, { mode: "erase", reason: "asked for" });
    assert.equal(gone.status, 200, JSON.stringify(gone.body));
    assert.deepEqual([gone.body.receipt.reason, gone.body.receipt.staleDependants], ["asked for", 0]);
    const again = await service.post(`${path}/forget`, { mode: "erase" });
    assert.deepEqual([again.status, again.body.code], [410, "erased"]);
  }
  assert.equal((await service.get(`${TASKS}/${base.id}`)).status, 410);
  assert.equal((await service.get(`/v1/memory/events/${event.body.id}`)).status, 410);
  assert.deepEqual((await service.get("/v1/memory/events")).body.data, []);
  assert.deepEqual((await read(service, waiting.id)).dependsOn, []);
  const feed = await service.get("/v1/memory/changes?kind=task.erased&kind=event.erased");
  assert.deepEqual(feed.body.data.map(({ resourceId }: { resourceId: string }) => resourceId), [
    base.id,
    event.body.id,
  ]);
  const blocked = (await importText(service, text)).errors.map(({ code }) => code);
  assert.deepEqual(blocked.filter((code) => code === "RESURRECTION_BLOCKED").length, 2, `${blocked}`);
  // Another service that has the file erases them, too, once it hears of it.
  const after = await exportAll(service);
  const target = await emptyWorkspace(service);
  await importText(service, makeFile(header, parseFile(text).lines), target);
  assert.deepEqual((await importText(service, after.text, target)).errors, []);
  assert.equal((await service.get(`${TASKS}/${base.id}`, { key: target.key })).status, 410);
  assert.deepEqual((await service.get("/v1/memory/events", { key: target.key })).body.data, []);
  // Above the clearance, it does not exist.
  const secret = await create(service, { sensitivity: "restricted" });
  const hushed = { type: "vault.opened", data: {}, sensitivity: "restricted" };
  const hidden = (await service.post("/v1/memory/events", hushed)).body.id;
  const low = await service.createKey({ maxSensitivity: "internal" });
  for (const path of [`${TASKS}/${secret.id}`, `/v1/memory/events/${hidden}`]) {
    assert.equal((await service.post(`${path}/forget`, { mode: "erase" }, { key: low })).status, 404);
  }
  // Earlier entries of the same id do not prevent an erasure.
  await service.operator().tx((tx) =>
    tx.sql`
    insert into deletion_log (workspace_id, resource_id, resource_type, origin_instance, sensitivity, erased_at, erased_by)
    select ${tx.workspaceId}, n.id, n.type, 'x', 'internal', now(), 'x'
      from unnest(${[secret.id, secret.id, hidden]}::uuid[], ${["fact", "task", "fact"]}::text[]) n(id, type)`
  );
  for (const path of [`${TASKS}/${secret.id}`, `/v1/memory/events/${hidden}`]) {
    const statuses = [];
    for (let i = 0; i < 2; i++) statuses.push((await service.post(`${path}/forget`, { mode: "erase" })).status);
    assert.deepEqual(statuses, [200, 410]);
  }
});
