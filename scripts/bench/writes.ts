/**
 * Measures how many single facts a second are stored over HTTP on durable Postgres: one request, one fact.
 *
 *     deno run -A scripts/bench/writes.ts [--units 20000] [--count 2000] [--concurrency 1,16,64] [--workspaces 1,8]
 *       [--seed 1] [--json <file>]
 *
 * The first workspace holds `units` texts before. The background loops run, as in production. Service, database and client
 * share this machine, so only ratios of runs in turns are meaningful; `CPU ms` are the service's and the database's.
 * At the end it waits until every text has its vector, and prints how long that took and how many deadlocks there were.
 */
import postgres from "postgres";
import { parseArgs } from "node:util";
import { describeMachine, formatTable, latencyCells, note, parseCount, round, writeJson } from "./_bench.ts";
import { Corpus } from "./_corpus.ts";
import { databaseCpu } from "./_cpu.ts";
import { loadDirectly } from "./_direct.ts";
import { encodeRequest, runLoad } from "./_http.ts";
import { type Access, type BenchService, startBenchService } from "./_service.ts";
import { waitForVectors } from "./_vectors.ts";

const WARM_UP = 100;

/** Yields endless statements of facts, all different. */
function* statements(seed: number): Generator<string> {
  const corpus = new Corpus(seed);
  for (;;) for (const { facts } of corpus.sessions(100)) yield* facts;
}

function take<T>(from: Generator<T>, count: number): T[] {
  return Array.from({ length: count }, () => from.next().value as T);
}

interface Options {
  readonly units: number;
  readonly count: number;
  readonly concurrencies: readonly number[];
  readonly workspaces: readonly number[];
  readonly seed: number;
}

async function measure(service: BenchService, sql: postgres.Sql, options: Options) {
  const accesses: Access[] = [service.access];
  while (accesses.length < Math.max(...options.workspaces)) {
    accesses.push(await service.addWorkspace(`workspace ${accesses.length}`));
  }
  if (options.units > 0) {
    const corpus = new Corpus(options.seed);
    await loadDirectly(service, service.access, corpus.sessions(options.units), options.units, 1);
  }
  const facts = statements(options.seed + 1_000);
  const readDatabaseCpu = await databaseCpu(sql);
  const results = [];
  for (const workspaces of options.workspaces) {
    for (const concurrency of options.concurrencies) {
      const requestsOf = (count: number) =>
        take(facts, count).map((statement, i) =>
          encodeRequest(service.url, "POST", "/v1/memory/facts", {
            key: accesses[i % workspaces]!.key,
            body: { statement },
          })
        );
      const label = `${workspaces} × ${concurrency}`;
      const { url, pid } = service;
      await runLoad({ label: "warming up", url, requests: requestsOf(WARM_UP), concurrency, count: WARM_UP });
      const count = concurrency === 1 ? Math.ceil(options.count / 4) : options.count;
      const before = readDatabaseCpu();
      const load = await runLoad({ label, url, pid, requests: requestsOf(count), concurrency, count });
      results.push({ workspaces, ...load, databaseCpuMs: round((readDatabaseCpu() - before) / count, 3) });
    }
  }
  return results;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      units: { type: "string" },
      count: { type: "string" },
      concurrency: { type: "string", default: "1,16,64" },
      workspaces: { type: "string", default: "1,8" },
      seed: { type: "string" },
      json: { type: "string" },
    },
  });
  const counts = (name: "concurrency" | "workspaces") =>
    values[name].split(",").map((text) => parseCount(name, text, 1));
  const options: Options = {
    units: parseCount("units", values.units, 20_000, 0),
    count: parseCount("count", values.count, 2_000),
    concurrencies: counts("concurrency"),
    workspaces: counts("workspaces"),
    seed: parseCount("seed", values.seed, 1),
  };
  const machine = describeMachine();
  await using service = await startBenchService({ database: "postgres" });
  const sql = postgres(service.superuserUrl!, { max: 1, onnotice: () => {} });
  const results = await measure(service, sql, options);
  const vectorsAfterSeconds = await waitForVectors(sql);
  const [{ deadlocks }] = await sql<[{ deadlocks: number }]>`
    select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()`;
  await sql.end({ timeout: 5 });
  note(`${options.units} units before; ${service.database}; load before: ${machine.loadBefore.join(" ")}`);
  console.log(formatTable(
    ["workspaces × connections", "writes/s", "p50 ms", "p95 ms", "p99 ms", "service CPU ms", "database CPU ms"],
    results.map((one) => [
      `${one.workspaces} × ${one.concurrency}`,
      one.requestsPerSecond.toFixed(0),
      ...latencyCells(one),
      one.serverCpuMs?.toFixed(2) ?? "–",
      one.databaseCpuMs.toFixed(2),
    ]),
  ));
  console.log(`all vectors there ${vectorsAfterSeconds} s after the last write; ${deadlocks} deadlocks`);
  await writeJson(values.json, { program: "bench_writes", machine, options, results, vectorsAfterSeconds, deadlocks });
}

if (import.meta.main) await main();
