/**
 * Workspaces on several clusters: each is served where it is placed, whatever happens to the other clusters. See
 * docs/guides/clusters.md.
 */
import assert from "node:assert/strict";
import * as access from "../../src/domain/access/authorize.ts";
import { POSTGRES } from "../_postgres.ts";
import { ADMIN_TOKEN, startService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { TwoClusters } from "./_two.ts";

const REGION = "us-east-1";
const FACT = { statement: "The nightly backup runs at two." };

Deno.test({
  ...POSTGRES,
  name: "a workspace that is placed on another cluster is served from there, with its keys, and the lists hold all",
  async fn() {
    await using two = await TwoClusters.start();
    await using service = await two.service();
    const workspaceId = await access.createWorkspace(service.deps, { name: "placed", region: REGION, cluster: "b" });
    const key = await service.createKey({ workspaceId });
    const created = await service.post("/v1/memory/facts", FACT, { key });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    const found = await service.post("/v1/memory/recall", { query: "When does the backup run?" }, { key });
    assert.equal(found.status, 200);
    assert.match(JSON.stringify(found.body), /nightly backup/);
    assert.deepEqual(await two.rows("home", workspaceId), {});
    assert.ok((await two.rows("b", workspaceId))["unit"]!.length === 1);

    const admin = { key: ADMIN_TOKEN };
    const listed = await service.get("/v1/admin/workspaces", admin);
    assert.deepEqual(
      listed.body.data.map((row: { id: string }) => row.id).sort(),
      [service.workspaceId, workspaceId].sort(),
    );
    const one = await service.get("/v1/admin/workspaces?limit=1", admin);
    assert.equal(one.body.data[0].id, workspaceId, "the newest of all clusters");
    const keys = await service.get("/v1/admin/api-keys", admin);
    const itsKey = keys.body.data.find((row: { workspaceId: string }) => row.workspaceId === workspaceId);
    assert.ok(itsKey, "the keys of all clusters are listed");

    const renamed = await service.patch(`/v1/admin/workspaces/${workspaceId}`, { name: "renamed" }, admin);
    assert.equal(renamed.status, 200, JSON.stringify(renamed.body));
    const events = (name: "home" | "b", chain: string) =>
      two.look(
        name,
        async (sql) =>
          (await sql`select event_type from svc_audit_log where workspace_id = ${chain} order by seq`).map((row) =>
            row["event_type"]
          ),
      );
    const zeros = "00000000-0000-0000-0000-000000000000";
    assert.ok((await events("home", zeros)).includes("workspace.renamed"), "the service's own chain is on home");
    assert.deepEqual(await events("b", zeros), []);
    assert.ok((await events("b", workspaceId)).includes("workspace.renamed"));

    const revoked = await service.post(`/v1/admin/keys/${itsKey.id}/revoke`, {}, admin);
    assert.ok(revoked.status < 300, JSON.stringify(revoked.body));
    assert.equal((await service.post("/v1/memory/facts", FACT, { key })).status, 401);
  },
});

Deno.test({
  ...POSTGRES,
  name: "while a cluster is down its workspaces are refused for now, all others are served, and readiness names it",
  async fn() {
    await using two = await TwoClusters.start();
    await using service = await two.service();
    const workspaceId = await access.createWorkspace(service.deps, { name: "placed", region: REGION, cluster: "b" });
    const key = await service.createKey({ workspaceId });
    assert.equal((await service.post("/v1/memory/facts", FACT, { key })).status, 201);
    await two.server.stop("immediate");

    assert.equal((await service.post("/v1/memory/facts", FACT, { key })).status, 503);
    const unseen = await service.createKey();
    for (const mine of [service.key, unseen]) {
      assert.equal((await service.post("/v1/memory/facts", FACT, { key: mine })).status < 300, true);
    }
    const ready = await service.get("/health/ready?exclude=cache,notifications", { key: null });
    assert.deepEqual(
      [ready.status, ready.body.checks.database, ready.body.checks["cluster b"]],
      [200, "ok", "unavailable"],
    );

    await using late = await two.service();
    assert.equal((await late.post("/v1/memory/facts", FACT)).status, 201, "a process also starts without it");
    await two.server.start();
    for (const one of [service, late]) {
      await waitFor("the cluster is back", async () => {
        const { status } = await one.post("/v1/memory/recall", { query: "backup" }, { key });
        return status === 200;
      });
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "a process that takes one cluster for another, or for the only one, does not start",
  async fn() {
    await using two = await TwoClusters.start();
    const alone = startService({ database: two.home });
    await assert.rejects(alone, /the database is the cluster home of several; set SVC_CLUSTERS/);
    const swapped = startService({ database: two.b, env: { SVC_CLUSTERS: `b=${two.home.requestUrl}` } });
    await assert.rejects(swapped, /the database for the cluster home is the cluster b/);
  },
});
