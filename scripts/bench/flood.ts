/**
 * Measures what a flood does to a good key (T14, T52, T56): hot recall of a key in use, the service's event loop and the
 * database's transactions, without a flood and under each kind, of bad keys and of hostile shapes; and the memory that
 * readers without a key hold. It ends with 1 when the event loop is late under any of them: p99 of 50 ms or more.
 *
 *     deno run -A scripts/bench/flood.ts [--rate 2000] [--seconds 10] [--units 2000] [--seed 1] [--only <part of a kind's
 *       name>] [--json <file>]
 *
 * Needs PostgreSQL's server programs. Service, database and flood share this machine; the flood has a process of its own,
 * which gives way to the others (`nice`), and says which addresses it comes from as the trusted proxy would.
 */
import { parseArgs } from "node:util";
import { describeMachine, note, parseCount, writeJson } from "./_bench.ts";
import { Corpus } from "./_corpus.ts";
import { floodedService, formatFloods, lateFloods, measureFloods } from "./_flood.ts";
import { encodeRequest } from "./_http.ts";
import { loadOverHttp } from "./_load.ts";
import { startBenchService } from "./_service.ts";
import { formatSlowReaders, measureSlowReaders } from "./_slow_readers.ts";

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      rate: { type: "string" },
      seconds: { type: "string" },
      units: { type: "string" },
      seed: { type: "string" },
      only: { type: "string" },
      json: { type: "string" },
    },
  });
  const perSecond = parseCount("rate", options.rate, 2_000);
  const seconds = parseCount("seconds", options.seconds, 10);
  const units = parseCount("units", options.units, 2_000);
  const machine = describeMachine();
  const { lagFile, ...flooded } = await floodedService();
  await using service = await startBenchService({ database: "postgres", ...flooded });
  const { url, access: { key } } = service;
  const corpus = new Corpus(parseCount("seed", options.seed, 1));
  const loaded = await loadOverHttp(service, service.access, corpus.sessions(units), units, 200);
  const requests = corpus.queries(loaded.sample).question.map((query) =>
    encodeRequest(url, "POST", "/v1/memory/recall/hot", { key, body: { query, limit: 10 } })
  );
  const results = await measureFloods(service, lagFile, {
    requests,
    perSecond,
    seconds,
    only: options.only,
  });
  const slowReaders = await measureSlowReaders(service);
  await Deno.remove(lagFile);
  note(`${units} units; database: ${service.database}; load before: ${machine.loadBefore.join(" ")}`);
  console.log(`${formatFloods(results)}\n\n${formatSlowReaders(slowReaders)}`);
  await writeJson(options.json, {
    program: "bench_flood",
    machine,
    database: service.database,
    units,
    results,
    slowReaders,
  });
  const late = lateFloods(results);
  for (const line of late) console.error(line);
  if (late.length > 0) Deno.exitCode = 1;
}

if (import.meta.main) await main();
