/** The service while Postgres is away: refused quickly, back by itself, nothing acknowledged is lost. */
import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import postgres from "postgres";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { waitFor } from "../_wait.ts";
import { loadEvents } from "./_bulk.ts";
import { Clients } from "./_ledger.ts";
import { send, ServiceProcess, until } from "./_process.ts";
import { Stage } from "./_stage.ts";

Deno.test({
  ...POSTGRES,
  name: "the service goes on by itself whatever becomes of its Postgres",
  async fn(t) {
    await using stage = await Stage.open({ ownServer: true });
    await t.step(
      "F2 Postgres is stopped at once, killed and restarted under load: 503 meanwhile, then on, nothing is lost",
      () => stopAgainAndAgain(stage),
    );
    await t.step(
      "F3 Postgres is down at boot: the process lives, says so, refuses quickly and goes on by itself",
      () => bootWithout(stage),
    );
    await t.step(
      "F5 ten connections, 100 clients and exports that nobody reads: served or 503, no transaction is held for a reader",
      () => useUpConnections(stage),
    );
    await stage.stop();
  },
});

async function stopAgainAndAgain(stage: Stage): Promise<void> {
  const { server, tenants, nodes: [service] } = stage;
  const clients = new Clients(tenants, 4, { url: () => service.url });
  for (const end of ["immediate", "kill", "fast", "kill"] as const) {
    await clients.progress(40);
    await (end === "kill" ? server.kill() : server.stop(end));
    await until("the service is not ready", async () => await service.status("/health/ready") === 503, service);
    equal(await service.status("/healthz"), 200);
    const refused = await send(service.url, tenants[0].key, "GET", "/session");
    equal(refused.status, 503, JSON.stringify(refused.body));
    equal(refused.body.code, "unavailable");
    notEqual(refused.retryAfter, null);
    await server.start();
    await until("the service is ready", async () => await service.status("/health/ready") === 200, service);
  }
  await clients.progress(40);
  await clients.stop();
  notEqual(clients.refused.get(503), undefined);
  await stage.check();
}

async function bootWithout(stage: Stage): Promise<void> {
  const { server } = stage;
  const database = await createDatabase({ cluster: server.url() });
  await server.stop();
  await using service = await ServiceProcess.start({ DATABASE_URL: database.requestUrl });
  equal(await service.status("/health/live"), 200);
  equal(await service.status("/health/ready"), 503);
  const key = `svc_live_${"a".repeat(60)}`;
  const answers = await Promise.all(Array.from({ length: 50 }, () => send(service.url, key, "GET", "/session")));
  deepEqual([...new Set(answers.map(({ status, retryAfter }) => [status, retryAfter !== null].join()))], ["503,true"]);
  await server.start();
  await until("the service is ready", async () => await service.status("/health/ready") === 200, service);
  const first = /svc_live_\w{61}/.exec(service.output)?.[0] ?? "";
  equal((await send(service.url, first, "GET", "/session")).status, 200);
  equal(await service.stop(), 0, service.output);
  await stage.check();
}

/** More than the buffers on the way to a reader hold, in events. */
const UNREAD_EVENTS = 2_000;

async function useUpConnections(stage: Stage): Promise<void> {
  const { server, tenants, database } = stage;
  const sql = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
  const abort = new AbortController();
  try {
    await loadEvents(sql, tenants[0].workspaceId, UNREAD_EVENTS);
    await server.stop();
    // Seven of them for the service: three are kept for superusers.
    await server.start({ max_connections: 10 });
    await until("the processes are ready", () => stage.isReady(), stage.nodes[0]);
    const headers = { authorization: `Bearer ${tenants[0].key}` };
    const begun: Response[] = [];
    while (begun.length < 10) {
      const reply = await fetch(`${stage.urls[begun.length % 2]}/v1/export?types=event`, {
        headers,
        signal: abort.signal,
      });
      if (reply.status === 200) begun.push(reply);
      else equal((await reply.json()).status, 503);
    }
    // Connections that have just ended may still occupy the slots that are reserved for superusers.
    const readAt = await waitFor("a superuser is let in", async () => {
      const [row] = await sql`select clock_timestamp()::text as "readAt"`;
      return row.readAt as string;
    });
    // Workers begin new ones all the time.
    await waitFor("no transaction of the exports is open", async () => {
      const [{ n }] = await sql`
        select count(*)::int as n from pg_stat_activity
         where application_name = 'svc' and datname = current_database() and xact_start < ${readAt}::timestamptz`;
      return n === 0;
    });
    let next = 0;
    const clients = new Clients(tenants, 50, { url: () => stage.urls[next++ % 2] });
    await clients.progress(50);
    await clients.stop();
    notEqual(clients.refused.get(503), undefined, "connections did not run out");
    // 504: on a busy machine a request may get its connection so late that it meets its deadline.
    deepEqual([...clients.refused.keys()].filter((status) => ![409, 503, 504].includes(status)), []);
    const texts = await Promise.all(begun.map((reply) => reply.text())).catch((error) => {
      throw new Error(stage.nodes.map(({ output }) => output.slice(-5_000)).join("\n"), { cause: error });
    });
    const lines = texts.map((text) => text.trimEnd().split("\n"));
    ok(lines.every((one) => JSON.parse(one.at(-1)!).count >= UNREAD_EVENTS), "an export is not whole");
    await server.stop();
    await server.start({});
    await stage.check();
  } finally {
    abort.abort();
    await sql.end({ timeout: 1 });
  }
}
