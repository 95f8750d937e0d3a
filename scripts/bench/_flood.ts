/**
 * A flood during hot recalls of one good key (T14, T52): bad keys, and requests of hostile shapes; their sender, and
 * the measurements meanwhile.
 */
import { crc32 } from "node:zlib";
import postgres from "postgres";
import { generateApiKey } from "../../src/crypto/api_key.ts";
import { HOSTILE_BODIES, HOSTILE_HEADERS, HOSTILE_QUERIES } from "../../tests/fuzz/_hostile.ts";
import { formatTable, type Latency, note, percentile, round, summarise } from "./_bench.ts";
import type { FloodOrder, FloodReport } from "./_flood_process.ts";
import { HttpConnection, readCpuMs } from "./_http.ts";
import type { BenchService } from "./_service.ts";

interface Kind {
  readonly name: string;
  /** The `n`th request. */
  readonly request: (goodKey: string, n: number) => string;
  /** The number of distinct requests; default: all. */
  readonly distinct?: number;
  /** Requests per second, if the rate differs from the others'. */
  readonly perSecond?: number;
}

const NO_FLOOD = "none";
const ONE = ["192.0.2.1"];
const MANY = Array.from({ length: 60_000 }, (_, n) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A bad key with an ordinary request, in the form in which the trusted proxy passes it on. */
function badKey(name: string, token: (goodKey: string, n: number) => string, sources: readonly string[]): Kind {
  const request = (goodKey: string, n: number) =>
    `GET /v1/session HTTP/1.1\r\nhost: svc\r\nauthorization: Bearer ${token(goodKey, n)}\r\n` +
    `x-forwarded-for: 127.0.0.1, ${sources[n % sources.length]}\r\n\r\n`;
  return { name, request };
}

/** Requests without a key, which anybody may send, per second. */
const WITHOUT_KEY_PER_SECOND = 200;
/** Requests per second that one key may send by default: 600 a minute. */
const WITH_KEY_PER_SECOND = 10;

const HOSTILE: readonly Kind[] = [
  ...Object.entries(HOSTILE_QUERIES).map(([name, query]): Kind => ({
    name,
    request: () => `GET /v1/openapi.json?${query} HTTP/1.1\r\nhost: svc\r\n\r\n`,
    distinct: 1,
    perSecond: WITHOUT_KEY_PER_SECOND,
  })),
  ...Object.entries(HOSTILE_HEADERS).map(([name, headers]): Kind => ({
    name,
    request: () =>
      `GET /healthz HTTP/1.1\r\nhost: svc\r\n${
        Object.entries(headers).map(([header, value]) => `${header}: ${value}\r\n`).join("")
      }\r\n`,
    distinct: 1,
    perSecond: WITHOUT_KEY_PER_SECOND,
  })),
  ...Object.entries(HOSTILE_BODIES).map(([name, body]): Kind => ({
    name,
    request: (goodKey) =>
      `POST /v1/memory/facts/batch HTTP/1.1\r\nhost: svc\r\nauthorization: Bearer ${goodKey}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    distinct: 1,
    perSecond: WITH_KEY_PER_SECOND,
  })),
  {
    name: "many small messages: 500,000 of Protobuf, empty",
    request: (goodKey) => rpc("application/proto", `"\0`.repeat(500_000), `authorization: Bearer ${goodKey}\r\n`),
    distinct: 1,
    perSecond: WITH_KEY_PER_SECOND,
  },
  {
    name: "a long content type: 15,000 characters",
    request: () => rpc(`application/json${";".repeat(15_000)}`, "{}"),
    distinct: 1,
    perSecond: WITHOUT_KEY_PER_SECOND,
  },
];

/** A call of SelfEdit; an operation of it is field 4, whose tag is `"`. */
function rpc(type: string, body: string, headers = ""): string {
  return `POST /svc.v1.SvcService/SelfEdit HTTP/1.1\r\nhost: svc\r\n${headers}content-type: ${type}\r\n` +
    `content-length: ${body.length}\r\n\r\n${body}`;
}

const KINDS: readonly Kind[] = [
  badKey("a garbage", () => crypto.randomUUID(), ONE),
  badKey("b wrong check", wrongCheck, ONE),
  badKey("c unknown id", unknownId, ONE),
  badKey("c unknown id, each from elsewhere", unknownId, MANY),
  badKey("d known id, wrong secret", wrongSecret, ONE),
  badKey("d known id, wrong secret, each from elsewhere", wrongSecret, MANY),
  badKey("a to d in turns, each from elsewhere", mixed, MANY),
  ...HOSTILE,
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

/** The public id of a good key with another secret, and a check that fits both. */
function wrongSecret(goodKey: string): string {
  const body = goodKey.slice(0, 21) + generateApiKey("svc_live_").secret;
  let check = "";
  for (let value = crc32(body); check.length < 6; value = Math.floor(value / 62)) check = BASE62[value % 62] + check;
  return body + check;
}

/** Sends a flood from a separate process, which yields to the service and the database if cores are short. */
async function startFlood(order: FloodOrder): Promise<FloodReport> {
  const script = new URL("./_flood_process.ts", import.meta.url).pathname;
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

  /** The database's transactions so far, without its own. They are reported at most once a second. */
  async transactions(): Promise<number> {
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const [row] = await this.#sql`
      select xact_commit + xact_rollback as n from pg_stat_database where datname = current_database()`;
    return Number(row!["n"]);
  }

  /** The delays of the service's event loop in a period, in milliseconds. */
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
  /** Bad requests per second, and the duration. */
  readonly perSecond: number;
  readonly seconds: number;
  /** A part of the names of the kinds to measure; default: all. */
  readonly only?: string | undefined;
}

export interface FloodResult {
  readonly flood: string;
  readonly perSecond: number;
  readonly replies: Readonly<Record<string, number>>;
  readonly goodKey: Latency;
  /** CPU time per request, both of the flood and of the good key. */
  readonly cpuMsPerRequest: number;
  readonly lagP99Ms: number;
  readonly lagMaxMs: number;
  /** All transactions of the database, including those of the audit log's batches and the workers. */
  readonly transactions: number;
  /** The share of one core that the flood's sender used. */
  readonly senderCores: number;
}

/** A service for a flood: its own program with a watch on its event loop, behind a proxy that names the callers. */
export async function floodedService(): Promise<{ env: Record<string, string>; program: string; lagFile: string }> {
  const lagFile = await Deno.makeTempFile({ prefix: "svc-bench-lag-" });
  return {
    env: { SVC_TRUSTED_PROXY_IP: "127.0.0.1", BENCH_LAG_FILE: lagFile },
    program: "scripts/bench/_lag.ts",
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
    if (kind !== undefined && !kind.name.includes(options.only ?? "")) continue;
    results.push(await measureFlood(service, watch, kind, options));
    note(JSON.stringify(results.at(-1)));
  }
  await watch.end();
  return results;
}

function orderOf(kind: Kind, url: string, key: string, perSecond: number, seconds: number): FloodOrder {
  const count = perSecond * seconds;
  const requests = Array.from({ length: kind.distinct ?? count }, (_, n) => kind.request(key, n));
  return { url, requests, count, perSecond };
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
  const flooded = kind === undefined
    ? new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), seconds * 1_000))
    : startFlood(orderOf(kind, url, key, kind.perSecond ?? perSecond, seconds));
  const durations = await recallUntil(url, requests, flooded);
  const report = await flooded;
  const cpuMs = (readCpuMs(pid) ?? NaN) - cpuBefore;
  const lags = await watch.lags(from, Date.now());
  const sent = Object.values(report?.replies ?? {}).reduce((sum, n) => sum + n, 0);
  return {
    flood: kind?.name ?? NO_FLOOD,
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

/** The greatest delay of the event loop under any flood, in milliseconds, in 99 of 100 checks. */
export const LAG_P99_MAX_MS = 50;

/** Lists floods under which the event loop was late, as text; empty if there were none. */
export function lateFloods(results: readonly FloodResult[]): string[] {
  return results.filter(({ lagP99Ms }) => !(lagP99Ms < LAG_P99_MAX_MS))
    .map(({ flood, lagP99Ms }) =>
      flood === NO_FLOOD
        ? `Nothing can be said: without a flood the event loop was late, too, p99 ${lagP99Ms} ms; the machine is busy`
        : `The event loop was late. ${flood}: p99 ${lagP99Ms} ms, and ${LAG_P99_MAX_MS} ms is the bound`
    );
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
