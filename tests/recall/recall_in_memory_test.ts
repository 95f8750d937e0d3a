/** Full recall from memory finds the same as full recall from the database, and sees the writes of every process. */
import assert from "node:assert/strict";
import { createContext } from "../../src/context.ts";
import { hotTierOf } from "../../src/domain/recall/hot/tier.ts";
import { recallWith, toQueryVector } from "../../src/domain/recall/recall.ts";
import { RecallBody, type RecallReply } from "../../src/schema/recall.ts";
import type { Sensitivity } from "../../src/schema/common.ts";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { scrape, valueOf } from "../http/_metrics.ts";
import { createRandom } from "../../scripts/bench/_corpus.ts";
import { addSession, addUnits, turn } from "./_memory.ts";

const QUERIES = 2_000;
const CLEARANCES: readonly Sensitivity[] = ["internal", "confidential", "restricted"];

class Maker {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = createRandom(seed);
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  one<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
}

const PEOPLE = ["Caroline", "Melanie", "Gina", "Tobias", "Ana Kovac"];
const PLACES = ["Lisbon", "Porto", "Graz", "the harbour", "the old library", "Bergen"];
const THINGS = [
  "guinea pig",
  "database backup",
  "pottery class",
  "violin",
  "sailing boat",
  "tax report",
  "k8s cluster",
];
const DOINGS = ["sold", "repaired", "lost", "painted", "described", "cancelled", "paid for", "dreamed of"];
const TAGS = ["home", "work", "music", "travel"];
const DAYS = ["2023-05-08", "2023-05-09", "2023-06-01", "2024-02-29", "2026-03-05"];

function sentence(make: Maker): string {
  return make.one([
    () => `${make.one(PEOPLE)} ${make.one(DOINGS)} the ${make.one(THINGS)} in ${make.one(PLACES)}`,
    () => `I ${make.one(DOINGS)} my ${make.one(THINGS)} because the ${make.one(THINGS)} was too expensive`,
    () => `Do you remember the ${make.one(THINGS)} from ${make.one(PLACES)}?`,
    () =>
      `We met ${make.one(PEOPLE)} near ${make.one(PLACES)} and talked about food, wages and the ${make.one(THINGS)}`,
    () => `The "${make.one(THINGS)}" costs $${make.below(900)} and weighs ${make.below(40)} kilos`,
  ])();
}

/** Fills a workspace with everything that the index can contain, including ended and changed facts. */
async function fill(service: TestService, make: Maker): Promise<string[]> {
  const sessions: string[] = [];
  for (let i = 0; i < 12; i++) {
    const day = make.one(DAYS), speakers = [make.one(PEOPLE), make.one(PEOPLE)];
    const turns = Array.from(
      { length: 4 + make.below(14) },
      (_, at) =>
        turn(speakers[at % 2]!, sentence(make), { occurredAt: `${day}T10:${10 + at}:00Z`, messageId: `m${at}` }),
    );
    sessions.push((await addSession(service, turns)).sessionId);
  }
  const facts: string[] = [];
  const tell = async (body: Record<string, unknown>) => {
    const made = await service.post("/v1/memory/facts", body);
    assert.ok(made.status < 300, JSON.stringify(made.body));
    facts.push(made.body.id);
    return made.body.id as string;
  };
  for (let i = 0; i < 120; i++) {
    await tell({
      statement: sentence(make),
      ...(make.chance(0.5) && { tags: [make.one(TAGS)] }),
      ...(make.chance(0.3) && { sensitivity: make.one(["public", "confidential", "restricted"]) }),
      ...(make.chance(0.2) && { occurredAt: `${make.one(DAYS)}T00:00:00Z` }),
      ...(make.chance(0.1) && { validTo: `${make.one(["2024-01-01", "2027-01-01"])}T00:00:00Z` }),
      ...(make.chance(0.1) && { validFrom: `${make.one(["2025-01-01", "2027-02-01"])}T00:00:00Z` }),
      ...(make.chance(0.1) && { aliases: [make.one(THINGS)] }),
      ...(make.chance(0.2) && { citations: [{ sessionId: make.one(sessions), messageId: "m1" }] }),
      metadata: { level: make.below(5) },
    });
  }
  for (const person of PEOPLE) {
    for (const predicate of ["lives in", "drives", "likes"]) {
      for (let i = 0; i < 3; i++) {
        const object = make.one(predicate === "lives in" ? PLACES : THINGS);
        await tell({ statement: `${person} ${predicate} ${object}`, subject: person, predicate, object });
      }
    }
    await tell({ statement: `${person} banks with Barclays.` });
    await tell({ statement: `${person} banks with Monzo.` });
    await tell({ statement: `${person} moved to ${make.one(PLACES)}.` });
  }
  for (let i = 0; i < 40; i++) {
    const path = `/v1/memory/facts/${make.one(facts)}`;
    const what = make.below(7);
    if (what < 4) await service.patch(path, { statement: sentence(make) });
    else if (what === 4) await service.delete(path);
    else if (what === 5) await service.post(`${path.replace("/memory", "")}/pin`);
    else await service.patch(path, { sensitivity: make.one(["internal", "confidential", "restricted"]) });
  }
  return sessions;
}

function ask(make: Maker, sessions: readonly string[]): RecallBody {
  const query = make.one([
    () => `What did ${make.one(PEOPLE)} do with the ${make.one(THINGS)}?`,
    () => `${make.one(THINGS)} ${make.one(PLACES)}`,
    () => `Where does ${make.one(PEOPLE)} live?`,
    () => `who banks with Barclays`,
    () => sentence(make),
    () => `What happened in ${make.one(["May 2023", "March 2026", "February 2024"])}?`,
    () => `what did ${make.one(PEOPLE)} say on ${make.one(["8 May 2023", "29 February 2024"])}`,
    () =>
      make.one(["guinnea pigg", "violinn", "potery klass", "databse", "pizza and salary", "an instrument", "zzzz qqq"]),
    () => `where will ${make.one(PEOPLE)} be in February 2027?`,
    () => `what did I tell you about the ${make.one(THINGS)} today`,
    () => `${sentence(make)}. ${sentence(make)}. ${sentence(make)}. And the ${make.one(THINGS)}?`,
    () => "boat",
    // In other words than those of the texts.
    () => `Which ${make.one(["instrument", "vehicle", "pet", "meal"])} does ${make.one(PEOPLE)} have in town?`,
  ])();
  return RecallBody.parse({
    query,
    limit: make.one([1, 5, 10, 10, 30, 100]),
    include: ["trace"],
    ...(make.chance(0.3) && { minScore: make.one([0, 0, 0.1, 0.5]) }),
    ...(make.chance(0.2) &&
      { types: make.one([["fact"], ["turn"], ["entity"], ["fact", "turn"], ["entity", "fact"]]) }),
    ...(make.chance(0.1) && { sessionId: make.one(sessions) }),
    ...(make.chance(0.1) && { tags: [make.one(TAGS), make.one(TAGS)], tagsMatch: make.one(["any", "all"]) }),
    ...(make.chance(0.2) && {
      window: make.one([
        { from: `${make.one(DAYS)}T00:00:00Z`, to: "2026-12-31T00:00:00Z" },
        { from: "2023-05-09T00:00:00Z", to: "2023-05-10T00:00:00Z" },
        { from: "2026-01-01T00:00:00Z", to: "2026-02-01T00:00:00Z" },
        { from: "2026-12-01T00:00:00Z", to: "2027-02-01T00:00:00Z" },
      ]),
    }),
    ...(make.chance(0.1) && { minTrust: make.one([50, 80, 95]) }),
    ...(make.chance(0.2) && { maxSensitivity: make.one(CLEARANCES) }),
    ...(make.chance(0.1) && { maxTokens: make.one([5, 40, 200]) }),
    ...(make.chance(0.15) && {
      filters: make.one([
        { "metadata.level": { gte: make.below(5) } },
        { NOT: { tags: { contains: make.one(TAGS) } } },
        { OR: [{ pinned: { eq: true } }, { role: { eq: "user" } }] },
        { occurredAt: { lt: "2024-01-01T00:00:00Z" } },
      ]),
    }),
  });
}

/** The content of a reply, without times and identifiers of the reply. */
function toContent({ usage, tiers, traceId: _, trace, ...reply }: RecallReply) {
  const { roundTrips: __, ...traced } = trace!;
  return { ...reply, tokens: usage.tokens, tiers: tiers.map(({ durationMs: _, ...tier }) => tier), trace: traced };
}

async function readSources(service: TestService): Promise<Record<"memory" | "database", number>> {
  const families = await scrape(service);
  const countOf = (source: string) => valueOf(families, "svc_recall_sources_total", { source });
  return { memory: countOf("memory"), database: countOf("database") };
}

Deno.test({
  ...POSTGRES,
  name: "full recall from memory gives the results of full recall from the database, for 2,000 requests",
  async fn() {
    await using service = await startService({ env: { SVC_SENTENCE_ENCODER: "table" } });
    const make = new Maker(7);
    const sessions = await fill(service, make);
    for (const maxSensitivity of CLEARANCES) {
      const ctx = contextOf(service, maxSensitivity);
      await waitFor("the workspace in memory", () => hotTierOf(service.deps).findComplete(ctx));
    }
    const before = await readSources(service);
    for (let i = 0; i < QUERIES; i++) {
      const body = ask(make, sessions);
      const ctx = contextOf(service, make.one(CLEARANCES));
      const [vector] = await service.deps.embeddings.embed([body.query], { purpose: "query" });
      const query = make.chance(0.05) ? undefined : toQueryVector(ctx, vector!, "encoder");
      const database = await recallWith(ctx, body, query, "database");
      const memory = await recallWith(ctx, body, query);
      assert.deepEqual(toContent(memory), toContent(database), `${i}: ${ctx.maxSensitivity} ${JSON.stringify(body)}`);
    }
    const after = await readSources(service);
    // While workers write, the tier may lag behind for a moment; in that case the database answers.
    const share = (after.memory - before.memory) / QUERIES;
    assert.ok(share > 0.9 && share <= 1, `every other recall is ranked in memory: ${share}`);
  },
});

function contextOf(service: TestService, maxSensitivity: Sensitivity) {
  const operator = service.operator();
  return createContext(service.deps, { ...operator, maxSensitivity }, operator);
}

const FULL = "/v1/memory/recall";

async function holdWhole(service: TestService, workspaceId?: string): Promise<void> {
  await waitFor("the workspace in memory", () => hotTierOf(service.deps).findComplete(service.operator(workspaceId)));
}

/** The texts that full recall finds, and whether it ranked them in memory or in the database. */
async function find(
  service: TestService,
  query: string,
  key: string = service.key,
  more: Record<string, unknown> = {},
) {
  const before = await readSources(service);
  const { status, body } = await service.post(FULL, { query, ...more }, { key });
  assert.equal(status, 200, JSON.stringify(body));
  const after = await readSources(service);
  const source = after.memory > before.memory ? "memory" : "database";
  return { source, texts: [...body.results, ...body.pinned].map(({ text }: { text: string }) => text) };
}

/**
 * Asks until the answer comes from memory: while the tier still follows a write, the database answers. Checks that
 * every answer is the wanted one.
 */
async function expectTexts(
  service: TestService,
  query: string,
  wanted: readonly string[],
  key?: string,
  more?: Record<string, unknown>,
): Promise<void> {
  await waitFor("an answer from memory", async () => {
    const { source, texts } = await find(service, query, key, more);
    assert.deepEqual(texts, wanted, `${query}, from ${source}`);
    return source === "memory";
  });
}

Deno.test({
  ...POSTGRES,
  name: "full recall from memory sees what another process wrote and erased, with no notification",
  async fn() {
    await using database = await createDatabase();
    await using one = await startService({ database });
    await using two = await startService({ database });
    const key = await two.createKey({ workspaceId: one.workspaceId });
    const made = await one.post("/v1/memory/facts", { statement: "The guinea pig is called Oscar" });
    await holdWhole(two, one.workspaceId);
    hotTierOf(two.deps).noteSeq = () => {};
    const expect = (query: string, texts: readonly string[]) => expectTexts(two, query, texts, key);
    await expect("guinea pig", ["The guinea pig is called Oscar"]);
    const next = await one.post("/v1/memory/facts", { statement: "The invoice is due on Friday" });
    await expect("invoice", ["The invoice is due on Friday"]);
    await one.patch(`/v1/memory/facts/${next.body.id}`, { statement: "The invoice is due on Monday" });
    await expect("invoice", ["The invoice is due on Monday"]);
    await one.post(`/v1/facts/${made.body.id}/forget`, { mode: "erase" });
    await expect("guinea pig", []);
    await addSession(one, [turn("Jon", "My parrot sings all day")]);
    await expect("parrot", ["My parrot sings all day"]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "full recall from memory shows nothing above the clearance, and not what became more sensitive",
  async fn() {
    await using service = await startService();
    const low = await service.createKey({ maxSensitivity: "internal" });
    const made = await service.post("/v1/memory/facts", { statement: "The guinea pig eats quinoa" });
    await service.post("/v1/memory/facts", {
      statement: "The guinea pig guards the password",
      sensitivity: "restricted",
    });
    await waitFor("both clearances in memory", async () => {
      const found = [await find(service, "guinea pig"), await find(service, "guinea pig", low)];
      return found.every(({ source }) => source === "memory");
    });
    assert.equal((await find(service, "guinea pig", service.key, { minScore: 0 })).texts.length, 2);
    await expectTexts(service, "guinea pig", ["The guinea pig eats quinoa"], low);
    await expectTexts(service, "passwrod", [], low);
    await expectTexts(service, "passwrod", ["The guinea pig guards the password"]);
    await service.patch(`/v1/memory/facts/${made.body.id}`, { sensitivity: "restricted" });
    await expectTexts(service, "guinea pig", [], low);
    await expectTexts(service, "guinea pig", [], service.key, { maxSensitivity: "internal" });
    await addSession(service, [turn("Jon", "A secret parrot")], { session: { sensitivity: "restricted" } });
    await expectTexts(service, "parrot", [], low);
    await expectTexts(service, "parrot", ["A secret parrot"]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "what asks for more than the tier holds is ranked from the database",
  async fn() {
    await using service = await startService();
    await service.post("/v1/memory/facts", { statement: "The guinea pig is called Oscar" });
    await holdWhole(service);
    const sourceOf = async (more: Record<string, unknown>) =>
      (await find(service, "guinea pig", service.key, more)).source;
    assert.equal(await sourceOf({}), "memory");
    for (
      const more of [
        { asOf: "2026-01-01T00:00:00Z" },
        { knownAt: "2026-01-01T00:00:00Z" },
        { include: ["superseded"] },
        { include: ["neighbours"] },
        { match: "named" },
        { filters: { AND: [{ NOT: { worth: { lt: 0.1 } } }] } },
      ]
    ) assert.equal(await sourceOf(more), "database", JSON.stringify(more));
    await using small = await startService({ env: { SVC_HOT_UNITS_MAX: "20" } });
    await addUnits(small.operator(), Array.from({ length: 30 }, (_, i) => ({ text: `The guinea pig number n${i}` })));
    for (let i = 0; i < 5; i++) assert.equal((await find(small, "guinea pig")).source, "database");
    assert.deepEqual(hotTierOf(small.deps).sizes(), [], "nothing is loaded of what does not fit");
  },
});

Deno.test({
  ...POSTGRES,
  name: "where the tier lacks a text that the index has, the database ranks",
  async fn() {
    await using service = await startService();
    const made = await service.post("/v1/memory/facts", { statement: "The guinea pig is called Oscar" });
    await holdWhole(service);
    await expectTexts(service, "guinea pig", ["The guinea pig is called Oscar"]);
    const whole = await waitFor("the tier", () => hotTierOf(service.deps).findComplete(service.operator()));
    whole.index.remove(made.body.id);
    await service.post("/v1/memory/facts", { statement: "The hamster is called Max" });
    const found = await find(service, "guinea pig");
    assert.deepEqual(found, { source: "database", texts: ["The guinea pig is called Oscar"] });
  },
});
