/** Tenants that two callers change at the same time. docs/reference/guarantees.md T82. */
import assert from "node:assert/strict";
import { createBroker } from "../_fixtures.ts";
import { POSTGRES } from "../_postgres.ts";
import { type Reply, startService, type TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { connectSuperuser } from "./_audit.ts";
import { openTenant } from "./_tenants.ts";
import { Tables } from "./_tables.ts";

const codeOf = ({ status, body }: Reply) => [status, body.code ?? body.state];

/** Holds what `lock` locks until both calls wait, the first one before the second one. */
async function inTurn(
  service: TestService,
  lock: (sql: ReturnType<typeof connectSuperuser>["sql"]) => Promise<unknown>,
  first: () => Promise<Reply>,
  second: () => Promise<Reply>,
): Promise<[Reply, Reply]> {
  await using holder = connectSuperuser(service);
  await using watcher = connectSuperuser(service);
  const wait = (n: number) =>
    waitFor(`${n} of them wait`, async () => {
      const [{ count }] = await watcher.sql<[{ count: number }]>`
        select count(*)::int as count from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`;
      return count >= n;
    });
  const both = await holder.sql.begin(async (sql) => {
    await lock(sql as unknown as ReturnType<typeof connectSuperuser>["sql"]);
    const one = first();
    await wait(1);
    const two = second();
    await wait(2);
    return () => Promise.all([one, two]);
  });
  return await both();
}

Deno.test({
  ...POSTGRES,
  name: "T82 who resumes a tenant at the moment in which another erases it neither serves nor keeps anything of it",
  async fn() {
    await using service = await startService();
    await using tables = new Tables(service);
    const broker = await createBroker(service);
    const { id, key } = await openTenant(service, broker, "alice");
    const fact = await service.post("/v1/memory/facts", { statement: "Alice likes tea." }, { key });
    assert.equal(fact.status, 201);
    const act = (what: string) => service.post(`/v1/admin/tenants/${id}/${what}`, undefined, { key: broker.key });
    assert.equal((await act("suspend")).status, 200);
    const [erased, resumed] = await inTurn(
      service,
      (sql) => sql`select from workspace where workspace_id = ${id} for update`,
      () => act("erase"),
      () => act("resume"),
    );
    assert.deepEqual(codeOf(resumed), [409, "invalid_transition"]);
    assert.deepEqual(codeOf(erased), [200, "erased"]);
    assert.ok(erased.body.erasedRows.unit >= 1, JSON.stringify(erased.body));
    assert.deepEqual(await tables.holding(id), ["svc_audit_head", "svc_audit_log"]);
    assert.equal((await service.get("/v1/whoami", { key })).status, 401);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T82 however many revoke the tokens of a tenant at the same time, all given before end and the next ones count",
  async fn() {
    await using service = await startService();
    const broker = await createBroker(service);
    for (let round = 0; round < 3; round++) {
      const { id, token } = await openTenant(service, broker, "alice");
      const revoked = await Promise.all(
        Array.from(
          { length: 8 },
          () => service.post(`/v1/admin/tenants/${id}/revoke-tokens`, undefined, { key: broker.key }),
        ),
      );
      assert.deepEqual(new Set(revoked.map(({ status }) => status)), new Set([200]));
      assert.equal((await service.get("/v1/whoami", { key: token })).status, 401);
      const next = await openTenant(service, broker, "alice");
      assert.equal((await service.get("/v1/whoami", { key: next.token })).status, 200);
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "T82 who opens a tenant at the moment in which another erases it makes no workspace that nobody knows of",
  async fn() {
    await using service = await startService();
    await using tables = new Tables(service);
    const broker = await createBroker(service);
    // A call that broke off has left a tenant without a workspace.
    const id = crypto.randomUUID();
    await using superuser = connectSuperuser(service);
    await superuser.sql`
      insert into svc_tenant (workspace_id, tenant_id, external_id, public_id, created_at, updated_at)
      values (${broker.id}, ${id}, 'alice', 'aaaaaaaaaaaa', now(), now())`;
    const [erased, opened] = await inTurn(
      service,
      (sql) => sql`select from svc_tenant where tenant_id = ${id} for update`,
      () => service.post(`/v1/admin/tenants/${id}/erase`, undefined, { key: broker.key }),
      () => service.post("/v1/admin/tenants", { externalId: "alice" }, { key: broker.key }),
    );
    assert.deepEqual(codeOf(erased), [200, "erased"]);
    assert.ok(
      opened.status === 409 || (opened.status === 201 && opened.body.tenant.id !== id),
      JSON.stringify(opened.body),
    );
    assert.deepEqual((await tables.holding(id)).filter((table) => !table.startsWith("svc_audit_")), []);
  },
});
