/** A request is taken as it is or refused; no part of it is dropped silently. */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { type Reply, startService } from "../_service.ts";
import { create, FACTS } from "./_facts.ts";

const RECALL = "/v1/memory/recall";

function assertRefused(reply: Reply, path: string): void {
  assert.equal(reply.status, 422, JSON.stringify(reply.body));
  assert.deepEqual(reply.body.errors.map((error: { path: string }) => error.path), [path]);
}

Deno.test({
  ...POSTGRES,
  name: "nothing in a request is dropped without a word",
  async fn(t) {
    await using service = await startService();
    const fact = await create(service, {});
    const session = (await service.post("/v1/session", {})).body;

    await t.step("a body where none is known must have no members", async () => {
      for (
        const [method, path] of [
          ["POST", `/v1/facts/${fact.id}/pin`],
          ["POST", `/v1/facts/${fact.id}/restore`],
          ["DELETE", `/v1/facts/${fact.id}/pin`],
          ["DELETE", `${FACTS}/${fact.id}`],
          ["POST", `/v1/session/${session.id}/collapse`],
          ["DELETE", `/v1/session/${session.id}`],
        ] as const
      ) {
        assertRefused(await service.call(method, path, { body: { reason: "because" } }), "reason");
        assert.equal((await service.call(method, path, { body: "{bad" })).body.code, "invalid_request");
        assert.equal((await service.call(method, path, { body: "[]" })).status, 422);
      }
      assert.equal((await service.get(`${FACTS}/${fact.id}`)).body.version, 1);
      assert.equal((await service.call("POST", `/v1/facts/${fact.id}/pin`, { body: {} })).status, 200);
      assert.equal((await service.call("POST", `/v1/facts/${fact.id}/pin`)).status, 200);
    });

    await t.step("a member named __proto__ is kept in metadata, and refused elsewhere", async () => {
      const body = `{"statement":"A fact with odd metadata","metadata":{"__proto__":{"a":1}}}`;
      const { body: odd } = await service.call("POST", FACTS, { body });
      assert.equal(JSON.stringify((await service.get(`${FACTS}/${odd.id}`)).body.metadata), `{"__proto__":{"a":1}}`);
      assertRefused(await service.call("POST", FACTS, { body: `{"statement":"x","__proto__":{}}` }), "__proto__");
      const filters = `{"query":"x","filters":{"OR":[{"__proto__":{"eq":1}}]}}`;
      assertRefused(await service.call("POST", RECALL, { body: filters }), "filters.OR.0.__proto__");
      const found = await service.call("POST", RECALL, {
        body: `{"query":"odd metadata","filters":{"metadata.__proto__.a":{"eq":1}}}`,
      });
      assert.deepEqual(found.body.results.map((result: { id: string }) => result.id), [odd.id]);
    });

    await t.step("metadata has names of 1 to 200 characters and at most 16 KiB", async () => {
      const write = (metadata: unknown) => service.post(FACTS, { statement: crypto.randomUUID(), metadata });
      assert.equal((await write({ ["k".repeat(200)]: 1 })).status, 201);
      for (const wrong of [{ ["k".repeat(201)]: 1 }, { "": 1 }, { a: "x".repeat(16_384 - 7) }, [], "x", null]) {
        assertRefused(await write(wrong), "metadata");
      }
      assert.equal((await write({ a: "x".repeat(16_384 - 8) })).status, 201);
    });

    await t.step("a time whose offset carries it beyond four digits of the year is refused", async () => {
      assertRefused(await service.post(FACTS, { statement: "x", validFrom: "9999-12-31T23:59:59-01:00" }), "validFrom");
      assertRefused(await service.post(FACTS, { statement: "x", validTo: "0001-01-01T00:00:00+01:00" }), "validTo");
      assertRefused(await service.post(RECALL, { query: "x", asOf: "9999-12-31T23:59:59-01:00" }), "asOf");
      const edge = await create(service, { validFrom: "0001-01-01T00:00:00Z", validTo: "9999-12-31T23:59:59.999Z" });
      assert.deepEqual([edge.validFrom, edge.validTo], ["0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"]);
    });

    await t.step("a tag given twice counts once, on sessions and turns as on facts", async () => {
      const own = (await service.post("/v1/session", { tags: ["a", "b", "a"] })).body;
      assert.deepEqual(own.tags, ["a", "b"]);
      const turn = { role: "user", content: "Tagged.", tags: ["b", "b"] };
      assert.deepEqual((await service.post(`/v1/session/${own.id}/turns`, turn)).body.tags, ["b"]);
      assert.deepEqual((await create(service, { tags: ["c", "c"] })).tags, ["c"]);
    });

    await t.step("a parameter where none is known is refused", async () => {
      assertRefused(await service.get("/v1/health?verbose=1"), "verbose");
      assertRefused(await service.get(`${FACTS}?verbose=1`), "verbose");
    });

    await t.step("numbers in the query are digits", async () => {
      for (const text of ["", "0x10", "1e1", "%207", "1.0", "-1", "+5"]) {
        assertRefused(await service.get(`${FACTS}?limit=${text}`), "limit");
        assertRefused(await service.get(`${FACTS}?minTrust=${text}`), "minTrust");
      }
      assert.equal((await service.get(`${FACTS}?limit=200&minTrust=0`)).status, 200);
      for (const text of ["", "0x1", "1e0", "-0", ".5", "1.01"]) {
        for (const family of ["entities", "relations"]) {
          assertRefused(await service.get(`/v1/memory/${family}?minTrust=${text}`), "minTrust");
        }
        assertRefused(await service.get(`/v1/memory/relations?minWeight=${text}`), "minWeight");
        assertRefused(await service.get(`/v1/memory/governance/worth?min=${text}`), "min");
        assertRefused(await service.get(`/v1/memory/tasks?priority=${text}`), "priority.0");
        assertRefused(await service.get(`/v1/audit/${text || "x"}/proof`), "seq");
      }
      assert.equal((await service.get("/v1/memory/relations?minWeight=0.25")).status, 200);
      assert.equal((await service.get("/v1/memory/governance/worth?min=0.4&max=1")).status, 200);
      const { body } = await service.get(`${FACTS}?limit=201`);
      assert.equal(body.errors[0].message, "must be a whole number from 1 to 200");
    });

    await t.step("a span that ends before it begins is refused, not empty", async () => {
      const span = "from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z";
      const lists = ["audit", "episodes", "memory/events", "memory/health/history", "memory/timeline", "self/edits"];
      for (const list of [...lists, "timeline"]) assertRefused(await service.get(`/v1/${list}?${span}`), "to");
      assertRefused(await service.get("/v1/memory/governance/worth?min=0.5&max=0.4"), "max");
    });

    await t.step("If-Match guards the pin of a turn and the discarding of a session that is discarded", async () => {
      const own = (await service.post("/v1/session", {})).body;
      const turn = { role: "user", content: "Keep this.", messageId: "m1" };
      assert.equal((await service.post(`/v1/session/${own.id}/turns`, turn)).status, 201);
      const pin = (ifMatch: string) =>
        service.post(`/v1/session/${own.id}/pin`, { messageId: "m1" }, { headers: { "if-match": ifMatch } });
      assert.equal((await pin('"7"')).body.code, "version_mismatch");
      assert.equal((await pin('"1"')).body.version, 2);
      const { body: discarded } = await service.delete(`/v1/session/${own.id}`);
      const again = (version: number) =>
        service.delete(`/v1/session/${own.id}`, { headers: { "if-match": `"${version}"` } });
      assert.equal((await again(discarded.version - 1)).status, 412);
      assert.equal((await again(discarded.version)).status, 200);
    });
  },
});
