/** `/v1/facts`: pin, forget, restore, citations, history, expiry, and the same capability as version 3. */
import assert from "node:assert/strict";
import postgres from "postgres";
import type { Reply, TestService } from "../_service.ts";
import { expireDueFacts } from "../../src/domain/kinds/facts/lifecycle.ts";
import { create, FACTS, listIds, livesIn, read, test, UNKNOWN_ID } from "./_facts.ts";
import { get } from "./_units.ts";

const V2 = "/v1/facts";

async function post(service: TestService, path: string, body?: unknown): Promise<Reply["body"]> {
  const reply = await service.post(`${V2}/${path}`, body);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

/** Names of tables in which any row holds a text, read past every policy. */
async function tablesHolding(service: TestService, text: string): Promise<string[]> {
  const sql = postgres(service.database!.superuserUrl, { max: 1 });
  try {
    const tables = await sql<{ name: string }[]>`
      select quote_ident(table_name) as name from information_schema.tables
       where table_schema = 'public' and table_type = 'BASE TABLE'`;
    const holding: string[] = [];
    for (const { name } of tables) {
      const rows = await sql.unsafe(`select 1 from ${name} t where position($1 in lower(t::text)) > 0 limit 1`, [text]);
      if (rows.length > 0) holding.push(name);
    }
    return holding.sort();
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function countDocs(service: TestService): Promise<number> {
  const [row] = await service.operator().tx((tx) =>
    tx.sql<[{ n: number }]>`
    select coalesce(sum(docs), 0)::int as n from corpus_size where workspace_id = ${tx.workspaceId}`
  );
  return row!.n;
}

test("both faces show the same facts", async (service) => {
  const made = await service.post(V2, { statement: "Made by version two." });
  assert.deepEqual([made.status, made.headers.get("etag")], [201, '"1"']);
  assert.equal((await service.post(V2, { statement: "Made by version two." })).status, 200);
  assert.equal((await read(service, made.body.id)).corroborationCount, 1);
  const patched = await service.patch(`${V2}/${made.body.id}`, { tags: ["x"] });
  assert.deepEqual([patched.status, patched.body.version], [200, 2]);
  const both = await Promise.all(
    [`${V2}/${made.body.id}`, `${FACTS}/${made.body.id}`].map((path) => service.get(path)),
  );
  assert.deepEqual(both[0]!.body, both[1]!.body);
  assert.deepEqual((await service.get(`${V2}?tags=x`)).body, (await service.get(`${FACTS}?tags=x`)).body);
});

test("a pin is set and taken away once, however often it is asked for", async (service) => {
  const { id } = await create(service, {});
  assert.deepEqual([(await post(service, `${id}/pin`)).pinned, (await post(service, `${id}/pin`)).version], [true, 2]);
  assert.deepEqual(await listIds(service, "pinned=true"), [id]);
  const unpinned = await service.delete(`${V2}/${id}/pin`);
  assert.deepEqual([unpinned.status, unpinned.body.pinned, unpinned.body.version], [200, false, 3]);
  assert.equal((await service.delete(`${V2}/${id}/pin`)).body.version, 3);
  const { body } = await service.get(`${V2}/${id}/history`);
  assert.deepEqual(body.data.map((entry: { event: string }) => entry.event), ["created", "pinned", "unpinned"]);
});

test("an archived fact is restored to the state before", async (service) => {
  const { id } = await create(service, {});
  const { fact } = await post(service, `${id}/forget`, { mode: "archive", reason: "tidying" });
  assert.equal(fact.status, "archived");
  const restored = await post(service, `${id}/restore`);
  assert.deepEqual([restored.status, restored.version], ["active", 3]);
  assert.equal((await service.post(`${V2}/${id}/restore`)).body.code, "invalid_transition", "it is live already");
  const { body } = await service.get(`${V2}/${id}/history?order=desc&limit=2`);
  assert.deepEqual(body.data.map((entry: { event: string }) => entry.event), ["restored", "archived"]);
  assert.equal(body.data[1].reason, "tidying");
});

test("a superseded fact that is restored gets its validity back and is contested by its successor", async (service) => {
  const paris = await livesIn(service, "Paris", { validTo: "2030-01-01T00:00:00Z" });
  const rome = await livesIn(service, "Rome");
  const restored = await post(service, `${paris.id}/restore`);
  assert.deepEqual([restored.status, restored.validTo, restored.supersededBy], [
    "contested",
    "2030-01-01T00:00:00.000Z",
    null,
  ]);
  const successor = await read(service, rome.id);
  assert.deepEqual([successor.status, successor.supersedes], ["active", null]);
  const items = await service.operator().tx((tx) =>
    tx.sql`
    select subject_id, other_id from review_item where workspace_id = ${tx.workspaceId} and status = 'open'`
  );
  assert.deepEqual(items.map((item) => [item.subject_id, item.other_id]), [[paris.id, rome.id]]);
});

test("a superseded fact that nothing contradicts any more is active again, and what rests on it is fresh", async (service) => {
  const paris = await livesIn(service, "Paris");
  const derived = await create(service, { derivedFrom: [paris.id] });
  const further = await create(service, { derivedFrom: [derived.id] });
  const rome = await livesIn(service, "Rome");
  assert.deepEqual([(await read(service, derived.id)).stale, (await read(service, further.id)).stale], [true, true]);
  await service.delete(`${FACTS}/${rome.id}`);
  const restored = await post(service, `${paris.id}/restore`);
  assert.deepEqual([restored.status, restored.validTo], ["active", null]);
  assert.deepEqual([(await read(service, derived.id)).stale, (await read(service, further.id)).stale], [false, false]);
});

test("an archived superseded fact is restored to superseded, with its end", async (service) => {
  const paris = await livesIn(service, "Paris");
  await livesIn(service, "Rome");
  const { validTo } = await read(service, paris.id);
  await service.delete(`${FACTS}/${paris.id}`);
  const once = await post(service, `${paris.id}/restore`);
  assert.deepEqual([once.status, once.validTo], ["superseded", validTo]);
  const twice = await post(service, `${paris.id}/restore`);
  assert.deepEqual([twice.status, twice.validTo], ["contested", null]);
});

test("an archived fact that a live one contradicts by now is restored as contested", async (service) => {
  const paris = await livesIn(service, "Paris");
  await service.delete(`${FACTS}/${paris.id}`);
  const rome = await livesIn(service, "Rome");
  assert.equal(rome.conflict.outcome, "none");
  assert.equal((await post(service, `${paris.id}/restore`)).status, "contested");
  assert.equal((await read(service, rome.id)).status, "active");
});

test("a retracted fact is not restored", async (service) => {
  const { id } = await create(service, {});
  await service.patch(`${FACTS}/${id}`, { status: "retracted" });
  assert.equal((await service.post(`${V2}/${id}/restore`)).body.code, "invalid_transition");
});

test("a fact is expired the moment its expiry passes, and the worker writes it down", async (service, clock) => {
  const expiresAt = new Date(clock.now.getTime() + 60_000).toISOString();
  const { id } = await create(service, { expiresAt });
  assert.equal((await service.post(FACTS, { statement: "x", expiresAt: clock.now.toISOString() })).status, 422);
  assert.equal(await expireDueFacts(service.operator()), 0);
  clock.step(60_000);
  const view = await read(service, id);
  assert.deepEqual([view.status, view.version], ["expired", 1]);
  assert.deepEqual([await listIds(service, ""), await listIds(service, "status=expired")], [[], [id]]);
  assert.equal(await expireDueFacts(service.operator()), 1);
  assert.equal(await expireDueFacts(service.operator()), 0);
  const written = await read(service, id);
  assert.deepEqual([written.status, written.version], ["expired", 2]);
  const { body } = await service.get(`${V2}/${id}/history`);
  assert.deepEqual(body.data.map((entry: { status: string }) => entry.status), ["active", "expired"]);
  const restored = await post(service, `${id}/restore`);
  assert.deepEqual([restored.status, restored.expiresAt], ["active", null]);
});

test("an expired fact neither contradicts nor is restated", async (service, clock) => {
  const expiresAt = new Date(clock.now.getTime() + 60_000).toISOString();
  const paris = await livesIn(service, "Paris", { expiresAt });
  clock.step(60_000);
  assert.equal((await livesIn(service, "Rome")).conflict.outcome, "none");
  assert.notEqual((await livesIn(service, "Paris", { validTo: "2020-01-01T00:00:00Z" })).id, paris.id);
  const restored = await post(service, `${paris.id}/restore`);
  assert.equal(restored.status, "contested");
});

test("citations show the turns that they name, where the name is not ambiguous", async (service) => {
  const sessions: string[] = [];
  for (const content of ["I moved to Rome.", "I like tea."]) {
    const session = (await service.post("/v1/session", {})).body.id;
    await service.post(`/v1/session/${session}/turns`, { role: "user", name: "Caroline", content, messageId: "m1" });
    sessions.push(session);
  }
  await service.post(`/v1/session/${sessions[0]}/turns`, { role: "user", content: "Alone.", messageId: "m2" });
  const { id } = await create(service, {
    citations: [
      { messageId: "m1", sessionId: sessions[0], quote: "moved to Rome" },
      { messageId: "m1" },
      { messageId: "m2" },
      { messageId: "elsewhere" },
    ],
  });
  const { body } = await service.get(`${V2}/${id}/citations`);
  assert.equal(body.factId, id);
  const [named, ambiguous, unique, unknown] = body.data;
  assert.deepEqual([named.turn.content, named.turn.name, named.quote], [
    "I moved to Rome.",
    "Caroline",
    "moved to Rome",
  ]);
  assert.deepEqual([ambiguous.turn, ambiguous.sessionId, ambiguous.quote], [null, null, null]);
  assert.deepEqual([unique.turn.content, unique.sessionId], ["Alone.", sessions[0]]);
  assert.equal(unknown.turn, null);
});

test("an erased fact leaves nothing behind: content, revisions, index, embedding, review", async (service) => {
  const docs = await countDocs(service);
  const canary = "zyxcanary";
  const rival = await livesIn(service, "Paris", { attribution: "user_stated" });
  const fact = await livesIn(service, canary, {
    statement: `Caroline hid the ${canary} in ${canary}ville`,
    attribution: "agent_stated",
    tags: [canary],
    citations: [{ messageId: "m1", quote: canary }],
  });
  assert.equal(fact.status, "contested");
  await service.patch(`${FACTS}/${fact.id}`, { statement: `Caroline kept the ${canary}house` });
  await service.patch(`${FACTS}/${fact.id}`, { sensitivity: "confidential" });
  await service.patch(`${FACTS}/${fact.id}`, {
    metadata: { where: canary },
    statement: `Caroline lost the ${canary}s`,
  });
  assert.ok((await tablesHolding(service, canary)).length >= 4);
  const derived = await create(service, { derivedFrom: [fact.id] });

  const { mode, receipt } = await post(service, `${fact.id}/forget`, { mode: "erase", reason: "asked for" });
  assert.equal(mode, "erase");
  assert.deepEqual([receipt.id, receipt.resourceType, receipt.reason], [fact.id, "fact", "asked for"]);
  assert.deepEqual(receipt.removed, { revisions: 4, texts: 3, reviewItems: 1, relations: 0 });
  assert.equal(receipt.staleDependants, 1);
  assert.deepEqual(await tablesHolding(service, canary), []);
  const { data: entities } = await get(service, "/v1/entities");
  const kept = docs + 2 + entities.length;
  assert.equal(await countDocs(service), kept, "the rival, the dependant and who they name are still counted");
  assert.equal((await read(service, derived.id)).stale, true);
  assert.equal((await read(service, rival.id)).status, "active");
}, { own: true });

test("an erased id is 410 for ever, on every path", async (service) => {
  const { id } = await create(service, {});
  await post(service, `${id}/forget`, { mode: "erase" });
  const replies = await Promise.all([
    service.get(`${FACTS}/${id}`),
    service.get(`${FACTS}/${id}/revisions`),
    service.get(`${V2}/${id}/history`),
    service.get(`${V2}/${id}/citations`),
    service.patch(`${FACTS}/${id}`, { tags: [] }),
    service.delete(`${FACTS}/${id}`),
    service.post(`${V2}/${id}/pin`),
    service.post(`${V2}/${id}/restore`),
    service.post(`${V2}/${id}/forget`, { mode: "erase" }),
  ]);
  for (const reply of replies) assert.deepEqual([reply.status, reply.body.code], [410, "erased"]);
  assert.equal((await service.post(FACTS, { id, statement: "back again" })).status, 422, "ids are not supplied");
  const stranger = await service.createKey({ workspaceId: await service.createWorkspace() });
  assert.equal((await service.get(`${FACTS}/${id}`, { key: stranger })).status, 404);
});

test("who was not cleared for a fact does not learn that it was erased", async (service) => {
  const key = await service.createKey({ maxSensitivity: "internal" });
  const { id } = await create(service, { sensitivity: "restricted" });
  await post(service, `${id}/forget`, { mode: "erase" });
  assert.equal((await service.get(`${FACTS}/${id}`, { key })).status, 404);
  assert.equal((await service.get(`${FACTS}/${id}`)).status, 410);
});

test("the store refuses an erased id, so that nothing brings it back", async (service) => {
  const { id } = await create(service, { statement: "once" });
  const operator = service.operator();
  const { insertUnits } = await import("../../src/domain/unit/store.ts");
  const { prepareTexts } = await import("../../src/domain/unit/indexing.ts");
  const { findUnits } = await import("../../src/db/queries/units.ts");
  const [unit] = await operator.tx((tx) => findUnits(tx, [id]));
  await post(service, `${id}/forget`, { mode: "erase" });
  const [prepared] = await prepareTexts(operator, [{ kind: "fact", sensitivity: "internal", text: "once" }]);
  await assert.rejects(
    operator.tx((tx) => insertUnits(tx, [{ unit: unit!, prepared: prepared! }])),
    { code: "RESURRECTION_BLOCKED" },
  );
  assert.equal((await service.get(`${FACTS}/${id}`)).status, 410);
});

test("the feed has a tombstone of an erased fact, without content", async (service) => {
  const { id } = await create(service, { statement: "zyxcanary" });
  await post(service, `${id}/forget`, { mode: "erase" });
  const rows = await service.operator().tx((tx) =>
    tx.sql`
    select kind, payload from change where workspace_id = ${tx.workspaceId} and resource_id = ${id} order by seq`
  );
  assert.deepEqual(rows.map((row) => row.kind), ["fact.created", "fact.erased"]);
  assert.deepEqual(Object.keys(rows[1]!.payload), ["docNos"]);
});

test("erasing needs clearance for the whole history, and memory:delete", async (service) => {
  const { id } = await create(service, { sensitivity: "restricted" });
  await service.patch(`${FACTS}/${id}`, { statement: "Now harmless.", sensitivity: "internal" });
  const key = await service.createKey({ maxSensitivity: "internal" });
  assert.equal((await service.get(`${FACTS}/${id}`, { key })).status, 200);
  const { body } = await service.get(`${FACTS}/${id}/revisions`, { key });
  assert.deepEqual(
    body.data.map((revision: { version: number }) => revision.version),
    [2],
    "the past stays restricted",
  );
  const refused = await service.post(`${V2}/${id}/forget`, { mode: "erase" }, { key });
  assert.deepEqual([refused.status, refused.body.code], [403, "insufficient_scope"]);
  const writer = await service.createKey({ scopes: ["memory:read", "memory:write"] });
  assert.equal((await service.post(`${V2}/${id}/forget`, { mode: "archive" }, { key: writer })).status, 403);
  await post(service, `${id}/forget`, { mode: "erase" });
});

test("a higher sensitivity hides the past too, in the history and in the index", async (service, clock) => {
  const { id } = await create(service, { statement: "zyxcanary stands here" });
  const then = clock.now.toISOString();
  clock.step(1_000);
  await service.patch(`${FACTS}/${id}`, { statement: "zyxcanary stood here" });
  await service.patch(`${FACTS}/${id}`, { sensitivity: "restricted" });
  const key = await service.createKey({ maxSensitivity: "confidential" });
  assert.equal((await service.get(`${FACTS}/${id}/revisions`, { key })).status, 404);
  const known = `${FACTS}?knownAt=${then}`;
  assert.deepEqual((await service.get(known, { key })).body.data, []);
  const [seen] = (await service.get(known)).body.data;
  assert.deepEqual([seen.statement, seen.sensitivity], ["zyxcanary stands here", "restricted"]);
  const levels = await service.operator().tx((tx) =>
    tx.sql`
    select sensitivity from posting where workspace_id = ${tx.workspaceId} and term = 'zyxcanari'
    union all select sensitivity from vocabulary where workspace_id = ${tx.workspaceId} and term = 'zyxcanari'
    union all select sensitivity from embedding where workspace_id = ${tx.workspaceId}`
  );
  assert.ok(levels.length >= 4);
  assert.deepEqual([...new Set(levels.map((row) => row.sensitivity))], ["restricted"]);
  // The feed notifies those who saw it that it changed.
  const { body } = await service.get(`${FACTS}/${id}`);
  const [last] = await service.operator().tx((tx) =>
    tx.sql`
    select version, sensitivity from change where workspace_id = ${tx.workspaceId} and resource_id = ${id}
     order by seq desc limit 1`
  );
  assert.deepEqual([last!.version, last!.sensitivity], [body.version, "internal"]);
});

test("an unknown fact is 404 on every path", async (service) => {
  for (const path of ["", "/history", "/citations"]) {
    assert.equal((await service.get(`${V2}/${UNKNOWN_ID}${path}`)).status, 404);
  }
  for (const path of ["pin", "restore"]) {
    assert.equal((await service.post(`${V2}/${UNKNOWN_ID}/${path}`)).status, 404);
  }
  assert.equal((await service.post(`${V2}/${UNKNOWN_ID}/forget`, { mode: "erase" })).status, 404);
  assert.equal((await service.get(`${V2}/not-an-id`)).status, 422);
});

test("If-Match guards pin, forget and restore too", async (service) => {
  const { id } = await create(service, {});
  const headers = { "if-match": '"9"' };
  for (const [path, body] of [["pin", undefined], ["restore", undefined], ["forget", { mode: "erase" }]] as const) {
    assert.equal((await service.post(`${V2}/${id}/${path}`, body, { headers })).status, 412, path);
  }
});
