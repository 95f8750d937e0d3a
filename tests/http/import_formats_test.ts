/** Files of other services: the results of importing their records, also twice. */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { exportAll, importText, type Line } from "./_transfer.ts";

function test(name: string, run: (service: TestService) => Promise<void>): void {
  Deno.test({
    ...POSTGRES,
    name,
    async fn() {
      await using service = await startService();
      await run(service);
    },
  });
}

function read(name: string): Promise<string> {
  return Deno.readTextFile(new URL(`../testdata/import/${name}`, import.meta.url));
}

/** Imports a file twice: the second time changes nothing. */
async function importTwice(service: TestService, text: string, format: string, type: string) {
  const report = await importText(service, text, { format, type });
  const lines = (await exportAll(service)).lines;
  const again = await importText(service, text, { format, type });
  assert.deepEqual([again.created, again.updated], [0, 0], JSON.stringify(again));
  assert.equal(again.unchanged, report.created);
  assert.deepEqual((await exportAll(service)).lines, lines);
  return { report, lines };
}

test("memories of Mem0 become facts that keep their ids, owners and times", async (service) => {
  const { report, lines } = await importTwice(service, await read("mem0.json"), "mem0", "application/json");
  assert.deepEqual([report.created, report.failed], [6, 2], JSON.stringify(report));
  assert.deepEqual(report.errors.map((error) => [error.line, error.code]), [
    [3, "validation_failed"],
    [6, "validation_failed"],
  ]);
  const byId = new Map(lines.map((line: Line) => [line.id, line]));
  const first = byId.get("3c90c3cc-0d44-4b50-8888-8dd25736052a");
  assert.equal(first.id, "3c90c3cc-0d44-4b50-8888-8dd25736052a");
  assert.equal(first.body.statement, "Prefers morning meetings and async communication");
  assert.equal(first.occurredAt, "2025-07-01T16:12:03.120Z");
  assert.deepEqual([first.attribution, first.trustScore], ["imported", 35]);
  assert.deepEqual(first.tags, ["work", "personal_details"]);
  assert.deepEqual(first.metadata, { type: "preference", mem0: { id: first.id, user_id: "arjun" } });
  const over = byId.get("7c2f4a67-0f4e-4a8e-8f4e-0f7a3b1c2d3e");
  assert.deepEqual([over.expiresAt, over.status], ["2025-07-20T00:00:00.000Z", "expired"]);
  assert.deepEqual(over.metadata, { mem0: { id: over.id, user_id: "carl", immutable: true } });
  const relation = lines.find((line: Line) => line.kind === "relation");
  assert.deepEqual([relation.verb, relation.metadata], ["causes", { mem0: { relationType: "leads_to" } }]);
  const ends = relation.ends.map((end: { id: string }) => byId.get(end.id).body);
  assert.deepEqual(
    ends.map(({ canonicalName, entityType }: Line) => [canonicalName, entityType]),
    [["carl", "person"], ["api redesign", "other"]],
  );
  const recalled = await service.post("/v1/memory/recall", { query: "who leads the API redesign", types: ["fact"] });
  assert.equal(recalled.body.results[0].id, "5a1b7c1e-77aa-4a5f-9c5d-2f3d0c9e1b42");
});

test("T11 under memory:import alone a file of any format is an import's word, and nothing of it reaches a prompt", async (service) => {
  const key = await service.createKey({ scopes: ["memory:import", "memory:export"] });
  for (const [name, format] of [["mem0.json", "mem0"], ["graphiti.json", "graphiti"], ["mcp.jsonl", "mcp"]]) {
    const type = name!.endsWith("l") ? "application/x-ndjson" : "application/json";
    const report = await importText(service, await read(name!), { format, type, key });
    assert.deepEqual([report.created > 0, report.withheld], [true, {}], format);
    const kinds = Object.keys(report.kinds).filter((kind) => !["entity", "fact", "relation"].includes(kind));
    assert.deepEqual(kinds, [], format);
  }
  for (const line of (await exportAll(service)).lines) {
    assert.deepEqual([line.attribution, line.trustScore, line.pinned ?? false], ["imported", 35, false], line.id);
  }
});

test("edges of Graphiti become facts with their validity, entities and relations", async (service) => {
  const { report, lines } = await importTwice(service, await read("graphiti.json"), "graphiti", "application/json");
  assert.deepEqual([report.created, report.failed], [7, 1], JSON.stringify(report));
  const byId = new Map(lines.map((line: Line) => [line.id, line]));
  const fact = byId.get("33333333-3333-4333-8333-333333333333");
  assert.deepEqual([fact.validFrom, fact.validTo], ["2011-01-03T00:00:00.000Z", "2017-01-03T00:00:00.000Z"]);
  assert.equal(fact.status, "superseded");
  assert.deepEqual(fact.metadata.graphiti.episodes, ["44444444-4444-4444-8444-444444444444"]);
  const { subject, predicate, object } = fact.body;
  assert.deepEqual([subject, predicate, object], ["Kamala Harris", "attorney general of", "California"]);
  assert.equal(byId.get("11111111-1111-4111-8111-111111111111").body.entityType, "person");
  assert.equal(byId.get("66666666-6666-4666-8666-666666666666").body.canonicalName, "Oakland");
  const relations = lines.filter((line: Line) => line.kind === "relation");
  assert.equal(relations.length, 2);
  assert.ok(relations.every((line: Line) => line.verb === "related_to"));
  const now = await service.get("/v1/memory/facts?asOf=2015-01-01T00:00:00Z&status=superseded");
  assert.ok(now.body.data.some((one: { id: string }) => one.id === fact.id));
});

test("the MCP memory server's file becomes entities, facts about them and relations of the nine verbs", async (service) => {
  const { report, lines } = await importTwice(service, await read("mcp.jsonl"), "mcp", "application/x-ndjson");
  assert.deepEqual([report.created, report.failed], [8, 2], JSON.stringify(report));
  assert.deepEqual(report.errors.map((error) => [error.line, error.code]), [[6, "not_found"], [
    7,
    "validation_failed",
  ]]);
  const entities = new Map(
    lines.filter((line: Line) => line.kind === "entity").map((line: Line) => [line.body.canonicalName, line.id]),
  );
  assert.deepEqual([...entities.keys()].sort(), ["Anthropic", "John_Smith", "Research Group"]);
  const facts = lines.filter((line: Line) => line.kind === "fact");
  assert.deepEqual(facts.map((line: Line) => line.body.statement).sort(), [
    "John_Smith graduated in 2019",
    "John_Smith: Speaks fluent Spanish",
    "Research Group: Founded in 2021",
  ]);
  const part = lines.find((line: Line) => line.verb === "part_of");
  assert.deepEqual(part.ends, [
    { role: "source", id: entities.get("Research Group") },
    { role: "target", id: entities.get("Anthropic") },
  ]);
  assert.deepEqual(part.metadata, { mcp: { relationType: "contains" } });
});

test("an entity that has the name here already stands for the imported one", async (service) => {
  const made = await service.post("/v1/memory/entities", { canonicalName: "anthropic", entityType: "organization" });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { report, lines } = await (async () => {
    const text = await read("mcp.jsonl");
    const report = await importText(service, text, { format: "mcp" });
    return { report, lines: (await exportAll(service)).lines };
  })();
  assert.equal(report.mapped, 1);
  assert.equal(report.kinds["entity"]!.unchanged, 1);
  const part = lines.find((line: Line) => line.verb === "part_of");
  assert.equal(part.ends[1].id, made.body.id ?? made.body.entity.id);
});

test("a file that is neither a document nor JSONL is refused", async (service) => {
  for (const format of ["mem0", "graphiti", "mcp"]) {
    const reply = await service.call("POST", `/v1/import?format=${format}`, {
      body: "hello, this is no JSON",
      headers: { "content-type": "application/x-ndjson" },
    });
    assert.deepEqual([reply.status, reply.body.code], [400, "invalid_request"]);
  }
});

test("graph nodes of one name are one entity with the edges of all of them", async (service) => {
  const node = (no: number, name: string, more = {}) => ({
    uuid: `${no}`.repeat(8) + "-1111-4111-8111-111111111111",
    name,
    ...more,
  });
  const nodes = [
    node(1, "Zoë Brandt", { labels: ["Entity"], summary: "Keeps bees." }),
    node(2, "zoë  brandt".normalize("NFD"), { labels: ["Entity", "Person"], attributes: { town: "Lund" } }),
    node(3, "Lund", { labels: ["Entity", "City"] }),
    node(4, "Kestrel Yard", { labels: ["Entity", "Company"] }),
  ];
  const edge = (no: number, from: number, to: number, name: string, fact: string) => ({
    uuid: `${no}`.repeat(8) + "-2222-4222-8222-222222222222",
    ...{ name, fact, source_node_uuid: nodes[from]!.uuid, target_node_uuid: nodes[to]!.uuid },
  });
  const edges = [
    edge(1, 0, 2, "LIVES_IN", "Zoë Brandt lives in Lund"),
    edge(2, 1, 3, "WORKS_AT", "Zoë Brandt works at Kestrel Yard"),
  ];
  const { report, lines } = await importTwice(
    service,
    JSON.stringify({ nodes, edges }),
    "graphiti",
    "application/json",
  );
  assert.equal(report.failed, 0, JSON.stringify(report));
  const entities = lines.filter((line: Line) => line.kind === "entity");
  const [zoe, ...others] = entities.filter((line: Line) => /^zo/i.test(line.body.canonicalName));
  assert.deepEqual([others, zoe.body.entityType], [[], "person"]);
  assert.deepEqual(zoe.body.attributes, { summary: "Keeps bees.", town: "Lund" });
  const relations = lines.filter((line: Line) => line.kind === "relation");
  assert.equal(relations.length, 2);
  assert.ok(
    relations.every((line: Line) => line.ends.some(({ id }: Line) => id === zoe.id)),
    JSON.stringify(relations),
  );
});
