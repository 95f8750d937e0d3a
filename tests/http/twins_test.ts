/** One fact told in two ways stays one fact, and what a statement brings when it is told again is not lost. */
import assert from "node:assert/strict";
import { keyStatements } from "../../src/domain/kinds/facts/rekey_statements.ts";
import { callTool } from "../mcp/_client.ts";
import { callRpc } from "../rpc/_client.ts";
import { create, FACTS, LIVES_IN, test } from "./_facts.ts";

const DRESSES = [
  ["Mara Quell prefers oolong.", "mara quell prefers Oolong"],
  ["Ivo’s motto is “carpe noctem”.", 'Ivo\'s motto is "carpe noctem"!'],
  ["The north gate opens at nine.", "The  north gate\u200b opens at nine …"],
];

test("the same words in other capitals, quotes or without the full stop are one fact, by every way in", async (service) => {
  for (const [first, second] of DRESSES) {
    const fact = await create(service, { statement: first });
    const again = await service.post(FACTS, { statement: second, tags: ["again"] });
    assert.deepEqual([again.status, again.body.id, again.body.statement], [200, fact.id, first]);
    assert.deepEqual(again.body.tags, ["again"]);
    const { body } = await service.post(`${FACTS}/batch`, { facts: [{ statement: second }, { statement: first }] });
    assert.deepEqual([body.created, body.corroborated], [0, 2]);
    const told = await callTool(service, "remember", { statement: second! });
    assert.deepEqual([told.data.id, told.data.outcome], [fact.id, "corroborated"]);
    const rpc = await callRpc(service, "Remember", { statement: second });
    assert.deepEqual([rpc.body.fact.id, rpc.body.created], [fact.id, false]);
    const named = await service.call("PUT", `${FACTS}/by-external-id/${crypto.randomUUID()}`, {
      body: { statement: second },
    });
    assert.deepEqual([named.status, named.body.id], [200, fact.id]);
  }
  const batch = await service.post(`${FACTS}/batch`, {
    facts: [{ statement: "Quill is a heron." }, { statement: "QUILL is a heron" }, { statement: "Is Quill a heron?" }],
  });
  assert.deepEqual([batch.body.created, batch.body.corroborated], [2, 1]);
});

test("two writers of one statement in two dresses at once store one fact", async (service) => {
  const dressed = (i: number) => i % 2 === 0 ? "The beacon is lit." : "the beacon is lit!";
  const replies = await Promise.all(
    Array.from({ length: 6 }, (_, i) => service.post(FACTS, { statement: dressed(i) })),
  );
  assert.equal(new Set(replies.map(({ body }) => body.id)).size, 1);
});

test("a fact of an earlier build gets its key and is found in another dress", async (service) => {
  const fact = await create(service, { statement: "Osprey Hall seats ninety." });
  const ctx = service.operator();
  await ctx.tx((tx) => tx.sql`update unit set said_key = null, body = body - 'said' where id = ${fact.id}`);
  assert.equal((await service.post(FACTS, { statement: "Osprey Hall seats ninety." })).body.id, fact.id);
  await ctx.tx((tx) => tx.sql`update unit set said_key = null, body = body - 'said' where id = ${fact.id}`);
  assert.equal(await keyStatements(ctx), false);
  assert.equal((await service.post(FACTS, { statement: "osprey hall seats ninety" })).body.id, fact.id);
});

test("a statement told again brings its members, or the reply names what it left out", async (service, clock) => {
  const statement = "The archive room is on the third floor.";
  const fact = await create(service, { statement, tags: ["building"], metadata: { by: "Ada", floor: 3 } });
  clock.step(60_000);
  const entity = (await service.post("/v1/memory/entities", { canonicalName: "Archive Room" })).body;
  const again = await service.post(FACTS, {
    statement,
    tags: ["building", "rooms"],
    metadata: { floor: 3, source: "plan" },
    pinned: true,
    aliases: ["stacks"],
    entityIds: [entity.id],
    externalId: "room/7",
    occurredAt: "2026-01-05",
    citations: [{ messageId: "m1" }],
  });
  assert.equal(again.status, 200);
  assert.equal(again.body.leftOut, undefined);
  const { tags, metadata, pinned, aliases, entityIds, externalId, occurredAt, citations } =
    (await service.get(`${FACTS}/${fact.id}`)).body;
  assert.deepEqual({ tags, metadata, pinned, aliases, entityIds, externalId, occurredAt, citations }, {
    tags: ["building", "rooms"],
    metadata: { by: "Ada", floor: 3, source: "plan" },
    pinned: true,
    aliases: ["stacks"],
    entityIds: [entity.id],
    externalId: "room/7",
    occurredAt: "2026-01-05T00:00:00.000Z",
    citations: [{ messageId: "m1" }],
  });
  const other = {
    statement: "the archive room is on the third floor",
    metadata: { floor: 4, by: "Ada" },
    expiresAt: "2099-01-01",
    occurredAt: "2026-02-02",
    sensitivity: "public",
    tags: Array.from({ length: 49 }, (_, i) => `t${i}`),
    derivedFrom: [(await create(service, { statement: "The plan shows the rooms." })).id],
  };
  const left = ["tags", "metadata.floor", "sensitivity", "expiresAt", "occurredAt", "derivedFrom"];
  assert.deepEqual((await service.post(FACTS, other)).body.leftOut, left);
  const { body } = await service.post(`${FACTS}/batch`, { facts: [other] });
  assert.deepEqual(body.results[0].fact.leftOut, left);
  assert.deepEqual((await callRpc(service, "Remember", other)).body.leftOut, left);
  const told = await callTool(service, "remember", { statement, tags: other.tags });
  assert.deepEqual(told.data.leftOut, ["tags"]);
  assert.match(told.text, /keeps its own tags/);
  assert.equal((await service.get(`${FACTS}/${fact.id}`)).body.expiresAt, null);
});

test("of two ends of storage the later counts", async (service) => {
  const statement = "The guest badge is number 12.";
  const fact = await create(service, { statement, expiresAt: "2099-01-01T00:00:00Z" });
  const sooner = await service.post(FACTS, { statement, expiresAt: "2098-01-01T00:00:00Z" });
  assert.deepEqual([sooner.body.leftOut, sooner.body.expiresAt], [["expiresAt"], "2099-01-01T00:00:00.000Z"]);
  const later = await service.post(FACTS, { statement, expiresAt: "2100-01-01T00:00:00Z" });
  assert.deepEqual([later.body.leftOut, later.body.id], [undefined, fact.id]);
  assert.equal(later.body.expiresAt, "2100-01-01T00:00:00.000Z");
});

test("an edit into the words of another fact, and a restore beside it, leave one of them in force", async (service) => {
  const inForce = async () =>
    (await service.get(`${FACTS}?tags=pier`)).body.data.map(({ id }: { id: string }) => id).sort();
  const first = await create(service, { statement: "The pier is open.", tags: ["pier"], attribution: "user_stated" });
  const second = await create(service, { statement: "The quay is closed.", tags: ["pier"] });
  const edited = await service.patch(`${FACTS}/${second.id}`, { statement: "the pier is open" });
  assert.deepEqual([edited.body.conflict.outcome, edited.body.conflict.factIds], ["superseded", [first.id]]);
  assert.deepEqual([edited.body.attribution, edited.body.corroborationCount], ["user_stated", 1]);
  assert.deepEqual(await inForce(), [second.id]);
  const history = (await service.get(`/v1/facts/${first.id}/history`)).body.data;
  assert.deepEqual([history.at(-1).event, history.at(-1).status], ["superseded", "superseded"]);
  assert.match(history.at(-1).reason, /says the same since it was changed/);

  const restored = await service.post(`/v1/facts/${first.id}/restore`);
  assert.deepEqual([restored.status, restored.body.status], [200, "active"]);
  assert.deepEqual(await inForce(), [first.id]);

  await service.call("DELETE", `${FACTS}/${first.id}`);
  const anew = await create(service, { statement: "The Pier is open!", tags: ["pier", "new"] });
  const back = await service.post(`/v1/facts/${first.id}/restore`);
  assert.deepEqual(back.body.tags, ["pier", "new"]);
  assert.deepEqual(await inForce(), [first.id]);
  assert.equal((await service.get(`${FACTS}/${anew.id}`)).body.supersededBy, first.id);
});

test("a fact that another system names, and one of another sensitivity, keep beside a twin", async (service) => {
  const named = await create(service, { statement: "The kiln is hot.", externalId: "kiln/1" });
  const other = await create(service, { statement: "The kiln is cold." });
  await service.patch(`${FACTS}/${other.id}`, { statement: "The kiln is hot." });
  assert.equal((await service.get(`${FACTS}/${named.id}`)).body.status, "active");
  const secret = await create(service, { statement: "The vault is empty.", sensitivity: "restricted" });
  const open = await create(service, { statement: "The vault is full." });
  await service.patch(`${FACTS}/${open.id}`, { statement: "The vault is empty." });
  assert.equal((await service.get(`${FACTS}/${secret.id}`)).body.status, "active");
});

test("the capitals of a value do not make a contradiction of it", async (service) => {
  const fact = await create(service, { ...LIVES_IN, statement: "Caroline lives in Rome.", object: "Rome" });
  const again = await service.post(FACTS, { ...LIVES_IN, statement: "caroline lives in rome", object: "rome" });
  assert.deepEqual([again.status, again.body.id], [200, fact.id]);
});
