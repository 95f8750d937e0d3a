/** Truth maintenance: which units become stale, who is asked about them, and in which steps. */
import assert from "node:assert/strict";
import { continuePasses } from "../../src/domain/unit/standing.ts";
import { startService, type TestService } from "../_service.ts";
import { create, FACTS, read, test } from "./_facts.ts";
import { feedOf, get, patch, post, recall, versionsOf } from "./_units.ts";

const REVIEW = "/v1/review";
const DECISIONS = "/v1/memory/decisions";

async function retract(service: TestService, id: string): Promise<void> {
  await patch(service, `${FACTS}/${id}`, { status: "retracted" });
}

/** The open items about stale units, as the key sees them. */
async function openItems(service: TestService, unitId?: string, key = service.key) {
  const about = unitId === undefined ? "" : `&unitId=${unitId}`;
  const reply = await service.get(`${REVIEW}?kind=stale_dependant${about}`, { key });
  assert.equal(reply.status, 200);
  return reply.body.data as { id: string; subjectId: string; otherId: string; detail: object; sensitivity: string }[];
}

async function itemOf(service: TestService, subjectId: string) {
  const items = (await openItems(service, subjectId)).filter((item) => item.subjectId === subjectId);
  assert.equal(items.length, 1, "one open item");
  return items[0]!;
}

/** Runs the worker until it has nothing to do; returns how many steps it took. */
async function finishPasses(service: TestService): Promise<number> {
  let steps = 0;
  while (await continuePasses(service.operator())) steps++;
  return steps;
}

/** Facts derived from one, many at a time. */
async function deriveMany(service: TestService, derivedFrom: string[], count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < count; from += 500) {
    const facts = Array.from({ length: Math.min(500, count - from) }, (_, i) => ({
      statement: `Conclusion ${crypto.randomUUID()} number ${from + i}`,
      derivedFrom,
    }));
    const { results } = await post(service, `${FACTS}/batch`, { facts }, 200);
    ids.push(...results.map((result: { fact: { id: string } }) => result.fact.id));
  }
  return ids;
}

async function countStale(service: TestService): Promise<number> {
  const [row] = await service.operator().tx((tx) =>
    tx.sql<[{ n: number }]>`
    select count(*)::int as n from unit where workspace_id = ${tx.workspaceId} and stale`
  );
  return row.n;
}

test("what becomes stale asks a person, once, and says which source fell and how", async (service) => {
  const source = await create(service, {});
  const other = await create(service, {});
  const middle = await create(service, { derivedFrom: [source.id, other.id] });
  const decision = await post(service, DECISIONS, { title: "T", decision: "D", evidenceIds: [middle.id] });
  await retract(service, source.id);
  const how = { fallenId: source.id, how: "retracted" };
  const item = await itemOf(service, middle.id);
  assert.deepEqual([item.otherId, item.detail], [source.id, { sourceId: source.id, ...how }]);
  const further = await itemOf(service, decision.id);
  assert.deepEqual([further.otherId, further.detail], [middle.id, { sourceId: middle.id, ...how }]);
  assert.deepEqual(await feedOf(service, item.id), ["review.opened"]);
  await retract(service, other.id);
  assert.deepEqual((await itemOf(service, middle.id)).id, item.id);
  const receipt = await post(service, `/v1/facts/${source.id}/forget`, { mode: "erase" }, 200);
  assert.equal(receipt.receipt.staleDependants, 0, "they were stale before");
  assert.equal((await itemOf(service, middle.id)).id, item.id, "erasing the source leaves the question");
});

test("an item closes by itself when its unit is fresh again, affirmed, archived or erased", async (service) => {
  const source = await create(service, {});
  const units = await deriveMany(service, [source.id], 3);
  const risen = await create(service, { derivedFrom: [source.id] });
  await service.delete(`${FACTS}/${source.id}`);
  assert.deepEqual(await openItems(service), [], "what is archived was right");
  await service.post(`/v1/facts/${source.id}/restore`);
  await retract(service, source.id);
  const items = await Promise.all(units.map((id) => itemOf(service, id)));
  await patch(service, `${FACTS}/${units[0]}`, { stale: false, reason: "still right" });
  await service.delete(`${FACTS}/${units[1]}`);
  await post(service, `/v1/facts/${units[2]}/forget`, { mode: "erase" }, 200);
  const outcomes = [];
  for (const { id } of items) {
    const { status, body } = await service.get(`${REVIEW}/${id}`);
    outcomes.push(status === 200 ? body.resolution.outcome : status);
  }
  assert.deepEqual(outcomes, ["affirmed", "archived", 404]);
  assert.deepEqual((await openItems(service)).map((item) => item.subjectId), [risen.id]);
  assert.equal((await service.post(`/v1/facts/${units[1]}/restore`)).body.stale, true);
  await itemOf(service, units[1]!);
  await patch(service, `${FACTS}/${risen.id}`, { derivedFrom: [] });
  assert.deepEqual(await openItems(service, risen.id), []);
});

test("a superseded source that is restored closes the items of all that rested on it", async (service, clock) => {
  const triple = { subject: "Ada", predicate: "works at" };
  const source = await create(service, { statement: "Ada works at Acme.", ...triple, object: "Acme" });
  const middle = await create(service, { derivedFrom: [source.id] });
  const end = await create(service, { derivedFrom: [middle.id] });
  clock.step(1_000);
  await create(service, { statement: "Ada works at Globex.", ...triple, object: "Globex" });
  assert.deepEqual((await itemOf(service, end.id)).detail, {
    sourceId: middle.id,
    fallenId: source.id,
    how: "superseded",
  });
  const [result] = await recall(service, end.statement, ["fact"], { limit: 1 });
  assert.deepEqual([result!.id, result!.stale], [end.id, true], "recall says so");
  await service.post(`/v1/facts/${source.id}/restore`);
  assert.deepEqual(await openItems(service), []);
  assert.deepEqual([(await read(service, middle.id)).stale, (await read(service, end.id)).stale], [false, false]);
});

test("what is stale from its beginning, or by what its author has it rest on, asks too", async (service) => {
  const source = await create(service, {});
  await retract(service, source.id);
  const born = await create(service, { derivedFrom: [source.id] });
  assert.deepEqual((await itemOf(service, born.id)).detail, {
    sourceId: source.id,
    fallenId: source.id,
    how: "retracted",
  });
  const decision = await post(service, DECISIONS, { title: "T", decision: "D" });
  await patch(service, `${DECISIONS}/${decision.id}`, { evidenceIds: [born.id] });
  assert.equal(((await itemOf(service, decision.id)).detail as { how: string }).how, "stale");
});

test("keep_local affirms, accept_incoming archives; both are in the history and what follows is fresh", async (service) => {
  const source = await create(service, {});
  const [kept, dropped] = await deriveMany(service, [source.id], 2) as [string, string];
  const end = await create(service, { derivedFrom: [kept] });
  await retract(service, source.id);
  const keptItem = await itemOf(service, kept);
  const endItem = await itemOf(service, end.id);
  const first = await post(service, `${REVIEW}/${keptItem.id}/resolve`, {
    action: "keep_local",
    reason: "seen twice",
  }, 200);
  assert.deepEqual([first.resolution.outcome, first.resolution.units], [
    "affirmed",
    [{ id: kept, version: 2, status: "active" }],
  ]);
  assert.deepEqual((await versionsOf(service, kept)).at(-1), [
    "affirmed",
    `review ${keptItem.id}, keep_local: seen twice`,
  ]);
  assert.deepEqual([(await read(service, kept)).stale, (await read(service, end.id)).stale], [false, false]);
  assert.equal((await get(service, `${REVIEW}/${endItem.id}`)).status, "resolved");
  assert.deepEqual(await feedOf(service, keptItem.id), ["review.opened", "review.resolved"], "told once");
  const droppedItem = await itemOf(service, dropped);
  await post(service, `${REVIEW}/${droppedItem.id}/resolve`, { action: "accept_incoming" }, 200);
  assert.equal((await read(service, dropped)).status, "archived");
  const restored = await service.post(`/v1/facts/${dropped}/restore`);
  assert.deepEqual([restored.body.status, restored.body.stale], ["active", true], "it can be undone");
});

test("keep_both and merge mean nothing for what is stale; dismissing leaves it stale", async (service) => {
  const source = await create(service, {});
  const unit = await create(service, { derivedFrom: [source.id] });
  await retract(service, source.id);
  const { id } = await itemOf(service, unit.id);
  for (const action of ["keep_both", "merge"]) {
    const refused = await service.post(`${REVIEW}/${id}/resolve`, { action });
    assert.deepEqual([refused.status, refused.body.errors[0].message], [422, "must be keep_local or accept_incoming"]);
    assert.equal((await read(service, unit.id)).stale, true);
  }
  await post(service, `${REVIEW}/${id}/dismiss`, { reason: "later" }, 200);
  assert.equal((await read(service, unit.id)).stale, true);
  assert.deepEqual(await openItems(service), []);
});

test("of two decisions at once about what is stale one counts", async (service) => {
  const source = await create(service, {});
  const unit = await create(service, { derivedFrom: [source.id] });
  await retract(service, source.id);
  const { id } = await itemOf(service, unit.id);
  const replies = await Promise.all(
    ["keep_local", "accept_incoming"].map((action) => service.post(`${REVIEW}/${id}/resolve`, { action })),
  );
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 409]);
});

test("what is above the clearance becomes stale and asks there, and who caused it learns nothing of it", async (service) => {
  const source = await create(service, { sensitivity: "internal" });
  const hidden = await create(service, { derivedFrom: [source.id], sensitivity: "restricted" });
  const low = await service.createKey({ maxSensitivity: "internal" });
  const erased = await service.post(`/v1/facts/${source.id}/forget`, { mode: "erase" }, { key: low });
  assert.deepEqual([erased.body.receipt.staleDependants, erased.body.receipt.moreDependants], [0, false]);
  assert.deepEqual(await openItems(service, undefined, low), []);
  const item = await itemOf(service, hidden.id);
  assert.deepEqual([item.sensitivity, item.detail], ["restricted", {
    sourceId: source.id,
    fallenId: source.id,
    how: "erased",
  }]);
});

test("T9 a source above a unit's sensitivity neither makes it stale nor asks about it, whatever becomes of it", async (service) => {
  const DEEDS: ((id: string) => Promise<unknown>)[] = [
    (id) => retract(service, id),
    (id) => post(service, `/v1/facts/${id}/forget`, { mode: "erase" }, 200),
  ];
  for (const doTo of DEEDS) {
    const secret = await create(service, { sensitivity: "restricted" });
    const source = await create(service, {});
    const open = await create(service, { derivedFrom: [secret.id, source.id], sensitivity: "internal" });
    await doTo(secret.id);
    assert.equal((await read(service, open.id)).stale, false);
    assert.deepEqual(await openItems(service, open.id), []);
    // Its other source falls and comes back: the hidden one does not keep it stale.
    await retract(service, source.id);
    await itemOf(service, open.id);
    const [item] = await openItems(service, open.id);
    await post(service, `${REVIEW}/${item!.id}/resolve`, { action: "keep_local" }, 200);
    assert.equal((await read(service, open.id)).stale, false);
  }
  const fallen = await create(service, { sensitivity: "restricted" });
  await retract(service, fallen.id);
  assert.equal((await create(service, { derivedFrom: [fallen.id], sensitivity: "internal" })).stale, false);
});

test("a large closure is finished by the worker in bounded steps, two at once", async (service) => {
  const source = await create(service, {});
  const wide = await deriveMany(service, [source.id], 1_500);
  const deep = await deriveMany(service, [wide[0]!, wide[1_499]!], 600);
  const { receipt } = await post(service, `/v1/facts/${source.id}/forget`, { mode: "erase" }, 200);
  assert.deepEqual([receipt.staleDependants, receipt.moreDependants], [500, true]);
  assert.equal(await countStale(service), 500);
  // Affirmed before the worker comes: it stays so.
  await patch(service, `${FACTS}/${wide[3]}`, { stale: false });
  await Promise.all([finishPasses(service), finishPasses(service)]);
  assert.equal(await countStale(service), 1_500 - 1 + 600);
  assert.equal((await read(service, deep[599]!)).stale, true);
  assert.equal((await read(service, wide[3]!)).stale, false);
  assert.equal(await finishPasses(service), 0);
  const [row] = await service.operator().tx((tx) =>
    tx.sql<[{ n: number }]>`
    select count(*)::int as n from review_item
     where workspace_id = ${tx.workspaceId} and kind = 'stale_dependant' and status = 'open'`
  );
  assert.equal(row.n, 2_099);
}, { own: true });

test("a source that stands again before the worker comes leaves nothing stale", async (service, clock) => {
  const triple = { subject: "Ada", predicate: "works at" };
  const source = await create(service, { statement: "Ada works at Acme.", ...triple, object: "Acme" });
  await deriveMany(service, [source.id], 1_200);
  clock.step(1_000);
  await create(service, { statement: "Ada works at Globex.", ...triple, object: "Globex" });
  assert.equal(await countStale(service), 500);
  await service.post(`/v1/facts/${source.id}/restore`);
  await finishPasses(service);
  assert.equal(await countStale(service), 0);
  assert.deepEqual(await openItems(service), []);
});

test("nothing derived is trusted more than its source, in a large closure too", async (service) => {
  const source = await create(service, { attribution: "user_stated" });
  const wide = await deriveMany(service, [source.id], 1_100);
  const end = await create(service, { derivedFrom: [wide[1_099]!], attribution: "user_stated" });
  await patch(service, `${FACTS}/${source.id}`, { attribution: "unverified" });
  await finishPasses(service);
  assert.deepEqual([(await read(service, wide[1_099]!)).trustScore, (await read(service, end.id)).trustScore], [
    10,
    10,
  ]);
});

test("nothing comes to rest on itself, through several patches or through two at once", async (service) => {
  const a = await create(service, {});
  const b = await create(service, { derivedFrom: [a.id] });
  const c = await create(service, { derivedFrom: [b.id] });
  const refused = await service.patch(`${FACTS}/${a.id}`, { derivedFrom: [c.id] });
  assert.deepEqual([refused.status, refused.body.errors], [422, [
    { path: "derivedFrom.0", message: "rests on this fact" },
  ]]);
  const decision = await post(service, DECISIONS, { title: "T", decision: "D", derivedFrom: [c.id] });
  const evidence = await post(service, DECISIONS, { title: "U", decision: "E", evidenceIds: [decision.id] });
  for (const path of [`${FACTS}/${a.id}`, `${FACTS}/${b.id}`]) {
    assert.equal((await service.patch(path, { derivedFrom: [evidence.id] })).status, 422);
  }
  const circle = await service.patch(`${DECISIONS}/${decision.id}`, { evidenceIds: [evidence.id] });
  assert.deepEqual([circle.status, circle.body.errors[0].path], [422, "evidenceIds.0"]);
  // p → q and r → s exist; q → r and s → p, at the same time, would close the circle.
  const [q, s] = [await create(service, {}), await create(service, {})];
  const p = await create(service, { derivedFrom: [q.id] });
  const r = await create(service, { derivedFrom: [s.id] });
  const replies = await Promise.all([
    service.patch(`${FACTS}/${q.id}`, { derivedFrom: [r.id] }),
    service.patch(`${FACTS}/${s.id}`, { derivedFrom: [p.id] }),
  ]);
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 422]);
});

test("a fact stated again on the ground of its own conclusion does not rest on itself", async (service) => {
  const statement = "The bridge is closed.";
  const known = await create(service, { statement, attribution: "agent_inferred" });
  // Evidence does not bound trust: the decision is trusted more than the fact.
  const decision = await post(service, DECISIONS, {
    title: "T",
    decision: "D",
    evidenceIds: [known.id],
    attribution: "user_stated",
  });
  const again = await create(service, { statement, attribution: "user_stated", derivedFrom: [decision.id] }, 200);
  assert.deepEqual([again.id, again.trustScore, again.derivedFrom], [known.id, 90, []]);
});

test("an unrelated change keeps what the same transaction made stale", async (service, clock) => {
  const triple = { subject: "Ada", predicate: "works at" };
  const source = await create(service, { statement: "Ada works at Acme.", ...triple, object: "Acme" });
  const derived = await create(service, { derivedFrom: [source.id], subject: "Ada", predicate: "was seen at" });
  clock.step(1_000);
  const won = await patch(service, `${FACTS}/${derived.id}`, { ...triple, object: "Globex" });
  assert.deepEqual([won.conflict.outcome, (await read(service, source.id)).status], ["superseded", "superseded"]);
  assert.deepEqual([won.stale, (await read(service, derived.id)).stale], [true, true]);
});

Deno.test("on the embedded default, too, what rests on what fell is stale, asked about, capped and undone", async () => {
  await using service = await startService({ embedded: true });
  const source = await create(service, { attribution: "user_stated" });
  const wide = await deriveMany(service, [source.id], 20);
  const end = await create(service, { derivedFrom: [wide[0]!] });
  await retract(service, source.id);
  assert.equal(await countStale(service), 21);
  const { id } = await itemOf(service, wide[0]!);
  await post(service, `${REVIEW}/${id}/resolve`, { action: "keep_local" }, 200);
  assert.deepEqual([(await read(service, wide[0]!)).stale, (await read(service, end.id)).stale], [false, false]);
  await patch(service, `${FACTS}/${wide[0]}`, { attribution: "unverified" });
  assert.equal((await read(service, end.id)).trustScore, 10);
  const circle = await service.patch(`${FACTS}/${wide[0]}`, { derivedFrom: [end.id] });
  assert.equal(circle.status, 422);
  assert.equal(await finishPasses(service), 0);
});
