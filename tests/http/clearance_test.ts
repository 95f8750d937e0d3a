/** What is above a key's clearance does not exist for it: in no reply of any operation. Decisions §2 "Clearance". */
import assert from "node:assert/strict";
import { pathOf } from "../../src/http/app.ts";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { ENDPOINTS } from "../../src/http/routes/mod.ts";
import { SENSITIVITIES, type Sensitivity } from "../../src/schema/common.ts";
import { POSTGRES } from "../_postgres.ts";
import { type Reply, startService, type TestService } from "../_service.ts";

/** A word that stands in everything of one sensitivity. */
function markOf(sensitivity: Sensitivity): string {
  return `marker${sensitivity}`;
}

/** Ids of the seeded resources by the name of their collection. */
type Seeded = Readonly<Record<"facts" | "session" | Collection, string>>;

/** Collections of other units, with a body for one that is full of a mark. */
const UNITS = {
  decisions: (mark: string) => ({ title: `Vault of ${mark}`, decision: `It stays at ${mark}.` }),
  strategies: (mark: string) => ({ name: `Vault of ${mark}`, situation: `At ${mark}`, pattern: `Ask ${mark}.` }),
  workflows: (mark: string) => ({
    name: `Vault of ${mark}`,
    goal: `Open ${mark}`,
    steps: [`Turn ${mark}.`],
  }),
  skills: (mark: string) => ({ name: `Vault of ${mark}`, description: `Opens ${mark}`, instructions: `Turn ${mark}.` }),
  entities: (mark: string) => ({ canonicalName: `Vault of ${mark}`, attributes: { place: mark } }),
  episodes: (mark: string) => ({ title: `Vault of ${mark}`, summary: `It was opened at ${mark}.` }),
};
type Collection = keyof typeof UNITS | "procedural" | "reasoning" | "review" | "self";

async function created(reply: Promise<Reply>): Promise<string> {
  const { status, body } = await reply;
  assert.equal(status, 201, JSON.stringify(body));
  return body.id;
}

/** A session with a turn, and a fact in two versions that cites it, all full of the sensitivity's mark. */
async function seed(service: TestService, sensitivity: Sensitivity, key: string): Promise<Seeded> {
  const mark = markOf(sensitivity);
  const session = await created(
    service.post("/v1/session", { title: `About ${mark}`, sensitivity, agentId: mark }, { key }),
  );
  const turn = { role: "user", name: mark, messageId: mark, content: `The vault stands at ${mark}.` };
  await created(service.post(`/v1/session/${session}/turns`, turn, { key }));
  const fact = await created(service.post("/v1/memory/facts", {
    statement: `The vault code is ${mark}.`,
    sensitivity,
    tags: [mark],
    citations: [{ messageId: mark, quote: mark }],
  }, { key }));
  const patched = await service.patch(`/v1/memory/facts/${fact}`, { statement: `The vault code was ${mark}.` }, {
    key,
  });
  assert.equal(patched.status, 200, JSON.stringify(patched.body));
  const units = await Promise.all(
    Object.entries(UNITS).map(async ([name, bodyOf]) => {
      const reply = service.post(`/v1/memory/${name}`, { ...bodyOf(mark), sensitivity, tags: [mark] }, { key });
      return [name, await created(reply)];
    }),
  );
  const reasoning = await created(
    service.post("/v1/memory/reasoning/record", { goal: `Open the vault ${mark}`, answer: mark, sensitivity }, { key }),
  );
  const procedural = `keeper-${mark}`;
  for (const lesson of [`Open the vault at ${mark}.`, `Never tell anybody of ${mark}.`]) {
    const trajectories = [{ task: lesson, outcome: "success", lessons: [lesson] }];
    const body = { agentId: procedural, sensitivity, trajectories };
    const optimized = await service.post("/v1/memory/procedural/optimize", body, { key });
    assert.equal(optimized.status, 200, JSON.stringify(optimized.body));
  }
  const edit = service.post("/v1/self/edit", {
    reason: `Noted at ${mark}`,
    mode: "atomic",
    operations: [{ op: "add", type: "fact", body: { statement: `The vault key is ${mark}.`, sensitivity } }],
  }, { key });
  return {
    facts: fact,
    session,
    procedural,
    reasoning,
    review: await openReview(service, sensitivity, key),
    self: await created(edit),
    ...Object.fromEntries(units),
  };
}

/** A contested fact opens a review item, of which nothing above the clearance is seen either. */
async function openReview(service: TestService, sensitivity: Sensitivity, key: string): Promise<string> {
  const mark = markOf(sensitivity);
  const claim = { subject: `vault ${mark}`, predicate: "colour", sensitivity };
  await created(service.post("/v1/memory/facts", {
    ...claim,
    object: "red",
    statement: `The vault of ${mark} is red.`,
    attribution: "user_stated",
  }, { key }));
  const contested = await service.post("/v1/memory/facts", {
    ...claim,
    object: "blue",
    statement: `The vault of ${mark} is blue.`,
    attribution: "unverified",
  }, { key });
  assert.equal(contested.body.status, "contested", JSON.stringify(contested.body));
  const items = await service.get(`/v1/review?unitId=${contested.body.id}`, { key });
  return items.body.data[0].id;
}

function isTold(text: string, ids: Seeded): boolean {
  return Object.values(ids).some((id) => text.includes(id));
}

/** Every operation that reads: GET, and the searches, which are POST with the scope to read. */
const READS = ENDPOINTS.filter((endpoint) => endpoint.scope === "memory:read");

/** Reads that show numbers or times alone. */
const WITHOUT_CONTENT = new Set([
  "getWorkspaceHealth",
  "getMemoryHealth",
  "getFactHistory",
  "getGate",
  "getDrift",
  "listHealthHistory",
]);

interface Call {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** Names one resource, so that above the clearance it is not found. */
  readonly single: boolean;
}

function callOf(endpoint: Endpoint, seeded: Seeded, mark: string): Call {
  const template = pathOf(endpoint);
  const collection = /^\/v1\/(?:memory\/)?(\w+)/.exec(template)?.[1] ?? "";
  const params: Record<string, string> = { id: seeded[collection as keyof Seeded], agent: seeded.procedural };
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name) => {
    assert.ok(params[name] !== undefined, `no value for {${name}} of ${template}`);
    return params[name];
  }) + (template.endsWith("/diff") ? "?from=1&to=2" : "");
  const method = endpoint.route.method.toUpperCase();
  const query = `Where is the vault ${mark}?`;
  const body = method === "GET"
    ? undefined
    : template.endsWith("/batch")
    ? { queries: [{ query }] }
    : template.endsWith("/reasoning/resolve")
    ? { goal: `Open the vault ${mark}` }
    : template.endsWith("/explain")
    ? { query, explainIds: [seeded.facts] }
    : { query };
  return { name: `${method} ${template}`, method, path, body, single: path !== template };
}

Deno.test({
  ...POSTGRES,
  name: "a key with clearance internal sees nothing confidential in any reply, also after somebody else asked",
  async fn(t) {
    await using service = await startService();
    const low = await service.createKey({ maxSensitivity: "internal" });
    const countsBefore = await numbersOf(service, low);
    const seeded = new Map<Sensitivity, Seeded>();
    for (const sensitivity of SENSITIVITIES.slice(1)) {
      seeded.set(sensitivity, await seed(service, sensitivity, service.key));
    }
    const control = new Set<string>();

    for (const endpoint of READS) {
      for (const [sensitivity, ids] of seeded) {
        const mark = markOf(sensitivity);
        const call = callOf(endpoint, ids, mark);
        await t.step(`${call.name}, ${sensitivity}`, async () => {
          const ask = (key: string) => service.call(call.method, call.path, { key, body: call.body });
          const full = await ask(service.key);
          assert.equal(full.status, 200, JSON.stringify(full.body));
          const shown = JSON.stringify(full.body);
          if (shown.includes(mark) || isTold(shown, ids)) control.add(endpoint.route.operationId);
          const { status, body } = await ask(low);
          if (sensitivity === "internal") {
            assert.equal(status, 200, JSON.stringify(body));
            return;
          }
          assert.equal(status, call.single ? 404 : 200, JSON.stringify(body));
          const text = JSON.stringify({ ...body, requestId: "" });
          assert.doesNotMatch(text.replaceAll(`vault ${mark}?`, ""), new RegExp(mark), "a mark in the reply");
          // Who asks about an id gets it back; nothing more.
          const told = call.name.endsWith("/explain") ? JSON.stringify(body.results) : text;
          assert.ok(!isTold(told, ids), "an id in the reply");
        });
      }
    }
    await t.step("the same calls show it to whom it is for", () => {
      const silent = READS.map((endpoint) => endpoint.route.operationId).filter((name) => !control.has(name));
      assert.deepEqual(silent.filter((name) => !WITHOUT_CONTENT.has(name)), []);
    });
    await t.step("T9 numbers count what the key sees", async () => {
      const after = await numbersOf(service, low);
      // Four facts, one session and one turn of sensitivity internal.
      assert.deepEqual(
        [
          after.liveFacts - countsBefore.liveFacts,
          after.sessions - countsBefore.sessions,
          after.turns - countsBefore.turns,
        ],
        [4, 1, 1],
      );
    });
  },
});

// deno-lint-ignore no-explicit-any
async function numbersOf(service: TestService, key: string): Promise<any> {
  const { status, body } = await service.get("/v1/health", { key });
  assert.equal(status, 200);
  return body;
}

Deno.test({
  ...POSTGRES,
  name: "a key writes nothing above its clearance and changes nothing there",
  async fn() {
    await using service = await startService();
    const low = await service.createKey({ maxSensitivity: "internal" });
    const { facts: fact, session } = await seed(service, "confidential", service.key);
    const own = await seed(service, "internal", low);
    const refusals: [method: string, path: string, body: unknown, statuses: number[]][] = [
      ["POST", "/v1/memory/facts", { statement: "Too secret.", sensitivity: "confidential" }, [403, 422]],
      ["POST", "/v1/facts", { statement: "Too secret.", sensitivity: "restricted" }, [403, 422]],
      ["POST", "/v1/session", { title: "Too secret", sensitivity: "confidential" }, [403, 422]],
      ["PATCH", `/v1/memory/facts/${own.facts}`, { sensitivity: "restricted" }, [403, 422]],
      ["PATCH", `/v1/memory/facts/${fact}`, { tags: ["x"] }, [404]],
      ["DELETE", `/v1/memory/facts/${fact}`, undefined, [404]],
      ["POST", `/v1/session/${session}/turns`, { role: "user", messageId: "x", content: "y" }, [404]],
      ["POST", `/v1/session/${session}/pin`, { messageId: markOf("confidential"), pinned: true }, [404]],
      ["DELETE", `/v1/session/${session}`, undefined, [404]],
    ];
    for (const [method, path, body, statuses] of refusals) {
      const reply = await service.call(method, path, { key: low, body });
      assert.ok(statuses.includes(reply.status), `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    }
    const still = await service.get(`/v1/memory/facts/${fact}`);
    assert.deepEqual([still.status, still.body.status, still.body.version], [200, "active", 2]);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "what a key may see tells nothing about what stands behind it: a cited turn, an erased fact, an equal statement",
  async fn() {
    await using service = await startService();
    const low = await service.createKey({ maxSensitivity: "internal" });
    const { facts: fact, session } = await seed(service, "confidential", service.key);
    const mark = markOf("confidential");
    const citing = await created(service.post("/v1/memory/facts", {
      statement: "Somebody spoke about the vault.",
      sensitivity: "internal",
      citations: [{ messageId: mark, sessionId: session }],
    }));
    const cited = await service.get(`/v1/facts/${citing}/citations`);
    assert.match(JSON.stringify(cited.body), /The vault stands at/);
    const behind = await service.get(`/v1/facts/${citing}/citations`, { key: low });
    assert.equal(behind.status, 200);
    assert.equal(behind.body.data[0].turn, null);
    assert.doesNotMatch(JSON.stringify(behind.body), /The vault stands at/);

    // The same statement at its own clearance is a new fact, not the one that it cannot see.
    const equal = await service.post("/v1/memory/facts", {
      statement: `The vault code was ${mark}.`,
      sensitivity: "internal",
    }, { key: low });
    assert.equal(equal.status, 201, JSON.stringify(equal.body));
    assert.notEqual(equal.body.id, fact);
    assert.equal(equal.body.corroborationCount ?? 0, 0);

    const erased = await service.call("POST", `/v1/facts/${fact}/forget`, { body: { mode: "erase" } });
    assert.ok(erased.status < 300, JSON.stringify(erased.body));
    assert.equal((await service.get(`/v1/memory/facts/${fact}`)).status, 410);
    assert.equal((await service.get(`/v1/memory/facts/${fact}`, { key: low })).status, 404);
  },
});
