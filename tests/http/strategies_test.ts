/** `/v1/memory/strategies`, `workflows` and `skills`: one store, own members; skills earn their state. */
import assert from "node:assert/strict";
import type { Reply, TestService } from "../_service.ts";
import { create as createFact, test, UNKNOWN_ID } from "./_facts.ts";
import { erase, feedOf, get, listIds, patch, post, recall, refusal, versionsOf } from "./_units.ts";

const STRATEGIES = "/v1/memory/strategies";
const WORKFLOWS = "/v1/memory/workflows";
const SKILLS = "/v1/memory/skills";

const STRATEGY = {
  name: "Bisect before reading",
  situation: "A test that passed last week fails.",
  pattern: "Run a bisection over the commits.",
  outcome: "The cause is found in minutes.",
};
const WORKFLOW = {
  name: "Release",
  goal: "Publish a version.",
  preconditions: ["The main branch is green."],
  steps: ["Write the changelog.", "Tag the commit."],
};
const SKILL = {
  name: "convert-currency",
  description: "Converts an amount of money.",
  instructions: "Look up the day's rate and multiply.",
  parameters: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
  examples: [{ description: "Ten euros in dollars.", arguments: { amount: 10 }, result: 11.2 }],
};

const KINDS = [
  { type: "strategy", path: STRATEGIES, body: STRATEGY, status: "active", query: "bisection" },
  { type: "workflow", path: WORKFLOWS, body: WORKFLOW, status: "active", query: "changelog" },
  { type: "skill", path: SKILLS, body: SKILL, status: "probationary", query: "euros in dollars" },
] as const;

for (const { type, path, body, status, query } of KINDS) {
  test(`a ${type} is created, read, revised, listed, recalled, archived and restored`, async (service, clock) => {
    const created = await service.post(path, { ...body, tags: ["a"], metadata: { team: "x" } });
    assert.deepEqual([created.status, created.headers.get("etag")], [201, '"1"'], JSON.stringify(created.body));
    const unit = created.body;
    const id: string = unit.id;
    assert.deepEqual([unit.type, unit.status, unit.trustScore, unit.pinned], [type, status, 60, false]);
    for (const [name, value] of Object.entries(body)) assert.deepEqual(unit[name], value, name);
    assert.deepEqual(await get(service, `${path}/${id}`), unit);
    assert.deepEqual((await get(service, `${path}?tags=a&name=${encodeURIComponent(body.name)}`)).data, [unit]);
    assert.deepEqual(await listIds(service, `${path}?name=other`), []);
    const [hit] = await recall(service, query, [type]);
    assert.deepEqual([hit?.id, hit?.type, hit?.status], [id, type, status]);
    assert.ok(hit!.text.startsWith(body.name));

    const then = clock.now.toISOString();
    clock.step(1_000);
    const renamed = await patch(service, `${path}/${id}`, { name: "Walrus", pinned: true, reason: "a better name" });
    assert.deepEqual([renamed.name, renamed.pinned, renamed.version], ["Walrus", true, 2]);
    assert.notEqual(renamed.contentHash, unit.contentHash);
    assert.equal((await patch(service, `${path}/${id}`, { name: "Walrus" })).version, 2, "nothing changed");
    assert.equal((await get(service, `${path}/${id}?knownAt=${then}`)).name, body.name);
    assert.equal((await recall(service, "walrus", [type], { types: [type] })).length, 0, "pinned units stand apart");
    await patch(service, `${path}/${id}`, { pinned: false });
    assert.equal((await recall(service, "walrus", [type]))[0]?.id, id);

    const headers = { "if-match": '"1"' };
    for (
      const reply of [
        await service.patch(`${path}/${id}`, { tags: [] }, { headers }),
        await service.delete(`${path}/${id}`, { headers }),
      ]
    ) {
      assert.deepEqual(refusal(reply), [412, "version_mismatch"]);
    }
    const archived = await service.delete(`${path}/${id}`);
    assert.deepEqual([archived.status, archived.body.status, archived.body.version], [200, "archived", 4]);
    assert.equal((await service.delete(`${path}/${id}`)).body.version, 4, "once");
    assert.deepEqual(await listIds(service, path), []);
    assert.deepEqual(await listIds(service, `${path}?status=archived`), [id]);
    assert.deepEqual(await recall(service, "walrus", [type]), []);
    const refused = await service.patch(`${path}/${id}`, { tags: [] });
    assert.deepEqual(refusal(refused), [409, "invalid_transition"]);
    assert.match(refused.body.message, new RegExp(status), "the way back is told");
    const restored = await patch(service, `${path}/${id}`, { status, tags: ["b"] });
    assert.deepEqual([restored.status, restored.tags], [status, ["b"]]);
    assert.equal((await recall(service, "walrus", [type]))[0]?.id, id);
    assert.deepEqual((await versionsOf(service, id)).map(([event]) => event), [
      "created",
      "updated",
      "updated",
      "archived",
      "restored",
    ]);
    assert.deepEqual(await feedOf(service, id), [
      `${type}.created`,
      `${type}.updated`,
      `${type}.updated`,
      `${type}.archived`,
      `${type}.restored`,
    ]);
  });

  test(`a ${type} has no more trust than its sources, and is stale with them`, async (service) => {
    const fact = await createFact(service, { attribution: "unverified", sensitivity: "confidential" });
    const unit = await post(service, path, { ...body, attribution: "user_stated", derivedFrom: [fact.id] });
    assert.deepEqual([unit.trustScore, unit.sensitivity, unit.stale], [10, "confidential", false]);
    const freed = await patch(service, `${path}/${unit.id}`, { derivedFrom: [] });
    assert.equal(freed.trustScore, 10, "leaving a source out does not make it stronger");
    await patch(service, `${path}/${unit.id}`, { derivedFrom: [fact.id] });
    await service.patch(`/v1/memory/facts/${fact.id}`, { status: "retracted" });
    assert.equal((await get(service, `${path}/${unit.id}`)).stale, true);
    const key = await service.createKey({ maxSensitivity: "internal" });
    assert.equal((await service.get(`${path}/${unit.id}`, { key })).status, 404);
    assert.deepEqual((await service.get(path, { key })).body.data, []);
    assert.equal((await service.post(path, { ...body, derivedFrom: [UNKNOWN_ID] })).status, 422);
    assert.equal((await service.post(path, { ...body, attribution: "federation_received" })).status, 422);
  });

  test(`concurrent patches of a ${type} all count`, async (service) => {
    const { id } = await post(service, path, body);
    const changes = [{ tags: ["x"] }, { confidence: 0.25 }, { metadata: { n: 1 } }, { pinned: true }, { name: "New" }];
    const replies = await Promise.all(changes.map((change) => service.patch(`${path}/${id}`, change)));
    assert.deepEqual(replies.map((reply) => reply.status), changes.map(() => 200));
    const unit = await get(service, `${path}/${id}`);
    assert.deepEqual([unit.version, unit.tags, unit.confidence, unit.metadata, unit.pinned, unit.name], [
      6,
      ["x"],
      0.25,
      { n: 1 },
      true,
      "New",
    ]);
  });
}

test("members are held to their form", async (service) => {
  const refused: [string, object, string][] = [
    [STRATEGIES, { ...STRATEGY, name: " " }, "name"],
    [STRATEGIES, { ...STRATEGY, successCount: -1 }, "successCount"],
    [WORKFLOWS, { ...WORKFLOW, steps: [] }, "steps"],
    [WORKFLOWS, { ...WORKFLOW, steps: [""] }, "steps.0"],
    [SKILLS, { ...SKILL, parameters: { type: "no such type" } }, "parameters"],
    [SKILLS, { ...SKILL, parameters: { $schema: "https://example.com/own" } }, "parameters"],
    [SKILLS, { ...SKILL, parameters: [] }, "parameters"],
    [SKILLS, { ...SKILL, reliability: 1 }, "reliability"],
    [SKILLS, { ...SKILL, status: "active" }, "status"],
  ];
  for (const [path, body, at] of refused) {
    const reply = await service.post(path, body);
    assert.deepEqual([reply.status, reply.body.errors?.[0].path], [422, at], JSON.stringify(body));
  }
  for (const $schema of ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"]) {
    const parameters = { $schema, type: "object" };
    assert.deepEqual((await post(service, SKILLS, { ...SKILL, parameters })).parameters, parameters);
  }
  const { id } = await post(service, SKILLS, SKILL);
  const patched = await service.patch(`${SKILLS}/${id}`, { parameters: { required: "amount" } });
  assert.deepEqual([patched.status, patched.body.errors[0].path], [422, "parameters"]);
  assert.equal((await service.patch(`${SKILLS}/${id}`, { status: "active" })).status, 422, "it is earned");
});

test("a strategy keeps its counts, which are no part of what it says", async (service) => {
  const { id, contentHash } = await post(service, STRATEGIES, { ...STRATEGY, successCount: 3 });
  const counted = await patch(service, `${STRATEGIES}/${id}`, { successCount: 4, failureCount: 1, outcome: null });
  assert.deepEqual([counted.successCount, counted.failureCount, counted.outcome], [4, 1, null]);
  assert.notEqual(counted.contentHash, contentHash);
  const again = await patch(service, `${STRATEGIES}/${id}`, { failureCount: 2 });
  assert.deepEqual([again.contentHash, again.version], [counted.contentHash, 3]);
});

async function report(service: TestService, id: string, outcomes: string): Promise<Reply["body"]> {
  let skill: Reply["body"];
  for (const letter of outcomes) {
    const outcome = letter === "s" ? "success" : "failure";
    skill = await post(service, `${SKILLS}/${id}/outcome`, { outcome }, 200);
  }
  return skill;
}

test("a skill on trial becomes active by its successes, and not before five outcomes", async (service) => {
  const { id, reliability } = await post(service, SKILLS, SKILL);
  assert.equal(reliability, 0.5);
  const four = await report(service, id, "ssss");
  assert.deepEqual([four.status, four.reliability, four.version], ["probationary", 0.8333, 5]);
  const five = await report(service, id, "s");
  assert.deepEqual([five.status, five.reliability, five.successCount], ["active", 0.8571, 5]);
  assert.deepEqual((await versionsOf(service, id)).map(([event]) => event), [
    "created",
    "success",
    "success",
    "success",
    "success",
    "activated",
  ]);
  const later = await report(service, id, "fff");
  assert.deepEqual([later.status, later.reliability], ["active", 0.6], "active until it falls to the other threshold");
});

test("a skill that fails is retired, takes no outcomes, and is put on trial anew", async (service) => {
  const { id } = await post(service, SKILLS, SKILL);
  assert.equal((await report(service, id, "ffff")).status, "probationary");
  const retired = await report(service, id, "f");
  assert.deepEqual([retired.status, retired.reliability], ["retired", 0.1429]);
  assert.deepEqual(await recall(service, "euros in dollars", ["skill"]), []);
  assert.deepEqual(refusal(await service.post(`${SKILLS}/${id}/outcome`, { outcome: "success" })), [
    409,
    "invalid_transition",
  ]);
  const again = await patch(service, `${SKILLS}/${id}`, { status: "probationary", instructions: "Ask the bank." });
  assert.deepEqual([again.status, again.reliability, again.failureCount], ["probationary", 0.5, 0]);
  assert.equal((await recall(service, "bank", ["skill"]))[0]?.id, id);
});

test("a good skill that was retired or archived by hand keeps its counts", async (service) => {
  const { id } = await post(service, SKILLS, SKILL);
  await report(service, id, "sssss");
  assert.equal(
    (await patch(service, `${SKILLS}/${id}`, { status: "retired", reason: "no longer needed" })).status,
    "retired",
  );
  const back = await patch(service, `${SKILLS}/${id}`, { status: "probationary" });
  assert.deepEqual([back.status, back.successCount], ["probationary", 5]);
  assert.equal((await report(service, id, "s")).status, "active");
});

test("concurrent outcomes are all counted", async (service) => {
  const { id } = await post(service, SKILLS, SKILL);
  await Promise.all(
    Array.from({ length: 8 }, () => service.post(`${SKILLS}/${id}/outcome`, { outcome: "success" })),
  );
  const skill = await get(service, `${SKILLS}/${id}`);
  assert.deepEqual([skill.successCount, skill.version, skill.status], [8, 9, "active"]);
  const headers = { "if-match": '"1"' };
  const late = await service.post(`${SKILLS}/${id}/outcome`, { outcome: "success" }, { headers });
  assert.deepEqual(refusal(late), [412, "version_mismatch"]);
});

test("an erased skill is 410 on every path, one of another kind 404", async (service) => {
  const skill = await post(service, SKILLS, SKILL);
  const strategy = await post(service, STRATEGIES, STRATEGY);
  assert.equal((await service.get(`${SKILLS}/${strategy.id}`)).status, 404);
  await erase(service, "skill", skill.id);
  for (
    const reply of [
      await service.get(`${SKILLS}/${skill.id}`),
      await service.patch(`${SKILLS}/${skill.id}`, { tags: [] }),
      await service.delete(`${SKILLS}/${skill.id}`),
      await service.post(`${SKILLS}/${skill.id}/outcome`, { outcome: "success" }),
    ]
  ) assert.deepEqual(refusal(reply), [410, "erased"]);
  assert.deepEqual(refusal(await service.post(`${SKILLS}/${UNKNOWN_ID}/outcome`, { outcome: "success" })), [
    404,
    "not_found",
  ]);
});

test("several kinds are recalled together, each named by its type", async (service) => {
  for (const { path, body } of KINDS) await post(service, path, { ...body, name: `${body.name} ostrich` });
  const found = await recall(service, "ostrich", ["strategy", "workflow", "skill"]);
  assert.deepEqual(found.map(({ type }) => type).sort(), ["skill", "strategy", "workflow"]);
  assert.equal((await recall(service, "ostrich", ["workflow"])).length, 1);
});
