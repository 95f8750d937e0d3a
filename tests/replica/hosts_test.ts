/** Which of several hosts in a database URL a connection goes to. docs/guides/failover.md. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { noteEnded } from "../../src/db/hosts.ts";
import { migrate } from "../../src/db/migrations.ts";
import { parseDatabaseUrl } from "../../src/db/url.ts";
import { POSTGRES } from "../_postgres.ts";
import { waitFor } from "../_wait.ts";
import { atHosts, ReplicaPair } from "./_pair.ts";

/** A port at which nobody listens. */
function closedPort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  listener.close();
  return listener.addr.port;
}

/** A host that takes connections and says nothing, as a halted server does. */
function silentHost(): { readonly port: number; readonly taken: readonly unknown[] } & Disposable {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open: Deno.TcpConn[] = [];
  (async () => {
    for await (const connection of listener) open.push(connection);
  })();
  return {
    port: listener.addr.port,
    taken: open,
    [Symbol.dispose]: () => [listener, ...open].forEach((one) => one.close()),
  };
}

function connectTo(url: string): postgres.Sql {
  return postgres({ ...parseDatabaseUrl(url), connect_timeout: 5, max: 2, onnotice: () => {}, backoff: () => 0 });
}

Deno.test({
  ...POSTGRES,
  name: "a connection goes to a host that fits, past hosts that are closed, silent or something else",
  async fn(t) {
    await using pair = await ReplicaPair.start();
    const { primary, standby, database: { requestUrl, ownerUrl } } = pair;
    using silent = silentHost();
    const closed = { port: closedPort() };
    const portAt = async (url: string) => {
      const sql = connectTo(url);
      try {
        const found = await Promise.all(
          [0, 1].map(() => sql`select current_setting('port')::int as port, pg_sleep(0.1)`),
        );
        assert.equal(found[0]![0]!["port"], found[1]![0]!["port"]);
        return found[0]![0]!["port"];
      } finally {
        await sql.end({ timeout: 1 });
      }
    };
    const cases = [
      ["read-write", [standby, primary], primary],
      ["read-write", [closed, silent, standby, primary], primary],
      ["primary", [silent, primary], primary],
      ["read-only", [primary, standby], standby],
      ["standby", [primary, closed, standby], standby],
      ["prefer-standby", [primary, standby], standby],
      ["prefer-standby", [closed, primary], primary],
      ["any", [standby, primary], standby],
      ["any", [closed, primary], primary],
      ["any", [silent, standby], standby],
    ] as const;
    for (const [target, hosts, expected] of cases) {
      const names = hosts.map((host) =>
        ({ [primary.port]: "primary", [standby.port]: "standby", [closed.port]: "closed" })[host.port] ?? "silent"
      );
      await t.step(`${target} of ${names.join(", ")}`, async () => {
        assert.equal(await portAt(atHosts(requestUrl, hosts, target)), expected.port);
      });
    }
    await t.step("while none fits, the error comes at once and says why; then the same pool goes on", async () => {
      const sql = connectTo(atHosts(requestUrl, [closed, standby], "read-write"));
      try {
        for (let n = 0; n < 5; n++) {
          await assert.rejects(sql`select 1`, {
            code: "57P03",
            message:
              `no host is read-write: 127.0.0.1:${closed.port} cannot be reached (ECONNREFUSED), 127.0.0.1:${standby.port} is a standby`,
          });
        }
        const owner = parseDatabaseUrl(atHosts(ownerUrl, [standby, primary], "read-write"));
        assert.deepEqual(await migrate(owner, { embeddingDimension: 384 }), []);
        await using service = await pair.service({
          env: { DATABASE_URL: atHosts(requestUrl, [silent, standby, primary], "read-write") },
        });
        assert.equal((await service.get("/health/ready", { key: null })).status, 200);
        await standby.promote();
        await waitFor("the pool connects", async () => (await sql`select 1 as one`)[0]?.["one"] === 1);
      } finally {
        await sql.end({ timeout: 1 });
      }
    });
    await t.step("a driver that is ended during the search leaves no connection behind", async () => {
      const url = atHosts(requestUrl, [silent, standby], "any");
      const options = {
        ...parseDatabaseUrl(url),
        connect_timeout: 5,
        max: 1,
        connection: { application_name: "left" },
      };
      const others = connectTo(atHosts(requestUrl, [standby], "any"));
      const before = silent.taken.length;
      const sql = postgres(options);
      try {
        const asked = sql`select 1`.then(() => "answered", (error) => error.code);
        await waitFor("the search is under way", () => silent.taken.length > before, { everyMs: 1 });
        await sql.end({ timeout: 0 });
        noteEnded(sql);
        assert.equal(await asked, "CONNECTION_DESTROYED");
        // Waits for the same search, which ends after that of the driver.
        const same = postgres(options);
        await same`select 1`;
        await same.end({ timeout: 1 });
        await waitFor(
          "nothing is left",
          async () => (await others`select from pg_stat_activity where application_name = 'left'`).length === 0,
          { deadlineMs: 5_000 },
        );
      } finally {
        await others.end({ timeout: 1 });
      }
    });
    await t.step("a wrong password is named, not hidden behind the other hosts", async () => {
      const sql = connectTo(atHosts(requestUrl, [closed, standby], "any").replace(/:[^:@/]+@/, ":wrong-password@"));
      await assert.rejects(sql`select 1`, { code: "28P01" });
      await sql.end({ timeout: 1 });
    });
  },
});
