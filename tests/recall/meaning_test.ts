/** Recall by meaning, with the sentence encoder of the default. */
import assert from "node:assert/strict";
import { hotTierOf } from "../../src/domain/recall/hot/tier.ts";
import { embedWorkspace } from "../../src/domain/upkeep/embedding.ts";
import { ENCODER_MODEL, TABLE_MODEL } from "../../src/providers/sentence_encoder/sentence_encoder.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { addSession, turn } from "./_memory.ts";

const FULL = "/v1/memory/recall", HOT = "/v1/memory/recall/hot";
const ON = { SVC_SENTENCE_ENCODER: "on" };
const FACTS = [
  "Ada prefers mail when a backup fails.",
  "Ruth keeps bees behind the garage.",
  "The van has its inspection in the last week of May.",
  "Our landlord wants the rent by standing order.",
  "Milo is afraid of thunder.",
];
/** For each fact a question that shares no word of meaning with it, but for names. */
const QUESTIONS = [
  "How does Ada want to be told?",
  "Who makes honey at home?",
  "When does the car need its technical check?",
  "How should we pay for the flat?",
  "What scares the dog at night?",
];

async function firstOf(service: TestService, path: string, query: string): Promise<string | undefined> {
  const { status, body } = await service.post(path, { query });
  assert.equal(status, 200, JSON.stringify(body));
  return body.results[0]?.text;
}

/** How many texts have a vector of each model. */
async function countModels(service: TestService): Promise<Record<string, number>> {
  const rows = await service.operator().tx((tx) =>
    tx.sql<{ model: string; n: number }[]>`
      select model, count(*)::int as n from embedding where workspace_id = ${tx.workspaceId} group by model`
  );
  return Object.fromEntries(rows.map(({ model, n }) => [model, n]));
}

for (const embedded of POSTGRES.ignore ? [true] : [true, false]) {
  Deno.test({
    name: `a question in other words finds its fact right after the write, on the ${
      embedded ? "embedded" : "native"
    } database, and in hot recall`,
    async fn() {
      await using service = await startService({ env: ON, embedded });
      await waitFor("the encoder", async () => {
        await service.deps.embeddings.warmUp!();
        return true;
      });
      for (const statement of FACTS) {
        const { status } = await service.post("/v1/memory/facts", { statement });
        assert.equal(status, 201);
      }
      for (const [i, question] of QUESTIONS.entries()) assert.equal(await firstOf(service, FULL, question), FACTS[i]);
      await waitFor("the hot tier", () => hotTierOf(service.deps).find(service.operator()));
      for (const [i, question] of QUESTIONS.entries()) {
        assert.equal(await firstOf(service, FULL, question), FACTS[i], `${question}, from memory`);
      }
      const hot = await Promise.all(QUESTIONS.map((question) => firstOf(service, HOT, question)));
      const right = hot.filter((text, i) => text === FACTS[i]).length;
      // The table knows less than the encoder.
      assert.ok(hot[0] === FACTS[0] && right >= 3, JSON.stringify(hot));
      assert.deepEqual((await service.post(FULL, { query: "What is the tax rate in Peru?" })).body.results, []);
    },
  });
}

Deno.test({
  ...POSTGRES,
  name: "many texts have the table's vectors at once and the encoder's later, and memory learns of these",
  async fn() {
    await using service = await startService({ env: ON });
    const ctx = service.operator();
    await service.deps.embeddings.warmUp!();
    const talk = Array.from(
      { length: 40 },
      (_, i) => ({ role: "user", content: `Note ${i}: nothing of interest today.` }),
    );
    await addSession(service, [...talk, { role: "user", content: FACTS[1] }]);
    assert.equal((await countModels(service))[TABLE_MODEL], 41);
    const index = await waitFor("the hot tier", () => hotTierOf(service.deps).find(ctx));
    assert.equal(index.vectors.size, 41);
    assert.equal(index.vectors.expected.size, 41);
    const health = async () => (await service.get("/v1/memory/health")).body.embeddingBacklog;
    assert.equal(await health(), 41);
    while (await embedWorkspace(ctx));
    assert.deepEqual(await countModels(service), { [ENCODER_MODEL]: 41 });
    assert.equal(await health(), 0);
    await waitFor("memory has them, too", async () => {
      assert.equal(await firstOf(service, FULL, QUESTIONS[1]), FACTS[1]);
      return index.vectors.expected.size === 0;
    });
  },
});

Deno.test({
  ...POSTGRES,
  name: "vectors that an earlier build made are replaced while the service answers, also where only the table is used",
  async fn() {
    for (const [mode, model] of [["on", ENCODER_MODEL], ["table", TABLE_MODEL]] as const) {
      await using service = await startService({ env: { SVC_SENTENCE_ENCODER: mode } });
      const ctx = service.operator();
      for (const statement of FACTS) await service.post("/v1/memory/facts", { statement });
      await ctx.tx((tx) =>
        tx.sql`update embedding set model = 'svc-hashed-384-v1', vector = array_fill(0.05::real, array[384])::vector
                where workspace_id = ${tx.workspaceId}`
      );
      assert.equal(await firstOf(service, FULL, "Which bees does Ruth keep?"), FACTS[1]);
      while (await embedWorkspace(ctx));
      assert.deepEqual(Object.keys(await countModels(service)), [model]);
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "the encoder's vectors stay where it is switched off, and are compared with questions from the table",
  async fn() {
    await using first = await startService({ env: ON });
    await first.deps.embeddings.warmUp!();
    for (const statement of FACTS) await first.post("/v1/memory/facts", { statement });
    assert.equal((await countModels(first))[ENCODER_MODEL], FACTS.length);
    await using second = await startService({ database: first.database!, env: { SVC_SENTENCE_ENCODER: "table" } });
    const key = await second.createKey({ workspaceId: first.workspaceId });
    const ctx = second.operator(first.workspaceId);
    while (await embedWorkspace(ctx));
    assert.equal((await countModels(first))[ENCODER_MODEL], FACTS.length);
    const { body } = await second.post(FULL, { query: QUESTIONS[0] }, { key });
    assert.equal(body.results[0]?.text, FACTS[0]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "a question for all that is known of a name needs no text with the words that frame it",
  async fn() {
    await using service = await startService({ env: ON });
    const framing = [
      "Tell the plumber to ring twice.",
      "She likes to talk about kinds of cheese.",
      "Name the way home.",
    ];
    const named = ["Will bakes bread in Oslo.", "An plays chess.", "IT sells old laptops.", "Quorra drives trams."];
    for (const statement of [...framing, ...named]) await service.post("/v1/memory/facts", { statement });
    for (const statement of named) {
      const [name] = statement.split(" ");
      for (const query of [`Tell me about ${name}.`, `talk to me about ${name}`, `Who is ${name}?`]) {
        for (const path of [FULL, HOT]) {
          assert.equal(await firstOf(service, path, query), statement, `${query} ${path}`);
        }
      }
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "a bare identifier or emoji finds the text that has it, and none that only looks alike",
  async fn() {
    await using service = await startService({ env: ON });
    const told = [
      ["Ida's IBAN is AT61 1904 3002 3457 3201.", "AT611904300234573201"],
      ["Donations go to CH93-0076-2011-6238-5295-7.", "CH9300762011623852957"],
      ["Call the clinic on 1-800-555-0199.", "18005550199"],
      ["Emergency desk: 0800 22 33 44.", "0800223344"],
      ["Flight LH 0441 leaves at noon.", "LH0441"],
      ["The VIN is WVWZZZ1JZXW000001.", "wvwzzz1jzxw000001"],
      ["Parcel 00340434292135100186 is in Leipzig.", "00340434292135100186"],
      ["The commit 9fceb02d fixed the race.", "9FCEB02D"],
      ["👩‍🚀 stands for the launch crew.", "👩‍🚀"],
      ["🇵🇹 is the flag on the office door.", "🇵🇹"],
      ["Kim hates 🥥.", "🥥"],
    ] as const;
    for (const [statement] of told) await service.post("/v1/memory/facts", { statement });
    for (const [statement, query] of told) {
      for (const path of [FULL, HOT]) {
        const { body } = await service.post(path, { query });
        assert.deepEqual(body.results.map(({ text }: { text: string }) => text), [statement], `${query} ${path}`);
      }
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "a question in another language is answered by its words, as without an encoder",
  async fn() {
    await using on = await startService({ env: ON });
    await using off = await startService();
    const told = ["Der Hund von Ruth heißt Balu.", "Мой врач принимает по средам.", "Milo is afraid of thunder."];
    for (const service of [on, off]) {
      for (const statement of told) await service.post("/v1/memory/facts", { statement });
    }
    for (const query of ["Wie heißt der Hund?", "Когда принимает врач?", "¿De qué tiene miedo Milo?"]) {
      const [one, other] = await Promise.all([on, off].map(async (service) => {
        const { body } = await service.post(FULL, { query });
        return body.results.map(({ text, score, tier }: Record<string, unknown>) => [text, score, tier]);
      }));
      assert.deepEqual(one, other, query);
      assert.ok(one.length > 0, query);
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "what is known of somebody who also speaks is found in other words, not only what the graph is sure of",
  async fn() {
    await using service = await startService({ env: ON });
    const said = (name: string, content: string) => ({ role: "user", name, content });
    await addSession(service, [
      said("Marguerite", "Hello, my dishwasher arrived with a dent in the door."),
      said("Nadia", "I still have to give notice, so we pay double in July."),
      said("Marguerite", "The young man on the phone was very rude."),
    ]);
    const statement = "Marguerite settled it by bank transfer, without a card.";
    assert.equal((await service.post("/v1/memory/facts", { statement })).status, 201);
    for (const path of [FULL, HOT]) {
      const { body } = await service.post(path, { query: "How did Marguerite pay?" });
      const texts = body.results.map(({ text }: { text: string }) => text);
      assert.ok(texts.includes(statement), `${path} ${JSON.stringify(texts)}`);
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "a turn is as near to a question that names who speaks as to the question with I for the name; a fact is not",
  async fn() {
    await using service = await startService({ env: { SVC_SENTENCE_ENCODER: "table" } });
    await addSession(service, [
      turn("Maria Lund", "I made a peach cobbler on Sunday."),
      turn("Bo", "We repaired the fence and the gate."),
    ]);
    await service.post("/v1/memory/facts", { statement: "Maria bakes sweet things on weekends." });
    const nearnessOf = async (query: string) => {
      const { body } = await service.post("/v1/memory/recall/explain", { query, minScore: 0 });
      type Arm = { readonly arm: string; readonly score: number };
      type Explained = { readonly text: string; readonly scoreDetails: { readonly arms: readonly Arm[] } };
      return new Map(
        (body.results as Explained[]).flatMap(({ text, scoreDetails: { arms } }) =>
          arms.flatMap(({ arm, score }) => arm === "semantic" ? [[text, score] as const] : [])
        ),
      );
    };
    const [named, plain] = [
      await nearnessOf("What desserts has Maria made?"),
      await nearnessOf("What desserts has I made?"),
    ];
    assert.ok(named.size >= 2, JSON.stringify([...named]));
    for (const [text, near] of named) assert.equal(near === plain.get(text), !text.startsWith("Maria"), text);
  },
});
