/**
 * Measures walks, graphs, edges and timelines over many relations, one unit of which is a hub.
 *
 *     deno run -A scripts/bench/graph.ts [--units 50000] [--relations 100000] [--hub 20000] [--count 40] [--json <file>]
 *
 * Units and relations are written past the service, by one statement each; what is measured goes over HTTP, one request
 * at a time, on native PostgreSQL.
 */
import { parseArgs } from "node:util";
import postgres from "postgres";
import { describeMachine, formatTable, latencyCells, note, parseCount, summarise, writeJson } from "./_bench.ts";
import { createRandom } from "./_corpus.ts";
import { type BenchService, startBenchService } from "./_service.ts";

const { values } = parseArgs({
  options: {
    units: { type: "string" },
    relations: { type: "string" },
    hub: { type: "string" },
    count: { type: "string" },
    json: { type: "string" },
  },
});
const units = parseCount("units", values.units, 50_000, 10);
const relations = parseCount("relations", values.relations, 100_000, 10);
const hub = Math.min(parseCount("hub", values.hub, 20_000), units - 1);
const count = parseCount("count", values.count, 40);

/** The id of the n-th unit or relation; the first unit is the hub. */
function idOf(kind: 1 | 2, n: number): string {
  return `0195c1a0-${kind.toString(16).padStart(4, "0")}-7000-8000-${n.toString(16).padStart(12, "0")}`;
}

async function load({ superuserUrl, access: { workspaceId } }: BenchService): Promise<void> {
  const sql = postgres(superuserUrl!, { max: 1, onnotice: () => {} });
  const id = (kind: 1 | 2, n: string) =>
    sql.unsafe(`('0195c1a0-${kind.toString(16).padStart(4, "0")}-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`);
  try {
    await sql`
      insert into unit (workspace_id, id, type, status, attribution, trust_score, confidence, content_hash,
                        origin_instance, origin_id, text, doc_no, body, recorded_at, created_at, updated_at, created_by,
                        occurred_at)
      select ${workspaceId}, ${id(1, "n")}, 'fact', 'active', 'agent_stated', 60, 0.8, 'hash ' || n, 'instance:bench',
             ${id(1, "n")}, 'Unit ' || n || ' of the measured graph', nextval('doc_no'), '{}', now(), now(), now(),
             'bench', timestamptz '2026-01-01' + n * interval '7 minutes'
        from generate_series(1, ${units}::int) n`;
    await sql`
      create temporary table made as
      select n, 1 + n % ${units}::int as a,
             case when n <= ${hub}::int then 1
                  else 1 + abs(hashint4(n)) % ${units}::int end as b,
             (abs(hashint4(n + 7)) % 1000) / 1000.0 as weight,
             (array['supports', 'causes', 'related_to', 'about'])[1 + n % 4] as verb
        from generate_series(1, ${relations}::int) n`;
    await sql`update made set b = 1 + (b + 1) % ${units}::int where a = b`;
    await sql`
      insert into relation (workspace_id, id, verb, is_hyper, identity, weight, confidence, attribution, trust_score,
                            own_sensitivity, sensitivity, created_at, updated_at, created_by)
      select ${workspaceId}, ${id(2, "n")}, verb, false, 'bench ' || n, weight, 0.8, 'agent_stated', 60, 'internal',
             'internal', now(), now(), 'bench' from made`;
    await sql`
      insert into relation_participant (workspace_id, relation_id, place, role, unit_id, node_id, verb, weight,
                                        is_active, sensitivity)
      select ${workspaceId}, ${id(2, "n")}, e.place, e.role, ${id(1, "e.end")}, ${id(1, "e.end")}, verb, weight, true,
             'internal'
        from made cross join lateral (values (0, 'source', a), (1, 'target', b)) as e(place, role, "end")`;
    await sql`analyze unit, relation, relation_participant`;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

await using service = await startBenchService({ database: "postgres" });
note(`Loading ${units} units and ${relations} relations, ${hub} of them of one unit …`);
await load(service);

const random = createRandom(1);
const anyUnit = () => idOf(1, 2 + Math.floor(random() * (units - 2)));
const headers = { authorization: `Bearer ${service.access.key}`, "content-type": "application/json" };

async function measure(name: string, request: () => [path: string, body?: unknown]) {
  const durations: number[] = [];
  let last: Record<string, unknown> = {};
  for (let i = -3; i < count; i++) {
    const [path, body] = request();
    const started = performance.now();
    const init = body === undefined ? { headers } : { headers, method: "POST", body: JSON.stringify(body) };
    const reply = await fetch(`${service.url}${path}`, init);
    last = await reply.json();
    if (!reply.ok) throw new Error(`Cannot measure ${name}: ${JSON.stringify(last)}`);
    if (i >= 0) durations.push(performance.now() - started);
  }
  const seen = ["visited", "nodes", "edges", "data"].flatMap((member) => {
    const value = last[member];
    return value === undefined ? [] : [`${member} ${Array.isArray(value) ? value.length : value}`];
  });
  const cut = (last["truncatedBy"] as string[] | undefined)?.join(", ") ?? "";
  return { name, ...summarise(durations), seen: seen.join(", "), cut };
}

const TRAVERSE = "/v1/memory/relations/traverse";
const results = [
  await measure("walk, depth 2, from any", () => [TRAVERSE, { startIds: [anyUnit()], depth: 2 }]),
  await measure("walk, depth 3, from any", () => [TRAVERSE, { startIds: [anyUnit()], depth: 3 }]),
  await measure("walk, depth 3, from the hub", () => [TRAVERSE, { startIds: [idOf(1, 1)], depth: 3 }]),
  await measure("walk, depth 6, from the hub", () => [TRAVERSE, { startIds: [idOf(1, 1)], depth: 6, limit: 1_000 }]),
  await measure("walk, hub, one verb, minWeight", () => [
    TRAVERSE,
    { startIds: [idOf(1, 1)], depth: 3, verbs: ["about"], minWeight: 0.5 },
  ]),
  await measure("graph, newest, 200 nodes", () => ["/v1/graph"]),
  await measure("graph, newest, 1,000 nodes", () => ["/v1/graph?limit=1000&edgeLimit=5000"]),
  await measure("graph, around the hub, depth 1", () => [`/v1/graph?around=${idOf(1, 1)}`]),
  await measure("graph, around the hub, depth 3", () => [
    `/v1/graph?around=${idOf(1, 1)}&depth=3&limit=1000&edgeLimit=5000`,
  ]),
  await measure("relations of the hub, a page", () => [`/v1/relations?id=${idOf(1, 1)}`]),
  await measure("relations of any, a page", () => [`/v1/relations?id=${anyUnit()}`]),
  await measure(
    "timeline, a page",
    () => [`/v1/memory/timeline?before=2026-0${1 + Math.floor(random() * 8)}-15T00:00:00Z`],
  ),
  await measure("timeline, counts of 30 days", () => [
    "/v1/memory/timeline/counts?timeZone=Europe/Rome&to=2026-06-01T00:00:00Z",
  ]),
];
const machine = describeMachine();
console.log(`${service.database}; ${machine.cores} cores, load ${machine.loadBefore.join(" ")}\n`);
console.log(formatTable(
  ["Request", "p50 ms", "p95 ms", "p99 ms", "Seen", "Truncated by"],
  results.map((result) => [result.name, ...latencyCells(result), result.seen, result.cut]),
));
await writeJson(values.json, { machine, units, relations, hub, results });
