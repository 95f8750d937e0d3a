/** A result points to what was said later about the same matter, and to nothing that its reader may not see. */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { type Reply, startService, type TestService } from "../_service.ts";

const FULL = "/v1/memory/recall", HOT = "/v1/memory/recall/hot", FACTS = "/v1/memory/facts";

type Result = Reply["body"];

/** The ways of recall: from memory, as far as it holds the workspace, and from the database alone. */
const WAYS = [
  { name: "memory", env: {}, path: FULL },
  { name: "the hot tier", env: {}, path: HOT },
  { name: "the database", env: { SVC_HOT_UNITS_MAX: "0" }, path: FULL },
] as const;

async function tell(service: TestService, statement: string, at: string, more: object = {}): Promise<string> {
  const reply = await service.post(FACTS, { statement, occurredAt: at, attribution: "user_stated", ...more });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body.id;
}

async function ask(service: TestService, path: string, query: string, more: object = {}): Promise<Result[]> {
  const reply = await service.post(path, { query, minScore: 0, ...more });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body.results;
}

/** The ids to which the results that were asked for point. */
async function pointersOf(service: TestService, path: string, query: string, id: string, more: object = {}) {
  const found = await ask(service, path, query, more);
  const result = found.find((one) => one.id === id);
  assert.ok(result !== undefined, `${path} does not find ${id}: ${JSON.stringify(found)}`);
  return result.newer;
}

/** Adds a turn of a user in a session of its own. */
async function addTurn(service: TestService, content: string, occurredAt: string) {
  const { body: { id: sessionId } } = await service.post("/v1/session", {});
  const reply = await service.post(`/v1/session/${sessionId}/turns`, { role: "user", content, occurredAt });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return { sessionId: sessionId as string, id: reply.body.id as string, messageId: reply.body.messageId as string };
}

for (const { name, env, path } of WAYS) {
  Deno.test({
    ...POSTGRES,
    name:
      `from ${name}, a result carries what was said later about the same matter, though the question does not find it`,
    async fn() {
      await using service = await startService({ env });
      const old = await tell(service, "My go-to editor for everything is Sublime Text", "2026-03-02T09:14:00Z");
      await tell(service, "The bakery on Elm Street closes on Mondays", "2026-03-05T09:14:00Z");
      const newer = await tell(
        service,
        "lol ok I caved, its Zed all day now. Sublime is uninstalled",
        "2026-05-20T18:40:00Z",
      );
      const pointer = await pointersOf(service, path, "which editor is my go-to", old);
      assert.equal(pointer?.id, newer);
      assert.equal(pointer.text, "lol ok I caved, its Zed all day now. Sublime is uninstalled");
      assert.equal(pointer.occurredAt, "2026-05-20T18:40:00.000Z");
      assert.equal(await pointersOf(service, path, "Zed Sublime", newer), undefined, "none is newer");
    },
  });

  Deno.test({
    ...POSTGRES,
    name: `from ${name}, a statement that was corrected three times stands below the newest, or points to it`,
    async fn() {
      await using service = await startService({ env });
      const first = await tell(service, "The dentist Doctor Novak sees me on Monday", "2026-03-01T09:00:00Z");
      const later = [
        await tell(service, "hm, dentist Novak moved me to Tuesday", "2026-03-02T09:00:00Z"),
        await tell(service, "ugh Novak again, dentist is Wednesday", "2026-03-03T09:00:00Z"),
        await tell(service, "dentist Novak final answer: Friday", "2026-03-04T09:00:00Z"),
      ];
      const found = await ask(service, path, "When does Doctor Novak see me?");
      const places = [first, ...later].map((id) => found.findIndex((one) => one.id === id));
      assert.equal(places[3], 0, "the last correction is first");
      const [only] = await ask(service, path, "When did Doctor Novak see me before?", { limit: 1 });
      assert.equal(only.id, first, "nothing goes above if the question is about what was so before");
      assert.equal(only.newer?.id, later[2]);
    },
  });

  Deno.test({
    ...POSTGRES,
    name:
      `from ${name}, a newer statement that answers the question stands above, unless an agent only inferred it or it is pinned`,
    async fn() {
      await using service = await startService({ env });
      const old = await tell(service, "Deliveries for the bakery come on Thursdays", "2025-03-02T09:14:00Z");
      const question = "When do the deliveries for the bakery come?";
      const more = { attribution: "agent_inferred" };
      const text =
        "the bakery van turns up Mondays now, they were told on the phone weeks ago, so Thursdays are over, no more cold croissants either, and I can finally sleep in";
      const inferred = await tell(service, text, "2026-05-20T18:40:00Z", more);
      const idsOf = async () => (await ask(service, path, question)).map(({ id }) => id);
      assert.deepEqual((await idsOf()).slice(0, 1), [old], "what a person said stays above");
      assert.equal((await pointersOf(service, path, question, old))?.id, inferred);
      await service.post(`/v1/facts/${inferred}/forget`, { mode: "erase" });

      const stated = await tell(service, text, "2026-05-20T18:40:00Z");
      assert.deepEqual(await idsOf(), [stated, old]);
      await service.post(`/v1/facts/${stated}/pin`);
      assert.deepEqual(await idsOf(), [old], "it is shown apart");
    },
  });

  Deno.test({
    ...POSTGRES,
    name: `from ${name}, a turn and the facts that cite it are one voice`,
    async fn() {
      await using service = await startService({ env });
      const old = await addTurn(
        service,
        "I keep the spare key of the boathouse under the blue anchor.",
        "2026-03-01T09:00:00Z",
      );
      const fact = await tell(service, "The spare key is kept under the anchor.", "2026-03-01T09:00:00Z", {
        citations: [{ sessionId: old.sessionId, messageId: old.messageId }],
      });
      const now = await addTurn(
        service,
        "fyi the boathouse key hangs in the pantry these days",
        "2026-04-01T09:00:00Z",
      );
      const types = { types: ["fact"] };
      const pointer = await pointersOf(service, path, "Where is the spare key kept?", fact);
      assert.equal(pointer?.id, now.id);
      assert.equal(await pointersOf(service, path, "Where is the spare key kept?", fact, types), undefined, "no turns");
      const ofTurn = await pointersOf(service, path, "spare key of the boathouse", old.id);
      assert.equal(ofTurn?.id, now.id, "not the fact that cites it");
    },
  });

  Deno.test({
    ...POSTGRES,
    name:
      `from ${name}, no result points to what its reader may not see, or to what is not true at the time asked about`,
    async fn() {
      await using service = await startService({ env });
      const old = await tell(
        service,
        "Our stand at the fair is number 12, next to the entrance",
        "2026-03-01T09:00:00Z",
      );
      const question = "Which number is our stand next to the entrance?";
      const point = (more: object = {}) => pointersOf(service, path, question, old, more);
      const secret = await tell(service, "fair organisers gave our stand away, 31 it is", "2026-04-01T09:00:00Z", {
        sensitivity: "confidential",
      });
      assert.equal((await point())?.id, secret);
      assert.equal(await point({ maxSensitivity: "internal" }), undefined, "above the clearance");
      await service.post(`/v1/facts/${secret}/forget`, { mode: "erase" });
      assert.equal(await point(), undefined, "erased");

      const planned = await tell(service, "fair stand will be 40 from then on", "2026-04-02T09:00:00Z", {
        validFrom: "2099-01-01T00:00:00Z",
      });
      assert.equal(await point(), undefined, "not true yet");
      await service.delete(`/v1/memory/facts/${planned}`);

      const retracted = await tell(service, "stand at the fair: 77", "2026-04-03T09:00:00Z");
      assert.equal((await point())?.id, retracted);
      await service.patch(`/v1/memory/facts/${retracted}`, { status: "retracted" });
      assert.equal(await point(), undefined, "retracted");

      const tagged = await tell(service, "stand at the fair is 81", "2026-04-04T09:00:00Z", { tags: ["later"] });
      assert.equal((await point())?.id, tagged);
      assert.equal(await point({ filters: { NOT: { tags: { contains: "later" } } } }), undefined, "filtered");
      await service.patch(`/v1/memory/facts/${tagged}`, { statement: "Buy more candles" });
      assert.equal(await point(), undefined, "it says something else now");
    },
  });
}

Deno.test({
  ...POSTGRES,
  name:
    "of a hundred statements that share every word each has a few links, and a page of ten carries two pointers at most",
  async fn() {
    await using service = await startService();
    const facts = Array.from({ length: 100 }, (_, i) => ({
      statement: `The lighthouse keeper counted ships, entry ${1000 + i}`,
      occurredAt: new Date(Date.UTC(2026, 0, 1) + i * 86_400_000).toISOString(),
    }));
    const reply = await service.post(`${FACTS}/batch`, { facts });
    assert.equal(reply.body.created, 100, JSON.stringify(reply.body).slice(0, 500));
    const results = await ask(service, FULL, "How many ships did the lighthouse keeper count?");
    assert.equal(results.length, 10);
    assert.ok(results.filter(({ newer }) => newer !== undefined).length <= 2);
  },
});
