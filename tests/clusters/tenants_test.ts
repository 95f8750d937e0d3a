/** Tenants whose workspaces are on another cluster than their rows. docs/guides/clusters.md. */
import assert from "node:assert/strict";
import { createBroker } from "../_fixtures.ts";
import { openTenant } from "../http/_tenants.ts";
import { POSTGRES } from "../_postgres.ts";
import { TwoClusters } from "./_two.ts";

Deno.test({
  ...POSTGRES,
  name:
    "T82 a tenant on another cluster is made once, suspended, resumed, given new tokens and erased, also by many at the same time",
  async fn() {
    await using two = await TwoClusters.start();
    await using service = await two.service({ env: { SVC_NEW_WORKSPACES_CLUSTER: "b" } });
    const broker = await createBroker(service);
    // More at the same time than there are connections to the home cluster.
    const many = await Promise.all(Array.from({ length: 24 }, (_, n) => openTenant(service, broker, `user ${n}`)));
    assert.equal(new Set(many.map((one) => one.id)).size, 24);
    const opened = await Promise.all(Array.from({ length: 6 }, () => openTenant(service, broker, "alice")));
    const [{ id, token }] = opened as [(typeof opened)[0]];
    assert.deepEqual(new Set(opened.map((one) => one.id)), new Set([id]));
    const act = (what: string) => service.post(`/v1/admin/tenants/${id}/${what}`, undefined, { key: broker.key });
    const status = async (key: string) => (await service.get("/v1/whoami", { key })).status;
    assert.equal(await status(token), 200);
    assert.ok((await two.rows("b", id))["api_key"]!.length >= 7);
    assert.equal((await act("suspend")).status, 200);
    assert.equal(await status(token), 403);
    assert.equal((await act("resume")).status, 200);
    assert.equal(await status(token), 200);
    const revoked = await Promise.all(Array.from({ length: 4 }, () => act("revoke-tokens")));
    assert.deepEqual(revoked.map((reply) => reply.status), [200, 200, 200, 200]);
    assert.equal(await status(token), 401);
    assert.equal(await status((await openTenant(service, broker, "alice")).token), 200);
    assert.equal((await act("suspend")).status, 200);
    const [erased, resumed] = await Promise.all([act("erase"), act("resume"), act("erase")]);
    assert.deepEqual([erased!.status, erased!.body.state], [200, "erased"]);
    assert.ok([200, 409].includes(resumed!.status), "the resume came before, or was refused");
    const left = Object.keys(await two.rows("b", id)).filter((table) => !table.startsWith("svc_audit_"));
    assert.deepEqual(left, []);
  },
});
