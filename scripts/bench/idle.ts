/**
 * Measures what a service costs that nobody uses: CPU and transactions of its background loops, by number of workspaces.
 *
 *     deno run -A scripts/bench/idle.ts [--workspaces 10,100,1000] [--settle 90] [--seconds 60] [--json <file>]
 *
 * The workspaces are empty. After each step the service is left alone for `settle` seconds: new workspaces are visited
 * often, quiet ones seldom.
 */
import postgres from "postgres";
import { parseArgs } from "node:util";
import { pause } from "../../src/pause.ts";
import { describeMachine, formatTable, note, parseCount, round, writeJson } from "./_bench.ts";
import { databaseCpu } from "./_cpu.ts";
import { readCpuMs } from "./_http.ts";
import { type BenchService, startBenchService } from "./_service.ts";

interface Idle {
  readonly workspaces: number;
  readonly servicePercent: number;
  readonly databasePercent: number;
  readonly transactionsPerSecond: number;
}

async function countCommits(sql: postgres.Sql): Promise<number> {
  const [{ commits }] = await sql<[{ commits: number }]>`
    select xact_commit::float8 as commits from pg_stat_database where datname = current_database()`;
  return commits;
}

async function measure(service: BenchService, sql: postgres.Sql, workspaces: number, seconds: number): Promise<Idle> {
  const database = await databaseCpu(sql);
  const before = { service: readCpuMs(service.pid)!, database: database(), commits: await countCommits(sql) };
  await pause(seconds * 1_000);
  const percent = (ms: number) => round(ms / seconds / 10, 2);
  return {
    workspaces,
    servicePercent: percent(readCpuMs(service.pid)! - before.service),
    databasePercent: percent(database() - before.database),
    transactionsPerSecond: round((await countCommits(sql) - before.commits) / seconds, 1),
  };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      workspaces: { type: "string", default: "10,100,1000" },
      settle: { type: "string" },
      seconds: { type: "string" },
      json: { type: "string" },
    },
  });
  const counts = values.workspaces.split(",").map((text) => parseCount("workspaces", text, 1));
  const settle = parseCount("settle", values.settle, 90);
  const seconds = parseCount("seconds", values.seconds, 60);
  const machine = describeMachine();
  await using service = await startBenchService({ database: "postgres" });
  const sql = postgres(service.superuserUrl!, { max: 1, onnotice: () => {} });
  const results: Idle[] = [];
  for (const count of counts) {
    await sql`
      insert into workspace (workspace_id, name, region)
      select gen_random_uuid(), 'idle ' || n, w.region from generate_series(1, ${count}) n
       cross join (select region, (select count(*) from workspace) as present from workspace limit 1) w
       where n > w.present`;
    note(`${count} workspaces`);
    await pause(settle * 1_000);
    results.push(await measure(service, sql, count, seconds));
  }
  await sql.end({ timeout: 5 });
  note(`${service.database}; load before: ${machine.loadBefore.join(" ")}`);
  console.log(formatTable(
    ["workspaces", "service CPU % of a core", "database CPU % of a core", "transactions/s"],
    results.map((one) => [
      String(one.workspaces),
      one.servicePercent.toFixed(1),
      one.databasePercent.toFixed(1),
      one.transactionsPerSecond.toFixed(0),
    ]),
  ));
  await writeJson(values.json, { program: "bench_idle", machine, settle, seconds, results });
}

if (import.meta.main) await main();
