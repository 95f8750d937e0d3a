/**
 * The promises of recall over HTTP: every option and filter, on the full search and, if it takes it, on the hot tier.
 */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { type Reply, startService, type TestService } from "../_service.ts";
import { addSession, addUnits, turn } from "../recall/_memory.ts";

import { FEATURES } from "../../src/retrieval/mod.ts";
import { RECALL_SIGNALS } from "../../src/schema/recall_signals.ts";
import { scrape, valueOf } from "./_metrics.ts";

const FULL = "/v1/memory/recall";
const HOT = "/v1/memory/recall/hot";

function ids(reply: Reply): string[] {
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  // deno-lint-ignore no-explicit-any
  return reply.body.results.map((result: any) => result.id);
}

/** Asks both tiers; for the texts that it holds, the hot tier must answer like the full search. */
async function askBoth(service: TestService, body: Record<string, unknown>): Promise<string[]> {
  const full = ids(await service.post(FULL, body)), hot = ids(await service.post(HOT, body));
  assert.deepEqual(new Set(hot), new Set(full), `hot and full differ for ${JSON.stringify(body)}`);
  return full;
}

const TALK = [
  turn("Caroline", "Hey Mel! Good to see you! How have you been?"),
  turn("Melanie", "I ran a charity race for mental health last Saturday."),
  turn("Caroline", "That is great! I adopted a guinea pig named Oscar.", {
    tags: ["pets", "home"],
    metadata: { mood: "happy" },
  }),
  turn("Melanie", "Where does Oscar sleep?", { role: "assistant" }),
];

Deno.test({
  ...POSTGRES,
  name: "a turn is recalled as soon as its write is answered, by every face of recall",
  async fn() {
    await using service = await startService();
    // The hot tier holds the empty workspace before anything is written.
    assert.deepEqual(ids(await service.post(HOT, { query: "guinea pig" })), []);
    const { turnIds, sessionId } = await addSession(service, TALK);
    const query = "Which guinea pig did Caroline adopt?";
    for (const path of [FULL, HOT, "/v1/recall", "/v1/memory/recall/unified", "/v1/memory/recall/explain"]) {
      const reply = await service.post(path, { query });
      assert.equal(ids(reply)[0], turnIds[2], path);
      const [first] = reply.body.results;
      assert.equal(first.type, "turn");
      assert.equal(first.sessionId, sessionId);
      assert.equal(first.name, "Caroline");
      assert.equal(first.trustScore, 90);
      assert.equal(first.occurredAt, "2023-05-08T13:56:00.000Z");
      assert.ok(reply.body.evidenceConfidence > 0 && reply.body.usage.tokens > 0 && reply.body.traceId.length > 0);
    }
    const batch = await service.post(`${FULL}/batch`, { queries: [{ query }, { query: "charity race", limit: 1 }] });
    assert.deepEqual(batch.body.recalls.map((recall: Reply["body"]) => recall.results[0].id), [turnIds[2], turnIds[1]]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "another workspace and a lower clearance see nothing, in any tier and as any type",
  async fn() {
    await using service = await startService();
    await addSession(service, TALK, { session: { sensitivity: "confidential" } });
    await addUnits(service.operator(), [
      { text: "Caroline keeps a guinea pig", sensitivity: "restricted", pinned: true },
      { text: "Guinea pigs need hay", sensitivity: "public" },
    ]);
    const stranger = await service.createKey({ workspaceId: await service.createWorkspace() });
    const low = await service.createKey({ maxSensitivity: "internal" });
    const middle = await service.createKey({ maxSensitivity: "confidential" });
    for (const path of [FULL, HOT, "/v1/memory/recall/unified"]) {
      const ask = async (key: string, more = {}) => {
        const reply = await service.post(path, { query: "guinea pig Oscar", ...more }, { key });
        return [...reply.body.results, ...reply.body.pinned].map((result: Reply["body"]) => result.text);
      };
      assert.deepEqual(await ask(stranger), [], path);
      assert.deepEqual(await ask(low), ["Guinea pigs need hay"], path);
      assert.equal((await ask(middle)).some((text) => text.includes("Oscar")), true, path);
      assert.equal((await ask(middle)).includes("Caroline keeps a guinea pig"), false, path);
      assert.equal((await ask(service.key)).includes("Caroline keeps a guinea pig"), true, path);
      // A caller may lower the bound, and not raise it.
      assert.deepEqual(await ask(service.key, { maxSensitivity: "public" }), ["Guinea pigs need hay"], path);
      assert.deepEqual(await ask(low, { maxSensitivity: "restricted" }), ["Guinea pigs need hay"], path);
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "every filter keeps what it names and refuses the rest, alike in both tiers",
  async fn() {
    await using service = await startService();
    const talk = await addSession(service, TALK);
    const other = await addSession(service, [
      turn("Jon", "My guinea pig is called Flora.", { occurredAt: "2023-07-01T10:00:00Z" }),
    ]);
    const [fact, decision] = await addUnits(service.operator(), [
      {
        text: "Caroline adopted a guinea pig",
        tags: ["pets"],
        trustScore: 45,
        metadata: { source: { app: "chat" }, weight: 3 },
        occurredAt: new Date("2023-05-07T00:00:00Z"),
        body: {
          factType: "observation",
          subject: "Caroline",
          citations: [{ messageId: "m1", sessionId: talk.sessionId }],
        },
      },
      {
        text: "We buy hay for the guinea pig every week",
        type: "decision",
        status: "accepted",
        tags: ["pets", "home"],
      },
    ]);
    const pig = talk.turnIds[2], flora = other.turnIds[0];
    const query = "guinea pig";
    const expect = async (filter: Record<string, unknown>, wanted: string[]) => {
      const found = (await askBoth(service, { query, ...filter })).filter((id) =>
        [pig, flora, fact.id, decision.id].includes(id)
      );
      assert.deepEqual(new Set(found), new Set(wanted), JSON.stringify(filter));
    };
    await expect({}, [pig, flora, fact.id, decision.id]);
    await expect({ types: ["turn"] }, [pig, flora]);
    await expect({ types: ["fact", "decision"] }, [fact.id, decision.id]);
    await expect({ sessionId: talk.sessionId }, [pig, fact.id]);
    await expect({ sessionId: crypto.randomUUID() }, []);
    await expect({ tags: ["pets"] }, [pig, fact.id, decision.id]);
    await expect({ tags: ["pets", "home"], tagsMatch: "all" }, [pig, decision.id]);
    await expect({ minTrust: 90 }, [pig, flora, decision.id]);
    await expect({ window: { from: "2023-05-01T00:00:00Z", to: "2023-06-01T00:00:00Z" } }, [pig, fact.id]);
    await expect({ filters: { "metadata.source.app": { eq: "chat" } } }, [fact.id]);
    await expect({ filters: { "metadata.weight": { gte: 3, lt: 4 } } }, [fact.id]);
    await expect({ filters: { "metadata.mood": { in: ["happy", "sad"] } } }, [pig]);
    await expect({ filters: { OR: [{ name: { eq: "Jon" } }, { type: { eq: "decision" } }] } }, [flora, decision.id]);
    await expect({ filters: { AND: [{ tags: { contains: "pets" } }, { NOT: { role: { eq: "user" } } }] } }, [
      fact.id,
      decision.id,
    ]);
    await expect({ filters: { occurredAt: { gt: "2023-06-01T02:00:00+02:00" } } }, [flora]);
    await expect({ filters: { factType: { ne: "observation" } } }, [pig, flora, decision.id]);
    await expect({ filters: { subject: { contains: "arol" } } }, [fact.id]);
    await expect({ filters: { sessionId: { eq: talk.sessionId } } }, [pig, fact.id]);
    await expect({ filters: { status: { eq: "accepted" }, updatedAt: { ne: null } } }, [decision.id]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "the window keeps what happened in it and what holds at some time in it, alike in both tiers and for explain",
  async fn() {
    await using service = await startService();
    const day = (text: string) => new Date(`${text}T00:00:00Z`);
    const times = {
      bounded: { validFrom: day("2020-01-01"), validTo: day("2090-01-01") },
      lasting: { validFrom: day("2020-01-01") },
      ending: { validTo: day("2090-01-01") },
      happened: { occurredAt: day("2022-06-01") },
      both: { occurredAt: day("2019-06-01"), validFrom: day("2020-01-01") },
      timeless: { recordedAt: day("2022-07-01") },
      ended: { validFrom: day("2020-01-01"), validTo: day("2024-01-01") },
      moment: { validFrom: day("2022-01-01"), validTo: day("2022-01-01"), status: "superseded" },
    };
    const names = Object.keys(times) as (keyof typeof times)[];
    const units = await addUnits(
      service.operator(),
      names.map((name) => ({ text: `The walrus of ${name}`, ...times[name] })),
    );
    const nameOf = new Map(units.map(({ id }, i) => [id, names[i]!]));
    const expect = async (from: string, to: string, wanted: string[]) => {
      const body = { query: "walrus", limit: 100, minScore: 0, window: { from: day(from), to: day(to) } };
      assert.deepEqual((await askBoth(service, body)).map((id) => nameOf.get(id)).sort(), wanted, `${from} to ${to}`);
    };
    const holding = ["both", "bounded", "ending", "lasting"];
    await expect("2022-01-01", "2023-01-01", [...holding, "happened", "timeless"].sort());
    await expect("2022-06-01", "2022-06-02", [...holding, "happened"].sort());
    await expect("2022-05-01", "2022-06-01", holding);
    await expect("2019-12-31", "2020-01-01", ["ending"]);
    await expect("2019-06-01", "2019-06-02", ["both", "ending"]);
    await expect("2020-01-01", "2020-01-02", holding);
    await expect("2089-12-31", "2099-01-01", holding);
    await expect("2090-01-01", "2099-01-01", ["both", "lasting"]);
    // A query for that time finds units that have ended since.
    const past = { query: "walrus", limit: 100, minScore: 0, asOf: day("2021-06-01") };
    const window = { from: day("2022-01-01"), to: day("2023-01-01") };
    const ask = async (more: object) =>
      ids(await service.post(FULL, { ...past, window, ...more })).map((id) => nameOf.get(id));
    assert.ok((await ask({})).includes("ended"));
    assert.ok(
      (await ask({ include: ["superseded"] })).includes("moment"),
      "what held for no time at all is of its day",
    );
    const explainIds = units.map(({ id }) => id);
    const late = { from: day("2091-01-01"), to: day("2092-01-01") };
    const { body } = await service.post("/v1/memory/recall/explain", { ...past, window: late, explainIds });
    const refused = body.whyNot.filter(({ explanation }: Reply["body"]) => explanation.includes("in the window"));
    assert.deepEqual(
      refused.map(({ id }: Reply["body"]) => nameOf.get(id)).sort(),
      names.filter((name) => !["both", "lasting"].includes(name)).sort(),
    );
  },
});

Deno.test({
  ...POSTGRES,
  name: "unknown options and filters that mean nothing are refused",
  async fn() {
    await using service = await startService();
    const wrong: Record<string, unknown>[] = [
      { query: "x", topK: 3 },
      { query: " " },
      { query: "x".repeat(4097) },
      { query: "x", limit: 101 },
      { query: "x", types: ["memo"] },
      { query: "x", filters: { colour: { eq: "red" } } },
      { query: "x", filters: { "metadata.a": { like: "red" } } },
      { query: "x", filters: { "metadata.a": {} } },
      { query: "x", filters: { createdAt: { gt: "yesterday" } } },
      { query: "x", window: { from: "2024-01-02T00:00:00Z", to: "2024-01-01T00:00:00Z" } },
      { query: "x", include: ["everything"] },
    ];
    for (const body of wrong) {
      assert.equal((await service.post(FULL, body)).status, 422, JSON.stringify(body).slice(0, 80));
    }
    for (
      const body of [{ asOf: "2024-01-01T00:00:00Z" }, { knownAt: "2024-01-01T00:00:00Z" }, { include: ["superseded"] }]
    ) {
      assert.equal((await service.post(HOT, { query: "x", ...body })).status, 422);
    }
    assert.equal((await service.post(`${FULL}/batch`, { queries: Array(51).fill({ query: "x" }) })).status, 422);
  },
});

Deno.test({
  ...POSTGRES,
  name: "only what is in force is recalled, unless another time or what was true is asked for",
  async fn() {
    await using service = await startService();
    const day = (n: number) => new Date(Date.UTC(2024, 0, n));
    const [live, old, archived, expired, future] = await addUnits(service.operator(), [
      { text: "The office of Acme is in Lisbon", status: "active", validFrom: day(10) },
      { text: "The office of Acme is in Porto", status: "superseded", validFrom: day(1), validTo: day(10) },
      { text: "The office of Acme is in Braga", status: "archived" },
      { text: "The office of Acme is in Faro", status: "expired", validFrom: day(1), expiresAt: day(5) },
      { text: "The office of Acme is in Evora", status: "active", validFrom: new Date("2999-01-01T00:00:00Z") },
    ]);
    const query = "Where is the office of Acme?";
    const ask = async (more: Record<string, unknown>) => new Set(ids(await service.post(FULL, { query, ...more })));
    assert.deepEqual(new Set(await askBoth(service, { query })), new Set([live.id]));
    assert.deepEqual(await ask({ include: ["superseded"] }), new Set([live.id, old.id]));
    assert.deepEqual(await ask({ asOf: "2024-01-03T00:00:00Z" }), new Set([old.id, expired.id]));
    assert.deepEqual(await ask({ asOf: "2024-01-07T00:00:00Z" }), new Set([old.id]));
    assert.deepEqual(await ask({ asOf: "2999-06-01T00:00:00Z" }), new Set([live.id, future.id]));
    assert.equal((await ask({ asOf: "2024-01-03T00:00:00Z" })).has(archived.id), false);
  },
});

Deno.test({
  ...POSTGRES,
  name: "knownAt and asOf together give what was known then about the world then",
  async fn() {
    let now = new Date("2024-03-01T00:00:00Z");
    await using service = await startService({ clock: () => now });
    const created = await service.post("/v1/memory/facts", {
      statement: "The office of Acme is in Porto",
      validFrom: "2024-01-01T00:00:00Z",
    });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    now = new Date("2024-03-10T00:00:00Z");
    // Found out later: it was Lisbon all along, from February on.
    const patched = await service.patch(`/v1/memory/facts/${created.body.id}`, {
      statement: "The office of Acme is in Lisbon",
      validFrom: "2024-02-01T00:00:00Z",
    });
    assert.equal(patched.status, 200, JSON.stringify(patched.body));
    now = new Date("2024-03-20T00:00:00Z");
    const ask = async (more: Record<string, unknown>) => {
      const reply = await service.post(FULL, { query: "Where is the office of Acme?", ...more });
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      return reply.body.results.map((result: Reply["body"]) => result.text);
    };
    const [porto, lisbon] = ["The office of Acme is in Porto", "The office of Acme is in Lisbon"];
    assert.deepEqual(await ask({}), [lisbon]);
    assert.deepEqual(await ask({ knownAt: "2024-03-05T00:00:00Z" }), [porto]);
    assert.deepEqual(await ask({ knownAt: "2024-02-05T00:00:00Z" }), []);
    assert.deepEqual(await ask({ asOf: "2024-01-15T00:00:00Z" }), []);
    assert.deepEqual(await ask({ asOf: "2024-01-15T00:00:00Z", knownAt: "2024-03-05T00:00:00Z" }), [porto]);
    assert.deepEqual(await ask({ asOf: "2023-12-15T00:00:00Z", knownAt: "2024-03-05T00:00:00Z" }), []);
    const why = await service.post(`${FULL}/explain`, {
      query: "Where is the office of Acme?",
      knownAt: "2024-02-05T00:00:00Z",
      explainIds: [created.body.id],
    });
    assert.equal(why.body.whyNot[0].reason, "filtered");
    assert.match(why.body.whyNot[0].explanation, /not known/);
  },
});

Deno.test({
  ...POSTGRES,
  name: "a selective filter finds its row behind a thousand others that match as well",
  async fn() {
    await using service = await startService();
    for (let i = 0; i < 3; i++) {
      await addUnits(
        service.operator(),
        Array.from({ length: 500 }, (_, n) => ({ text: `The guinea pig eats hay at noon, report ${i * 500 + n}` })),
      );
    }
    const [rare] = await addUnits(service.operator(), [{
      text: "Somewhere in a very long report about many other things a guinea pig is mentioned once and in passing",
      metadata: { project: "apollo" },
    }]);
    const found = ids(
      await service.post(FULL, { query: "guinea pig", filters: { "metadata.project": { eq: "apollo" } } }),
    );
    assert.deepEqual(found, [rare.id]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "pinned units come always and apart, and are not repeated among the results",
  async fn() {
    await using service = await startService();
    const [pin, pinnedMatch, plain] = await addUnits(service.operator(), [
      { text: "Always answer in French", pinned: true },
      { text: "The guinea pig is called Oscar", pinned: true, tags: ["pets"] },
      { text: "Guinea pigs live eight years" },
    ]);
    for (const path of [FULL, HOT]) {
      const reply = await service.post(path, { query: "guinea pig" });
      const pinned = new Map(reply.body.pinned.map((one: Reply["body"]) => [one.id, one.score]));
      assert.deepEqual(new Set(pinned.keys()), new Set([pin.id, pinnedMatch.id]), path);
      assert.equal(pinned.get(pin.id), 0, path);
      assert.ok(Number(pinned.get(pinnedMatch.id)) > 0, path);
      assert.deepEqual(ids(reply), [plain.id], path);
      const tagged = await service.post(path, { query: "guinea pig", tags: ["pets"] });
      assert.deepEqual(tagged.body.pinned.map((one: Reply["body"]) => one.id), [pinnedMatch.id], path);
      const turns = await service.post(path, { query: "guinea pig", types: ["turn"] });
      assert.deepEqual(turns.body.pinned, [], path);
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "maxTokens is never exceeded, and a text that does not fit makes room for what follows",
  async fn() {
    await using service = await startService();
    const [long, short] = await addUnits(service.operator(), [
      { text: `Guinea pig Oscar. ${"Guinea pig Oscar eats hay and sleeps. ".repeat(20)}` },
      { text: "Guinea pig Oscar is brown" },
    ]);
    for (const path of [FULL, HOT]) {
      const all = await service.post(path, { query: "guinea pig Oscar" });
      assert.deepEqual(new Set(ids(all)), new Set([long.id, short.id]), path);
      const packed = await service.post(path, { query: "guinea pig Oscar", maxTokens: 20 });
      assert.deepEqual(ids(packed), [short.id], path);
      assert.ok(packed.body.usage.tokens <= 20, path);
      assert.deepEqual(ids(await service.post(path, { query: "guinea pig Oscar", maxTokens: 1 })), [], path);
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "neighbours widen a turn to those around it, each shown once and within the budget",
  async fn() {
    await using service = await startService();
    const { turnIds } = await addSession(
      service,
      [...TALK, ...["Fine.", "Sure.", "See you.", "Bye."].map((text, i) => turn(i % 2 ? "Melanie" : "Caroline", text))],
    );
    const body = { query: "Where does the guinea pig Oscar sleep?", limit: 1, types: ["turn"] };
    const reply = await service.post(FULL, { ...body, include: ["neighbours"] });
    const [first] = reply.body.results;
    const at = turnIds.indexOf(first.id);
    const offsets = first.neighbours.map((one: Reply["body"]) => one.offset);
    assert.deepEqual(offsets, [-2, -1, 1, 2]);
    for (const one of first.neighbours) assert.equal(one.id, turnIds[at + one.offset]);
    assert.equal((await service.post(FULL, body)).body.results[0].neighbours, undefined);
    const tight = await service.post(FULL, { ...body, include: ["neighbours"], maxTokens: 12 });
    assert.ok(tight.body.usage.tokens <= 12);
    assert.ok(tight.body.results[0].neighbours.length < 4);
  },
});

Deno.test({
  ...POSTGRES,
  name: "unified keeps places for knowledge and for conversations",
  async fn() {
    await using service = await startService();
    const talk = await addSession(
      service,
      Array.from({ length: 12 }, (_, i) => turn("Caroline", `The guinea pig ate carrot ${i}`)),
    );
    await addUnits(
      service.operator(),
      Array.from({ length: 12 }, (_, i) => ({ text: `A guinea pig weighs about ${i} kilograms` })),
    );
    const reply = await service.post(`${FULL}/unified`, { query: "guinea pig", limit: 6 });
    assert.equal(ids(reply).length, 6);
    const turns = ids(reply).filter((id) => talk.turnIds.includes(id)).length;
    assert.equal(turns, 3);
  },
});

Deno.test({
  ...POSTGRES,
  name: "a query's date finds what happened then, counted from the reference date",
  async fn() {
    await using service = await startService();
    const march = await addSession(service, [turn("Jon", "We went climbing.", { occurredAt: "2024-03-14T18:00:00Z" })]);
    await addSession(service, [turn("Jon", "We went climbing.", { occurredAt: "2024-06-20T18:00:00Z" })]);
    const [fact] = await addUnits(service.operator(), [{
      text: "The lease was signed",
      occurredAt: new Date("2024-03-15T12:00:00Z"),
    }]);
    const ask = async (query: string, referenceDate: string) => {
      const reply = await service.post(FULL, { query, referenceDate, include: ["trace"] });
      assert.equal(reply.body.trace.windows.length > 0, true, query);
      return ids(reply);
    };
    assert.equal((await ask("Where did we go climbing yesterday?", "2024-03-15T09:00:00Z"))[0], march.turnIds[0]);
    assert.equal((await ask("What happened on 15 March 2024?", "2025-01-01T00:00:00Z")).includes(fact.id), true);
    assert.deepEqual(
      new Set(await ask("What happened in March?", "2024-06-30T09:00:00Z")),
      new Set([march.turnIds[0], fact.id]),
    );
    assert.deepEqual(await ask("What happened in May?", "2024-06-30T09:00:00Z"), []);
  },
});

Deno.test({
  ...POSTGRES,
  name: "explain says why each result is there and why others are not",
  async fn() {
    await using service = await startService();
    const { turnIds } = await addSession(service, TALK);
    const [far, other, archived] = await addUnits(service.operator(), [
      { text: "Interest rates rose in Norway" },
      { text: "A guinea pig needs company", tags: ["advice"], trustScore: 10 },
      { text: "The guinea pig was called Max", status: "archived" },
    ]);
    const missing = crypto.randomUUID();
    const explainIds = [turnIds[2], far.id, other.id, archived.id, missing];
    const body = { query: "Which guinea pig did Caroline adopt?", limit: 1, minTrust: 50 };
    const reply = await service.post(`${FULL}/explain`, { ...body, explainIds });
    const [first] = reply.body.results;
    assert.equal(first.id, turnIds[2]);
    assert.match(first.why, /^Found because it contains .*guinea/);
    assert.equal(first.scoreDetails.arms[0].arm, "lexical");
    assert.equal(first.scoreDetails.arms[0].rank, 1);
    const { boosts, fusion } = first.scoreDetails as { boosts: Record<string, number>; fusion: number };
    assert.ok(Object.keys(boosts).length > 3);
    const internal = Object.keys(boosts).filter((name) => !(name in RECALL_SIGNALS) || name in FEATURES);
    assert.deepEqual(internal, [], "what the ranker calls its features is told to nobody");
    const sum = Object.values(boosts).reduce((all, part) => all + part, 0);
    assert.ok(Math.abs(sum - fusion) < 0.002, `the signs are ${sum}, their sum is ${fusion}`);
    assert.ok(
      Object.values(RECALL_SIGNALS).some((clause) => first.why.includes(`What raised it most: ${clause}.`)),
      first.why,
    );
    const reasons = Object.fromEntries(reply.body.whyNot.map((one: Reply["body"]) => [one.id, one]));
    assert.deepEqual(explainIds.map((id) => reasons[id].reason), [
      "returned",
      reasons[far.id].reason,
      "filtered",
      "filtered",
      "not_found",
    ]);
    assert.ok(["not_matched", "cut"].includes(reasons[far.id].reason));
    assert.match(reasons[other.id].explanation, /trust is 10, below 50/);
    assert.match(reasons[archived.id].explanation, /status is archived/);
    const beyond = await service.post(`${FULL}/explain`, {
      query: "guinea pig",
      limit: 1,
      explainIds: [turnIds[2], other.id],
    });
    const left = beyond.body.whyNot.map((one: Reply["body"]) => one.reason).sort();
    assert.deepEqual(left, ["beyond_limit", "returned"]);
    const lower = { query: "guinea pig", explainIds: [turnIds[2], other.id, missing], maxSensitivity: "public" };
    const { body: bound } = await service.post(`${FULL}/explain`, lower);
    assert.deepEqual(
      bound.whyNot.map((one: Reply["body"]) => one.reason),
      Array(3).fill("not_found"),
      "what is above the clearance that was asked for is there no more than what does not exist",
    );
    // Until the hot tier has loaded the workspace, the other tiers answer in its place.
    await service.post(HOT, { query: "guinea pig", limit: 1 });
    const hits = async (tier: string) => valueOf(await scrape(service), "svc_recall_tier_hits_total", { tier });
    const before = [await hits("lexical"), await hits("hot")];
    for (const path of [FULL, HOT]) {
      const found = await service.post(path, { query: "guinea pig", limit: 1 });
      assert.deepEqual([ids(found).length, found.body.tiers[0].candidates > 1], [1, true], path);
    }
    const after = [await hits("lexical"), await hits("hot")];
    assert.deepEqual(after, before.map((n) => n + 1), "a hit is a result, not a candidate");
  },
});

Deno.test({
  ...POSTGRES,
  name: "a misspelt word finds what was meant, and nonsense finds nothing",
  async fn() {
    await using service = await startService();
    await addSession(service, TALK);
    const [fact] = await addUnits(service.operator(), [{ text: "The cluster runs Kubernetes" }]);
    for (const path of [FULL, HOT]) {
      const found = await service.post(path, { query: "guinae pig adoptd", include: ["trace"] });
      assert.ok(ids(found).length > 0, path);
      assert.deepEqual(found.body.trace.substitutes, { guina: ["guinea"], adoptd: ["adopt"] }, path);
    }
    assert.equal(ids(await service.post(FULL, { query: "k8s" }))[0], fact.id);
    const nothing = await service.post(FULL, { query: "xylophone quartz zebra" });
    assert.deepEqual(ids(nothing), []);
    assert.ok(nothing.body.evidenceConfidence < 0.3);
    assert.deepEqual(ids(await service.post(FULL, { query: "the of and" })), []);
  },
});

Deno.test({
  ...POSTGRES,
  name: "minScore says how likely a result has to be: 0 brings all that has any sign, and every face takes it",
  async fn() {
    await using service = await startService();
    const facts = await addUnits(service.operator(), [
      { text: "The backup of the walnut server runs at night" },
      { text: "The walnut tree was planted by the grandfather" },
      { text: "The bakery sells bread with walnut at night" },
      { text: "Interest rates rose in Norway" },
    ]);
    const body = { query: "When does the backup of the walnut server run?" };
    const some = facts.slice(0, 3).map(({ id }) => id);
    for (const path of [FULL, HOT, `${FULL}/unified`, `${FULL}/explain`]) {
      assert.deepEqual(ids(await service.post(path, body)), [facts[0].id], path);
      const all = await service.post(path, { ...body, minScore: 0 });
      assert.deepEqual(new Set(ids(all)), new Set([...ids(all), ...some]), path);
      assert.equal(ids(all)[0], facts[0].id, path);
      const scores = all.body.results.map((result: Reply["body"]) => result.score);
      assert.deepEqual(scores, scores.toSorted((a: number, b: number) => b - a), "scores fall along the list");
      const between = (scores[0] + scores[1]) / 2;
      assert.deepEqual(ids(await service.post(path, { ...body, minScore: between })), [facts[0].id], path);
      assert.deepEqual(ids(await service.post(path, { ...body, minScore: 1 })), [], path);
      assert.equal(ids(await service.post(path, { ...body, minScore: 0, limit: 2 })).length, 2, path);
      for (const minScore of [-0.1, 1.1, "0.5"]) {
        assert.equal((await service.post(path, { ...body, minScore })).status, 422, `${path} ${minScore}`);
      }
    }
    const batch = await service.post(`${FULL}/batch`, { queries: [body, { ...body, minScore: 0 }] });
    const [cut, whole] = batch.body.recalls.map(({ results }: Reply["body"]) => results.length);
    assert.ok(cut === 1 && whole >= 3, `${cut} and ${whole}`);
    const session = await service.post("/v1/session", {});
    const context = (query: string) =>
      service.get(`/v1/session/${session.body.id}/context?query=walnut%20backup${query}`);
    assert.ok(
      (await context("&minScore=0")).body.knowledge.length > (await context("&minScore=0.9")).body.knowledge.length,
    );
    assert.equal((await context("&minScore=2")).status, 422);
    assert.equal((await context("&minScore=")).status, 422);
  },
});
