/** Entities: found or created by name. Decisions §3 "Entity", issue 3 §1. */
import assert from "node:assert/strict";
import type { Reply, TestService } from "../_service.ts";
import { test } from "./_facts.ts";
import { feedOf, post, recall, versionsOf } from "./_units.ts";

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
