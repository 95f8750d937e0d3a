/**
 * Measures what one workspace's backlog does to another's recall: a caller asks one question after another, alone and
 * while twelve requests of a neighbour are under way all the time, each kind of heavy request by itself.
 *
 *     deno run -A scripts/bench/fairness.ts [--units 2000] [--seconds 8] [--at-once 12] [--seed 1] [--json <file>]
 *
 * Needs PostgreSQL's server programs. Both workspaces hold as many units. The rate of the keys is out of the way: what is
 * measured is what holds when a rate allows it. Service, database and both callers share this machine.
 */
import { parseArgs } from "node:util";
import {
  describeMachine,
  formatTable,
  type Latency,
  latencyCells,
  note,
  parseCount,
  summarise,
  writeJson,
} from "./_bench.ts";
import { Corpus } from "./_corpus.ts";
import { encodeRequest, HttpConnection } from "./_http.ts";
import { loadOverHttp } from "./_load.ts";
import { startBenchService } from "./_service.ts";

const BATCH_QUERIES = 20;
/** The neighbour's pause after a refusal, in milliseconds, whatever the reply asks for. */
const REFUSED_PAUSE_MS = 50;

interface Measured extends Latency {
  readonly neighbour: string;
  /** The neighbour's completed and refused requests, per second. */
  readonly donePerSecond: number;
  readonly refusedPerSecond: number;
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      units: { type: "string" },
      seconds: { type: "string" },
      "at-once": { type: "string" },
      seed: { type: "string" },
      json: { type: "string" },
    },
  });
  const units = parseCount("units", options.units, 2_000);
  const seconds = parseCount("seconds", options.seconds, 8);
  const atOnce = parseCount("at-once", options["at-once"], 12);
  const machine = describeMachine();
  await using service = await startBenchService({ database: "postgres" });
  const { url } = service;
  const neighbour = await service.addWorkspace("neighbour");
  const corpus = new Corpus(parseCount("seed", options.seed, 1));
  const questions: string[][] = [];
  for (const access of [service.access, neighbour]) {
    const loaded = await loadOverHttp(service, access, corpus.sessions(units), units, 200);
    questions.push([...corpus.queries(loaded.sample).question]);
  }
  const post = (key: string, path: string, body: unknown) => encodeRequest(url, "POST", path, { key, body });
  const asked = questions[0]!.map((query) => post(service.access.key, "/v1/memory/recall", { query, limit: 10 }));
  const others = questions[1]!;
  const batches = Array.from({ length: 10 }, (_, i) =>
    post(neighbour.key, "/v1/memory/recall/batch", {
      queries: Array.from({ length: BATCH_QUERIES }, (_, j) => ({
        query: others[(i * BATCH_QUERIES + j) % others.length],
      })),
    }));
  const kinds: Readonly<Record<string, readonly Uint8Array[]>> = {
    none: [],
    recall: others.map((query) => post(neighbour.key, "/v1/memory/recall", { query, limit: 10 })),
    [`batch of ${BATCH_QUERIES} recalls`]: batches,
    export: [encodeRequest(url, "GET", "/v1/export", { key: neighbour.key })],
  };
  const results: Measured[] = [];
  for (const [name, requests] of Object.entries(kinds)) {
    results.push(await measure(url, asked, { name, requests, atOnce: requests.length === 0 ? 0 : atOnce }, seconds));
  }
  note(`${units} units each; database: ${service.database}; load before: ${machine.loadBefore.join(" ")}`);
  const header = [`neighbour, ${atOnce} at once`, "n", "p50 ms", "p95 ms", "p99 ms", "done/s", "refused/s"];
  console.log(formatTable(
    header,
    results.map((one) => [
      one.neighbour,
      one.n,
      ...latencyCells(one),
      one.donePerSecond.toFixed(1),
      one.refusedPerSecond.toFixed(1),
    ]),
  ));
  await writeJson(options.json, { program: "bench_fairness", machine, database: service.database, units, results });
}

/** One caller in a closed loop, in parallel to the neighbour's connections, for a given time. */
async function measure(
  url: string,
  asked: readonly Uint8Array[],
  neighbour: { readonly name: string; readonly requests: readonly Uint8Array[]; readonly atOnce: number },
  seconds: number,
): Promise<Measured> {
  let isOver = false;
  let done = 0, refused = 0;
  const press = async (first: number) => {
    using connection = await HttpConnection.open(url);
    for (let i = first; !isOver; i++) {
      const { status } = await connection.send(neighbour.requests[i % neighbour.requests.length]!);
      if (status < 300) done++;
      else {
        refused++;
        await new Promise((resolve) => setTimeout(resolve, REFUSED_PAUSE_MS));
      }
    }
  };
  const pressing = Array.from({ length: neighbour.atOnce }, (_, i) => press(i));
  const durationsMs: number[] = [];
  using connection = await HttpConnection.open(url);
  // The measurement begins when caches and connections are warm and the neighbour is at full strength.
  const warmUntil = performance.now() + 1_500;
  const until = warmUntil + seconds * 1_000;
  for (let i = 0; performance.now() < until; i++) {
    const started = performance.now();
    const { status } = await connection.send(asked[i % asked.length]!);
    if (status !== 200) throw new Error(`Cannot measure: the caller was answered ${status}`);
    if (started >= warmUntil) durationsMs.push(performance.now() - started);
  }
  isOver = true;
  await Promise.all(pressing);
  const perSecond = (count: number) => count / (seconds + 1.5);
  return {
    neighbour: neighbour.name,
    ...summarise(durationsMs),
    donePerSecond: perSecond(done),
    refusedPerSecond: perSecond(refused),
  };
}

if (import.meta.main) await main();
