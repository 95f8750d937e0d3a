/** One turn can be erased: what it said is nowhere any more, and the rest of its session stays. */
import assert from "node:assert/strict";
import { FACTS, test } from "./_facts.ts";
import { exportAll } from "./_transfer.ts";
import type { TestService } from "../_service.ts";

const SECRET = "Zanzibarium";
const TURNS = [
  {
    role: "user",
    name: "Ada",
    messageId: "a",
    content: `I live in ${SECRET} Street.`,
    tags: ["t"],
    metadata: { m: SECRET },
  },
  { role: "assistant", messageId: "b", content: "Noted." },
  { role: "user", name: "Ada", messageId: "c", content: "I prefer tea to coffee." },
];

async function startSession(service: TestService): Promise<string> {
  const { body: { id } } = await service.post("/v1/session", {});
  assert.equal((await service.post(`/v1/session/${id}/turns`, { turns: TURNS })).status, 201);
  return id;
}

async function isAnywhere(service: TestService): Promise<boolean> {
  const { body } = await service.post("/v1/memory/recall", { query: SECRET, minScore: 0, limit: 50 });
  const { text } = await exportAll(service);
  return JSON.stringify(body.results).includes(SECRET) || text.includes(SECRET);
}

test("the content of an erased turn is in no list, recall or export, and does not come back", async (service) => {
  const id = await startSession(service);
  assert.equal(await isAnywhere(service), true);
  const { status, body } = await service.call("DELETE", `/v1/session/${id}/turns/a`);
  assert.equal(status, 200, JSON.stringify(body));
  const { content, role, messageId, tags, metadata, erasedAt } = body.turn;
  assert.deepEqual({ content, role, messageId, tags, metadata }, {
    content: "",
    role: "user",
    messageId: "a",
    tags: [],
    metadata: {},
  });
  assert.equal(erasedAt, "2026-06-01T12:00:00.000Z");
  assert.deepEqual([body.receipt.resourceType, body.receipt.id], ["turn", body.turn.id]);
  assert.equal(await isAnywhere(service), false);
  const again = await service.post(`/v1/session/${id}/turns`, { turns: TURNS });
  assert.deepEqual([again.status, again.body.duplicates], [200, 3]);
  assert.equal(await isAnywhere(service), false);
  const twice = await service.call("DELETE", `/v1/session/${id}/turns/${body.turn.id}`);
  assert.deepEqual([twice.status, twice.body.receipt], [200, null]);
  assert.equal((await service.call("DELETE", `/v1/session/${id}/turns/none`)).status, 404);
  const { body: changes } = await service.get("/v1/memory/changes?limit=200");
  assert.ok(changes.data.some(({ kind }: { kind: string }) => kind === "turn.deleted"));
  assert.equal((await service.post(`/v1/session/${id}/turns`, { role: "user", content: "Still here." })).status, 201);
  assert.equal((await service.call("DELETE", `/v1/session/${id}`)).status, 200);
});

test("facts that cite an erased turn become stale without their quotes, or are erased with it", async (service) => {
  for (const cascade of [true, false]) {
    const id = await startSession(service);
    const { body: collapsed } = await service.post(`/v1/session/${id}/collapse`, {});
    const from = (messageId: string) =>
      collapsed.facts.filter((fact: { messageId: string }) => fact.messageId === messageId);
    assert.ok(from("a").length > 0 && from("c").length > 0, JSON.stringify(collapsed.facts));
    const { status, body } = await service.call("DELETE", `/v1/session/${id}/turns/a?cascade=${cascade}`);
    assert.equal(status, 200, JSON.stringify(body));
    for (const { factId } of from("a")) {
      const fact = await service.get(`${FACTS}/${factId}`);
      if (cascade) assert.equal(fact.status, 410);
      else {
        assert.equal(fact.body.stale, true);
        assert.ok(
          fact.body.citations.every(({ messageId, quote }: { messageId: string; quote?: string }) =>
            messageId !== "a" || quote === undefined
          ),
        );
        const { body: revisions } = await service.get(`${FACTS}/${factId}/revisions`);
        assert.doesNotMatch(
          JSON.stringify(revisions.data.map((one: { fact: { citations: object } }) => one.fact.citations)),
          /Zanzibarium/,
        );
        await service.post(`/v1/facts/${factId}/forget`, { mode: "erase" });
      }
    }
    for (const { factId } of from("c")) assert.equal((await service.get(`${FACTS}/${factId}`)).body.stale, false);
    if (cascade) assert.equal(await isAnywhere(service), false);
  }
});

test("a turn is erased only by a key that may delete", async (service) => {
  const id = await startSession(service);
  const key = await service.createKey({ scopes: ["memory:read", "session:write", "memory:write"] });
  assert.equal((await service.call("DELETE", `/v1/session/${id}/turns/a`, { key })).status, 403);
});
