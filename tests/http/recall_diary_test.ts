/** The recall diary: its entries, their readers, how long they are kept, and the effects of erasures. */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { ADMIN_TOKEN, startService, type TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { diaryOf } from "../../src/domain/recall/noted/diary.ts";
import { connectSuperuser } from "./_audit.ts";
import { create, FACTS, test } from "./_facts.ts";
import { exportAll } from "./_transfer.ts";
import { get, listIds, post, refusal } from "./_units.ts";

const DIARY = "/v1/memory/recalls";
const RECALL = "/v1/memory/recall";

async function setDays(service: TestService, recallDiaryDays: unknown) {
  const path = `/v1/admin/workspaces/${service.workspaceId}`;
  return await service.patch(path, { settings: { recallDiaryDays } }, { key: ADMIN_TOKEN });
}

/** Turns the diary on, and waits until the process knows it. */
async function turnOn(service: TestService, days = 30): Promise<void> {
  assert.equal((await setDays(service, days)).status, 200);
  await waitFor("the diary is on", async () => {
    await post(service, RECALL, { query: "probe" }, 200);
    await diaryOf(service.deps).flush();
    return (await get(service, `${DIARY}?q=probe`)).data.length > 0;
  });
}

// deno-lint-ignore no-explicit-any
async function entries(service: TestService, query = "", key = service.key): Promise<any[]> {
  await diaryOf(service.deps).flush();
  const reply = await service.get(`${DIARY}?order=asc&limit=200${query}`, { key });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body.data.filter(({ query }: { query: string | null }) => query !== "probe");
}

test("nothing is kept unless the workspace says so", async (service) => {
  await create(service, { statement: "The harbour is deep." });
  for (const days of [-1, 91, 1.5, "1", null]) assert.equal((await setDays(service, days)).status, 422, `${days}`);
  await post(service, RECALL, { query: "harbour" }, 200);
  assert.deepEqual(await entries(service), []);
  const rows = await service.operator().tx((tx) =>
    tx.sql`select 1 from recall_entry where workspace_id = ${tx.workspaceId}`
  );
  assert.equal(rows.length, 0);
});

test("each recall is kept, of every path, with what was asked and what was shown", async (service, clock) => {
  const session = await post(service, "/v1/session", { agentId: "ada" });
  const harbour = await create(service, { statement: "The harbour is deep.", tags: ["sea"] });
  const pinned = await create(service, { statement: "Always greet the captain.", pinned: true });
  await turnOn(service);
  const asked = {
    query: "How deep is the harbour?",
    limit: 5,
    types: ["fact"],
    tags: ["sea"],
    filters: { AND: [{ status: { eq: "active" } }] },
  };
  const reply = await service.post(RECALL, asked, { headers: { "x-request-id": "request-1" } });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const full = reply.body;
  const { id: caller } = (await service.get("/v1/admin/api-keys?limit=200", { key: ADMIN_TOKEN })).body.data.find(
    (key: { workspaceId: string }) => key.workspaceId === service.workspaceId,
  );
  const [entry] = await entries(service);
  assert.deepEqual(entry, {
    id: entry.id,
    recalledAt: clock.now.toISOString(),
    path: "full",
    operation: "recall",
    query: asked.query,
    filters: { ...entry.filters, limit: 5, types: ["fact"], tags: ["sea"], filters: asked.filters },
    results: [
      { id: harbour.id, type: "fact", score: full.results[0].score, pinned: false },
      ...full.pinned.map(({ id, type, score }: { id: string; type: string; score: number }) => {
        return { id, type, score, pinned: true };
      }),
    ],
    resultCount: full.results.length + full.pinned.length,
    evidenceConfidence: full.evidenceConfidence,
    durationMs: full.usage.durationMs,
    caller: `key:${caller}`,
    agentId: null,
    sessionId: null,
    requestId: "request-1",
    traceId: full.traceId,
  });
  assert.deepEqual(await get(service, `${DIARY}/${entry.id}`), entry);
  await post(service, "/v1/memory/recall/hot", { query: "harbour" }, 200);
  await post(service, "/v1/memory/recall/unified", { query: "harbour" }, 200);
  await post(service, "/v1/memory/recall/explain", { query: "harbour", explainIds: [pinned.id] }, 200);
  await post(service, "/v1/memory/recall/batch", { queries: [{ query: "one" }, { query: "two" }] }, 200);
  await post(service, RECALL, { query: "harbour", sessionId: session.id }, 200);
  await get(service, `/v1/session/${session.id}/context?query=greet`);
  // Until the hot tier has loaded the workspace, the database answers.
  const kept = (await entries(service)).slice(1).filter(({ operation, path }) =>
    operation !== "recallHot" || path === "hot"
  );
  assert.deepEqual(kept.map(({ operation, path, query }) => [operation, path, query]).toSorted(), [
    ["explainRecall", "full", "harbour"],
    ["getSessionContext", "full", "greet"],
    ["recall", "full", "harbour"],
    ["recallBatch", "full", "one"],
    ["recallBatch", "full", "two"],
    ["recallHot", "hot", "harbour"],
    ["recallUnified", "full", "harbour"],
  ]);
  const inSession = kept.filter(({ sessionId }) => sessionId === session.id);
  assert.deepEqual(inSession.map(({ agentId }) => agentId), ["ada", "ada"]);
  assert.ok(!JSON.stringify(kept).includes("explainIds"));
});

test(
  "the diary is filtered by time, caller, agent, what was shown and what was asked, page by page",
  async (service, clock) => {
    const session = await post(service, "/v1/session", { agentId: "ada" });
    const harbour = await create(service, { statement: "The harbour is deep." });
    await turnOn(service);
    const start = clock.step(60_000).toISOString();
    const other = await service.createKey({ scopes: ["memory:read"] });
    await post(service, RECALL, { query: "How deep is the harbour?" }, 200);
    clock.step(60_000);
    assert.equal((await service.post(RECALL, { query: "100% sure?" }, { key: other })).status, 200);
    const middle = clock.step(60_000).toISOString();
    await post(service, RECALL, { query: "Who is Ada?", sessionId: session.id }, 200);
    const all = await entries(service, `&since=${start}`);
    const [first, second, third] = all.map(({ id }) => id);
    assert.equal(all.length, 3);
    assert.notEqual(all[0].caller, all[1].caller);
    const only = async (query: string, expected: readonly string[]) =>
      assert.deepEqual((await entries(service, `&since=${start}&${query}`)).map(({ id }) => id), expected, query);
    await only(`until=${middle}`, [first, second]);
    await only(`caller=${all[1].caller}`, [second]);
    await only("agentId=ada", [third]);
    await only(`unitId=${harbour.id}`, [first]);
    await only(`unitId=${session.id}`, []);
    await only("q=HARBOUR", [first]);
    await only("q=%25", [second]);
    const pages: string[] = [];
    for (let cursor = ""; cursor !== "end";) {
      const page = await get(service, `${DIARY}?since=${start}&limit=1${cursor}`);
      pages.push(...page.data.map(({ id }: { id: string }) => id));
      cursor = page.nextCursor === null ? "end" : `&cursor=${page.nextCursor}`;
    }
    assert.deepEqual(pages, [third, second, first]);
    for (const query of ["since=x", `since=${middle}&until=${start}`, "unitId=x", "q=", "cursor=abc", "colour=red"]) {
      assert.equal((await service.get(`${DIARY}?${query}`)).status, 422, query);
    }
  },
);

test("a reader sees the recalls of keys not above its clearance, and of the units those that it may see now", async (service) => {
  const open = await create(service, { statement: "The harbour is deep." });
  const secret = await create(service, { statement: "The harbour has a secret gate.", sensitivity: "confidential" });
  await turnOn(service);
  const confidential = await service.createKey({ maxSensitivity: "confidential" });
  await post(service, RECALL, { query: "harbour secret plan" }, 200);
  assert.equal((await service.post(RECALL, { query: "harbour" }, { key: confidential })).status, 200);
  const low = await service.createKey({ maxSensitivity: "internal", scopes: ["audit:read"] });
  const reader = await service.createKey({ maxSensitivity: "confidential", scopes: ["audit:read"] });
  assert.deepEqual(await entries(service, "", low), []);
  const [seen, ...more] = await entries(service, "", reader);
  assert.deepEqual([seen.query, more.length], ["harbour", 0]);
  assert.deepEqual(seen.results.map(({ id }: { id: string }) => id).toSorted(), [open.id, secret.id].toSorted());
  const all = await entries(service);
  assert.equal(all.length, 2);
  const above = all.find(({ query }) => query === "harbour secret plan").id;
  assert.deepEqual(refusal(await service.get(`${DIARY}/${above}`, { key: reader })), [404, "not_found"]);
  // A fact that has become more sensitive since is no longer shown.
  assert.equal((await service.patch(`${FACTS}/${secret.id}`, { sensitivity: "restricted" })).status, 200);
  const [after] = await entries(service, "", reader);
  assert.deepEqual(after.results.map(({ id }: { id: string }) => id), [open.id]);
  assert.equal(after.resultCount, 2);
  assert.deepEqual(await entries(service, `&unitId=${secret.id}`, reader), []);
  const elsewhere = await service.inNewWorkspace();
  assert.deepEqual(await entries(elsewhere), []);
  assert.deepEqual(refusal(await elsewhere.get(`${DIARY}/${seen.id}`)), [404, "not_found"]);
  const without = await service.createKey({ scopes: ["memory:read", "memory:admin"] });
  assert.deepEqual(refusal(await service.get(DIARY, { key: without })), [403, "insufficient_scope"]);
});

test("erasing a unit takes its id, its score and the queries that came from it out of the diary, also above the eraser's clearance", async (service) => {
  const gone = await create(service, { statement: "Ada's phone is in the blue drawer. Nobody knows." });
  const stays = await create(service, { statement: "The blue drawer is old." });
  await turnOn(service);
  const recall = (body: object) => post(service, RECALL, body, 200);
  await recall({ query: "What is in the blue drawer?" });
  await recall({ query: "What is in the blue box?", types: ["entity"] });
  await recall({ query: "Ada's phone is in the blue DRAWER", types: ["entity"] });
  await recall({ query: "blue drawer" });
  await recall({ query: "Is it true that ada's  PHONE is in the blue drawer, my friend?" });
  await recall({ query: "Ada's phone is in the blue drawer.", minScore: 1 });
  await recall({ query: `What of ${gone.id}?` });
  await recall({ query: "old", filters: { "metadata.of": { eq: gone.id } } });
  assert.equal((await entries(service)).length, 8);
  const eraser = await service.createKey({ maxSensitivity: "internal", scopes: ["memory:delete", "memory:read"] });
  const erased = await service.post(`/v1/facts/${gone.id}/forget`, { mode: "erase" }, { key: eraser });
  assert.equal(erased.status, 200, JSON.stringify(erased.body));
  const left = await entries(service);
  assert.deepEqual(left.map(({ query }) => query), [
    null,
    "What is in the blue box?",
    ...Array(6).fill(null),
  ]);
  assert.ok(left.every(({ query, filters }) => (query === null) === (filters === null)));
  assert.ok(left[0].results.some(({ id }: { id: string }) => id === stays.id));
  assert.ok(!JSON.stringify(left).includes(gone.id));
  const rows = await service.operator().tx((tx) =>
    tx.sql`select 1 from recall_shown where workspace_id = ${tx.workspaceId} and unit_id = ${gone.id}`
  );
  assert.equal(rows.length, 0);
});

test("a unit that the diary has shown very often is erased as fast as others", async (service) => {
  const sentences = Array.from({ length: 300 }, (_, i) => `The harbour of number ${i} is quite deep.`);
  const gone = await create(service, { statement: sentences.join(" ") });
  await turnOn(service);
  await service.operator().tx(async (tx) => {
    await tx.sql`
      insert into recall_entry (workspace_id, id, sensitivity, recalled_at, path, operation, query, caller, request_id,
                                trace_id, evidence_confidence, result_count, duration_ms)
      select ${tx.workspaceId}, gen_random_uuid(), 'internal', ${tx.now}, 'full', 'many', repeat('deep harbour ', 100),
             'a', 'b', 'c', 1, 1, 1 from generate_series(1, 5000)`;
    await tx.sql`
      insert into recall_shown (workspace_id, recall_id, position, unit_id, type, sensitivity, score, from_pins)
      select e.workspace_id, e.id, 0, ${gone.id}, 'fact', 'internal', 1, false
        from recall_entry e where e.workspace_id = ${tx.workspaceId} and e.operation = 'many'`;
  });
  await post(service, `/v1/facts/${gone.id}/forget`, { mode: "erase" }, 200);
  const [row] = await service.operator().tx((tx) =>
    tx.sql`
      select count(*)::int as all, count(query)::int as queries, count(query_hash)::int as hashes
        from recall_entry where workspace_id = ${tx.workspaceId} and operation = 'many'`
  );
  assert.deepEqual({ ...row }, { all: 5000, queries: 0, hashes: 0 });
});

test("what is erased between a recall and its writing is not written", async (service) => {
  const session = await post(service, "/v1/session", {});
  const gone = await create(service, { statement: "The harbour is deep." });
  await turnOn(service);
  const diary = diaryOf(service.deps);
  await diary.flush();
  await using superuser = connectSuperuser(service);
  await superuser.sql.begin(async (sql) => {
    // Until this ends, the diary writes nothing. On a slow machine it would otherwise write before the erasure, which would
    // then remove the erased content itself.
    await sql`select pg_advisory_xact_lock_shared(hashtextextended(${service.workspaceId}::uuid::text, 7305414))`;
    await post(service, RECALL, { query: "harbour" }, 200);
    await post(service, RECALL, { query: "of a session", sessionId: session.id }, 200);
    await post(service, `/v1/facts/${gone.id}/forget`, { mode: "erase" }, 200);
    assert.equal((await service.delete(`/v1/session/${session.id}`)).status, 200);
    assert.deepEqual(await entries(service), [], "all of it waits");
  });
  const kept = await entries(service);
  assert.deepEqual(kept.map(({ query, results }) => [query, results]), [[null, []]]);
});

test("entries wait while something is erased, and hold up no erasure", async (service) => {
  await turnOn(service);
  const diary = diaryOf(service.deps);
  await diary.flush();
  await service.operator().tx(async (tx) => {
    await tx.sql`select pg_advisory_xact_lock_shared(hashtextextended(${tx.workspaceId}::uuid::text, 7305414))`;
    await post(service, RECALL, { query: "meanwhile" }, 200);
    await diary.flush();
    assert.deepEqual((await get(service, `${DIARY}?q=meanwhile`)).data, []);
  });
  await waitFor("the entry", async () => (await get(service, `${DIARY}?q=meanwhile`)).data[0]);
});

test("the agent of a session above the asker's clearance is not kept", async (service) => {
  const session = await post(service, "/v1/session", { agentId: "ada", sensitivity: "restricted" });
  await turnOn(service);
  const ctx = { ...service.operator(), maxSensitivity: "internal" } as const;
  const reply = await post(service, RECALL, { query: "low" }, 200);
  const body = { query: "low", limit: 1, tagsMatch: "any", include: [] } as const;
  diaryOf(service.deps).note(ctx, { path: "full", body: { ...body, include: [] }, reply, sessionId: session.id });
  const found = (await entries(service)).filter(({ sessionId }) => sessionId === session.id);
  assert.deepEqual(found.map(({ agentId }) => agentId), [null]);
});

test("erasing or discarding a session deletes what was asked in it and what came from its turns", async (service) => {
  const say = (id: string, content: string) =>
    post(service, `/v1/session/${id}/turns`, { role: "user", content, messageId: crypto.randomUUID() });
  await turnOn(service);
  for (const erase of ["discard", "purge"]) {
    const session = await post(service, "/v1/session", { sensitivity: "restricted" });
    const words = `My ${erase} boat is called Nixe and it is green`;
    await say(session.id, words);
    await post(service, RECALL, { query: `Nixe ${erase}`, sessionId: session.id }, 200);
    await get(service, `/v1/session/${session.id}/context`);
    // A hook asks without a session before it records one.
    await post(service, RECALL, { query: words }, 200);
    await post(service, RECALL, { query: "Which boat is there?" }, 200);
    await post(service, RECALL, { query: "Which boat is not there?", types: ["entity"] }, 200);
    assert.equal((await entries(service, "&q=boat")).filter(({ query }) => !query!.startsWith("Which boat")).length, 2);
    const reply = erase === "discard"
      ? await service.delete(`/v1/session/${session.id}`)
      : await service.post(`/v1/session/${session.id}/purge`);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    const left = await entries(service);
    assert.ok(!JSON.stringify(left).includes("Nixe"));
    assert.ok(left.every(({ results }) => results.length === 0));
    assert.deepEqual(left.map(({ query }) => query).slice(-3), [null, null, "Which boat is not there?"]);
    assert.ok(left.every(({ sessionId }) => sessionId === null));
  }
});

test(
  "entries are kept for the days of the setting; turned off, the diary is empty at once and is deleted",
  async (service, clock) => {
    await turnOn(service, 2);
    await post(service, RECALL, { query: "first" }, 200);
    await entries(service);
    clock.step(86_400_000);
    await post(service, RECALL, { query: "second" }, 200);
    assert.deepEqual((await entries(service)).map(({ query }) => query), ["first", "second"]);
    clock.step(86_400_000 + 1);
    assert.deepEqual((await entries(service)).map(({ query }) => query), ["second"]);
    const rows = async () =>
      (await service.operator().tx((tx) =>
        tx.sql`select query from recall_entry where workspace_id = ${tx.workspaceId} and query <> 'probe'`
      )).map((row) => row["query"]);
    assert.equal((await rows()).length, 2);
    await service.step("sweeping");
    assert.deepEqual(await rows(), ["second"]);
    const { data: [swept] } = await get(service, "/v1/audit?eventType=retention.swept");
    assert.ok(swept.detail.recalls >= 1);
    await service.operator().tx(async (tx) => {
      // Until this ends, the diary writes nothing: on a busy machine it would otherwise write before it is turned off.
      await tx.sql`select pg_advisory_xact_lock_shared(hashtextextended(${tx.workspaceId}::uuid::text, 7305414))`;
      await post(service, RECALL, { query: "third" }, 200);
      assert.equal((await setDays(service, 0)).status, 200);
    });
    assert.deepEqual(await entries(service), []);
    assert.deepEqual(await rows(), ["second"], "what waited was not written");
    clock.step(1_000);
    await turnOn(service);
    assert.deepEqual(await entries(service), [], "what was kept before does not come back");
    await service.step("sweeping");
    assert.deepEqual(await rows(), []);
  },
);

test("the diary is not in an export, and reading it is in the audit log", async (service) => {
  const fact = await create(service, { statement: "The harbour is deep." });
  await turnOn(service);
  await post(service, RECALL, { query: "a very unusual question about the harbour" }, 200);
  await entries(service);
  const { text } = await exportAll(service);
  assert.ok(!text.includes("unusual question"));
  const row = await waitFor("the row of the read", async () => {
    const { data } = await get(service, "/v1/audit?eventType=read.listRecalls");
    return data.find(({ targets }: { targets: string[] }) => targets.includes(fact.id));
  });
  assert.ok(row !== undefined);
  assert.deepEqual(await listIds(service, `${DIARY}?unitId=${fact.id}&caller=nobody`), []);
});

Deno.test({
  ...POSTGRES,
  name: "what waits is written when the service stops; a diary that is full loses what comes then, and counts it",
  async fn() {
    const service = await startService();
    const database = service.database!;
    await turnOn(service);
    await post(service, RECALL, { query: "the last question" }, 200);
    const diary = diaryOf(service.deps);
    const { body } = await service.post(RECALL, { query: "many" });
    const ctx = service.operator();
    for (let i = 0; i < 5_010; i++) {
      diary.note(ctx, { path: "full", body: { query: "many", limit: 1, tagsMatch: "any", include: [] }, reply: body });
    }
    const page = await service.get("/metrics", { key: null });
    const dropped = Number(/^svc_recall_diary_dropped_total (\d+)/m.exec(page.body)?.[1]);
    assert.ok(dropped >= 10 && dropped <= 20, `${dropped}`);
    // The database belongs to the test service: its part of stopping is done first.
    await service.service[Symbol.asyncDispose]();
    await using again = await startService({ database });
    const key = await again.createKey({ workspaceId: service.workspaceId });
    const found = await again.get(`${DIARY}?q=the+last+question`, { key });
    assert.equal(found.body.data.length, 1);
    await service[Symbol.asyncDispose]().catch(() => {});
  },
});
