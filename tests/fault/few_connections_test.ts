/** The service on a server that has fewer connections than its processes would take. */
import { deepEqual, notEqual, ok } from "node:assert/strict";
import postgres from "postgres";
import { POSTGRES } from "../_postgres.ts";
import { waitFor } from "../_wait.ts";
import { loadEvents } from "./_bulk.ts";
import { Clients } from "./_ledger.ts";
import { until } from "./_process.ts";
import { Stage } from "./_stage.ts";

/** More than the buffers on the way to a reader hold, in events. */
const UNREAD_EVENTS = 2_000;

Deno.test({
  ...POSTGRES,
  name:
    "F5 ten connections, 100 clients and exports that nobody reads: served or 503, no transaction is held for a reader",
  async fn() {
    await using stage = await Stage.open({ ownServer: true });
    await useUpConnections(stage);
    await stage.stop();
  },
});

async function useUpConnections(stage: Stage): Promise<void> {
  const { server, tenants, database } = stage;
  const sql = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
  const abort = new AbortController();
  try {
    await loadEvents(sql, tenants[0].workspaceId, UNREAD_EVENTS);
    await server.stop();
    // Three are kept for superusers, and three are this test's own: ten are left for the two processes, which want 22.
    await server.start({ max_connections: 16 });
    await until("the processes are ready", () => stage.isReady(), stage.nodes[0]);
    const headers = { authorization: `Bearer ${tenants[0].key}` };
    const begun: Response[] = [];
    while (begun.length < 10) {
      const reply = await fetch(`${stage.urls[begun.length % 2]}/v1/export?types=event`, {
        headers,
        signal: abort.signal,
      });
      if (reply.status === 200) begun.push(reply);
      // 429, 504: on a busy machine a page may wait too long for its turn or for its connection.
      else ok([429, 503, 504].includes((await reply.json()).status));
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
      const faults = stage.nodes.flatMap(({ output }) =>
        output.split("\n").filter((line) => line.includes("process.fault"))
      );
      throw new Error([...faults, ...stage.nodes.map(({ output }) => output.slice(-5_000))].join("\n"), {
        cause: error,
      });
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
