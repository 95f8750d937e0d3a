/**
 * Measures what is promised of the hot tier: its latency over HTTP with everything in place that a request passes (key,
 * rate limit, audit log, idempotency), and the same of a good key while bad ones pour in (docs/reference/guarantees.md T14).
 *
 *     deno run -A scripts/bench/hot.ts [--units 100000] [--queries 30] [--count 3000] [--rate 2000] [--seconds 10]
 *       [--seed 1] [--json <file>]
 *
 * One service of its own on durable Postgres, one workspace, loaded in bulk (see `scripts/bench/recall.ts`). The key has a rate
 * limit that is never reached; each request takes from it, and each is told to the audit log. The flood has a process of
 * its own, which gives way to the service (`nice`). Client, service, database and flood share this machine.
 */
import { parseArgs } from "node:util";
import { describeMachine, note, parseCount, writeJson } from "./_bench.ts";
import { Corpus } from "./_corpus.ts";
import { loadDirectly } from "./_direct.ts";
import { floodedService, formatFloods, measureFloods } from "./_flood.ts";
import { formatHot, HOT, measureHot, mix, requestsOf } from "./_hot.ts";
import { startBenchService } from "./_service.ts";

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      units: { type: "string" },
      queries: { type: "string" },
      count: { type: "string" },
      rate: { type: "string" },
      seconds: { type: "string" },
      seed: { type: "string" },
      json: { type: "string" },
    },
  });
  const units = parseCount("units", values.units, 100_000);
  const sample = parseCount("queries", values.queries, 30);
  const count = parseCount("count", values.count, 3_000);
  const perSecond = parseCount("rate", values.rate, 2_000);
  const seconds = parseCount("seconds", values.seconds, 10);
  const machine = describeMachine();
  const { lagFile, ...flooded } = await floodedService();
  await using service = await startBenchService({ database: "postgres", ...flooded });
  const corpus = new Corpus(parseCount("seed", values.seed, 1));
  const loaded = await loadDirectly(service, service.access, corpus.sessions(units), units, sample);
  const queries = corpus.queries(loaded.sample);
  note(`load before the measurement: ${describeMachine().loadBefore.join(" ")}`);
  const hot = await measureHot(service, service.access, queries, count);
  console.log(`${units} units, ${service.database}, ${machine.cores} cores\n\n${formatHot(hot)}\n`);
  const requests = requestsOf(service, service.access, HOT, mix(queries));
  const floods = await measureFloods(service, lagFile, { requests, perSecond, seconds });
  await Deno.remove(lagFile);
  console.log(formatFloods(floods));
  await writeJson(values.json, { program: "bench_hot", machine, database: service.database, units, hot, floods });
}

if (import.meta.main) await main();
