/** `/v1/memory/relations/traverse`, compared with a walk by brute force. */
import assert from "node:assert/strict";
import type { Relation } from "../../src/schema/relation.ts";
import { VERB_NAMES, VERBS } from "../../src/schema/relation.ts";
import type { TestService } from "../_service.ts";
import { create, test, UNKNOWN_ID } from "./_facts.ts";
import { get, patch, post, refusal } from "./_units.ts";

const RELATIONS = "/v1/memory/relations";
const TRAVERSE = `${RELATIONS}/traverse`;

/** Numbers in [0, 1) that are the same for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Query {
  startIds: string[];
  verbs?: string[];
  direction: "out" | "in" | "both";
  depth: number;
  asOf?: string;
  minWeight?: number;
  minTrust?: number;
}

/** The expected result of a walk: the depth and weight of each unit, by reading all relations again and again. */
function bruteForce(relations: readonly Relation[], query: Query): Record<string, [depth: number, weight: number]> {
  // Without a time, it is the present, which is after every end.
  const asOf = query.asOf === undefined ? Infinity : Date.parse(query.asOf);
  const isValid = ({ validFrom, validTo }: Relation) =>
    (validFrom === null || Date.parse(validFrom) <= asOf) && (validTo === null || Date.parse(validTo) > asOf);
  const steps: { from: string; to: string; weight: number }[] = [];
  for (const relation of relations) {
    if (!(query.verbs?.includes(relation.verb) ?? true) || !isValid(relation)) continue;
    if (relation.weight < (query.minWeight ?? 0) || relation.trustScore < (query.minTrust ?? 0)) continue;
    const ends = relation.participants ??
      [{ role: "source", id: relation.sourceId! }, { role: "target", id: relation.targetId! }];
    const isUndirected = relation.participants === null && VERBS[relation.verb].symmetric;
    for (const a of ends) {
      for (const b of ends.filter((end) => end.id !== a.id)) {
        const isOut = a.role !== "target" && b.role !== "source";
        const isIn = a.role !== "source" && b.role !== "target";
        const leads = isUndirected || query.direction === "both" || (query.direction === "out" ? isOut : isIn);
        if (leads) steps.push({ from: a.id, to: b.id, weight: relation.weight });
      }
    }
  }
  const best = new Map<string, [number, number]>(query.startIds.map((id) => [id, [0, 1]]));
  for (let depth = 1; depth <= query.depth; depth++) {
    const reached = new Map<string, number>();
    for (const { from, to, weight } of steps) {
      const at = best.get(from);
      if (at?.[0] !== depth - 1 || best.has(to)) continue;
      reached.set(to, Math.max(reached.get(to) ?? 0, at[1] * weight));
    }
    for (const [id, weight] of reached) best.set(id, [depth, weight]);
  }
  return Object.fromEntries([...best].filter(([, [depth]]) => depth > 0).sort());
}

async function randomGraph(service: TestService, random: () => number) {
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)]!;
  const weights = [0, 0.25, 0.5, 0.75, 1];
  const ids: string[] = [];
  for (let i = 0; i < 10; i++) ids.push((await create(service, {})).id);
  const relations = Array.from({ length: 24 }, (_, i) => {
    const [a, b, ...rest] = ids.toSorted(() => random() - 0.5) as [string, string, ...string[]];
    return {
      verb: pick(VERB_NAMES),
      ...(i % 6 === 0
        ? {
          participants: [a, b, ...rest.slice(0, 2)].map((id) => ({ role: pick(["source", "target", "member"]), id })),
        }
        : { sourceId: a, targetId: b }),
      weight: pick(weights),
      attribution: pick(["user_stated", "agent_inferred"]),
      ...(random() < 0.3 && { validFrom: "2025-01-01T00:00:00Z" }),
      ...(random() < 0.3 && { validTo: "2025-06-01T00:00:00Z" }),
    };
  });
  await post(service, `${RELATIONS}/batch`, { relations }, 200);
  const { data } = await get(service, `${RELATIONS}?limit=200`);
  return { ids, relations: data as Relation[] };
}

test("a walk finds what looking at every relation that holds then, or now, finds, with a way that holds", async (service) => {
  for (const seed of [1, 2, 3, 4]) {
    const random = createRandom(seed);
    const { ids, relations } = await randomGraph(service, random);
    for (let i = 0; i < 25; i++) {
      const query: Query = {
        startIds: ids.toSorted(() => random() - 0.5).slice(0, 1 + Math.floor(random() * 3)),
        direction: (["out", "in", "both"] as const)[i % 3]!,
        depth: 1 + Math.floor(random() * 6),
        ...(random() < 0.4 && { verbs: VERB_NAMES.filter(() => random() < 0.5).slice(0, 5) }),
        ...(random() < 0.3 && { asOf: ["2024-06-01T00:00:00Z", "2025-03-01T00:00:00Z"][i % 2]! }),
        ...(random() < 0.2 && { minWeight: 0.5 }),
        ...(random() < 0.2 && { minTrust: 50 }),
      };
      if (query.verbs?.length === 0) delete query.verbs;
      const reply = await post(service, TRAVERSE, { ...query, limit: 1_000 }, 200);
      const context = `seed ${seed}: ${JSON.stringify(query)}`;
      assert.deepEqual([reply.truncated, reply.truncatedBy], [false, []], context);
      const found = reply.results.map((result: { node: { id: string }; depth: number; weight: number }) =>
        [result.node.id, [result.depth, result.weight]] as const
      );
      assert.deepEqual(Object.fromEntries(found.toSorted()), bruteForce(relations, query), context);
      assert.equal(reply.visited, found.length);
      for (const { node, depth, path } of reply.results) {
        assert.equal(path.length, depth);
        assert.ok(query.startIds.includes(path[0].from));
        assert.equal(path.at(-1).to, node.id);
        for (const [n, step] of path.entries()) {
          if (n > 0) assert.equal(step.from, path[n - 1].to);
          const relation = relations.find(({ id }) => id === step.relationId)!;
          assert.equal(relation.verb, step.verb);
          if (query.direction !== "both") assert.ok(["both", query.direction].includes(step.direction), context);
        }
      }
    }
  }
});

test("a walk goes round circles once, through other types, and past what is archived not at all", async (service) => {
  const [a, b, c, d] = await Promise.all([0, 1, 2, 3].map(() => create(service, {}))) as { id: string }[];
  const episode = await post(service, "/v1/memory/episodes", { title: "Planning", summary: "of the launch" });
  for (const [x, y] of [[a, b], [b, c], [c, a], [c, episode], [episode, d]]) {
    await post(service, RELATIONS, { verb: "causes", sourceId: x!.id, targetId: y!.id });
  }
  const walked = async (more: object) => {
    const reply = await post(service, TRAVERSE, { startIds: [a!.id], direction: "out", depth: 6, ...more }, 200);
    return reply.results.map((result: { node: { id: string } }) => result.node.id);
  };
  assert.deepEqual(await walked({}), [b!.id, c!.id, episode.id, d!.id]);
  assert.deepEqual(await walked({ types: ["fact"] }), [b!.id, c!.id, d!.id]);
  assert.deepEqual(await walked({ limit: 1 }), [b!.id]);
  const reply = await post(service, TRAVERSE, { startIds: [a!.id], direction: "out", limit: 1 }, 200);
  assert.deepEqual([reply.visited, reply.truncated, reply.truncatedBy], [2, true, ["limit"]]);
  const [result] = (await post(service, TRAVERSE, { startIds: [c!.id], types: ["episode"] }, 200)).results;
  assert.deepEqual(result.node, {
    id: episode.id,
    type: "episode",
    label: "Planning",
    status: "active",
    trustScore: 60,
    sensitivity: "internal",
    stale: false,
  });
  await service.delete(`/v1/memory/facts/${b!.id}`);
  assert.deepEqual(await walked({}), []);
});

test("a walk does not see what is above the key's clearance, nor other workspaces", async (service) => {
  const low = await service.createKey({ maxSensitivity: "internal" });
  const [a, b, c] = await Promise.all([0, 1, 2].map(() => create(service, {}))) as { id: string }[];
  const secret = await create(service, { sensitivity: "confidential" });
  for (const [x, y] of [[a, secret], [secret, b], [b, c]]) {
    await post(service, RELATIONS, { verb: "precedes", sourceId: x!.id, targetId: y!.id });
  }
  const all = await service.post(TRAVERSE, { startIds: [a!.id], depth: 6 });
  assert.equal(all.body.visited, 3);
  const some = await service.post(TRAVERSE, { startIds: [a!.id], depth: 6 }, { key: low });
  assert.deepEqual([some.body.visited, some.body.results], [0, []]);
  for (const startIds of [[a!.id, UNKNOWN_ID], [a!.id, secret.id]]) {
    const unknown = await service.post(TRAVERSE, { startIds }, { key: low });
    assert.deepEqual([...refusal(unknown), unknown.body.errors[0].path], [422, "validation_failed", "startIds.1"]);
  }
  const other = await service.createKey({ workspaceId: await service.createWorkspace() });
  assert.equal((await service.post(TRAVERSE, { startIds: [a!.id] }, { key: other })).status, 422);
});

test("of a hub the strongest relations are followed, and the reply says that others were not", async (service) => {
  const hub = (await create(service, {})).id;
  const spokes: string[] = [];
  for (let from = 0; from < 210; from += 70) {
    const facts = Array.from({ length: 70 }, (_, i) => ({ statement: `Spoke ${from + i} of the wheel ${from}` }));
    const { results } = await post(service, "/v1/memory/facts/batch", { facts }, 200);
    spokes.push(...results.map((result: { fact: { id: string } }) => result.fact.id));
  }
  const relations = spokes.map((id, i) => ({ verb: "part_of", sourceId: id, targetId: hub, weight: i / 210 }));
  await post(service, `${RELATIONS}/batch`, { relations }, 200);
  const reply = await post(service, TRAVERSE, { startIds: [hub], depth: 1, limit: 1_000 }, 200);
  assert.deepEqual([reply.visited, reply.truncated, reply.truncatedBy], [200, true, ["fan_out"]]);
  assert.deepEqual(
    reply.results.map((result: { node: { id: string } }) => result.node.id),
    spokes.toReversed().slice(0, 200),
  );
  const out = await post(service, TRAVERSE, { startIds: [hub], direction: "out" }, 200);
  assert.deepEqual([out.visited, out.truncated], [0, false]);
});

test("a walk that trusts little is kept from units of less trust", async (service) => {
  const [a, b] = await Promise.all([0, 1].map(() => create(service, {}))) as { id: string }[];
  await post(service, RELATIONS, { verb: "about", sourceId: a!.id, targetId: b!.id, attribution: "user_stated" });
  const visited = async () => (await post(service, TRAVERSE, { startIds: [a!.id], minTrust: 70 }, 200)).visited;
  assert.equal(await visited(), 0);
  await patch(service, `/v1/memory/facts/${b!.id}`, { attribution: "user_stated" });
  assert.equal(await visited(), 1);
});
