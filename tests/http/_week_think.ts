/** Wednesday to Friday: relations, reasoning, and the agent's edits of its own memory. */
import assert from "node:assert/strict";
import type { Json, Week } from "./_week.ts";

const FACTS = "/v1/memory/facts";

/** Reasons and parts are relations between units of any kind. */
export async function wednesdayRelations(week: Week): Promise<void> {
  const { borea, raised, rome } = week.made;
  const supports = await week.post("/v1/memory/relations", { verb: "supports", sourceId: raised, targetId: borea });
  await week.post("/v1/memory/relations", { verb: "causes", sourceId: rome, targetId: borea });
  const again = await week.post("/v1/memory/relations", { verb: "supports", sourceId: raised, targetId: borea }, 200);
  assert.equal(again.id, supports.id, "said twice it is one");
  const list = await week.get(`/v1/memory/relations?targetId=${borea}`);
  assert.deepEqual(list.data.map((relation: Json) => relation.verb).toSorted(), ["causes", "supports"]);
  const why = await week.post("/v1/memory/relations/traverse", {
    startIds: [week.made["company"]],
    direction: "in",
    depth: 2,
  }, 200);
  const ways = why.results.map((result: Json) => [
    result.node.id,
    result.path.map((step: Json) => step.verb).join(", "),
  ]);
  const expected = { [borea!]: "about", [rome!]: "about, causes", [raised!]: "about, supports" };
  assert.deepEqual(Object.fromEntries(ways), expected, "why the company is in the story");
}

/** The timeline: Tuesday's facts are between Monday's and Wednesday's, and can be counted. */
export async function wednesdayTimeline(week: Week): Promise<void> {
  const between = `after=${week.then["monday"]}&before=${week.then["tuesday"]}&types=fact&types=decision&order=asc`;
  const { data } = await week.get(`/v1/memory/timeline?${between}`);
  const ids = data.map((item: Json) => item.id);
  assert.deepEqual([week.made["rome"], week.made["raised"], week.made["borea"]].filter((id) => !ids.includes(id!)), []);
  assert.ok(!ids.includes(week.made["paris"]), "that was on Monday");
  const counts = await week.get(
    "/v1/memory/timeline/counts?from=2026-06-01T00:00:00Z&to=2026-06-04T00:00:00Z&types=fact",
  );
  assert.deepEqual(counts.data.map((day: Json) => day.total > 0), [true, true, false]);
}

/** Entities are found by any of their names; two for the same thing are merged, and the old id still leads to it. */
export async function wednesdayEntities(week: Week): Promise<void> {
  week.nextDay();
  // She spoke and was mentioned, so her entity exists already.
  const caroline = await week.post("/v1/memory/entities", {
    canonicalName: "Caroline",
    entityType: "person",
    aliases: ["Caro"],
    drawers: ["clients"],
  }, 200);
  const again = await week.post("/v1/memory/entities", { canonicalName: "  CARO " }, 200);
  assert.deepEqual([again.id, again.matchedBy], [caroline.id, "alias"]);
  const borea = await week.post(
    "/v1/memory/entities",
    { canonicalName: "Borea Removals", entityType: "organization" },
    200,
  );
  const twin = await week.post("/v1/memory/entities", { canonicalName: "Borea Ltd", entityType: "organization" });
  await week.post("/v1/memory/relations", { verb: "about", sourceId: week.made["borea"], targetId: twin.id });
  week.then["wednesday"] = week.pass();
  const merged = await week.post(`/v1/memory/entities/${borea.id}/merge`, {
    sourceIds: [twin.id],
    reason: "one company",
  }, 200);
  assert.ok(merged.aliases.includes("Borea Ltd"));
  assert.equal(
    (await week.get(`/v1/memory/entities/${twin.id}`)).id,
    borea.id,
    "the old id leads to the one that stands",
  );
  const [relation] = (await week.get(`/v1/memory/relations?sourceId=${week.made["borea"]}&verb=about`)).data;
  assert.equal(relation.targetId, borea.id);
  const then = await week.get(`/v1/memory/entities/${twin.id}?knownAt=${week.then["wednesday"]}`);
  assert.deepEqual([then.canonicalName, then.status], ["Borea Ltd", "active"]);
  const filed = await week.get("/v1/memory/entities?drawer=clients");
  assert.deepEqual(filed.data.map((entity: Json) => entity.canonicalName), ["Caroline"]);
  Object.assign(week.made, { caroline: caroline.id, company: borea.id, twin: twin.id });
}

/** An expensive answer is kept with its preconditions, served again, and retired when these change. */
export async function thursdayReasoning(week: Week): Promise<void> {
  week.nextDay();
  const fee = await week.fact("The registration office in Rome asks 16 euros.", {
    subject: "registration office",
    predicate: "asks",
    object: "16 euros",
  });
  const goal = "Work out the cost of registering in Rome";
  const entry = await week.post("/v1/memory/reasoning/record", {
    goal,
    steps: ["Look up the fee.", "Add the photographs."],
    answer: "24 euros in all.",
    preconditions: [{ factId: fee.id }],
    tokensSpent: 1_200,
    agentId: "assistant",
  });
  const resolve = () => week.post("/v1/memory/reasoning/resolve", { goal: `${goal}.` }, 200);
  const hit = await resolve();
  assert.deepEqual([hit.hit, hit.reason, hit.entry.answer], [true, "exact", "24 euros in all."]);
  assert.ok(hit.tokensSaved > 1_000);
  await week.post("/v1/memory/reasoning/feedback", { entryId: entry.id, outcome: "helpful", agentId: "planner" }, 200);
  await week.patch(`${FACTS}/${fee.id}`, {
    statement: "The registration office in Rome asks 20 euros.",
    object: "20 euros",
  });
  const miss = await resolve();
  assert.deepEqual([miss.hit, miss.reason, miss.candidateId], [false, "precondition_changed", entry.id]);
  const retired = await week.get(`/v1/memory/reasoning/${entry.id}`);
  assert.deepEqual([retired.status, retired.retiredReason], ["retired", "precondition_changed"]);
  week.made["chain"] = entry.id;
}

/** Lessons of runs become rules; a rule that helped in two runs is no longer on trial. */
export async function thursdayPlaybook(week: Week): Promise<void> {
  const path = "/v1/memory/procedural";
  const optimize = (trajectories: Json[]) => week.post(`${path}/optimize`, { agentId: "assistant", trajectories }, 200);
  const first = await optimize([{
    trajectoryId: "monday",
    task: "Compare movers",
    outcome: "success",
    lessons: ["Ask for two quotes before deciding."],
  }]);
  assert.deepEqual([first.changes.added, first.currentVersion], [["r1"], 1]);
  const prompt = await week.get(`${path}/prompt/assistant`);
  assert.match(prompt.prompt, /\[r1\] Ask for two quotes before deciding\./);
  const runs = ["tuesday", "wednesday"].map((trajectoryId) => ({
    trajectoryId,
    task: "Compare quotes",
    outcome: "success",
    usedRuleIds: ["r1"],
    promptVersion: 1,
  }));
  const second = await optimize(runs);
  assert.deepEqual(second.changes.activated, ["r1"]);
  assert.deepEqual((await optimize(runs)).trajectories.map((run: Json) => run.status), ["known", "known"]);
}

/** The agent edits its memory within its rights: it cannot overwrite the user's statements without a person. */
export async function fridayEdits(week: Week): Promise<void> {
  week.nextDay();
  const edit = await week.post("/v1/self/edit", {
    reason: "notes after the call",
    mode: "atomic",
    agentId: "assistant",
    operations: [
      { op: "add", type: "fact", ref: "florist", body: { statement: "The florist in Trastevere opens at nine." } },
      { op: "pin", id: "$florist" },
      {
        op: "add",
        type: "strategy",
        body: { name: "Ask early", situation: "A move.", pattern: "Ask for two quotes.", derivedFrom: ["$florist"] },
      },
    ],
  });
  assert.equal(edit.status, "applied");
  const florist = edit.operations[0].resourceId;
  assert.equal((await week.get(`${FACTS}/${florist}`)).pinned, true);
  const beyond = await week.post("/v1/self/edit", {
    reason: "I think she is still in Paris",
    mode: "per_item",
    agentId: "assistant",
    operations: [{ op: "retract", id: week.made["rome"] }],
  });
  const [operation] = beyond.operations;
  assert.equal(operation.outcome, "review", "a person decides about what the user stated");
  assert.equal((await week.get(`${FACTS}/${week.made["rome"]}`)).status, "active");
  await week.post(
    `/v1/review/${operation.reviewItemId}/resolve`,
    { action: "keep_local", reason: "she did move" },
    200,
  );
  assert.equal((await week.get(`/v1/self/edits/${beyond.id}`)).operations[0].outcome, "declined");
  const profile = await week.get("/v1/self/profile?maxTokens=600");
  assert.ok(profile.tokens <= 600);
  const facts = profile.facts.map((fact: Json) => fact.text);
  assert.ok(facts.includes("Caroline lives in Rome."));
  assert.ok(!facts.includes("Caroline lives in Paris."), "only what is true now");
  assert.match(profile.preferences[0].text, /favourite colour is green/);
  assert.ok(profile.decisions.some((decision: Json) => decision.id === week.made["borea"]));
  Object.assign(week.made, { edit: edit.id, florist });
}

/** An edit is reverted, with the effects on units that rested on what it had added. */
export async function fridayRevert(week: Week): Promise<void> {
  const florist = week.made["florist"];
  const flowers = await week.fact("Flowers for the new flat are bought in Trastevere.", { derivedFrom: [florist] });
  week.then["friday"] = week.pass();
  const revert = await week.post(`/v1/self/edits/${week.made["edit"]}/revert`, {
    reason: "heard wrongly",
    force: true,
  });
  assert.equal(revert.reverts, week.made["edit"]);
  assert.equal((await week.get(`/v1/self/edits/${week.made["edit"]}`)).revertedBy, revert.id);
  assert.notEqual((await week.get(`${FACTS}/${florist}`)).status, "active");
  assert.equal((await week.get(`${FACTS}/${florist}?knownAt=${week.then["friday"]}`)).status, "active");
  const [found] = await week.recall("Where are the flowers bought?", { types: ["fact"] });
  assert.equal(found.id, flowers.id);
}
