/** Plain statements as claims: which facts end, which are marked, and which can be corrected. */
import assert from "node:assert/strict";
import type { Reply, TestService } from "../_service.ts";
import { create, FACTS, read, test } from "./_facts.ts";

const FULL = "/v1/memory/recall";
const HOT = "/v1/memory/recall/hot";
const REVIEW = "/v1/review";

async function recall(service: TestService, path: string, query: string): Promise<Reply["body"][]> {
  const reply = await service.post(path, { query });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body.results;
}

test("a plain statement that something has changed supersedes the older one, and restoring undoes it", async (service) => {
  const older = await create(service, { statement: "Ana lives in Faro." });
  assert.deepEqual(older.claims.map((claim: Reply["body"]) => [claim.subject, claim.predicate, claim.object]), [
    ["Ana", "lives in", "Faro"],
  ]);
  const newer = await create(service, { statement: "Ana has moved to Porto." });
  assert.deepEqual([newer.conflict.outcome, newer.conflict.factIds], ["superseded", [older.id]]);
  const ended = await read(service, older.id);
  assert.deepEqual([ended.status, ended.supersededBy], ["superseded", newer.id]);
  const history = (await service.get(`/v1/facts/${older.id}/history`)).body.data;
  assert.match(history.at(-1).reason, /says that this has changed/);
  assert.deepEqual((await recall(service, FULL, "Where does Ana live?")).map(({ id }) => id), [newer.id]);
  const restored = await service.post(`/v1/facts/${older.id}/restore`, {});
  assert.equal(restored.status, 200);
});

test("what only says something else stays and is marked: the newer first, a review asks", async (service) => {
  const older = await create(service, { statement: "My manager is Joe." });
  const newer = await create(service, { statement: "My manager is Rita." });
  assert.deepEqual([newer.conflict.outcome, newer.conflict.factIds], ["outdates", [older.id]]);
  assert.equal((await read(service, older.id)).status, "active");
  for (const path of [FULL, HOT]) {
    const found = await recall(service, path, "Who is my manager?");
    assert.deepEqual(
      found.map(({ id, outdatedBy }) => [id, outdatedBy]),
      [[newer.id, undefined], [older.id, newer.id]],
      path,
    );
  }
  const item = (await service.get(`${REVIEW}/${newer.conflict.reviewItemId}`)).body;
  assert.deepEqual([item.kind, item.subjectId, item.otherId], ["outdated_fact", newer.id, older.id]);
  const kept = await service.post(`${REVIEW}/${item.id}/resolve`, { action: "keep_both", reason: "two managers" });
  assert.equal(kept.status, 200, JSON.stringify(kept.body));
  const after = await recall(service, FULL, "Who is my manager?");
  assert.deepEqual(after.map(({ outdatedBy }) => outdatedBy), [undefined, undefined]);
});

test("a review of what likely outdates another ends when one of the two leaves force", async (service) => {
  const reviewOf = async (id: string) => (await service.get(`${REVIEW}/${id}`)).body;
  const pair = async (who: string) => {
    const older = await create(service, { statement: `${who}'s manager is Joe.` });
    const newer = await create(service, { statement: `${who}'s manager is Rita.` });
    assert.equal(newer.conflict.outcome, "outdates");
    return { older, newer, item: newer.conflict.reviewItemId };
  };
  const archived = await pair("Ana");
  await service.post(`/v1/facts/${archived.older.id}/forget`, { mode: "archive" });
  const one = await reviewOf(archived.item);
  assert.deepEqual([one.status, one.resolution.outcome], ["resolved", `${archived.older.id} is archived`]);
  const withdrawn = await pair("Ben");
  await service.post(`/v1/facts/${withdrawn.newer.id}/forget`, { mode: "archive" });
  const other = await reviewOf(withdrawn.item);
  assert.deepEqual([other.status, other.resolution.outcome], ["resolved", "archived"]);
  const erased = await pair("Cleo");
  await service.post(`/v1/facts/${erased.older.id}/forget`, { mode: "erase" });
  assert.equal((await reviewOf(erased.item)).resolution.outcome, `${erased.older.id} is erased`);
  const open = (await service.get(`${REVIEW}?status=open`)).body.data;
  assert.deepEqual(open, []);
});

test("when one of several that it outdates leaves force, a new review asks about the next", async (service) => {
  const joe = await create(service, { statement: "My manager is Joe." });
  const kim = await create(service, { statement: "My manager is Kim." });
  const kept = await service.post(`${REVIEW}/${kim.conflict.reviewItemId}/resolve`, { action: "keep_both" });
  assert.equal(kept.status, 200, JSON.stringify(kept.body));
  const rita = await create(service, { statement: "My manager is Rita." });
  assert.deepEqual(new Set(rita.conflict.factIds), new Set([joe.id, kim.id]));
  const first = (await service.get(`${REVIEW}/${rita.conflict.reviewItemId}`)).body.otherId;
  const second = first === joe.id ? kim.id : joe.id;
  await service.post(`/v1/facts/${first}/forget`, { mode: "archive" });
  const [next, ...more] = (await service.get(`${REVIEW}?status=open`)).body.data;
  assert.deepEqual([next.kind, next.subjectId, next.otherId, more], ["outdated_fact", rita.id, second, []]);
  const accepted = await service.post(`${REVIEW}/${next.id}/resolve`, { action: "accept_incoming" });
  assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
  assert.equal((await read(service, second)).supersededBy, rita.id);
  assert.deepEqual((await service.get(`${REVIEW}?status=open`)).body.data, []);
});

test("deciding about one of several asks about the next", async (service) => {
  await create(service, { statement: "My manager is Joe." });
  const kim = await create(service, { statement: "My manager is Kim." });
  await service.post(`${REVIEW}/${kim.conflict.reviewItemId}/resolve`, { action: "keep_both" });
  const rita = await create(service, { statement: "My manager is Rita." });
  for (let asked = rita.conflict.reviewItemId, left = 2; left > 0; left--) {
    const reply = await service.post(`${REVIEW}/${asked}/resolve`, {
      action: left === 2 ? "keep_both" : "accept_incoming",
    });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    const open = (await service.get(`${REVIEW}?status=open`)).body.data;
    assert.equal(open.length, left - 1);
    asked = open[0]?.id;
  }
});

test(
  "a change in words that no rule reads marks nothing, and the older statement points to the newer one",
  async (service, clock) => {
    for (
      const [before, after] of [
        ["I use Trello.", "I'm done with Trello."],
        ["The store closes at 8 pm.", "The store stays open until 10 pm now."],
        ["Nils keeps his skis in the cellar.", "Nils moved the skis up to the attic."],
      ] as const
    ) {
      const older = await create(service, { statement: before });
      clock.step(60_000);
      const newer = await create(service, { statement: after });
      assert.deepEqual([newer.conflict.outcome, (await read(service, older.id)).status], ["none", "active"], after);
      const found = await recall(service, FULL, before);
      const [place, at] = [older.id, newer.id].map((id) => found.findIndex((one) => one.id === id));
      assert.equal(found[place!]?.outdatedBy, undefined, after);
      assert.ok(at !== -1 && at! < place! || found[place!]?.newer?.id === newer.id, after);
    }
  },
);

test("the words of what is likely outdated find the newer one", async (service) => {
  const [bank, next] = [
    await create(service, { statement: "Ayesha works at Barclays." }),
    await create(service, { statement: "Ayesha works at Monzo." }),
  ];
  assert.equal(next.conflict.outcome, "outdates");
  // Only the older one has the word of the query.
  const found = await recall(service, FULL, "Barclays");
  assert.deepEqual(found.map(({ id, outdatedBy }) => [id, outdatedBy]), [[next.id, undefined], [bank.id, next.id]]);
});

test("who leads a team is found by the team, whoever it was before", async (service) => {
  const tim = await create(service, { statement: "Tim leads the mobile team." });
  const greta = await create(service, { statement: "The mobile team is now led by Greta." });
  assert.deepEqual([greta.conflict.outcome, greta.conflict.factIds], ["superseded", [tim.id]]);
  const paula = await create(service, { statement: "Paula leads the web team." });
  const ended = await create(service, { statement: "Paula stopped leading the web team." });
  assert.deepEqual([ended.conflict.outcome, ended.conflict.factIds], ["superseded", [paula.id]]);
});

test("accepting the newer statement ends the older one", async (service) => {
  const older = await create(service, { statement: "The build on main is failing." });
  const newer = await create(service, { statement: "The build on main is green." });
  const accept = await service.post(`${REVIEW}/${newer.conflict.reviewItemId}/resolve`, { action: "accept_incoming" });
  assert.equal(accept.status, 200, JSON.stringify(accept.body));
  assert.equal((await read(service, older.id)).supersededBy, newer.id);
});

test("a statement of less trust than what it would end is contested, and recall says so of both", async (service) => {
  const older = await create(service, { statement: "Piotr works at Nokia.", attribution: "user_stated" });
  const newer = await create(service, { statement: "Piotr left Nokia for Ericsson.", attribution: "agent_inferred" });
  assert.deepEqual([newer.conflict.outcome, newer.status], ["contested", "contested"]);
  for (const path of [FULL, HOT]) {
    const found = await recall(service, path, "Where does Piotr work?");
    assert.equal(found.find(({ id }) => id === older.id)?.contested, true, path);
    assert.equal(found.every(({ contested }) => contested), true, path);
  }
  assert.equal((await read(service, older.id)).status, "active");
});

test("an author who says that a statement claims nothing is believed, and so is one who gives a triple", async (service) => {
  const older = await create(service, { statement: "The office is in Faro." });
  const silent = await service.patch(`${FACTS}/${older.id}`, { claims: [] });
  assert.deepEqual(silent.body.claims, []);
  assert.equal((await create(service, { statement: "The office moved to Porto." })).conflict.outcome, "none");
  const triple = { subject: "The club", predicate: "meets in", object: "the pub" };
  const corrected = await service.patch(`${FACTS}/${older.id}`, { statement: "The club is in Faro.", ...triple });
  assert.deepEqual(corrected.body.claims, []);
  const again = await service.patch(`${FACTS}/${older.id}`, {
    claims: null,
    subject: null,
    predicate: null,
    object: null,
  });
  assert.equal(again.body.claims[0].object, "Faro");
});

test("a triple that a caller gave and a plain statement speak of the same", async (service) => {
  const triple = { subject: "Caroline", predicate: "lives in", object: "Rome" };
  const older = await create(service, { statement: "Caroline lives in Rome.", ...triple });
  const newer = await create(service, { statement: "Caroline moved from Rome to Turin." });
  assert.deepEqual([newer.conflict.outcome, newer.conflict.factIds], ["superseded", [older.id]]);
});

test("a batch decides about its statements one after the other", async (service) => {
  const statements = ["We use Jira for issue tracking.", "We use Slack for chat.", "We switched from Jira to Linear."];
  const reply = await service.post(`${FACTS}/batch`, { facts: statements.map((statement) => ({ statement })) });
  const [jira, slack, linear] = reply.body.results.map((result: Reply["body"]) => result.fact);
  assert.deepEqual([linear.conflict.outcome, linear.conflict.factIds], ["superseded", [jira.id]]);
  assert.equal((await read(service, slack.id)).status, "active");
});

test("what is called off as a whole outdates when it was to be", async (service) => {
  const older = await create(service, { statement: "The launch is on 5 May." });
  const place = await create(service, { statement: "The launch is in Lisbon." });
  const newer = await create(service, { statement: "The launch is cancelled." });
  assert.equal((await read(service, older.id)).supersededBy, newer.id);
  assert.equal((await read(service, place.id)).status, "active");
});

test("what took the place of a fact is found by the words of the fact, as long as that is there", async (service) => {
  const volvo = await create(service, { statement: "Gina commutes in an old Volvo." });
  const kia = await create(service, { statement: "Kia for Gina.", supersedes: volvo.id });
  const ask = async () => (await recall(service, FULL, "What does Gina commute in?")).map(({ id }) => id);
  assert.deepEqual(await ask(), [kia.id]);
  const explained = await service.post(`${FULL}/explain`, { query: "What does Gina commute in?" });
  assert.match(explained.body.results[0].why, /it or what it replaced contains 2 of the query's 2 words/);
  assert.equal((await service.post(`/v1/facts/${volvo.id}/forget`, { mode: "erase" })).status, 200);
  const { body } = await service.post(FULL, { query: "commute", minScore: 0 });
  assert.deepEqual(body.results.filter(({ tier }: Reply["body"]) => tier === "lexical"), []);
});

test(
  "a plain statement about a day ahead holds from that day on, and one about a month in that month alone",
  async (service, clock) => {
    const faro = await create(service, { statement: "The office is in Faro." });
    clock.step(1_000);
    const porto = await create(service, { statement: "The office moves to Porto on 1 January 2027." });
    assert.deepEqual([porto.validFrom, porto.claims[0].object], ["2027-01-01T00:00:00.000Z", "Porto"]);
    const body = { query: "Where is the office?" };
    const found = async (more = {}) =>
      (await service.post(FULL, { ...body, ...more })).body.results.map(({ id }: Reply["body"]) => id);
    assert.deepEqual(await found(), [faro.id]);
    assert.deepEqual(await found({ asOf: clock.now.toISOString() }), [faro.id]);
    assert.deepEqual((await service.post(HOT, body)).body.results.map(({ id }: Reply["body"]) => id), [faro.id]);
    assert.deepEqual(await found({ asOf: "2027-01-02T00:00:00Z" }), [porto.id]);
    const wim = await create(service, { statement: "Wim is the contact in July 2027." });
    assert.deepEqual([wim.validFrom, wim.validTo], ["2027-07-01T00:00:00.000Z", "2027-08-01T00:00:00.000Z"]);
    const launch = await create(service, { statement: "The launch moves to 5 May 2027." });
    assert.deepEqual([launch.validFrom, launch.claims[0].object], [null, "5 May 2027"]);
  },
);

test("a plan is true today, and a question that asks when finds what begins later", async (service, clock) => {
  const ask = async (query: string) => {
    const [full, hot] = await Promise.all([FULL, HOT].map((path) => recall(service, path, query)));
    assert.equal(hot[0]?.text, full[0]?.text, query);
    return full[0]?.text;
  };
  const PLANS = [
    ["My passport runs out in March 2027.", "When does the passport run out?"],
    ["We launch in May 2027.", "When do we launch?"],
    ["The office moves to Porto on 1 January 2027.", "Will the office move?"],
    ["Wim is the treasurer in July 2027.", "When is Wim the treasurer?"],
    ["Nora flies to Lima in June 2027.", "Which month does Nora fly to Lima?"],
  ] as const;
  for (const [statement] of PLANS) await create(service, { statement });
  for (const [statement, query] of PLANS) assert.equal(await ask(query), statement);
  assert.equal(await ask("Who is the treasurer?"), undefined);
  const passport = (await recall(service, FULL, "passport"))[0]!;
  assert.deepEqual([passport.occurredAt, passport.validFrom], ["2027-03-01T00:00:00.000Z", null]);
  clock.now = new Date("2027-04-01T00:00:00Z");
  assert.equal(await ask("When did my passport run out?"), PLANS[0][0]);
});

test("a patch that changes no word of a statement does not have it read again", async (service, clock) => {
  const older = await create(service, { statement: "Ana moved to Paris." });
  // The state in which a build without claims stored it.
  await service.operator().tx((tx) =>
    tx.sql`update unit set triple_key = null, body = body - 'claims' || '{"folded": {"subject": null, "predicate": null, "object": null}}'
            where workspace_id = ${tx.workspaceId} and id = ${older.id}`
  );
  clock.step(1_000);
  const newer = await create(service, { statement: "Ana moved to Berlin." });
  clock.step(1_000);
  const patched = await service.patch(`${FACTS}/${older.id}`, { tags: ["travel"] });
  assert.deepEqual([patched.status, patched.body.tags, patched.body.claims], [200, ["travel"], []]);
  assert.equal((await read(service, newer.id)).status, "active");
});
