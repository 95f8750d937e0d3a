/**
 * Measures what a service costs that nobody uses, by number of workspaces: CPU and transactions of its background loops, and
 * memory. Then, among them: how many workspaces with a key it makes in a second, and the first request to one.
 *
 *     deno run -A scripts/bench/idle.ts [--workspaces 10,1000,100000] [--made 200] [--settle 60] [--seconds 60] [--json <file>]
 *
 * The workspaces that are only counted are empty, and written by SQL. Before the CPU is measured, a fact is written into
 * each of the `made` ones, which then have `settle` seconds until all loops have visited them.
 */
import postgres from "postgres";
import { parseArgs } from "node:util";
import { pause } from "../../src/pause.ts";
import { describeMachine, formatTable, note, parseCount, percentile, round, writeJson } from "./_bench.ts";
import { databaseCpu } from "./_cpu.ts";
import { readCpuMs, readRss } from "./_http.ts";
import { type BenchService, startBenchService } from "./_service.ts";

interface Idle {
  readonly workspaces: number;
  readonly servicePercent: number;
  readonly databasePercent: number;
  readonly transactionsPerSecond: number;
  readonly rssMiB: number;
  readonly madePerSecond: number;
  /** CPU of service and database for one workspace and its key, in milliseconds. */
  readonly madeCpuMs: number;
  readonly firstMs: { readonly p50: number; readonly p95: number };
}

const ADMIN_TOKEN = "bench-admin-token-of-40-visible-characters";
/** Workspaces that are made at the same time. */
const LANES = 4;

/** @throws Error when the service refuses */
async function post(service: BenchService, key: string, path: string, body: unknown): Promise<Record<string, string>> {
  const reply = await fetch(`${service.url}/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`Cannot measure: ${path} answers ${reply.status} ${text}`);
  return JSON.parse(text);
}

/** Makes workspaces with a key each. */
async function make(service: BenchService, sql: postgres.Sql, count: number) {
  const database = await databaseCpu(sql);
  const before = database() + readCpuMs(service.pid)!;
  const started = performance.now();
  const keys: string[] = [];
  await Promise.all(Array.from({ length: LANES }, async (_, lane) => {
    for (let n = lane; n < count; n += LANES) {
      const { id } = await post(service, ADMIN_TOKEN, "/admin/workspaces", { name: `made ${n}`, region: "us-east-1" });
      const scopes = ["memory:read", "memory:write"];
      const body = { workspaceId: id, name: "made", scopes };
      keys.push((await post(service, ADMIN_TOKEN, "/admin/api-keys", body))["key"]!);
    }
  }));
  const madePerSecond = round(count / (performance.now() - started) * 1_000, 1);
  return { keys, madePerSecond, madeCpuMs: round((database() + readCpuMs(service.pid)! - before) / count, 0) };
}

/** Sends one request with each key. @returns milliseconds of each */
async function ask(service: BenchService, keys: readonly string[], path: string, body: unknown): Promise<number[]> {
  const times: number[] = [];
  for (const key of keys) {
    const started = performance.now();
    await post(service, key, path, body);
    times.push(performance.now() - started);
  }
  return times;
}

async function countCommits(sql: postgres.Sql): Promise<number> {
  const [{ commits }] = await sql<[{ commits: number }]>`
    select xact_commit::float8 as commits from pg_stat_database where datname = current_database()`;
  return commits;
}

type Quiet = Pick<Idle, "servicePercent" | "databasePercent" | "transactionsPerSecond" | "rssMiB">;

async function measure(service: BenchService, sql: postgres.Sql, seconds: number): Promise<Quiet> {
  const database = await databaseCpu(sql);
  const before = { service: readCpuMs(service.pid)!, database: database(), commits: await countCommits(sql) };
  await pause(seconds * 1_000);
  const percent = (ms: number) => round(ms / seconds / 10, 2);
  return {
    servicePercent: percent(readCpuMs(service.pid)! - before.service),
    databasePercent: percent(database() - before.database),
    transactionsPerSecond: round((await countCommits(sql) - before.commits) / seconds, 1),
    rssMiB: round(readRss(service.pid), 0),
  };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      workspaces: { type: "string", default: "10,1000,100000" },
      made: { type: "string" },
      settle: { type: "string" },
      seconds: { type: "string" },
      json: { type: "string" },
    },
  });
  const counts = values.workspaces.split(",").map((text) => parseCount("workspaces", text, 1));
  const made = parseCount("made", values.made, 200);
  const settle = parseCount("settle", values.settle, 60);
  const seconds = parseCount("seconds", values.seconds, 60);
  const machine = describeMachine();
  await using service = await startBenchService({ database: "postgres", env: { SVC_ADMIN_TOKEN: ADMIN_TOKEN } });
  const sql = postgres(service.superuserUrl!, { max: 1, onnotice: () => {} });
  const results: Idle[] = [];
  for (const count of counts) {
    await sql`
      insert into workspace (workspace_id, name, region)
      select gen_random_uuid(), 'idle ' || n, w.region from generate_series(1, ${count}) n
       cross join (select region, (select count(*) from workspace) as present from workspace limit 1) w
       where n > w.present`;
    await sql`analyze workspace`;
    await sql`analyze loop_round`;
    note(`${count} workspaces`);
    const { keys, ...making } = await make(service, sql, made);
    const first = await ask(service, keys, "/memory/recall", { query: "What is there?" });
    await ask(service, keys, "/memory/facts", { statement: "The kettle is blue." });
    await pause(settle * 1_000);
    const firstMs = { p50: round(percentile(first, 0.5), 1), p95: round(percentile(first, 0.95), 1) };
    results.push({ workspaces: count, ...await measure(service, sql, seconds), ...making, firstMs });
  }
  await sql.end({ timeout: 5 });
  note(`${service.database}; load before: ${machine.loadBefore.join(" ")}`);
  console.log(formatTable(
    [
      "workspaces",
      "service CPU %",
      "database CPU %",
      "transactions/s",
      "RSS MiB",
      "made/s",
      "CPU ms",
      "first p50, p95 ms",
    ],
    results.map((one) => [
      String(one.workspaces),
      one.servicePercent.toFixed(1),
      one.databasePercent.toFixed(1),
      one.transactionsPerSecond.toFixed(0),
      one.rssMiB.toFixed(0),
      one.madePerSecond.toFixed(0),
      one.madeCpuMs.toFixed(0),
      `${one.firstMs.p50}, ${one.firstMs.p95}`,
    ]),
  ));
  await writeJson(values.json, { program: "bench_idle", machine, made, settle, seconds, results });
}

if (import.meta.main) await main();
