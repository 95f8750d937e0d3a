/**
 * Measures the tenants of a broker: how many it opens in a second, new and known, the first request of each, and what an open
 * tenant costs in the memory of the process.
 *
 *     deno run -A scripts/bench/tenants.ts [--tenants 500] [--json <file>]
 */
import { parseArgs } from "node:util";
import { describeMachine, formatTable, note, parseCount, percentile, round, writeJson } from "./_bench.ts";
import { readRss } from "./_http.ts";
import { type BenchService, startBenchService } from "./_service.ts";

const ADMIN_TOKEN = "bench-admin-token-of-40-visible-characters";
/** Tenants that are opened at the same time. */
const LANES = 4;

// deno-lint-ignore no-explicit-any
type Reply = any;

/** @throws Error when the service refuses */
async function post(service: BenchService, key: string, path: string, body: unknown): Promise<Reply> {
  const reply = await fetch(`${service.url}/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`Cannot measure: ${path} answers ${reply.status} ${text}`);
  return JSON.parse(text);
}

/** Opens tenants, some at a time. @returns their tokens and how many it opened in a second */
async function open(service: BenchService, broker: string, count: number) {
  const tokens: string[] = [];
  const started = performance.now();
  await Promise.all(Array.from({ length: LANES }, async (_, lane) => {
    for (let n = lane; n < count; n += LANES) {
      tokens[n] = (await post(service, broker, "/admin/tenants", { externalId: `user ${n}` })).token.token;
    }
  }));
  return { tokens, perSecond: round(count / (performance.now() - started) * 1_000, 0) };
}

/** One request with each token, one after the other. @returns milliseconds of each */
async function ask(service: BenchService, tokens: readonly string[], path: string, body: unknown): Promise<number[]> {
  const times: number[] = [];
  for (const token of tokens) {
    const started = performance.now();
    await post(service, token, path, body);
    times.push(performance.now() - started);
  }
  return times;
}

const said = (times: readonly number[]) => `${round(percentile(times, 0.5), 1)}, ${round(percentile(times, 0.95), 1)}`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { tenants: { type: "string" }, json: { type: "string" } } });
  const count = parseCount("tenants", values.tenants, 500);
  const machine = describeMachine();
  const env = { SVC_ADMIN_TOKEN: ADMIN_TOKEN, SVC_SECRETS_KEY: ADMIN_TOKEN, SVC_RATE_LIMIT_PER_MINUTE: "0" };
  await using service = await startBenchService({ database: "postgres", env });
  const { key: broker } = await post(service, ADMIN_TOKEN, "/admin/broker-keys", { name: "app", region: "us-east-1" });
  const query = { query: "What is there?" };
  // What every process loads once is not counted to the tenants.
  const { tokens: warm } = await open(service, broker, 20);
  await ask(service, warm, "/memory/recall", query);
  const before = readRss(service.pid);
  const made = await open(service, broker, count);
  const known = await open(service, broker, count);
  const first = await ask(service, made.tokens, "/memory/recall", query);
  const fact = await ask(service, made.tokens, "/memory/facts", { statement: "The kettle is blue." });
  const second = await ask(service, made.tokens, "/memory/recall", query);
  const kibEach = round((readRss(service.pid) - before) * 1_024 / count, 0);
  note(`${service.database}; load before: ${machine.loadBefore.join(" ")}`);
  console.log(formatTable(
    ["tenants", "made/s", "known, opened/s", "first recall p50, p95 ms", "first fact", "next recall", "KiB each"],
    [[`${count}`, `${made.perSecond}`, `${known.perSecond}`, said(first), said(fact), said(second), `${kibEach}`]],
  ));
  const results = { made: made.perSecond, known: known.perSecond, first, fact, second, kibEach };
  await writeJson(values.json, { program: "bench_tenants", machine, count, results });
}

if (import.meta.main) await main();
