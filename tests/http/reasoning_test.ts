/** `/v1/memory/reasoning`: record, resolve, feedback. */
import assert from "node:assert/strict";
import { embedPendingGoals } from "../../src/domain/reasoning/vectors.ts";
import { countTokens } from "../../src/domain/common/tokens.ts";
import { expireDueFacts } from "../../src/domain/kinds/facts/lifecycle.ts";
import type { Reply, TestService } from "../_service.ts";
import { create as createFact, FACTS, test, UNKNOWN_ID } from "./_facts.ts";
import { scrape, valueOf } from "./_metrics.ts";

const REASONING = "/v1/memory/reasoning";
const GOAL = "Convert the quarterly sales report to PDF";

// deno-lint-ignore no-explicit-any
type Json = any;

async function record(service: TestService, body: Record<string, unknown> = {}, status?: number): Promise<Json> {
  const reply = await service.post(`${REASONING}/record`, { goal: GOAL, answer: "Use the letter template.", ...body });
  if (status === undefined) assert.ok([200, 201].includes(reply.status), JSON.stringify(reply.body));
  else assert.equal(reply.status, status, JSON.stringify(reply.body));
  return reply.body;
}

async function resolve(service: TestService, body: Record<string, unknown> = {}, key?: string): Promise<Json> {
  const reply = await service.post(`${REASONING}/resolve`, { goal: GOAL, ...body }, key === undefined ? {} : { key });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  assert.equal(reply.body.hit, ["exact", "similar"].includes(reply.body.reason));
  assert.equal(reply.body.hit, reply.body.entry !== null);
  return reply.body;
}

async function vote(
  service: TestService,
  entryId: string,
  agentId: string,
  outcome: string,
  key?: string,
): Promise<Json> {
  const reply = await service.post(`${REASONING}/feedback`, { entryId, agentId, outcome }, { key: key ?? service.key });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

async function read(service: TestService, id: string): Promise<Json> {
  const reply = await service.get(`${REASONING}/${id}`);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

async function feedKinds(service: TestService, id: string): Promise<string[]> {
  const rows = await service.operator().tx((tx) =>
    tx.sql`select kind from change where workspace_id = ${tx.workspaceId} and resource_id = ${id} order by seq`
  );
  return rows.map((row) => row.kind);
}

async function saved(service: TestService): Promise<number> {
  return valueOf(await scrape(service), "svc_tokens_saved_total", { mechanism: "reasoning_cache" });
}

test("a recorded chain is served for its own goal and context, however it is written", async (service) => {
  const context = { format: "letter", pages: [1, 2], by: { team: "sales" } };
  const entry = await record(service, { context, steps: ["Open it.", { action: "export" }], tokensSpent: 900 }, 201);
  assert.deepEqual([entry.version, entry.status, entry.outcome], [1, "active", "success"]);
  const hit = await resolve(service, {
    goal: "  convert the QUARTERLY sales report to pdf.  ",
    context: { by: { team: "sales" }, pages: [1, 2], format: "letter" },
  });
  assert.deepEqual([hit.hit, hit.reason, hit.similarity, hit.candidateId], [true, "exact", 1, entry.id]);
  assert.deepEqual(hit.entry.steps, ["Open it.", { action: "export" }]);
  assert.equal(hit.entry.useCount, 1);
  for (const other of [{ ...context, format: "a4" }, "letter", undefined]) {
    const miss = await resolve(service, { context: other });
    assert.deepEqual([miss.reason, miss.candidateId, miss.tokensSaved], ["no_match", null, 0]);
  }
});

test("a similar goal is served from the threshold on, and one that only looks alike is not", async (service) => {
  const entry = await record(service);
  const similar = await resolve(service, { goal: "Please convert this quarterly sales report to a PDF file" });
  assert.deepEqual([similar.reason, similar.similarity], ["no_match", 0.8333]);
  const asked = { goal: "Convert the quarterly sales reports into PDF" };
  const hit = await resolve(service, asked);
  assert.deepEqual([hit.reason, hit.candidateId], ["similar", entry.id]);
  assert.equal((await resolve(service, { ...asked, threshold: 1 })).reason, "no_match");
  for (
    const goal of [
      "Do not convert the quarterly sales report to PDF",
      "Convert the quarterly sales report of 2024 to PDF",
      "Convert PDF to the quarterly sales report",
      "Convert the quarterly purchase report to PDF",
      "Water the plants in the office",
      "the of and",
    ]
  ) assert.equal((await resolve(service, { goal })).reason, "no_match", goal);
  assert.equal((await resolve(service, { ...asked, context: { format: "a4" } })).reason, "no_match");
  const loose = await resolve(service, { goal: "Convert the quarterly marketing report to PDF", threshold: 0.5 });
  assert.equal(loose.reason, "similar");
});

test("text contexts may be similar too, and both must be", async (service) => {
  const context = "The customer writes from Berlin and wants an invoice";
  const entry = await record(service, { context });
  const hit = await resolve(service, { context: "The customer writes from Berlin, wanting invoices" });
  assert.deepEqual([hit.reason, hit.candidateId], ["similar", entry.id]);
  assert.equal((await resolve(service, { context: "A supplier in Rome complains" })).reason, "no_match");
});

test("only a success is served; a failure is told and a later success takes its place", async (service) => {
  const failed = await record(service, { outcome: "failure", answer: "The fonts were missing." }, 201);
  const miss = await resolve(service);
  assert.deepEqual([miss.reason, miss.candidateId, miss.entry], ["not_successful", failed.id, null]);
  const done = await record(service, {}, 200);
  assert.deepEqual([done.id, done.version, done.outcome], [failed.id, 2, "success"]);
  assert.equal((await resolve(service)).reason, "exact");
  const worse = await record(service, { outcome: "failure", answer: "It crashed." }, 200);
  assert.deepEqual([worse.outcome, worse.answer], ["success", "Use the letter template."]);
  assert.deepEqual(worse.attempts, { success: 1, partial: 0, failure: 2 });
});

test("recording the same twice, also at once, makes one entry and one version", async (service) => {
  const replies = await Promise.all(
    Array.from({ length: 6 }, () => service.post(`${REASONING}/record`, { goal: GOAL, answer: "Once." })),
  );
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 200, 200, 200, 200, 201]);
  assert.equal(new Set(replies.map((reply) => reply.body.id)).size, 1);
  const entry = await read(service, replies[0]!.body.id);
  assert.deepEqual([entry.version, entry.attempts.success], [1, 1]);
  assert.equal((await service.get(REASONING)).body.data.length, 1);
});

test("a precondition that is updated retires the chain, and its return reactivates it", async (service) => {
  const fact = await createFact(service, { statement: "The report template is letter." });
  const entry = await record(service, { preconditions: [{ factId: fact.id }] });
  assert.deepEqual(entry.preconditions, [{ factId: fact.id, contentHash: fact.contentHash, holds: true }]);
  assert.equal((await service.patch(`${FACTS}/${fact.id}`, { tags: ["x"] })).status, 200);
  assert.equal((await resolve(service)).reason, "exact");
  await service.patch(`${FACTS}/${fact.id}`, { statement: "The report template is A4." });
  const retired = await read(service, entry.id);
  assert.deepEqual([retired.status, retired.retiredReason, retired.version], ["retired", "precondition_changed", 2]);
  const miss = await resolve(service);
  assert.deepEqual([miss.reason, miss.candidateId], ["precondition_changed", entry.id]);
  assert.equal(miss.preconditions[0].holds, false);
  await service.patch(`${FACTS}/${fact.id}`, { statement: "The report template is letter." });
  assert.equal((await read(service, entry.id)).status, "active");
  assert.equal((await resolve(service)).reason, "exact");
  assert.deepEqual(await feedKinds(service, entry.id), [
    "reasoning.recorded",
    "reasoning.retired",
    "reasoning.reactivated",
  ]);
});

test(
  "a precondition that is superseded, archived, expired or stale retires the chain; one that is erased takes it along",
  async (service, clock) => {
    const made = async (body: Record<string, unknown> = {}) => {
      const fact = await createFact(service, body);
      const entry = await record(service, { goal: `Goal about ${fact.id}`, preconditions: [{ factId: fact.id }] });
      return { fact, entry };
    };
    const check = async ({ entry }: { entry: Json }, what: string) => {
      const reply = await resolve(service, { goal: entry.goal });
      assert.equal(reply.reason, "precondition_changed", what);
      assert.ok((await feedKinds(service, entry.id)).includes("reasoning.retired"), `${what}: nothing in the feed`);
    };
    const claim = { subject: "Caroline", predicate: "lives in" };
    const superseded = await made({ ...claim, object: "Paris", statement: "Caroline lives in Paris." });
    await createFact(service, { ...claim, object: "Rome", statement: "Caroline lives in Rome." });
    await check(superseded, "superseded");

    const archived = await made();
    await service.delete(`${FACTS}/${archived.fact.id}`);
    await check(archived, "archived");
    assert.equal((await service.post(`/v1/facts/${archived.fact.id}/restore`)).status, 200);
    assert.equal((await resolve(service, { goal: archived.entry.goal })).reason, "exact");

    const source = await createFact(service, {});
    const derived = await made({ derivedFrom: [source.id] });
    const erased = await made();
    await service.post(`/v1/facts/${erased.fact.id}/forget`, { mode: "erase" });
    assert.equal((await resolve(service, { goal: erased.entry.goal })).reason, "no_match");
    assert.equal((await service.get(`${REASONING}/${erased.entry.id}`)).status, 404);
    assert.ok((await feedKinds(service, erased.entry.id)).includes("reasoning.deleted"));
    await service.post(`/v1/facts/${source.id}/forget`, { mode: "erase" });
    await check(derived, "stale");

    const due = await made({ expiresAt: "2026-06-01T13:00:00Z" });
    clock.step(7_200_000);
    const before = await resolve(service, { goal: due.entry.goal });
    assert.equal(before.reason, "precondition_changed", "before the worker");
    await expireDueFacts(service.operator());
    await check(due, "expired");
  },
);

test("a precondition with a wrong hash, unknown or not in force is refused with the reason", async (service) => {
  const fact = await createFact(service, {});
  const wrong = await record(service, { preconditions: [{ factId: fact.id, contentHash: "0".repeat(64) }] }, 409);
  assert.deepEqual(wrong.preconditions, [{ factId: fact.id, contentHash: fact.contentHash }]);
  const unknown = await record(service, { preconditions: [{ factId: UNKNOWN_ID }] }, 422);
  assert.equal(unknown.errors[0].path, "preconditions.0");
  await service.delete(`${FACTS}/${fact.id}`);
  await record(service, { preconditions: [{ factId: fact.id }] }, 409);
  assert.equal((await service.get(REASONING)).body.data.length, 0);
});

test("a chain that is recorded while its precondition changes is never served on the old ground", async (service) => {
  for (let round = 0; round < 5; round++) {
    const fact = await createFact(service, {});
    const goal = `Race number ${"abcde"[round]}`;
    const [recorded] = await Promise.all([
      service.post(`${REASONING}/record`, { goal, answer: "Yes.", preconditions: [{ factId: fact.id }] }),
      service.patch(`${FACTS}/${fact.id}`, { statement: `Another statement ${round}` }),
    ]);
    assert.equal(recorded.status, 201, JSON.stringify(recorded.body));
    const changed = recorded.body.preconditions[0].contentHash === fact.contentHash;
    assert.equal((await resolve(service, { goal })).reason, changed ? "precondition_changed" : "exact");
  }
});

test("an agent has one vote, the last one, also when it votes twice at once", async (service) => {
  const entry = await record(service);
  assert.deepEqual(entry.reliability, { mean: 0.6667, lowerBound: 0.2789, helpful: 0, harmful: 0 });
  await Promise.all(Array.from({ length: 5 }, () => vote(service, entry.id, "a", "helpful")));
  assert.deepEqual((await read(service, entry.id)).reliability.helpful, 1);
  const second = await vote(service, entry.id, "a", "failure");
  assert.equal(second.replaced, true);
  assert.deepEqual([second.entry.reliability.helpful, second.entry.reliability.harmful], [0, 1]);
  const own = await service.post(`${REASONING}/feedback`, { entryId: entry.id, outcome: "success" });
  assert.match(own.body.vote.agentId, /^key:/);
  assert.equal((await service.post(`${REASONING}/feedback`, { entryId: UNKNOWN_ID, outcome: "success" })).status, 404);
});

test("bad votes demote, then retire; good votes bring a chain back; a new answer begins anew", async (service) => {
  const entry = await record(service);
  const similar = { goal: "Convert the quarterly sales reports into PDF" };
  const keys = await Promise.all(Array.from({ length: 4 }, () => service.createKey()));
  for (const key of keys.slice(0, 2)) await vote(service, entry.id, "a", "harmful", key);
  assert.equal((await read(service, entry.id)).status, "demoted");
  assert.equal((await resolve(service)).reason, "exact");
  assert.equal((await resolve(service, similar)).reason, "unreliable");
  assert.equal((await resolve(service, { minReliability: 0.6 })).reason, "unreliable");
  for (const key of keys.slice(2)) await vote(service, entry.id, "a", "harmful", key);
  const retired = await read(service, entry.id);
  assert.deepEqual([retired.status, retired.retiredReason], ["retired", "unreliable"]);
  assert.equal((await resolve(service)).reason, "retired");
  for (const key of keys) await vote(service, entry.id, "a", "helpful", key);
  assert.equal((await resolve(service, similar)).reason, "similar");
  assert.deepEqual(
    (await feedKinds(service, entry.id)).filter((kind) => !kind.endsWith("voted")),
    ["recorded", "demoted", "retired", "demoted", "reactivated"].map((kind) => `reasoning.${kind}`),
  );
  const renewed = await record(service, { answer: "Use the A4 template." }, 200);
  assert.deepEqual([renewed.reliability.helpful, renewed.reliability.harmful], [0, 0]);
  assert.equal((await vote(service, entry.id, "a", "helpful")).replaced, false);
});

test("the metric counts what a hit saved, once for each run, and nothing for a miss", async (service, clock) => {
  const answer = "Use the letter template, and embed the fonts.";
  const entry = await record(service, { answer, tokensSpent: 1_000 });
  const worth = 1_000 - countTokens(answer);
  const before = await saved(service);
  await resolve(service, { goal: "Something else entirely" });
  assert.equal(await saved(service), before);
  for (let i = 0; i < 3; i++) {
    assert.equal((await resolve(service, { runId: "run-1" })).tokensSaved, i === 0 ? worth : 0);
  }
  await Promise.all(Array.from({ length: 4 }, () => resolve(service, { runId: "run-2" })));
  assert.equal(await saved(service), before + 2 * worth);
  await resolve(service);
  clock.step(86_400_001);
  await resolve(service, { runId: "run-1" });
  assert.equal(await saved(service), before + 4 * worth);
  const { useCount, tokensSaved } = await read(service, entry.id);
  assert.deepEqual([useCount, tokensSaved], [4, 4 * worth]);
  await record(service, {
    goal: "A cheap one",
    answer: "A long answer that costs more than it spared.",
    tokensSpent: 3,
  });
  assert.equal((await resolve(service, { goal: "A cheap one" })).tokensSaved, 0);
});

test("an entry expires by its own time", async (service, clock) => {
  const entry = await record(service, { ttlSeconds: 60 });
  assert.equal(entry.expiresAt, "2026-06-01T12:01:00.000Z");
  assert.equal((await resolve(service)).reason, "exact");
  clock.step(60_000);
  assert.equal((await resolve(service)).reason, "expired");
  assert.equal((await read(service, entry.id)).retiredReason, "expired");
  await record(service, { ttlSeconds: 60 }, 200);
  assert.equal((await resolve(service)).reason, "exact");
  await record(service, { ttlSeconds: 60, expiresAt: "2026-07-01T00:00:00Z" }, 422);
});

test("a chain is at least as sensitive as what it rests on, and nobody below learns of it", async (service) => {
  const low = await service.createKey({ maxSensitivity: "internal" });
  const secret = await createFact(service, { sensitivity: "confidential" });
  const entry = await record(service, { preconditions: [{ factId: secret.id }] });
  assert.equal(entry.sensitivity, "confidential");
  await record(service, { preconditions: [{ factId: secret.id }], sensitivity: "internal" }, 422);
  const miss = await resolve(service, {}, low);
  assert.deepEqual([miss.reason, miss.candidateId], ["no_match", null]);
  assert.equal((await resolve(service, { maxSensitivity: "internal" })).reason, "no_match");
  assert.equal((await service.get(`${REASONING}/${entry.id}`, { key: low })).status, 404);
  assert.deepEqual((await service.get(REASONING, { key: low })).body.data, []);
  const feedback = await service.post(`${REASONING}/feedback`, { entryId: entry.id, outcome: "harmful" }, { key: low });
  assert.equal(feedback.status, 404);
  assert.equal((await service.delete(`${REASONING}/${entry.id}`, { key: low })).status, 404);
  const own = await service.post(`${REASONING}/record`, { goal: GOAL, answer: "The open way." }, { key: low });
  assert.equal(own.status, 201, JSON.stringify(own.body));
  assert.equal((await resolve(service, {}, low)).entry.answer, "The open way.");
  const tooHigh = { goal: GOAL, answer: "x", sensitivity: "restricted" };
  assert.equal((await service.post(`${REASONING}/record`, tooHigh, { key: low })).status, 422);
});

test("a precondition retires a chain that its writer is not cleared to see", async (service) => {
  const low = await service.createKey({ maxSensitivity: "internal" });
  const fact = await createFact(service, {});
  const entry = await record(service, { preconditions: [{ factId: fact.id }], sensitivity: "restricted" });
  const patched = await service.patch(`${FACTS}/${fact.id}`, { statement: "Reworded from below." }, { key: low });
  assert.equal(patched.status, 200);
  assert.equal((await read(service, entry.id)).status, "retired");
  assert.ok((await feedKinds(service, entry.id)).includes("reasoning.retired"));
});

test("lists filter by words, status, outcome, agent and fact, and go on by cursor", async (service) => {
  const fact = await createFact(service, {});
  const first = await record(service, { agentId: "a", preconditions: [{ factId: fact.id }] });
  const second = await record(service, { goal: "Water the plants", agentId: "b", outcome: "failure" });
  const third = await record(service, { goal: "Water the lawn", agentId: "b" });
  const ids = async (query: string) =>
    (await service.get(`${REASONING}?${query}`)).body.data.map((one: Json) => one.id);
  assert.deepEqual(await ids(""), [third.id, second.id, first.id]);
  assert.deepEqual(await ids("q=watering%20plants"), [second.id]);
  assert.deepEqual(await ids("agentId=b&order=asc"), [second.id, third.id]);
  assert.deepEqual(await ids("outcome=failure"), [second.id]);
  assert.deepEqual(await ids(`factId=${fact.id}`), [first.id]);
  await service.delete(`${FACTS}/${fact.id}`);
  assert.deepEqual(await ids("status=retired"), [first.id]);
  assert.deepEqual(await ids("status=active&status=demoted"), [third.id, second.id]);
  const page = await service.get(`${REASONING}?limit=2`);
  assert.deepEqual(await ids(`limit=2&cursor=${page.body.nextCursor}`), [first.id]);
  assert.equal((await service.get(`${REASONING}?bogus=1`)).status, 422);
});

test("a deleted entry is gone with its votes; a version that has passed is refused", async (service) => {
  const entry = await record(service);
  await vote(service, entry.id, "a", "helpful");
  const stale = await service.delete(`${REASONING}/${entry.id}`, { headers: { "if-match": '"1"' } });
  assert.equal(stale.status, 412);
  assert.equal((await service.delete(`${REASONING}/${entry.id}`)).status, 200);
  assert.equal((await service.get(`${REASONING}/${entry.id}`)).status, 404);
  assert.equal((await resolve(service)).reason, "no_match");
  const left = await service.operator().tx((tx) =>
    tx.sql`select entry_id from reasoning_vote union all select entry_id from reasoning_vector
           union all select entry_id from reasoning_term`
  );
  assert.equal(left.length, 0);
});

test("another workspace's chains, votes and facts are out of reach", async (service) => {
  const entry = await record(service);
  const fact = await createFact(service, {});
  const key = await service.createKey({ workspaceId: await service.createWorkspace() });
  assert.equal((await resolve(service, {}, key)).reason, "no_match");
  const tries: Promise<Reply>[] = [
    service.get(`${REASONING}/${entry.id}`, { key }),
    service.delete(`${REASONING}/${entry.id}`, { key }),
    service.post(`${REASONING}/feedback`, { entryId: entry.id, outcome: "helpful" }, { key }),
  ];
  for (const reply of await Promise.all(tries)) assert.equal(reply.status, 404);
  const body = { goal: GOAL, answer: "x", preconditions: [{ factId: fact.id }] };
  assert.equal((await service.post(`${REASONING}/record`, body, { key })).status, 422);
});

test("resolving among 10,000 entries reads a bounded number of them and finds the right one", async (service) => {
  const { workspaceId } = service;
  await service.operator().tx(async (tx) => {
    await tx.sql`
      insert into reasoning_entry (workspace_id, id, goal_key, goal, context_kind, context_key, steps, answer, outcome,
        tokens_spent, attempts, attempt_hash, content_hash, created_at, updated_at, created_by)
      select ${workspaceId}, gen_random_uuid(), 'k' || n, 'Deploy the service to region word' || n, 'none', '', '[]', 'a',
             'success', 1, '{}', 'h', 'h', ${tx.now}, ${tx.now}, 'test' from generate_series(1, 10000) n`;
    await tx.sql`
      insert into reasoning_term (workspace_id, term, entry_id, sensitivity)
      select ${workspaceId}, t.term, e.id, e.sensitivity from reasoning_entry e
       cross join lateral unnest(array['deploi', 'servic', 'region', substr(e.goal_key, 1)]) t(term)`;
    await tx.sql`
      insert into reasoning_vector (workspace_id, entry_id, sensitivity, model)
      select ${workspaceId}, id, sensitivity, '' from reasoning_entry`;
  });
  const entry = await record(service, { goal: "Deploy the billing service to region Frankfurt" });
  const hit = await resolve(service, { goal: "Deploying billing services to the region Frankfurt" });
  assert.deepEqual([hit.reason, hit.candidateId], ["similar", entry.id]);
}, { own: true, env: { SVC_SENTENCE_ENCODER: "table" } });

test("a goal that was recorded while the provider was down is embedded later", async (service) => {
  const entry = await record(service);
  const operator = service.operator();
  await operator.tx((tx) => tx.sql`update reasoning_vector set model = '', vector = null`);
  assert.equal(await embedPendingGoals(operator), false);
  const [row] = await operator.tx((tx) =>
    tx.sql`select entry_id, model, vector is not null as done from reasoning_vector`
  );
  assert.deepEqual([row!.entry_id, row!.model, row!.done], [entry.id, service.deps.embeddings.model, true]);
});
