/** Facts and time: dates in queries, planned and bounded states, late facts, outdated facts. */
import assert from "node:assert/strict";
import { ADMIN_TOKEN, type Reply, type TestService } from "../_service.ts";
import { findUnits } from "../../src/db/queries/units.ts";
import { unitForm } from "../../src/domain/federation/register/shared_form.ts";
import { expireDueFacts } from "../../src/domain/kinds/facts/lifecycle.ts";
import { create, FACTS, listIds, read, test } from "./_facts.ts";

const FULL = "/v1/memory/recall";
const HOT = "/v1/memory/recall/hot";
const DAY_MS = 86_400_000;

async function results(service: TestService, path: string, body: Record<string, unknown>): Promise<Reply["body"][]> {
  const reply = await service.post(path, body);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body.results;
}

async function texts(service: TestService, path: string, body: Record<string, unknown>): Promise<string[]> {
  return (await results(service, path, body)).map((result) => result.text);
}

/** The results of both tiers, which must agree. */
async function both(service: TestService, body: Record<string, unknown>): Promise<string[]> {
  const [full, hot] = [await texts(service, FULL, body), await texts(service, HOT, body)];
  assert.deepEqual(hot.toSorted(), full.toSorted(), `the tiers differ on ${JSON.stringify(body)}`);
  return full;
}

const UNDATED = [
  "Deployments go to the Helsinki cluster",
  "Caroline prefers tea to coffee",
  "Invoices are sent by Maria",
  "The printer on the second floor is out of paper",
  "Backups are kept for thirty days",
  "The mascot of the team is a heron",
  "Lunch is paid for by the company",
  "Passwords are rotated every quarter",
];

test("a word of time does not bring in what was merely stored then", async (service) => {
  for (const statement of UNDATED) await create(service, { statement });
  assert.deepEqual(await both(service, { query: "What does the weather look like today?" }), []);
  const plain = await both(service, { query: "Which cluster do we deploy to?" });
  assert.deepEqual(plain, [UNDATED[0]]);
  assert.deepEqual(await both(service, { query: "Which cluster do we deploy to today?" }), plain);
  assert.deepEqual(await both(service, { query: "What happened today?" }), []);
});

test("time alone finds what has that time, where the question is about the time", async (service, clock) => {
  const tomorrow = new Date(clock.now.getTime() + DAY_MS).toISOString();
  await create(service, { statement: "Dentist at noon", occurredAt: tomorrow });
  await create(service, { statement: "Vera is on leave", validFrom: tomorrow, validTo: "2026-06-20T00:00:00Z" });
  await create(service, { statement: "The lease was signed", occurredAt: "2026-05-04T10:00:00Z" });
  await create(service, { statement: "The boiler hums" });
  assert.deepEqual((await both(service, { query: "What is planned for tomorrow?" })).toSorted(), [
    "Dentist at noon",
    "Vera is on leave",
  ]);
  assert.deepEqual(await both(service, { query: "What happened in May 2026?" }), ["The lease was signed"]);
  assert.deepEqual(await both(service, { query: "How is the weather tomorrow?" }), []);
});

test("when something was recorded counts for questions about recording", async (service, clock) => {
  await create(service, { statement: "The heron is the mascot" });
  clock.step(DAY_MS);
  await create(service, { statement: "Lunch is free", occurredAt: "2026-06-01T09:00:00Z" });
  assert.deepEqual(await both(service, { query: "What did I tell you yesterday?" }), ["The heron is the mascot"]);
  assert.deepEqual(await both(service, { query: "What did you learn today?" }), ["Lunch is free"]);
  assert.deepEqual(await both(service, { query: "What happened yesterday?" }), ["Lunch is free"]);
});

const OFFICE = { subject: "office", predicate: "is located in" };
const at = (city: string) => ({ statement: `The office is located in ${city}`, ...OFFICE, object: city });
const WHERE = { query: "Where is the office located?" };

test("a planned state does not end the present one before its day", async (service, clock) => {
  const derived = async () => (await read(service, resting.id)).stale;
  const faro = await create(service, at("Faro"));
  const resting = await create(service, { statement: "Desks are ordered for Faro", derivedFrom: [faro.id] });
  const porto = await create(service, { ...at("Porto"), validFrom: "2027-01-01T00:00:00Z" });
  assert.deepEqual([porto.conflict.outcome, porto.conflict.factIds], ["superseded", [faro.id]]);
  const planned = await read(service, faro.id);
  assert.deepEqual([planned.status, planned.validTo, planned.supersededBy], [
    "active",
    "2027-01-01T00:00:00.000Z",
    porto.id,
  ]);
  assert.equal(await derived(), false);
  const now = () => clock.now.toISOString();
  assert.deepEqual(await both(service, WHERE), [faro.statement]);
  assert.deepEqual(await texts(service, FULL, { ...WHERE, asOf: now() }), [faro.statement]);
  assert.deepEqual(await texts(service, FULL, { ...WHERE, asOf: "2027-01-01T00:00:00Z" }), [porto.statement]);
  const ahead = { query: "Where is the office located on 1 January 2027?" };
  assert.deepEqual(await both(service, ahead), [porto.statement]);

  clock.now = new Date("2027-01-01T00:00:00.000Z");
  assert.equal((await read(service, faro.id)).status, "superseded", "before any worker has seen it");
  assert.deepEqual(await both(service, WHERE), [porto.statement]);
  assert.deepEqual(await texts(service, FULL, { ...WHERE, asOf: now() }), [porto.statement]);
  assert.deepEqual(await listIds(service, "predicate=is located in"), [porto.id]);
  assert.equal(await expireDueFacts(service.operator()), 1);
  assert.equal(await expireDueFacts(service.operator()), 0);
  assert.equal(await derived(), true);
  const { body: { data } } = await service.get(`/v1/facts/${faro.id}/history`);
  assert.deepEqual(data.map((entry: Reply["body"]) => [entry.event, entry.status]), [
    ["created", "active"],
    ["ending", "active"],
    ["superseded", "superseded"],
  ]);
  const restored = await service.post(`/v1/facts/${faro.id}/restore`);
  assert.deepEqual([restored.body.status, restored.body.validTo], ["contested", null]);
});

test("a plan that is dropped or moved leaves the present state as it was, or ends it on the new day", async (service) => {
  const faro = await create(service, at("Faro"));
  const porto = await create(service, { ...at("Porto"), validFrom: "2027-01-01T00:00:00Z" });
  const end = async () => {
    const { validTo, supersededBy } = await read(service, faro.id);
    return [validTo, supersededBy];
  };
  await service.patch(`${FACTS}/${porto.id}`, { validFrom: "2027-02-01T00:00:00Z" });
  assert.deepEqual(await end(), ["2027-02-01T00:00:00.000Z", porto.id]);
  const evora = await create(service, { ...at("Evora"), validFrom: "2027-02-01T00:00:00Z" });
  assert.equal((await read(service, porto.id)).status, "superseded");
  assert.deepEqual(await end(), ["2027-02-01T00:00:00.000Z", evora.id]);
  await service.post(`/v1/facts/${evora.id}/forget`, { mode: "erase" });
  assert.deepEqual(await end(), [null, null]);
  assert.deepEqual(await both(service, WHERE), [faro.statement]);
});

test("what is said of now ends what holds now, and holds until the planned state begins", async (service, clock) => {
  const faro = await create(service, at("Faro"));
  const porto = await create(service, { ...at("Porto"), validFrom: "2027-01-01T00:00:00Z" });
  clock.step(DAY_MS);
  const lagos = await create(service, at("Lagos"));
  assert.deepEqual([lagos.status, lagos.conflict.outcome, lagos.validTo, lagos.supersededBy], [
    "active",
    "superseded",
    "2027-01-01T00:00:00.000Z",
    porto.id,
  ]);
  assert.deepEqual([(await read(service, faro.id)).status, (await read(service, porto.id)).status], [
    "superseded",
    "active",
  ]);
  assert.deepEqual(await both(service, WHERE), [lagos.statement]);
  assert.deepEqual(await texts(service, FULL, { ...WHERE, asOf: "2027-06-01T00:00:00Z" }), [porto.statement]);
});

const contact = (name: string, more: Record<string, unknown> = {}) => ({
  statement: `${name} is the contact`,
  subject: "project",
  predicate: "contact",
  object: name,
  ...more,
});
const JULY = { validFrom: "2027-07-01T00:00:00Z", validTo: "2027-08-01T00:00:00Z" };
const WHO = { query: "Who is the contact?" };

async function checkJuly(service: TestService, vera: string, wim: string, clock: { now: Date }): Promise<void> {
  for (const [time, who] of [["2027-06-01", vera], ["2027-07-10", wim], ["2027-09-01", vera]] as const) {
    const asOf = `${time}T00:00:00Z`;
    assert.deepEqual(await texts(service, FULL, { ...WHO, asOf }), [who], asOf);
    const listed = await service.get(`${FACTS}?${new URLSearchParams({ asOf, predicate: "contact" })}`);
    assert.deepEqual(listed.body.data.map((fact: Reply["body"]) => fact.statement), [who], asOf);
    clock.now = new Date(asOf);
    assert.deepEqual(await both(service, WHO), [who], asOf);
  }
}

test("a bounded state does not end a lasting one", async (service, clock) => {
  const vera = await create(service, contact("Vera"));
  const wim = await create(service, contact("Wim", JULY));
  assert.deepEqual([wim.status, wim.conflict], ["active", {
    outcome: "interrupts",
    factIds: [vera.id],
    reviewItemId: null,
  }]);
  assert.deepEqual([(await read(service, vera.id)).validTo, (await read(service, vera.id)).version], [null, 1]);
  await checkJuly(service, vera.statement, wim.statement, clock);
  await service.delete(`${FACTS}/${wim.id}`);
  assert.deepEqual(await texts(service, FULL, { ...WHO, asOf: "2027-07-10T00:00:00Z" }), [vera.statement]);
  await service.post(`/v1/facts/${wim.id}/restore`);
  assert.equal((await read(service, wim.id)).status, "active");
  await checkJuly(service, vera.statement, wim.statement, clock);
});

test("a bounded state does not end a lasting one that is told later", async (service, clock) => {
  const wim = await create(service, contact("Wim", JULY));
  clock.step(DAY_MS);
  const vera = await create(service, contact("Vera"));
  assert.deepEqual([vera.status, vera.conflict.outcome], ["active", "none"]);
  await checkJuly(service, vera.statement, wim.statement, clock);
});

test("a bounded state that is told when it is over leaves the lasting one before and after", async (service, clock) => {
  clock.now = new Date("2027-06-01T00:00:00Z");
  const vera = await create(service, contact("Vera"));
  clock.now = new Date("2027-10-01T00:00:00Z");
  const wim = await create(service, contact("Wim", JULY));
  assert.deepEqual(await both(service, WHO), [vera.statement]);
  await checkJuly(service, vera.statement, wim.statement, clock);
});

test("values of a predicate that has several stand beside each other, of others the workspace and the fact decide", async (service) => {
  const speaks = (object: string, more: Record<string, unknown> = {}) =>
    create(service, { statement: `Ann speaks ${object}`, subject: "Ann", predicate: "speaks", object, ...more });
  assert.equal((await speaks("Greek")).conflict.outcome, "none");
  const danish = await speaks("Danish");
  assert.deepEqual([danish.conflict.outcome, danish.exclusive], ["none", null]);
  assert.equal((await speaks("Basque", { exclusive: true })).conflict.outcome, "none", "the others do not exclude it");
  const uses = (object: string, more: Record<string, unknown> = {}) =>
    create(service, { statement: `The team uses ${object}`, subject: "team", predicate: "uses", object, ...more });
  const vim = await uses("vim");
  assert.equal((await uses("emacs", { exclusive: false })).conflict.outcome, "none");
  assert.equal((await uses("ed")).conflict.outcome, "none", "nobody says that a team uses one thing");
  assert.equal((await read(service, vim.id)).status, "active");
  const sure = await uses("kak", { exclusive: true });
  assert.equal(sure.conflict.outcome, "superseded");
  assert.equal((await read(service, vim.id)).supersededBy, sure.id);
  const path = `/v1/admin/workspaces/${service.workspaceId}`;
  const settings = { predicates: { "Uses": { exclusive: true } } };
  const changed = await service.patch(path, { settings }, { key: ADMIN_TOKEN });
  assert.deepEqual(
    [changed.status, changed.body.settings?.predicates],
    [200, settings.predicates],
    JSON.stringify(changed.body),
  );
  assert.equal((await uses("nano")).conflict.outcome, "superseded");
});

test(
  "an older state that arrives late is ordered by its validity, with the reason, and comes again as the same",
  async (service, clock) => {
    const rome = await create(service, { ...at("Rome"), validFrom: "2024-01-01T00:00:00Z" });
    clock.step(1_000);
    const late = { ...at("Paris"), validFrom: "2019-01-01T00:00:00Z", attribution: "agent_inferred" };
    const paris = await create(service, late);
    assert.deepEqual(
      [paris.status, paris.validTo, paris.supersededBy, paris.conflict.outcome, paris.conflict.factIds],
      [
        "superseded",
        "2024-01-01T00:00:00.000Z",
        rome.id,
        "ordered",
        [rome.id],
      ],
    );
    const { body: { data: [first] } } = await service.get(`/v1/facts/${paris.id}/history`);
    assert.match(first.reason, new RegExp(rome.id));
    assert.deepEqual((await read(service, rome.id)).version, 1);
    assert.deepEqual((await service.get("/v1/review")).body.data, []);
    assert.deepEqual(await texts(service, FULL, { ...WHERE, asOf: "2020-01-01T00:00:00Z" }), [paris.statement]);
    assert.deepEqual(await both(service, WHERE), [rome.statement]);
    const again = await create(service, late, 200);
    assert.deepEqual([again.id, again.corroborationCount], [paris.id, 1]);
    const restored = await service.post(`/v1/facts/${paris.id}/restore`);
    assert.deepEqual([restored.body.status, restored.body.validTo], ["contested", null]);
  },
);

test(
  "of results about the same, what holds comes first; an older one says what outdates it, and until when it held",
  async (service, clock) => {
    const faro = await create(service, {
      ...at("Faro"),
      statement: "The office of the company, where it is located: Faro",
    });
    clock.step(1_000);
    const porto = await create(service, { ...at("Porto"), statement: "Porto: the office" });
    const all = { ...WHERE, include: ["superseded"], minScore: 0 };
    for (const path of [FULL, `${FULL}/unified`, `${FULL}/explain`]) {
      const [first, second] = await results(service, path, all);
      assert.deepEqual([first.id, first.outdatedBy], [porto.id, undefined], path);
      assert.deepEqual(
        [second.id, second.outdatedBy, second.validTo],
        [faro.id, porto.id, clock.now.toISOString()],
        path,
      );
      assert.ok(first.score >= second.score);
    }
    const { body } = await service.post(`${FULL}/batch`, { queries: [all] });
    assert.equal(body.recalls[0].results[1].outdatedBy, porto.id);
    const [, explained] = await results(service, `${FULL}/explain`, all);
    const { boosts, fusion } = explained.scoreDetails;
    assert.ok(boosts.current < 0);
    const sum = Object.values<number>(boosts).reduce((total, part) => total + part, 0);
    assert.ok(Math.abs(sum - fusion) < 0.002);
    const then = new Date(clock.now.getTime() - 500).toISOString();
    const [past] = await results(service, FULL, { ...WHERE, asOf: then });
    assert.deepEqual([past.id, past.outdatedBy], [faro.id, undefined], "it held at the time asked about");
  },
);

test("explain says what is true instead of a fact that a bounded one interrupts", async (service, clock) => {
  const vera = await create(service, contact("Vera"));
  const wim = await create(service, contact("Wim", JULY));
  clock.now = new Date("2027-07-10T00:00:00Z");
  const reply = await service.post(`${FULL}/explain`, { ...WHO, explainIds: [vera.id] });
  const [why] = reply.body.whyNot;
  assert.equal(why.reason, "filtered");
  assert.match(why.explanation, new RegExp(wim.id));
  const [, interrupted] = await results(service, FULL, { ...WHO, include: ["superseded"] });
  assert.deepEqual([interrupted.id, interrupted.outdatedBy], [vera.id, wim.id]);
});

test(
  "a federated copy of planned and bounded states is read alike, and says nothing new when the day comes",
  async (service, clock) => {
    const faro = await create(service, at("Faro"));
    await create(service, { ...at("Porto"), validFrom: "2027-01-01T00:00:00Z" });
    const form = async () => {
      const [row] = await service.operator().tx((tx) => findUnits(tx, [faro.id]));
      return unitForm(row!, [], (id) => `instance:a.example/${id}`);
    };
    const planned = await form();
    assert.deepEqual([planned["state"], planned["validTo"]], ["active", "2027-01-01T00:00:00.000Z"]);
    assert.equal("before" in planned, false);
    clock.now = new Date("2027-01-01T00:00:00.000Z");
    assert.equal(await expireDueFacts(service.operator()), 1);
    assert.equal((await read(service, faro.id)).status, "superseded");
    assert.deepEqual(await form(), planned);
  },
);

test("exact ties of score go to the newer, in both tiers", async (service) => {
  for (const trait of ["red", "old", "big"]) await create(service, { statement: `The kettle is ${trait}` });
  const newestFirst = ["The kettle is big", "The kettle is old", "The kettle is red"];
  assert.deepEqual(await texts(service, FULL, { query: "kettle" }), newestFirst);
  assert.deepEqual(await texts(service, HOT, { query: "kettle" }), newestFirst);
});

test("who asks in the words of a fact gets that one first, whatever else holds these words, in both tiers", async (service) => {
  const told: string[] = [];
  for (const craft of ["BARGE", "TRUCK"]) {
    for (const load of ["wet-sand", "wet-sand fine", "dry-clay", "dry-clay fine"]) {
      for (const seal of ["", " sealed", " sealed WAX", " WAX"]) {
        for (const verb of ["sends", "fetches", "counts"]) {
          const statement = `Marek ${verb} by ${load} ${craft}${seal}.`;
          await create(service, { statement });
          told.push(statement);
          // Right after the write, and among all that was told since.
          assert.equal((await texts(service, FULL, { query: statement }))[0], statement);
        }
      }
    }
  }
  for (const path of [FULL, HOT]) {
    for (const statement of told) assert.equal((await texts(service, path, { query: statement }))[0], statement);
  }
});

test("of facts that answer a question equally well the newer comes first, unless it is trusted less", async (service) => {
  const order = async (query: string) => {
    const [full, hot] = [await texts(service, FULL, { query }), await texts(service, HOT, { query })];
    assert.deepEqual(hot, full);
    return full;
  };
  const [petra, jonas] = ["Petra does the bookkeeping", "Jonas does the bookkeeping for all branches"];
  await create(service, { statement: petra });
  await create(service, { statement: jonas });
  assert.deepEqual(await order("Who does the bookkeeping?"), [jonas, petra]);

  const [stated, guessed] = ["Parcels go to the porter", "Parcels go to the desk at the back door"];
  await create(service, { statement: stated, attribution: "user_stated" });
  await create(service, { statement: guessed, attribution: "agent_inferred" });
  assert.deepEqual(await order("Where do parcels go?"), [stated, guessed]);

  // The fact that was stated last is about an earlier time.
  const [march, may] = ["Invoices go to the accountant", "Invoices go to the accountant in the Lisbon office"];
  await create(service, { statement: may, occurredAt: "2026-05-04T10:00:00Z" });
  await create(service, { statement: march, occurredAt: "2026-03-04T10:00:00Z" });
  assert.deepEqual(await order("Where do invoices go?"), [may, march]);

  // The newer one holds fewer words of the question.
  const [both, one] = ["Spare keys hang beside the fuse box", "Keys are cut by the locksmith"];
  await create(service, { statement: both });
  await create(service, { statement: one });
  assert.equal((await order("Where do the spare keys hang?"))[0], both);
});

test("an explanation judges by the time that the question asks about", async (service) => {
  const { body: { id } } = await service.post("/v1/memory/facts", {
    statement: "The lease of the studio is with Ottokar",
    validTo: "2099-01-01T00:00:00Z",
  });
  const why = async (query: string) => {
    const { body } = await service.post("/v1/memory/recall/explain", { query, explainIds: [id] });
    return body.whyNot[0].reason;
  };
  assert.equal(await why("Who has the lease of the studio?"), "returned");
  assert.equal(await why("Who will have the lease of the studio in March 2120?"), "filtered");
});
