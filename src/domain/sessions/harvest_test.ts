import assert from "node:assert/strict";
import type { Statement } from "../../language/proposals.ts";
import { TURN_ROLES } from "../../schema/turn.ts";
import { cutBytes, harvestDecisions, harvestFacts, type HarvestTurn, keepBest } from "./harvest.ts";

const SESSION = { id: "01890000-0000-7000-8000-000000000000", sensitivity: "confidential" as const, tags: ["t"] };
const turn = (given: Partial<HarvestTurn>): HarvestTurn => ({
  messageId: "m1",
  role: "user",
  name: "Ann",
  content: "My favourite colour is green.",
  pinned: false,
  occurredAt: "2026-03-01T09:30:00.000Z",
  ...given,
});
const statement = (given: Partial<Statement>): Statement => ({
  messageId: "m1",
  role: "user",
  statement: "Ann's favourite colour is green.",
  quote: "My favourite colour is green.",
  start: 0,
  end: 29,
  factType: "preference",
  confidence: 0.9,
  ...given,
});

Deno.test("a fact has its speaker's trust, its session's sensitivity and tags, and cites its turn", () => {
  const [fact] = harvestFacts(SESSION, [turn({})], [statement({})]);
  assert.equal(fact!.why, "stated");
  assert.equal(fact!.body.attribution, "user_stated");
  assert.equal(fact!.body.sensitivity, "confidential");
  assert.deepEqual(fact!.body.tags, ["t"]);
  assert.equal(fact!.body.occurredAt, "2026-03-01T09:30:00.000Z");
  assert.deepEqual(fact!.body.citations, [
    { messageId: "m1", sessionId: SESSION.id, quote: "My favourite colour is green." },
  ]);
});

Deno.test("nobody but a user states as a user", () => {
  const attributions = TURN_ROLES.map((role) => {
    const [fact] = harvestFacts(SESSION, [turn({ role, pinned: true })], []);
    return [role, fact!.body.attribution];
  });
  assert.deepEqual(attributions, [
    ["user", "user_stated"],
    ["assistant", "agent_stated"],
    ["system", "agent_stated"],
    ["tool", "tool_observed"],
  ]);
});

Deno.test("a wording that is not the speaker's is inferred, whoever spoke", () => {
  const [fact] = harvestFacts(SESSION, [turn({})], [statement({ statement: "Ann likes green best" })]);
  assert.deepEqual([fact!.why, fact!.body.attribution], ["inferred", "agent_inferred"]);
});

Deno.test("a pinned turn is one fact as a whole, unless a statement is that whole already", () => {
  const whole = harvestFacts(SESSION, [turn({ pinned: true })], [statement({})]);
  assert.deepEqual(whole.map((fact) => [fact.why, fact.body.factType]), [["pinned", "preference"]]);
  const part = harvestFacts(SESSION, [turn({ pinned: true, content: "Hi! My favourite colour is green." })], [
    statement({ start: 4, end: 33 }),
  ]);
  assert.deepEqual(part.map((fact) => fact.why), ["pinned", "stated"]);
  assert.equal(part[0]!.body.statement, "Ann: Hi! My favourite colour is green.");
  const inferred = harvestFacts(SESSION, [turn({ pinned: true })], [statement({ statement: "Ann likes green" })]);
  assert.deepEqual(
    inferred.map((fact) => fact.why),
    ["pinned", "inferred"],
    "an inference never stands for a pinned turn",
  );
});

Deno.test("a long pinned turn gives a statement that can be stored, cut between characters", () => {
  const [fact] = harvestFacts(
    SESSION,
    [turn({ pinned: true, content: "👍".repeat(10_000), name: "日".repeat(100) })],
    [],
  );
  assert.ok(new TextEncoder().encode(fact!.body.statement).byteLength <= 16_384);
  assert.ok(fact!.body.statement.isWellFormed());
  assert.equal(cutBytes("日本", 5), "日");
  assert.equal(cutBytes("👍", 3), "");
  assert.equal(cutBytes("abc", 3), "abc");
});

Deno.test("what tells a decision is a decision and no fact, and was not decided in the future", () => {
  const told = statement({ statement: "Ann decided to buy a boat", isDecision: true, isPlain: true });
  const now = new Date("2026-02-01T00:00:00Z");
  assert.deepEqual(harvestFacts(SESSION, [turn({})], [told]), []);
  const [decision] = harvestDecisions(SESSION, [turn({})], [told, statement({})], now, 5);
  assert.equal(decision!.body.title, "Buy a boat");
  assert.equal(decision!.body.decidedAt, now.toISOString());
  assert.equal(decision!.body.attribution, "user_stated");
  assert.deepEqual(decision!.body.metadata, { sessionId: SESSION.id, messageIds: ["m1"] });
  assert.equal(harvestDecisions(SESSION, [turn({})], [told, { ...told }, { ...told }], now, 2).length, 2);
});

Deno.test("a statement with words of another turn is inferred and cites both", () => {
  const [fact] = harvestFacts(SESSION, [turn({})], [statement({ statement: "Tom likes green", context: ["m0"] })]);
  assert.deepEqual([fact!.why, fact!.body.attribution], ["inferred", "agent_inferred"]);
  assert.deepEqual(fact!.body.citations.map(({ messageId }) => messageId), ["m1", "m0"]);
});

Deno.test("of too many facts those of pinned turns stay, then the most certain, in their order", () => {
  const facts = harvestFacts(
    SESSION,
    [turn({ messageId: "a" }), turn({ messageId: "b" }), turn({ messageId: "c", pinned: true, content: "Hi" })],
    [statement({ messageId: "a", confidence: 0.5 }), statement({ messageId: "b", confidence: 0.8 })],
  );
  assert.deepEqual(keepBest(facts, 2).map((fact) => fact.messageId), ["b", "c"]);
  assert.equal(keepBest(facts, 3).length, 3);
});

Deno.test("a year in the second clause of a statement is not the time of the first", () => {
  const timeOf = (words: string) => harvestFacts(SESSION, [turn({})], [statement({ words })])[0]!.body.occurredAt;
  assert.equal(timeOf("The depot in Cork closed in 2022."), "2022-01-01T12:00:00.000Z");
  for (
    const words of [
      "his barn burnt down in 2019, that's why i want an extinguisher",
      "we lost the pear tree, planted in 1987",
      "All depots are British. The one in Cork closed in 2022.",
      "The slides are of 1961 to 1978, mostly from Ghana",
    ]
  ) assert.equal(timeOf(words), "2026-03-01T09:30:00.000Z", words);
});
