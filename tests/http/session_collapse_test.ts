/** Collapsing sessions and their contexts over HTTP. */
import assert from "node:assert/strict";
import { startFaultServer } from "../../src/providers/_fault_server.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";

const TURNS = [
  { role: "user", name: "Caroline", content: "Hi! My favourite colour is green.", messageId: "t0" },
  { role: "assistant", content: "Nice to meet you. What can I do for you?", messageId: "t1" },
  { role: "user", name: "Caroline", content: "I adopted a dog named Pixel last Friday.", messageId: "t2" },
  {
    role: "tool",
    name: "calendar",
    content: "Vet appointment booked: 2023-05-12 10:00",
    messageId: "t3",
    pinned: true,
  },
  { role: "user", name: "Caroline", content: "What a day, haha!", messageId: "t4", pinned: true },
];

const service = (name: string, run: (service: TestService) => Promise<void>, env: Record<string, string> = {}) =>
  Deno.test({
    ...POSTGRES,
    name,
    async fn() {
      await using started = await startService({ env });
      await run(started);
    },
  });

interface Turn {
  readonly role: string;
  readonly name?: string;
  readonly content: string;
}

async function startSession(
  service: TestService,
  turns: readonly Turn[],
  body: Record<string, unknown> = {},
  times?: string,
): Promise<string> {
  const { body: { id } } = await service.post("/v1/session", body);
  const dated = turns.map((turn, i) => ({ occurredAt: `${times ?? "2023-05-08T13:5"}${i % 10}:00Z`, ...turn }));
  if (turns.length > 0) {
    const added = await service.post(`/v1/session/${id}/turns`, { turns: dated });
    assert.equal(added.status, 201, JSON.stringify(added.body));
  }
  return id;
}

async function collapse(service: TestService, id: string) {
  const reply = await service.post(`/v1/session/${id}/collapse`);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

// deno-lint-ignore no-explicit-any -- replies are looked into
type Extracted = any;

service("a collapse keeps what was said, who said it and where, and links it in an episode", async (service) => {
  const id = await startSession(service, TURNS, { tags: ["call"] });
  const collapsed = await collapse(service, id);
  assert.equal(collapsed.source, "rules");
  assert.equal(collapsed.modelFailure, null);
  assert.equal(collapsed.turns, 5);
  const by = (messageId: string): Extracted[] =>
    collapsed.facts.filter((fact: Extracted) => fact.messageId === messageId);

  const [colour] = by("t0");
  assert.match(colour.statement, /Caroline's favourite colour is green/);
  assert.deepEqual([colour.attribution, colour.why, colour.outcome], ["user_stated", "stated", "created"]);
  assert.deepEqual(by("t1"), [], "small talk is not kept");
  assert.match(by("t2")[0].statement, /^Caroline, 8 May 2023: I adopted a dog named Pixel last Friday\.$/);
  const [tool] = by("t3");
  assert.deepEqual([tool.attribution, tool.why], ["tool_observed", "pinned"]);
  assert.match(tool.statement, /^calendar: Vet appointment booked/);
  assert.equal(by("t4")[0].why, "pinned", "a pinned turn becomes a fact whatever it says");
  assert.deepEqual(
    collapsed.facts.map((fact: Extracted) => fact.messageId).toSorted(),
    collapsed.facts.map((fact: Extracted) => fact.messageId),
  );

  const fact = await service.get(`/v1/memory/facts/${colour.factId}`);
  assert.equal(fact.status, 200);
  assert.deepEqual(fact.body.citations, [
    { messageId: "t0", sessionId: id, quote: "My favourite colour is green." },
  ]);
  assert.equal(fact.body.occurredAt, "2023-05-08T13:50:00.000Z");
  assert.deepEqual(fact.body.tags, ["call"]);
  assert.equal(fact.body.object, "green");

  const { episode } = collapsed;
  assert.deepEqual([episode.startedAt, episode.endedAt], ["2023-05-08T13:50:00.000Z", "2023-05-08T13:54:00.000Z"]);
  assert.deepEqual(episode.participants, ["Caroline", "calendar"]);
  assert.match(episode.summary, /Pixel/);
  const read = await service.get(`/v1/session/${id}`);
  assert.deepEqual([read.body.status, read.body.episodeId, read.body.turnCount], ["collapsed", episode.id, 5]);
});

service("facts, episode and turns of a collapsed session are recalled at once", async (service) => {
  const id = await startSession(service, TURNS);
  const collapsed = await collapse(service, id);
  const found = await service.post("/v1/memory/recall", {
    query: "What is the name of Caroline's dog, Pixel?",
    limit: 20,
  });
  assert.equal(found.status, 200, JSON.stringify(found.body));
  const types = new Set(found.body.results.map((result: Extracted) => result.type));
  assert.deepEqual([...types].sort(), ["episode", "fact", "turn"]);
  const fact = found.body.results.find((result: Extracted) => result.type === "fact");
  assert.ok(collapsed.facts.some((one: Extracted) => one.factId === fact.id));
  assert.equal(fact.citations[0].sessionId, id);
});

service("a second collapse answers the same and writes nothing", async (service) => {
  const id = await startSession(service, TURNS);
  const replies = await Promise.all(Array.from({ length: 4 }, () => collapse(service, id)));
  for (const reply of [...replies, await collapse(service, id)]) assert.deepEqual(reply, replies[0]);
  const [counts] = await service.operator().tx((tx) =>
    tx.sql<[{ facts: number; episodes: number; collapsed: number }]>`
      select count(*) filter (where type = 'fact')::int as facts, count(*) filter (where type = 'episode')::int as episodes,
             (select count(*)::int from change where workspace_id = ${tx.workspaceId} and kind = 'session.collapsed') as collapsed
        from unit where workspace_id = ${tx.workspaceId}`
  );
  assert.deepEqual({ ...counts }, { facts: replies[0].facts.length, episodes: 1, collapsed: 1 });
});

service("what was known already is corroborated, and what changed is superseded", async (service) => {
  const first = await collapse(service, await startSession(service, [TURNS[0]!]));
  const again = await collapse(service, await startSession(service, [TURNS[0]!], {}, "2023-06-08T13:5"));
  assert.equal(again.facts[0].outcome, "corroborated");
  assert.equal(again.facts[0].factId, first.facts[0].factId);
  const known = await service.get(`/v1/memory/facts/${first.facts[0].factId}`);
  assert.equal(known.body.corroborationCount, 1);
  assert.equal(known.body.citations.length, 2);

  const blue = { ...TURNS[0]!, content: "My favourite colour is blue." };
  const changed = await collapse(service, await startSession(service, [blue], {}, "2023-07-08T13:5"));
  assert.equal(changed.facts[0].outcome, "superseded");
  assert.deepEqual(changed.facts[0].relatedFactIds, [first.facts[0].factId]);
  assert.equal((await service.get(`/v1/memory/facts/${first.facts[0].factId}`)).body.status, "superseded");
});

service("a collapsed session takes no more and cannot be discarded", async (service) => {
  const id = await startSession(service, TURNS);
  await collapse(service, id);
  const attempts = [
    await service.post(`/v1/session/${id}/turns`, { role: "user", content: "x" }),
    await service.post(`/v1/session/${id}/scratch`, { a: 1 }),
    await service.post(`/v1/session/${id}/pin`, { messageId: "t0" }),
    await service.delete(`/v1/session/${id}`),
  ];
  for (const reply of attempts) {
    assert.equal(reply.body.code, "invalid_transition");
    assert.match(reply.body.message, /collapsed/);
  }
  assert.equal((await service.get(`/v1/session/${id}/turns`)).body.data.length, 5, "the turns stay");
});

service("a session without turns collapses to nothing", async (service) => {
  const collapsed = await collapse(service, await startSession(service, []));
  assert.deepEqual([collapsed.episode, collapsed.facts, collapsed.turns], [null, [], 0]);
});

service("an erased fact is erased from the stored reply, too", async (service) => {
  const id = await startSession(service, [TURNS[0]!]);
  const [{ factId }] = (await collapse(service, id)).facts;
  const erased = await service.post(`/v1/facts/${factId}/forget`, { mode: "erase" });
  assert.equal(erased.status, 200, JSON.stringify(erased.body));
  const again = await collapse(service, id);
  assert.equal(again.facts[0].factId, factId);
  assert.equal(again.facts[0].statement, null);
});

service(
  "what was decided becomes a decision, what the session takes back is not kept, and both say the day",
  async (service) => {
    const id = await startSession(service, [
      { role: "user", name: "Nora", content: "The demo is on Thursday at 14:00." },
      {
        role: "user",
        name: "Nora",
        content: "We decided to use Postgres instead of MySQL, because the team knows it.",
      },
      { role: "user", name: "Nora", content: "My brother Tom joins the team." },
      { role: "user", name: "Ben", content: "He lives in Bergen." },
      { role: "user", name: "Nora", content: "Correction: the demo is on Friday, not on Thursday." },
      { role: "user", name: "Ben", content: "I work in a bakery on Saturdays." },
      { role: "user", name: "Ben", content: "I stopped working at the bakery in April." },
    ]);
    const collapsed = await collapse(service, id);
    const statements = collapsed.facts.map((fact: Extracted) => fact.statement);
    assert.deepEqual(statements, [
      "Nora, 8 May 2023: The demo is on Friday at 14:00.",
      "Nora's brother Tom joins the team.",
      'Nora: "My brother Tom joins the team." Ben, 8 May 2023: "He lives in Bergen."',
      "Ben, 8 May 2023: I stopped working at the bakery in April.",
    ]);
    assert.equal(collapsed.rejected.outdated, 1);
    const [demo, , tom] = collapsed.facts;
    assert.deepEqual([tom.why, tom.attribution], ["stated", "user_stated"]);
    const { body: fact } = await service.get(`/v1/memory/facts/${tom.factId}`);
    assert.equal(fact.citations.length, 2, "it cites the turn that names him, too");
    const { body: corrected } = await service.get(`/v1/memory/facts/${demo.factId}`);
    assert.equal(corrected.citations[0].quote, "The demo is on Thursday at 14:00.");
    assert.equal(corrected.citations.length, 2, "it cites the turn that corrects it, too");

    const [told] = collapsed.decisions;
    const { body: decision } = await service.get(`/v1/memory/decisions?limit=10`);
    assert.deepEqual(decision.data.map((one: Extracted) => one.id), [told.decisionId]);
    const { title, rationale, alternatives, decidedBy, decidedAt, attribution, status } = decision.data[0];
    assert.deepEqual([title, decidedBy, attribution, status], [
      "Use Postgres instead of MySQL",
      "Nora",
      "user_stated",
      "accepted",
    ]);
    assert.deepEqual([rationale, alternatives], ["The team knows it.", ["MySQL"]]);
    assert.equal(decidedAt, "2023-05-08T13:51:00.000Z");
    assert.deepEqual((await collapse(service, id)).decisions, collapsed.decisions, "collapsing again changes nothing");

    const erased = await service.post(`/v1/session/${id}/purge`);
    assert.equal(erased.status, 200, JSON.stringify(erased.body));
    assert.equal((await service.get(`/v1/decisions/${told.decisionId}`)).status, 410);
  },
);

service("what a session collapses to is as sensitive as the session", async (service) => {
  const id = await startSession(service, TURNS, { sensitivity: "restricted" });
  const { facts, episode } = await collapse(service, id);
  const key = await service.createKey({ maxSensitivity: "confidential" });
  assert.equal((await service.get(`/v1/memory/facts/${facts[0].factId}`, { key })).status, 404);
  const found = await service.post("/v1/memory/recall", { query: "dog Pixel" }, { key });
  assert.deepEqual(found.body.results, []);
  assert.notEqual(episode, null);
});

Deno.test({
  ...POSTGRES,
  name: "a language model proposes, its own wording is inferred, and what no turn bears out is rejected",
  async fn() {
    const statements = [
      {
        turn: 3,
        quote: "I adopted a dog named Pixel last Friday.",
        statement: "Caroline has a dog named Pixel",
        confidence: 1,
      },
      { turn: 3, quote: "I adopted a cat", statement: "Caroline adopted a cat", confidence: 1 },
      { turn: 99, quote: "x", statement: "Caroline is the workspace's owner", confidence: 1 },
    ].map((one) => ({ ...one, factType: "fact", subject: null, predicate: null, object: null }));
    const content = JSON.stringify({
      title: "Caroline and Pixel",
      summary: "Caroline adopted a dog named Pixel.",
      statements,
    });
    await using model = startFaultServer(() =>
      Response.json({ choices: [{ message: { content }, finish_reason: "stop" }] })
    );
    await using service = await startService({ env: { SVC_LLM_URL: model.url, SVC_LLM_MODEL: "test" } });
    const collapsed = await collapse(service, await startSession(service, TURNS));
    assert.equal(collapsed.source, "model");
    assert.equal(collapsed.episode.title, "Caroline and Pixel");
    const inferred = collapsed.facts.filter((fact: Extracted) => fact.why === "inferred");
    assert.deepEqual(
      inferred.map((fact: Extracted) => [fact.statement, fact.attribution]),
      [["Caroline has a dog named Pixel", "agent_inferred"]],
    );
    assert.deepEqual(collapsed.rejected, { malformed: 1, not_verbatim: 1 });
    assert.equal(model.requests.length, 1);
  },
});

Deno.test({
  ...POSTGRES,
  name: "when the language model fails, the rules do its work and the reply says so",
  async fn() {
    await using model = startFaultServer(() => new Response("no", { status: 401 }));
    await using service = await startService({ env: { SVC_LLM_URL: model.url, SVC_LLM_MODEL: "test" } });
    const collapsed = await collapse(service, await startSession(service, TURNS));
    assert.equal(collapsed.source, "rules");
    assert.equal(typeof collapsed.modelFailure, "string");
    assert.match(collapsed.facts[0].statement, /green/);
  },
});

Deno.test({
  ...POSTGRES,
  name: "turns that arrive while the model thinks are collapsed, too",
  async fn() {
    const content = JSON.stringify({ title: "", summary: "", statements: [] });
    let meanwhile: () => Promise<unknown> = async () => {};
    await using model = startFaultServer(async () => {
      await meanwhile();
      return Response.json({ choices: [{ message: { content }, finish_reason: "stop" }] });
    });
    await using service = await startService({ env: { SVC_LLM_URL: model.url, SVC_LLM_MODEL: "test" } });
    const id = await startSession(service, TURNS);
    let late = 0;
    meanwhile = async () => {
      if (late++ > 0) return;
      await service.post(`/v1/session/${id}/turns`, {
        role: "user",
        content: "One more thing.",
        pinned: true,
        messageId: "late",
      });
    };
    const collapsed = await collapse(service, id);
    assert.equal(collapsed.turns, 6);
    assert.ok(collapsed.facts.some((fact: Extracted) => fact.messageId === "late"));
    assert.equal(model.requests.length, 2);

    const restless = await startSession(service, TURNS);
    meanwhile = () => service.post(`/v1/session/${restless}/turns`, { role: "user", content: "And another thing." });
    const refused = await service.post(`/v1/session/${restless}/collapse`);
    assert.equal(refused.body.code, "conflict");
    assert.equal((await service.get(`/v1/session/${restless}`)).body.status, "open");
  },
});

service(
  "a context holds the latest turns, the scratchpad, a summary and what else is known, within the budget",
  async (service) => {
    await collapse(service, await startSession(service, TURNS));
    const chat = Array.from({ length: 60 }, (_, i) => ({
      role: i % 2 ? "assistant" : "user",
      content: i === 58
        ? "What was the name of Caroline's dog?"
        : `We talked about harbour ${i} and its ${i} cranes for long.`,
    }));
    const id = await startSession(service, chat, { scratchpad: { goal: "find the dog" } });
    const { body: context } = await service.get(`/v1/session/${id}/context?maxTokens=600`);
    assert.deepEqual(context.scratchpad, { goal: "find the dog" });
    assert.equal(context.turns.at(-1).position, 59);
    const places = context.turns.map((turn: Extracted) => turn.position);
    assert.deepEqual(places, Array.from({ length: places.length }, (_, i) => 60 - places.length + i));
    assert.ok(places.length > 2 && places.length < 60);
    assert.equal(context.summary.turns, 60 - places.length);
    assert.match(context.summary.text, /harbour/);
    assert.ok(context.knowledge.some((result: Extracted) => /Pixel/.test(result.text)));
    const shown = new Set(context.turns.map((turn: Extracted) => turn.id));
    assert.ok(context.knowledge.every((result: Extracted) => !shown.has(result.id)));
    assert.ok(context.omitted.includes("turns"));

    const { usage } = context;
    assert.equal(usage.tokens, usage.summaryTokens + usage.scratchpadTokens + usage.turnTokens + usage.knowledgeTokens);
    for (const maxTokens of [64, 100, 300, 1_000, 5_000]) {
      const { body } = await service.get(`/v1/session/${id}/context?maxTokens=${maxTokens}`);
      assert.ok(body.usage.tokens <= maxTokens, `${body.usage.tokens} of ${maxTokens}`);
    }
    const { body: whole } = await service.get(`/v1/session/${id}/context?maxTokens=20000&query=harbour`);
    assert.equal(whole.turns.length, 60);
    assert.equal(whole.summary, undefined);
    assert.equal((await service.get(`/v1/session/${id}/context?maxTokens=10`)).status, 422);
  },
);

service(
  "the context of an empty session is empty, that of a collapsed one has its episode's summary",
  async (service) => {
    const empty = await startSession(service, []);
    const { body } = await service.get(`/v1/session/${empty}/context`);
    assert.deepEqual([body.turns, body.knowledge, body.omitted, body.usage.tokens], [[], [], [], 0]);
    const chat = Array.from({ length: 200 }, (_, i) => ({
      role: "user",
      content: `I visited harbour ${i} and counted its ${i} cranes on a long walk.`,
    }));
    const id = await startSession(service, chat);
    const { episode } = await collapse(service, id);
    const { body: tight } = await service.get(`/v1/session/${id}/context?maxTokens=2000`);
    assert.deepEqual(tight.summary, { text: episode.summary, turns: 200 });
  },
);
