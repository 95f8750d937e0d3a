/** An export whose database goes away. docs/reference/guarantees.md T61. */
import assert from "node:assert/strict";
import { connectSuperuser } from "../http/_audit.ts";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { startRelay } from "../_relay.ts";
import { startService } from "../_service.ts";
import { waitFor } from "../_wait.ts";

/** More than all buffers between the service and a client that does not read hold. */
const FACTS = 1_500;
const PADDING = "x".repeat(15_000);

Deno.test({
  ...POSTGRES,
  name:
    "T61 an export whose database goes away breaks off: no end, curl fails, and the file is refused unless as a part",
  async fn() {
    await using database = await createDatabase();
    const url = new URL(database.requestUrl);
    const way = startRelay({ hostname: url.hostname, port: Number(url.port) });
    url.port = String(way.port);
    let wayIsOpen = true;
    const closeWay = async () => {
      if (wayIsOpen) await way[Symbol.asyncDispose]();
      wayIsOpen = false;
    };
    try {
      const logged: string[] = [];
      await using service = await startService({
        database,
        env: { DATABASE_URL: url.href, SVC_LOG_LEVEL: "info" },
        logSink: (line) => logged.push(line),
      });
      for (let from = 0; from < FACTS; from += 500) {
        const facts = Array.from({ length: 500 }, (_, i) => ({
          statement: `Crate ${from + i} stands in hall ${i}.`,
          metadata: { PADDING },
        }));
        const reply = await service.post("/v1/memory/facts/batch", { facts });
        assert.equal(reply.status, 200, JSON.stringify(reply.body).slice(0, 300));
      }
      const { url: base } = service.listen();
      const client = new Deno.Command("curl", {
        args: ["-sS", "-N", "-H", `Authorization: Bearer ${service.key}`, `${base}/v1/export`],
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      const reader = client.stdout.getReader();
      const pieces: Uint8Array[] = [];
      for (let bytes = 0; bytes < 300_000; bytes += pieces.at(-1)!.length) pieces.push((await reader.read()).value!);
      // The client has some lines and waits; the service can send no more than the buffers hold.
      await closeWay();
      for (let next = await reader.read(); !next.done; next = await reader.read()) pieces.push(next.value);
      const [{ code }, stderr] = await Promise.all([client.status, new Response(client.stderr).text()]);
      assert.equal(code, 18, stderr);
      const text = await new Blob(pieces as Uint8Array<ArrayBuffer>[]).text();
      const lines = text.split("\n").filter(Boolean);
      assert.ok(lines.length > 1 && lines.length < FACTS, `${lines.length} lines`);
      assert.doesNotMatch(text, /"kind":"end"/);
      assert.ok(logged.some((line) => line.includes('"export.broken_off"')), "the service says so");

      await using other = await startService();
      const send = (query: string) =>
        other.call("POST", `/v1/import${query}`, { body: text, headers: { "content-type": "application/x-ndjson" } });
      const refused = await send("");
      assert.deepEqual([refused.status, refused.body.code], [422, "validation_failed"]);
      const { body: part } = await send("?partial=true");
      assert.equal(part.complete, false);
      assert.ok(part.created > 0 && part.created >= lines.length - 2, JSON.stringify(part).slice(0, 300));
    } finally {
      await closeWay();
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "T61 a page that met the deadline of the database is asked for again, and the file is whole",
  async fn() {
    await using service = await startService({ env: { SVC_DB_DEADLINE_MS: "1000" } });
    await using superuser = connectSuperuser(service);
    for (let i = 0; i < 3; i++) {
      await service.post("/v1/memory/facts", { statement: `Crate ${i} stands in hall ${i}.` });
    }
    const { url } = service.listen();
    const headers = { authorization: `Bearer ${service.key}` };
    const text = await superuser.sql.begin(async (sql) => {
      await sql`lock table unit in access exclusive mode`;
      const reply = await fetch(`${url}/v1/export`, { headers });
      assert.equal(reply.status, 200);
      const text = reply.text();
      const pages = new Set<string>();
      await waitFor("the page is asked for a second time", async () => {
        const waiting = await sql<{ transaction: string }[]>`
          select virtualtransaction as transaction from pg_locks
           where not granted and relation = 'unit'::regclass
             and database = (select oid from pg_database where datname = current_database())`;
        for (const { transaction } of waiting) pages.add(transaction);
        return pages.size > 1;
      });
      return () => text;
    });
    const lines = (await text()).trimEnd().split("\n");
    assert.equal(JSON.parse(lines.at(-1)!).kind, "end");
    for (let i = 0; i < 3; i++) assert.ok(lines.some((line) => line.includes(`Crate ${i} stands`)), `crate ${i}`);
  },
});
