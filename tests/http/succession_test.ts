/** Superseding a fact by a caller's own statement: in a new fact's `supersedes`, or by a relation. */
import assert from "node:assert/strict";
import type { Reply, TestService } from "../_service.ts";
import { create, FACTS, livesIn, read, test, UNKNOWN_ID } from "./_facts.ts";
import { get, post } from "./_units.ts";

const RELATIONS = "/v1/memory/relations";

async function refuse(service: TestService, body: Record<string, unknown>, key?: string): Promise<string[]> {
  const reply = await service.post(FACTS, { statement: "Another", ...body }, key === undefined ? {} : { key });
  assert.equal(reply.status, 422, JSON.stringify(reply.body));
  return reply.body.errors.map(({ path }: { path: string }) => path);
}

async function states(service: TestService, ...facts: readonly { id: string }[]): Promise<unknown[]> {
  return await Promise.all(facts.map(async ({ id }) => {
    const { status, supersedes, supersededBy } = await read(service, id);
    return [status, supersedes, supersededBy];
  }));
}

test("a new fact supersedes the one that it names, reversibly, and what rests on that becomes stale", async (service) => {
  const old = await create(service, { statement: "The wifi is called Basement." });
  const resting = await create(service, { statement: "Guests join Basement.", derivedFrom: [old.id] });
  const fact = await create(service, { statement: "The wifi is called Attic.", supersedes: old.id });
  assert.deepEqual([fact.version, fact.supersedes, fact.conflict], [1, old.id, {
    outcome: "superseded",
    factIds: [old.id],
    reviewItemId: null,
  }]);
  assert.deepEqual(await states(service, old), [["superseded", null, fact.id]]);
  assert.equal((await read(service, old.id)).validTo, fact.validFrom);
  assert.equal((await read(service, resting.id)).stale, true);
  const { data } = await get(service, `/v1/facts/${old.id}/history`);
  assert.deepEqual([data.at(-1).event, data.at(-1).reason], [
    "superseded",
    `superseded by ${fact.id}, whose author says so`,
  ]);
  assert.equal((await service.post(`/v1/facts/${old.id}/restore`)).status, 200);
  assert.deepEqual(await states(service, old, fact), [["active", null, null], ["active", null, null]]);
});

test("a fact that is not there, not in force, or trusted more is not superseded by what names it", async (service) => {
  const gone = await create(service, { statement: "The gate is blue." });
  await create(service, { statement: "The gate is red.", supersedes: gone.id });
  const decision = await post(service, "/v1/memory/decisions", { title: "Gate", decision: "Paint it" });
  const secret = await create(service, { statement: "The safe is green.", sensitivity: "confidential" });
  const trusted = await create(service, { statement: "The door is oak.", attribution: "user_stated" });
  const writer = await service.createKey({ scopes: ["memory:read", "memory:write"], maxSensitivity: "internal" });
  for (const supersedes of [gone.id, UNKNOWN_ID, decision.id]) {
    assert.deepEqual(await refuse(service, { supersedes }), ["supersedes"]);
  }
  for (const supersedes of [secret.id, trusted.id]) {
    assert.deepEqual(await refuse(service, { supersedes }, writer), ["supersedes"]);
  }
  assert.deepEqual(await states(service, secret, trusted), [["active", null, null], ["active", null, null]]);
  const by = await create(service, { statement: "The door is pine.", supersedes: trusted.id });
  assert.deepEqual(await states(service, trusted), [["superseded", null, by.id]]);
  const raised = await create(service, { statement: "The safe is grey.", supersedes: secret.id });
  assert.equal(raised.sensitivity, "confidential", "as sensitive as what it replaces");
});

test("in a batch each fact supersedes its own, and the reply says which were refused", async (service) => {
  const [a, b] = [await create(service, {}), await create(service, {})];
  const { results } = await post(service, `${FACTS}/batch`, {
    facts: [
      { statement: "First", supersedes: a.id },
      { statement: "Second", supersedes: a.id },
      { statement: b.statement, supersedes: b.id },
    ],
  }, 200);
  assert.deepEqual(results.map(({ status }: { status: number }) => status), [201, 422, 201]);
  assert.equal(results[1].error.errors[0].path, "supersedes");
  assert.deepEqual(await states(service, a, b), [
    ["superseded", null, results[0].fact.id],
    ["superseded", null, results[2].fact.id],
  ]);
  assert.notEqual(results[2].fact.id, b.id, "the same statement anew, not the old one stated again");
});

test("a fact that is known already supersedes what it is stated again to replace", async (service) => {
  const [old, known] = [await create(service, {}), await create(service, {})];
  const again = await create(service, { statement: known.statement, supersedes: old.id }, 200);
  assert.deepEqual([again.id, again.supersedes, again.conflict.outcome, again.conflict.factIds], [
    known.id,
    old.id,
    "superseded",
    [old.id],
  ]);
  assert.deepEqual(await states(service, old), [["superseded", null, known.id]]);
});

test("RPC Remember and an agent's own edit supersede by the same member", async (service) => {
  const [old, other] = [await create(service, {}), await create(service, {})];
  const told = await service.post("/svc.v1.SvcService/Remember", {
    statement: "It is told anew.",
    supersedes: old.id,
    aliases: ["retold"],
  });
  assert.deepEqual([told.status, told.body.fact.supersedes, told.body.fact.aliases], [200, old.id, ["retold"]]);
  const edit = await post(service, "/v1/self/edit", {
    reason: "it has changed twice",
    mode: "per_item",
    operations: [
      { op: "add", type: "fact", body: { statement: "It is edited.", supersedes: other.id } },
      { op: "add", type: "fact", body: { statement: "It is edited again.", supersedes: "$1" } },
    ],
  });
  const [first, second] = edit.operations.map(({ resourceId }: Reply["body"]) => ({ id: resourceId }));
  assert.deepEqual(await states(service, old, other, first, second), [
    ["superseded", null, told.body.fact.id],
    ["superseded", null, first.id],
    ["superseded", other.id, second.id],
    ["active", first.id, null],
  ]);
});

test("what it names is closed although what else it contradicts contests it", async (service) => {
  const old = await create(service, { statement: "Caroline rents a flat." });
  const rival = await livesIn(service, "Rome", { attribution: "user_stated" });
  const fact = await livesIn(service, "Oslo", { supersedes: old.id });
  assert.deepEqual([fact.status, fact.supersedes, fact.conflict.outcome, fact.conflict.factIds], [
    "contested",
    old.id,
    "contested",
    [old.id, rival.id],
  ]);
  assert.deepEqual(await states(service, old), [["superseded", null, fact.id]]);
});

test("a relation supersedes between two facts does so, and archiving it brings the target back", async (service) => {
  const [old, by] = [await create(service, {}), await create(service, {})];
  const relation = await post(service, RELATIONS, { verb: "supersedes", sourceId: by.id, targetId: old.id });
  assert.deepEqual(await states(service, old, by), [["superseded", null, by.id], ["active", old.id, null]]);
  assert.equal((await service.post(RELATIONS, { verb: "supersedes", sourceId: by.id, targetId: old.id })).status, 200);
  assert.equal((await service.delete(`${RELATIONS}/${relation.id}`)).status, 200);
  assert.deepEqual(await states(service, old, by), [["active", null, null], ["active", null, null]]);
  assert.equal((await service.patch(`/v1/relations/${relation.id}`, { status: "active" })).status, 200);
  assert.deepEqual(await states(service, old, by), [["superseded", null, by.id], ["active", old.id, null]]);
});

test("a relation supersedes nothing that a new fact may not, and is then not stored", async (service) => {
  const [old, by] = [
    await create(service, { attribution: "user_stated" }),
    await create(service, { attribution: "agent_stated" }),
  ];
  const key = await service.createKey({ scopes: ["memory:read", "memory:write"] });
  const relate = (sourceId: string, targetId: string) =>
    service.post(RELATIONS, { verb: "supersedes", sourceId, targetId }, { key });
  const refused = await relate(by.id, old.id);
  assert.deepEqual([refused.status, refused.body.errors?.[0]?.path], [422, "targetId"], JSON.stringify(refused.body));
  assert.equal((await get(service, `/v1/relations?id=${old.id}`)).data.length, 0);
  await service.post(`/v1/facts/${by.id}/forget`, { mode: "archive" });
  for (const [ids, path] of [[[old.id, by.id], "targetId"], [[by.id, old.id], "sourceId"]] as const) {
    const reply = await relate(...ids as [string, string]);
    assert.deepEqual([reply.status, reply.body.errors?.[0]?.path], [422, path], JSON.stringify(reply.body));
  }
});

test("a relation supersedes a decision by another, and leaves units of other kinds as they are", async (service) => {
  const decide = (title: string) => post(service, "/v1/memory/decisions", { title, decision: `Use ${title}` });
  const [old, by] = [await decide("MySQL"), await decide("Postgres")];
  const relation = await post(service, RELATIONS, { verb: "supersedes", sourceId: by.id, targetId: old.id });
  const chain = async () => {
    const { data } = await get(service, `/v1/decisions/${old.id}/chain`);
    return data.map(({ id, status }: Reply["body"]) => [id, status]);
  };
  assert.deepEqual(await chain(), [[old.id, "superseded"], [by.id, "accepted"]]);
  assert.equal((await service.delete(`${RELATIONS}/${relation.id}`)).status, 200);
  assert.deepEqual(await chain(), [[old.id, "accepted"]]);
  const flow = (name: string) => post(service, "/v1/memory/workflows", { name, steps: ["Go"] });
  const [a, b] = [await flow("A"), await flow("B")];
  await post(service, RELATIONS, { verb: "supersedes", sourceId: b.id, targetId: a.id });
  assert.equal((await get(service, `/v1/memory/workflows/${a.id}`)).status, "active");
});

test("what another fact, or decision, superseded takes the place of that one by no relation", async (service) => {
  const old = await create(service, { statement: "The lake is green." });
  const fact = await create(service, { statement: "The lake is blue.", supersedes: old.id });
  const refused = await service.post(RELATIONS, { sourceId: old.id, targetId: fact.id, verb: "supersedes" });
  assert.deepEqual([refused.status, refused.body.errors?.[0]?.path], [422, "sourceId"], JSON.stringify(refused.body));
  assert.deepEqual((await states(service, old, fact)).map((state) => (state as string[])[0]), ["superseded", "active"]);
});
