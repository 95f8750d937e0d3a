/** `/v1/memory/facts`: create with conflict detection, batches, lists, revisions, soft deletion. */
import assert from "node:assert/strict";
import type { Reply } from "../_service.ts";
import { prepareFacts } from "../../src/domain/kinds/facts/claims.ts";
import { writeFacts } from "../../src/domain/kinds/facts/write.ts";
import { CreateFactBody } from "../../src/schema/fact.ts";
import { create, FACTS, listIds, LIVES_IN, livesIn, read, test, UNKNOWN_ID, until } from "./_facts.ts";

test("a new fact is shown with its defaults, its trust and its origin", async (service, clock) => {
  const fact = await create(service, { statement: "The build runs on two cores.", attribution: "tool_observed" });
  assert.equal(fact.version, 1);
  assert.deepEqual(
    [fact.type, fact.status, fact.trustScore, fact.sensitivity, fact.factType, fact.corroborationCount, fact.stale],
    ["fact", "active", 80, "internal", "fact", 0, false],
  );
  assert.deepEqual(fact.origin, { instance: "instance:localhost", id: fact.id });
  assert.equal(fact.recordedAt, clock.now.toISOString());
  assert.deepEqual(fact.conflict, { outcome: "none", factIds: [], reviewItemId: null });
  const reply = await service.get(`${FACTS}/${fact.id}`);
  assert.equal(reply.headers.get("etag"), '"1"');
  const { duplicateOf: _duplicate, conflict: _conflict, ...shown } = fact;
  assert.deepEqual(reply.body, shown);
});

test("the same statement again is the same fact, corroborated, with the new citations", async (service) => {
  const body = { statement: "Caroline prefers tea.", citations: [{ messageId: "m1" }] };
  const first = await create(service, body);
  const again = await create(service, { ...body, statement: " Caroline  prefers tea. " }, 200);
  assert.equal(again.id, first.id);
  assert.equal(again.corroborationCount, 1);
  assert.equal(again.version, 1, "a count alone makes no version");
  assert.equal(again.conflict.outcome, "corroborated");
  const cited = await create(service, { ...body, citations: [{ messageId: "m2" }] }, 200);
  assert.deepEqual([cited.corroborationCount, cited.version], [2, 2]);
  assert.deepEqual(cited.citations, [{ messageId: "m1" }, { messageId: "m2" }]);
});

test("a more trusted statement of the same lends the fact its trust", async (service) => {
  const statement = "Caroline prefers tea.";
  const first = await create(service, { statement, attribution: "agent_inferred" });
  const again = await create(service, { statement, attribution: "user_stated" }, 200);
  assert.deepEqual([again.id, again.attribution, again.trustScore], [first.id, "user_stated", 90]);
  const weaker = await create(service, { statement, attribution: "unverified" }, 200);
  assert.deepEqual([weaker.attribution, weaker.trustScore], ["user_stated", 90]);
});

test("concurrent creates of one statement make one fact", async (service) => {
  const replies = await Promise.all(
    Array.from({ length: 12 }, () => service.post(FACTS, { statement: "Only one of me." })),
  );
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [...Array(11).fill(200), 201]);
  assert.equal(new Set(replies.map((reply) => reply.body.id)).size, 1);
  assert.equal((await read(service, replies[0]!.body.id)).corroborationCount, 11);
});

test(
  "a newer fact of equal trust supersedes: the old one was true until then, with who and why",
  async (service, clock) => {
    const paris = await livesIn(service, "Paris", { validFrom: "2020-01-01T00:00:00Z" });
    clock.step(1_000);
    const rome = await livesIn(service, "Rome");
    assert.deepEqual(rome.conflict, { outcome: "superseded", factIds: [paris.id], reviewItemId: null });
    assert.deepEqual([rome.status, rome.supersedes, rome.validFrom], ["active", paris.id, clock.now.toISOString()]);
    const old = await read(service, paris.id);
    assert.deepEqual([old.status, old.supersededBy, old.validTo], ["superseded", rome.id, clock.now.toISOString()]);
    const { body } = await service.get(`/v1/facts/${paris.id}/history`);
    const last = body.data.at(-1);
    assert.deepEqual([last.event, last.status], ["superseded", "superseded"]);
    assert.match(last.changedBy, /^key:/);
    assert.match(last.reason, new RegExp(rome.id));
    assert.deepEqual(last.changed, ["status", "validTo", "supersededBy"]);
  },
);

test("the old fact is closed where the new one begins", async (service) => {
  const paris = await livesIn(service, "Paris");
  const rome = await livesIn(service, "Rome", { validFrom: "2026-03-01T00:00:00+01:00" });
  assert.equal(rome.validFrom, "2026-02-28T23:00:00.000Z");
  assert.equal((await read(service, paris.id)).validTo, "2026-02-28T23:00:00.000Z");
});

test("a fact of lower trust is contested: a review opens and nothing is closed", async (service) => {
  const paris = await livesIn(service, "Paris", { attribution: "user_stated" });
  const rome = await livesIn(service, "Rome", { attribution: "agent_inferred" });
  assert.equal(rome.status, "contested");
  assert.equal(rome.conflict.outcome, "contested");
  assert.deepEqual(rome.conflict.factIds, [paris.id]);
  const [item] = await service.operator().tx((tx) =>
    tx.sql`select * from review_item where workspace_id = ${tx.workspaceId}`
  );
  assert.deepEqual(
    [item!.id, item!.kind, item!.status, item!.subject_id, item!.other_id],
    [rome.conflict.reviewItemId, "contested_fact", "open", rome.id, paris.id],
  );
  const old = await read(service, paris.id);
  assert.deepEqual([old.status, old.validTo, old.version], ["active", null, 1]);
  assert.deepEqual((await listIds(service, "")).sort(), [paris.id, rome.id].sort(), "both are live");
});

test("facts whose validity does not overlap stand beside each other", async (service) => {
  const paris = await livesIn(service, "Paris", { validFrom: "2015-01-01T00:00:00Z", validTo: "2020-01-01T00:00:00Z" });
  const rome = await livesIn(service, "Rome", { validFrom: "2020-01-01T00:00:00Z" });
  assert.equal(rome.conflict.outcome, "none");
  assert.deepEqual(await listIds(service, "asOf=2016-05-05T00:00:00Z"), [paris.id]);
  assert.deepEqual(await listIds(service, "asOf=2024-05-05T00:00:00Z"), [rome.id]);
  assert.deepEqual(await listIds(service, "asOf=2020-01-01T00:00:00Z"), [rome.id], "the end is exclusive");
});

test("a list asked for an earlier time has what was true then and has ended since, as recall has", async (service) => {
  const paris = await livesIn(service, "Paris", { validFrom: "2015-01-01T00:00:00Z" });
  const rome = await livesIn(service, "Rome", { validFrom: "2020-01-01T00:00:00Z" });
  assert.equal((await read(service, paris.id)).status, "superseded");
  assert.deepEqual(await listIds(service, "asOf=2016-05-05T00:00:00Z"), [paris.id]);
  assert.deepEqual(await listIds(service, "asOf=2020-01-01T00:00:00Z"), [rome.id]);
  assert.deepEqual(await listIds(service, "asOf=2016-05-05T00:00:00Z&status=active"), []);
  assert.deepEqual(await listIds(service, ""), [rome.id]);
});

test("a contested fact becomes active when nothing contradicts it any more", async (service) => {
  const paris = await livesIn(service, "Paris", { attribution: "user_stated" });
  const rome = await livesIn(service, "Rome", { attribution: "agent_inferred" });
  assert.equal((await service.delete(`${FACTS}/${paris.id}`)).status, 200);
  const released = await read(service, rome.id);
  assert.deepEqual([released.status, released.version], ["active", 2]);
  const items = await service.operator().tx((tx) =>
    tx.sql`
    select status, resolution from review_item where workspace_id = ${tx.workspaceId}`
  );
  assert.deepEqual(items.map((item) => item.status), ["resolved"]);
});

test("a contested fact that is stated again by someone more trusted wins", async (service) => {
  const paris = await livesIn(service, "Paris", { attribution: "user_stated" });
  const rome = await livesIn(service, "Rome", { attribution: "agent_inferred" });
  const again = await livesIn(service, "Rome", { attribution: "user_stated" }, 200);
  assert.deepEqual([again.id, again.status, again.supersedes], [rome.id, "active", paris.id]);
  assert.equal((await read(service, paris.id)).status, "superseded");
});

test("concurrent facts about one subject leave one active, and no two at odds", async (service) => {
  const places = ["Rome", "Paris", "Berlin", "Madrid", "Lisbon", "Vienna"];
  await Promise.all(places.map((place) => livesIn(service, place)));
  const { body } = await service.get(`${FACTS}?status=active&status=superseded`);
  assert.equal(body.data.length, places.length);
  assert.equal(body.data.filter((fact: { status: string }) => fact.status === "active").length, 1);
});

test("a near-duplicate is suggested and nothing is closed", async (service) => {
  const first = await create(service, { statement: "Caroline prefers green tea in the morning" });
  const second = await create(service, { statement: "caroline preferred green teas in the mornings" });
  assert.equal(second.duplicateOf, first.id);
  assert.equal(second.conflict.outcome, "none");
  assert.equal((await read(service, first.id)).status, "active");
  const other = await create(service, { statement: "Caroline never prefers green tea in the morning" });
  assert.notEqual(other.duplicateOf, first.id, "a denial is no duplicate");
  assert.equal((await create(service, { statement: "Bob prefers coffee at night" })).duplicateOf, null);
});

test("derived knowledge is never trusted more than its least trusted source, also later", async (service) => {
  const strong = await create(service, { attribution: "verified" });
  const weak = await create(service, { attribution: "imported" });
  const derived = await create(service, { attribution: "user_stated", derivedFrom: [strong.id, weak.id] });
  assert.equal(derived.trustScore, 35);
  const next = await create(service, { attribution: "user_stated", derivedFrom: [derived.id] });
  assert.equal(next.trustScore, 35);
  await service.patch(`${FACTS}/${weak.id}`, { attribution: "unverified" });
  assert.equal((await read(service, next.id)).trustScore, 10);
  const freed = await service.patch(`${FACTS}/${derived.id}`, { derivedFrom: [], attribution: "user_stated" });
  assert.equal(freed.body.trustScore, 10, "leaving a weak source out does not strengthen");
});

test("unknown sources and entities are refused with their place", async (service) => {
  const known = await create(service, {});
  const bad = await service.post(FACTS, { statement: "x", derivedFrom: [known.id, UNKNOWN_ID] });
  assert.equal(bad.status, 422);
  assert.deepEqual(bad.body.errors, [{ path: "derivedFrom.1", message: "is not known" }]);
  const entity = await service.post(FACTS, { statement: "x", entityIds: [known.id] });
  assert.deepEqual(entity.body.errors, [{ path: "entityIds.0", message: "is not known" }], "a fact is no entity");
});

test("verified needs memory:admin and federation_received cannot be claimed", async (service) => {
  const key = await service.createKey({ scopes: ["memory:read", "memory:write"] });
  const body = { statement: "The earth is round.", attribution: "verified" };
  assert.equal((await service.post(FACTS, body, { key })).body.code, "insufficient_scope");
  const verified = await create(service, body);
  assert.equal(verified.trustScore, 100);
  const federated = await service.post(FACTS, { ...body, attribution: "federation_received" });
  assert.deepEqual([federated.status, federated.body.errors[0].path], [422, "attribution"]);
  const path = `${FACTS}/${verified.id}`;
  assert.equal((await service.patch(path, { statement: "The earth is flat." }, { key })).status, 403);
  assert.equal((await service.patch(path, { tags: ["checked"] }, { key })).status, 200);
  const reworded = await service.patch(path, { statement: "It is flat.", attribution: "agent_stated" }, { key });
  assert.deepEqual([reworded.status, reworded.body.trustScore], [200, 60]);
});

test("a sensitivity above the key's clearance is refused, one at it is stored", async (service) => {
  const key = await service.createKey({ maxSensitivity: "internal" });
  const refused = await service.post(FACTS, { statement: "secret", sensitivity: "confidential" }, { key });
  assert.deepEqual([refused.status, refused.body.errors[0].path], [422, "sensitivity"]);
  const stored = await service.post(FACTS, { statement: "known", sensitivity: "internal" }, { key });
  assert.equal(stored.status, 201);
  assert.equal((await service.patch(`${FACTS}/${stored.body.id}`, { sensitivity: "restricted" }, { key })).status, 422);
});

test("a fact above the clearance does not exist, and is neither a source nor a rival", async (service) => {
  const key = await service.createKey({ maxSensitivity: "internal" });
  const secret = await livesIn(service, "Paris", { sensitivity: "restricted", attribution: "user_stated" });
  assert.equal((await service.get(`${FACTS}/${secret.id}`, { key })).status, 404);
  assert.equal((await service.patch(`${FACTS}/${secret.id}`, { tags: [] }, { key })).status, 404);
  const body = { statement: "Caroline lives in Rome.", ...LIVES_IN, object: "Rome" };
  assert.equal((await service.post(FACTS, { ...body, derivedFrom: [secret.id] }, { key })).status, 422);
  const rome = await service.post(FACTS, body, { key });
  assert.deepEqual([rome.status, rome.body.conflict.outcome], [201, "none"]);
});

test("what is derived from a sensitive fact is as sensitive, unless its author says otherwise", async (service) => {
  const source = await create(service, { sensitivity: "confidential" });
  assert.equal((await create(service, { derivedFrom: [source.id] })).sensitivity, "confidential");
  assert.equal((await create(service, { derivedFrom: [source.id], sensitivity: "public" })).sensitivity, "public");
});

test("each patch makes a revision with who and why; one that changes nothing makes none", async (service, clock) => {
  const fact = await create(service, { statement: "The build takes four minutes.", tags: ["ci"] });
  const path = `${FACTS}/${fact.id}`;
  const same = await service.patch(path, { tags: ["ci"], confidence: fact.confidence });
  assert.equal(same.body.version, 1);
  clock.step(1_000);
  const patched = await service.patch(path, { statement: "The build takes five minutes.", reason: "measured" });
  assert.deepEqual([patched.status, patched.body.version, patched.headers.get("etag")], [200, 2, '"2"']);
  clock.step(1_000);
  await service.patch(path, { metadata: { a: 1 }, subject: "build", predicate: "takes", object: "5 minutes" });
  const cleared = await service.patch(path, { object: null });
  assert.deepEqual([cleared.body.subject, cleared.body.object], ["build", null]);
  const { body } = await service.get(`${path}/revisions?limit=2`);
  assert.deepEqual(body.data.map((revision: { version: number }) => revision.version), [4, 3]);
  const rest = (await service.get(`${path}/revisions?limit=2&cursor=${body.nextCursor}`)).body;
  assert.equal(rest.nextCursor, null);
  const [second, first] = rest.data;
  assert.deepEqual([first.fact.statement, first.event], ["The build takes four minutes.", "created"]);
  assert.deepEqual([second.event, second.reason, second.recordedAt], ["updated", "measured", first.replacedAt]);
  assert.equal(second.fact.tags[0], "ci");
});

test("If-Match lets only the expected version be changed or archived", async (service) => {
  const { id } = await create(service, {});
  const path = `${FACTS}/${id}`;
  const ifMatch = (version: number) => ({ headers: { "if-match": `"${version}"` } });
  assert.equal((await service.patch(path, { tags: ["a"] }, ifMatch(2))).body.code, "version_mismatch");
  assert.equal((await service.patch(path, { tags: ["a"] }, ifMatch(1))).status, 200);
  assert.equal((await service.delete(path, ifMatch(1))).status, 412);
  assert.equal((await service.delete(path, ifMatch(2))).status, 200);
});

test("of two patches that expect the same version one is refused", async (service) => {
  const { id } = await create(service, {});
  const replies = await Promise.all(
    ["a", "b", "c"].map((tag) => service.patch(`${FACTS}/${id}`, { tags: [tag] }, { headers: { "if-match": '"1"' } })),
  );
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 412, 412]);
});

test("a patch goes through conflict detection like a new statement", async (service) => {
  const paris = await livesIn(service, "Paris");
  const other = await create(service, { statement: "Caroline moved.", attribution: "agent_inferred" });
  const contested = await service.patch(`${FACTS}/${other.id}`, { ...LIVES_IN, object: "Rome" });
  assert.deepEqual([contested.body.status, contested.body.conflict.factIds], ["contested", [paris.id]]);
  const away = await service.patch(`${FACTS}/${other.id}`, { object: "Paris" });
  assert.deepEqual([away.body.status, away.body.conflict.outcome], ["active", "none"]);
  const won = await service.patch(`${FACTS}/${other.id}`, { object: "Rome", attribution: "user_stated" });
  assert.deepEqual([won.body.status, won.body.supersedes], ["active", paris.id]);
  assert.equal((await read(service, paris.id)).status, "superseded");
});

test("a patch refuses what it cannot change", async (service) => {
  const { id } = await create(service, {});
  const path = `${FACTS}/${id}`;
  for (
    const body of [{}, { reason: "none" }, { id: UNKNOWN_ID }, { version: 7 }, { trustScore: 100 }, {
      status: "active",
    }]
  ) {
    assert.equal((await service.patch(path, body)).status, 422, JSON.stringify(body));
  }
  await service.patch(path, { validTo: "2026-01-01T00:00:00Z" });
  const crossed = await service.patch(path, { validFrom: "2026-02-01T00:00:00Z" });
  assert.equal(crossed.body.errors[0].path, "validTo");
  await service.delete(path);
  assert.equal((await service.patch(path, { tags: ["x"] })).body.code, "invalid_transition");
});

test("a retracted fact was wrong: it leaves the live ones and what rests on it is stale", async (service, clock) => {
  const source = await create(service, {});
  const middle = await create(service, { derivedFrom: [source.id] });
  const end = await create(service, { derivedFrom: [middle.id] });
  clock.step(1_000);
  const retracted = await service.patch(`${FACTS}/${source.id}`, { status: "retracted", reason: "it was a joke" });
  assert.deepEqual([retracted.body.status, retracted.body.retractedAt], ["retracted", clock.now.toISOString()]);
  assert.deepEqual([(await read(service, middle.id)).stale, (await read(service, end.id)).stale], [true, true]);
  assert.deepEqual((await listIds(service, "stale=true")).sort(), [middle.id, end.id].sort());
  assert.equal((await create(service, { derivedFrom: [source.id] })).stale, true, "stale from the beginning");
  const affirmed = await service.patch(`${FACTS}/${middle.id}`, { stale: false });
  assert.equal(affirmed.body.stale, false);
  assert.equal((await read(service, end.id)).stale, false, "what rests on it alone stands again");
});

test("staleness reaches what the author of the change may not see", async (service) => {
  const key = await service.createKey({ maxSensitivity: "internal" });
  const source = await create(service, {});
  const secret = await create(service, { derivedFrom: [source.id], sensitivity: "restricted" });
  const further = await create(service, { derivedFrom: [secret.id] });
  const open = await create(service, { derivedFrom: [secret.id], sensitivity: "internal" });
  const retracted = await service.patch(`${FACTS}/${source.id}`, { status: "retracted" }, { key });
  assert.equal(retracted.status, 200);
  const stale = await Promise.all([secret, further, open].map(async ({ id }) => (await read(service, id)).stale));
  assert.deepEqual(stale, [true, true, false], "what is less sensitive than its source does not tell of it");
});

test("a source that falls while a fact is derived from it leaves that fact stale", async (service) => {
  const source = await create(service, {});
  const operator = service.operator();
  const items = await prepareFacts(operator, [CreateFactBody.parse({ statement: "Rests.", derivedFrom: [source.id] })]);
  const written = Promise.withResolvers<string>();
  const waiting = Promise.withResolvers<void>();
  const writing = operator.tx(async (tx) => {
    const [outcome] = await writeFacts(operator, tx, items);
    assert.ok(!("refusal" in outcome!));
    written.resolve(outcome.row.id);
    await waiting.promise;
  });
  const id = await Promise.race([written.promise, writing.then(() => "")]);
  const retracting = service.patch(`${FACTS}/${source.id}`, { status: "retracted" });
  await until(async () => {
    const [row] = await operator.tx((tx) =>
      tx.sql<[{ n: number }]>`
      select count(*)::int as n from pg_locks join pg_stat_activity using (pid)
       where not granted and pid <> pg_backend_pid() and datname = current_database()`
    );
    return row!.n > 0;
  });
  waiting.resolve();
  await writing;
  assert.equal((await retracting).status, 200);
  assert.equal((await read(service, id)).stale, true);
});

test("a batch gives each item its result, in order, against those before it", async (service) => {
  const paris = await livesIn(service, "Paris");
  const reply = await service.post(`${FACTS}/batch`, {
    facts: [
      { statement: "Tea is ready.", citations: [{ messageId: "m1" }] },
      { statement: "From nowhere.", derivedFrom: [UNKNOWN_ID] },
      { statement: "Tea is ready." },
      { statement: "Caroline lives in Rome.", ...LIVES_IN, object: "Rome" },
      { statement: "Caroline lives in Berlin.", ...LIVES_IN, object: "Berlin" },
      { statement: "Is true.", attribution: "federation_received" },
    ],
  });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const { results, created, corroborated, refused } = reply.body;
  assert.deepEqual([created, corroborated, refused], [3, 1, 2]);
  assert.deepEqual(results.map((result: { status: number }) => result.status), [201, 422, 200, 201, 201, 422]);
  assert.equal(results[1].error.errors[0].path, "derivedFrom.0");
  assert.equal(results[2].fact.id, results[0].fact.id);
  assert.equal(results[2].fact.corroborationCount, 1);
  assert.deepEqual([results[3].fact.status, results[3].fact.supersedes], ["superseded", paris.id]);
  assert.deepEqual([results[4].fact.status, results[4].fact.supersedes], ["active", results[3].fact.id]);
  assert.equal((await read(service, paris.id)).supersededBy, results[3].fact.id);
});

test("near-duplicates within a batch are found", async (service) => {
  const { body } = await service.post(`${FACTS}/batch`, {
    facts: [
      { statement: "Caroline prefers green tea in the morning" },
      { statement: "Caroline preferred green tea in the mornings" },
    ],
  });
  assert.equal(body.results[1].fact.duplicateOf, body.results[0].fact.id);
});

test("a batch of 500 is stored, one of 501 is refused", async (service) => {
  const facts = Array.from({ length: 501 }, (_, i) => ({
    statement: `Machine number ${i} stands in hall ${i % 7} beside the ${i % 2 ? "north" : "south"} door.`,
    subject: `machine ${i}`,
    predicate: "stands in",
    object: `hall ${i % 7}`,
  }));
  assert.equal((await service.post(`${FACTS}/batch`, { facts })).status, 422);
  const { status, body } = await service.post(`${FACTS}/batch`, { facts: facts.slice(1) });
  assert.deepEqual([status, body.created, body.refused], [200, 500, 0]);
  assert.equal(new Set(body.results.map((result: { fact: { id: string } }) => result.fact.id)).size, 500);
});

test("a list is filtered by every member that it names", async (service) => {
  const session = (await service.post("/v1/session", {})).body.id;
  const tea = await create(service, {
    statement: "Caroline prefers tea.",
    subject: "Caroline",
    predicate: "prefers",
    object: "tea",
    factType: "preference",
    attribution: "user_stated",
    tags: ["food", "people"],
    pinned: true,
    citations: [{ messageId: "m1", sessionId: session }],
  });
  const build = await create(service, { statement: "The build is red.", tags: ["ci", "food"], sensitivity: "public" });
  const gone = await create(service, { tags: ["food"] });
  await service.delete(`${FACTS}/${gone.id}`);
  const expected: [string, string[]][] = [
    ["", [build.id, tea.id]],
    ["order=asc", [tea.id, build.id]],
    ["status=archived", [gone.id]],
    ["status=archived&status=active", [gone.id, build.id, tea.id]],
    ["factType=preference", [tea.id]],
    ["tags=food", [build.id, tea.id]],
    ["tags=people&tags=ci", [build.id, tea.id]],
    ["tags=people&tags=ci&tagsMatch=all", []],
    ["tags=people&tags=food&tagsMatch=all", [tea.id]],
    ["subject=CAROLINE&predicate=prefers", [tea.id]],
    ["subject=nobody", []],
    ["attribution=user_stated", [tea.id]],
    ["sensitivity=public", [build.id]],
    ["minTrust=61", [tea.id]],
    ["pinned=true", [tea.id]],
    ["pinned=false", [build.id]],
    [`sessionId=${session}`, [tea.id]],
    ["messageId=m1", [tea.id]],
    [`messageId=m2&sessionId=${session}`, []],
    [`entityId=${UNKNOWN_ID}`, []],
    ["stale=true", []],
  ];
  for (const [query, ids] of expected) assert.deepEqual(await listIds(service, query), ids, query);
  for (const query of ["status=gone", "limit=0", "limit=201", "minTrust=101", "cursor=x", "q=tea"]) {
    assert.equal((await service.get(`${FACTS}?${query}`)).status, 422, query);
  }
});

test("pages follow each other without a gap or a repetition, also while facts are added", async (service) => {
  const made: string[] = [];
  for (let i = 0; i < 7; i++) made.push((await create(service, {})).id);
  const seen: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const { body }: Reply = await service.get(`${FACTS}?limit=3${cursor && `&cursor=${cursor}`}`);
    seen.push(...body.data.map((fact: { id: string }) => fact.id));
    cursor = body.nextCursor;
    await create(service, {});
  }
  assert.deepEqual(seen, made.toReversed());
});

test("what was known at a time is shown as it was known then", async (service, clock) => {
  const before = clock.now.toISOString();
  clock.step(1_000);
  const paris = await livesIn(service, "Paris");
  const first = clock.step(1_000).toISOString();
  clock.step(1_000);
  const rome = await livesIn(service, "Rome");
  await service.patch(`${FACTS}/${rome.id}`, { statement: "Caroline lives in Rome now." });
  const path = `${FACTS}/${paris.id}`;
  assert.equal((await service.get(`${path}?knownAt=${first}`)).body.status, "active");
  assert.equal((await service.get(`${path}?knownAt=${before}`)).status, 404);
  assert.deepEqual(await listIds(service, `knownAt=${first}`), [paris.id]);
  assert.deepEqual(await listIds(service, ""), [rome.id]);
  assert.deepEqual(await listIds(service, `knownAt=${first}&asOf=2026-07-01T00:00:00Z`), [paris.id]);
});

test("an archived fact leaves the list and is answered the same when archived again", async (service) => {
  const { id } = await create(service, {});
  const archived = await service.delete(`${FACTS}/${id}`);
  assert.deepEqual([archived.status, archived.body.status, archived.body.version], [200, "archived", 2]);
  assert.deepEqual((await service.delete(`${FACTS}/${id}`)).body, archived.body);
  assert.deepEqual(await listIds(service, ""), []);
  assert.equal((await service.get(`${FACTS}/${id}`)).body.status, "archived");
});

test("every change is in the feed in order, and no content is", async (service) => {
  const { id } = await create(service, { statement: "canary one" });
  await service.patch(`${FACTS}/${id}`, { statement: "canary two", tags: ["canary"] });
  await service.delete(`${FACTS}/${id}`);
  const rows = await service.operator().tx((tx) =>
    tx.sql`
    select kind, version, payload from change where workspace_id = ${tx.workspaceId} and resource_id = ${id} order by seq`
  );
  assert.deepEqual(rows.map((row) => [row.kind, row.version]), [["fact.created", 1], ["fact.updated", 2], [
    "fact.archived",
    3,
  ]]);
  assert.ok(!JSON.stringify(rows).includes("canary"));
});
