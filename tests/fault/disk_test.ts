/** The disk under Postgres is full. docs/reference/guarantees.md F8. */
import assert from "node:assert/strict";
import { createTestDeps } from "../_deps.ts";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { waitFor } from "../_wait.ts";
import { checkLedger, checkLiveness, Clients, createTenant } from "./_ledger.ts";
import { ServiceProcess } from "./_process.ts";
import { SmallDiskPostgres } from "./_small_disk.ts";

const server = POSTGRES.ignore ? undefined : await SmallDiskPostgres.start();
if (server === undefined) console.warn("NOT RUN: the test of a full disk; users may not make mount namespaces here");

Deno.test({
  ignore: server === undefined,
  // The server was started before, to know whether it can be.
  sanitizeResources: false,
  sanitizeOps: false,
  name:
    "F8 the disk under Postgres is full: 503 and the process lives; with space again everything acknowledged is there",
  async fn() {
    await using stack = new AsyncDisposableStack();
    const disk = stack.use(server!);
    const database = await createDatabase({ cluster: disk.url });
    const service = stack.use(await ServiceProcess.start({ DATABASE_URL: database.requestUrl }));
    const deps = stack.use(await createTestDeps(database));
    const tenants = [
      await createTenant(deps, service.url, "MARK_ADA"),
      await createTenant(deps, service.url, "MARK_BO"),
    ];
    const clients = new Clients(tenants, 2, { url: () => service.url });
    await clients.progress(10);
    await disk.shrink(1_024);
    await waitFor("the disk is full", () => (clients.refused.get(503) ?? 0) >= 10);
    assert.equal(await service.status("/health/live"), 200);
    assert.equal(service.exitCode, undefined);
    await waitFor("readiness sees it", async () => await service.status("/health/ready") === 503);
    await disk.grow();
    // It ended itself in panic when it could not write its log.
    if (!await disk.isAlive()) await disk.begin();
    await waitFor("readiness", async () => await service.status("/health/ready") === 200);
    await clients.progress(10);
    await clients.stop();
    await checkLiveness([service.url], tenants);
    await checkLedger(deps, database, tenants);
    assert.equal(await service.stop(), 0, service.output);
  },
});
