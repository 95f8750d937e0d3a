/**
 * Compares one service process with `svc serve --workers N` on hot recall, in turns, with the same workspaces, database and
 * client.
 *
 *     deno run -A scripts/bench/workers.ts [--workers 2] [--workspaces 4] [--units 2000] [--count 3000] [--rounds 2]
 *       [--seed 1] [--json <file>]
 *
 * Needs PostgreSQL's server programs. Client, service and database share this machine: on two cores they compete for what
 * the second process would use, so compare the CPU of a request rather than the requests a second.
 */
import { parseArgs } from "node:util";
import { V8_FLAGS } from "../../src/cli/v8_flags.ts";
import { describeMachine, formatTable, note, parseCount, round, writeJson } from "./_bench.ts";
import { Corpus } from "./_corpus.ts";
import { CONCURRENCY, HOT, mix, requestsOf } from "./_hot.ts";
import { LOAD_COLUMNS, loadCells, type RawLoad, readCpuMs, sendAll, summariseLoads } from "./_http.ts";
import { loadOverHttp } from "./_load.ts";
import { Child, findFreePort, startBenchService, waitUntilReady } from "./_service.ts";

/** One form of serving, with the results of its turns. */
interface Form {
  readonly name: string;
  readonly workers: number;
  readonly loads: RawLoad[];
  /** CPU time of the front, if there is one. */
  frontMs: number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      workers: { type: "string" },
      workspaces: { type: "string" },
      units: { type: "string" },
      count: { type: "string" },
      rounds: { type: "string" },
      seed: { type: "string" },
      json: { type: "string" },
    },
  });
  const units = parseCount("units", values.units, 2_000);
  const count = parseCount("count", values.count, 3_000);
  const rounds = parseCount("rounds", values.rounds, 2);
  const workers = parseCount("workers", values.workers, 2);
  const machine = describeMachine();
  await using base = await startBenchService({ database: "postgres" });
  const corpus = new Corpus(parseCount("seed", values.seed, 1));
  const accesses = [base.access];
  while (accesses.length < parseCount("workspaces", values.workspaces, 4)) {
    accesses.push(await base.addWorkspace(`workspace ${accesses.length}`));
  }
  const perWorkspace: string[][] = [];
  for (const access of accesses) {
    const { sample } = await loadOverHttp(base, access, corpus.sessions(units), units, 30);
    perWorkspace.push(mix(corpus.queries(sample)));
  }
  const forms: Form[] = [
    { name: "one process", workers: 1, loads: [], frontMs: 0 },
    { name: `${workers} workers`, workers, loads: [], frontMs: 0 },
  ];
  for (let i = 0; i < rounds; i++) {
    for (const form of forms) {
      await measure(
        form,
        base.env,
        count,
        (url) =>
          perWorkspace[0]!.flatMap((_, n) =>
            accesses.flatMap((access, of) => requestsOf({ url }, access, HOT, [perWorkspace[of]![n]!]))
          ),
      );
    }
  }
  const results = forms.map((form) => ({ ...form, load: summariseLoads(form.loads, CONCURRENCY) }));
  const [one, several] = results as [typeof results[0], typeof results[0]];
  note(`${accesses.length} × ${units} units; ${base.database}; load before: ${machine.loadBefore.join(" ")}`);
  console.log(formatTable(
    [`hot recall ×${CONCURRENCY}`, ...LOAD_COLUMNS, "of it the front"],
    results.map(({ name, load, frontMs }) => [name, ...loadCells(load), (frontMs / rounds / count).toFixed(3)]),
  ));
  const ratio = round(several.load.requestsPerSecond / one.load.requestsPerSecond, 2);
  console.log(`\n${workers} workers to one process: ${ratio} times the requests a second, on ${machine.cores} cores`);
  await writeJson(values.json, {
    ...{ program: "bench_workers", machine, database: base.database, units, workers, ratio },
    results: results.map(({ name, load }) => ({ name, ...load })),
  });
}

async function measure(
  form: Form,
  env: Readonly<Record<string, string>>,
  count: number,
  requestsAt: (url: string) => Uint8Array[],
): Promise<void> {
  const port = findFreePort();
  const flags = ["run", "-A", "--quiet", `--v8-flags=${V8_FLAGS}`];
  await using child = new Child(
    [...flags, "src/cli/main.ts", "serve", "--workers", String(form.workers)],
    // On a busy machine the first loads of workspaces take long.
    { ...env, SVC_PORT: String(port), SVC_LOG_LEVEL: "warn", SVC_DB_DEADLINE_MS: "60000" },
  );
  const url = `http://127.0.0.1:${port}`;
  await waitUntilReady(`${url}/health/ready`, child);
  const pids = [child.pid, ...await childrenOf(child.pid)];
  const requests = requestsAt(url);
  const load = { label: form.name, url, requests, concurrency: CONCURRENCY, warmUp: 0 };
  // Loads every workspace and warms up the code.
  await sendAll({ ...load, count: Math.max(count / 2, requests.length) });
  const before = pids.map((pid) => readCpuMs(pid) ?? 0);
  const raw = await sendAll({ ...load, count });
  const used = pids.map((pid, i) => (readCpuMs(pid) ?? 0) - before[i]!);
  form.loads.push({ ...raw, serverCpuMs: used.reduce((sum, ms) => sum + ms, 0) });
  if (pids.length > 1) form.frontMs += used[0]!;
}

/** The child processes of a process. */
async function childrenOf(pid: number): Promise<number[]> {
  const found: number[] = [];
  for await (const { name } of Deno.readDir(`/proc/${pid}/task`)) {
    const text = await Deno.readTextFile(`/proc/${pid}/task/${name}/children`).catch(() => "");
    found.push(...text.split(" ").filter(Boolean).map(Number));
  }
  return found;
}

if (import.meta.main) await main();
