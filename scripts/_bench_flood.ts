/**
 * A flood of bad keys beside one good key's hot recall (security T14): the kinds of bad keys, what sends them, and what
 * is watched meanwhile.
 */
import { crc32 } from "node:zlib";
import postgres from "postgres";
import { generateApiKey } from "../src/crypto/api_key.ts";
import { formatTable, type Latency, note, percentile, round, summarise } from "./_bench.ts";
import type { FloodOrder, FloodReport } from "./_bench_flood_process.ts";
import { HttpConnection, readCpuMs } from "./_bench_http.ts";
import type { BenchService } from "./_bench_service.ts";

interface Kind {
  readonly name: string;
  readonly token: (goodKey: string, n: number) => string;
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
  { name: "a to d in turns, each from elsewhere", token: mixed, sources: MANY },
];

function mixed(goodKey: string, n: number): string {
  return [() => crypto.randomUUID(), wrongCheck, unknownId, wrongSecret][n % 4]!(goodKey);
}

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

/** Sends a flood from a process of its own, which gives way to the service and the database where the cores are short. */
async function startFlood(order: FloodOrder): Promise<FloodReport> {
  const script = new URL("_bench_flood_process.ts", import.meta.url).pathname;
  const child = new Deno.Command("nice", {
    args: ["-n", "10", Deno.execPath(), "run", "-A", "--quiet", script],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify(order)));
  await writer.close();
  const { success, stdout } = await child.output();
  if (!success) throw new Error("Cannot flood: the sending process failed");
  return JSON.parse(new TextDecoder().decode(stdout));
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
    return this.#sql.end({ timeout: 5 });
  }
}

export interface FloodOptions {
  /** Requests of the good key, sent in turn. */
  readonly requests: readonly Uint8Array[];
  /** Bad requests a second, and for how long. */
  readonly perSecond: number;
  readonly seconds: number;
}

export interface FloodResult {
  readonly flood: string;
  readonly perSecond: number;
  readonly replies: Readonly<Record<string, number>>;
  readonly goodKey: Latency;
  /** Of both the flood's requests and the good key's. */
  readonly cpuMsPerRequest: number;
  readonly lagP99Ms: number;
  readonly lagMaxMs: number;
  /** The database's, of whatever: the audit log's batches and the workers' are among them. */
  readonly transactions: number;
  /** Share of one core that the flood's sender took. */
  readonly senderCores: number;
}

/** A flooded service: its own program beside a look at its event loop, behind a proxy that names the callers. */
export async function floodedService(): Promise<{ env: Record<string, string>; program: string; lagFile: string }> {
  const lagFile = await Deno.makeTempFile({ prefix: "svc-bench-lag-" });
  return {
    env: { SVC_TRUSTED_PROXY_IP: "127.0.0.1", BENCH_LAG_FILE: lagFile },
    program: "scripts/_bench_lag.ts",
    lagFile,
  };
}

/** Measures without a flood and under each kind. */
export async function measureFloods(
  service: BenchService,
  lagFile: string,
  options: FloodOptions,
): Promise<FloodResult[]> {
  const watch = new Watch(service, lagFile);
  const results: FloodResult[] = [];
  for (const kind of [undefined, ...KINDS]) {
    results.push(await measureFlood(service, watch, kind, options));
    note(JSON.stringify(results.at(-1)));
  }
  await watch.end();
  return results;
}

async function measureFlood(
  service: BenchService,
  watch: Watch,
  kind: Kind | undefined,
  { requests, perSecond, seconds }: FloodOptions,
): Promise<FloodResult> {
  const { url, pid, access: { key } } = service;
  const before = await watch.transactions();
  const from = Date.now();
  const cpuBefore = readCpuMs(pid) ?? NaN;
  const tokens = Array.from({ length: kind ? perSecond * seconds : 0 }, (_, n) => kind!.token(key, n));
  const flooded = kind === undefined
    ? new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), seconds * 1_000))
    : startFlood({ url, tokens, sources: kind.sources, perSecond });
  const durations = await recallUntil(url, requests, flooded);
  const report = await flooded;
  const cpuMs = (readCpuMs(pid) ?? NaN) - cpuBefore;
  const lags = await watch.lags(from, Date.now());
  const sent = Object.values(report?.replies ?? {}).reduce((sum, n) => sum + n, 0);
  return {
    flood: kind?.name ?? "none",
    perSecond: report === undefined ? 0 : Math.round(sent / report.seconds),
    replies: report?.replies ?? {},
    goodKey: summarise(durations),
    cpuMsPerRequest: round(cpuMs / (sent + durations.length), 3),
    lagP99Ms: round(percentile(lags, 0.99), 1),
    lagMaxMs: round(percentile(lags, 1), 1),
    transactions: await watch.transactions() - before,
    senderCores: report === undefined ? 0 : round(report.cpuMs / report.seconds / 1_000, 2),
  };
}

const COLUMNS = [
  "flood",
  "requests/s",
  "replies",
  "good p50 ms",
  "good p99 ms",
  "good n",
  "CPU ms/request",
  "lag p99 ms",
  "lag max ms",
  "transactions",
  "sender's cores",
];

export function formatFloods(results: readonly FloodResult[]): string {
  return formatTable(
    COLUMNS,
    results.map((result) => [
      result.flood,
      result.perSecond,
      Object.entries(result.replies).map(([status, n]) => `${n}×${status}`).join(" "),
      result.goodKey.p50Ms,
      result.goodKey.p99Ms,
      result.goodKey.n,
      result.cpuMsPerRequest,
      result.lagP99Ms,
      result.lagMaxMs,
      result.transactions,
      result.senderCores,
    ]),
  );
}
