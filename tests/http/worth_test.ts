/** `/v1/memory/governance/worth`: parts, lists, distribution, feedback, the worker. */
import assert from "node:assert/strict";
import { revalueDue } from "../../src/domain/upkeep/worth_votes.ts";
import { startService, type TestService } from "../_service.ts";
import { create, read, test, UNKNOWN_ID } from "./_facts.ts";
import { feedOf, get, post } from "./_units.ts";

const WORTH = "/v1/memory/governance/worth";
const DAY_MS = 86_400_000;

async function settle(service: TestService): Promise<void> {
  for (let i = 0; i < 20 && await revalueDue(service.operator()); i++);
}

async function vote(service: TestService, unitId: string, signal: string, agentId: string, more: object = {}) {
  const body = { agentId, signals: [{ unitId, signal, ...more }] };
  const { data: [first] } = await post(service, `${WORTH}/feedback`, body, 200);
  return first;
}

test("a new unit has its worth at once, and the worker comes to the same", async (service) => {
  const fact = await create(service, {});
  assert.equal(Math.round(fact.worth * 1e4) / 1e4, 0.455);
  const before = await get(service, WORTH);
  await settle(service);
  const after = await get(service, WORTH);
  assert.deepEqual(after.data[0], before.data[0]);
  assert.equal((await read(service, fact.id)).version, 1, "worth is no part of a version");
  assert.deepEqual(await feedOf(service, fact.id), ["fact.created"], "what did not move is not told");
});

test("one vote of an agent counts: its last one; the agents of a key weigh one vote, other keys' join", async (service) => {
  const { id } = await create(service, {});
  const first = await vote(service, id, "helpful", "a");
  const again = await vote(service, id, "helpful", "a");
  assert.deepEqual([again.worth, again.helpful, again.harmful], [first.worth, 1, 0]);
  assert.ok(first.worth > first.worthBefore);
  const turned = await vote(service, id, "harmful", "a", { weight: 0.5 });
  assert.deepEqual([turned.helpful, turned.harmful], [0, 0.5]);
  const shared = await vote(service, id, "helpful", "b");
  assert.deepEqual([shared.helpful, shared.harmful], [1 / 1.5, 0.5 / 1.5]);
  const body = { agentId: "b", signals: [{ unitId: id, signal: "helpful" }] };
  const reply = await service.post(`${WORTH}/feedback`, body, { key: await service.createKey() });
  const [joined] = reply.body.data;
  assert.deepEqual([joined.helpful, joined.harmful], [1 + 1 / 1.5, 0.5 / 1.5]);
  assert.equal(Math.round((await read(service, id)).worth * 1e4) / 1e4, joined.worth);
});

test("votes of two processes at once are both counted", async (service) => {
  const { id } = await create(service, {});
  await using other = await startService({ database: service.database! });
  const key = await other.createKey({ workspaceId: service.workspaceId });
  const agents = Array.from({ length: 10 }, (_, i) => `agent ${i}`);
  await Promise.all(agents.map((agentId, i) => {
    const body = { agentId, signals: [{ unitId: id, signal: "helpful" }] };
    return (i % 2 === 0 ? service : other).post(`${WORTH}/feedback`, body, i % 2 === 0 ? {} : { key });
  }));
  assert.equal((await vote(service, id, "helpful", "agent 0")).helpful, 2);
  const votes = await service.operator().tx((tx) =>
    tx.sql`select agent_id from worth_signal where workspace_id = ${tx.workspaceId}`
  );
  assert.equal(votes.length, 10);
});

test(
  "uses raise worth, time lowers it to a half of its recency, outcomes of strategies count as feedback",
  async (service, clock) => {
    const { id } = await create(service, {});
    const used = await vote(service, id, "used", "a");
    assert.equal(used.parts.use, 3 / 8);
    assert.equal((await vote(service, id, "used", "b")).parts.use, 3 / 8, "once a day for a key");
    await settle(service);
    clock.step(30 * DAY_MS);
    await settle(service);
    const [item] = (await get(service, WORTH)).data;
    assert.equal(Math.round(item.parts.recency * 1e6) / 1e6, 0.5);
    assert.ok(item.worth < used.worth);
    assert.deepEqual((await feedOf(service, id)).slice(1), ["fact.revalued", "fact.revalued"]);
    const strategy = await post(service, "/v1/memory/strategies", {
      name: "Bisect",
      situation: "A test fails.",
      pattern: "Bisect.",
      successCount: 8,
    });
    await settle(service);
    const { data } = await get(service, `${WORTH}?type=strategy`);
    assert.deepEqual([data[0].id, data[0].parts.feedback], [strategy.id, 2 / 3]);
  },
);

test("a contested fact loses worth", async (service) => {
  const triple = { subject: "Caroline", predicate: "lives in" };
  await create(service, { ...triple, object: "Paris", attribution: "user_stated" });
  const rival = await create(service, { ...triple, object: "Rome" });
  await settle(service);
  const { data } = await get(service, `${WORTH}?order=asc`);
  assert.deepEqual([data[0].id, data[0].status, data[0].parts.contestedness], [rival.id, "contested", 1]);
});

test("pages go through all units once in the order of worth; filters and the distribution agree with brute force", async (service) => {
  const tiers = ["unverified", "imported", "agent_inferred", "agent_stated", "document_cited", "tool_observed"];
  for (let i = 0; i < 12; i++) await create(service, { attribution: tiers[i % tiers.length] });
  const all = await get(service, `${WORTH}?limit=200`);
  for (const order of ["asc", "desc"]) {
    const seen: { id: string; worth: number }[] = [];
    let cursor = "";
    do {
      const page = await get(service, `${WORTH}?limit=5&order=${order}${cursor}`);
      assert.equal(page.distribution === null, cursor !== "");
      seen.push(...page.data);
      cursor = page.nextCursor === null ? "" : `&cursor=${page.nextCursor}`;
    } while (cursor !== "");
    assert.equal(new Set(seen.map((item) => item.id)).size, 12);
    const worths = seen.map((item) => item.worth);
    assert.deepEqual(worths, worths.toSorted((a, b) => order === "asc" ? a - b : b - a));
  }
  const worths: number[] = all.data.map((item: { worth: number }) => item.worth).sort((a: number, b: number) => a - b);
  assert.equal(all.distribution.units, 12);
  for (const [tenth, bar] of all.distribution.histogram.entries()) {
    assert.equal(bar.units, worths.filter((worth) => Math.min(9, Math.floor(worth * 10)) === tenth).length);
  }
  assert.deepEqual(
    all.distribution.deciles,
    [1, 2, 3, 4, 5, 6, 7, 8, 9].map((d) => worths[Math.ceil(12 * d / 10) - 1]),
  );
  const some = await get(service, `${WORTH}?min=0.3&max=0.46`);
  assert.equal(some.data.length, worths.filter((worth) => worth >= 0.3 && worth <= 0.46).length);
});

test("feedback about what is unknown, another workspace's or above the clearance changes nothing", async (service) => {
  const { id } = await create(service, {});
  const secret = await create(service, { sensitivity: "restricted" });
  const low = await service.createKey({ maxSensitivity: "internal" });
  const foreign = await service.createKey({ workspaceId: await service.createWorkspace() });
  const signals = (...ids: string[]) => ({ signals: ids.map((unitId) => ({ unitId, signal: "harmful" })) });
  for (
    const [key, ids] of [[service.key, [id, UNKNOWN_ID]], [low, [id, secret.id]], [foreign, [UNKNOWN_ID, id]]] as const
  ) {
    const reply = await service.post(`${WORTH}/feedback`, signals(...ids), { key });
    assert.deepEqual([reply.status, reply.body.errors[0].path], [
      422,
      key === foreign ? "signals.0.unitId" : "signals.1.unitId",
    ]);
  }
  assert.equal((await vote(service, id, "helpful", "a")).harmful, 0);
  const list = await service.get(WORTH, { key: low });
  assert.deepEqual([list.body.data.length, list.body.distribution.units], [1, 1]);
  for (
    const body of [
      { signals: [] },
      { signals: [{ unitId: id, signal: "used", weight: 1 }] },
      { signals: [{ unitId: id, signal: "helpful" }, { unitId: id, signal: "harmful" }] },
      { signals: [{ unitId: id, signal: "helpful", weight: 0 }] },
      { signals: [{ unitId: id, signal: "loved" }] },
    ]
  ) {
    assert.equal((await service.post(`${WORTH}/feedback`, body)).status, 422, JSON.stringify(body));
  }
});

test("an erased unit leaves nothing of its worth behind", async (service) => {
  const { id } = await create(service, {});
  await settle(service);
  await vote(service, id, "helpful", "a");
  assert.equal((await service.post(`/v1/facts/${id}/forget`, { mode: "erase" })).status, 200);
  await settle(service);
  const [left] = await service.operator().tx((tx) =>
    tx.sql<{ n: number }[]>`
    select (select count(*) from unit_worth where workspace_id = ${tx.workspaceId})::int
      + (select count(*) from worth_signal where workspace_id = ${tx.workspaceId})::int as n`
  );
  assert.equal(left!.n, 0);
});
