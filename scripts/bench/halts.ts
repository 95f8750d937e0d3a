/**
 * Measures for how long operations at their limits hold up the event loop of the service, by the kind of text: while
 * the loop stands still, nobody gets an answer, not even `/healthz`.
 *
 *     deno run -A scripts/bench/halts.ts [--only "^(250|their)"] [--texts prose,Hangul] [--json <file>]
 *
 * A cell has the longest halt in milliseconds, in brackets the most CPU time that the service's thread used in one (on a
 * busy machine, the rest was waiting for a processor), the longest that `/healthz` took to answer another thread, and the
 * most memory that the process had, in MiB (Linux only).
 * `x`: the operation was refused or took longer than two minutes.
 * It needs installed server programs of Postgres, and ends by itself.
 */
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { describeMachine, formatTable, note, round, writeJson } from "./_bench.ts";
import { type Case, CASES, type Stage, TEXTS, textsOf } from "./_halts.ts";
import type { Probe } from "./_probe.ts";
import { type Access, type BenchService, startBenchService } from "./_service.ts";

const DEADLINE_MS = 120_000;
/** The lag's lines are written in blocks; after so long without work the last block is there. */
const FLUSH_MS = 400;

interface Halt {
  readonly ms: number;
  readonly cpuMs: number;
  readonly answerMs: number;
  readonly peakMib: number;
  readonly seconds: number;
}

async function send(url: string, { key }: Access, method: string, body?: string, type = "application/json") {
  const reply = await fetch(url, {
    method,
    headers: {
      ...{ authorization: `Bearer ${key}`, "content-type": type },
      accept: "application/json, application/x-ndjson, text/event-stream",
    },
    signal: AbortSignal.timeout(DEADLINE_MS),
    ...(body !== undefined && { body }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`Cannot ${method} ${url}: ${reply.status} ${text.slice(0, 300)}`);
  return text;
}

function stageOf({ url }: BenchService, access: Access, other: Access, kind: string): Stage {
  return {
    call: async (method, path, body) =>
      JSON.parse(await send(url + path, access, method, body === undefined ? undefined : JSON.stringify(body)) || "{}"),
    raw: (method, path, body, type, elsewhere = false) =>
      send(url + path, elsewhere ? other : access, method, body, type),
    rpc: (name, args) =>
      send(
        `${url}/mcp`,
        access,
        "POST",
        JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
      ),
    text: textsOf(kind),
    left: {},
  };
}

const SCOPES = "memory:read,memory:write,memory:delete,memory:admin,memory:export,memory:import,session:write";

async function openWorkspace(service: BenchService, name: string): Promise<Access> {
  const { workspaceId } = await service.cli(["workspace", "create", "--name", name]);
  const { key } = await service.cli(["key", "create", "--workspace", workspaceId!, "--name", name, "--scopes", SCOPES]);
  return { workspaceId: workspaceId!, key: key! };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** What makes Linux forget the most memory that a process had. */
const FORGET_PEAK = "5";

/** The most memory that a process had since then, in MiB; 0 where nobody says. */
function readPeakMib(pid: number): number {
  if (Deno.build.os !== "linux") return 0;
  const kib = /VmHWM:\s+(\d+) kB/.exec(Deno.readTextFileSync(`/proc/${pid}/status`))?.[1];
  return Math.round(Number(kib) / 1_024);
}

/** The longest halt while a case ran. */
async function measure(
  pid: number,
  lagFile: string,
  probes: readonly Probe[],
  { before, run }: Case,
  stage: Stage,
): Promise<Halt> {
  await before?.(stage);
  await wait(FLUSH_MS);
  if (Deno.build.os === "linux") await Deno.writeTextFile(`/proc/${pid}/clear_refs`, FORGET_PEAK);
  const from = Date.now();
  try {
    await run(stage);
  } finally {
    await wait(FLUSH_MS);
  }
  const seconds = round((Date.now() - FLUSH_MS - from) / 1_000, 1);
  let longest = { ms: 0, cpuMs: 0 };
  for (const line of (await Deno.readTextFile(lagFile)).trim().split("\n")) {
    const [at, ms, cpuMs] = line.split(" ").map(Number) as [number, number, number];
    if (at >= from) longest = { ms: Math.max(longest.ms, ms), cpuMs: Math.max(longest.cpuMs, cpuMs) };
  }
  const answerMs = Math.max(0, ...probes.filter(({ at, ms }) => at + ms >= from).map(({ ms }) => ms));
  return {
    ...{ ms: Math.round(longest.ms), cpuMs: Math.round(longest.cpuMs), answerMs: Math.round(answerMs) },
    ...{ peakMib: readPeakMib(pid), seconds },
  };
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: { only: { type: "string" }, texts: { type: "string" }, json: { type: "string" } },
  });
  const kinds = options.texts?.split(",") ?? Object.keys(TEXTS);
  const cases = CASES.filter(({ name }) => new RegExp(options.only ?? "").test(name));
  const machine = describeMachine();
  const lagFile = await Deno.makeTempFile({ prefix: "svc-bench-lag-" });
  await using service = await startBenchService({
    database: "postgres",
    // On a busy machine, no operation ends early.
    env: { BENCH_LAG_FILE: lagFile, SVC_DB_DEADLINE_MS: "60000" },
    program: "scripts/bench/_lag.ts",
  });
  const probes: Probe[] = [];
  const prober = new Worker(new URL("./_probe.ts", import.meta.url), { workerData: service.url });
  prober.on("message", (probe) => probes.push(probe));
  const results: Record<string, Record<string, Halt | null>> = {};
  for (const kind of kinds) {
    const [access, other] = [await openWorkspace(service, kind), await openWorkspace(service, `${kind} elsewhere`)];
    const stage = stageOf(service, access, other, kind);
    for (const one of cases) {
      try {
        (results[one.name] ??= {})[kind] = await measure(service.pid, lagFile, probes, one, stage);
      } catch (error) {
        results[one.name]![kind] = null;
        note(`${one.name}, ${kind}: ${error}`);
      }
      note(`${one.name}, ${kind}: ${JSON.stringify(results[one.name]![kind])}`);
    }
  }
  const cell = (halt: Halt | null | undefined) =>
    halt == null ? "x" : `${halt.ms} (${halt.cpuMs}), ${halt.answerMs}; ${halt.peakMib}`;
  const rows = Object.entries(results).map(([name, found]) => [name, ...kinds.map((kind) => cell(found[kind]))]);
  note(`database: ${service.database}; load before: ${machine.loadBefore.join(" ")}`);
  console.log(formatTable(["longest halt, ms (CPU), answer, ms; MiB", ...kinds], rows));
  await writeJson(options.json, { program: "bench_halts", machine, database: service.database, results });
  await prober.terminate();
  await Deno.remove(lagFile);
}

if (import.meta.main) await main();
