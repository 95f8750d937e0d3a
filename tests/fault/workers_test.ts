/** Several service processes on one port: `svc serve --workers 2`, as real processes on Postgres. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { createClient } from "@connectrpc/connect";
import * as web from "@connectrpc/connect-web";
import { SvcService } from "../../src/gen/svc/v1/svc_pb.ts";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { startProcess } from "../_process.ts";
import { ADMIN_TOKEN } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { connectTo, createTenant, processesWith, startWorkersWorld, type WorkersWorld } from "../_workers.ts";
import { StreamClient } from "../http/_stream.ts";

/** Sends bytes unchanged on a new connection. @returns all that arrives until the service ends it */
function exchange(url: string, text: string, localAddress?: string): Promise<string> {
  const { hostname: host, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let reply = "";
    const socket = connect({ host, port: Number(port), ...(localAddress && { localAddress }) });
    socket.setEncoding("utf8").on("data", (part) => reply += part).on("error", reject).on("end", () => {
      socket.destroy();
      resolve(reply);
    });
    socket.write(text);
  });
}

const fact = (n: number, of: string) => ({ statement: `${of} notes that box ${n} of ${of} holds ${n} screws.` });

async function remember(world: WorkersWorld, key: string, n: number, of: string) {
  const body = fact(n, of);
  const { status } = await world.call("POST", "/v1/memory/facts", key, body, {
    "idempotency-key": `${of.replaceAll(" ", "-")}-${n}`,
  });
  return status;
}

Deno.test({
  ...POSTGRES,
  name: "two workers serve one port: each workspace has its own, whatever the protocol, and nobody forges an address",
  async fn(t) {
    await using world = await startWorkersWorld({ SVC_TRUSTED_PROXY_IP: "127.0.0.9" });
    const { url, tenants: [one, two] } = world;

    await t.step("two workspaces are on two workers", () => {
      assert.notEqual(one.worker, two.worker);
    });

    await t.step("each recalls its own, through the hot tier of its own worker alone", async () => {
      for (const { key } of [one, two]) assert.equal(await remember(world, key, 1, key.slice(9, 13)), 201);
      for (const { key } of [one, two, one, two]) {
        const { body } = await world.call("POST", "/v1/memory/recall/hot", key, { query: "which box holds screws?" });
        assert.deepEqual(body.results.map(({ text }: { text: string }) => text), [fact(1, key.slice(9, 13)).statement]);
      }
      // The service caches gauges for some seconds.
      const [text, held] = await waitFor("the gauges of both", async () => {
        const { text } = await world.call("GET", "/metrics", one.key);
        const held = [...text.matchAll(/^svc_hot_tier_size\{worker="(\d)",workspace="([^"]+)"\} \d+$/gm)];
        return held.length >= 2 && [text, held] as const;
      }, { everyMs: 500 });
      assert.deepEqual(held.map(([, worker]) => worker).sort(), ["0", "1"]);
      assert.equal(new Set(held.map(([, , workspace]) => workspace)).size, 2);
      for (const { worker } of [one, two]) {
        assert.match(text, new RegExp(`^svc_worker_up\\{worker="${worker}"\\} 1$`, "m"));
      }
      assert.equal(text.match(/^# TYPE svc_requests_total counter$/gm)?.length, 1);
    });

    await t.step("requests of several workspaces on one connection get their own replies, in order", async () => {
      const ask = (key: string, connection: string) =>
        `GET /v1/whoami HTTP/1.1\r\nHost: svc\r\nConnection: ${connection}\r\nAuthorization: Bearer ${key}\r\n\r\n`;
      const reply = await exchange(
        url,
        ask(one.key, "keep-alive") + ask(two.key, "keep-alive") + ask(one.key, "close"),
      );
      const ids = [...reply.matchAll(/"workspace":{"id":"([^"]+)"/g)].map(([, id]) => id);
      assert.deepEqual(ids, [one.workspaceId, two.workspaceId, one.workspaceId]);
    });

    await t.step("bodies in chunks and with a length arrive whole, and the next request after them", async () => {
      const body = JSON.stringify(fact(2, "chunks"));
      const head = `POST /v1/memory/facts HTTP/1.1\r\nHost: svc\r\nAuthorization: Bearer ${one.key}\r\n` +
        "Content-Type: application/json\r\n";
      const chunks = [body.slice(0, 7), body.slice(7)].map((part) => `${part.length.toString(16)};x=y\r\n${part}\r\n`);
      const reply = await exchange(
        url,
        `${head}Transfer-Encoding: chunked\r\n\r\n${chunks.join("")}0\r\nSome: trailer\r\n\r\n` +
          `${head}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      );
      assert.deepEqual(reply.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 201", "HTTP/1.1 200"]);
    });

    await t.step(
      "T20 what is open about where a request ends is refused, and so are the front's own headers",
      async () => {
        const head = `POST /v1/memory/facts HTTP/1.1\r\nHost: svc\r\nAuthorization: Bearer ${one.key}\r\n`;
        for (
          const rest of [
            "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
            "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            "Content-Length : 3\r\n\r\nabc",
            "svc-front-peer: 10.0.0.1 1\r\n\r\n",
            "SVC-Front-Ask: workspace\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
          ]
        ) assert.match(await exchange(url, head + rest), /^HTTP\/1\.1 400 /, rest);
      },
    );

    await t.step("T20 a caller's word about its address counts only from the trusted proxy", async () => {
      const sql = connectTo(world.database);
      try {
        for (const [from, expected] of [["127.0.0.1", "127.0.0.1"], ["127.0.0.9", "203.0.113.7"]] as const) {
          const id = `from-${from}`;
          const reply = await exchange(
            url,
            `GET /v1/whoami HTTP/1.1\r\nHost: svc\r\nConnection: close\r\nAuthorization: Bearer ${two.key}\r\n` +
              `X-Forwarded-For: 203.0.113.7\r\nX-Request-Id: ${id}\r\n\r\n`,
            from,
          );
          assert.match(reply, new RegExp(`^x-request-id: ${id}\r$`, "m"));
          const address = await waitFor("the audit row of the read", async () => {
            const [row] = await sql<{ address: string }[]>`
              select a.ip_address as address from svc_audit_log l join svc_audit_address a using (workspace_id, seq)
               where l.request_id = ${id}`;
            return row?.address;
          });
          assert.equal(address, expected);
        }
      } finally {
        await sql.end({ timeout: 1 });
      }
    });

    await t.step("the rate of a key is exact", async () => {
      const began = performance.now();
      const limited = await createTenant(url, "limited", { perMinute: 1, burst: 6 });
      const statuses = await Promise.all(Array.from({ length: 10 }, async () => {
        return (await world.call("GET", "/v1/memory/facts", limited.key)).status;
      }));
      // Creating the tenant used one of the six; every minute since then added one.
      const brought = Math.floor((performance.now() - began) / 60_000);
      const passed = statuses.filter((status) => status === 200).length;
      assert.ok(passed >= 5 && passed <= 5 + brought, `${passed} passed`);
    });

    await t.step("a WebSocket gets what another connection writes", async () => {
      for (const { key } of [one, two]) {
        await using client = await StreamClient.open(url, { key });
        assert.equal((await client.subscribe("memory")).op, "subscribed");
        assert.equal(await remember(world, key, 3, `socket ${key.slice(9, 13)}`), 201);
        await waitFor("the event", () => client.events("memory").length > 0);
      }
    });

    await t.step("RPC streams pass over HTTP/1.1 and cleartext HTTP/2", async () => {
      using http2 = Deno.createHttpClient({ http1: false, http2: true });
      for (const client of [undefined, http2]) {
        const transport = web.createConnectTransport({
          baseUrl: url,
          fetch: (input, init) => fetch(input, { ...init, ...(client && { client }) } as RequestInit),
        });
        const rpc = createClient(SvcService, transport);
        const abort = new AbortController();
        const headers = { authorization: `Bearer ${two.key}` };
        const stream = rpc.watchMemory({}, { headers, signal: abort.signal });
        const first = stream[Symbol.asyncIterator]().next();
        const told = first.then(() => true);
        for (let n = 0; !await Promise.race([told, new Promise((resolve) => setTimeout(resolve, 200))]); n++) {
          assert.equal(await remember(world, two.key, 10 + n, client ? "http2" : "http1"), 201);
        }
        abort.abort();
      }
    });

    await t.step("all workers refuse a key that was revoked", async () => {
      const { body: { data } } = await world.call("GET", "/v1/admin/api-keys", ADMIN_TOKEN);
      for (const { key, workspaceId } of [one, two]) {
        const { id } = data.find((listed: { workspace_id: string; name: string }) =>
          (listed.workspace_id ?? (listed as never)["workspaceId"]) === workspaceId
        );
        assert.equal((await world.call("POST", `/v1/admin/keys/${id}/revoke`, ADMIN_TOKEN, {})).status, 200);
        await waitFor("the refusal", async () => (await world.call("GET", "/v1/whoami", key)).status === 401, {
          everyMs: 5,
        });
      }
    });
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "a worker that is killed under load loses no acknowledged write and disturbs no other; SIGTERM leaves no process",
  async fn() {
    await using world = await startWorkersWorld();
    const { url, tenants: [one, two], pids } = world;
    const acknowledged = new Map<string, Set<number>>();
    const others: number[] = [];
    let isOver = false;
    const load = [one, two].map(async (tenant) => {
      const kept = new Set<number>();
      acknowledged.set(tenant.key, kept);
      for (let n = 0; !isOver; n++) {
        const status = await remember(world, tenant.key, n, "load").catch(() => 0);
        if (status === 201 || status === 200) kept.add(n);
        else if (tenant === two) others.push(status);
      }
    });
    const isWriting = (key: string, from: number) => waitFor("writes", () => acknowledged.get(key)!.size >= from + 5);
    await Promise.all([one, two].map(({ key }) => isWriting(key, 0)));
    Deno.kill(pids[one.worker]!, "SIGKILL");
    await isWriting(two.key, acknowledged.get(two.key)!.size);
    await waitFor("the worker again", () => world.pids[one.worker] !== pids[one.worker]);
    await isWriting(one.key, acknowledged.get(one.key)!.size);
    isOver = true;
    await Promise.all(load);
    assert.deepEqual(others, [], "the other workspace was not disturbed");
    for (const { key } of [one, two]) {
      const found = new Set<string>();
      for (let cursor: string | null = ""; cursor !== null;) {
        const { body } = await world.call("GET", `/v1/memory/facts?limit=200${cursor && `&cursor=${cursor}`}`, key);
        for (const { statement } of body.data) found.add(statement);
        cursor = body.nextCursor;
      }
      for (const n of acknowledged.get(key)!) assert.ok(found.has(fact(n, "load").statement), `write ${n}`);
    }
    const ready = await (await fetch(`${url}/health/ready`)).json();
    assert.deepEqual([ready.status, ready.checks.workers], ["ok", "ok"]);
    const { text } = await world.call("GET", "/metrics", two.key);
    assert.match(text, new RegExp(`^svc_worker_restarts_total\\{worker="${one.worker}"\\} 1$`, "m"));
    assert.match(text, new RegExp(`^svc_worker_restarts_total\\{worker="${two.worker}"\\} 0$`, "m"));
    const socket = /svc-front-[0-9a-z]+/i.exec(await Deno.readTextFile(`/proc/${world.pids[0]}/cmdline`))![0];
    assert.equal((await processesWith(socket)).length, 2);
    await using client = await StreamClient.open(url, { key: two.key });
    world.started.kill("SIGTERM");
    assert.equal((await client.closed).code, 1001);
    assert.equal(await world.started.exitCode, 0, world.started.output());
    assert.deepEqual(await processesWith(socket), []);
  },
});

/** Lets a process open so many files more than it has open, or again as many as before. Answers the limit before. */
async function limitFiles(pid: number, { more, limit }: { more?: number; limit?: string }): Promise<string> {
  const prlimit = async (...args: string[]) => {
    const { success, stdout, stderr } = await new Deno.Command("prlimit", { args: ["--pid", String(pid), ...args] })
      .output();
    assert.ok(success, new TextDecoder().decode(stderr));
    return new TextDecoder().decode(stdout).trim();
  };
  const before = await prlimit("--nofile", "--raw", "--noheadings", "--output", "SOFT");
  if (more !== undefined) {
    const open = new Set([...Deno.readDirSync(`/proc/${pid}/fd`)].map(({ name }) => Number(name)));
    // A new file gets the lowest number that is free, and the limit is one above the highest number.
    let free = 0;
    let next = 0;
    for (; free < more || open.has(next); next++) if (!open.has(next)) free++;
    limit = String(next);
  }
  await prlimit(`--nofile=${limit}:`);
  return before;
}

Deno.test({
  ...POSTGRES,
  name: "F25 a front that has no file descriptor left for a connection over HTTP/2 lives, and serves HTTP/2 again",
  async fn() {
    await using world = await startWorkersWorld();
    const { started, tenants: [{ key }], pids } = world;
    const { hostname, port } = new URL(world.url);
    const preface = new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0");
    // One for the caller's connection and one for the front's to its own server, which then has none to accept it.
    const limit = await limitFiles(started.pid, { more: 2 });
    let hasEnded = false;
    started.exitCode.then(() => hasEnded = true);
    {
      using caller = await Deno.connect({ hostname, port: Number(port) });
      await caller.write(preface);
      await waitFor("accepting fails", () => hasEnded || world.lines.some((l) => l.event === "server.accept_failed"));
    }
    assert.ok(!hasEnded, started.output());
    await limitFiles(started.pid, { limit });
    using client = Deno.createHttpClient({ http1: false, http2: true });
    await waitFor("HTTP/2 is served again", async () => {
      const reply = await fetch(`${world.url}/v1/whoami`, { headers: { authorization: `Bearer ${key}` }, client });
      await reply.body?.cancel();
      return reply.status === 200;
    });
    assert.deepEqual(world.pids, pids);
  },
});

Deno.test({
  ...POSTGRES,
  name: "workers end by themselves when the front is killed",
  async fn() {
    await using world = await startWorkersWorld();
    const socket = /svc-front-[0-9a-z]+/i.exec(await Deno.readTextFile(`/proc/${world.pids[0]}/cmdline`))![0];
    Deno.kill(world.started.pid, "SIGKILL");
    await waitFor("no worker", async () => (await processesWith(socket)).length === 0);
    // The workers share its standard output, which ends with the last of them.
    await world.started.exitCode;
  },
});

Deno.test({
  ...POSTGRES,
  name: "workers that may not start end the service with their reason and exit code",
  async fn() {
    await using database = await createDatabase();
    const serve = ["src/cli/main.ts", "serve", "--workers", "2"] as const;
    await using started = await startProcess({ DATABASE_URL: database.superuserUrl }, serve);
    assert.equal(await started.exitCode, 1);
    assert.match(started.output(), /Cannot start/);
    assert.doesNotMatch(started.output(), /server\.started/);
  },
});
