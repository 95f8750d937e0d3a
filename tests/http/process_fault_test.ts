/**
 * F23: an error that nothing caught is logged and counted, running requests are finished, and the process ends with 1.
 */
import assert from "node:assert/strict";
import { createDatabase, POSTGRES, type TestDatabase } from "../_postgres.ts";
import { waitFor } from "../_wait.ts";
import { startProcess } from "./_process.ts";

/** The service with one more path, at which `fault` is run. It may wait for `opened`: a POST that the service has begun. */
function programWith(fault: string): string {
  return `
    import postgres from "postgres";
    import { readConfig } from "./src/config.ts";
    import { Service } from "./src/service.ts";

    const service = await Service.boot(readConfig());
    const opened = Promise.withResolvers();
    const fault = async () => { ${fault} };
    service.stopOnSignals();
    const serve = service.fetch;
    service.fetch = (request, info) => {
      if (new URL(request.url).pathname !== "/fault") {
        const reply = serve(request, info);
        if (request.method === "POST") opened.resolve();
        return reply;
      }
      setTimeout(fault, 0);
      return Promise.resolve(new Response("it comes"));
    };
    await service.listen();
  `;
}

function start(database: TestDatabase, fault: string) {
  return startProcess({ env: { DATABASE_URL: database.requestUrl }, database, program: programWith(fault) });
}

const FAULTS: Readonly<Record<string, readonly [origin: string, fault: string]>> = {
  "a promise that is rejected with nobody waiting": [
    "unhandledrejection",
    `Promise.reject(new Error("nobody waits"));`,
  ],
  "an error thrown from a timer": ["error", `setTimeout(() => { throw new RangeError("nobody catches"); }, 0);`],
};

for (const [name, [origin, fault]] of Object.entries(FAULTS)) {
  Deno.test({
    ...POSTGRES,
    name: `F23 ${name}: the open request is finished, then the process ends with 1`,
    async fn() {
      await using database = await createDatabase();
      await using service = await start(database, `await opened.promise; ${fault}`);
      const body = new TransformStream<Uint8Array>();
      const writer = body.writable.getWriter();
      const open = fetch(`${service.url}/v1/session`, {
        method: "POST",
        headers: { authorization: `Bearer ${service.client.key}`, "content-type": "application/json" },
        body: body.readable,
      });
      await writer.write(new TextEncoder().encode(`{"title":`));
      await (await fetch(`${service.url}/fault`)).text();
      const begun = await service.logged("server.shutdown_begun");
      assert.equal(begun["openRequests"], 1);
      const ready = await service.client.get("/health/ready");
      assert.deepEqual([ready.status, ready.body.checks.process], [503, "stopping"]);
      const metrics = await service.client.get("/metrics");
      assert.match(metrics.body, /^svc_errors_total\{[^}]*type="process_fault"\} 1$/m);
      const late = await service.client.get("/v1/session");
      assert.deepEqual([late.status, late.body.code, late.headers.get("retry-after")], [503, "unavailable", "1"]);
      await writer.write(new TextEncoder().encode(`"kept"}`));
      await writer.close();
      const reply = await open;
      assert.equal(reply.status, 201);
      assert.equal((await reply.json()).title, "kept");
      assert.equal(await service.exited, 1);
      const line = await service.logged("process.fault");
      assert.deepEqual([line["level"], line["origin"]], ["error", origin]);
      assert.equal((await service.logged("server.stopped"))["drained"], true);
    },
  });
}

Deno.test({
  ...POSTGRES,
  name: "F23 what the database driver throws from a timer about a dead backend does not end the process",
  async fn() {
    await using database = await createDatabase();
    await using service = await start(
      database,
      `
      const closed = Promise.withResolvers();
      const sql = postgres(Deno.env.get("DATABASE_URL"), { max: 2, onnotice: () => {}, onclose: () => closed.resolve() });
      await sql.begin(async (tx) => {
        const [{ pid }] = await tx\`select pg_backend_pid() as pid\`;
        await sql\`select pg_terminate_backend(\${pid}, 5000)\`;
        await closed.promise;
        tx\`select 1\`.catch(() => {});
        await new Promise(() => {});
      }).catch(() => {});
      `,
    );
    await (await fetch(`${service.url}/fault`)).text();
    await service.logged("database.driver_fault");
    await waitFor("requests are served", async () => (await service.client.get("/v1/session")).status === 200);
    service.signal("SIGTERM");
    assert.equal(await service.exited, 0);
  },
});
