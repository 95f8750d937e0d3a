/** `/v1/review`: a person's decisions about contested facts and near-duplicates, and how they are undone. */
import assert from "node:assert/strict";
import { openReviewItem } from "../../src/domain/unit/review_item.ts";
import type { ReviewKind } from "../../src/schema/review.ts";
import type { Reply, TestService } from "../_service.ts";
import { create, FACTS, livesIn, read, test, UNKNOWN_ID } from "./_facts.ts";

const REVIEW = "/v1/review";

async function resolve(service: TestService, id: string, body: Record<string, unknown>): Promise<Reply["body"]> {
  const reply = await service.post(`${REVIEW}/${id}/resolve`, body);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

async function getItem(service: TestService, id: string): Promise<Reply["body"]> {
  const reply = await service.get(`${REVIEW}/${id}`);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

async function listIds(service: TestService, query = ""): Promise<string[]> {
  const reply = await service.get(`${REVIEW}?${query}`);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body.data.map((item: { id: string }) => item.id);
}

/** The user stated Paris; an agent states Rome. */
async function contest(service: TestService, given: Record<string, unknown> = {}) {
  const local = await livesIn(service, "Paris", { attribution: "user_stated", ...given });
  const incoming = await livesIn(service, "Rome", { attribution: "agent_stated", ...given });
  assert.equal(incoming.status, "contested");
  return { local, incoming, itemId: incoming.conflict.reviewItemId as string };
}

async function openItem(service: TestService, kind: ReviewKind, subjectId: string, otherId: string): Promise<string> {
  return await service.operator().tx((tx) =>
    openReviewItem(tx, { kind, sensitivity: "internal", subjectId, otherId, detail: {} })
  );
}

async function duplicate(service: TestService) {
  const local = await create(service, {
    statement: "The office is closed on Fridays.",
    attribution: "agent_stated",
    tags: ["office"],
    citations: [{ messageId: "m1" }],
  });
  const incoming = await create(service, {
    statement: "On Fridays the office is closed.",
    attribution: "user_stated",
    tags: ["hours"],
    citations: [{ messageId: "m2" }],
    pinned: true,
  });
  return { local, incoming, itemId: await openItem(service, "near_duplicate", incoming.id, local.id) };
}

async function statuses(service: TestService, ...facts: { readonly id: string }[]): Promise<string[]> {
  return await Promise.all(facts.map(async ({ id }) => (await read(service, id)).status));
}

async function lastHistory(service: TestService, id: string): Promise<Reply["body"]> {
  return (await service.get(`/v1/facts/${id}/history?order=desc&limit=1`)).body.data[0];
}

test("a contested fact opens an item that says what it is about and how it may be resolved", async (service, clock) => {
  const { local, incoming, itemId } = await contest(service);
  const { headers, body } = await service.get(`${REVIEW}/${itemId}`);
  assert.equal(headers.get("etag"), '"1"');
  assert.deepEqual(body, {
    id: itemId,
    version: 1,
    kind: "contested_fact",
    status: "open",
    actions: ["keep_local", "accept_incoming", "keep_both", "merge"],
    sensitivity: "internal",
    subjectId: incoming.id,
    otherId: local.id,
    detail: { rivalIds: [local.id], trustScore: 60, rivalTrustScores: [90] },
    resolution: null,
    createdAt: clock.now.toISOString(),
    resolvedAt: null,
    resolvedBy: null,
  });
});

test("keep_local supersedes the contested fact; restoring it opens the question again", async (service) => {
  const { local, incoming, itemId } = await contest(service);
  const derived = await create(service, { derivedFrom: [incoming.id] });
  const { resolution, status, version, resolvedBy, actions } = await resolve(service, itemId, {
    action: "keep_local",
    reason: "She said so herself.",
  });
  assert.deepEqual({ status, version, actions, resolution }, {
    status: "resolved",
    version: 2,
    actions: [],
    resolution: {
      action: "keep_local",
      outcome: `superseded by ${local.id}`,
      reason: "She said so herself.",
      units: [{ id: incoming.id, version: 2, status: "superseded" }],
    },
  });
  const lost = await read(service, incoming.id);
  assert.deepEqual([lost.status, lost.supersededBy, lost.validFrom], ["superseded", local.id, lost.validTo]);
  for (const asOf of ["2015-01-01T00:00:00Z", lost.validTo]) {
    const then = await service.get(`${FACTS}?${new URLSearchParams({ asOf })}`);
    const ids = then.body.data.map((fact: { id: string }) => fact.id);
    assert.ok(!ids.includes(incoming.id), `what was declined is told as true at no time, nor at ${asOf}`);
  }
  assert.equal((await read(service, local.id)).version, local.version, "what stands is not touched");
  assert.equal((await read(service, derived.id)).stale, true);
  const { event, reason, changedBy } = await lastHistory(service, incoming.id);
  assert.deepEqual([event, reason, changedBy], [
    "superseded",
    `review ${itemId}, keep_local: She said so herself.`,
    resolvedBy,
  ]);
  const { body: restored } = await service.post(`/v1/facts/${incoming.id}/restore`);
  assert.deepEqual([restored.status, restored.validFrom, restored.validTo], ["contested", null, null]);
  assert.equal((await listIds(service)).length, 1);
  assert.equal((await read(service, derived.id)).stale, false);
});

test("accept_incoming supersedes what the fact contradicts, also what is said to begin later", async (service) => {
  const { local, incoming, itemId } = await contest(service);
  const derived = await create(service, { derivedFrom: [local.id] });
  const item = await resolve(service, itemId, { action: "accept_incoming" });
  assert.deepEqual(item.resolution.units.map((unit: { id: string }) => unit.id), [incoming.id, local.id]);
  const [won, lost] = [await read(service, incoming.id), await read(service, local.id)];
  assert.deepEqual([won.status, won.supersedes, lost.status, lost.supersededBy], [
    "active",
    local.id,
    "superseded",
    incoming.id,
  ]);
  assert.equal(lost.validTo, won.validFrom);
  assert.equal((await read(service, derived.id)).stale, true);
  assert.equal((await lastHistory(service, incoming.id)).reason, `review ${itemId}, accept_incoming`);
  const { body: restored } = await service.post(`/v1/facts/${local.id}/restore`);
  assert.deepEqual([restored.status, restored.validTo], ["contested", null]);

  const later = await create(service, {
    statement: "Pixel sleeps inside.",
    subject: "Pixel",
    predicate: "location",
    object: "inside",
    validFrom: "2026-05-01T00:00:00Z",
  });
  const earlier = await create(service, {
    statement: "Pixel sleeps outside.",
    subject: "Pixel",
    predicate: "location",
    object: "outside",
    validFrom: "2026-01-01T00:00:00Z",
  });
  assert.equal(earlier.conflict.outcome, "ordered");
  await service.post(`/v1/facts/${earlier.id}/restore`);
  const { data: [asked] } = (await service.get(`${REVIEW}?unitId=${earlier.id}&status=open`)).body;
  await resolve(service, asked.id, { action: "accept_incoming" });
  const never = await read(service, later.id);
  assert.deepEqual([never.status, never.validTo], ["superseded", never.validFrom]);
});

test("keep_both lets both stand", async (service) => {
  const { local, incoming, itemId } = await contest(service);
  await resolve(service, itemId, { action: "keep_both", reason: "She has two homes." });
  assert.deepEqual(await statuses(service, local, incoming), ["active", "active"]);
  assert.equal((await lastHistory(service, incoming.id)).event, "released");
  assert.deepEqual(await listIds(service), []);
});

test("merging contested facts takes a new text, trusted as the least of both", async (service) => {
  const { local, incoming, itemId } = await contest(service, { citations: [{ messageId: "m1" }] });
  const bare = await service.post(`${REVIEW}/${itemId}/resolve`, { action: "merge" });
  assert.deepEqual([bare.status, bare.body.errors[0].path], [422, "merged"]);
  const item = await resolve(service, itemId, {
    action: "merge",
    merged: { statement: "Caroline lives in Paris and Rome.", object: "Paris and Rome" },
  });
  assert.equal(item.resolution.outcome, `merged into ${local.id}`);
  const [merged, lost] = [await read(service, local.id), await read(service, incoming.id)];
  assert.deepEqual([merged.status, merged.statement, merged.subject, merged.object, merged.trustScore], [
    "active",
    "Caroline lives in Paris and Rome.",
    "Caroline",
    "Paris and Rome",
    60,
  ]);
  assert.deepEqual([merged.corroborationCount, merged.citations], [1, [{ messageId: "m1" }]]);
  assert.deepEqual([lost.status, lost.supersededBy], ["superseded", local.id]);
  const found = await service.post("/v1/recall", { query: "Paris and Rome", types: ["fact"] });
  assert.equal(found.body.results[0].id, local.id);
  const { body } = await service.get(`${FACTS}/${local.id}/revisions?order=asc`);
  assert.deepEqual(body.data.map((revision: { fact: { statement: string } }) => revision.fact.statement), [
    "Caroline lives in Paris.",
    "Caroline lives in Paris and Rome.",
  ]);
});

test("a merged text that repeats or newly contradicts another fact is refused, and nothing changes", async (service) => {
  const { local, incoming, itemId } = await contest(service);
  const other = await create(service, {
    statement: "Caroline prefers tea.",
    subject: "Caroline",
    predicate: "favourite drink",
    object: "tea",
  });
  const merged = { statement: "Caroline prefers coffee.", predicate: "favourite drink", object: "coffee" };
  const refused = await service.post(`${REVIEW}/${itemId}/resolve`, { action: "merge", merged });
  assert.deepEqual([refused.status, refused.body.code, refused.body.factIds], [409, "conflict", [other.id]]);
  assert.deepEqual(await statuses(service, local, incoming), ["active", "contested"]);
  assert.equal((await getItem(service, itemId)).status, "open");
});

test("what is verified is reworded by a merge only with memory:admin", async (service) => {
  const { local, itemId } = await contest(service);
  await service.patch(`${FACTS}/${local.id}`, { attribution: "verified" });
  const key = await service.createKey({ scopes: ["memory:read", "memory:write"] });
  const body = { action: "merge", merged: { statement: "Caroline lives in Rome or Paris.", object: "Rome or Paris" } };
  const refused = await service.post(`${REVIEW}/${itemId}/resolve`, body, { key });
  assert.deepEqual([refused.status, refused.body.code], [403, "insufficient_scope"]);
  await resolve(service, itemId, body);
});

test("near-duplicates: the one that is not kept is archived, and comes back when it is restored", async (service) => {
  for (
    const [action, wanted] of [["keep_local", ["active", "archived"]], ["accept_incoming", ["archived", "active"]]]
  ) {
    const { local, incoming, itemId } = await duplicate(service);
    const derived = await create(service, { derivedFrom: [local.id, incoming.id] });
    await resolve(service, itemId, { action });
    assert.deepEqual(await statuses(service, local, incoming), wanted);
    assert.equal((await read(service, derived.id)).stale, false);
    const [archived, kept] = action === "keep_local" ? [incoming, local] : [local, incoming];
    assert.equal((await service.post(`/v1/facts/${archived.id}/restore`)).body.status, "active");
    for (const { id } of [archived, kept]) await service.post(`/v1/facts/${id}/forget`, { mode: "erase" });
  }
});

test("near-duplicates that are both kept do not change", async (service) => {
  const { local, incoming, itemId } = await duplicate(service);
  const item = await resolve(service, itemId, { action: "keep_both" });
  assert.deepEqual(item.resolution.units, []);
  assert.deepEqual([(await read(service, local.id)).version, (await read(service, incoming.id)).version], [1, 1]);
});

test("merging near-duplicates joins what both bring in the local fact", async (service) => {
  const { local, incoming, itemId } = await duplicate(service);
  await resolve(service, itemId, { action: "merge" });
  const merged = await read(service, local.id);
  assert.deepEqual({
    statement: merged.statement,
    tags: merged.tags,
    citations: merged.citations,
    pinned: merged.pinned,
    attribution: merged.attribution,
    trustScore: merged.trustScore,
    corroborationCount: merged.corroborationCount,
  }, {
    statement: "The office is closed on Fridays.",
    tags: ["office", "hours"],
    citations: [{ messageId: "m1" }, { messageId: "m2" }],
    pinned: true,
    attribution: "user_stated",
    trustScore: 90,
    corroborationCount: 1,
  });
  assert.deepEqual(await statuses(service, local, incoming), ["active", "archived"]);
});

test("a dismissed item leaves the facts as they are; the fact is released once nothing contradicts it", async (service) => {
  const { local, incoming, itemId } = await contest(service);
  const { body } = await service.post(`${REVIEW}/${itemId}/dismiss`, { reason: "Later." });
  assert.deepEqual([body.status, body.resolution], [
    "dismissed",
    { action: null, outcome: "dismissed", reason: "Later.", units: [] },
  ]);
  assert.deepEqual(await statuses(service, local, incoming), ["active", "contested"]);
  await service.delete(`${FACTS}/${local.id}`);
  assert.deepEqual(await statuses(service, incoming), ["active"]);
});

test("a closed item is decided once, also when two decide at the same time", async (service) => {
  const { itemId } = await contest(service);
  const replies = await Promise.all([
    service.post(`${REVIEW}/${itemId}/resolve`, { action: "keep_local" }),
    service.post(`${REVIEW}/${itemId}/resolve`, { action: "accept_incoming" }),
    service.post(`${REVIEW}/${itemId}/dismiss`),
  ]);
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 409, 409]);
  for (const { body } of replies.filter((reply) => reply.status === 409)) assert.equal(body.code, "invalid_transition");
  const [winner] = replies.filter((reply) => reply.status === 200);
  assert.deepEqual(await getItem(service, itemId), winner!.body);
  const kinds = await service.operator().tx((tx) =>
    tx.sql`
    select kind, version from change where workspace_id = ${tx.workspaceId} and resource_id = ${itemId} order by seq`
  );
  assert.deepEqual(kinds.map((row) => [row.kind, row.version]), [
    ["review.opened", 1],
    [`review.${winner!.body.status}`, 2],
  ]);
});

test("an item settles by itself when its fact does, and says so", async (service) => {
  const { local, incoming, itemId } = await contest(service);
  await service.delete(`${FACTS}/${local.id}`);
  assert.equal((await read(service, incoming.id)).status, "active");
  const { status, resolution } = await getItem(service, itemId);
  assert.deepEqual([status, resolution.action, resolution.outcome], [
    "resolved",
    null,
    "no live fact contradicts it any more",
  ]);
});

test("a decision that no longer means anything is refused with conflict", async (service, clock) => {
  const { itemId } = await contest(service, { expiresAt: new Date(clock.now.getTime() + 60_000).toISOString() });
  const { local, itemId: duplicateId } = await duplicate(service);
  clock.step(60_000);
  await service.delete(`${FACTS}/${local.id}`);
  for (const id of [itemId, duplicateId]) {
    const refused = await service.post(`${REVIEW}/${id}/resolve`, { action: "keep_local" });
    assert.deepEqual([refused.status, refused.body.code], [409, "conflict"]);
    assert.equal((await service.post(`${REVIEW}/${id}/dismiss`)).status, 200);
  }
});

test("the queue is filtered by kind, state and unit, page by page", async (service) => {
  const { incoming, itemId } = await contest(service);
  const { local, itemId: second } = await duplicate(service);
  const third = await openItem(service, "near_duplicate", incoming.id, local.id);
  assert.deepEqual(await listIds(service), [third, second, itemId]);
  assert.deepEqual(await listIds(service, "kind=near_duplicate&order=asc"), [second, third]);
  assert.deepEqual(await listIds(service, `unitId=${local.id}`), [third, second]);
  assert.deepEqual(await listIds(service, `unitId=${incoming.id}&kind=contested_fact&kind=self_edit`), [itemId]);
  await service.post(`${REVIEW}/${second}/dismiss`);
  assert.deepEqual(await listIds(service), [third, itemId]);
  assert.deepEqual(await listIds(service, "status=dismissed"), [second]);
  const { body } = await service.get(`${REVIEW}?limit=2&status=open&status=dismissed`);
  assert.deepEqual(await listIds(service, `limit=2&status=open&status=dismissed&cursor=${body.nextCursor}`), [itemId]);
});

test("clearance, scopes and If-Match guard the queue", async (service) => {
  const { itemId } = await contest(service, { sensitivity: "confidential" });
  const low = await service.createKey({ maxSensitivity: "internal" });
  assert.equal((await service.get(`${REVIEW}/${itemId}`, { key: low })).status, 404);
  assert.deepEqual((await service.get(REVIEW, { key: low })).body.data, []);
  assert.equal((await service.post(`${REVIEW}/${itemId}/dismiss`, {}, { key: low })).status, 404);
  const reader = await service.createKey({ scopes: ["memory:read"] });
  assert.equal((await service.get(`${REVIEW}/${itemId}`, { key: reader })).status, 200);
  for (const path of ["resolve", "dismiss"]) {
    const body = path === "resolve" ? { action: "keep_local" } : {};
    assert.equal((await service.post(`${REVIEW}/${itemId}/${path}`, body, { key: reader })).status, 403);
    const stale = await service.post(`${REVIEW}/${itemId}/${path}`, body, { headers: { "if-match": '"2"' } });
    assert.equal(stale.status, 412);
    assert.equal((await service.post(`${REVIEW}/${UNKNOWN_ID}/${path}`, body)).status, 404);
  }
  const wrong = { action: "keep_local", merged: { statement: "x" } };
  assert.equal((await service.post(`${REVIEW}/${itemId}/resolve`, wrong)).status, 422);
});
