/** Units of any type by id, and their union in the document; the ends of entities. */
import assert from "node:assert/strict";
import { UNIT_FACES } from "./_lifecycle.ts";
import { UNIT_TYPES } from "../../src/schema/unit.ts";
import { create, test, UNKNOWN_ID } from "./_facts.ts";
import { applied, reverted } from "./_self.ts";
import { exportAll } from "./_transfer.ts";
import { get, listIds, post, recall, refusal } from "./_units.ts";

interface Named {
  readonly id: string;
}

const UNITS = "/v1/memory/units";
const ENTITIES = "/v1/memory/entities";

test("units of all types are read together, in the order asked for, each as its own type shows it", async (service) => {
  const made = [await create(service, {})];
  for (const { path, body } of UNIT_FACES) made.push(await post(service, path, body));
  const ids = made.map((unit) => unit.id).toReversed();
  const { data } = await get(service, `${UNITS}?${[...ids, UNKNOWN_ID].map((id) => `id=${id}`).join("&")}`);
  assert.deepEqual(data.map((sought: { id: string }) => sought.id), [...ids, UNKNOWN_ID]);
  for (const { id, type, unit } of data.slice(0, -1)) {
    const path = type === "fact" ? "/v1/memory/facts" : UNIT_FACES.find((face) => face.type === type)!.path;
    assert.deepEqual(unit, await get(service, `${path}/${id}`));
    assert.deepEqual(unit, await get(service, `${UNITS}/${id}`));
  }
  assert.deepEqual(data.at(-1), { id: UNKNOWN_ID, type: null, unit: null });
});

test("a unit of every type is recalled, dated, valued, exported, told of by the profile, edited by its agent", async (service) => {
  const faces = [
    { type: "fact", path: "/v1/memory/facts", body: { statement: "The harbour is deep." } },
    ...UNIT_FACES,
  ];
  assert.deepEqual(faces.map(({ type }) => type).sort(), UNIT_TYPES.toSorted());
  for (const { type, path, body } of faces) {
    const { operations: [added] } = await applied(service, [{ op: "add", type, body }]);
    const id = added.resourceId;
    assert.equal((await get(service, `${path}/${id}`)).type, type);
    const query = type === "entity" ? "Caroline" : "harbour";
    assert.deepEqual((await recall(service, query, [type])).map((result) => result.id), [id], `${type} is recalled`);
    const timeline = await get(service, `/v1/memory/timeline?types=${type}`);
    assert.deepEqual(timeline.data.map((item: Named) => item.id), [id], `${type} stands on the timeline`);
    const worth = await get(service, `/v1/memory/governance/worth?type=${type}`);
    assert.deepEqual(worth.data.map((item: Named) => item.id), [id], `${type} has its worth`);
    const { recentChanges } = await get(service, "/v1/self/profile");
    assert.ok(recentChanges.some((change: Named) => change.id === id), `${type} is told of by the profile`);
    const { lines } = await exportAll(service, service.key, `?types=${type}`);
    assert.deepEqual(lines.map((line) => [line.kind, line.id]), [[type, id]], `${type} is exported`);
    await applied(service, [{ op: "pin", id }, { op: "unpin", id }]);
    const put = await applied(service, [{ op: "forget", id, mode: "archive" }]);
    assert.equal((await get(service, `${path}/${id}`)).status, "archived");
    await reverted(service, put.id);
    assert.notEqual((await get(service, `${path}/${id}`)).status, "archived", `${type} comes back`);
    await applied(service, [{ op: "forget", id, mode: "erase" }]);
    assert.deepEqual(refusal(await service.get(`${UNITS}/${id}`)), [410, "erased"]);
  }
});

test(
  "units are read as they were known; what is hidden, foreign, erased or was not known is null",
  async (service, clock) => {
    const before = clock.now.toISOString();
    clock.step(1_000);
    const fact = await create(service, { statement: "The first wording." });
    const secret = await create(service, { sensitivity: "restricted" });
    const then = clock.now.toISOString();
    clock.step(1_000);
    await service.patch(`/v1/memory/facts/${fact.id}`, { statement: "The second wording." });
    const read = async (query: string, key = service.key) => {
      const reply = await service.get(`${UNITS}?id=${fact.id}&id=${secret.id}${query}`, { key });
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      return reply.body.data.map((sought: { unit: { statement: string } | null }) => sought.unit?.statement ?? null);
    };
    assert.deepEqual(await read(""), ["The second wording.", secret.statement]);
    assert.deepEqual(await read(`&knownAt=${then}`), ["The first wording.", secret.statement]);
    assert.deepEqual(await read(`&knownAt=${before}`), [null, null]);
    assert.deepEqual(await read("", await service.createKey({ maxSensitivity: "internal" })), [
      "The second wording.",
      null,
    ]);
    const other = await service.createKey({ workspaceId: await service.createWorkspace() });
    assert.deepEqual(await read("", other), [null, null]);
    await post(service, `/v1/facts/${fact.id}/forget`, { mode: "erase" }, 200);
    assert.deepEqual(await read(`&knownAt=${then}`), [null, secret.statement]);
    assert.deepEqual(refusal(await service.get(`${UNITS}/${fact.id}`)), [410, "erased"]);
    assert.deepEqual(refusal(await service.get(`${UNITS}/${fact.id}`, { key: other })), [404, "not_found"]);
    for (const query of ["?id=x", `?id=${fact.id}&colour=red`]) {
      assert.equal((await service.get(UNITS + query)).status, 422);
    }
  },
);

test("the document describes units of any type with oneOf, a discriminator and null", async () => {
  const document = JSON.parse(await Deno.readTextFile(new URL("../openapi.json", import.meta.url)));
  const { KnowledgeUnit, SoughtUnit } = document.components.schemas;
  assert.equal(KnowledgeUnit.discriminator.propertyName, "type");
  assert.deepEqual(Object.keys(KnowledgeUnit.discriminator.mapping).sort(), UNIT_TYPES.toSorted());
  assert.deepEqual(SoughtUnit.properties.unit.oneOf.at(-1), { type: "null" });
});

test("an entity is archived, restored and erased as other units are", async (service) => {
  const entity = await post(service, ENTITIES, { canonicalName: "Harbour Authority", aliases: ["HA"] });
  for (const path of [ENTITIES, "/v1/entities"]) {
    const { entity: archived } = await post(
      service,
      `${path}/${entity.id}/forget`,
      { mode: "archive", reason: "x" },
      200,
    );
    assert.equal(archived.status, "archived");
    assert.deepEqual(await listIds(service, ENTITIES), []);
    assert.deepEqual(await recall(service, "Harbour Authority", ["entity"]), []);
    const restored = await service.post(`${path}/${entity.id}/restore`);
    assert.deepEqual([restored.status, restored.body.status], [200, "active"]);
    assert.deepEqual(refusal(await service.post(`${path}/${entity.id}/restore`)), [409, "invalid_transition"]);
  }
  const { data } = await get(service, `${ENTITIES}/${entity.id}/revisions`);
  assert.deepEqual(data.map((row: { event: string }) => row.event), [
    "restored",
    "archived",
    "restored",
    "archived",
    "created",
  ]);
  assert.equal(data[4].entity.canonicalName, "Harbour Authority");
  const dependant = await create(service, { derivedFrom: [entity.id] });
  const { receipt } = await post(service, `${ENTITIES}/${entity.id}/forget`, { mode: "erase" }, 200);
  assert.deepEqual([receipt.resourceType, receipt.staleDependants], ["entity", 1]);
  assert.equal((await get(service, `/v1/memory/facts/${dependant.id}`)).stale, true);
  assert.deepEqual(refusal(await service.get(`${ENTITIES}/${entity.id}`)), [410, "erased"]);
  const again = await post(service, ENTITIES, { canonicalName: "Harbour Authority" });
  assert.notEqual(again.id, entity.id, "its name is free");
});
