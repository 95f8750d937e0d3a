/** Merging entities and undoing it. The id of a merged entity still leads to the one that replaced it. */
import assert from "node:assert/strict";
import type { Reply, TestService } from "../_service.ts";
import { test } from "./_facts.ts";
import { feedOf, get, listIds, patch, post, recall, refusal, versionsOf } from "./_units.ts";

const ENTITIES = "/v1/memory/entities";

async function create(service: TestService, name: string, more: Record<string, unknown> = {}): Promise<Reply["body"]> {
  return await post(service, ENTITIES, { canonicalName: name, ...more });
}

function merge(service: TestService, id: string, ...sourceIds: string[]): Promise<Reply> {
  return service.post(`${ENTITIES}/${id}/merge`, { sourceIds, reason: "the same" });
}

function unmerge(service: TestService, id: string, ...sourceIds: string[]): Promise<Reply> {
  return service.post(`${ENTITIES}/${id}/unmerge`, { sourceIds });
}

/** The content of an entity, without its version and times. */
async function said(service: TestService, id: string) {
  const { version: _v, updatedAt: _u, worth: _w, ...rest } = await get(service, `${ENTITIES}/${id}?follow=false`);
  return rest;
}

test("a merged entity's old id answers the survivor, and changes through it change the survivor", async (service) => {
  const acme = await create(service, "Acme Corp", { attributes: { city: "Rome" }, drawers: ["customers"] });
  const other = await create(service, "Zenith Works", {
    aliases: ["ZW"],
    attributes: { city: "Oslo", size: 3 },
    drawers: ["partners"],
    tags: ["x"],
    entityType: "organization",
  });
  const merged = await merge(service, acme.id, other.id);
  assert.deepEqual([merged.status, merged.headers.get("etag")], [200, '"2"'], JSON.stringify(merged.body));
  assert.deepEqual(merged.body.merged, [{ id: other.id, version: 2 }]);
  const { aliases, attributes, drawers, tags, entityType } = merged.body;
  assert.deepEqual({ aliases, attributes, drawers, tags, entityType }, {
    aliases: ["Zenith Works", "ZW"],
    attributes: { city: "Rome", size: 3 },
    drawers: ["customers", "partners"],
    tags: ["x"],
    entityType: "organization",
  });
  assert.equal((await get(service, `${ENTITIES}/${other.id}`)).id, acme.id);
  const record = await get(service, `${ENTITIES}/${other.id}?follow=false`);
  assert.deepEqual([record.id, record.status, record.mergedInto], [other.id, "merged", acme.id]);
  assert.deepEqual(await listIds(service, `${ENTITIES}?status=merged`), [other.id]);
  assert.deepEqual(await listIds(service, ENTITIES), [acme.id]);
  assert.equal((await patch(service, `${ENTITIES}/${other.id}`, { tags: ["y"] })).id, acme.id);
  assert.equal((await service.call("PUT", `/v1/entities/${other.id}/drawers/d`, {})).body.id, acme.id);
  const found = await post(service, ENTITIES, { canonicalName: "zenith works" }, 200);
  assert.deepEqual([found.id, found.matchedBy], [acme.id, "alias"]);
  assert.deepEqual((await recall(service, "Zenith", ["entity"])).map((result) => result.id), [acme.id]);
  assert.deepEqual(refusal(await service.delete(`${ENTITIES}/${other.id}`)), [409, "invalid_transition"]);
  assert.deepEqual(await feedOf(service, other.id), ["entity.created", "entity.merged"]);
  assert.deepEqual(await versionsOf(service, other.id), [["created", null], ["merged", `into ${acme.id}: the same`]]);
});

test("chains of merges are flat, circles and merges of oneself are refused, a merge twice changes nothing", async (service) => {
  const [a, b, c, d] = await Promise.all(["Alpha", "Beta", "Gamma", "Delta"].map((name) => create(service, name)));
  assert.equal((await merge(service, b!.id, a!.id)).status, 200);
  assert.equal((await merge(service, c!.id, b!.id)).status, 200);
  const record = await get(service, `${ENTITIES}/${a!.id}?follow=false`);
  assert.equal(record.mergedInto, c!.id);
  assert.equal((await get(service, `${ENTITIES}/${a!.id}`)).id, c!.id);
  assert.deepEqual(refusal(await merge(service, c!.id, c!.id)), [422, "validation_failed"]);
  for (const id of [a!.id, b!.id]) assert.deepEqual(refusal(await merge(service, id, c!.id)), [409, "conflict"]);
  const twice = await merge(service, c!.id, b!.id, a!.id);
  assert.deepEqual([twice.status, twice.body.version, twice.body.merged], [200, 2, []]);
  const elsewhere = await merge(service, d!.id, a!.id);
  assert.deepEqual([elsewhere.status, elsewhere.body.survivorId], [409, c!.id]);
  // By an old id: the survivor takes it.
  assert.equal((await merge(service, a!.id, d!.id)).body.id, c!.id);
});

test("of two merges that cross at once one is done and the other refused", async (service) => {
  for (let round = 0; round < 5; round++) {
    const a = await create(service, `North${round}`);
    const b = await create(service, `Quux${round}`);
    const replies = await Promise.all([merge(service, a.id, b.id), merge(service, b.id, a.id)]);
    assert.deepEqual(
      replies.map((reply) => reply.status).sort(),
      [200, 409],
      JSON.stringify(replies.map((r) => r.body)),
    );
    const shown = await Promise.all([a.id, b.id].map((id) => get(service, `${ENTITIES}/${id}`)));
    assert.equal(shown[0].id, shown[1].id);
  }
});

test("what was merged comes back as it was, and so does the survivor", async (service) => {
  const a = await create(service, "Acme Corp", { attributes: { city: "Rome" }, aliases: ["Acme"] });
  const b = await create(service, "Zenith", { sensitivity: "confidential", attributes: { size: 3 }, tags: ["x"] });
  const c = await create(service, "Quux", { aliases: ["Qx", "Zen"], entityType: "organization" });
  const before = await Promise.all([a, b, c].map(({ id }) => said(service, id)));
  assert.equal((await merge(service, a.id, b.id)).body.sensitivity, "confidential");
  assert.equal((await merge(service, a.id, c.id)).status, 200);
  assert.deepEqual((await unmerge(service, a.id, c.id)).status, 200);
  const back = await unmerge(service, a.id, b.id);
  assert.deepEqual([back.status, back.body.separated.map(({ id }: { id: string }) => id)], [200, [b.id]]);
  assert.deepEqual(await Promise.all([a, b, c].map(({ id }) => said(service, id))), before);
  assert.deepEqual(refusal(await unmerge(service, a.id, b.id)), [409, "invalid_transition"]);
  assert.equal((await post(service, ENTITIES, { canonicalName: "zen" }, 200)).id, c.id);
  const events = (await versionsOf(service, a.id)).map(([event]) => event);
  assert.deepEqual(events, ["created", "absorbed", "absorbed", "separated", "separated"]);
});

test("a survivor that was changed since gives back what was brought, and keeps the rest", async (service) => {
  const a = await create(service, "Acme Corp", { attributes: { city: "Rome" } });
  const b = await create(service, "Zenith", {
    attributes: { size: 3, boss: "Ada" },
    drawers: ["old"],
    aliases: ["Zed"],
  });
  const c = await create(service, "Quux", { attributes: { boss: "Eve" } });
  await patch(service, `${ENTITIES}/${c.id}`, { aliases: ["Zed"] });
  await merge(service, a.id, b.id, c.id);
  await patch(service, `${ENTITIES}/${a.id}`, { attributes: { city: "Rome", size: 4, boss: "Ada", colour: "red" } });
  const { body } = await unmerge(service, a.id, b.id);
  assert.deepEqual([body.attributes, body.aliases, body.drawers], [
    { city: "Rome", size: 4, boss: "Eve", colour: "red" },
    ["Zed", "Quux"],
    [],
  ]);
  assert.equal((await get(service, `${ENTITIES}/${c.id}`)).id, a.id);
  assert.deepEqual((await get(service, `${ENTITIES}/${b.id}`)).attributes, { size: 3, boss: "Ada" });
});

test("the middle of a chain leaves with what was merged into it before", async (service) => {
  const [a, b, c] = await Promise.all(["Alpha", "Beta", "Gamma"].map((name) => create(service, name)));
  await merge(service, b!.id, a!.id);
  await merge(service, c!.id, b!.id);
  const early = await unmerge(service, c!.id, a!.id);
  assert.deepEqual([early.status, early.body.survivorId], [409, b!.id]);
  assert.equal((await unmerge(service, c!.id, b!.id)).status, 200);
  assert.equal((await get(service, `${ENTITIES}/${a!.id}`)).id, b!.id);
  assert.equal((await post(service, ENTITIES, { canonicalName: "alpha" }, 200)).id, b!.id);
  assert.equal((await unmerge(service, b!.id, a!.id)).status, 200);
  assert.equal((await post(service, ENTITIES, { canonicalName: "alpha" }, 200)).id, a!.id);
});

test("a merge with what is more sensitive hides both ids from those who are not cleared for it", async (service) => {
  const low = await service.createKey({ maxSensitivity: "internal" });
  const open = await create(service, "Zenith");
  const secret = await create(service, "Orion", { sensitivity: "confidential" });
  const refused = await service.post(`${ENTITIES}/${open.id}/merge`, { sourceIds: [secret.id] }, { key: low });
  assert.deepEqual(refusal(refused), [422, "validation_failed"]);
  assert.doesNotMatch(JSON.stringify(refused.body), /confidential|Orion/);
  assert.equal((await merge(service, secret.id, open.id)).status, 200);
  for (const path of [open.id, `${open.id}?follow=false`, secret.id]) {
    assert.equal((await service.get(`${ENTITIES}/${path}`, { key: low })).status, 404, path);
  }
  const made = await service.post(ENTITIES, { canonicalName: "Zenith" }, { key: low });
  assert.deepEqual([made.status, made.body.created], [201, true]);
});

test("facts about an entity that was merged are about the one that stands for it, by either id", async (service) => {
  const a = await create(service, "Acme Corp");
  const b = await create(service, "Zenith");
  const about = async (id: string) =>
    (await post(service, "/v1/memory/facts", { statement: `A fact about ${id}.`, entityIds: [id] })).id as string;
  const ids = [await about(a.id), await about(b.id)];
  const listed = (id: string) => listIds(service, `/v1/memory/facts?order=asc&entityId=${id}`);
  assert.deepEqual([await listed(a.id), await listed(b.id)], [[ids[0]], [ids[1]]]);
  await merge(service, a.id, b.id);
  assert.deepEqual([await listed(a.id), await listed(b.id)], [ids, ids]);
  await unmerge(service, a.id, b.id);
  assert.deepEqual([await listed(a.id), await listed(b.id)], [[ids[0]], [ids[1]]]);
});

test("with an entity all that was merged into it is erased, by every id and name", async (service) => {
  const ann = await create(service, "Ann Quill");
  const nick = await create(service, "Quillfeather", { attributes: { phone: "555-0100" } });
  const older = await create(service, "Featherpen Works");
  assert.equal((await merge(service, nick.id, older.id)).status, 200);
  assert.equal((await merge(service, ann.id, nick.id)).status, 200);
  const erased = await service.post(`${ENTITIES}/${ann.id}/forget`, { mode: "erase", reason: "asked for" });
  assert.equal(erased.status, 200, JSON.stringify(erased.body));
  for (const { id } of [ann, nick, older]) {
    for (const query of ["", "?follow=false"]) {
      assert.deepEqual(refusal(await service.get(`${ENTITIES}/${id}${query}`)), [410, "erased"]);
    }
    assert.ok((await feedOf(service, id)).includes("entity.erased"));
  }
  assert.deepEqual(await listIds(service, `${ENTITIES}?status=merged`), []);
  const told = await service.post("/v1/memory/relations", { verb: "about", sourceId: nick.id, targetId: older.id });
  assert.equal(told.status, 422);
  const again = await post(service, ENTITIES, { canonicalName: "Quillfeather" });
  assert.deepEqual(again.attributes, {});
});

test("of an erasure and a merge into what is erased at once nothing is left half done", async (service) => {
  const [a, b, c] = [await create(service, "Aorta"), await create(service, "Basalt"), await create(service, "Cobalt")];
  assert.equal((await merge(service, a.id, b.id)).status, 200);
  const [erased, merged] = await Promise.all([
    service.post(`${ENTITIES}/${a.id}/forget`, { mode: "erase" }),
    merge(service, a.id, c.id),
  ]);
  assert.equal(erased.status, 200);
  const gone = merged.status === 200 ? [a, b, c] : [a, b];
  assert.ok([200, 410].includes(merged.status), JSON.stringify(merged.body));
  for (const { id } of gone) assert.equal((await service.get(`${ENTITIES}/${id}?follow=false`)).status, 410);
  if (merged.status !== 200) assert.equal((await get(service, `${ENTITIES}/${c.id}`)).status, "active");
});
