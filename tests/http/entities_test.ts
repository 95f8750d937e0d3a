/** Entities: found or created by name. */
import assert from "node:assert/strict";
import type { Reply, TestService } from "../_service.ts";
import { test } from "./_facts.ts";
import { feedOf, get, listIds, patch, post, recall, refusal, versionsOf } from "./_units.ts";

const ENTITIES = "/v1/memory/entities";

function named(canonicalName: string, more: Record<string, unknown> = {}) {
  return { canonicalName, ...more };
}

async function create(service: TestService, name: string, more: Record<string, unknown> = {}): Promise<Reply["body"]> {
  return await post(service, ENTITIES, named(name, more));
}

async function find(service: TestService, name: string, more: Record<string, unknown> = {}): Promise<Reply["body"]> {
  return await post(service, ENTITIES, named(name, more), 200);
}

test("an entity is created once and then found by its name and aliases, however they are written", async (service) => {
  const acme = await create(service, "Straße  Corp", {
    aliases: ["Acme", "Ａｃｍｅ", "O’Brien"],
    entityType: "Organization",
  });
  assert.deepEqual(
    [acme.canonicalName, acme.entityType, acme.aliases, acme.created, acme.matchedBy, acme.mentionCount],
    ["Straße Corp", "organization", ["Acme", "O’Brien"], true, null, 0],
  );
  for (
    const [name, matchedBy] of [["STRASSE corp", "name"], ["stra\u200bsse\tcorp ", "name"], ["ACME", "alias"], [
      "o'brien",
      "alias",
    ]]
  ) {
    const found = await find(service, name!);
    assert.deepEqual([found.id, found.created, found.matchedBy, found.version], [acme.id, false, matchedBy, 1], name);
  }
  for (const other of ["Strase Corp", "Acme's", "Acmé"]) await create(service, other);
  assert.deepEqual(await feedOf(service, acme.id), ["entity.created"]);
});

test("what is told about an entity that is there is added to it, once", async (service) => {
  const { id } = await create(service, "Acme", { attributes: { city: "Rome" }, drawers: ["customers"] });
  const more = { aliases: ["Acme Corp"], attributes: { size: 12 }, drawers: ["robots"], tags: ["x"] };
  for (const _ of [1, 2]) {
    const found = await find(service, "acme", more);
    assert.deepEqual(
      [found.id, found.version, found.aliases, found.attributes, found.drawers, found.tags],
      [id, 2, ["Acme Corp"], { city: "Rome", size: 12 }, ["customers", "robots"], ["x"]],
    );
  }
  const less = await find(service, "Acme Corp", { attribution: "unverified", attributes: { city: "Oslo", size: 12 } });
  assert.deepEqual([less.id, less.attributes.city, less.keptAttributes, less.version], [id, "Rome", ["city"], 2]);
  const same = await find(service, "Acme", { attributes: { city: "Oslo" } });
  assert.deepEqual([same.attributes.city, same.keptAttributes, same.version], ["Oslo", [], 3]);
  assert.deepEqual(await versionsOf(service, id), [["created", null], ["extended", null], ["extended", null]]);
  assert.deepEqual((await recall(service, "Oslo", ["entity"])).map((result) => result.id), [id]);
  assert.deepEqual((await recall(service, "Acme Corp", ["entity"])).map((result) => result.id), [id]);
});

test("of many who name the same new entity at once one creates it and all get it", async (service) => {
  const replies = await Promise.all(
    Array.from(
      { length: 12 },
      (_, i) =>
        service.post(
          ENTITIES,
          named(i % 2 === 0 ? "Kubernetes" : "ＫＵＢＥＲＮＥＴＥＳ", { drawers: [`drawer ${i}`] }),
        ),
    ),
  );
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [...Array(11).fill(200), 201]);
  assert.equal(new Set(replies.map((reply) => reply.body.id)).size, 1);
  const entity = await get(service, `${ENTITIES}/${replies[0]!.body.id}`);
  assert.equal(entity.drawers.length, 12);
});

test("an entity that nobody typed takes the more precise type, another precise type is another entity", async (service) => {
  const mercury = await create(service, "Mercury");
  const planet = await find(service, "mercury", { entityType: "place" });
  assert.deepEqual([planet.id, planet.entityType, planet.version], [mercury.id, "place", 2]);
  const product = await create(service, "Mercury", { entityType: "product" });
  assert.equal((await find(service, "Mercury", { entityType: "product" })).id, product.id);
  assert.equal((await find(service, "Mercury", { entityType: "PLACE" })).id, mercury.id);
  assert.equal((await find(service, "Mercury")).id, mercury.id);
  const renamed = await service.patch(`${ENTITIES}/${product.id}`, { entityType: "place" });
  assert.deepEqual([renamed.status, renamed.body.code, renamed.body.entityId], [409, "conflict", mercury.id]);
});

test("an alias that is told finds the only entity that has it, and none where two have it", async (service) => {
  const ibm = await create(service, "IBM", { entityType: "organization" });
  const found = await find(service, "International Business Machines", { aliases: ["ibm"] });
  assert.deepEqual([found.id, found.matchedBy, found.aliases], [ibm.id, "alias", ["International Business Machines"]]);
  await create(service, "James Smith", { entityType: "person", aliases: ["JS"] });
  await create(service, "JavaScript", { entityType: "technology", aliases: ["JS"] });
  await create(service, "ECMAScript", { aliases: ["JS"] });
});

test("a batch holds each entity against those before it, and leaves out what is refused", async (service) => {
  const reply = await post(service, `${ENTITIES}/batch`, {
    entities: [
      named("Caroline", { entityType: "person" }),
      named("caroline", { aliases: ["Caro"] }),
      named("Melanie", { derivedFrom: ["01890000-0000-7000-8000-000000000000"] }),
      named("CARO"),
      named("Tea", { attribution: "federation_received" }),
    ],
  }, 200);
  assert.deepEqual([reply.created, reply.found, reply.refused], [1, 2, 2]);
  assert.deepEqual(reply.results.map((result: { status: number }) => result.status), [201, 200, 422, 200, 422]);
  const id = reply.results[0].entity.id;
  assert.deepEqual([reply.results[1].entity.id, reply.results[3].entity.id], [id, id]);
  assert.deepEqual(await versionsOf(service, id), [["created", null]]);
  assert.deepEqual((await get(service, `${ENTITIES}/${id}`)).aliases, ["Caro"]);
});

test("what is above the key's clearance is not found: another entity is made within it", async (service) => {
  const low = await service.createKey({ maxSensitivity: "internal" });
  const secret = await create(service, "Orion", { sensitivity: "confidential", attributes: { budget: "huge" } });
  const reply = await service.post(ENTITIES, named("ORION", { aliases: ["Hunter"] }), { key: low });
  assert.deepEqual([reply.status, reply.body.created, reply.body.attributes], [201, true, {}]);
  assert.notEqual(reply.body.id, secret.id);
  assert.equal((await service.get(`${ENTITIES}/${secret.id}`, { key: low })).status, 404);
  assert.equal((await service.get(`${ENTITIES}?name=orion`, { key: low })).body.data.length, 1);
  assert.equal((await find(service, "Orion", { sensitivity: "confidential" })).id, secret.id);
  const vega = await create(service, "Vega");
  const raised = await find(service, "Vega", { sensitivity: "confidential", attributes: { secret: "yes" } });
  assert.deepEqual([raised.id, raised.sensitivity], [vega.id, "confidential"]);
  assert.equal((await service.get(`${ENTITIES}/${raised.id}`, { key: low })).status, 404);
});

test("an archived entity keeps its names and is restored by whoever finds it, or by a patch", async (service) => {
  const { id } = await create(service, "Acme", { aliases: ["Acme Corp"] });
  for (
    const restore of [() => find(service, "acme corp"), () => patch(service, `${ENTITIES}/${id}`, { status: "active" })]
  ) {
    const archived = await service.delete(`${ENTITIES}/${id}`);
    assert.deepEqual([archived.status, archived.body.status], [200, "archived"]);
    assert.deepEqual(await recall(service, "Acme", ["entity"]), []);
    assert.deepEqual(await listIds(service, ENTITIES), []);
    const restored = await restore();
    assert.deepEqual([restored.id, restored.status], [id, "active"]);
  }
  assert.deepEqual(await listIds(service, `${ENTITIES}?name=ACME%20CORP`), [id]);
});

test("a renamed entity is found by both names, and a name that is taken is refused", async (service) => {
  const { id } = await create(service, "Acme");
  const renamed = await patch(service, `${ENTITIES}/${id}`, { canonicalName: "Apex" });
  assert.deepEqual([renamed.canonicalName, renamed.aliases], ["Apex", ["Acme"]]);
  assert.equal((await find(service, "acme")).id, id);
  const other = await create(service, "Zenith");
  assert.deepEqual(refusal(await service.patch(`${ENTITIES}/${other.id}`, { canonicalName: "APEX" })), [
    409,
    "conflict",
  ]);
  const dropped = await patch(service, `${ENTITIES}/${id}`, { aliases: [] });
  assert.deepEqual(dropped.aliases, []);
  await create(service, "Acme");
});

test("a verified entity is added to by those alone who may verify", async (service) => {
  const { id } = await create(service, "Acme", { attribution: "verified" });
  const key = await service.createKey({ scopes: ["memory:read", "memory:write"] });
  const refused = await service.post(ENTITIES, named("Acme", { aliases: ["Evil Corp"] }), { key });
  assert.deepEqual(refusal(refused), [403, "insufficient_scope"]);
  const filed = await service.post(ENTITIES, named("Acme", { drawers: ["customers"] }), { key });
  assert.deepEqual([filed.status, filed.body.id, filed.body.drawers], [200, id, ["customers"]]);
});

test("drawers are filled and emptied once, under the version that is expected", async (service) => {
  const { id } = await create(service, "Acme");
  const drawer = `${ENTITIES}/${id}/drawers/${encodeURIComponent("key accounts")}`;
  for (const version of [2, 2]) {
    const filed = await service.call("PUT", drawer, {});
    assert.deepEqual([filed.status, filed.body.version, filed.body.drawers], [200, version, ["key accounts"]]);
  }
  assert.deepEqual(await listIds(service, `${ENTITIES}?drawer=key%20accounts`), [id]);
  const stale = await service.call("DELETE", drawer, { headers: { "if-match": '"1"' } });
  assert.deepEqual(refusal(stale), [412, "version_mismatch"]);
  for (const _ of [1, 2]) assert.deepEqual((await service.delete(drawer)).body.drawers, []);
  assert.deepEqual(await listIds(service, `${ENTITIES}?drawer=key%20accounts`), []);
  assert.deepEqual(await feedOf(service, id), ["entity.created", "entity.filed", "entity.unfiled"]);
});

test("a name that cannot be seen or kept is refused", async (service) => {
  for (const name of ["", "  ", "\u200b\u200d", "x".repeat(513), "\ufdfa".repeat(170)]) {
    assert.deepEqual(refusal(await service.post(ENTITIES, named(name))), [422, "validation_failed"], name);
  }
  for (const more of [{ entityType: "!" }, { drawers: [" x"] }, { attributes: { x: "y".repeat(17_000) } }]) {
    assert.deepEqual(refusal(await service.post(ENTITIES, named("Acme", more))), [422, "validation_failed"]);
  }
});
