/** `/v1/memory/procedural`: playbooks that evolve by runs, versions, evidence, rollback. */
import assert from "node:assert/strict";
import { startFaultServer } from "../../src/providers/_fault_server.ts";
import { DATABASE } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { test } from "./_facts.ts";

const PROCEDURAL = "/v1/memory/procedural";
const AGENT = "assistant-1";

// deno-lint-ignore no-explicit-any
type Json = any;
type Body = Record<string, unknown>;

function run(body: Body = {}): Body {
  return { task: "Book a room", outcome: "success", ...body };
}

async function optimize(service: TestService, trajectories: Body[], body: Body = {}, status = 200): Promise<Json> {
  const reply = await service.post(`${PROCEDURAL}/optimize`, { agentId: AGENT, trajectories, ...body });
  assert.equal(reply.status, status, JSON.stringify(reply.body));
  return reply.body;
}

async function get(service: TestService, path = "", status = 200, agent = AGENT): Promise<Json> {
  const reply = await service.get(`${PROCEDURAL}/prompt/${agent}${path}`);
  assert.equal(reply.status, status, JSON.stringify(reply.body));
  return reply.body;
}

async function rulesOf(service: TestService, agent = AGENT): Promise<Json[]> {
  return (await get(service, "/rules?order=asc&limit=200", 200, agent)).data;
}

async function rollback(service: TestService, version: number, status = 200): Promise<Json> {
  const reply = await service.post(`${PROCEDURAL}/prompt/${AGENT}/rollback`, { version });
  assert.equal(reply.status, status, JSON.stringify(reply.body));
  return reply.body;
}

/** Runs with a version, with ids of their own. */
let serial = 0;
function runsWith(promptVersion: number, scores: readonly number[]): Body[] {
  return scores.map((score) => run({ trajectoryId: `run ${++serial}`, promptVersion, score }));
}

function texts(rules: Json[]): string[] {
  return rules.map((rule) => rule.text).sort();
}

test("lessons become rules on trial, and the first version is current at once", async (service) => {
  await get(service, "", 404);
  const lessons = ["Look at the calendar first.", { text: "Do not book two\nrooms.", section: "pitfalls" }];
  const reply = await optimize(service, [run({ lessons })]);
  assert.deepEqual(reply.changes.added, ["r1", "r2"]);
  assert.deepEqual([reply.decision.outcome, reply.currentVersion, reply.candidateVersion], ["first", 1, null]);
  const prompt = await get(service);
  assert.deepEqual([prompt.version, prompt.status, prompt.omitted], [1, "current", []]);
  assert.match(prompt.prompt, /## What works\n\n- \[r1\] Look at the calendar first\.\n/);
  assert.match(prompt.prompt, /## What to avoid\n\n- \[r2\] Do not book two rooms\.\n/);
  const small = await get(service, "?maxTokens=50");
  assert.ok(small.tokens <= 50);
  assert.deepEqual((await rulesOf(service)).map((rule) => rule.status), ["trial", "trial"]);
});

test("a lesson in nearly the same words joins its rule; another number or a denial is another rule", async (service) => {
  await optimize(service, [run({ lessons: ["Always check the calendar before booking a room."] })]);
  const joined = await optimize(service, [run({ lessons: ["always check the calendar before booking rooms"] })]);
  assert.deepEqual([joined.changes.joined, joined.changes.added], [["r1"], []]);
  const other = await optimize(service, [
    run({ lessons: ["Never check the calendar before booking a room.", "Check 2 calendars before booking a room."] }),
  ]);
  assert.deepEqual(other.changes.added, ["r2", "r3"]);
  assert.equal((await rulesOf(service))[0].support, 2);
});

test("a run counts once, by its id or by its content, also when it is sent twice at once", async (service) => {
  const lessons = ["Look at the calendar first."];
  await optimize(service, [run({ lessons })]);
  const used = { usedRuleIds: ["r1"], score: 0.9 };
  await Promise.all([1, 2, 3].map(() => optimize(service, [run({ trajectoryId: "a", ...used })])));
  const again = await optimize(service, [run({ lessons }), run({ ...used }), run({ ...used })]);
  assert.deepEqual(again.trajectories.map((one: Json) => one.status), ["known", "counted", "known"]);
  const [rule] = await rulesOf(service);
  assert.deepEqual([rule.helpful, rule.support], [2, 1]);
  await optimize(service, [run({ trajectoryId: "a", score: 0.1 })], {}, 409);
});

test("two calls at once for one agent: none is lost", async (service) => {
  const words = ["calendar", "window", "projector", "coffee", "door", "chairs", "lights", "heating"];
  await Promise.all(words.map((word) => optimize(service, [run({ lessons: [`Check the ${word}.`], task: word })])));
  const rules = await rulesOf(service);
  assert.deepEqual(texts(rules), words.map((word) => `Check the ${word}.`).sort());
  assert.deepEqual(rules.map((rule) => rule.id), words.map((_, i) => `r${i + 1}`));
});

test("helpful rules become active, harmful ones and unused ones fall out, pinned ones stay", async (service) => {
  await optimize(service, [run({ lessons: ["Look at the calendar.", "Shout.", "Wear a hat.", "Smile at people."] })]);
  const pinned = await service.patch(`${PROCEDURAL}/prompt/${AGENT}/rules/r4`, { pinned: true });
  assert.equal(pinned.status, 200, JSON.stringify(pinned.body));
  const credit = (i: number) => run({ trajectoryId: `c${i}`, usedRuleIds: ["r1"], harmfulRuleIds: ["r2"], score: 0.8 });
  const two = await optimize(service, [credit(1), credit(2)]);
  assert.deepEqual([two.changes.activated, two.changes.retired], [["r1"], []]);
  const three = await optimize(service, [credit(3)]);
  assert.deepEqual(three.changes.retired, ["r2"]);
  const told = await optimize(service, [run({ lessons: ["shout"], task: "again" })]);
  assert.deepEqual([told.changes.refused, told.changes.added], [["r2"], []]);
  const late = await optimize(service, Array.from({ length: 17 }, (_, i) => credit(10 + i)));
  assert.deepEqual(late.changes.retired, ["r3"]);
  const rules = await rulesOf(service);
  assert.deepEqual(rules.map((rule) => rule.status), ["active", "retired", "retired", "trial"]);
  assert.deepEqual(rules.map((rule) => rule.retiredReason), [null, "harmful", "unused", null]);
  const back = await optimize(service, [run({ lessons: ["Wear a hat"], task: "once more" })]);
  assert.deepEqual(back.changes.added, ["r3"]);
});

test("If-Match guards a rule's edit; its version grows with what a person may edit, not with the runs", async (service) => {
  const version = async () => (await rulesOf(service))[0].version;
  await optimize(service, [run({ lessons: ["Look at the calendar."] })]);
  const at = `${PROCEDURAL}/prompt/${AGENT}/rules/r1`;
  const edit = (body: Body, expected: number) => service.patch(at, body, { headers: { "if-match": `"${expected}"` } });
  assert.equal(await version(), 1);
  const wrong = await edit({ pinned: true }, 2);
  assert.deepEqual([wrong.status, wrong.body.code, (await rulesOf(service))[0].pinned], [
    412,
    "version_mismatch",
    false,
  ]);
  const pinned = await edit({ pinned: true }, 1);
  assert.deepEqual([pinned.status, pinned.body.version, pinned.headers.get("etag")], [200, 2, '"2"']);
  await optimize(service, [run({ trajectoryId: "one", usedRuleIds: ["r1"], score: 0.9 })]);
  assert.deepEqual([(await rulesOf(service))[0].helpful, await version()], [1, 2]);
  // The second helpful run makes the rule active.
  await optimize(service, [run({ trajectoryId: "two", usedRuleIds: ["r1"], score: 0.9 })]);
  assert.deepEqual([(await rulesOf(service))[0].status, await version()], ["active", 3]);
  assert.equal((await edit({ text: "Look at both calendars." }, 2)).status, 412);
  const same = await edit({ pinned: true }, 3);
  assert.deepEqual([same.status, same.body.version], [200, 3]);
  const two = await Promise.all(["one", "two"].map((word) => edit({ text: `Look at calendar ${word}.` }, 3)));
  assert.deepEqual(two.map(({ status }) => status).sort(), [200, 412]);
});

test("If-Match guards a rollback by the current version of the prompt, which is its ETag", async (service) => {
  await optimize(service, [run({ lessons: ["Look at the calendar."] })]);
  await service.patch(`${PROCEDURAL}/prompt/${AGENT}/rules/r1`, { text: "Look at both calendars." });
  const shown = await service.get(`${PROCEDURAL}/prompt/${AGENT}`);
  assert.deepEqual([shown.body.version, shown.headers.get("etag")], [2, '"2"']);
  const back = (expected: string) =>
    service.post(`${PROCEDURAL}/prompt/${AGENT}/rollback`, { version: 1 }, { headers: { "if-match": expected } });
  const stale = await back('"1"');
  assert.deepEqual([stale.status, stale.body.code], [412, "version_mismatch"]);
  const done = await back(shown.headers.get("etag")!);
  assert.deepEqual([done.status, done.body.version, done.headers.get("etag")], [200, 3, '"3"']);
});

test("a candidate becomes current on evidence alone", async (service) => {
  await optimize(service, [run({ lessons: ["Look at the calendar."] })]);
  await optimize(service, runsWith(1, [0.5, 0.4, 0.6, 0.5]));
  const cut = await optimize(service, [run({ lessons: ["Ask who comes."], task: "b" })]);
  assert.deepEqual([cut.currentVersion, cut.candidateVersion], [1, 2]);
  assert.deepEqual(texts((await get(service)).rules), ["Look at the calendar."]);
  const candidate = await get(service, "?version=candidate");
  assert.deepEqual([candidate.version, candidate.status], [2, "candidate"]);
  const waiting = await optimize(service, [
    ...runsWith(2, [1, 0.9]),
    run({ lessons: ["Bring a pen to every meeting."], task: "c" }),
  ]);
  assert.deepEqual([waiting.decision.outcome, waiting.pendingChanges, waiting.candidateVersion], ["waiting", true, 2]);
  const promoted = await optimize(service, runsWith(2, [1]));
  assert.equal(promoted.decision.outcome, "promoted");
  assert.deepEqual([promoted.decision.candidate.runs, promoted.decision.current.runs], [3, 4]);
  assert.ok(promoted.decision.candidate.lowerBound >= promoted.decision.current.mean);
  assert.deepEqual([promoted.currentVersion, promoted.candidateVersion], [2, 3], "what waited is tried next");
  const history = (await get(service, "/history")).data;
  assert.deepEqual(history.map((one: Json) => one.status), ["candidate", "current", "superseded"]);
  assert.equal(history[1].decision.outcome, "promoted");
  assert.deepEqual(texts(history[0].diff.added), ["Bring a pen to every meeting."]);
});

test("a candidate that is worse is rejected and takes its rule with it", async (service) => {
  await optimize(service, [run({ lessons: ["Look at the calendar."] })]);
  await optimize(service, runsWith(1, [1, 1, 1, 0.9]));
  await optimize(service, [run({ lessons: ["Book blindly."], task: "b" })]);
  const rejected = await optimize(service, runsWith(2, [0, 0.1, 0]));
  assert.deepEqual([rejected.decision.outcome, rejected.candidateVersion], ["rejected", null]);
  assert.deepEqual((await rulesOf(service)).map((rule) => rule.retiredReason), [null, "rejected"]);
  const again = await optimize(service, [run({ lessons: ["Book blindly!"], task: "c" })]);
  assert.deepEqual([again.changes.refused, again.candidateVersion], [["r2"], null]);
});

test("without lessons, rules come from steps that good and bad runs of a task differ in", async (service) => {
  const good = run({ steps: ["Open the calendar.", { action: "Ask the host" }], score: 0.9 });
  const none = await optimize(service, [good]);
  assert.deepEqual(none.changes.added, []);
  const bad = run({ steps: ["open the calendar", "Guess the time"], outcome: "failure" });
  await optimize(service, [bad]);
  const rules = await rulesOf(service);
  assert.deepEqual(rules.map((rule) => [rule.section, rule.text, rule.source]), [
    ["strategies", 'For "Book a room", do: Ask the host', "derived"],
    ["pitfalls", 'For "Book a room", avoid: Guess the time', "derived"],
  ]);
});

test("the same runs make the same playbook", async (service) => {
  const play = async (agentId: string) => {
    const send = (trajectories: Body[]) => optimize(service, trajectories, { agentId });
    await send([run({ lessons: ["Look at the calendar.", "Ask who comes."] })]);
    await send([run({ trajectoryId: "x", usedRuleIds: ["r1"], score: 0.8, promptVersion: 1 })]);
    await send([run({ trajectoryId: "y", harmfulRuleIds: ["r2"], lessons: ["Bring a pen."], task: "z" })]);
    await send([0.9, 1, 1].map((score, i) => run({ trajectoryId: `v${i}`, promptVersion: 2, score })));
    const { agentId: _, ...prompt } = await get(service, "", 200, agentId);
    return { prompt, rules: await rulesOf(service, agentId) };
  };
  assert.deepEqual(await play("one"), await play("two"));
});

test("rollback is a new version, can be undone, and its rules are not proposed away again", async (service) => {
  await optimize(service, [run({ lessons: ["Look at the calendar."] })]);
  await optimize(service, [run({ lessons: ["Ask who comes."], task: "b" })]);
  await optimize(service, runsWith(2, [1, 1, 1]));
  assert.equal((await get(service)).version, 2);
  const back = await rollback(service, 1);
  assert.deepEqual([back.version, back.status, texts(back.rules)], [3, "current", ["Look at the calendar."]]);
  await rollback(service, 1, 409);
  await rollback(service, 99, 404);
  const after = await optimize(service, [run({ task: "nothing new" })]);
  assert.deepEqual([after.currentVersion, after.candidateVersion], [3, null]);
  const undone = await rollback(service, 2);
  assert.deepEqual([undone.version, texts(undone.rules)], [4, ["Ask who comes.", "Look at the calendar."]]);
  const history = (await get(service, "/history?limit=3")).data;
  assert.deepEqual(history.map((one: Json) => [one.version, one.cause, one.status]), [
    [4, "rollback", "current"],
    [3, "rollback", "superseded"],
    [2, "optimize", "superseded"],
  ]);
  assert.equal(history[0].evidence.runs, 3, "the runs with the same rules count");
  const diff = await get(service, "/diff?from=1&to=4");
  assert.deepEqual([texts(diff.added), diff.removed, diff.changed], [["Ask who comes."], [], []]);
  assert.deepEqual(await get(service, "/diff?from=3"), await get(service, "/diff"));
  const { nextCursor } = await get(service, "/history?limit=3");
  assert.deepEqual((await get(service, `/history?limit=3&cursor=${nextCursor}`)).data.map((one: Json) => one.version), [
    1,
  ]);
});

test("an edit by hand is current at once, and what was on trial stays on trial", async (service) => {
  await optimize(service, [run({ lessons: ["Look at the calendar.", "Ask who comes."] })]);
  await optimize(service, [run({ lessons: ["Bring a pen."], task: "b" })]);
  const edit = (rule: string, body: Body) => service.patch(`${PROCEDURAL}/prompt/${AGENT}/rules/${rule}`, body);
  const reworded = await edit("r2", { text: "Ask who is coming.", section: "other", reason: "clearer" });
  assert.equal(reworded.status, 200, JSON.stringify(reworded.body));
  const prompt = await get(service);
  assert.deepEqual(texts(prompt.rules), ["Ask who is coming.", "Look at the calendar."]);
  assert.deepEqual([prompt.version, prompt.candidateVersion], [3, 4]);
  assert.equal((await edit("r1", { status: "retired" })).body.retiredReason, "edited");
  assert.deepEqual(texts((await get(service)).rules), ["Ask who is coming."]);
  assert.deepEqual(texts((await get(service, "?version=candidate")).rules), ["Ask who is coming.", "Bring a pen."]);
  await edit("r1", { status: "active", pinned: true });
  assert.deepEqual((await get(service)).rules.map((rule: Json) => rule.id), ["r1", "r2"]);
  await optimize(service, runsWith((await get(service)).version, [0.9]));
  await edit("r2", { pinned: true });
  assert.equal(
    (await get(service, "/history?limit=2")).data.find((one: Json) => one.cause === "edit").evidence.runs,
    1,
  );
  assert.equal((await edit("r9", { pinned: true })).status, 404);
  assert.equal((await edit("r1", { reason: "no change" })).status, 422);
});

test("runs that name unknown rules or versions are refused whole", async (service) => {
  await optimize(service, [run({ lessons: ["Look at the calendar."] })]);
  const refused = await optimize(
    service,
    [run({ lessons: ["Kept out."], task: "b" }), run({ usedRuleIds: ["r1", "r7"], promptVersion: 5, task: "c" })],
    {},
    422,
  );
  assert.deepEqual(refused.errors.map((error: Json) => error.path), [
    "trajectories.1.usedRuleIds.1",
    "trajectories.1.promptVersion",
  ]);
  assert.equal((await rulesOf(service)).length, 1);
  await optimize(service, [], {}, 422);
  await optimize(service, [run({ helpfulRuleIds: ["r1"], harmfulRuleIds: ["r1"] })], {}, 422);
  await optimize(service, [run({ score: 2 })], {}, 422);
});

test("a playbook belongs to an agent, a workspace and a sensitivity", async (service) => {
  const low = await service.createKey({ maxSensitivity: "internal" });
  const other = await service.createKey({ workspaceId: await service.createWorkspace() });
  await optimize(service, [run({ lessons: ["The open rule."] })]);
  await optimize(service, [run({ lessons: ["The secret rule."] })], { sensitivity: "confidential" });
  assert.deepEqual(texts((await get(service)).rules), ["The secret rule."]);
  assert.deepEqual(texts((await get(service, "?sensitivity=internal")).rules), ["The open rule."]);
  const seen = await service.get(`${PROCEDURAL}/prompt/${AGENT}`, { key: low });
  assert.deepEqual(texts(seen.body.rules), ["The open rule."]);
  const path = `${PROCEDURAL}/prompt/${AGENT}`;
  assert.equal((await service.get(`${path}?sensitivity=confidential`, { key: low })).status, 404);
  const body = { agentId: AGENT, trajectories: [run()], sensitivity: "confidential" };
  assert.equal((await service.post(`${PROCEDURAL}/optimize`, body, { key: low })).status, 422);
  assert.equal((await service.get(path, { key: other })).status, 404);
  assert.equal((await service.post(`${path}/rollback`, { version: 1 }, { key: other })).status, 404);
});

test("rules have room for a hundred; the weakest give way", async (service) => {
  const names = Array.from(
    { length: 120 },
    (_, i) => `${"bcdfghjklm"[Math.floor(i / 12)]}${"aeiouy"[i % 6]}${"nprstvwxz"[i % 9]}ak`,
  );
  const unique = [...new Set(names)].map((name, i) => `${name}${"q".repeat(i % 7)} ${name}ing ${name}er`);
  for (let i = 0; i < unique.length; i += 20) {
    await optimize(service, [run({ task: `batch ${i}`, lessons: unique.slice(i, i + 20) })]);
  }
  const rules = await rulesOf(service);
  assert.ok(rules.length > 100, `${rules.length} rules`);
  const live = rules.filter((rule) => rule.status !== "retired");
  assert.equal(live.length, 100);
  assert.ok(rules.filter((rule) => rule.status === "retired").every((rule) => rule.retiredReason === "displaced"));
});

for (
  const [name, content, expected] of [
    [
      "may shorten a lesson",
      '{"rules":[{"number":1,"wording":"Check the calendar before booking."}]}',
      "Check the calendar before booking.",
    ],
    ["may not change its meaning", '{"rules":[{"number":1,"wording":"Never check the calendar."}]}', undefined],
    ["that answers nonsense is not heard", "I would rather not.", undefined],
  ] as const
) {
  Deno.test({
    ...DATABASE,
    name: `a model ${name}`,
    async fn() {
      await using model = startFaultServer(() =>
        Response.json({ choices: [{ finish_reason: "stop", message: { content } }] })
      );
      await using service = await startService({ env: { SVC_LLM_URL: model.url, SVC_LLM_MODEL: "test" } });
      const lesson = "Please always check the shared calendar before booking a room for anybody.";
      await optimize(service, [run({ lessons: [lesson] })]);
      assert.equal(model.requests.length, 1);
      const [rule] = await rulesOf(service);
      assert.deepEqual([rule.text, rule.lesson], [expected ?? lesson, lesson]);
      const again = await optimize(service, [run({ lessons: [lesson], task: "again" })]);
      assert.deepEqual(again.changes.joined, ["r1"]);
    },
  });
}
