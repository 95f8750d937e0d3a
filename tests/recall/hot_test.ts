/** The hot tier follows the writes of this process and of others, and stays within its bounds. */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { connectSuperuser } from "../http/_audit.ts";
import { type Reply, startService, type TestService } from "../_service.ts";
import { waitFor, within } from "../_wait.ts";
import { addSession, addUnits, turn } from "./_memory.ts";
import { WAYS } from "../_pgbouncer.ts";
import { HotTier, hotTierOf } from "../../src/domain/recall/hot/tier.ts";
import { markDisputed } from "../../src/domain/unit/dispute.ts";

const HOT = "/v1/memory/recall/hot";

async function texts(service: TestService, query: string, key?: string): Promise<string[]> {
  const reply = await service.post(HOT, { query }, key === undefined ? {} : { key });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return [...reply.body.results, ...reply.body.pinned].map((one: Reply["body"]) => one.text);
}

/** The near spellings by which a recall replaced words of the query, in the hot tier and in the full search. */
async function substitutes(
  service: TestService,
  query: string,
  options: { key?: string; maxSensitivity?: string } = {},
) {
  const { key, ...more } = options;
  const found = await Promise.all([HOT, "/v1/memory/recall"].map(async (path) => {
    const reply = await service.post(path, { query, include: ["trace"], ...more }, key === undefined ? {} : { key });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return Object.values(reply.body.trace.substitutes).flat();
  }));
  assert.deepEqual(found[0], found[1]);
  return found[0];
}

Deno.test({
  ...POSTGRES,
  name: "the hot tier follows every change of a fact and forgets what was erased",
  async fn() {
    await using service = await startService();
    assert.deepEqual(await texts(service, "guinea pig"), []);
    const made = await service.post("/v1/memory/facts", { statement: "The guinea pig is called Oscar" });
    assert.deepEqual(await texts(service, "guinea pig"), ["The guinea pig is called Oscar"]);
    const id = made.body.id;
    await service.patch(`/v1/memory/facts/${id}`, { statement: "The guinea pig is called Flora" });
    assert.deepEqual(await texts(service, "guinea pig"), ["The guinea pig is called Flora"]);
    await service.post(`/v1/facts/${id}/pin`);
    assert.equal((await service.post(HOT, { query: "weather" })).body.pinned.length, 1);
    await service.delete(`/v1/memory/facts/${id}`);
    assert.deepEqual(await texts(service, "guinea pig"), []);
    await service.post(`/v1/facts/${id}/restore`);
    assert.deepEqual(await texts(service, "guinea pig"), ["The guinea pig is called Flora"]);
    assert.deepEqual(await substitutes(service, "florra"), ["flora"]);
    const erased = await service.post(`/v1/facts/${id}/forget`, { mode: "erase" });
    assert.equal(erased.status, 200, JSON.stringify(erased.body));
    assert.deepEqual(await texts(service, "guinea pig"), []);
    assert.deepEqual(await substitutes(service, "florra oscarr"), [], "erased words correct no spelling");
    const { sessionId } = await addSession(service, [turn("Jon", "My guinea pig sleeps all day")]);
    assert.deepEqual(await texts(service, "guinea pig"), ["My guinea pig sleeps all day"]);
    assert.deepEqual(await substitutes(service, "guinnea"), ["guinea"]);
    await service.delete(`/v1/session/${sessionId}`);
    assert.deepEqual(await texts(service, "guinea pig"), []);
    assert.deepEqual(await substitutes(service, "guinnea"), []);
    const index = await hotTierOf(service.deps).find(service.operator());
    assert.equal(index?.index.vocabulary.size, 0, "no word outlives its texts");
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "what this process writes is in the hot tier with its commit, in the order of the feed and without another look",
  async fn() {
    await using service = await startService();
    await using superuser = connectSuperuser(service);
    const { body: { id } } = await service.post("/v1/memory/facts", { statement: "The guinea pig is called Oscar" });
    assert.deepEqual(await texts(service, "guinea pig"), ["The guinea pig is called Oscar"]);
    const { sessionId } = await addSession(service, [turn("Jon", "Good morning")]);
    await service.patch(`/v1/memory/facts/${id}`, { statement: "The guinea pig is called Flora" });
    await service.post(`/v1/session/${sessionId}/turns`, turn("Jon", "My guinea pig sleeps"));
    await superuser.sql.begin(async (sql) => {
      // From here on, everything that reads the feed waits.
      await sql.unsafe("lock table change in access exclusive mode");
      const found = (await texts(service, "guinea pig")).filter((text) => text.includes("guinea"));
      assert.deepEqual(found.sort(), ["My guinea pig sleeps", "The guinea pig is called Flora"]);
    });
    // Let the process learn of a later commit first.
    const tier = hotTierOf(service.deps), read = tier.readWritten.bind(tier);
    const told: (() => void)[] = [];
    tier.readWritten = async (tx, changes) => {
      const tell = await read(tx, changes);
      return tell && ((recorded) => void told.push(() => tell(recorded)));
    };
    tier.noteSeq = () => {};
    for (const name of ["Max", "Moritz"]) {
      await service.patch(`/v1/memory/facts/${id}`, { statement: `The guinea pig is called ${name}` });
    }
    const name = async () => (await texts(service, "called")).map((text) => text.split(" ").at(-1));
    told.pop()!();
    assert.deepEqual(await name(), ["Flora"]);
    for (const tell of told) tell();
    assert.deepEqual(await name(), ["Moritz"]);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "a unit of which a peer holds something else is recalled as contested, from the hot tier and in full, until it is settled",
  async fn() {
    await using service = await startService();
    const { body: { id } } = await service.post("/v1/memory/facts", { statement: "The guinea pig is called Oscar" });
    const contested = async () => {
      const replies = [HOT, "/v1/memory/recall"].map((path) => service.post(path, { query: "guinea pig" }));
      return (await Promise.all(replies)).map(({ body }) => body.results[0].contested);
    };
    const version = async () => (await service.get(`/v1/memory/facts/${id}`)).body.version;
    assert.deepEqual(await contested(), [false, false]);
    await service.operator().tx((tx) => markDisputed(tx, [id], true));
    assert.deepEqual(await contested(), [true, true]);
    await service.patch(`/v1/memory/facts/${id}`, { tags: ["pets"] });
    assert.deepEqual(await contested(), [true, true], "a new version of it settles nothing");
    await service.operator().tx((tx) => markDisputed(tx, [id], false));
    assert.deepEqual(await contested(), [false, false]);
    assert.equal(await version(), 2, "the flag makes no version");
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "the words of what is likely outdated find what outdates it in the hot tier, too, before it and marked as in full",
  async fn() {
    await using service = await startService();
    const tell = async (statement: string) => {
      const made = await service.post("/v1/memory/facts", { statement });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      return made.body;
    };
    const bank = await tell("Ayesha works at Barclays.");
    const next = await tell("Ayesha works at Monzo.");
    assert.equal(next.conflict.outcome, "outdates");
    await waitFor("an index", () => hotTierOf(service.deps).find(service.operator()));
    const found = async (path: string, more: Record<string, unknown> = {}) => {
      const { body } = await service.post(path, { query: "Barclays", ...more });
      if (path === HOT) assert.deepEqual(body.tiers.map(({ tier }: Reply["body"]) => tier), ["hot"]);
      return body.results.map((one: Reply["body"]) => [one.id, one.outdatedBy]);
    };
    const wanted = [[next.id, undefined], [bank.id, next.id]];
    for (const path of ["/v1/memory/recall", HOT]) assert.deepEqual(await found(path), wanted, path);
    assert.deepEqual(await found(HOT, { match: "named" }), await found("/v1/memory/recall", { match: "named" }));
    await service.post(`/v1/facts/${next.id}/forget`, { mode: "erase" });
    assert.deepEqual(await found(HOT), [[bank.id, undefined]]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "a fact that becomes more sensitive leaves the hot tier of those who may no longer see it",
  async fn() {
    await using service = await startService();
    const low = await service.createKey({ maxSensitivity: "internal" });
    const made = await service.post("/v1/memory/facts", { statement: "The guinea pig eats quinoa" });
    assert.equal((await texts(service, "guinea pig", low)).length, 1);
    assert.deepEqual(await substitutes(service, "quinnoa", { key: low }), ["quinoa"]);
    const raised = await service.patch(`/v1/memory/facts/${made.body.id}`, { sensitivity: "restricted" });
    assert.equal(raised.status, 200, JSON.stringify(raised.body));
    assert.deepEqual(await texts(service, "guinea pig", low), []);
    assert.equal((await texts(service, "guinea pig")).length, 1);
    assert.deepEqual(await substitutes(service, "quinnoa"), ["quinoa"]);
    assert.deepEqual(await substitutes(service, "quinnoa", { key: low }), []);
    assert.deepEqual(await substitutes(service, "quinnoa", { maxSensitivity: "internal" }), []);
    for (const path of ["/v1/memory/recall", "/v1/recall"]) {
      assert.deepEqual((await service.post(path, { query: "guinea pig" }, { key: low })).body.results, []);
    }
    // An entity made from a name rises with the text that contains it, unless a less sensitive text names it, too.
    const named = await service.post("/v1/memory/facts", { statement: "Only Balthazar and Melchior know the way" });
    await service.post("/v1/memory/facts", { statement: "We met Melchior at the harbour" });
    const entities = async (key?: string) => {
      const { body } = await service.get("/v1/entities?limit=200", key === undefined ? {} : { key });
      return body.data.map((one: Reply["body"]) => one.canonicalName).sort();
    };
    assert.deepEqual(await entities(low), ["Balthazar", "Melchior"]);
    await service.patch(`/v1/memory/facts/${named.body.id}`, { sensitivity: "restricted" });
    assert.deepEqual([await entities(low), await entities()], [["Melchior"], ["Balthazar", "Melchior"]]);
    const spellings = async (key: string) =>
      (await service.post("/v1/memory/recall", { query: "baltazar melchor", include: ["trace"] }, { key })).body.trace;
    assert.deepEqual((await spellings(low)).substitutes, { melchor: ["melchior"] });
    assert.deepEqual((await spellings(service.key)).substitutes, { baltazar: ["balthazar"], melchor: ["melchior"] });
    await service.post(`/v1/facts/${named.body.id}/forget`, { mode: "erase" });
    assert.deepEqual(await entities(), ["Melchior"]);
  },
});

for (const way of WAYS) {
  Deno.test({
    ignore: way.ignore,
    name: `another process's write reaches the hot tier, also when its notification was lost${way.suffix}`,
    async fn() {
      await using database = await way.createDatabase();
      await using one = await startService({ database });
      await using two = await startService({ database });
      const key = await two.createKey({ workspaceId: one.workspaceId });
      assert.deepEqual(await texts(two, "guinea pig", key), []);
      await one.post("/v1/memory/facts", { statement: "The guinea pig is called Oscar" });
      await waitFor("the notified write is seen", async () => (await texts(two, "guinea pig", key)).length === 1);
      // From here on, no notification arrives; the gap is the result of a lost connection of the listener.
      hotTierOf(two.deps).noteSeq = () => {};
      await one.post("/v1/memory/facts", { statement: "The hamster is called Max" });
      hotTierOf(two.deps).noteGap();
      assert.deepEqual(await texts(two, "hamster", key), ["The hamster is called Max"]);
    },
  });
}

Deno.test({
  ...POSTGRES,
  name:
    "when the database was set back to an earlier state, the hot tier goes back with it, and nobody waits for what is lost",
  async fn() {
    await using service = await startService();
    await using superuser = connectSuperuser(service);
    const tier = hotTierOf(service.deps), ctx = service.operator();
    await service.post("/v1/memory/facts", { statement: "The guinea pig is called Oscar" });
    assert.deepEqual(await texts(service, "called"), ["The guinea pig is called Oscar"]);
    const before = await tier.find(ctx);
    const { body: { id } } = await service.post("/v1/memory/facts", { statement: "The guinea pig is called Flora" });
    assert.equal((await texts(service, "called")).length, 2);
    // The state after a failover to a standby that lacked the last commit.
    await superuser.sql.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      const [{ seq }] = await sql`select min(seq) - 1 as seq from change where resource_id = ${id}`;
      await sql`delete from change where workspace_id = ${service.workspaceId} and seq > ${seq}`;
      await sql`update feed_head set seq = ${seq} where workspace_id = ${service.workspaceId}`;
      await sql`delete from unit where id = ${id}`;
    });
    tier.noteGap();
    assert.equal(await within("an answer", tier.find(ctx)), undefined);
    assert.deepEqual(await texts(service, "called"), ["The guinea pig is called Oscar"]);
    assert.notEqual(await waitFor("it is loaded", () => tier.find(ctx)), before);
    // It may also hear of a place that the feed does not have after the gap.
    tier.noteSeq(service.workspaceId, 1_000_000);
    assert.equal(await within("an answer", tier.find(ctx)), undefined);
    await waitFor("it is loaded", () => tier.find(ctx));
    // Here the next gap comes when a caller already waits for such a place, after a read that began before.
    tier.noteGap();
    const one = tier.find(ctx);
    tier.noteSeq(service.workspaceId, 1_000_000);
    const other = tier.find(ctx);
    tier.noteGap();
    assert.ok(await within("both are answered", Promise.all([one, other])));
  },
});

Deno.test({
  ...POSTGRES,
  name: "the hot tier keeps within its bounds: pinned first, then the latest; other workspaces make room",
  async fn() {
    await using service = await startService({ env: { SVC_HOT_UNITS_MAX: "20" } });
    await addUnits(service.operator(), [{ text: "The guinea pig number pinned", pinned: true }]);
    await addUnits(
      service.operator(),
      Array.from({ length: 40 }, (_, i) => ({ text: `The guinea pig number n${i}` })),
    );
    const found = (await service.post(HOT, { query: "guinea pig", limit: 100 })).body;
    assert.equal(found.pinned.length, 1);
    const [size] = hotTierOf(service.deps).sizes();
    assert.ok(size.units <= 20, `${size.units} units`);
    assert.deepEqual(await texts(service, "n39"), ["The guinea pig number n39", "The guinea pig number pinned"]);
    assert.equal((await texts(service, "n1")).includes("The guinea pig number n1"), false);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "a workspace is loaded when it is asked for again, and until then its database answers, as it does for a tier that is off",
  async fn() {
    await using service = await startService({ env: { SVC_SENTENCE_ENCODER: "table" } });
    await addUnits(service.operator(), [{ text: "The guinea pig is called Oscar" }]);
    const ask = async (of: TestService = service) => {
      const { status, body } = await of.post(HOT, { query: "guinea pig" }, { once: true });
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(body.results.map((one: Reply["body"]) => one.text), ["The guinea pig is called Oscar"]);
      return body.tiers.map(({ tier }: Reply["body"]) => tier);
    };
    assert.deepEqual(await ask(), ["lexical", "semantic"], "the reply says who answered");
    assert.deepEqual(hotTierOf(service.deps).sizes(), [], "one request alone loads nothing");
    await Promise.all(Array.from({ length: 20 }, () => ask()));
    await waitFor("the tier's own answer", async () => (await ask())[0] === "hot");
    assert.deepEqual(hotTierOf(service.deps).sizes(), [{ workspaceId: service.workspaceId, units: 1 }]);
    for (const name of ["SVC_HOT_UNITS_MAX", "SVC_HOT_BYTES_MAX"]) {
      await using off = await startService({ env: { [name]: "0", SVC_SENTENCE_ENCODER: "table" } });
      await addUnits(off.operator(), [{ text: "The guinea pig is called Oscar" }]);
      for (let i = 0; i < 3; i++) assert.deepEqual(await ask(off), ["lexical", "semantic"], name);
      assert.deepEqual(hotTierOf(off.deps).sizes(), [], "nothing is loaded");
    }
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "a rotation over more workspaces than fit leaves those in memory that are there, until one is asked for more often",
  async fn() {
    await using service = await startService();
    const ids = [service.workspaceId, await service.createWorkspace("second"), await service.createWorkspace("third")];
    const [first, second, third] = ids.map((id) => service.operator(id));
    for (const ctx of [first!, second!, third!]) {
      await addUnits(ctx, Array.from({ length: 20 }, (_, i) => ({ text: `The guinea pig number n${i}` })));
    }
    const measured = await waitFor("an index", () => hotTierOf(service.deps).find(first!));
    await using tier = new HotTier(service.deps, { bytesMax: 2.5 * measured.bytes, unitsMax: 100 });
    const held = () => tier.sizes().map(({ workspaceId }) => ids.indexOf(workspaceId)).sort();
    for (const ctx of [first!, second!]) await waitFor("an index", () => tier.find(ctx));
    for (let round = 0; round < 10; round++) {
      for (let turn = 0; turn < 10; turn++) for (const ctx of [first!, second!, third!]) await tier.find(ctx);
      // Loads run beside the requests; the result of a load is visible when it has ended.
      await tier[Symbol.asyncDispose]();
      assert.deepEqual(held(), [0, 1]);
    }
    await waitFor("the third", () => tier.find(third!));
    assert.equal(held().length, 2);
    assert.ok(held().includes(2));
  },
});

Deno.test({
  ...POSTGRES,
  name: "what the query's date alone finds is ranked by the hot tier as in full",
  async fn() {
    await using service = await startService();
    const statements = [
      "Rain",
      "I was so happy when I paid $1,200 for 12 Rua Augusta",
      "We think that my own knee hurts me, and I told myself so",
      "Ines Pereira, Tiago Silva and Marta Duarte walked from Sagres to Porto Covo along the cliffs of the Atlantic",
      "No, I have not",
    ];
    for (const statement of statements) {
      const made = await service.post("/v1/memory/facts", { statement, validFrom: "2021-03-05T00:00:00Z" });
      assert.equal(made.status, 201, JSON.stringify(made.body));
    }
    const [hot, full] = await Promise.all([HOT, "/v1/memory/recall"].map(async (path) => {
      const { body } = await service.post(path, { query: "What happened in March 2021?" });
      return body.results.map((one: Reply["body"]) => one.text);
    }));
    assert.equal(hot.length, statements.length, JSON.stringify(hot));
    assert.deepEqual(hot, full);
  },
});
