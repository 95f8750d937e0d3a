/** The service while Postgres is away: refused quickly, back by itself, nothing acknowledged is lost. */
import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { NativePostgres } from "../../scripts/native_postgres.ts";
import { createDeps } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { createDatabase, POSTGRES, type TestDatabase } from "../_postgres.ts";
import { checkHistory, createTenant, type Tenant, Writers } from "./_history.ts";
import { send, ServiceProcess, until } from "./_process.ts";

/** A cluster that keeps what it acknowledged, and a migrated database on it. */
async function startCluster(stack: AsyncDisposableStack): Promise<{ server: NativePostgres; database: TestDatabase }> {
  const server = stack.use(await NativePostgres.start({ durable: true }));
  // Not dropped: the cluster goes as a whole, and may be down by then.
  return { server, database: await createDatabase({ cluster: server.url() }) };
}

async function createTenants(database: TestDatabase, url: string): Promise<Tenant[]> {
  await using deps = await createDeps(readConfig({ DATABASE_URL: database.requestUrl, SVC_LOG_LEVEL: "error" }));
  return [await createTenant(deps, url, "Ada"), await createTenant(deps, url, "Bo")];
}

Deno.test({
  ...POSTGRES,
  name: "F2 Postgres is stopped at once, killed and restarted under load: 503 meanwhile, then on, nothing is lost",
  async fn() {
    await using stack = new AsyncDisposableStack();
    const { server, database } = await startCluster(stack);
    const service = stack.use(await ServiceProcess.start({ DATABASE_URL: database.requestUrl }));
    const tenants = await createTenants(database, service.url);
    const writers = new Writers(tenants, 4, () => service.url);
    for (const end of ["immediate", "kill", "fast", "kill"] as const) {
      await writers.progress(50);
      await (end === "kill" ? server.kill() : server.stop(end));
      await until("the service is not ready", async () => await service.status("/health/ready") === 503, service);
      equal(await service.status("/healthz"), 200);
      const refused = await send(service.url, tenants[0].key, "GET", "/session");
      equal(refused.status, 503, JSON.stringify(refused.body));
      ok(refused.ms < 3_000, `a refusal took ${refused.ms} ms`);
      equal(refused.body.code, "unavailable");
      notEqual(refused.retryAfter, null);
      await server.start();
      await until("the service is ready again", async () => await service.status("/health/ready") === 200, service);
    }
    await writers.progress(50);
    await writers.stop();
    ok((writers.refused.get(503) ?? 0) > 0);
    ok(writers.slowestMs < 15_000, `a request took ${writers.slowestMs} ms`);
    await checkHistory(service.url, tenants);
    equal(await service.stop(), 0, service.output);
  },
});

Deno.test({
  ...POSTGRES,
  name: "F3 Postgres is down at boot: the process lives, says so, refuses quickly and goes on by itself",
  async fn() {
    await using stack = new AsyncDisposableStack();
    const { server, database } = await startCluster(stack);
    await server.stop();
    const service = stack.use(await ServiceProcess.start({ DATABASE_URL: database.requestUrl }));
    equal(await service.status("/health/live"), 200);
    equal(await service.status("/health/ready"), 503);
    const key = `svc_live_${"a".repeat(60)}`;
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(service.url, key, "GET", "/session")));
    deepEqual([...new Set(answers.map(({ status, retryAfter }) => [status, retryAfter !== null].join()))], [
      "503,true",
    ]);
    ok(Math.max(...answers.map(({ ms }) => ms)) < 3_000);
    await server.start();
    await until("the service is ready", async () => await service.status("/health/ready") === 200, service);
    const tenants = await createTenants(database, service.url);
    equal((await send(service.url, tenants[0].key, "GET", "/session")).status, 200);
    equal(await service.stop(), 0, service.output);
  },
});

Deno.test({
  ...POSTGRES,
  name: "F14 two processes are killed in turn under load: the other one serves, nothing acknowledged is lost",
  async fn() {
    await using stack = new AsyncDisposableStack();
    const { database } = await startCluster(stack);
    const env = { DATABASE_URL: database.requestUrl };
    const processes = await Promise.all([ServiceProcess.start(env), ServiceProcess.start(env)]);
    stack.defer(async () => {
      for (const process of processes) await process.kill();
    });
    const tenants = await createTenants(database, processes[0].url);
    let next = 0;
    const writers = new Writers(tenants, 4, () => processes[next++ % 2].url);
    for (let round = 0; round < 4; round++) {
      await writers.progress(40);
      const at = round % 2;
      const port = Number(new URL(processes[at].url).port);
      await processes[at].kill();
      await writers.progress(10);
      processes[at] = await ServiceProcess.start(env, port);
    }
    await writers.progress(40);
    await writers.stop();
    for (const process of processes) await checkHistory(process.url, tenants);
    for (const process of processes) equal(await process.stop(), 0, process.output);
  },
});
