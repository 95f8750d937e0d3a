/** What callers write in several ways is taken in each of them, by every face. */
import assert from "node:assert/strict";
import { streamLines } from "../../src/domain/transfer/file.ts";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import { callTool, sendLegacy } from "../mcp/_client.ts";
import { callRpc } from "../rpc/_client.ts";
import { create, FACTS, test } from "./_facts.ts";
import { exportAll } from "./_transfer.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

test("a day alone begins with its first moment and ends with its last, in bodies, queries and filters", async (service) => {
  const day = { validFrom: "2026-03-30", validTo: "2026-03-31", occurredAt: "2026-03-30", expiresAt: "2099-12-31" };
  const fact = await create(service, { statement: "The quay was closed for repairs.", ...day });
  assert.deepEqual([fact.validFrom, fact.validTo], ["2026-03-30T00:00:00.000Z", "2026-04-01T00:00:00.000Z"]);
  assert.deepEqual([fact.occurredAt, fact.expiresAt], ["2026-03-30T00:00:00.000Z", "2100-01-01T00:00:00.000Z"]);
  const count = async (path: string) => (await service.get(path)).body.data.length;
  assert.equal(await count(`${FACTS}?asOf=2026-03-31`), 1);
  assert.equal(await count(`${FACTS}?asOf=2026-04-01`), 0);
  assert.equal(await count("/v1/memory/timeline?from=2026-03-30&to=2026-03-30&types=fact"), 1);
  assert.equal(await count("/v1/memory/timeline?from=2026-03-31&to=2026-04-02&types=fact"), 0);
  const find = async (more: object) => {
    return (await service.post("/v1/memory/recall", { query: "quay closed repairs", asOf: "2026-03-31", ...more })).body
      .results.length;
  };
  assert.equal(await find({ window: { from: "2026-03-31", to: "2026-03-31" } }), 1);
  assert.equal(await find({ window: { from: "2026-04-01", to: "2026-04-02" } }), 0);
  const event = await create(service, { statement: "The lighthouse keeper retired.", occurredAt: "2026-03-31T15:00Z" });
  assert.equal(event.occurredAt, "2026-03-31T15:00:00.000Z");
  const keeper = async (occurredAt: object) => {
    const { body } = await service.post("/v1/memory/recall", { query: "lighthouse keeper", filters: { occurredAt } });
    return body.results.length;
  };
  const bounds = [{ gte: "2026-03-31" }, { lte: "2026-03-31" }, { gt: "2026-03-30" }, { lt: "2026-04-01" }];
  for (const bound of bounds) assert.equal(await keeper(bound), 1, JSON.stringify(bound));
  for (const bound of [{ gt: "2026-03-31" }, { lt: "2026-03-31" }, { lte: "2026-03-30" }]) {
    assert.equal(await keeper(bound), 0, JSON.stringify(bound));
  }
  for (const occurredAt of ["2026-02-30", "2026-3-1", "2026-03", "0000-01-01", "2026-03-31T15:00"]) {
    const refused = await service.post(FACTS, { statement: "A day that is none.", occurredAt });
    assert.deepEqual([refused.status, refused.body.errors?.[0].path], [422, "occurredAt"], occurredAt);
  }
  const last = await create(service, { statement: "The last day of all.", validTo: "9999-12-31" });
  assert.equal(last.validTo, "9999-12-31T23:59:59.999Z");
  const far = await callRpc(service, "Remember", { statement: "The mole is long.", validTo: "2098-05-01" });
  assert.equal(far.body.fact.validTo, "2098-05-02T00:00:00.000Z");
});

test("a tool takes an empty text for what is left out", async (service) => {
  const args = { statement: "The slipway is steep.", subject: "", validFrom: "", tags: "", kind: "", source: null };
  const { data } = await callTool(service, "remember", args);
  assert.equal(data.outcome, "created");
  const found = await callTool(service, "recall", { query: "slipway", about: "", since: "", limit: "", maxTokens: "" });
  assert.equal(found.data.results[0].id, data.id);
  const none = await callTool(service, "remember", { statement: "" });
  assert.match(none.text, /validation_failed/);
});

test("a path with a slash at its end is the same path, guard included", async (service) => {
  const fact = await create(service, {});
  assert.equal((await service.get(`${FACTS}/${fact.id}/`)).body.id, fact.id);
  assert.equal((await service.get(`${FACTS}//`)).status, 404);
  const weak = await service.createKey({ scopes: [] });
  for (const { route: { method, path }, scope, bearer } of ENDPOINTS) {
    if (scope === "public" || scope === "any" || bearer !== "key") continue;
    const url = `/v1${path.replaceAll(/\{\w+\}/g, fact.id)}/`;
    assert.equal((await service.call(method.toUpperCase(), url, { key: weak })).status, 403, `${method} ${url}`);
  }
  assert.equal((await sendLegacy(service, "tools/list", {}, { path: "/mcp/" })).status, 200);
  assert.equal((await sendLegacy(service, "tools/list", {}, { path: "/mcp/all/" })).status, 200);
});

test("a byte order mark before a body is passed over", async (service) => {
  const send = async (path: string, body: string, type = "application/json") => {
    return (await service.call("POST", path, { body: `\ufeff${body}`, headers: { "content-type": type } })).status;
  };
  assert.equal(await send(FACTS, JSON.stringify({ statement: "The buoy is red." })), 201);
  assert.equal(await send("/svc.v1.SvcService/Remember", JSON.stringify({ statement: "The buoy is green." })), 200);
  const { text } = await exportAll(service);
  assert.equal(await send("/v1/import", text, "application/x-ndjson"), 200);
  const lines = streamLines(new Blob([`\ufeff${text}`]).stream());
  for await (const { no, bytes } of lines) if (no === 1) assert.equal(JSON.parse(decoder.decode(bytes)).kind, "header");
});

test("an integer that a double cannot hold is refused by its path in every face, and imported as a text", async (service) => {
  const big = "1546130668394913822";
  const json = (members: string) => `{"statement":"The crane is tall.",${members}}`;
  const post = (path: string, body: string) => service.call("POST", path, { body });
  for (const path of [FACTS, "/svc.v1.SvcService/Remember"]) {
    const refused = await post(path, json(`"metadata":{"at":[{"big":${big}}]}`));
    assert.ok(refused.status >= 400, path);
    assert.match(JSON.stringify(refused.body), /metadata\.at\.0\.big/);
    assert.ok((await post(path, json(`"metadata":{"big":"${big}"}`))).status < 300, path);
  }
  const message =
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"task","arguments":{"priority":${big}}}}`;
  const accept = "application/json, text/event-stream";
  const mcp = await service.call("POST", "/mcp", { body: message, headers: { accept } });
  assert.match(JSON.stringify(mcp.body), /params\.arguments\.priority/);
  const file = `[{"id":"one","memory":"The winch is old.","metadata":{"big":${big}}}]`;
  const imported = await post("/v1/memory/admin/import?format=mem0", file);
  assert.equal(imported.status, 200);
  const { body } = await service.get("/v1/export");
  assert.doesNotMatch(JSON.stringify(body), /1546130668394913800/);
});

test("after an entity is erased nothing lists its id", async (service) => {
  const entity = (await service.post("/v1/memory/entities", { canonicalName: "Nordhaven Yard" })).body;
  const named = await create(service, { statement: "Nordhaven Yard builds ferries." });
  const given = await create(service, { statement: "The dry dock is full.", entityIds: [entity.id] });
  const session = (await service.post("/v1/session", {})).body;
  await service.post(`/v1/session/${session.id}/turns`, { role: "user", content: "I work at Nordhaven Yard." });
  const listed = async () => {
    const facts = await Promise.all([named, given].map(async ({ id }) => (await service.get(`${FACTS}/${id}`)).body));
    const { body } = await service.post("/v1/memory/recall", { query: "Nordhaven Yard dry dock", minScore: 0 });
    return [...facts, ...body.results].filter(({ entityIds }) => entityIds?.includes(entity.id)).length;
  };
  assert.ok(await listed() >= 4);
  assert.equal((await service.post(`/v1/entities/${entity.id}/forget`, { mode: "erase" })).status, 200);
  assert.equal(await listed(), 0);
});
