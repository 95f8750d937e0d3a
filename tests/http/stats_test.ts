/** `/v1/memory/admin/stats`: every number equals a count by brute force, for each clearance. */
import assert from "node:assert/strict";
import { countUnits } from "../../src/db/queries/snapshots.ts";
import { countJobsByState, countSessions, countTasksByStatus } from "../../src/db/queries/stats.ts";
import { flushUsage } from "../../src/domain/recall/noted/usage.ts";
import type { TestService } from "../_service.ts";
import { create, test } from "./_facts.ts";
import { get, post } from "./_units.ts";

const STATS = "/v1/memory/admin/stats";

/** All rows of a table as an operator of some clearance reads them, one by one. */
async function rowsOf(service: TestService, table: string): Promise<Record<string, unknown>[]> {
  return await service.operator().tx((tx) =>
    tx.sql`select * from ${tx.sql.unsafe(table)} where workspace_id = ${tx.workspaceId}`
  );
}

function tally(rows: readonly Record<string, unknown>[], name: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const row of rows) counts[String(row[name])] = (counts[String(row[name])] ?? 0) + 1;
  return counts;
}

test("every number is what brute force counts", async (service, clock) => {
  await create(service, { pinned: true, tags: ["a", "b"] });
  await create(service, { tags: ["a"], attribution: "imported" });
  await create(service, { sensitivity: "restricted", tags: ["secret"] });
  const gone = await create(service, { tags: ["gone"] });
  await service.delete(`/v1/memory/facts/${gone.id}`);
  const triple = { subject: "Caroline", predicate: "lives in" };
  await create(service, { ...triple, object: "Paris", attribution: "user_stated" });
  await create(service, { ...triple, object: "Rome" });
  await post(service, "/v1/memory/strategies", { name: "Bisect", situation: "A test fails.", pattern: "Bisect." });
  const session = await post(service, "/v1/session", { title: "Planning" });
  const turns = ["We ship on Friday.", "Then we rest."].map((content, i) => ({
    role: "user",
    messageId: `${i}`,
    content,
  }));
  await post(service, `/v1/session/${session.id}/turns`, { turns });
  const task = await post(service, "/v1/memory/tasks", { title: "Compare" });
  await post(service, "/v1/memory/tasks", { title: "Buy" });
  await post(service, `/v1/memory/tasks/${task.id}/claim`, { agentId: "a", ttlSeconds: 60 }, 200);
  await post(service, "/v1/memory/events", { type: "deploy" });
  await post(service, "/v1/memory/recall", { query: "Which statement?" }, 200);
  await flushUsage(service.operator());
  const stats = await get(service, STATS);
  const units = await rowsOf(service, "unit");
  const inForce = units.filter((row) => row.status !== "archived");
  assert.deepEqual([stats.units.total, stats.units.inForce, stats.units.pinned], [units.length, inForce.length, 1]);
  assert.deepEqual(stats.units.byStatus, tally(units, "status"));
  assert.deepEqual(stats.units.byAttribution, tally(units, "attribution"));
  assert.deepEqual(stats.units.bySensitivity, tally(units, "sensitivity"));
  const facts = units.filter((row) => row.type === "fact");
  assert.deepEqual(stats.units.byType.fact, {
    total: facts.length,
    inForce: facts.length - 1,
    byStatus: tally(facts, "status"),
  });
  assert.deepEqual(stats.tags, [{ tag: "a", units: 2 }, { tag: "b", units: 1 }, { tag: "secret", units: 1 }]);
  const [kept] = await rowsOf(service, "session");
  assert.deepEqual(stats.sessions, { total: 1, byStatus: { open: 1 }, turns: 2, tokens: Number(kept!.token_count) });
  assert.deepEqual(stats.tasks, { total: 2, byStatus: { in_progress: 1, pending: 1 } });
  assert.deepEqual([stats.events.total, stats.reviews], [1, { open: 1, byKind: { contested_fact: 1 } }]);
  assert.equal(stats.days.length, 30);
  assert.deepEqual(stats.days.at(-1), {
    day: "2026-06-01",
    recalls: 1,
    recallHits: 1,
    unitsCreated: units.length,
    turnsRecorded: 2,
  });
  for (const { name, rows, bytes } of stats.storage.tables) {
    assert.equal(rows, (await rowsOf(service, name)).length, name);
    assert.equal(bytes > 0, rows > 0, name);
  }
  clock.step(120_000);
  assert.deepEqual((await get(service, STATS)).tasks.byStatus, { pending: 2 }, "a lease that ran out");
});

test("counts stand in the same order whatever plan the database takes", async (service) => {
  const sensitivities = ["public", "internal", "confidential", "restricted"];
  for (const sensitivity of sensitivities) {
    await create(service, { sensitivity });
    await post(service, "/v1/memory/entities", { canonicalName: `Harbour ${sensitivity}`, sensitivity });
    await post(service, "/v1/memory/strategies", {
      name: `Bisect ${sensitivity}`,
      situation: "Fails.",
      pattern: "Go.",
    });
    await post(service, "/v1/memory/tasks", { title: sensitivity });
    await post(service, "/v1/session", { title: sensitivity });
  }
  const task = await post(service, "/v1/memory/tasks", { title: "Compare" });
  await post(service, `/v1/memory/tasks/${task.id}/claim`, { agentId: "a", ttlSeconds: 60 }, 200);
  const countBy = (plan: "enable_sort" | "enable_hashagg") =>
    service.operator().tx(async (tx) => {
      await tx.sql`select set_config(${plan}, 'off', true)`;
      return [await countUnits(tx), await countSessions(tx), await countTasksByStatus(tx), await countJobsByState(tx)];
    });
  const counts = await countBy("enable_hashagg");
  assert.ok(counts[0]!.length > 8 && counts[2]!.length > 1, JSON.stringify(counts));
  assert.deepEqual(await countBy("enable_sort"), counts);
});

test("a key counts what its clearance sees, and no other workspace", async (service) => {
  await create(service, { tags: ["open"] });
  await create(service, { sensitivity: "restricted", tags: ["secret"] });
  await post(service, "/v1/memory/tasks", { title: "Hide", sensitivity: "restricted" });
  const low = await service.createKey({ maxSensitivity: "internal" });
  const { body } = await service.get(STATS, { key: low });
  assert.deepEqual([body.units.total, body.tasks.total, body.tags], [1, 0, [{ tag: "open", units: 1 }]]);
  assert.deepEqual(body.units.bySensitivity, { internal: 1 });
  const unit = body.storage.tables.find((table: { name: string }) => table.name === "unit");
  assert.equal(unit.rows, 1);
  const foreign = await service.createKey({ workspaceId: await service.createWorkspace() });
  const other = (await service.get(STATS, { key: foreign })).body;
  assert.deepEqual([other.units.total, other.storage.bytes, other.tags], [0, 0, []]);
});
