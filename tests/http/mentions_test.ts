/** Entities are found in written texts, and the graph leads recall from one to the other. */
import assert from "node:assert/strict";
import { openSeen, relinkChanged } from "../../src/domain/kinds/entities/mention_work.ts";
import { workerContext } from "../../src/workers/mod.ts";
import type { Reply, TestService } from "../_service.ts";
import { addSession, turn } from "../recall/_memory.ts";
import { create, test, until } from "./_facts.ts";
import { get, post } from "./_units.ts";

const ENTITIES = "/v1/memory/entities";

/** Does the worker's steps until none is left; they wait for earlier transactions, even those of other tests. */
async function work(service: TestService): Promise<void> {
  const ctx = workerContext(service.deps, "mentions", service.workspaceId);
  await until(async () => {
    const opened = await openSeen(ctx);
    await relinkChanged(ctx);
    const [left] = await ctx.tx((tx) =>
      tx.sql<[{ n: number }]>`
      select count(*)::int as n from name_change where workspace_id = ${tx.workspaceId}`
    );
    return !opened && left.n === 0;
  });
}

async function entity(service: TestService, name: string, more: Record<string, unknown> = {}): Promise<Reply["body"]> {
  const reply = await service.post(ENTITIES, { canonicalName: name, ...more });
  assert.ok(reply.status === 200 || reply.status === 201, JSON.stringify(reply.body));
  return reply.body;
}

/** The entity of a name, or undefined; nothing is created. */
async function find(service: TestService, name: string, key?: string): Promise<Reply["body"] | undefined> {
  const query = new URLSearchParams({ name });
  const reply = await service.get(`${ENTITIES}?${query}`, key === undefined ? {} : { key });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body.data[0];
}

async function explain(service: TestService, query: string, more: Record<string, unknown> = {}) {
  return await post(service, "/v1/memory/recall/explain", { query, ...more }, 200);
}

test("who asks about somebody by one name gets what was told under another, both ways", async (service) => {
  const rows = [["Robert Vance", "Bobby"], ["New York City", "Gotham"], ["Project Nightingale", "Pnx"], [
    "Kubernetes",
    "K8s",
  ]];
  for (const [name, alias] of rows) {
    await entity(service, name!, { aliases: [alias] });
    const told = [
      await create(service, { statement: `${name} opened a trombone school.` }),
      await create(service, { statement: `${alias} has a refrigerator museum.` }),
    ].map(({ id }) => id);
    for (const query of [`Tell me about ${name}`, `Tell me about ${alias}`, `What do you know about ${name}?`]) {
      const found = (await post(service, "/v1/memory/recall", { query }, 200)).results.map(({ id }: { id: string }) =>
        id
      );
      assert.deepEqual(told.filter((id) => !found.includes(id)), [], query);
    }
  }
});

test("subject, object and names of a fact are entities when the reply arrives", async (service) => {
  const fact = await create(service, {
    statement: "Maria Lopez leads the data team at Acme Corp in Berlin.",
    subject: "Maria Lopez",
    predicate: "works at",
    object: "Acme Corp",
  });
  const names = await Promise.all(["Maria Lopez", "Acme Corp", "Berlin"].map((name) => find(service, name)));
  assert.deepEqual(names.map((one) => one?.mentionCount), [1, 1, 1]);
  assert.deepEqual(fact.entityIds.toSorted(), names.map((one) => one.id).toSorted());
  assert.ok(names.every((one) => one.attribution === "agent_inferred"));
  const again = await create(service, { statement: "We met acme corp people and MARIA LOPEZ." });
  assert.deepEqual(again.entityIds.toSorted(), [names[0].id, names[1].id].toSorted());
});

test("speakers are entities at once, what turns name is one when two texts name it", async (service) => {
  const first = [turn("Caroline", "I moved to Lisbon last year."), turn("Melanie", "So nice, Caroline!")];
  const { turnIds } = await addSession(service, first);
  const [caroline, melanie] = [await find(service, "Caroline"), await find(service, "Melanie")];
  assert.deepEqual([caroline.entityType, caroline.mentionCount, melanie.mentionCount], ["person", 2, 1]);
  await work(service);
  assert.equal(await find(service, "Lisbon"), undefined);
  await addSession(service, [turn("Melanie", "The trams of Lisbon are old.")]);
  await work(service);
  const lisbon = await find(service, "Lisbon");
  assert.equal(lisbon.mentionCount, 2);
  const { results } = await post(service, "/v1/memory/recall", { query: "Lisbon trams", types: ["turn"] }, 200);
  const naming = results.filter((result: { text: string }) => result.text.includes("Lisbon"));
  assert.deepEqual(naming.map((result: Reply["body"]) => result.entityIds.includes(lisbon.id)), [true, true]);
  const filters = { entityIds: { contains: lisbon.id } };
  const found = await post(service, "/v1/memory/recall", { query: "moved to Lisbon", types: ["turn"], filters }, 200);
  assert.equal(found.results[0].id, turnIds[0]);
});

test("an alias or an entity that comes later is linked to what was written before", async (service) => {
  const fact = await create(service, { statement: "the ingest runs on k8s and hates mondays", entityIds: [] });
  assert.deepEqual(fact.entityIds, []);
  const { id } = await entity(service, "Kubernetes");
  await service.patch(`${ENTITIES}/${id}`, { aliases: ["k8s"] });
  await work(service);
  assert.deepEqual((await get(service, `/v1/memory/facts/${fact.id}`)).entityIds, [id]);
  assert.equal((await get(service, `${ENTITIES}/${id}`)).mentionCount, 1);
  await service.patch(`${ENTITIES}/${id}`, { aliases: [] });
  await work(service);
  assert.deepEqual((await get(service, `/v1/memory/facts/${fact.id}`)).entityIds, []);
  assert.equal((await get(service, `${ENTITIES}/${id}`)).mentionCount, 0);
});

test("what somebody said under another name is linked in each session, and what others said is not", async (service) => {
  await addSession(service, [turn("Mel", "hello"), turn("Quentin", "hello you"), turn("MEL", "the boat is blue")]);
  await addSession(service, [turn("Quentin", "nobody here"), turn("Mel", "now I am"), turn("Mel Brown", "me too")]);
  const { id: named } = (await find(service, "Mel"))!;
  assert.equal((await get(service, `${ENTITIES}/${named}`)).mentionCount, 3);
  // Erase the entity, and with it the links of the turns; then another entity gets the name.
  await service.post(`/v1/memory/entities/${named}/forget`, { mode: "erase" });
  const { id } = await entity(service, "Melanie");
  await service.patch(`${ENTITIES}/${id}`, { aliases: ["Mel"] });
  await work(service);
  assert.equal((await get(service, `${ENTITIES}/${id}`)).mentionCount, 3);
});

test("a revised text mentions what it says now, and keeps what its author named", async (service) => {
  const given = await entity(service, "Orion");
  const [berlin, oslo] = [await entity(service, "Berlin"), await entity(service, "Oslo")];
  const fact = await create(service, { statement: "the office is in Berlin", entityIds: [given.id] });
  assert.deepEqual(fact.entityIds.toSorted(), [given.id, berlin.id].toSorted());
  const revised = await service.patch(`/v1/memory/facts/${fact.id}`, { statement: "the office is in Oslo" });
  assert.deepEqual(revised.body.entityIds.toSorted(), [given.id, oslo.id].toSorted());
  const counts = await Promise.all(
    [given, berlin, oslo].map(async ({ id }) => (await get(service, `${ENTITIES}/${id}`)).mentionCount),
  );
  assert.deepEqual(counts, [1, 0, 1]);
});

test("what is archived or erased is not counted; what is restored is", async (service) => {
  const berlin = await entity(service, "Berlin");
  const count = async () => (await get(service, `${ENTITIES}/${berlin.id}`)).mentionCount;
  const [a, b] = [
    await create(service, { statement: "we like Berlin" }),
    await create(service, { statement: "go to Berlin" }),
  ];
  assert.equal(await count(), 2);
  await service.delete(`/v1/memory/facts/${a.id}`);
  assert.equal(await count(), 1);
  await service.post(`/v1/facts/${a.id}/restore`);
  assert.equal(await count(), 2);
  assert.equal((await service.post(`/v1/facts/${b.id}/forget`, { mode: "erase" })).status, 200);
  assert.equal(await count(), 1);
  const rows = await service.operator().tx((tx) =>
    tx.sql`select from mention where workspace_id = ${tx.workspaceId} and subject_id = ${b.id}`
  );
  assert.equal(rows.length, 0);
});

test("the name of an entity that was opened goes with the last text that names it", async (service) => {
  const first = await create(service, { statement: "the contract of Zebulon Pike ends" });
  const second = await create(service, { statement: "pay Zebulon Pike" });
  const { id } = await find(service, "Zebulon Pike");
  const forget = (fact: { id: string }) => service.post(`/v1/facts/${fact.id}/forget`, { mode: "erase" });
  assert.equal((await forget(first)).status, 200);
  assert.equal((await find(service, "Zebulon Pike")).id, id);
  assert.equal((await forget(second)).status, 200);
  assert.equal((await service.get(`${ENTITIES}/${id}`)).status, 410);
  const told = await entity(service, "Yolanda Pike", { attributes: { role: "pays" } });
  const third = await create(service, { statement: "ask Yolanda Pike" });
  await forget(third);
  assert.equal((await service.get(`${ENTITIES}/${told.id}`)).status, 200);
  await work(service);
  assert.equal((await service.get(`${ENTITIES}/${told.id}`)).status, 200);
});

test("an entity of which only the name is known is recalled where entities are asked for", async (service) => {
  await create(service, { statement: "the contract of Zebulon Pike ends" });
  const types = async (more: object) => {
    const { results } = await post(service, "/v1/memory/recall", { query: "Zebulon Pike", ...more }, 200);
    return results.map((result: { type: string }) => result.type);
  };
  assert.deepEqual(await types({}), ["fact"]);
  assert.deepEqual(await types({ types: ["entity"] }), ["entity"]);
  const { id } = await find(service, "Zebulon Pike");
  await service.patch(`${ENTITIES}/${id}`, { attributes: { role: "captain" } });
  assert.deepEqual((await types({})).toSorted(), ["entity", "fact"]);
});

test("counts and ways tell nothing of what the key may not see", async (service) => {
  const key = await service.createKey({ maxSensitivity: "internal" });
  await entity(service, "Berlin");
  await create(service, { statement: "the vault is in Berlin", sensitivity: "restricted" });
  await create(service, { statement: "the office is in Berlin" });
  assert.equal((await find(service, "Berlin")).mentionCount, 2);
  assert.equal((await find(service, "Berlin", key))?.mentionCount, 1);
  await create(service, { statement: "Zebulon Pike pays for it", sensitivity: "restricted" });
  assert.equal(await find(service, "Zebulon Pike", key), undefined);
  const open = await service.post("/v1/memory/facts", { statement: "ask Zebulon Pike about it" }, { key });
  const own = await find(service, "Zebulon Pike", key);
  assert.deepEqual(open.body.entityIds, [own.id]);
  // Nor does the list of a text that all may read, whoever wrote it.
  await service.post("/v1/memory/entities", { canonicalName: "Operation Halcyon", sensitivity: "restricted" });
  const told = await create(service, { statement: "nobody has heard of Operation Halcyon", sensitivity: "internal" });
  assert.deepEqual((await service.get(`/v1/memory/facts/${told.id}`, { key })).body.entityIds, []);
  assert.equal(own.mentionCount, 1);
});

test("two writers who introduce the same name at once make one entity", async (service) => {
  const facts = await Promise.all(
    Array.from(
      { length: 6 },
      (_, i) => create(service, { statement: `note ${i} is about Quentin Vale`, subject: "Quentin Vale" }),
    ),
  );
  assert.equal(new Set(facts.flatMap((fact) => fact.entityIds)).size, 1);
  assert.equal((await find(service, "Quentin Vale")).mentionCount, 6);
});

test("mentions follow a merge", async (service) => {
  const [a, b] = [await entity(service, "Kubernetes"), await entity(service, "K8s Platform")];
  await create(service, { statement: "the kubernetes upgrade failed" });
  await create(service, { statement: "the k8s platform upgrade was late" });
  const merged = await service.post(`${ENTITIES}/${a.id}/merge`, { sourceIds: [b.id] });
  assert.equal(merged.status, 200, JSON.stringify(merged.body));
  assert.equal((await get(service, `${ENTITIES}/${a.id}`)).mentionCount, 2);
  await work(service);
  assert.equal((await get(service, `${ENTITIES}/${a.id}`)).mentionCount, 2);
});

test("the graph finds what shares no word with the query, and says by which way", async (service) => {
  const [maria, dan] = [await entity(service, "Maria"), await entity(service, "Dan Brown")];
  await create(service, { statement: "Priya pairs with Dan Brown every day." });
  for (const topic of ["garden", "boat", "harbour", "kitchen"]) {
    await create(service, { statement: `The ${topic} needs paint.` });
  }
  const query = "What about Maria's zorble?";
  const without = await explain(service, query);
  assert.ok(!without.results.some((result: { text: string }) => result.text.startsWith("Priya")));
  await post(service, "/v1/memory/relations", { sourceId: maria.id, targetId: dan.id, verb: "related_to", weight: 1 });
  const reply = await explain(service, query);
  const [result] = reply.results.filter((one: { text: string }) => one.text.startsWith("Priya"));
  assert.equal(result?.tier, "graph", JSON.stringify(reply.results));
  assert.deepEqual(result.scoreDetails.path, [
    { from: maria.id, via: "related_to", to: dan.id },
    { from: dan.id, via: "mention", to: null },
  ]);
  assert.match(result.why, /Maria → related_to → Dan Brown → mention → this/);
  assert.ok(
    reply.tiers.some((tier: { tier: string; candidates: number }) => tier.tier === "graph" && tier.candidates > 0),
  );
});

test("an alias leads to texts that hold another name", async (service) => {
  const { id } = await entity(service, "Project Bluebird", { aliases: ["the aviary"] });
  const fact = await create(service, { statement: "The aviary ships in March." });
  assert.deepEqual(fact.entityIds, [id]);
  const { results } = await explain(service, "When is Project Bluebird released?");
  assert.ok(results.some((result: { id: string }) => result.id === fact.id));
});

test("whom a question is about is found; that somebody is known makes no answer of what nobody said", async (service) => {
  const ada = await entity(service, "Ada Moss", {
    entityType: "person",
    aliases: ["Ada"],
    attributes: { role: "pilot" },
  });
  await create(service, {
    statement: "Ada prefers tea over coffee.",
    subject: "Ada",
    predicate: "prefers",
    object: "tea",
  });
  await create(service, { statement: "The engine was signed off by Ada in March." });
  await post(service, "/v1/decisions", { title: "Fuel", decision: "We buy from Shellac.", decidedBy: "Ada" }, 201);
  await create(service, { statement: "The hangar is heated with gas from October." });
  const about = await explain(service, "Who is Ada?");
  const [first] = about.results.filter((one: { type: string }) => one.type === "entity");
  assert.deepEqual([first?.id, first?.scoreDetails.path], [ada.id, []], JSON.stringify(about.results));
  assert.match(first.why, /the query names it/);
  assert.ok(about.results.indexOf(first) < 2, "it is among the best");
  assert.ok(about.evidenceConfidence > 0.7, `${about.evidenceConfidence}`);
  const known = await explain(service, "What does Ada prefer to coffee?");
  assert.match(known.results[0].text, /prefers tea/);
  for (const question of ["Does Ada own a dog?", "Which school did Ada attend?"]) {
    const reply = await explain(service, question);
    assert.ok(reply.evidenceConfidence < 0.4, `${question} ${reply.evidenceConfidence}`);
    assert.ok(reply.evidenceConfidence < known.evidenceConfidence / 2, `${question} ${reply.evidenceConfidence}`);
  }
});

test("a query that names no entity has no graph tier", async (service) => {
  await create(service, { statement: "The boat needs paint." });
  const { tiers } = await explain(service, "what needs paint?");
  assert.ok(!tiers.some((tier: { tier: string }) => tier.tier === "graph"));
});

test("what mentions an entity is found by every view of it, by few texts or by very many", async (service) => {
  const [berlin, old] = [await entity(service, "Berlin"), await entity(service, "Spreeathen")];
  const facts = [
    await create(service, { statement: "we like Berlin" }),
    await create(service, { statement: "Spreeathen is on the Spree" }),
    await create(service, { statement: "we like it there", entityIds: [berlin.id] }),
  ];
  await create(service, { statement: "nobody likes Oslo" });
  const gone = await create(service, { statement: "Berlin was divided" });
  const session = await addSession(service, [turn("user", "Take me to Berlin")]);
  assert.equal((await service.post(`${ENTITIES}/${berlin.id}/merge`, { sourceIds: [old.id] })).status, 200);
  assert.equal((await service.delete(`/v1/memory/facts/${gone.id}`)).status, 200);
  const ids = facts.map((fact) => fact.id).toSorted();
  const views = async (id: string) => {
    const page = async (path: string) => (await get(service, path)).data as Reply["body"][];
    const listed = await page(`/v1/memory/facts?entityId=${id}&order=asc`);
    assert.deepEqual(listed.map((fact) => fact.id).toSorted(), ids);
    const first = await get(service, `/v1/memory/facts?entityId=${id}&limit=2`);
    const rest = await get(service, `/v1/memory/facts?entityId=${id}&limit=2&cursor=${first.nextCursor}`);
    assert.deepEqual([first.data.length, rest.data.length, rest.nextCursor], [2, 1, null]);
    const moments = await page(`/v1/memory/timeline?entityId=${id}`);
    assert.deepEqual(moments.filter(({ type }) => type === "fact").map((moment) => moment.id).toSorted(), ids);
    assert.deepEqual(moments.filter(({ type }) => type === "turn").map(({ sessionId }) => sessionId), [
      session.sessionId,
    ]);
    assert.equal(
      (await get(
        service,
        `/v1/memory/timeline/counts?entityId=${id}&bucket=month&from=2015-01-01T00:00:00Z&to=2026-07-01T00:00:00Z`,
      )).total,
      4,
    );
    const edges = await page(`${ENTITIES}/${id}/edges`);
    assert.deepEqual(edges.map(({ unit }) => unit.id).toSorted(), ids);
    const paged: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const { data, nextCursor }: Reply["body"] = await get(
        service,
        `${ENTITIES}/${id}/edges?limit=1${cursor === "" ? "" : `&cursor=${cursor}`}`,
      );
      paged.push(...data.map(({ unit }: Reply["body"]) => unit.id));
      cursor = nextCursor;
    }
    assert.deepEqual(paged, ids);
    assert.deepEqual(
      (await get(service, `/v1/self/profile?entityId=${id}`)).facts.map((fact: { id: string }) => fact.id).toSorted(),
      ids,
    );
  };
  for (const id of [berlin.id, old.id]) await views(id);
  // So many texts that the statement does not look them up first.
  await service.operator().tx((tx) =>
    tx.sql`
    insert into mention (workspace_id, entity_id, doc_no, subject_id, subject_type, sensitivity, mentioned_at)
    select ${tx.workspaceId}, ${berlin.id}, 4000000000 + n, gen_random_uuid(), 'fact', 'internal', now()
      from generate_series(1, 2100) as t(n)`
  );
  for (const id of [berlin.id, old.id]) await views(id);
});
