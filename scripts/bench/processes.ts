/**
 * Compares hot recall in one process, in one behind the shipped proxy, and in several behind it, in turns, with the same
 * workspaces, database and client.
 *
 *     deno run -A scripts/bench/processes.ts [--processes 2] [--workspaces 4] [--units 2000] [--count 3000] [--rounds 2]
 *       [--seed 1] [--json <file>]
 *
 * Needs PostgreSQL's server programs and HAProxy. Client, proxy, services and database share this machine: on two cores
 * they compete for what the second process would use, so compare the CPU of a request rather than the requests a second.
 */
import { parseArgs } from "node:util";
import { V8_FLAGS } from "../../src/cli/v8_flags.ts";
import { createCertificates, startProxy } from "../../tests/_proxy.ts";
import { describeMachine, formatTable, note, parseCount, writeJson } from "./_bench.ts";
import { Corpus } from "./_corpus.ts";
import { CONCURRENCY, HOT, mix, requestsOf } from "./_hot.ts";
import { LOAD_COLUMNS, loadCells, type RawLoad, readCpuMs, sendAll, summariseLoads } from "./_http.ts";
import { loadOverHttp } from "./_load.ts";
import { Child, findFreePort, startBenchService, waitUntilReady } from "./_service.ts";

/** One form of serving, with the results of its turns. */
interface Form {
  readonly name: string;
  readonly processes: number;
  readonly isBehind: boolean;
  readonly loads: RawLoad[];
  /** CPU time of the proxy, if there is one. */
  proxyMs: number;
}

const NUMBERS = { processes: 2, workspaces: 4, units: 2_000, count: 3_000, rounds: 2, seed: 1 };

async function main(): Promise<void> {
  const names = [...Object.keys(NUMBERS), "json"];
  const { values } = parseArgs({
    options: Object.fromEntries(names.map((name) => [name, { type: "string" as const }])),
  });
  const told = (name: keyof typeof NUMBERS) => parseCount(name, values[name] as string | undefined, NUMBERS[name]);
  const [processes, units, count, rounds] = [told("processes"), told("units"), told("count"), told("rounds")];
  const machine = describeMachine();
  await using base = await startBenchService({ database: "postgres" });
  const corpus = new Corpus(told("seed"));
  const accesses = [base.access];
  while (accesses.length < told("workspaces")) accesses.push(await base.addWorkspace(`workspace ${accesses.length}`));
  const queries: string[][] = [];
  for (const access of accesses) {
    queries.push(mix(corpus.queries((await loadOverHttp(base, access, corpus.sessions(units), units, 30)).sample)));
  }
  const requestsAt = (url: string) =>
    queries[0]!.flatMap((_, n) =>
      accesses.flatMap((access, of) => requestsOf({ url }, access, HOT, [queries[of]![n]!]))
    );
  const form = (name: string, processes: number, isBehind: boolean): Form => {
    return { name, processes, isBehind, loads: [], proxyMs: 0 };
  };
  const forms = [
    form("one process", 1, false),
    form("one behind the proxy", 1, true),
    form(`${processes} behind the proxy`, processes, true),
  ];
  for (let round = 0; round < rounds; round++) {
    for (const form of forms) await measure(form, base.env, count, requestsAt);
  }
  const results = forms.map((form) => ({ ...form, load: summariseLoads(form.loads, CONCURRENCY) }));
  note(`${accesses.length} × ${units} units; ${base.database}; load before: ${machine.loadBefore.join(" ")}`);
  console.log(formatTable(
    [`hot recall ×${CONCURRENCY}`, ...LOAD_COLUMNS, "of it the proxy"],
    results.map(({ name, load, proxyMs }) => [name, ...loadCells(load), (proxyMs / rounds / count).toFixed(3)]),
  ));
  await writeJson(values["json"] as string | undefined, {
    ...{ program: "bench_processes", machine, database: base.database, units, processes },
    results: results.map(({ name, load }) => ({ name, ...load })),
  });
}

async function measure(
  form: Form,
  env: Readonly<Record<string, string>>,
  count: number,
  requestsAt: (url: string) => Uint8Array[],
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const services: { readonly url: string; readonly pid: number }[] = [];
  while (services.length < form.processes) {
    const port = findFreePort();
    const child = stack.use(
      new Child(["run", "-A", "--quiet", `--v8-flags=${V8_FLAGS}`, "src/cli/main.ts", "serve"], {
        ...env,
        ...{ SVC_PORT: String(port), SVC_LOG_LEVEL: "warn", SVC_TRUSTED_PROXY_IP: "127.0.0.1" },
        // On a busy machine the first loads of workspaces take long.
        SVC_DB_DEADLINE_MS: "60000",
      }),
    );
    const url = `http://127.0.0.1:${port}`;
    await waitUntilReady(`${url}/health/ready`, child);
    services.push({ url, pid: child.pid });
  }
  const pids = services.map(({ pid }) => pid);
  let [url, authority]: [string, string | undefined] = [services[0]!.url, undefined];
  if (form.isBehind) {
    const certificates = stack.use(await createCertificates());
    const proxy = stack.use(await startProxy({ certificates, services, askForCertificates: false }));
    authority = await Deno.readTextFile(certificates.authority);
    url = `https://127.0.0.1:${proxy.port}`;
    pids.push(proxy.pid);
  }
  const requests = requestsAt(url);
  const load = {
    label: form.name,
    url,
    requests,
    concurrency: CONCURRENCY,
    warmUp: 0,
    ...(authority && { authority }),
  };
  // Loads every workspace and warms up the code.
  await sendAll({ ...load, count: Math.max(count / 2, requests.length) });
  const before = pids.map((pid) => readCpuMs(pid) ?? 0);
  const raw = await sendAll({ ...load, count });
  const used = pids.map((pid, i) => (readCpuMs(pid) ?? 0) - before[i]!);
  form.loads.push({ ...raw, serverCpuMs: used.reduce((sum, ms) => sum + ms, 0) });
  if (form.isBehind) form.proxyMs += used.at(-1)!;
}

if (import.meta.main) await main();
