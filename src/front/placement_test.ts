import assert from "node:assert/strict";
import { generateApiKey } from "../crypto/api_key.ts";
import type { RequestHead } from "./head.ts";
import { type FindWorkspace, Placement } from "./placement.ts";

const PEER = { hostname: "192.0.2.1", port: 1 };

function head(authorization?: string): RequestHead {
  return { method: "GET", target: "/", header: (name) => name === "authorization" ? authorization ?? null : null };
}

function asked(answer: (publicId: string) => string | undefined): { find: FindWorkspace; ids: string[] } {
  const ids: string[] = [];
  return {
    ids,
    find: async (head) => {
      const id = head.header("authorization")!.slice(16, 28);
      ids.push(id);
      return answer(id);
    },
  };
}

Deno.test("all keys of a workspace go to one worker, asked about once, and workspaces are dealt out evenly", async () => {
  const { find, ids } = asked((id) => `workspace ${id.charCodeAt(0) % 6}`);
  const placement = new Placement(3, find);
  const keys = Array.from({ length: 200 }, () => generateApiKey("svc_live_"));
  const places = new Map<string, Set<number>>();
  for (const { key, publicId } of [...keys, ...keys]) {
    const workspace = `workspace ${publicId.charCodeAt(0) % 6}`;
    const seen = places.get(workspace) ?? new Set();
    places.set(workspace, seen.add(await placement.workerOf(head(`Bearer ${key}`), PEER)));
  }
  assert.equal(ids.length, keys.length);
  assert.ok([...places.values()].every(({ size }) => size === 1));
  const counts = [0, 1, 2].map((worker) => [...places.values()].filter((seen) => seen.has(worker)).length);
  assert.deepEqual(counts, [2, 2, 2]);
});

Deno.test("many requests with a new key at once ask about it once", async () => {
  const { find, ids } = asked(() => "workspace");
  const placement = new Placement(2, find);
  const { key } = generateApiKey("svc_live_");
  await Promise.all(Array.from({ length: 20 }, () => placement.workerOf(head(`bearer ${key}`), PEER)));
  assert.equal(ids.length, 1);
});

Deno.test("what has no workspace's key goes to the first worker; unknown keys of one address to one worker", async () => {
  const { find, ids } = asked(() => undefined);
  const placement = new Placement(4, find);
  for (const authorization of [undefined, "Basic x", "Bearer operator", `Bearer ${generateApiKey("mk_admin_").key}`]) {
    assert.equal(await placement.workerOf(head(authorization), PEER), 0);
  }
  const invented = `Bearer svc_live_${"a".repeat(61)}`;
  assert.equal(ids.length, 0);
  const places = new Set([await placement.workerOf(head(invented), PEER)]);
  assert.equal(ids.length, 0, "what is no key is asked about nowhere");
  for (let i = 0; i < 20; i++) {
    places.add(await placement.workerOf(head(`Bearer ${generateApiKey("svc_live_").key}`), { ...PEER, port: i }));
  }
  assert.equal(places.size, 1);
});

Deno.test("a worker that cannot tell now is asked again", async () => {
  let fails = true;
  const placement = new Placement(2, async () => {
    if (fails) throw new Error("away");
    return "workspace";
  });
  const { key } = generateApiKey("svc_live_");
  await placement.workerOf(head(`Bearer ${key}`), PEER);
  fails = false;
  await placement.workerOf(head(`Bearer ${key}`), PEER);
  assert.equal(placement.placeOf("workspace"), await placement.workerOf(head(`Bearer ${key}`), PEER));
});
