/**
 * Measures one workspace whole, at several sizes on durable Postgres: load, recall, writes, export, import, erasure,
 * consolidation, drift and memory.
 *
 *     deno run -A scripts/bench/scale.ts [--units 10000,100000,1000000] [--queries 40] [--count 1000] [--turns 5000]
 *       [--import 200000] [--seed 1] [--postings-bytes <n>] [--json <file>]
 *
 * For each size a service and a database of their own: one workspace with that many units (four fifths turns in sessions,
 * one fifth facts), loaded in bulk through the code that writes what requests write. When the service's loops have caught up
 * with that, one after another:
 *
 * - hot and full recall, `--queries` of each of seven classes, at concurrency 1 and 8, each query asked before; and full
 *   recall of as many queries that nobody has asked before (`--postings-bytes` is the service's `SVC_POSTINGS_BYTES_MAX`);
 * - ingest: `--turns` turns in batches of 500 from two clients, and how long vectors wait afterwards;
 * - the export of everything, read and verified; and the export of the facts, imported into a new workspace by `svc
 *   import` (at most `--import` facts: larger sizes import nothing and say so);
 * - the erasure of ten sessions, a forced consolidation, and the drift from the snapshot before all this;
 * - the resident set of the service at the end, and the most that it ever had.
 */
import { parseArgs } from "node:util";
import postgres from "postgres";
import { describeMachine, formatTable, note, parseCount, round, summarise, writeJson } from "./_bench.ts";
import { Corpus, QUERY_CLASSES } from "./_corpus.ts";
import { loadDirectly } from "./_direct.ts";
import { readExport } from "./_export.ts";
import { CONCURRENCY, HOT, mix, requestsOf } from "./_hot.ts";
import { type LoadResult, readRss, runLoad } from "./_http.ts";
import { openWriter, runBatches, splitTurns } from "./_ingest.ts";
import { Client } from "./_load.ts";
import { type BenchService, startBenchService } from "./_service.ts";
import { waitForVectors } from "./_vectors.ts";

const FULL = "/v1/memory/recall";
const BATCH = 500;
const CLIENTS = 2;
const ERASED_SESSIONS = 10;
const JOB_DEADLINE_MS = 3_600_000;
/** The machine counts as idle if its processors were idle for this share in this many successive checks. */
const IDLE_SHARE = 0.85, IDLE_LOOKS = 3, IDLE_LOOK_MS = 4_000;
/** After this time the measurement begins in any case. */
const IDLE_DEADLINE_MS = 600_000;

interface Options {
  readonly queries: number;
  readonly count: number;
  readonly turns: number;
  readonly importMax: number;
  readonly seed: number;
  readonly postingsBytes: string | undefined;
}

interface ScaleResult {
  readonly units: number;
  /** Seconds of the bulk load, including its indexes and statistics. */
  readonly loadSeconds: number;
  /** Seconds from then until the service's loops had caught up with the load. */
  readonly settledSeconds: number;
  readonly databaseMiB: number;
  readonly hot: readonly LoadResult[];
  readonly full: readonly LoadResult[];
  /** Full recall ×1 of queries that nobody has asked before. */
  readonly first: LoadResult;
  readonly ingest: { readonly turnsPerSecond: number; readonly p95Ms: number; readonly vectorsAfterSeconds: number };
  readonly export: { readonly seconds: number; readonly lines: number; readonly mebibytes: number };
  /** Null: there are more facts than `--import` allows. */
  readonly import: { readonly facts: number; readonly seconds: number } | null;
  readonly eraseSession: { readonly p50Ms: number; readonly maxMs: number };
  readonly consolidation: { readonly seconds: number; readonly steps: number; readonly limited: readonly string[] };
  readonly drift: { readonly ms: number; readonly verdict: string };
  readonly rssMiB: { readonly end: number; readonly most: number };
}

/** Polls until `look` returns true. @throws Error when it does not in time */
async function until(what: string, look: () => Promise<boolean>): Promise<number> {
  const started = performance.now();
  while (!await look()) {
    if (performance.now() - started > JOB_DEADLINE_MS) throw new Error(`Cannot go on: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return (performance.now() - started) / 1_000;
}

/** The seconds of all processors so far: idle, and in total. */
async function readProcessorTimes(): Promise<{ idle: number; all: number }> {
  const [line] = (await Deno.readTextFile("/proc/stat")).split("\n", 1);
  const ticks = line!.trim().split(/\s+/).slice(1, 9).map(Number);
  return { idle: ticks[3]! + ticks[4]!, all: ticks.reduce((sum, one) => sum + one, 0) };
}

/** The most index sizes of a workspace that may stay unfolded after its postings are compacted. */
const UNFOLDED_MAX = 64;

/**
 * Waits for the two loops that rest for longer than `untilIdle` looks: compaction, which ends a pass by folding the sizes,
 * and stems. @returns seconds
 */
async function untilCaughtUp(sql: postgres.Sql): Promise<number> {
  const [{ last }] = await sql<[{ last: number }]>`
    select greatest((select max(doc_no) from turn), (select max(doc_no) from unit_revision))::float8 as last`;
  return await until("the loops do not catch up with the load", async () => {
    const [{ isDone }] = await sql<[{ isDone: boolean }]>`
      select (select count(*) from corpus_size) < ${UNFOLDED_MAX}
         and exists (select from stem_cursor where after_doc >= ${last}) as "isDone"`;
    return isDone;
  });
}

/** Waits a limited time until the machine is idle, so that the loops' work is not measured. @returns seconds */
async function untilIdle(): Promise<number> {
  const started = performance.now();
  for (let quiet = 0; quiet < IDLE_LOOKS;) {
    const before = await readProcessorTimes();
    await new Promise((resolve) => setTimeout(resolve, IDLE_LOOK_MS));
    const after = await readProcessorTimes();
    const isIdle = (after.idle - before.idle) / (after.all - before.all) >= IDLE_SHARE;
    quiet = isIdle || performance.now() - started > IDLE_DEADLINE_MS ? quiet + 1 : 0;
  }
  const seconds = (performance.now() - started - IDLE_LOOKS * IDLE_LOOK_MS) / 1_000;
  note(`${seconds > IDLE_DEADLINE_MS / 1_000 ? "Not idle even" : "Idle"} after ${round(seconds, 0)} s`);
  return seconds;
}

async function get(
  service: BenchService,
  path: string,
  key = service.access.key,
): Promise<Record<string, unknown>> {
  const reply = await fetch(service.url + path, { headers: { authorization: `Bearer ${key}` } });
  if (reply.status !== 200) throw new Error(`Cannot GET ${path}: ${reply.status} ${await reply.text()}`);
  return await reply.json();
}

async function measureRecall(service: BenchService, path: string, queries: readonly string[], count: number) {
  const requests = requestsOf(service, service.access, path, queries);
  const { url, pid } = service;
  const results: LoadResult[] = [];
  for (const concurrency of [1, CONCURRENCY]) {
    const label = `${path} ×${concurrency}`;
    results.push(await runLoad({ label, url, pid, requests, concurrency, count, warmUp: requests.length }));
  }
  return results;
}

async function measureFirst(service: BenchService, path: string, queries: readonly string[]) {
  const requests = requestsOf(service, service.access, path, queries);
  const { url, pid } = service;
  return await runLoad({ label: `${path}, new queries`, url, pid, requests, concurrency: 1, count: requests.length });
}

async function measureIngest(service: BenchService, options: Options, sql: postgres.Sql) {
  const turns = new Corpus(options.seed + 1).sessions(Number.MAX_SAFE_INTEGER).flatMap((session) => session.turns)
    .take(options.turns).toArray();
  const batches = splitTurns(turns, BATCH);
  const open = () => openWriter(service, service.access);
  const stored = await runBatches(`batches of ${BATCH} ×${CLIENTS}`, batches, CLIENTS, service.pid, open);
  const vectorsAfterSeconds = await waitForVectors(sql);
  const { turnsPerSecond, p95Ms } = stored;
  return { turnsPerSecond, p95Ms, vectorsAfterSeconds };
}

async function measureTransfer(service: BenchService, facts: number, importMax: number) {
  const { url, access: { key } } = service;
  const whole = await readExport(url, key);
  const exported = {
    seconds: round(whole.seconds, 1),
    lines: whole.lines,
    mebibytes: round(whole.bytes / 2 ** 20, 1),
  };
  if (facts > importMax) return { export: exported, import: null };
  const path = await Deno.makeTempFile({ prefix: "svc-bench-", suffix: ".jsonl" });
  try {
    await readExport(url, key, { types: ["fact"], path });
    const { workspaceId } = await service.addWorkspace("imported");
    note(`Importing ${facts} facts …`);
    const started = performance.now();
    const report = await service.cli(["import", "--workspace", workspaceId, "--json", path]);
    const seconds = round((performance.now() - started) / 1_000, 1);
    note(JSON.stringify(report).slice(0, 300));
    return { export: exported, import: { facts, seconds } };
  } finally {
    await Deno.remove(path);
  }
}

async function measureErasure(service: BenchService, sql: postgres.Sql) {
  const { workspaceId, key } = service.access;
  const sessions = await sql<{ id: string }[]>`
    select id from session where workspace_id = ${workspaceId} and turn_count between 20 and 60 order by id limit ${ERASED_SESSIONS}`;
  using client = await Client.open(service.url, key);
  const durations: number[] = [];
  for (const { id } of sessions) {
    const started = performance.now();
    await client.post(`/v1/session/${id}/purge`, {});
    durations.push(performance.now() - started);
  }
  const { p50Ms, maxMs } = summarise(durations);
  return { p50Ms, maxMs };
}

async function measureConsolidation(service: BenchService) {
  const { workspaceId } = service.access;
  const scoped = ["key", "create", "--workspace", workspaceId, "--name", "upkeep", "--scopes", "memory:admin"];
  const { key } = await service.cli(scoped);
  using client = await Client.open(service.url, key!);
  const { id } = await client.post("/v1/memory/admin/consolidate", { force: true }) as { id: string };
  note("Consolidating …");
  let job: Record<string, unknown> = {};
  const seconds = await until("the consolidation does not end", async () => {
    job = await get(service, `/v1/memory/admin/jobs/${id}`, key);
    return job.state === "completed" || job.state === "failed";
  });
  if (job.state === "failed") throw new Error(`Cannot consolidate: ${job.failure}`);
  const report = job.report as { steps: Record<string, number>; limited?: string[] };
  const steps = Object.values(report.steps).reduce((sum, count) => sum + count, 0);
  return { seconds: round(seconds, 1), steps, limited: report.limited ?? [] };
}

async function measureSize(units: number, options: Options): Promise<ScaleResult> {
  const env: Record<string, string> = options.postingsBytes === undefined
    ? {}
    : { SVC_POSTINGS_BYTES_MAX: options.postingsBytes };
  await using service = await startBenchService({ database: "postgres", env });
  const corpus = new Corpus(options.seed);
  const loaded = await loadDirectly(service, service.access, corpus.sessions(units), units, 2 * options.queries);
  await using stack = new AsyncDisposableStack();
  const sql = postgres(service.superuserUrl!, { max: 1, onnotice: () => {} });
  stack.defer(() => sql.end({ timeout: 5 }));
  const [{ mib }] = await sql<[{ mib: number }]>`select pg_database_size(current_database()) / 2 ^ 20 as mib`;
  // The service takes a snapshot if this hour has none: drift is compared with this one.
  const loadedAt = new Date();
  await sql`delete from snapshot`;
  let baseline: string | undefined;
  const waited = await until("no snapshot was taken", async () => {
    const { data } = await get(service, `/v1/memory/health/history?limit=1&from=${loadedAt.toISOString()}`);
    baseline = (data as { snapshotId: string }[])[0]?.snapshotId;
    return baseline !== undefined;
  });
  const settledSeconds = round(waited + await untilCaughtUp(sql) + await untilIdle(), 0);
  const queries = mix(corpus.queries(loaded.sample));
  // Both halves have queries of all classes and of all parts of the corpus.
  const halfOf = (half: 0 | 1) => queries.filter((_, i) => Math.floor(i / QUERY_CLASSES.length) % 2 === half);
  const [asked, unasked] = [halfOf(0), halfOf(1)];
  const hot = await measureRecall(service, HOT, asked, options.count);
  const full = await measureRecall(service, FULL, asked, options.count);
  const first = await measureFirst(service, FULL, unasked);
  const ingest = await measureIngest(service, options, sql);
  const transfer = await measureTransfer(service, loaded.facts, options.importMax);
  const eraseSession = await measureErasure(service, sql);
  const consolidation = await measureConsolidation(service);
  const started = performance.now();
  const { verdict } = await get(service, `/v1/memory/governance/drift?baseline=${baseline}`);
  const drift = { ms: round(performance.now() - started, 1), verdict: String(verdict) };
  return {
    units,
    loadSeconds: round(loaded.seconds, 1),
    settledSeconds,
    databaseMiB: round(mib, 0),
    hot,
    full,
    first,
    ingest,
    ...transfer,
    eraseSession,
    consolidation,
    drift,
    rssMiB: { end: round(readRss(service.pid), 0), most: round(readRss(service.pid, "VmHWM"), 0) },
  };
}

/** A row for each figure, a column for each size. */
function tableOf(results: readonly ScaleResult[]): string {
  const rows: [string, (result: ScaleResult) => string | number][] = [
    ["load, s", (r) => r.loadSeconds],
    ["loops caught up after, s", (r) => r.settledSeconds],
    ["database, MiB", (r) => r.databaseMiB],
    ...[0, 1].flatMap((i): [string, (result: ScaleResult) => string | number][] =>
      (["hot", "full"] as const).flatMap((name): [string, (result: ScaleResult) => string | number][] => {
        const label = `${name} recall ×${[1, CONCURRENCY][i]}`;
        return [
          [`${label}, p50 / p95 ms`, (r) => `${r[name][i]!.p50Ms.toFixed(1)} / ${r[name][i]!.p95Ms.toFixed(1)}`],
          [`${label}, requests/s`, (r) => r[name][i]!.requestsPerSecond.toFixed(0)],
        ];
      })
    ),
    ["full recall ×1, new queries, p50 / p95 ms", (r) => `${r.first.p50Ms.toFixed(1)} / ${r.first.p95Ms.toFixed(1)}`],
    [`ingest, batches of ${BATCH} ×${CLIENTS}, turns/s`, (r) => r.ingest.turnsPerSecond.toFixed(0)],
    ["vectors complete after, s", (r) => r.ingest.vectorsAfterSeconds],
    ["export of everything, s", (r) => r.export.seconds],
    ["export, lines/s", (r) => Math.round(r.export.lines / r.export.seconds)],
    ["import of the facts, facts/s", (r) => r.import === null ? "–" : Math.round(r.import.facts / r.import.seconds)],
    [
      "erasure of a session, p50 / max ms",
      (r) => `${r.eraseSession.p50Ms.toFixed(0)} / ${r.eraseSession.maxMs.toFixed(0)}`,
    ],
    ["consolidation, s", (r) => `${r.consolidation.seconds}${r.consolidation.limited.length > 0 ? " (limited)" : ""}`],
    ["consolidation, steps", (r) => r.consolidation.steps],
    ["drift, ms", (r) => r.drift.ms],
    ["resident set at the end / most, MiB", (r) => `${r.rssMiB.end} / ${r.rssMiB.most}`],
  ];
  const header = ["what", ...results.map(({ units }) => `${units} units`)];
  return formatTable(header, rows.map(([label, show]) => [label, ...results.map(show)]));
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      units: { type: "string", default: "10000,100000,1000000" },
      queries: { type: "string" },
      count: { type: "string" },
      turns: { type: "string" },
      import: { type: "string" },
      seed: { type: "string" },
      "postings-bytes": { type: "string" },
      json: { type: "string" },
    },
  });
  const sizes = values.units.split(",").map((text) => parseCount("units", text, 0));
  const options: Options = {
    queries: parseCount("queries", values.queries, 40),
    count: parseCount("count", values.count, 1_000),
    turns: parseCount("turns", values.turns, 5_000),
    importMax: parseCount("import", values.import, 200_000, 0),
    seed: parseCount("seed", values.seed, 1),
    postingsBytes: values["postings-bytes"],
  };
  const machine = describeMachine();
  note(`load before: ${machine.loadBefore.join(" ")}`);
  const results: ScaleResult[] = [];
  for (const units of sizes) {
    results.push(await measureSize(units, options));
    console.log(`\n${tableOf(results)}`);
    await writeJson(values.json, { program: "bench_scale", machine, options, results });
  }
}

if (import.meta.main) await main();
