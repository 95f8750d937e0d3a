/**
 * Measures webhooks with one receiver on this machine: how long from a write's reply to the message about it, and how many
 * messages a second when many wait.
 *
 *     deno run -A scripts/bench/webhooks.ts [--writes 200] [--backlog 5000] [--database postgres|embedded|any]
 *       [--json <file>]
 */
import { parseArgs } from "node:util";
import { describeMachine, formatTable, note, parseCount, percentile, round, writeJson } from "./_bench.ts";
import { Client } from "./_load.ts";
import { parseDatabase, startBenchService } from "./_service.ts";

/** The limits: from a write's reply to its message, and messages per second. */
const LATENCY_MS_MAX = 500;
const RATE_MIN = 300;
const DEADLINE_MS = 300_000;
const TURNS_AT_ONCE = 100;
const ADMIN_TOKEN = "an-admin-token-of-this-run-that-is-long-enough";

/** A receiver that takes every message and notes its time. */
function startReceiver() {
  const arrivedAt = new Map<string, number>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { type, data } = await request.json();
    if (type === "webhook.verification") return Response.json({ challenge: data.challenge });
    if (!arrivedAt.has(data.resource.id)) arrivedAt.set(data.resource.id, performance.now());
    return new Response();
  });
  return { arrivedAt, port: server.addr.port, [Symbol.asyncDispose]: () => server.shutdown() };
}

async function until(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
  const expiresAt = performance.now() + DEADLINE_MS;
  while (!await look()) {
    if (performance.now() > expiresAt) throw new Error(`Cannot go on: ${what} did not happen`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      writes: { type: "string" },
      backlog: { type: "string" },
      database: { type: "string" },
      json: { type: "string" },
    },
  });
  const writes = parseCount("writes", options.writes, 200);
  const backlog = parseCount("backlog", options.backlog, 5_000);
  const machine = describeMachine();
  await using receiver = startReceiver();
  await using service = await startBenchService({
    database: parseDatabase(options.database ?? "any"),
    env: {
      SVC_ADMIN_TOKEN: ADMIN_TOKEN,
      SVC_SECRETS_KEY: "a-key-of-this-run-that-is-long-enough",
      SVC_OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8",
      SVC_OUTBOUND_PORTS: String(receiver.port),
    },
  });
  let { access } = service;
  const call = async (method: string, path: string, body?: object, bearer = access.key) => {
    const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
    const reply = await fetch(`${service.url}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = await reply.json();
    if (!reply.ok) throw new Error(`Cannot call ${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const wanted = {
    name: "bench",
    workspace_id: access.workspaceId,
    scopes: ["memory:read", "memory:write", "session:write", "memory:admin"],
  };
  const rateLimit = { perMinute: 0, burst: 1 };
  const { key } = await call("POST", "/v1/admin/api-keys", { ...wanted, rateLimit }, ADMIN_TOKEN);
  access = { ...access, key };
  using client = await Client.open(service.url, access.key);
  const url = `http://127.0.0.1:${receiver.port}/`;
  const { id } = await call("POST", "/v1/webhooks", { url, kinds: ["fact.created", "turn."] });
  await until("the webhook's consent", async () => (await call("GET", `/v1/webhooks/${id}`)).status === "enabled");

  const latencies: number[] = [];
  for (let i = 0; i < writes; i++) {
    const fact = await client.post("/v1/memory/facts", { statement: `The lamp ${i} hangs in room ${i}.` }) as {
      id: string;
    };
    const committedAt = performance.now();
    await until("the message", () => receiver.arrivedAt.has(fact.id));
    latencies.push(Math.max(0, receiver.arrivedAt.get(fact.id)! - committedAt));
  }

  note(`${writes} writes: p95 ${percentile(latencies, 0.95).toFixed(0)} ms`);
  await call("PATCH", `/v1/webhooks/${id}`, { status: "disabled" });
  // Turns are used, because storing them costs least.
  const session = await client.post("/v1/session", {}) as { id: string };
  for (let done = 0; done < backlog; done += TURNS_AT_ONCE) {
    const turns = Array.from({ length: Math.min(TURNS_AT_ONCE, backlog - done) }, (_, i) => ({
      role: "user",
      messageId: `m${done + i}`,
      content: `Crate ${done + i}.`,
    }));
    await client.post(`/v1/session/${session.id}/turns`, { turns });
  }
  note(`${backlog} messages wait`);
  const before = receiver.arrivedAt.size;
  const began = performance.now();
  await call("PATCH", `/v1/webhooks/${id}`, { status: "enabled" });
  await until("all messages", () => receiver.arrivedAt.size >= before + backlog);
  const rate = backlog / ((performance.now() - began) / 1_000);

  const results = {
    p50Ms: round(percentile(latencies, 0.5), 1),
    p95Ms: round(percentile(latencies, 0.95), 1),
    deliveriesPerSecond: round(rate, 0),
  };
  note(`database: ${service.database}; load before: ${machine.loadBefore.join(" ")}`);
  console.log(formatTable(["write to message, p50 ms", "p95 ms", "messages a second"], [Object.values(results)]));
  await writeJson(options.json, { program: "bench_webhooks", machine, database: service.database, results });
  const faults: string[] = [];
  if (results.p95Ms > LATENCY_MS_MAX) faults.push(`a message took ${results.p95Ms} ms`);
  if (rate < RATE_MIN) faults.push(`${results.deliveriesPerSecond} messages a second`);
  if (faults.length > 0) throw new Error(`Cannot accept the run: ${faults.join("; ")}`);
}

if (import.meta.main) await main();
