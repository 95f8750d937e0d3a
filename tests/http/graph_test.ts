/** `/v1/graph`, an entity's graph and its edges. */
import assert from "node:assert/strict";
import type { EntityEdge, Graph } from "../../src/schema/graph.ts";
import type { TestService } from "../_service.ts";
import { create, test, UNKNOWN_ID } from "./_facts.ts";
import { get, post, refusal } from "./_units.ts";

const RELATIONS = "/v1/memory/relations";

async function entity(service: TestService, canonicalName: string, more: object = {}): Promise<string> {
  return (await post(service, "/v1/memory/entities", { canonicalName, entityType: "person", ...more })).id;
}

async function relate(service: TestService, sourceId: string, verb: string, targetId: string, more: object = {}) {
  return (await post(service, RELATIONS, { sourceId, verb, targetId, ...more })).id as string;
}

async function graph(service: TestService, query: string, key?: string): Promise<Graph> {
  const reply = await service.get(`/v1/graph?${query}`, key === undefined ? {} : { key });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

/** All pages of an entity's edges. */
async function edgesOf(service: TestService, path: string): Promise<EntityEdge[]> {
  const edges: EntityEdge[] = [];
  for (let cursor = "";;) {
    const page = await get(service, path + cursor);
    edges.push(...page.data);
    if (page.nextCursor === null) return edges;
    cursor = `&cursor=${page.nextCursor}`;
  }
}

const idsOf = ({ nodes }: Graph) => nodes.map((node) => node.id).toSorted();
const tiesOf = ({ edges }: Graph) =>
  edges.map(({ verb, sourceId, targetId, basis }) => `${sourceId} ${verb} ${targetId} ${basis}`).toSorted();

test("a graph around a unit shows what is near, relations and what follows from the units, with places and degrees", async (service) => {
  const [ada, bob, team] = await Promise.all(
    ["Ada Berg", "Bob Lind", "Team Rocket"].map((name) => entity(service, name)),
  ) as [
    string,
    string,
    string,
  ];
  await relate(service, ada, "part_of", team, { weight: 0.9 });
  await relate(service, bob, "part_of", team);
  const fact = (await create(service, { statement: "The launch is near.", entityIds: [ada] })).id;
  const derived = (await create(service, { statement: "So hurry up.", derivedFrom: [fact] })).id;
  const near = await graph(service, `around=${ada}`);
  assert.deepEqual(idsOf(near), [ada, team, fact].toSorted());
  assert.deepEqual(tiesOf(near), [`${ada} part_of ${team} null`, `${fact} about ${ada} mention`].toSorted());
  const [centre] = near.nodes as [Graph["nodes"][0]];
  assert.deepEqual([centre.id, centre.depth, centre.degree, centre.label, centre.type], [
    ada,
    0,
    2,
    "Ada Berg",
    "entity",
  ]);
  for (const { x, y } of near.nodes) assert.ok(Math.abs(x) <= 1 && Math.abs(y) <= 1);
  assert.deepEqual(await graph(service, `around=${ada}`), near);
  assert.deepEqual(near.truncatedBy, []);
  const far = await graph(service, `around=${ada}&depth=2`);
  assert.deepEqual(idsOf(far), [ada, bob, team, fact, derived].toSorted());
  assert.ok(tiesOf(far).includes(`${derived} derived_from ${fact} derivedFrom`));
  const plain = await graph(service, `around=${ada}&depth=3&implied=false&verbs=part_of`);
  assert.deepEqual(idsOf(plain), [ada, bob, team].toSorted());
  const own = await get(service, `/v1/memory/entities/${ada}/graph?depth=2`);
  assert.deepEqual(own, far);
  assert.deepEqual(await get(service, `/v1/entities/${ada}/graph?depth=2`), far);
  assert.equal((await service.get(`/v1/memory/entities/${UNKNOWN_ID}/graph`)).status, 404);
  assert.deepEqual(refusal(await service.get(`/v1/graph?around=${UNKNOWN_ID}`)), [422, "validation_failed"]);
});

test("a graph without a centre holds the newest relations, or the units that are asked for, within its limits", async (service) => {
  const hub = await entity(service, "Wheel Hub", { drawers: ["wheels"], tags: ["round"] });
  const spokes: string[] = [];
  for (let i = 0; i < 6; i++) spokes.push((await create(service, { tags: i < 2 ? ["round"] : [] })).id);
  for (const id of spokes) await relate(service, id, "part_of", hub);
  const lonely = await entity(service, "Lonely Wheel", { drawers: ["wheels"] });
  const all = await graph(service, "");
  assert.deepEqual(idsOf(all), [hub, ...spokes].toSorted());
  assert.equal(all.nodes.find((node) => node.id === hub)!.degree, 6);
  assert.deepEqual(idsOf(await graph(service, "tags=round")), [hub, spokes[0]!, spokes[1]!].toSorted());
  assert.deepEqual(idsOf(await graph(service, "drawer=wheels")), [hub, lonely].toSorted());
  const small = await graph(service, "limit=3");
  assert.deepEqual(idsOf(small), [hub, spokes[4]!, spokes[5]!].toSorted());
  assert.deepEqual([small.edges.length, small.truncated, small.truncatedBy], [2, true, ["limit"]]);
  const few = await graph(service, "edgeLimit=2");
  assert.deepEqual([few.nodes.length, few.edges.length, few.truncatedBy], [7, 2, ["edges"]]);
  assert.equal((await service.get("/v1/graph?limit=1001")).status, 422);
});

test("a hyperedge is one edge with its participants, and relations of another time are left out", async (service) => {
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) ids.push((await create(service, {})).id);
  const participants = ids.slice(0, 3).map((id) => ({ role: "member", id }));
  await post(service, RELATIONS, { verb: "causes", participants });
  await relate(service, ids[0]!, "precedes", ids[3]!, { validTo: "2020-01-01T00:00:00Z" });
  const past = await graph(service, "asOf=2019-01-01T00:00:00Z");
  assert.equal(past.nodes.length, 4);
  const now = await graph(service, "asOf=2026-01-01T00:00:00Z");
  assert.deepEqual(idsOf(now), ids.slice(0, 3).toSorted());
  assert.deepEqual(now.edges.map((edge) => edge.participants?.map(({ id }) => id)), [ids.slice(0, 3).toSorted()]);
  assert.deepEqual(now.nodes.map((node) => node.degree), [1, 1, 1]);
});

test("a graph shows nothing above the key's clearance, no degree of it, and nothing of other workspaces", async (service) => {
  const low = await service.createKey({ maxSensitivity: "internal" });
  const [a, b] = [(await create(service, {})).id, (await create(service, {})).id];
  const secret = (await create(service, { sensitivity: "confidential", derivedFrom: [a] })).id;
  await relate(service, a, "supports", b);
  await relate(service, a, "supports", secret);
  for (const query of ["", `around=${a}`, `around=${a}&depth=3`]) {
    const shown = await graph(service, query, low);
    assert.deepEqual(idsOf(shown), [a, b].toSorted());
    assert.deepEqual([shown.edges.length, shown.nodes.map((node) => node.degree)], [1, [1, 1]]);
    assert.deepEqual(idsOf(await graph(service, query)), [a, b, secret].toSorted());
  }
  assert.equal((await service.get(`/v1/graph?around=${secret}`, { key: low })).status, 422);
  const other = await service.createKey({ workspaceId: await service.createWorkspace() });
  assert.deepEqual((await graph(service, "", other)).nodes, []);
});

test("an entity's edges come in pages without gap or repetition, relations first, then what is implied", async (service) => {
  const ada = await entity(service, "Ada Berg");
  const friends: string[] = [];
  for (let i = 0; i < 3; i++) friends.push(await entity(service, `Friend Number${i} of Many${i}`));
  const relations: string[] = [];
  for (const id of friends) relations.push(await relate(service, ada, "related_to", id));
  const hyper = await post(service, RELATIONS, {
    verb: "about",
    participants: [{ role: "source", id: friends[0] }, { role: "target", id: ada }, { role: "target", id: friends[1] }],
  });
  const facts: string[] = [];
  for (let i = 0; i < 4; i++) facts.push((await create(service, { entityIds: [ada] })).id);
  for (const limit of [1, 2, 3, 200]) {
    for (const face of ["/v1/entities", "/v1/memory/entities"]) {
      const edges = await edgesOf(service, `${face}/${ada}/edges?limit=${limit}`);
      assert.deepEqual(edges.map((edge) => edge.relationId), [
        hyper.id,
        hyper.id,
        ...relations.toReversed(),
        ...facts.map(() => null),
      ]);
      assert.deepEqual(edges.slice(5).map((edge) => edge.unit.id), facts);
      assert.ok(edges.slice(5).every((edge) => edge.implied && edge.basis === "mention" && edge.direction === "in"));
    }
  }
  for (const limit of [1, 2, 3, 200]) {
    const edges = await edgesOf(service, `/v1/entities/${ada}/edges?order=asc&limit=${limit}`);
    const expected = [...relations, hyper.id, hyper.id, ...facts.map(() => null)];
    assert.deepEqual(edges.map((edge) => edge.relationId), expected);
    assert.deepEqual(edges.slice(5).map((edge) => edge.unit.id), facts);
  }
  const { nextCursor } = await get(service, `/v1/entities/${ada}/edges?order=asc&limit=1`);
  const other = await service.get(`/v1/entities/${ada}/edges?order=desc&limit=1&cursor=${nextCursor}`);
  assert.deepEqual([other.status, other.body.code], [422, "validation_failed"]);
  const directions = async (query: string) =>
    (await get(service, `/v1/entities/${ada}/edges?${query}`)).data.map((
      edge: EntityEdge,
    ) => [edge.verb, edge.direction]);
  assert.deepEqual(await directions("implied=false&direction=in"), [
    ["about", "in"],
    ...relations.map(() => ["related_to", "both"]),
  ]);
  assert.deepEqual(await directions("verbs=about&direction=out"), []);
  assert.equal((await service.get(`/v1/entities/${UNKNOWN_ID}/edges`)).status, 404);
});

test("relations of a merged entity are the survivor's, and go back when the merge is undone", async (service) => {
  const names = ["Ada Berg", "Doctor Quist", "Team Rocket"];
  const [ada, other, team] = await Promise.all(names.map((name) => entity(service, name))) as [string, string, string];
  const first = await relate(service, ada, "part_of", team);
  const second = await relate(service, other, "part_of", team);
  const between = await relate(service, ada, "related_to", other);
  await post(service, `/v1/memory/entities/${ada}/merge`, { sourceIds: [other], reason: "the same person" }, 200);
  const ends = async (id: string) => {
    const { sourceId, targetId } = await get(service, `${RELATIONS}/${id}`);
    return [sourceId, targetId];
  };
  assert.deepEqual(await ends(second), [ada, team]);
  const listed = async (id: string) =>
    (await get(service, `${RELATIONS}?sourceId=${id}&order=asc`)).data.map((relation: { id: string }) => relation.id);
  assert.deepEqual(await listed(other), [first, second, between]);
  assert.deepEqual(await listed(ada), [first, second, between]);
  const walked = await post(service, `${RELATIONS}/traverse`, { startIds: [other] }, 200);
  assert.deepEqual(walked.results.map((result: { node: { id: string } }) => result.node.id), [team]);
  // Stated about the merged entity, the relation is the survivor's and exists already.
  const again = await service.post(RELATIONS, { sourceId: other, verb: "part_of", targetId: team });
  assert.deepEqual([again.status, again.body.id], [200, first]);
  await post(service, `/v1/memory/entities/${ada}/unmerge`, { sourceIds: [other] }, 200);
  assert.deepEqual(await ends(second), [other, team]);
  assert.deepEqual(await listed(other), [second]);
  assert.deepEqual(await listed(ada), [first, between]);
});
