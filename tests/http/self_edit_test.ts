/** An agent edits its own memory: applied whole or per item, within its rights, kept, reverted. */
import assert from "node:assert/strict";
import { create, FACTS, listIds, livesIn, read, test, UNKNOWN_ID } from "./_facts.ts";
import { applied, edit, FACT, outcomes } from "./_self.ts";
import type { TestService } from "../_service.ts";
import { feedOf, refusal, versionsOf } from "./_units.ts";

test("an atomic edit applies all its operations in order and says which versions each made", async (service) => {
  const old = await livesIn(service, "Paris", { attribution: "agent_stated" });
  const noted = await create(service, { statement: "The parcel is heavy." });
  const body = await applied(service, [
    {
      op: "add",
      type: "fact",
      ref: "home",
      body: { statement: "Caroline lives in Rome.", subject: "Caroline", predicate: "lives in", object: "Rome" },
    },
    { op: "pin", id: "$home" },
    { op: "update", id: noted.id, patch: { statement: "The parcel weighs 9 kg." }, expectedVersion: 1 },
    {
      op: "add",
      type: "decision",
      body: { title: "Parcel", decision: "Send it to Rome.", evidenceIds: ["$1"], derivedFrom: ["$home"] },
    },
    { op: "update", id: "$4", patch: { rationale: "She moved." } },
    { op: "update", id: "$4", patch: { decision: "Send it to Rome by train." } },
    { op: "retract", id: noted.id },
    { op: "pin", id: "$home" },
  ], { agentId: "assistant" });
  assert.equal(body.status, "applied");
  assert.deepEqual(outcomes(body), [
    "applied",
    "applied",
    "applied",
    "applied",
    "applied",
    "applied",
    "applied",
    "unchanged",
  ]);
  const home = body.operations[0].resourceId;
  // Rome is an entity from then on.
  const [opened, ...changed] = body.operations[0].changes;
  assert.deepEqual([opened.type, opened.versionBefore, opened.versionAfter], ["entity", 0, 1]);
  assert.deepEqual(changed, [
    { id: old.id, type: "fact", versionBefore: 1, versionAfter: 2 },
    { id: home, type: "fact", versionBefore: 0, versionAfter: 1 },
  ]);
  assert.equal(body.operations[0].conflict.outcome, "superseded");
  assert.equal((await read(service, home)).pinned, true);
  assert.equal((await read(service, noted.id)).status, "retracted");
  assert.equal((await read(service, noted.id)).version, 3);
  const decision = await service.get(`/v1/decisions/${body.operations[3].resourceId}`);
  assert.equal(decision.body.decision, "Send it to Rome by train.");
  assert.equal(decision.body.rationale, "She moved.");
  assert.deepEqual([decision.body.evidenceIds, decision.body.derivedFrom, decision.body.version], [[home], [home], 3]);
  assert.deepEqual((await versionsOf(service, noted.id)).at(-1), ["retracted", `self-edit ${body.id}: tidying up`]);
  assert.deepEqual(await feedOf(service, body.id), ["self_edit.created"]);
  const again = await service.get(`/v1/self/edits/${body.id}`);
  assert.deepEqual(again.body, body);
  assert.equal(again.headers.get("etag"), '"1"');
});

test("when one operation of an atomic edit fails nothing of it is applied or kept, and the reply says which", async (service) => {
  const fact = await create(service, { statement: "The kettle is red." });
  const reply = await edit(service, [
    FACT("The kettle boils."),
    { op: "pin", id: fact.id },
    { op: "forget", id: UNKNOWN_ID, mode: "archive" },
  ]);
  assert.deepEqual(refusal(reply), [404, "not_found"]);
  assert.equal(reply.body.operationIndex, 2);
  assert.equal((await read(service, fact.id)).version, 1);
  assert.deepEqual(await listIds(service, ""), [fact.id]);
  assert.deepEqual((await service.get("/v1/self/edits")).body.data, []);
  const stale = await edit(service, [FACT("It whistles."), {
    op: "update",
    id: fact.id,
    patch: { tags: ["a"] },
    expectedVersion: 7,
  }]);
  assert.deepEqual(refusal(stale), [412, "version_mismatch"]);
  const bad = await edit(service, [{ op: "update", id: fact.id, patch: { colour: "blue" } }]);
  assert.deepEqual(refusal(bad), [422, "validation_failed"]);
  assert.equal(bad.body.errors[0].path, "operations.0.patch.colour");
});

test("an edit per item applies what can be applied; each operation has its own outcome", async (service) => {
  await applyPerItem(service);
});

test("T59 an edit per item under an Idempotency-Key does the same, and again answers it", async (service) => {
  await applyPerItem(service, "edit");
});

async function applyPerItem(service: TestService, idempotencyKey?: string): Promise<void> {
  const fact = await create(service, { statement: "The kettle is red." });
  const strategy = await service.post("/v1/memory/strategies", {
    name: "Bisect",
    situation: "A test fails.",
    pattern: "Bisect.",
  });
  const told = await create(service, { statement: "The kettle is mine.", attribution: "user_stated" });
  const operations = [
    FACT("The kettle boils.", { tags: ["kitchen"] }),
    { op: "retract", id: UNKNOWN_ID },
    { op: "update", id: strategy.body.id, patch: { pattern: "Bisect the commits." } },
    { op: "update", id: strategy.body.id, patch: { outcome: "Found at once." } },
    { op: "retract", id: strategy.body.id },
    { op: "add", type: "episode", ref: "tea", body: { title: "Tea", factIds: ["$1"] } },
    { op: "add", type: "fact", body: { statement: "" } },
    { op: "pin", id: "$7" },
    { op: "update", id: "$tea", patch: { title: "Coffee" } },
    { op: "forget", id: fact.id, mode: "archive" },
    { op: "retract", id: told.id },
  ];
  const options = { mode: "per_item", ...(idempotencyKey !== undefined && { idempotencyKey }) } as const;
  const body = await applied(service, operations, options);
  assert.equal(body.status, "in_review");
  assert.deepEqual(outcomes(body), [
    "applied",
    "refused",
    "applied",
    "applied",
    "refused",
    "applied",
    "refused",
    "refused",
    "refused",
    "applied",
    "review",
  ]);
  assert.deepEqual(body.operations.map((o: { error: { code: string } | null }) => o.error?.code ?? null), [
    null,
    "not_found",
    null,
    null,
    "validation_failed",
    null,
    "validation_failed",
    "conflict",
    "validation_failed",
    null,
    null,
  ]);
  const changed = await service.get(`/v1/memory/strategies/${strategy.body.id}`);
  assert.deepEqual([changed.body.pattern, changed.body.outcome, changed.body.version], [
    "Bisect the commits.",
    "Found at once.",
    3,
  ]);
  const episode = await service.get(`/v1/episodes/${body.operations[5].resourceId}`);
  assert.deepEqual(episode.body.factIds, [body.operations[0].resourceId]);
  assert.equal((await read(service, fact.id)).status, "archived");
  assert.equal((await read(service, told.id)).status, "active");
  assert.equal((await service.get("/v1/review?kind=self_edit")).body.data.length, 1);
  if (idempotencyKey === undefined) return;
  assert.deepEqual(await applied(service, operations, options), body);
  assert.equal((await service.get("/v1/self/edits")).body.data.length, 1);
}

test("references must name an earlier add of the same edit", async (service) => {
  for (
    const operations of [
      [{ op: "pin", id: "$1" }],
      [{ op: "pin", id: "$later" }, { ...FACT("Late."), ref: "later" }],
      [FACT("A first."), { op: "add", type: "fact", body: { statement: "A second.", derivedFrom: ["$nobody"] } }],
      [{ ...FACT("A first."), ref: "x" }, { ...FACT("A second."), ref: "x" }],
    ]
  ) {
    for (const mode of ["atomic", "per_item"] as const) {
      assert.deepEqual(refusal(await edit(service, operations, { mode })), [422, "validation_failed"]);
    }
  }
  assert.deepEqual(await listIds(service, ""), []);
});

test("a fact that is stated again is corroborated, and its version only counts where it grew", async (service) => {
  const fact = await create(service, { statement: "The kettle is red." });
  const body = await applied(service, [
    FACT("The kettle is red."),
    FACT("The kettle is red.", { citations: [{ messageId: "m1" }] }),
  ]);
  assert.deepEqual(body.operations.map((o: { resourceId: string }) => o.resourceId), [fact.id, fact.id]);
  assert.deepEqual(body.operations[0].changes, []);
  assert.deepEqual(body.operations[1].changes, [{ id: fact.id, type: "fact", versionBefore: 1, versionAfter: 2 }]);
  assert.equal((await read(service, fact.id)).corroborationCount, 2);
});

test("erasing needs the scope memory:delete, takes what edits said about the unit, and leaves a receipt", async (service) => {
  const { operations: [{ resourceId: id }], id: first } = await applied(service, [FACT("The code is 4711.")]);
  const key = await service.createKey({ scopes: ["self:write", "memory:read"] });
  const refused = await edit(service, [{ op: "forget", id, mode: "erase" }], { key });
  assert.deepEqual(refusal(refused), [403, "insufficient_scope"]);
  const body = await applied(service, [{ op: "forget", id, mode: "erase" }, FACT("A key hangs by the door.")]);
  assert.equal(body.operations[0].receipt.id, id);
  assert.deepEqual(body.operations[0].changes, [{ id, type: "fact", versionBefore: 1, versionAfter: null }]);
  assert.equal((await service.get(`${FACTS}/${id}`)).status, 410);
  const before = await service.get(`/v1/self/edits/${first}`);
  assert.equal(before.body.operations[0].operation, null);
  const both = await applied(service, [FACT("The other code is 4712."), { op: "forget", id: "$1", mode: "erase" }]);
  assert.doesNotMatch(JSON.stringify(both), /4712/);
  const rows = await service.operator().tx((tx) =>
    tx.sql`select operation from self_edit_content where workspace_id = ${tx.workspaceId}`
  );
  assert.doesNotMatch(JSON.stringify(rows), /471/);
});

test("edits are listed with filters, page by page", async (service, clock) => {
  const one = await applied(service, [FACT("One.")], { agentId: "a" });
  clock.step(60_000);
  const two = await applied(service, [{ op: "pin", id: UNKNOWN_ID }, FACT("Two.")], { agentId: "b", mode: "per_item" });
  clock.step(60_000);
  const three = await applied(service, [{ op: "pin", id: one.operations[0].resourceId }], { agentId: "a" });
  const list = async (query: string) => {
    const reply = await service.get(`/v1/self/edits?${query}`);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body.data.map((found: { id: string }) => found.id);
  };
  assert.deepEqual(await list(""), [three.id, two.id, one.id]);
  assert.deepEqual(await list("agentId=a&order=asc"), [one.id, three.id]);
  assert.deepEqual(await list("outcome=refused"), [two.id]);
  assert.deepEqual(await list(`unitId=${one.operations[0].resourceId}`), [three.id, one.id]);
  assert.deepEqual(await list("source=revert"), []);
  assert.deepEqual(await list("from=2026-06-01T12:01:00Z&to=2026-06-01T12:02:00Z"), [two.id]);
  const page = await service.get("/v1/self/edits?limit=2");
  assert.deepEqual(await list(`limit=2&cursor=${page.body.nextCursor}`), [one.id]);
});

test("of two edits of one unit at once that expect the same version one counts", async (service) => {
  const fact = await create(service, { statement: "The kettle is red." });
  const attempts = ["blue", "green", "white"].map((colour) =>
    edit(service, [
      FACT(`Somebody painted it ${colour}.`),
      { op: "update", id: fact.id, patch: { statement: `The kettle is ${colour}.` }, expectedVersion: 1 },
    ])
  );
  const statuses = (await Promise.all(attempts)).map((reply) => reply.status).sort();
  assert.deepEqual(statuses, [201, 412, 412]);
  assert.equal((await read(service, fact.id)).version, 2);
  assert.equal((await listIds(service, "")).length, 2);
});

test("two edits that change the same units in another order both finish", async (service) => {
  const ids = await Promise.all(
    ["A", "B", "C"].map(async (name) => (await create(service, { statement: `${name} stands.` })).id),
  );
  const change = (order: string[], n: number) =>
    edit(service, order.map((id) => ({ op: "update", id, patch: { statement: `Changed ${n} ${id}.` } })));
  const replies = await Promise.all([
    change(ids, 1),
    change(ids.toReversed(), 2),
    change(ids, 3),
    change(ids.toReversed(), 4),
  ]);
  assert.deepEqual(replies.map((reply) => reply.status), [201, 201, 201, 201]);
  for (const id of ids) assert.equal((await read(service, id)).version, 5);
});

test("an edit that concerns what is above a key's clearance does not exist for it", async (service) => {
  const low = await service.createKey({ maxSensitivity: "internal" });
  const secret = await create(service, { statement: "The vault is open.", sensitivity: "confidential" });
  const body = await applied(service, [FACT("The kettle is red."), { op: "pin", id: secret.id }]);
  assert.equal(body.sensitivity, "confidential");
  assert.equal((await service.get(`/v1/self/edits/${body.id}`, { key: low })).status, 404);
  assert.deepEqual((await service.get("/v1/self/edits", { key: low })).body.data, []);
  assert.deepEqual(refusal(await edit(service, [{ op: "pin", id: secret.id }], { key: low })), [404, "not_found"]);
  const above = await edit(service, [FACT("The vault.", { sensitivity: "confidential" })], {
    key: low,
    mode: "per_item",
  });
  assert.deepEqual([above.status, above.body.status], [201, "refused"]);
  // If a unit is raised later, the edits about it are raised, too.
  const raised = await applied(service, [FACT("The door has a second key.")]);
  assert.equal((await service.get(`/v1/self/edits/${raised.id}`, { key: low })).status, 200);
  await service.patch(`${FACTS}/${raised.operations[0].resourceId}`, { sensitivity: "restricted" });
  assert.equal((await service.get(`/v1/self/edits/${raised.id}`, { key: low })).status, 404);
});

test("another workspace's units and edits are not found", async (service) => {
  const other = await service.createKey({ workspaceId: await service.createWorkspace() });
  const body = await applied(service, [FACT("The kettle is red.")]);
  assert.equal((await service.get(`/v1/self/edits/${body.id}`, { key: other })).status, 404);
  const reply = await edit(service, [{ op: "pin", id: body.operations[0].resourceId }], { key: other });
  assert.deepEqual(refusal(reply), [404, "not_found"]);
});
