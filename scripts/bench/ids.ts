/**
 * Measures whether the time of a refusal tells an id of another workspace from one that never was (docs/reference/guarantees.md T1): every
 * operation that names a resource in its path, asked by a stranger.
 *
 *     deno run -A scripts/bench/ids.ts [--calls 200] [--only <part of operationId>] [--json <file>]
 *
 * Needs PostgreSQL's server programs. The two are asked by turns, in an order that changes, so that whatever else the
 * machine does meets both alike; a third id, which never was either, says how far two medians of the same differ.
 */
import { parseArgs } from "node:util";
import { pathOf } from "../../src/http/app.ts";
import type { Endpoint } from "../../src/http/route.ts";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import { buildWorld, fillPath, unknownWorld, type World } from "../../tests/http/_world.ts";
import { createFixture } from "../../tests/_fixtures.ts";
import { startService, TestService } from "../../tests/_service.ts";
import { describeMachine, formatTable, note, parseCount, percentile, round, writeJson } from "./_bench.ts";

interface Row {
  readonly operationId: string;
  readonly status: number;
  /** Medians in milliseconds. */
  readonly foreignMs: number;
  readonly neverMs: number;
  readonly controlMs: number;
}

const { values } = parseArgs({
  args: Deno.args,
  options: { calls: { type: "string" }, only: { type: "string", default: "" }, json: { type: "string" } },
});
const calls = parseCount("calls", values.calls, 200, 10);

await using service = await startService({ env: { SVC_DB_DEADLINE_MS: "60000" } });
const workspaceId = await service.createWorkspace("stranger");
const key = await service.createKey({ workspaceId });
const stranger = new TestService(service.service, workspaceId, key, service.database, new AsyncDisposableStack());
const world = await buildWorld(service, { mark: "quetzalcoatlus" });
const asked: Readonly<Record<string, World>> = {
  foreign: world,
  never: unknownWorld(world),
  control: unknownWorld(world),
};

const named = ENDPOINTS.filter(({ bearer, route }) =>
  bearer === "key" && /\{(id|agent|.*Id)\}/.test(route.path) && route.operationId.includes(values.only)
);
const rows: Row[] = [];
for (const endpoint of named) {
  note(`${endpoint.route.operationId} (${rows.length + 1} of ${named.length})`);
  rows.push(await measure(endpoint));
}

const ratio = (a: number, b: number) => Math.abs(a / b - 1);
const apart = rows.filter((row) => ratio(row.foreignMs, row.neverMs) > 0.2);
const noise = rows.filter((row) => ratio(row.controlMs, row.neverMs) > 0.2);
const worst = rows.toSorted((a, b) => ratio(b.foreignMs, b.neverMs) - ratio(a.foreignMs, a.neverMs)).slice(0, 15);
console.log(formatTable(
  ["operation", "status", "another's ms", "never was ms", "apart %", "the same twice, apart %"],
  worst.map((row) => [
    row.operationId,
    row.status,
    round(row.foreignMs, 3),
    round(row.neverMs, 3),
    round(ratio(row.foreignMs, row.neverMs) * 100, 1),
    round(ratio(row.controlMs, row.neverMs) * 100, 1),
  ]),
));
console.log(
  `${rows.length} operations, ${calls} calls each: ${apart.length} medians more than 20 % apart; of the same twice, ${noise.length}`,
);
await writeJson(values.json, { machine: describeMachine(), calls, rows });
Deno.exitCode = apart.length > noise.length ? 1 : 0;

async function measure(endpoint: Endpoint): Promise<Row> {
  const content = endpoint.route.request?.body?.content as Record<string, { example?: unknown }> | undefined;
  const example = Object.values(content ?? {}).find((type) => type.example !== undefined)?.example;
  const body = (await createFixture(stranger, endpoint)).body ?? example;
  const template = pathOf(endpoint);
  const query = template.endsWith("/diff") ? "?from=1&to=2" : "";
  const times: Record<string, number[]> = { foreign: [], never: [], control: [] };
  const names = Object.keys(times);
  let status = 0;
  for (let n = 0; n < calls; n++) {
    // Each comes first, second and last equally often.
    for (const name of names.map((_, i) => names[(i + n) % names.length]!)) {
      const began = performance.now();
      const reply = await service.call(
        endpoint.route.method.toUpperCase(),
        fillPath(template, asked[name]!) + query,
        { key, body },
      );
      times[name]!.push(performance.now() - began);
      status = reply.status;
    }
  }
  const median = (name: string) => percentile(times[name]!, 0.5);
  return {
    operationId: endpoint.route.operationId,
    status,
    foreignMs: median("foreign"),
    neverMs: median("never"),
    controlMs: median("control"),
  };
}
