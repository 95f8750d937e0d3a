/**
 * Facts that are patched or leave force: the effects on the ends that they set, the facts that they marked, and those
 * that they kept contested.
 */
import assert from "node:assert/strict";
import { lockLiveRivals } from "../../src/domain/kinds/facts/lock_rivals.ts";
import { ADMIN_TOKEN, type TestService } from "../_service.ts";
import { create, FACTS, read, test } from "./_facts.ts";

const REVIEW = "/v1/review";
const JANUARY = "2027-01-01T00:00:00.000Z";
const MARCH = "2027-03-01T00:00:00.000Z";

async function patch(service: TestService, id: string, body: Record<string, unknown>) {
  const reply = await service.patch(`${FACTS}/${id}`, body);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

async function archive(service: TestService, id: string): Promise<void> {
  const reply = await service.post(`/v1/facts/${id}/forget`, { mode: "archive" });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
}

async function endOf(service: TestService, id: string): Promise<[string | null, string | null]> {
  const { validTo, supersededBy } = await read(service, id);
  return [validTo, supersededBy];
}

const OTHER_WORDS = [
  { statement: "From January on the company is in Porto", subject: "company", predicate: "sits in", object: "Porto" },
  { statement: "Porto it will be" },
];

test("a planned end goes when its successor leaves force, whatever that one speaks of, and moves with its day", async (service) => {
  for (const [i, words] of OTHER_WORDS.entries()) {
    const faro = await create(service, {
      statement: `Office ${i} is located in Faro`,
      subject: `office ${i}`,
      predicate: "is located in",
      object: "Faro",
    });
    const porto = await create(service, { ...words, validFrom: JANUARY, supersedes: faro.id });
    assert.deepEqual(await endOf(service, faro.id), [JANUARY, porto.id]);
    await patch(service, porto.id, { validFrom: MARCH });
    assert.deepEqual(await endOf(service, faro.id), [MARCH, porto.id]);
    await archive(service, porto.id);
    assert.deepEqual(await endOf(service, faro.id), [null, null]);
    const { body: { data } } = await service.get(`/v1/facts/${faro.id}/history`);
    assert.deepEqual(data.map((entry: { event: string }) => entry.event), ["created", "ending", "ending", "reopened"]);
  }
});

test("a planned end that a relation gave for a day of its own stays when the successor's day is patched", async (service) => {
  const old = await create(service, { statement: "The heron is the mascot" });
  const next = await create(service, { statement: "The stork is the mascot", validFrom: JANUARY });
  const related = await service.post("/v1/memory/relations", {
    sourceId: next.id,
    targetId: old.id,
    verb: "supersedes",
    validFrom: MARCH,
  });
  assert.equal(related.status, 201, JSON.stringify(related.body));
  assert.deepEqual(await endOf(service, old.id), [MARCH, next.id]);
  await patch(service, next.id, { validFrom: "2027-02-01T00:00:00Z" });
  assert.deepEqual(await endOf(service, old.id), [MARCH, next.id]);
  await archive(service, next.id);
  assert.deepEqual(await endOf(service, old.id), [null, null]);
});

test("a contested fact is released when nothing contradicts any of its claims, and not before", async (service) => {
  const lisbon = await create(service, { statement: "Ana lives in Lisbon.", attribution: "user_stated" });
  const sporting = await create(service, { statement: "Ana plays for Sporting.", attribution: "user_stated" });
  const both = await create(service, {
    statement: "Ana plays for Benfica and has moved to Porto.",
    attribution: "agent_inferred",
  });
  assert.deepEqual([both.status, both.conflict.factIds], ["contested", [lisbon.id]]);
  await archive(service, sporting.id);
  assert.equal((await read(service, both.id)).status, "contested", "what contradicts its further claim is in force");
  await archive(service, lisbon.id);
  assert.equal((await read(service, both.id)).status, "active");
});

test("a fact that is reworded likely outdates others as a new statement does, and a review asks once", async (service) => {
  const joe = await create(service, { statement: "My manager is Joe." });
  const other = await create(service, { statement: "The canteen serves soup." });
  const patched = await patch(service, other.id, { statement: "My manager is Rita." });
  assert.deepEqual([patched.conflict.outcome, patched.conflict.factIds], ["outdates", [joe.id]]);
  const open = async () => (await service.get(`${REVIEW}?status=open`)).body.data;
  const [item, ...more] = await open();
  assert.deepEqual([item.id, item.kind, item.subjectId, item.otherId, more.length], [
    patched.conflict.reviewItemId,
    "outdated_fact",
    other.id,
    joe.id,
    0,
  ]);
  const found = (await service.post("/v1/memory/recall", { query: "Who is my manager?" })).body.results;
  assert.deepEqual(found.map(({ id, outdatedBy }: { id: string; outdatedBy?: string }) => [id, outdatedBy]), [
    [other.id, undefined],
    [joe.id, other.id],
  ]);
  // If it still outdates the same fact, no second review opens; if it no longer does, the review is resolved.
  const again = await patch(service, other.id, { statement: "My manager is Kim." });
  assert.deepEqual([again.conflict.outcome, again.conflict.reviewItemId], ["outdates", item.id]);
  assert.equal((await open()).length, 1);
  await patch(service, other.id, { statement: "The canteen serves stew." });
  assert.deepEqual(await open(), []);
  const resolved = (await service.get(`${REVIEW}/${item.id}`)).body;
  assert.deepEqual([resolved.status, resolved.resolution.outcome], ["resolved", "revised"]);
  const left = (await service.post("/v1/memory/recall", { query: "Who is my manager?" })).body.results;
  assert.deepEqual([left[0].id, left[0].outdatedBy], [joe.id, undefined]);
});

test("an outdated fact that is reworded is outdated no more: it was said last", async (service) => {
  const joe = await create(service, { statement: "My manager is Joe." });
  const rita = await create(service, { statement: "My manager is Rita." });
  assert.deepEqual(rita.conflict.factIds, [joe.id]);
  const patched = await patch(service, joe.id, { statement: "My manager is Kim." });
  assert.deepEqual([patched.conflict.outcome, patched.conflict.factIds], ["outdates", [rita.id]]);
  const found = (await service.post("/v1/memory/recall", { query: "Who is my manager?" })).body.results;
  assert.deepEqual(found.map(({ id, outdatedBy }: { id: string; outdatedBy?: string }) => [id, outdatedBy]), [
    [joe.id, undefined],
    [rita.id, joe.id],
  ]);
  const open = (await service.get(`${REVIEW}?status=open`)).body.data;
  assert.deepEqual(open.map((item: { subjectId: string; otherId: string }) => [item.subjectId, item.otherId]), [
    [joe.id, rita.id],
  ]);
});

test("a patch that rewords nothing leaves what was decided about it", async (service) => {
  await create(service, { statement: "My manager is Joe." });
  const rita = await create(service, { statement: "My manager is Rita." });
  const kept = await service.post(`${REVIEW}/${rita.conflict.reviewItemId}/resolve`, { action: "keep_both" });
  assert.equal(kept.status, 200, JSON.stringify(kept.body));
  const patched = await patch(service, rita.id, {
    statement: "My manager is Rita.",
    validFrom: "2026-05-01T00:00:00Z",
  });
  assert.equal(patched.conflict.outcome, "none");
  assert.deepEqual((await service.get(`${REVIEW}?status=open`)).body.data, []);
});

test("what a workspace says of a predicate holds for plain statements, and what a fact says goes before it", async (service) => {
  const say = async (statement: string, more: Record<string, unknown> = {}) =>
    (await create(service, { statement, ...more })).conflict.outcome;
  await say("Ana mentors Ben.");
  assert.equal(await say("Ana mentors Cleo."), "none");
  const settings = {
    predicates: {
      "Mentors": { exclusive: true },
      "favourite_colour": { exclusive: false },
      "plays for": { exclusive: false },
    },
  };
  const path = `/v1/admin/workspaces/${service.workspaceId}`;
  const changed = await service.patch(path, { settings }, { key: ADMIN_TOKEN });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  assert.equal(await say("Ana mentors Dora."), "outdates");
  assert.equal(await say("Ana mentors Emil.", { exclusive: false }), "none");
  await say("Ana plays for Benfica.");
  assert.equal(await say("Ana plays for Sporting."), "none");
  await say("Ana's favourite colour is red.");
  assert.equal(await say("Ana's favourite colour is blue."), "none");
  await say("Ben's favourite food is soup.");
  assert.equal(await say("Ben's favourite food is stew."), "outdates", "of this the workspace says nothing");
});

test("of what many say in the same words, the latest are held against a new statement", async (service, clock) => {
  const say = async (from: number, to: number) => {
    const facts = Array.from({ length: to - from }, (_, i) => ({ statement: `I use tool${from + i}.` }));
    const reply = await service.post("/v1/memory/facts/batch", { facts });
    assert.equal(reply.status, 200, JSON.stringify(reply.body).slice(0, 500));
    clock.step(1_000);
  };
  await say(0, 30);
  await say(30, 230);
  const plain = { statement: "I use vim.", subject: null, predicate: null, object: null, factType: "fact" as const };
  const held = await service.operator().tx((tx) =>
    lockLiveRivals(tx, [{ contentHash: "", tripleKey: JSON.stringify(["user", "uses"]), body: plain }])
  );
  const numbers = held.map(({ text }) => Number(/\d+/.exec(text)![0]));
  assert.equal(held.length, 200);
  assert.equal(Math.min(...numbers), 30);
});
