/**
 * Measures recall over HTTP on made-up corpora of several sizes, on durable Postgres, beside its references.
 *
 *     deno run -A scripts/bench/recall.ts [--units 10000,100000,1000000] [--load sql|http] [--queries 60] [--count 3000]
 *       [--hot-units <n>] [--warm-up 500] [--seed 1] [--json <file>]
 *       [--profile <file.cpuprofile>]
 *
 * For each size a service and a database of their own: one workspace with that many units (four fifths turns in sessions,
 * one fifth facts) and a small one with 2,000. `--load sql` writes in bulk what requests would leave behind, `http` sends
 * requests and waits until the vectors that come later are there.
 *
 * - hot: `POST /v1/memory/recall/hot` at concurrency 1 and 8, beside a validated JSON echo in a process of its own. The
 *   tier holds what the service's configuration lets it hold; `--hot-units` is its `SVC_HOT_UNITS_MAX`.
 * - full: `POST /v1/memory/recall` by class of queries, beside the bare statements it consists of, which are recorded and
 *   run without the service on the same database, in turns with it.
 * - small workspace: the same in the small workspace before and after the large one is loaded.
 */
import postgres from "postgres";
import { parseArgs } from "node:util";
import {
  describeMachine,
  formatTable,
  type Latency,
  latencyCells,
  note,
  parseCount,
  round,
  summarise,
  writeJson,
} from "./_bench.ts";
import { Corpus, QUERY_CLASSES } from "./_corpus.ts";
import { loadDirectly } from "./_direct.ts";
import { CONCURRENCY, HOT, hotRows, measureHot, mix, type Queries, requestsOf } from "./_hot.ts";
import { LOAD_COLUMNS, loadCells, type LoadResult, type RawLoad, runLoad, sendAll, summariseLoads } from "./_http.ts";
import { type Loaded, loadOverHttp } from "./_load.ts";
import { profileWhile, writeProfile } from "./_profile.ts";
import { type Access, type BenchService, findFreePort, startBenchService } from "./_service.ts";
import { recordRecalls, Replayer } from "./_statements.ts";
import { waitForVectors } from "./_vectors.ts";

const SMALL_UNITS = 2_000;
/** Queries in a row when two measurements alternate. */
const ROUND = 28;
const FULL = "/v1/memory/recall";

interface Options {
  readonly load: "sql" | "http";
  /** Queries of each class. */
  readonly queries: number;
  /** Requests of each measurement of the hot tier. */
  readonly count: number;
  readonly hotUnits: number | undefined;
  /** Full recalls before the measurement: the engine still compiles during the first few hundred. */
  readonly warmUp: number;
  readonly seed: number;
  readonly profile: string | undefined;
}

async function measureFull(service: BenchService, access: Access, queries: Queries, warmUp: number) {
  const measure = (label: string, list: readonly string[], concurrency: number, warmUp: number) =>
    runLoad({
      label,
      url: service.url,
      pid: service.pid,
      requests: requestsOf(service, access, FULL, list),
      concurrency,
      count: list.length,
      warmUp,
    });
  const byClass: Record<string, LoadResult> = {};
  const all = mix(queries);
  const mixed = await measure("full, all classes ×1", all, 1, warmUp);
  for (const name of QUERY_CLASSES) byClass[name] = await measure(`full, ${name}`, queries[name], 1, 0);
  const concurrent = await measure(`full, all classes ×${CONCURRENCY}`, all, CONCURRENCY, CONCURRENCY);
  return { all: mixed, concurrent, byClass };
}

/**
 * Measures the full recall and its bare statements in turns of a few queries, so that other work on the machine affects
 * both alike.
 */
async function measureBeside(service: BenchService, access: Access, queries: Queries) {
  const all = mix(queries);
  const recorded = await recordRecalls(service, access, all.map((query) => ({ query, limit: 10 })));
  await using replayer = new Replayer(service);
  await replayer.runWhole(recorded.slice(0, ROUND));
  const loads: RawLoad[] = [], bareMs: number[] = [];
  for (let at = 0; at < all.length; at += ROUND) {
    const requests = requestsOf(service, access, FULL, all.slice(at, at + ROUND));
    const { url, pid } = service;
    loads.push(
      await sendAll({ label: "full beside bare", url, pid, requests, concurrency: 1, count: requests.length }),
    );
    bareMs.push(...await replayer.runWhole(recorded.slice(at, at + ROUND)));
  }
  const statements = Object.fromEntries(
    [...await replayer.runApart(recorded)].map(([name, times]) => [name, summarise(times)]),
  );
  const full = summariseLoads(loads, 1), bare = summarise(bareMs);
  const ratio = { p50: round(full.p50Ms / bare.p50Ms, 2), p95: round(full.p95Ms / bare.p95Ms, 2) };
  return { full, bare, ratio, statements };
}

/** Waits until every text has its vector, and brings the statistics up to date. */
async function settle(superuserUrl: string): Promise<void> {
  const sql = postgres(superuserUrl, { max: 1, onnotice: () => {} });
  await waitForVectors(sql);
  await sql.unsafe("vacuum (analyze)");
  await sql.end({ timeout: 5 });
}

async function readSizes(superuserUrl: string): Promise<Record<string, number>> {
  const sql = postgres(superuserUrl, { max: 1 });
  const rows = await sql<{ name: string; bytes: number }[]>`
    select relname as name, pg_total_relation_size(oid)::float8 as bytes from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace
       and relname in ('turn', 'unit', 'unit_revision', 'posting', 'vocabulary', 'embedding', 'change')`;
  await sql.end({ timeout: 5 });
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, round(bytes / 2 ** 20, 1)]));
}

async function measureSize(units: number, options: Options) {
  const inspect = options.profile === undefined ? undefined : findFreePort();
  await using service = await startBenchService({
    database: "postgres",
    env: options.hotUnits === undefined ? {} : { SVC_HOT_UNITS_MAX: String(options.hotUnits) },
    denoArgs: inspect === undefined ? [] : [`--inspect=127.0.0.1:${inspect}`],
  });
  const load = async (access: Access, size: number, seed: number): Promise<Loaded & { queries: Queries }> => {
    const corpus = new Corpus(seed);
    const loaded = options.load === "sql"
      ? await loadDirectly(service, access, corpus.sessions(size), size, options.queries)
      : await loadOverHttp(service, access, corpus.sessions(size), size, options.queries);
    if (options.load === "http") await settle(service.superuserUrl!);
    return { ...loaded, queries: corpus.queries(loaded.sample) };
  };
  const smallAccess = await service.addWorkspace("small");
  const small = await load(smallAccess, SMALL_UNITS, options.seed + 100);
  const smallBefore = await measureFull(service, smallAccess, small.queries, options.warmUp);
  const large = await load(service.access, units, options.seed);
  const hot = await measureHot(service, service.access, large.queries, options.count);
  const full = await measureFull(service, service.access, large.queries, options.warmUp);
  const beside = await measureBeside(service, service.access, large.queries);
  const smallAfter = await measureFull(service, smallAccess, small.queries, options.warmUp);
  if (inspect !== undefined) await profile(inspect, service, large.queries, `${options.profile}`);
  const { turns, facts, seconds } = large;
  return {
    units,
    loaded: { turns, facts, by: options.load, seconds: round(seconds, 1) },
    tableMiB: await readSizes(service.superuserUrl!),
    database: service.database,
    hot,
    full,
    beside,
    small: { units: SMALL_UNITS, before: smallBefore.all, after: smallAfter.all },
  };
}

async function profile(port: number, service: BenchService, queries: Queries, path: string): Promise<void> {
  for (const [name, url] of [["hot", HOT], ["full", FULL]]) {
    const requests = requestsOf(service, service.access, url!, mix(queries));
    const run = () =>
      runLoad({ label: `profiled ${name}`, url: service.url, requests, concurrency: 1, count: requests.length });
    await writeProfile(path.replace(/(\.cpuprofile)?$/, `.${name}.cpuprofile`), await profileWhile(port, run));
  }
}

type Result = Awaited<ReturnType<typeof measureSize>>;

function printResult(result: Result): void {
  const { hot, full, beside, small, loaded } = result;
  console.log(
    `\n${result.units} units (${loaded.turns} turns, ${loaded.facts} facts), loaded by ${loaded.by} in ${loaded.seconds} s; ` +
      `hot tier's first request ${hot.firstMs} ms`,
  );
  const loads: [string, LoadResult][] = [
    ["full, all classes ×1", full.all],
    [`full, all classes ×${CONCURRENCY}`, full.concurrent],
    ...Object.entries(full.byClass).map(([name, load]): [string, LoadResult] => [`full, ${name} ×1`, load]),
    ["full, in turns with the bare statements ×1", beside.full],
    ["small workspace, full, before ×1", small.before],
    ["small workspace, full, after ×1", small.after],
  ];
  const rows = [...hotRows(hot), ...loads.map(([name, load]) => [name, ...loadCells(load)])];
  console.log(formatTable(["what", ...LOAD_COLUMNS], rows));
  const cells = (name: string, latency: Latency) => [name, ...latencyCells(latency), latency.n];
  console.log(formatTable(["bare statements", "p50 ms", "p95 ms", "p99 ms", "n"], [
    cells("all of a recall, as it sends them", beside.bare),
    ...Object.entries(beside.statements).map(([name, latency]) => cells(`  ${name}`, latency)),
  ]));
  console.log(
    `full to bare: p50 ${beside.ratio.p50}, p95 ${beside.ratio.p95}; ` +
      `hot to echo: ${
        hot.shareOfEcho.map((share) => `${(share * 100).toFixed(1)} %`).join(", ")
      } of the requests a second`,
  );
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      units: { type: "string", default: "10000,100000,1000000" },
      load: { type: "string", default: "sql" },
      queries: { type: "string" },
      count: { type: "string" },
      "hot-units": { type: "string" },
      "warm-up": { type: "string" },
      seed: { type: "string" },
      json: { type: "string" },
      profile: { type: "string" },
    },
  });
  if (values.load !== "sql" && values.load !== "http") {
    throw new Error(`Cannot measure: --load ${values.load} is neither sql nor http`);
  }
  const sizes = values.units.split(",").map((text) => parseCount("units", text, 0));
  const hotUnits = values["hot-units"];
  const options: Options = {
    load: values.load,
    queries: parseCount("queries", values.queries, 60),
    count: parseCount("count", values.count, 3_000),
    hotUnits: hotUnits === undefined ? undefined : parseCount("hot-units", hotUnits, 0),
    warmUp: parseCount("warm-up", values["warm-up"], 500),
    seed: parseCount("seed", values.seed, 1),
    profile: values.profile,
  };
  const machine = describeMachine();
  note(`load before: ${machine.loadBefore.join(" ")}`);
  const results: Result[] = [];
  for (const units of sizes) {
    const result = await measureSize(units, options);
    printResult(result);
    results.push(result);
    await writeJson(values.json, { program: "bench_recall", machine, options, results });
  }
}

if (import.meta.main) await main();
