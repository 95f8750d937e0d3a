/** Content that an agent may not overwrite by itself, and the reverting of edits. */
import assert from "node:assert/strict";
import type { Reply, TestService } from "../_service.ts";
import { create, FACTS, LIVES_IN, livesIn, read, test } from "./_facts.ts";
import { applied, FACT, outcomes, readEdit, reverted } from "./_self.ts";
import { refusal, versionsOf } from "./_units.ts";

async function resolve(service: TestService, id: string, action: string, key?: string): Promise<Reply> {
  return await service.post(`/v1/review/${id}/resolve`, { action }, key === undefined ? {} : { key });
}

test("an operation that would overwrite what a user stated goes to review, and is applied when a person accepts it", async (service) => {
  const stated = await create(service, { statement: "The kettle is red.", attribution: "user_stated" });
  const body = await applied(service, [
    FACT("The kettle boils."),
    { op: "update", id: stated.id, patch: { statement: "The kettle is blue." } },
    { op: "pin", id: stated.id },
  ], { mode: "per_item" });
  assert.deepEqual([body.status, ...outcomes(body)], ["in_review", "applied", "review", "applied"]);
  assert.equal((await read(service, stated.id)).statement, "The kettle is red.");
  const item = await service.get(`/v1/review/${body.operations[1].reviewItemId}`);
  assert.deepEqual([item.body.kind, item.body.subjectId, item.body.otherId], ["self_edit", body.id, stated.id]);
  assert.deepEqual(item.body.actions, ["accept_incoming", "keep_local"]);
  // It was pinned since, so the proposal was about another version.
  assert.deepEqual(refusal(await resolve(service, item.body.id, "accept_incoming")), [409, "conflict"]);
  assert.equal((await resolve(service, item.body.id, "keep_local")).status, 200);
  assert.deepEqual(outcomes(await readEdit(service, body.id)), ["applied", "declined", "applied"]);

  const again = await applied(service, [{ op: "update", id: stated.id, patch: { statement: "The kettle is blue." } }]);
  const accepted = await resolve(service, again.operations[0].reviewItemId, "accept_incoming");
  assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
  assert.deepEqual(accepted.body.resolution.units, [{ id: stated.id, version: 3, status: "active" }]);
  assert.equal((await read(service, stated.id)).statement, "The kettle is blue.");
  const done = await readEdit(service, again.id);
  assert.deepEqual([done.status, done.operations[0].versionBefore, done.operations[0].versionAfter], ["applied", 2, 3]);
  assert.match(
    (await versionsOf(service, stated.id)).at(-1)![1]!,
    /self-edit .*: tidying up \(review .*accept_incoming\)/,
  );
});

test("an atomic edit with one such operation applies nothing and waits as a whole", async (service) => {
  const stated = await create(service, { statement: "The kettle is red.", attribution: "verified" });
  const own = await create(service, { statement: "The pot is green." });
  const operations = [
    { ...FACT("The kettle was painted."), ref: "why" },
    { op: "update", id: stated.id, patch: { statement: "The kettle is black." } },
    { op: "update", id: own.id, patch: { derivedFrom: ["$why"] } },
  ];
  const body = await applied(service, operations);
  assert.deepEqual([body.status, ...outcomes(body)], ["in_review", "review", "review", "review"]);
  assert.equal(new Set(body.operations.map((o: { reviewItemId: string }) => o.reviewItemId)).size, 1);
  assert.equal((await read(service, own.id)).version, 1);
  const itemId = body.operations[0].reviewItemId;
  // The person who accepts needs the right to make the change.
  const weak = await service.createKey({ scopes: ["memory:write", "memory:read"] });
  assert.deepEqual(refusal(await resolve(service, itemId, "accept_incoming", weak)), [403, "insufficient_scope"]);
  assert.equal((await read(service, stated.id)).statement, "The kettle is red.");
  const accepted = await resolve(service, itemId, "accept_incoming");
  assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
  const done = await readEdit(service, body.id);
  assert.deepEqual([done.status, ...outcomes(done)], ["applied", "applied", "applied", "applied"]);
  assert.equal((await read(service, stated.id)).statement, "The kettle is black.");
  assert.deepEqual((await read(service, own.id)).derivedFrom, [done.operations[0].resourceId]);
});

test("a dismissed proposal is declined; one about what was erased is withdrawn", async (service) => {
  const facts = await Promise.all(
    ["red", "blue"].map((colour) =>
      create(service, { statement: `The kettle is ${colour}.`, attribution: "user_stated" })
    ),
  );
  const edits = await Promise.all(facts.map(({ id }) => applied(service, [{ op: "forget", id, mode: "erase" }])));
  await service.post(`/v1/review/${edits[0].operations[0].reviewItemId}/dismiss`, {});
  await service.post(`/v1/facts/${facts[1].id}/forget`, { mode: "erase" });
  assert.deepEqual(outcomes(await readEdit(service, edits[0].id)), ["declined"]);
  assert.deepEqual(outcomes(await readEdit(service, edits[1].id)), ["withdrawn"]);
  assert.equal((await read(service, facts[0].id)).status, "active");
});

test("a fact that would supersede what a user stated goes to review; one that is trusted less is contested as always", async (service) => {
  const stated = await livesIn(service, "Paris", { attribution: "user_stated" });
  const rome = (attribution: string) => ({
    op: "add",
    type: "fact",
    body: { statement: "Caroline lives in Rome.", ...LIVES_IN, object: "Rome", attribution },
  });
  const contested = await applied(service, [rome("agent_stated")]);
  assert.equal(contested.operations[0].conflict.outcome, "contested");
  await applied(service, [{ op: "forget", id: contested.operations[0].resourceId, mode: "archive" }]);
  const body = await applied(service, [FACT("She moved.", { attribution: "user_stated" }), {
    ...rome("user_stated"),
    body: { ...rome("user_stated").body, derivedFrom: ["$1"] },
  }], { mode: "per_item" });
  assert.deepEqual([body.status, ...outcomes(body)], ["in_review", "applied", "review"]);
  assert.equal((await read(service, stated.id)).status, "active");
  const accepted = await resolve(service, body.operations[1].reviewItemId, "accept_incoming");
  assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
  assert.equal((await read(service, stated.id)).status, "superseded");
});

test("a reverted edit leaves everything as it was, and reverting that brings the edit back", async (service) => {
  const old = await livesIn(service, "Paris");
  const noted = await create(service, { statement: "The parcel is heavy.", tags: ["parcel"] });
  const wrong = await create(service, { statement: "The moon is made of cheese." });
  const strategy =
    (await service.post("/v1/memory/strategies", { name: "Bisect", situation: "A test fails.", pattern: "Bisect." }))
      .body;
  const put = await create(service, { statement: "The kettle is red." });
  const body = await applied(service, [
    {
      op: "add",
      type: "fact",
      ref: "home",
      body: { statement: "Caroline lives in Rome.", ...LIVES_IN, object: "Rome" },
    },
    { op: "update", id: noted.id, patch: { statement: "The parcel weighs 9 kg.", tags: [] } },
    { op: "pin", id: noted.id },
    { op: "retract", id: wrong.id },
    { op: "update", id: strategy.id, patch: { pattern: "Bisect the commits." } },
    { op: "forget", id: put.id, mode: "archive" },
  ]);
  const home = body.operations[0].resourceId;
  const state = async () => {
    const facts = await Promise.all([old.id, noted.id, wrong.id, put.id, home].map((id) => read(service, id)));
    const { pattern } = (await service.get(`/v1/memory/strategies/${strategy.id}`)).body;
    return [...facts.map(({ status, statement, pinned }) => [status, statement, pinned]), pattern];
  };
  const after = await state();
  const back = await reverted(service, body.id);
  assert.deepEqual([back.source, back.status, back.reverts], ["revert", "applied", body.id]);
  assert.deepEqual(await state(), [
    ["active", "Caroline lives in Paris.", false],
    ["active", "The parcel is heavy.", false],
    ["active", "The moon is made of cheese.", false],
    ["active", "The kettle is red.", false],
    ["archived", "Caroline lives in Rome.", false],
    "Bisect.",
  ]);
  assert.deepEqual((await read(service, noted.id)).tags, ["parcel"]);
  assert.equal((await read(service, old.id)).validTo, null);
  const { results } =
    (await service.post("/v1/memory/recall", { query: "How heavy is the parcel?", types: ["fact"] })).body;
  assert.equal(results[0].text, "The parcel is heavy.");
  assert.equal((await readEdit(service, body.id)).revertedBy, back.id);
  assert.deepEqual(refusal(await service.post(`/v1/self/edits/${body.id}/revert`, {})), [409, "invalid_transition"]);

  const again = await reverted(service, back.id);
  assert.deepEqual(await state(), after);
  assert.equal((await readEdit(service, body.id)).revertedBy, null);
  assert.equal((await readEdit(service, back.id)).revertedBy, again.id);
  await reverted(service, body.id, { force: true });
});

test("a revert is refused when something was changed since, says what, and reverts nothing; force takes that back too", async (service) => {
  const one = await create(service, { statement: "The kettle is red." });
  const two = await create(service, { statement: "The pot is green." });
  const body = await applied(service, [{ op: "pin", id: one.id }, {
    op: "update",
    id: two.id,
    patch: { statement: "The pot is blue." },
  }]);
  await service.patch(`${FACTS}/${two.id}`, { statement: "The pot is white." });
  const refused = await service.post(`/v1/self/edits/${body.id}/revert`, {});
  assert.deepEqual(refusal(refused), [409, "conflict"]);
  assert.deepEqual(refused.body.changedSince, [{ id: two.id, type: "fact", versionAfter: 2, version: 3 }]);
  assert.equal((await read(service, one.id)).pinned, true);
  await reverted(service, body.id, { force: true, reason: "all wrong" });
  assert.deepEqual([(await read(service, two.id)).statement, (await read(service, one.id)).pinned], [
    "The pot is green.",
    false,
  ]);
});

test("an erasure cannot be reverted: that operation says so, the others are reverted", async (service) => {
  const one = await create(service, { statement: "The kettle is red." });
  const two = await create(service, { statement: "The pot is green." });
  const body = await applied(service, [{ op: "forget", id: one.id, mode: "erase" }, { op: "pin", id: two.id }]);
  const back = await reverted(service, body.id);
  assert.deepEqual([back.status, ...outcomes(back)], ["partial", "applied", "refused"]);
  assert.equal(back.operations[1].error.code, "erased");
  assert.equal((await read(service, two.id)).pinned, false);
  const only = await applied(service, [{ op: "forget", id: two.id, mode: "erase" }]);
  assert.deepEqual(refusal(await service.post(`/v1/self/edits/${only.id}/revert`, {})), [410, "erased"]);
});

test("force does not take back what a user said since: a person decides", async (service) => {
  const fact = await create(service, { statement: "The kettle is red." });
  const body = await applied(service, [{ op: "update", id: fact.id, patch: { statement: "The kettle is blue." } }]);
  await service.patch(`${FACTS}/${fact.id}`, { statement: "The kettle is white.", attribution: "user_stated" });
  const back = await reverted(service, body.id, { force: true });
  assert.deepEqual([back.status, ...outcomes(back)], ["in_review", "review"]);
  assert.equal((await read(service, fact.id)).statement, "The kettle is white.");
  assert.equal((await readEdit(service, body.id)).revertedBy, null);
  assert.equal((await resolve(service, back.operations[0].reviewItemId, "accept_incoming")).status, 200);
  assert.equal((await read(service, fact.id)).statement, "The kettle is red.");
  assert.equal((await readEdit(service, body.id)).revertedBy, back.id);
});

test("of two reverts at once one counts", async (service) => {
  const fact = await create(service, { statement: "The kettle is red." });
  const body = await applied(service, [{ op: "pin", id: fact.id }]);
  const replies = await Promise.all([1, 2, 3].map(() => service.post(`/v1/self/edits/${body.id}/revert`, {})));
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [201, 409, 409]);
  assert.equal((await read(service, fact.id)).version, 3);
});

test("an edit finds or makes entities and relates them; reverting it takes both away, and reverting that brings them back", async (service) => {
  const fact = await create(service, { statement: "The kettle is red." });
  const body = await applied(service, [
    { op: "add", type: "entity", ref: "kettle", body: { canonicalName: "Kettle", entityType: "thing" } },
    { op: "relate", verb: "about", sourceId: fact.id, targetId: "$kettle", evidenceIds: [fact.id] },
    { op: "add", type: "entity", body: { canonicalName: "kettle", entityType: "thing" } },
    { op: "update", id: "$kettle", patch: { aliases: ["Boiler"] } },
  ]);
  const [entity, relation, found] = body.operations;
  assert.equal(found.resourceId, entity.resourceId);
  assert.deepEqual(relation.changes, [{
    id: relation.resourceId,
    type: "relation",
    versionBefore: 0,
    versionAfter: 1,
  }]);
  const statuses = async () => [
    (await service.get(`/v1/entities/${entity.resourceId}`)).body.status,
    (await service.get(`/v1/relations/${relation.resourceId}`)).body.status,
  ];
  assert.deepEqual(await statuses(), ["active", "active"]);
  const back = await reverted(service, body.id);
  assert.deepEqual(await statuses(), ["archived", "archived"]);
  await reverted(service, back.id);
  assert.deepEqual(await statuses(), ["active", "active"]);
  assert.deepEqual((await service.get(`/v1/entities/${entity.resourceId}`)).body.aliases, ["Boiler"]);
  const wrong = await service.post("/v1/self/edit", {
    reason: "tidying up",
    mode: "atomic",
    operations: [{ op: "relate", verb: "about", sourceId: fact.id, targetId: fact.id }],
  });
  assert.deepEqual([wrong.status, wrong.body.errors[0].path], [422, "operations.0.targetId"]);
});
