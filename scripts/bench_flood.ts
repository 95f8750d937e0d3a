/**
 * Measures what a flood of bad keys does to a good one (security T14): hot recall of a key in use, the service's event
 * loop and the database's transactions, without a flood and under each kind.
 *
 *     deno run -A scripts/bench_flood.ts [--rate 2000] [--seconds 10] [--units 2000] [--seed 1] [--json <file>]
 *
 * Needs PostgreSQL's server programs. Service, database and flood share this machine; the flood has a thread of its own
 * and says which addresses it comes from as the trusted proxy would.
 */
import { parseArgs } from "node:util";
import { crc32 } from "node:zlib";
import postgres from "postgres";
import { generateApiKey } from "../src/crypto/api_key.ts";
import { describeMachine, formatTable, note, parseCount, percentile, round, summarise, writeJson } from "./_bench.ts";
import { Corpus } from "./_bench_corpus.ts";
import type { FloodOrder, FloodReport } from "./_bench_flood_worker.ts";
import { encodeRequest, HttpConnection, readCpuMs } from "./_bench_http.ts";
import { loadOverHttp } from "./_bench_load.ts";
import { type BenchService, startBenchService } from "./_bench_service.ts";

interface Kind {
  readonly name: string;
  readonly token: (goodKey: string) => string;
  readonly sources: readonly string[];
}

const ONE = ["192.0.2.1"];
const MANY = Array.from({ length: 60_000 }, (_, n) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const KINDS: readonly Kind[] = [
  { name: "a garbage", token: () => crypto.randomUUID(), sources: ONE },
  { name: "b wrong check", token: wrongCheck, sources: ONE },
  { name: "c unknown id", token: unknownId, sources: ONE },
  { name: "c unknown id, each from elsewhere", token: unknownId, sources: MANY },
  { name: "d known id, wrong secret", token: wrongSecret, sources: ONE },
  { name: "d known id, wrong secret, each from elsewhere", token: wrongSecret, sources: MANY },
];

function wrongCheck(): string {
  const { key } = generateApiKey("svc_live_");
  return key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
}

function unknownId(): string {
  return generateApiKey("svc_live_").key;
}

/** The public id of a good key with another secret, and the check that belongs to both. */
function wrongSecret(goodKey: string): string {
  const body = goodKey.slice(0, 21) + generateApiKey("svc_live_").secret;
  let check = "";
  for (let value = crc32(body); check.length < 6; value = Math.floor(value / 62)) check = BASE62[value % 62] + check;
  return body + check;
}

function startFlood(order: FloodOrder): Promise<FloodReport> {
  const worker = new Worker(new URL("_bench_flood_worker.ts", import.meta.url), { type: "module" });
  const { promise, resolve, reject } = Promise.withResolvers<FloodReport>();
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = (event) => reject(new Error(`Cannot flood: ${event.message}`));
  worker.postMessage(order);
  return promise.finally(() => worker.terminate());
}

/** Pause between two good requests, in milliseconds: a caller, not a load. */
const GOOD_EVERY_MS = 10;

/** Hot recalls one after the other until `until` resolves. */
async function recallUntil(url: string, requests: readonly Uint8Array[], until: Promise<unknown>): Promise<number[]> {
  using connection = await HttpConnection.open(url);
  const durations: number[] = [];
  let isOver = false;
  until.finally(() => isOver = true).catch(() => {});
  for (let n = 0; !isOver; n++) {
    const sent = performance.now();
    const reply = await connection.send(requests[n % requests.length]!);
    durations.push(performance.now() - sent);
    if (reply.status !== 200) throw new Error(`Cannot measure: ${new TextDecoder().decode(reply.body)}`);
    await new Promise((resolve) => setTimeout(resolve, GOOD_EVERY_MS));
  }
  return durations;
}

class Watch {
  readonly #sql: postgres.Sql;
  readonly #lagFile: string;

  constructor(service: BenchService, lagFile: string) {
    this.#sql = postgres(service.superuserUrl!, { max: 1, onnotice: () => {} });
    this.#lagFile = lagFile;
  }

  /** The database's transactions so far, its own not counted. They are reported once a second at most. */
  async transactions(): Promise<number> {
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const [row] = await this.#sql`
      select xact_commit + xact_rollback as n from pg_stat_database where datname = current_database()`;
    return Number(row!["n"]);
  }

  /** How late the service's event loop was in a time, in milliseconds. */
  async lags(fromMs: number, toMs: number): Promise<number[]> {
    const lines = (await Deno.readTextFile(this.#lagFile)).trim().split("\n").map((line) =>
      line.split(" ").map(Number)
    );
    return lines.filter(([at]) => at! >= fromMs && at! <= toMs).map(([, lag]) => lag!);
  }

  end(): Promise<void> {
    return this.#sql.end();
  }
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      rate: { type: "string" },
      seconds: { type: "string" },
      units: { type: "string" },
      seed: { type: "string" },
      json: { type: "string" },
    },
  });
  const perSecond = parseCount("rate", options.rate, 2_000);
  const seconds = parseCount("seconds", options.seconds, 10);
  const units = parseCount("units", options.units, 2_000);
  const machine = describeMachine();
  const lagFile = await Deno.makeTempFile({ prefix: "svc-bench-lag-" });
  await using service = await startBenchService({
    database: "postgres",
    env: { SVC_TRUSTED_PROXY_IP: "127.0.0.1", BENCH_LAG_FILE: lagFile },
    program: "scripts/_bench_lag.ts",
  });
  const { url, access: { key } } = service;
  const corpus = new Corpus(parseCount("seed", options.seed, 1));
  const loaded = await loadOverHttp(service, service.access, corpus.sessions(units), units, 200);
  const requests = corpus.queries(loaded.sample).question.map((query) =>
    encodeRequest(url, "POST", "/v1/memory/recall/hot", { key, body: { query, limit: 10 } })
  );
  const watch = new Watch(service, lagFile);
  const results: Record<string, unknown>[] = [];
  for (const kind of [undefined, ...KINDS]) {
    const before = await watch.transactions();
    const from = Date.now();
    const cpuBefore = readCpuMs(service.pid) ?? NaN;
    const flooded = kind === undefined
      ? new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), seconds * 1_000))
      : startFlood({
        url,
        tokens: Array.from({ length: perSecond * seconds }, () => kind.token(key)),
        sources: kind.sources,
        perSecond,
      });
    const durations = await recallUntil(url, requests, flooded);
    const report = await flooded;
    const cpuMs = (readCpuMs(service.pid) ?? NaN) - cpuBefore;
    const lags = await watch.lags(from, Date.now());
    const sent = Object.values(report?.replies ?? {}).reduce((sum, n) => sum + n, 0);
    results.push({
      flood: kind?.name ?? "none",
      perSecond: report === undefined ? 0 : Math.round(sent / report.seconds),
      replies: report?.replies ?? {},
      goodKey: summarise(durations),
      // Of both the flood's requests and the good key's.
      cpuMsPerRequest: round(cpuMs / (sent + durations.length), 3),
      lagP99Ms: round(percentile(lags, 0.99), 1),
      lagMaxMs: round(percentile(lags, 1), 1),
      transactions: await watch.transactions() - before,
    });
    note(JSON.stringify(results.at(-1)));
  }
  await watch.end();
  await Deno.remove(lagFile);
  note(`${units} units; database: ${service.database}; load before: ${machine.loadBefore.join(" ")}`);
  const rows = results.map((result) => {
    const { p50Ms, p99Ms } = result["goodKey"] as ReturnType<typeof summarise>;
    return [
      result["flood"] as string,
      result["perSecond"] as number,
      Object.entries(result["replies"] as object).map(([status, n]) => `${n}×${status}`).join(" "),
      p50Ms,
      p99Ms,
      result["cpuMsPerRequest"] as number,
      result["lagP99Ms"] as number,
      result["lagMaxMs"] as number,
      result["transactions"] as number,
    ];
  });
  const columns = [
    "flood",
    "requests/s",
    "replies",
    "good p50 ms",
    "good p99 ms",
    "CPU ms/request",
    "lag p99 ms",
    "lag max ms",
    "transactions",
  ];
  console.log(formatTable(columns, rows));
  await writeJson(options.json, { program: "bench_flood", machine, database: service.database, units, results });
}

if (import.meta.main) await main();
