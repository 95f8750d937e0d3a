/** Resources above a key's clearance do not exist for it: they are in no reply of any operation. */
import assert from "node:assert/strict";
import type { Sensitivity } from "../../src/schema/common.ts";
import { POSTGRES } from "../_postgres.ts";
import { type Reply, startService, type TestService } from "../_service.ts";
import {
  buildWorld,
  type Call,
  created,
  isTold,
  NAMES_IDS,
  plain,
  questionOf,
  readOf,
  READS,
  repliesOf,
  unknownWorld,
  type World,
} from "./_world.ts";

/** A word that occurs in everything of one sensitivity. */
function markOf(sensitivity: Sensitivity): string {
  return `marker${sensitivity}`;
}

/** Reads that show only numbers or times. */
const WITHOUT_CONTENT = new Set([
  "countEpisodeTimeline",
  "countTimeline",
  "countTimelineV2",
  "getAuditCheckpoint",
  "listActors",
  "listRelationVerbs",
  "listRelationVerbsV2",
  "proveAuditConsistency",
  "proveAuditRow",
  "verifyAudit",
  "whoami",
  "getWorkspaceHealth",
  "getMemoryHealth",
  "getFactHistory",
  "getGate",
  "getDrift",
  "listHealthHistory",
  "listWebhookDeliveries",
]);

Deno.test({
  ...POSTGRES,
  name: "a key with clearance internal sees nothing confidential in any reply, also after somebody else asked",
  async fn(t) {
    const now = new Date();
    await using service = await startService({ clock: () => now });
    const low = await service.createKey({ maxSensitivity: "internal" });
    const countsBefore = await numbersOf(service, low);
    const worlds = [await buildWorld(service, { mark: markOf("internal"), sensitivity: "internal" })];
    const repliesBefore = await repliesOf(service, worlds[0]!, low);
    for (const sensitivity of ["confidential", "restricted"] as const) {
      worlds.push(await buildWorld(service, { mark: markOf(sensitivity), sensitivity }));
    }
    const repliesAfter = await repliesOf(service, worlds[0]!, low);
    for (const [name, reply] of repliesBefore) {
      await t.step(`${name} answers the same, counts and scores included, whatever is written above`, () => {
        assert.deepEqual(repliesAfter.get(name)?.split("\n"), reply.split("\n"));
      });
    }
    const control = new Set<string>();

    for (const endpoint of READS) {
      for (const world of worlds) {
        const { mark, sensitivity } = world;
        const call = readOf(endpoint, world);
        await t.step(`${call.name}, ${sensitivity}`, async () => {
          const ask = ({ method, path, body }: Call, key: string) => service.call(method, path, { key, body });
          const full = await ask(call, service.key);
          assert.equal(full.status, 200, JSON.stringify(full.body));
          if (shows(full, world)) control.add(endpoint.route.operationId);
          const reply = await ask(call, low);
          if (sensitivity === "internal") {
            assert.equal(reply.status, 200, JSON.stringify(reply.body));
            return;
          }
          const text = plain(reply, world).replaceAll(questionOf(mark), "");
          if (call.single) assert.equal(reply.status, 404, text);
          assert.doesNotMatch(text, new RegExp(mark), "a mark in the reply");
          if (call.naming) {
            const never = unknownWorld(world);
            const expected = plain(await ask(readOf(endpoint, never), low), never).replaceAll(questionOf(mark), "");
            assert.equal(text, expected, "the reply differs from that about ids that there never were");
          } else if (!NAMES_IDS.has(endpoint.scope)) {
            assert.ok(!isTold(JSON.stringify(reply.body), world), "an id in the reply");
          }
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

/** Whether a reply names something of the world. */
function shows(reply: Reply, world: World): boolean {
  const text = JSON.stringify(reply.body);
  return text.includes(world.mark) || isTold(text, world);
}

async function seed(service: TestService, sensitivity: Sensitivity, key = service.key): Promise<World["ids"]> {
  return (await buildWorld(service, { mark: markOf(sensitivity), sensitivity, key })).ids;
}

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
    const { facts: fact, session } = await seed(service, "confidential");
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
    const { facts: fact, session } = await seed(service, "confidential");
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
