/**
 * Measures the exchange of two instances as they are deployed: two processes with the deployment's flags and with databases
 * of their own, each behind the shipped proxy configuration with client certificates.
 *
 *     deno run -A scripts/bench/federation_pair.ts [--writes 100] [--facts 100000] [--register 1000000] [--old-space 512]
 *       [--json <file>]
 *
 * - latency: from the reply to a write on A until recall on B finds it, `writes` times, one after the other.
 * - pull: `facts` that A has before B asks. Seconds until B has all of them, what of the processor's time each process took for
 *   a fact, and by how much the most memory that each process had grew after the first fifth of the facts: the first pages
 *   bring V8's young generation to the size that the deployment's flags allow, the others must not need more. Each process may
 *   have an old space of `old-space` MiB: without a bound, V8 leaves garbage for as long as the machine has memory, and the
 *   growth tells of nothing that is kept.
 * - level: a job when there is nothing to exchange.
 * - reconcile: both registers are filled up to `register` equal entries, 100 of B's are taken away; the job that compares and
 *   repairs, and a second one.
 *
 * It needs installed server programs of Postgres (a throwaway cluster that is not durable) and HAProxy.
 */
import { parseArgs } from "node:util";
import postgres from "postgres";
import { V8_FLAGS } from "../../src/cli/v8_flags.ts";
import { type Instance, type Instances, startInstances } from "../../tests/federation/_processes.ts";
import { describeMachine, formatTable, note, parseCount, percentile, round, writeJson } from "./_bench.ts";

const LATENCY_MS_MAX = 1_500;
const PULL_SECONDS_PER_100_000_MAX = 170;
/** The share of the facts after which memory must not grow, and its permitted variation, in MiB. */
const PULL_WARM_SHARE = 0.2;
const PULL_GROWTH_MIB_MAX = 50;
const RECONCILE_MS_MAX = 8_000;
const DIFFERENCES = 100;
const BATCH = 500;
const DEADLINE_MS = 1_800_000;

// deno-lint-ignore no-explicit-any
type Json = any;

async function call(at: Instance, method: string, path: string, body?: unknown): Promise<Json> {
  const reply = await at.call(method, path, body);
  if (reply.status >= 300) throw new Error(`Cannot ${method} ${path} at ${at.id}: ${JSON.stringify(reply.body)}`);
  return reply.body;
}

async function until(what: string, look: () => Promise<boolean>, everyMs: number): Promise<void> {
  const expiresAt = performance.now() + DEADLINE_MS;
  while (!await look()) {
    if (performance.now() > expiresAt) throw new Error(`Cannot go on: ${what} did not happen`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

async function measureLatency({ a, b }: Instances, writes: number): Promise<number[]> {
  const latencies: number[] = [];
  for (let i = 0; i < writes; i++) {
    const statement = `The lamp ${i} hangs in room ${i}.`;
    const { id } = await call(a, "POST", "/v1/memory/facts", { statement, attribution: "user_stated" });
    const began = performance.now();
    await until(`recall of ${statement}`, async () => {
      const { results } = await call(b, "POST", "/v1/memory/recall", { query: statement });
      return results.some((result: Json) => result.id === id);
    }, 20);
    latencies.push(performance.now() - began);
  }
  return latencies;
}

/** Counts the facts of the instance's workspace in the database, because its own statistics would cost it time. */
async function countFacts(at: Instance, sql: postgres.Sql): Promise<number> {
  const [{ n }] = await sql<[{ n: number }]>`
    select count(*)::int as n from unit where workspace_id = ${at.workspaceId} and type = 'fact'`;
  return n;
}

/** Reads the most resident memory that the instance's process ever had, in MiB. */
async function peakOf({ process: { pid } }: Instance): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) / 1_024;
}

interface Memory {
  readonly a: number;
  readonly b: number;
}

async function peaksOf({ a, b }: Instances): Promise<Memory> {
  return { a: await peakOf(a), b: await peakOf(b) };
}

function grown(from: Memory, to: Memory): Memory {
  return { a: round(to.a - from.a, 0), b: round(to.b - from.b, 0) };
}

/** Reads the CPU time that the instance's process has used, in milliseconds. */
async function processorMs({ process: { pid } }: Instance): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  const [user, system] = stat.slice(stat.lastIndexOf(")") + 2).split(" ").slice(11, 13).map(Number) as [number, number];
  // Linux counts in hundredths of a second.
  return (user + system) * 10;
}

/** B reads nothing meanwhile, because its connection to A is suspended. */
async function measurePull(instances: Instances, facts: number) {
  const { a, b } = instances;
  a.way.freeze();
  const before = await withSuperuser(a, (sql) => countFacts(a, sql));
  for (let stored = 0; stored < facts; stored += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, facts - stored) }, (_, i) => ({
      statement: `Ship ${stored + i} is backed up every night, and the copy is kept in house ${stored + i}.`,
    }));
    await call(a, "POST", "/v1/memory/facts/batch", { facts: batch });
    if ((stored / BATCH) % 20 === 19) note(`A stored ${stored + batch.length} facts`);
  }
  const cold = await peaksOf(instances);
  let warm: Memory | undefined;
  const usedBefore = { a: await processorMs(a), b: await processorMs(b) };
  a.way.heal();
  const began = performance.now();
  await withSuperuser(b, (sql) =>
    until("the pull", async () => {
      const pulled = await countFacts(b, sql) - before;
      if (pulled >= facts * PULL_WARM_SHARE) warm ??= await peaksOf(instances);
      return pulled >= facts;
    }, 500));
  const seconds = (performance.now() - began) / 1_000;
  const done = await peaksOf(instances);
  const usedMs = { a: await processorMs(a) - usedBefore.a, b: await processorMs(b) - usedBefore.b };
  note(`B has ${facts} facts after ${seconds.toFixed(1)} s`);
  const perFactMs = { a: round(usedMs.a / facts, 2), b: round(usedMs.b / facts, 2) };
  return { seconds, perFactMs, warmUpMiB: grown(cold, warm!), growthMiB: grown(warm!, done) };
}

/** Runs a job of B with A and returns its report. */
async function runJob(at: Instance, peer: Instance, reconcile: boolean): Promise<Json> {
  const { jobId } = await call(at, "POST", "/v1/memory/federation/sync", { peer: peer.id, mode: "pull", reconcile });
  let job: Json;
  await until("the end of the job", async () => {
    job = await call(at, "GET", `/v1/memory/federation/sync/${jobId}`);
    return job.status !== "processing";
  }, 50);
  if (job.status !== "completed") throw new Error(`Cannot finish the job: ${JSON.stringify(job)}`);
  return job;
}

async function withSuperuser<T>(at: Instance, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(at.superuserUrl, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Fills the register of an instance with entries of A; the same entries on both sides, so that their digests are equal. */
async function fillRegister(at: Instance, writer: Instance, entries: number): Promise<void> {
  const isWriter = at === writer;
  await withSuperuser(at, async (sql) => {
    // These places come before the first: nobody reads them, both sides only compare them.
    await sql`
      insert into federation_version (
        workspace_id, origin_instance, origin_id, writer, type, version, updated_at, hash, sensitivity, least_sensitivity,
        seq, key, leaf, withdrawn_leaf, verdict)
      select ${at.workspaceId}, ${writer.id}, id, ${writer.id}, 'fact', 1, now(), sha256(id::text::bytea), 'internal',
             'internal', ${isWriter ? sql`-n` : sql`null`}, substr(sha256(id::text::bytea), 1, 8),
             sha256(id::text::bytea), ${isWriter ? sql`sha256(id::text::bytea)` : sql`null`},
             ${isWriter ? "own" : "covered"}
        from (select n, overlay(overlay(md5(n::text) placing '7' from 13) placing '8' from 17)::uuid as id from generate_series(1, ${entries}::int) as n) as made`;
    // The database does this by itself some time after so many inserts.
    await sql`vacuum analyze federation_version`;
  });
}

/** Removes entries of real items from the register of an instance. */
async function loseEntries(at: Instance, writer: Instance): Promise<void> {
  await withSuperuser(at, async (sql) => {
    await sql`
      delete from federation_version
       where workspace_id = ${at.workspaceId} and writer = ${writer.id} and (origin_instance, origin_id) in (
             select origin_instance, origin_id from federation_version
              where workspace_id = ${at.workspaceId} and writer = ${writer.id} and unit_id is not null
              order by origin_id limit ${DIFFERENCES})`;
  });
}

async function measureReconciliation({ a, b }: Instances, register: number) {
  const [{ known }] = await withSuperuser(a, (sql) =>
    sql<[{ known: number }]>`
      select count(*)::int as known from federation_version where workspace_id = ${a.workspaceId} and writer = ${a.id}`);
  const missing = Math.max(0, register - known);
  for (const at of [b, a]) await fillRegister(at, a, missing);
  note(`both registers have ${register} entries`);
  await loseEntries(b, a);
  const first = await runJob(b, a, true);
  const second = await runJob(b, a, true);
  return { first, second };
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      writes: { type: "string" },
      facts: { type: "string" },
      register: { type: "string" },
      "old-space": { type: "string" },
      json: { type: "string" },
    },
  });
  const writes = parseCount("writes", options.writes, 100);
  const facts = parseCount("facts", options.facts, 100_000);
  const register = parseCount("register", options.register, 1_000_000);
  const oldSpace = parseCount("old-space", options["old-space"], 512);
  const machine = describeMachine();
  await using instances = await startInstances([`--v8-flags=${V8_FLAGS},--max-old-space-size=${oldSpace}`]);
  const latencies = await measureLatency(instances, writes);
  const p95 = percentile(latencies, 0.95);
  note(`${writes} writes: p50 ${percentile(latencies, 0.5).toFixed(0)} ms, p95 ${p95.toFixed(0)} ms`);
  const pull = await measurePull(instances, facts);
  const level = await runJob(instances.b, instances.a, false);
  const { first, second } = await measureReconciliation(instances, register);
  const results = {
    latencyP50Ms: round(percentile(latencies, 0.5), 0),
    latencyP95Ms: round(p95, 0),
    pullSeconds: round(pull.seconds, 1),
    factsPerSecond: round(facts / pull.seconds, 0),
    perFactMs: pull.perFactMs,
    warmUpMiB: pull.warmUpMiB,
    growthMiB: pull.growthMiB,
    levelMs: level.durationMs,
    reconcile: { ms: first.durationMs, ...first.reconciled },
    again: { ms: second.durationMs, ...second.reconciled },
  };
  note(`load before: ${machine.loadBefore.join(" ")}`);
  console.log(formatTable(["", "value"], [
    ["write on A to recall on B, p50 ms", results.latencyP50Ms],
    ["the same, p95 ms", results.latencyP95Ms],
    [`pull of ${facts} facts, s`, results.pullSeconds],
    ["facts a second", results.factsPerSecond],
    ["processor of A for a fact, ms", results.perFactMs.a],
    ["processor of B for a fact, ms", results.perFactMs.b],
    ["growth of A with the first fifth of them, MiB", results.warmUpMiB.a],
    ["growth of B with the first fifth of them, MiB", results.warmUpMiB.b],
    ["growth of A with the others, MiB", results.growthMiB.a],
    ["growth of B with the others, MiB", results.growthMiB.b],
    ["nothing to exchange, ms", results.levelMs],
    [`reconcile ${register} entries, ${first.reconciled.differences} differences, ms`, results.reconcile.ms],
    ["again, ms", results.again.ms],
  ]));
  await writeJson(options.json, { program: "bench_federation_pair", machine, results });
  const faults: string[] = [];
  if (p95 > LATENCY_MS_MAX) faults.push(`p95 from write to recall ${results.latencyP95Ms} ms`);
  if (pull.seconds > PULL_SECONDS_PER_100_000_MAX * facts / 100_000) {
    faults.push(`the pull took ${results.pullSeconds} s`);
  }
  const { a, b } = pull.growthMiB;
  if (Math.max(a, b) > PULL_GROWTH_MIB_MAX) faults.push(`memory grew by ${a} and ${b} MiB`);
  if (!first.reconciled.equal) faults.push("both sides differ after the repair");
  if (first.durationMs > RECONCILE_MS_MAX) faults.push(`reconciling took ${first.durationMs} ms`);
  if (faults.length > 0) throw new Error(`Cannot accept the run: ${faults.join("; ")}`);
}

if (import.meta.main) await main();
