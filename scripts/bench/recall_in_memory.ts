/**
 * Measures full recall from memory beside full recall from the database, over HTTP, in one run and in turns.
 *
 *     deno run -A scripts/bench/recall_in_memory.ts [--units 10000] [--queries 60] [--rounds 3] [--seed 1] [--json <file>]
 *
 * Two services with the same corpus, each on a throwaway durable Postgres: one holds the workspace whole in its hot tier, the
 * other has no hot tier. They take turns, some queries each, so that what else the machine does falls on both alike. The CPU time is that of the service's process; Postgres'
 * own comes on top.
 */
import { parseArgs } from "node:util";
import { describeMachine, formatTable, note, parseCount, round, writeJson } from "./_bench.ts";
import { Corpus } from "./_corpus.ts";
import { loadDirectly } from "./_direct.ts";
import { CONCURRENCY, mix, requestsOf } from "./_hot.ts";
import { LOAD_COLUMNS, loadCells, type LoadResult, type RawLoad, sendAll, summariseLoads } from "./_http.ts";
import { type BenchService, startBenchService } from "./_service.ts";

const FULL = "/v1/memory/recall";
/** Queries in a row. */
const ROUND = 28;
/** Recalls before the measurement: the engine compiles, and the tier loads and reads vectors. */
const WARM_UP = 400;

interface Options {
  readonly units: number;
  readonly queries: number;
  readonly rounds: number;
  readonly seed: number;
}

async function load(service: BenchService, { units, queries, seed }: Options): Promise<string[]> {
  const corpus = new Corpus(seed);
  const loaded = await loadDirectly(service, service.access, corpus.sessions(units), units, queries);
  return mix(corpus.queries(loaded.sample));
}

/** The numbers of full recalls by the source of their ranking, as the service counts them. */
async function readSources(service: BenchService): Promise<Record<string, number>> {
  const reply = await fetch(`${service.url}/metrics`);
  const found = (await reply.text()).matchAll(/^svc_recall_sources_total\{source="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...found].map(([, source, count]) => [source!, Number(count)]));
}

async function send(service: BenchService, queries: readonly string[], concurrency: number): Promise<RawLoad> {
  const requests = requestsOf(service, service.access, FULL, queries);
  const { url, pid } = service;
  return await sendAll({ label: "full recall", url, pid, requests, concurrency, count: requests.length });
}

/** Measures both services in turns. */
async function measure(
  services: readonly BenchService[],
  queries: readonly string[],
  rounds: number,
  concurrency: number,
): Promise<LoadResult[]> {
  const loads: RawLoad[][] = services.map(() => []);
  for (let pass = 0; pass < rounds; pass++) {
    for (let at = 0; at < queries.length; at += ROUND) {
      for (const [i, service] of services.entries()) {
        loads[i]!.push(await send(service, queries.slice(at, at + ROUND), concurrency));
      }
    }
  }
  return loads.map((own) => summariseLoads(own, concurrency));
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      units: { type: "string" },
      queries: { type: "string" },
      rounds: { type: "string" },
      seed: { type: "string" },
      json: { type: "string" },
    },
  });
  const options: Options = {
    units: parseCount("units", values.units, 10_000),
    queries: parseCount("queries", values.queries, 60),
    rounds: parseCount("rounds", values.rounds, 3),
    seed: parseCount("seed", values.seed, 1),
  };
  const machine = describeMachine();
  note(`load before: ${machine.loadBefore.join(" ")}`);
  await using memory = await startBenchService({ database: "postgres" });
  await using database = await startBenchService({ database: "postgres", env: { SVC_HOT_UNITS_MAX: "0" } });
  const services = [memory, database];
  const queries = await load(memory, options);
  await load(database, options);
  for (const service of services) {
    for (let sent = 0; sent < WARM_UP; sent += queries.length) await send(service, queries, CONCURRENCY);
  }
  const before = await readSources(memory);
  const results: Record<string, LoadResult> = {};
  const rows: (readonly (string | number)[])[] = [];
  for (const concurrency of [1, CONCURRENCY]) {
    const [fast, slow] = await measure(services, queries, options.rounds, concurrency);
    results[`memory ×${concurrency}`] = fast!;
    results[`database ×${concurrency}`] = slow!;
    rows.push([`from memory ×${concurrency}`, ...loadCells(fast!)], [
      `from the database ×${concurrency}`,
      ...loadCells(slow!),
    ]);
    const [p50, rate] = [slow!.p50Ms / fast!.p50Ms, fast!.requestsPerSecond / slow!.requestsPerSecond];
    rows.push([`ratio ×${concurrency}`, round(p50, 2), round(slow!.p95Ms / fast!.p95Ms, 2), "", round(rate, 2), ""]);
  }
  const after = await readSources(memory);
  const ranked = after["memory"]! - before["memory"]!, other = after["database"]! - before["database"]!;
  console.log(`\n${options.units} units; of ${ranked + other} recalls ${ranked} were ranked from memory`);
  console.log(formatTable(["full recall", ...LOAD_COLUMNS], rows));
  await writeJson(values.json, {
    program: "bench_recall_whole",
    machine,
    options,
    results,
  });
}

if (import.meta.main) await main();
