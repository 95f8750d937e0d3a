/** The service while Postgres is away: refused quickly, back by itself, nothing acknowledged is lost. */
import { deepEqual, equal, notEqual } from "node:assert/strict";
import { createDatabase, POSTGRES } from "../_postgres.ts";
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
