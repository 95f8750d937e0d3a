/** The first days: talks, changes, decisions and delegated tasks. */
import assert from "node:assert/strict";
import type { Json, Week } from "./_week.ts";

const FACTS = "/v1/memory/facts";
const HOME = { subject: "Caroline", predicate: "lives in" };

/** A call is kept turn by turn and collapses into facts and an episode; the first decision rests on a quote. */
export async function monday(week: Week): Promise<void> {
  const session = await week.post("/v1/session", { title: "Morning call", agentId: "assistant", tags: ["move"] });
  const say = (role: string, content: string, messageId: string, more = {}) =>
    week.post(`/v1/session/${session.id}/turns`, {
      role,
      content,
      messageId,
      ...(role === "user" && { name: "Caroline" }),
      ...more,
    });
  await say("user", "I adopted a dog named Pixel last Friday.", "m1");
  await say("assistant", "Congratulations! When do you move?", "m2");
  await say("user", "My favourite colour is green.", "m3", { pinned: true });
  await week.post(`/v1/session/${session.id}/scratch`, { plan: { next: "compare movers" } }, 200);
  const context = await week.get(`/v1/session/${session.id}/context?maxTokens=500`);
  assert.deepEqual(context.scratchpad, { plan: { next: "compare movers" } });
  const collapsed = await week.post(`/v1/session/${session.id}/collapse`, {}, 200);
  assert.match(JSON.stringify(collapsed.facts), /Pixel/);
  Object.assign(week.made, { session: session.id, episode: collapsed.episode.id });
  const [dog] = await week.recall("What is the name of Caroline's dog?");
  assert.match(dog.text, /Pixel/);
  assert.equal(dog.sessionId ?? dog.citations[0]?.sessionId, session.id, "it says where it comes from");

  const paris = await week.fact("Caroline lives in Paris.", { ...HOME, object: "Paris", attribution: "user_stated" });
  const quote = await week.fact("Atlas Movers ask 900 euros for the move.", {
    subject: "Atlas Movers",
    predicate: "price",
    object: "900 euros",
    attribution: "document_cited",
  });
  const doctor = await week.fact("Caroline's nearest doctor is in the Rue Lepic.", { derivedFrom: [paris.id] });
  const movers = await week.post("/v1/memory/decisions", {
    title: "Movers",
    decision: "We hire Atlas Movers.",
    rationale: "They are the cheapest.",
    evidenceIds: [quote.id],
    reviewAt: "2026-06-04T00:00:00Z",
  });
  Object.assign(week.made, { paris: paris.id, quote: quote.id, doctor: doctor.id, movers: movers.id });
  week.then["monday"] = week.pass();
}

/** A task goes from hand to hand; nothing starts before its dependencies are done. */
export async function mondayTasks(week: Week): Promise<void> {
  const compare = await week.post("/v1/memory/tasks", {
    title: "Compare the movers' quotes",
    agentId: "assistant",
    priority: 2,
    dueAt: "2026-06-02T18:00:00Z",
  });
  const book = await week.post("/v1/memory/tasks", { title: "Book the movers", dependsOn: [compare.id] });
  await week.post(
    `/v1/memory/tasks/${compare.id}/delegate`,
    { agentId: "researcher", reason: "knows the market" },
    200,
  );
  const early = await week.refused(`/v1/memory/tasks/${book.id}/claim`, { agentId: "assistant" });
  assert.equal(early[0], 409, "it waits for the comparison");
  await week.post(`/v1/memory/tasks/${compare.id}/claim`, { agentId: "researcher" }, 200);
  await week.patch(`/v1/memory/tasks/${compare.id}`, { status: "completed", result: { best: "Atlas Movers" } });
  const claimed = await week.post(`/v1/memory/tasks/${book.id}/claim`, { agentId: "assistant" }, 200);
  assert.equal(claimed.status, "in_progress");
  const trail = (await week.get(`/v1/memory/tasks/${compare.id}`)).delegations;
  assert.deepEqual(trail.map((step: Json) => [step.from, step.to]), [["assistant", "researcher"]]);
  await week.post("/v1/memory/events", { type: "tool.call", agentId: "researcher", data: { tool: "search" } });
  Object.assign(week.made, { book: book.id });
}

/** She has moved and the quote has changed: units that rested on the old ones are stale, and a person is asked. */
export async function tuesday(week: Week): Promise<void> {
  week.nextDay();
  const rome = await week.fact("Caroline lives in Rome.", { ...HOME, object: "Rome", attribution: "user_stated" });
  assert.deepEqual([rome.conflict.outcome, rome.conflict.factIds], ["superseded", [week.made["paris"]]]);
  const doctor = await week.get(`${FACTS}/${week.made["doctor"]}`);
  assert.equal(doctor.stale, true);
  const [item] = await week.asked("stale_dependant", doctor.id);
  assert.deepEqual(item.detail, { sourceId: week.made["paris"], fallenId: week.made["paris"], how: "superseded" });
  await week.post(`/v1/review/${item.id}/resolve`, { action: "accept_incoming", reason: "she moved" }, 200);
  assert.equal((await week.get(`${FACTS}/${doctor.id}`)).status, "archived");
  await lookBack(week);

  const raised = await week.fact("Atlas Movers ask 1,400 euros for the move.", {
    subject: "Atlas Movers",
    predicate: "price",
    object: "1,400 euros",
    attribution: "document_cited",
  });
  assert.equal(raised.conflict.outcome, "superseded");
  const old = week.made["movers"]!;
  assert.equal((await week.get(`/v1/memory/decisions/${old}`)).stale, true);
  const found = (await week.recall("Which movers do we hire?", { types: ["decision"] }))[0];
  assert.deepEqual([found.id, found.stale], [old, true], "recall says that it rests on what fell");
  const next = await week.post(`/v1/memory/decisions/${old}/supersede`, {
    title: "Movers",
    decision: "We hire Borea Removals.",
    rationale: "Atlas Movers have become too expensive.",
    evidenceIds: [raised.id],
    reason: "the quote went up",
  });
  assert.deepEqual(await week.asked("stale_dependant", old), [], "what is superseded asks nobody");
  const chain = await week.get(`/v1/memory/decisions/${old}/chain`);
  assert.deepEqual([chain.currentId, chain.data.map((link: Json) => link.id)], [next.id, [old, next.id]]);
  Object.assign(week.made, { rome: rome.id, raised: raised.id, borea: next.id });
  week.then["tuesday"] = week.pass();
}

/** A caller can still ask what was true on Monday, and what was known then. */
async function lookBack(week: Week): Promise<void> {
  const where = "Where does Caroline live?";
  const monday = week.then["monday"]!;
  const homes = async (more: object) =>
    (await week.recall(where, { types: ["fact"], ...more })).map((result) => result.text)
      .filter((text) => text.startsWith("Caroline lives"));
  assert.deepEqual(await homes({}), ["Caroline lives in Rome."]);
  assert.deepEqual(await homes({ asOf: monday }), ["Caroline lives in Paris."]);
  assert.deepEqual(await homes({ knownAt: monday }), ["Caroline lives in Paris."]);
  assert.deepEqual(
    (await homes({ include: ["superseded"] })).toSorted(),
    ["Caroline lives in Paris.", "Caroline lives in Rome."],
  );
  const statements = async (query: string) =>
    (await week.get(`${FACTS}?subject=caroline&predicate=lives%20in&${query}`)).data.map((fact: Json) => fact.object);
  assert.deepEqual(await statements(`asOf=${monday}&status=active&status=superseded`), ["Paris"]);
  assert.deepEqual(await statements(`knownAt=${monday}`), ["Paris"]);
  const then = await week.get(`${FACTS}/${week.made["paris"]}?knownAt=${monday}`);
  assert.deepEqual([then.status, then.validTo], ["active", null], "nobody knew of Rome");
}
