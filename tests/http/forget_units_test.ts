/** Forgetting by a filter: what meets all conditions, in batches, and nothing else. */
import assert from "node:assert/strict";
import { create, FACTS, test } from "./_facts.ts";
import type { Reply, TestService } from "../_service.ts";

const FORGET = "/v1/memory/forget";

async function statusOf(service: TestService, id: string): Promise<number | string> {
  const { status, body } = await service.get(`${FACTS}/${id}`);
  return status === 200 ? body.status : status;
}

test("each condition selects, all must hold, and a trial changes nothing", async (service) => {
  const plain = await create(service, {
    statement: "The fence is green.",
    tags: ["yard"],
    metadata: { batch: 7, by: "x" },
  });
  const other = await create(service, {
    statement: "The gate is white.",
    tags: ["yard", "old"],
    attribution: "imported",
  });
  const { body: decision } = await service.post("/v1/memory/decisions", {
    title: "Paint",
    decision: "We paint.",
    tags: ["yard"],
  });
  const select = async (conditions: object) => {
    const { status, body } = await service.post(FORGET, { mode: "erase", dryRun: true, ...conditions });
    assert.deepEqual([status, body.forgotten, body.dryRun], [200, 0, true], JSON.stringify(body));
    return body.data.map(({ id }: { id: string }) => id).sort();
  };
  assert.deepEqual(await select({ tags: ["yard"] }), [plain.id, other.id, decision.id].sort());
  assert.deepEqual(await select({ tags: ["yard", "old"], tagsMatch: "all" }), [other.id]);
  assert.deepEqual(await select({ types: ["decision"], tags: ["yard"] }), [decision.id]);
  assert.deepEqual(await select({ attribution: ["imported"], tags: ["yard"] }), [other.id]);
  assert.deepEqual(await select({ metadata: { batch: 7 } }), [plain.id]);
  assert.deepEqual(await select({ metadata: { batch: 8 } }), []);
  assert.deepEqual(await select({ createdBy: plain.createdBy, tags: ["old"] }), [other.id]);
  assert.deepEqual(await select({ createdBy: "key:nobody" }), []);
  assert.deepEqual(await select({ createdTo: "2026-05-31", tags: ["yard"] }), []);
  assert.deepEqual(await select({ createdFrom: "2026-06-01", createdTo: "2026-06-01", tags: ["old"] }), [other.id]);
  assert.equal(await statusOf(service, plain.id), "active");
  for (
    const body of [{ mode: "erase" }, { mode: "erase", metadata: {} }, { tags: ["yard"] }, { mode: "erase", tag: "x" }]
  ) {
    assert.equal((await service.post(FORGET, body)).status, 422, JSON.stringify(body));
  }
});

test("what a filter selects is archived or erased in batches, and a second run finds nothing", async (service) => {
  const statements = Array.from(
    { length: 7 },
    (_, i) => ({ statement: `Crate ${i} stands in hall ${i * 3}.`, tags: ["crates"] }),
  );
  const { body } = await service.post(`${FACTS}/batch`, { facts: statements });
  const ids: string[] = body.results.map(({ fact }: { fact: { id: string } }) => fact.id);
  const kept = await create(service, { statement: "The barrel stands outside.", tags: ["barrels"] });
  const all = async (mode: string) => {
    const sizes: number[] = [];
    let cursor: string | null = null;
    do {
      const reply: Reply = await service.post(FORGET, {
        mode,
        tags: ["crates"],
        limit: 3,
        reason: "moved",
        ...(cursor && { cursor }),
      });
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      sizes.push(reply.body.forgotten);
      cursor = reply.body.nextCursor;
    } while (cursor !== null);
    return sizes;
  };
  assert.deepEqual(await all("archive"), [3, 3, 1]);
  assert.deepEqual(await Promise.all(ids.map((id) => statusOf(service, id))), Array(7).fill("archived"));
  assert.deepEqual(await all("archive"), [0]);
  assert.equal((await service.post(`/v1/facts/${ids[0]}/restore`)).status, 200);
  assert.deepEqual(await all("erase"), [3, 3, 1]);
  assert.deepEqual(await Promise.all(ids.map((id) => statusOf(service, id))), Array(7).fill(410));
  assert.deepEqual(await all("erase"), [0]);
  assert.equal(await statusOf(service, kept.id), "active");
  const { body: found } = await service.post("/v1/memory/recall", { query: "Crate 3 stands in hall", minScore: 0 });
  assert.ok(found.results.every(({ id }: { id: string }) => !ids.includes(id)));
});

test("a filter reaches nothing above the key's clearance, and needs the scope to delete", async (service) => {
  const secret = await create(service, {
    statement: "The safe is behind the clock.",
    tags: ["safe"],
    sensitivity: "restricted",
  });
  const key = await service.createKey({ maxSensitivity: "internal", scopes: ["memory:read", "memory:delete"] });
  const { body } = await service.post(FORGET, { mode: "erase", tags: ["safe"] }, { key });
  assert.deepEqual(body.data, []);
  assert.equal(await statusOf(service, secret.id), "active");
  const writer = await service.createKey({ scopes: ["memory:read", "memory:write"] });
  assert.equal((await service.post(FORGET, { mode: "archive", tags: ["safe"] }, { key: writer })).status, 403);
});
