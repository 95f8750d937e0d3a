/** The profile of a memory: within its budget, current, clearance-true. */
import assert from "node:assert/strict";
import { countTokens } from "../../src/domain/common/tokens.ts";
import type { Reply, TestService } from "../_service.ts";
import { create, FACTS, test } from "./_facts.ts";
import { applied } from "./_self.ts";

async function profile(service: TestService, query = "", key?: string): Promise<Reply["body"]> {
  const reply = await service.get(`/v1/self/profile?${query}`, key === undefined ? {} : { key });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);

test("a profile of an empty memory is empty", async (service) => {
  const { text, tokens, truncated, ...rest } = await profile(service);
  assert.deepEqual([text, tokens, truncated], ["# Memory profile", 4, false]);
  assert.deepEqual(rest, {
    asOfSeq: 0,
    subjects: [],
    preferences: [],
    facts: [],
    decisions: [],
    openTasks: 0,
    recentChanges: [],
  });
});

test("a profile holds what matters, each line with its id", async (service) => {
  const likes = await create(service, {
    statement: "Caroline prefers trains.",
    factType: "preference",
    subject: "Caroline",
    predicate: "prefers",
    object: "trains",
  });
  const rule = await create(service, { statement: "Answer in French.", factType: "instruction", pinned: true });
  const plain = await create(service, {
    statement: "Caroline was born in Lyon.",
    subject: "Caroline",
    predicate: "born in",
    object: "Lyon",
  });
  const trusted = await create(service, { statement: "The office opens at nine.", attribution: "user_stated" });
  const pinned = await create(service, {
    statement: "The door code changes monthly.",
    attribution: "unverified",
    pinned: true,
  });
  const gone = await create(service, { statement: "The kettle is red." });
  await service.delete(`${FACTS}/${gone.id}`);
  const decision =
    (await service.post("/v1/memory/decisions", { title: "Database", decision: "We use Postgres." })).body;
  await service.post("/v1/memory/tasks", { title: "Compare the quotes", agentId: "a" });
  const found = await profile(service);
  assert.deepEqual(idsOf(found.preferences), [rule.id, likes.id]);
  assert.deepEqual(idsOf(found.facts), [pinned.id, trusted.id, plain.id]);
  assert.deepEqual(idsOf(found.decisions), [decision.id]);
  const [caroline] = (await service.get("/v1/memory/entities?name=caroline")).body.data;
  assert.deepEqual(found.subjects[0], { name: "Caroline", id: caroline.id, mentions: 2 });
  assert.equal(found.openTasks, 1);
  assert.equal((await profile(service, "agentId=b")).openTasks, 0);
  const blind = await profile(service, "", await service.createKey({ scopes: ["memory:read"] }));
  assert.equal(blind.openTasks, 0);
  assert.doesNotMatch(blind.text, /Open tasks/);
  assert.match(found.text, new RegExp(`- Answer in French. \\[${rule.id}, pinned\\]`));
  for (const id of [likes.id, plain.id, trusted.id, pinned.id, decision.id]) {
    assert.ok(found.text.includes(id), found.text);
  }
  assert.deepEqual(idsOf((await profile(service, "subject=CAROLINE")).facts), [plain.id]);
});

test("a profile counts the spellings of one name as one subject", async (service) => {
  for (const subject of ["O’Brien", "O'Brien", "O'BRIEN\u200b"]) await create(service, { subject });
  const { subjects } = await profile(service);
  assert.deepEqual(subjects.map((one: Reply["body"]) => [one.name, one.mentions]), [["O’Brien", 3]]);
});

test("a profile stays within its budget and says that something was left out", async (service) => {
  for (let i = 0; i < 40; i++) {
    await create(service, {
      statement: `Rule ${i}: ${"do it well and slowly ".repeat(i % 30)}`,
      factType: i % 2 ? "instruction" : "fact",
    });
  }
  for (const maxTokens of [100, 250, 1_000, 3_000]) {
    const found = await profile(service, `maxTokens=${maxTokens}`);
    assert.equal(found.tokens, countTokens(found.text));
    assert.ok(found.tokens <= maxTokens, `${found.tokens} of ${maxTokens}`);
    assert.equal(found.truncated, true);
    if (maxTokens >= 250) assert.ok(found.facts.length > 0 && found.preferences.length > 0);
    for (const { id } of [...found.facts, ...found.preferences]) assert.ok(found.text.includes(id));
  }
  assert.equal((await profile(service, "maxTokens=20000")).truncated, false);
});

test("a write is in the very next profile, whoever wrote it; an expired fact is not", async (service, clock) => {
  const one = await create(service, { statement: "The kettle is red.", expiresAt: "2026-06-01T12:00:30Z" });
  const first = await profile(service);
  assert.deepEqual(idsOf(first.facts), [one.id]);
  assert.deepEqual(await profile(service), first);
  const edit = await applied(service, [{ op: "add", type: "fact", body: { statement: "The pot is green." } }]);
  const second = await profile(service);
  assert.ok(second.asOfSeq > first.asOfSeq);
  assert.ok(idsOf(second.facts).includes(edit.operations[0].resourceId));
  assert.equal(second.recentChanges[0].kind, "fact.created");
  clock.step(31_000);
  assert.deepEqual(idsOf((await profile(service)).facts), [edit.operations[0].resourceId]);
});

test("a profile shows nothing above the key's clearance, also after somebody else asked, and nothing of another workspace", async (service) => {
  const low = await service.createKey({ maxSensitivity: "internal" });
  const other = await service.createKey({ workspaceId: await service.createWorkspace() });
  await create(service, {
    statement: "The vault is open.",
    sensitivity: "confidential",
    subject: "Zebedee",
    predicate: "guards",
    object: "the vault",
    factType: "preference",
  });
  await create(service, { statement: "The kettle is red." });
  assert.match((await profile(service)).text, /vault/);
  const seen = await profile(service, "", low);
  assert.doesNotMatch(JSON.stringify(seen), /vault|Zebedee/);
  assert.match(seen.text, /kettle/);
  assert.equal((await profile(service, "", other)).text, "# Memory profile");
});
