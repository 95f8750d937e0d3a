/**
 * Measures what a request costs before its own work: probes, a small write and a hot recall beside a validated JSON echo.
 *
 *     deno run -A scripts/bench/http.ts [--count 5000] [--units 2000] [--concurrency 8] [--seed 1]
 *       [--database postgres|embedded|any] [--json <file>]
 *
 * Service, database and echo are processes of their own on this machine; requests travel over kept-alive loopback
 * connections, at concurrency 1 and at the one that is given, each connection with one request under way.
 */
import { parseArgs } from "node:util";
import { describeMachine, formatTable, note, parseCount, round, writeJson } from "./_bench.ts";
import { Corpus } from "./_corpus.ts";
import { encodeRequest, LOAD_COLUMNS, loadCells, type LoadResult, runLoad, startEcho } from "./_http.ts";
import { loadOverHttp } from "./_load.ts";
import { type BenchService, parseDatabase, startBenchService } from "./_service.ts";

interface Case {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  readonly requests: readonly Uint8Array[];
  /** It writes to disk, so fewer requests are measured. */
  readonly slow?: boolean;
}

async function listCases(service: BenchService, echo: { url: string; pid: number }, corpus: Corpus, units: number) {
  const { url, pid, access: { key } } = service;
  const loaded = await loadOverHttp(service, service.access, corpus.sessions(units), units, 200);
  const queries = corpus.queries(loaded.sample).question;
  const hot = queries.map((query) => ({ query, limit: 10 }));
  const turn = (content: string) => ({ role: "user", name: "Ana", content });
  const path = `/v1/session/${loaded.lastSessionId}/turns`;
  const cases: Case[] = [
    {
      name: "reference: validated JSON echo",
      url: echo.url,
      pid: echo.pid,
      requests: hot.map((body) => encodeRequest(echo.url, "POST", "/echo", { body })),
    },
    { name: "GET /healthz", url, pid, requests: [encodeRequest(url, "GET", "/healthz")] },
    { name: "GET /v1/health", url, pid, requests: [encodeRequest(url, "GET", "/v1/health", { key })] },
    {
      name: "POST /v1/memory/recall/hot",
      url,
      pid,
      requests: hot.map((body) => encodeRequest(url, "POST", "/v1/memory/recall/hot", { key, body })),
    },
    {
      name: "POST /v1/session/:id/turns, one",
      url,
      pid,
      slow: true,
      requests: loaded.sample.map(({ content }) => encodeRequest(url, "POST", path, { key, body: turn(content) })),
    },
  ];
  return cases;
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      count: { type: "string" },
      units: { type: "string" },
      concurrency: { type: "string" },
      seed: { type: "string" },
      database: { type: "string", default: "any" },
      json: { type: "string" },
    },
  });
  const count = parseCount("count", options.count, 5_000);
  const units = parseCount("units", options.units, 2_000);
  const concurrency = parseCount("concurrency", options.concurrency, 8);
  const machine = describeMachine();
  await using service = await startBenchService({ database: parseDatabase(options.database) });
  await using echo = await startEcho();
  const corpus = new Corpus(parseCount("seed", options.seed, 1));
  const results: Record<string, LoadResult[]> = {};
  for (const { name, slow, ...target } of await listCases(service, echo, corpus, units)) {
    const n = slow ? Math.ceil(count / 10) : count;
    results[name] = [];
    for (const c of new Set([1, concurrency])) {
      const load = { ...target, label: `${name} ×${c}`, concurrency: c, count: n, warmUp: Math.ceil(n / 5) };
      results[name].push(await runLoad(load));
    }
  }
  const reference = Object.values(results)[0]!;
  const rows = Object.entries(results).flatMap(([name, loads]) =>
    loads.map((load, i) => [
      `${name} ×${load.concurrency}`,
      ...loadCells(load),
      `${(load.requestsPerSecond / reference[i]!.requestsPerSecond * 100).toFixed(0)} %`,
    ])
  );
  note(`${units} units; database: ${service.database}; load before: ${machine.loadBefore.join(" ")}`);
  console.log(formatTable(["request × concurrency", ...LOAD_COLUMNS, "of echo"], rows));
  const shareOfEcho = Object.fromEntries(
    Object.entries(results).map(([name, loads]) => [
      name,
      loads.map((load, i) => round(load.requestsPerSecond / reference[i]!.requestsPerSecond, 4)),
    ]),
  );
  await writeJson(options.json, {
    program: "bench_http",
    machine,
    database: service.database,
    units,
    results,
    shareOfEcho,
  });
}

if (import.meta.main) await main();
