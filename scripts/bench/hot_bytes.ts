/**
 * Compares the hot tier's estimate of its memory for a workspace with the growth of the heap.
 *
 *     deno run -A --v8-flags=--expose-gc scripts/bench/hot_bytes.ts [--units 20000] [--loads 3] [--seed 1] [--json <file>]
 *
 * The tier runs in this process, on the database of a service that is idle meanwhile. The heap is that of V8 and the memory of
 * typed arrays, each read after garbage collections. The first load is left out, because it compiles the code.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { createDeps } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { operatorContext } from "../../src/domain/access/authorize.ts";
import { HotTier } from "../../src/domain/recall/hot/tier.ts";
import { describeMachine, formatTable, parseCount, round, writeJson } from "./_bench.ts";
import { Corpus } from "./_corpus.ts";
import { loadDirectly } from "./_direct.ts";
import { startBenchService } from "./_service.ts";

const MIB = 2 ** 20;

async function readHeap(): Promise<number> {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) throw new Error("Cannot measure: run it with --v8-flags=--expose-gc");
  for (let i = 0; i < 3; i++) {
    gc();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      units: { type: "string" },
      loads: { type: "string" },
      seed: { type: "string" },
      json: { type: "string" },
    },
  });
  const units = parseCount("units", values.units, 20_000);
  const loads = parseCount("loads", values.loads, 3, 2);
  const machine = describeMachine();
  await using service = await startBenchService({ database: "postgres" });
  const corpus = new Corpus(parseCount("seed", values.seed, 1));
  await loadDirectly(service, service.access, corpus.sessions(units), units, 1);
  await using deps = await createDeps(readConfig({ ...service.env, SVC_DB_DEADLINE_MS: "600000" }));
  const ctx = operatorContext(deps, service.access.workspaceId);
  const rows: { held: number; cpuMs: number; told: number; heap: number }[] = [];
  // Each load stays until the end, because freed memory would reduce the growth by the next one.
  await using tiers = new AsyncDisposableStack();
  for (let i = 0; i < loads; i++) {
    const before = await readHeap(), started = process.cpuUsage();
    const tier = tiers.use(new HotTier(deps, deps.config.hot));
    let index = await tier.find(ctx);
    for (; index === undefined; index = await tier.find(ctx)) await new Promise((resolve) => setTimeout(resolve, 5));
    const { user, system } = process.cpuUsage(started);
    const heap = await readHeap() - before;
    rows.push({ held: index.size, cpuMs: round((user + system) / 1_000, 0), told: index.bytes, heap });
  }
  console.log(formatTable(
    ["load", "texts held", "CPU ms", "told MiB", "heap MiB", "told / heap"],
    rows.slice(1).map(({ held, cpuMs, told, heap }, i) => [
      i + 1,
      held,
      cpuMs,
      round(told / MIB, 1),
      round(heap / MIB, 1),
      round(told / heap, 2),
    ]),
  ));
  await writeJson(values.json, { program: "hot_bytes", machine, database: service.database, units, rows });
}

if (import.meta.main) await main();
