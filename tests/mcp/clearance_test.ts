/**
 * Over MCP, too, what is above a key's clearance does not exist for it: it is in no answer of any tool or resource that
 * reads.
 */
import assert from "node:assert/strict";
import { ALL_TOOLS } from "../../src/mcp/tools/mod.ts";
import type { Sensitivity } from "../../src/schema/common.ts";
import { buildWorld, isTold, plain, questionOf, unknownWorld, type World } from "../http/_world.ts";
import { POSTGRES } from "../_postgres.ts";
import { type Reply, startService, type TestService } from "../_service.ts";
import { send } from "./_client.ts";

type Params = Readonly<Record<string, unknown>>;

interface Read {
  readonly name: string;
  readonly method: string;
  readonly params: (world: World) => Params;
}

/** For each tool that reads, the arguments with which it shows what a world contains. */
const ARGUMENTS: Readonly<Record<string, (world: World) => Params>> = {
  recall: ({ mark }) => ({ query: questionOf(mark) }),
  read: ({ ids }) => ({ ids: [ids.facts, ids.decisions, ids.skills, ids.entities, ids.episodes], history: true }),
  timeline: ({ mark }) => ({ contains: mark, limit: 50 }),
  explain: ({ mark, ids }) => ({ query: questionOf(mark), ids: [ids.facts] }),
  tasks: ({ mark }) => ({ agent: mark }),
  reason: ({ mark }) => ({ goal: `Open the vault ${mark}` }),
};

const READING_TOOLS = ALL_TOOLS.filter(({ described, operation }) =>
  described.annotations.readOnlyHint || operation.scope === "memory:read"
);

const READS: readonly Read[] = [
  ...READING_TOOLS.map(({ name }): Read => ({
    name,
    method: "tools/call",
    params: (world) => ({ name, arguments: ARGUMENTS[name]!(world) }),
  })),
  { name: "recall, a briefing", method: "tools/call", params: () => ({ name: "recall", arguments: {} }) },
  ...(["facts", "episodes", "entities"] as const).map((kind): Read => ({
    name: `svc://units, ${kind}`,
    method: "resources/read",
    params: ({ ids }) => ({ uri: `svc://units/${ids[kind]}` }),
  })),
  {
    name: "svc://sessions",
    method: "resources/read",
    params: ({ ids }) => ({ uri: `svc://sessions/${ids.session}` }),
  },
  { name: "svc://briefing", method: "resources/read", params: () => ({ uri: "svc://briefing" }) },
];

function ask(service: TestService, { method, params }: Read, world: World, key: string): Promise<Reply> {
  return send(service, method, params(world), { key, path: "/mcp/all" });
}

/** The reply without the caller's own words. */
function textOf(reply: Reply, world: World): string {
  return plain(reply, world).replaceAll(questionOf(world.mark), "");
}

Deno.test({
  ...POSTGRES,
  name: "T71 a key with clearance internal sees nothing confidential in any answer of MCP, as if it had never been",
  async fn(t) {
    assert.deepEqual(Object.keys(ARGUMENTS).sort(), READING_TOOLS.map(({ name }) => name).sort());
    const now = new Date();
    await using service = await startService({ clock: () => now });
    const low = await service.createKey({ maxSensitivity: "internal" });
    const own = await buildWorld(service, { mark: "markerinternal", sensitivity: "internal" });
    const before = new Map<string, string>();
    for (const read of READS) before.set(read.name, textOf(await ask(service, read, own, low), own));
    const above: World[] = [];
    for (const sensitivity of ["confidential", "restricted"] as const satisfies readonly Sensitivity[]) {
      above.push(await buildWorld(service, { mark: `marker${sensitivity}`, sensitivity }));
    }
    for (const read of READS) {
      await t.step(`${read.name} answers the same, whatever is written above`, async () => {
        assert.equal(textOf(await ask(service, read, own, low), own), before.get(read.name));
      });
      for (const world of above) {
        await t.step(`${read.name}, ${world.sensitivity}`, async () => {
          const full = JSON.stringify((await ask(service, read, world, service.key)).body);
          const shows = isTold(full, world) || full.includes(world.mark);
          assert.ok(shows, `it shows it to whom it is for: ${full.slice(0, 300)}`);
          const reply = await ask(service, read, world, low);
          const text = textOf(reply, world);
          assert.doesNotMatch(text, new RegExp(world.mark), "a mark in the reply");
          const never = unknownWorld(world);
          assert.equal(text, textOf(await ask(service, read, never, low), never), "it differs from what never was");
        });
      }
    }
  },
});
