/** The audit log: who saw and changed what, in a chain. Interface §5.13, security T65 and T66. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { type AuditRecord, CHAIN_START, commitToAddress, hashAuditRecord } from "../../src/crypto/audit_chain.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";

type Row = Omit<AuditRecord, "created_at" | "seq"> & { seq: string; created_at: Date; hash: Uint8Array };

function connectSuperuser(service: TestService) {
  const sql = postgres(service.database!.superuserUrl, { max: 1, onnotice: () => {} });
  return { sql, [Symbol.asyncDispose]: () => sql.end() };
}

async function readLog(sql: postgres.Sql, workspaceId: string): Promise<Row[]> {
  return await sql<Row[]>`select * from svc_audit_log where workspace_id = ${workspaceId} order by seq`;
}

function assertChain(rows: readonly Row[]): void {
  let previous = CHAIN_START;
  for (const [i, { hash, seq, created_at, ...row }] of rows.entries()) {
    assert.equal(Number(seq), i + 1, "no gap");
    previous = hashAuditRecord(previous, { ...row, seq: Number(seq), created_at: created_at.toISOString() });
    assert.deepEqual(new Uint8Array(hash), new Uint8Array(previous), `row ${seq}`);
  }
}

Deno.test({
  ...POSTGRES,
  name: "T65 every request leaves one row in an unbroken chain: what it changed, showed or was refused",
  async fn() {
    await using service = await startService();
    await using superuser = connectSuperuser(service);
    const { body: fact } = await service.post("/v1/memory/facts", { statement: "The build runs on two cores" });
    await service.get(`/v1/facts/${fact.id}`);
    await service.post("/v1/memory/recall", { query: "two cores" });
    await service.post("/v1/memory/recall/hot", { query: "two cores" });
    await service.get(`/v1/facts/${crypto.randomUUID()}`);
    const narrow = await service.createKey({ scopes: ["memory:read"] });
    await service.post("/v1/memory/facts", { statement: "No" }, { key: narrow });
    await service.deps.audit.flush();
    const rows = (await readLog(superuser.sql, service.workspaceId)).filter((row) => row.actor_type === "key");
    const seen = rows.map((row) => [row.event_type, row.outcome, row.targets.includes(fact.id)]);
    // Writes stand in the log at once, what was only read a moment later.
    assert.deepEqual(seen, [
      ["write.createFact", "ok", true],
      ["read.getFactV2", "ok", true],
      ["read.recall", "ok", true],
      ["read.recallHot", "ok", true],
      ["refused.getFactV2", "not_found", false],
      ["refused.createFact", "insufficient_scope", false],
    ]);
    assertChain(await readLog(superuser.sql, service.workspaceId));
  },
});

Deno.test({
  ...POSTGRES,
  name: "T65 a hundred writers at once make one chain without a gap, two processes too",
  async fn() {
    await using service = await startService();
    await using other = await startService({ database: service.database! });
    await using superuser = connectSuperuser(service);
    await Promise.all(Array.from({ length: 100 }, async (_, i) => {
      const to = i % 2 === 0 ? service : other;
      const key = service.key;
      const reply = await to.post("/v1/memory/facts", { statement: `Item ${i} weighs ${i} grams` }, { key });
      assert.equal(reply.status, 201);
      await to.get(`/v1/facts/${reply.body.id}`, { key });
    }));
    await service.deps.audit.flush();
    await other.deps.audit.flush();
    const rows = await readLog(superuser.sql, service.workspaceId);
    assert.equal(rows.filter((row) => row.event_type === "write.createFact").length, 100);
    assert.equal(rows.filter((row) => row.event_type === "read.getFactV2").length, 100);
    assertChain(rows);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T66 what cannot be told to the audit log is not done: 503, and nothing changes",
  async fn() {
    await using service = await startService();
    await using superuser = connectSuperuser(service);
    await superuser.sql`revoke insert on svc_audit_log from svc_app`;
    const refused = await service.post("/v1/memory/facts", { statement: "The build runs on two cores" });
    assert.equal(refused.status, 503);
    assert.equal(refused.body.code, "unavailable");
    assert.equal(refused.headers.get("retry-after"), "1");
    const [{ count }] = await superuser.sql`select count(*)::int from unit`;
    assert.equal(count, 0);
    await superuser.sql`grant insert on svc_audit_log to svc_app`;
    const done = await service.post("/v1/memory/facts", { statement: "The build runs on two cores" });
    assert.equal(done.status, 201);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T65 nobody changes, deletes or truncates a row, the tables' owner included",
  async fn() {
    await using service = await startService();
    await service.post("/v1/memory/facts", { statement: "The build runs on two cores" });
    await service.deps.audit.flush();
    for (const url of [service.database!.requestUrl, service.database!.ownerUrl, service.database!.superuserUrl]) {
      const sql = postgres(url, { max: 1, onnotice: () => {} });
      try {
        const attempts = [
          "update svc_audit_log set actor_id = 'nobody'",
          "delete from svc_audit_log",
          "truncate svc_audit_log",
          "delete from svc_audit_head",
          "truncate svc_audit_head",
        ];
        for (const attempt of attempts) {
          const refusal = sql.begin(async (tx) => {
            await tx`select set_config('app.workspace_id', ${service.workspaceId}, true)`;
            const rows = await tx.unsafe(`${attempt}`);
            // Forced policies of another role hide all rows from the owner: nothing is changed either.
            assert.equal(rows.count, 0);
            throw Object.assign(new Error("no row"), { code: "42501" });
          });
          await assert.rejects(refusal, { code: "42501" }, `${attempt} as ${new URL(url).username}`);
        }
      } finally {
        await sql.end();
      }
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "an address stands beside its commitment, so that it can be forgotten with the chain intact",
  async fn() {
    await using service = await startService();
    await using superuser = connectSuperuser(service);
    const { url } = service.listen();
    const reply = await fetch(`${url}/v1/session`, { headers: { authorization: `Bearer ${service.key}` } });
    await reply.body?.cancel();
    await service.deps.audit.flush();
    const [row] = await superuser.sql`
      select l.ip_commitment, a.ip_address, a.salt from svc_audit_log l join svc_audit_address a using (workspace_id, seq)
       where workspace_id = ${service.workspaceId}`;
    assert.equal(row.ip_address, "127.0.0.1");
    assert.equal(commitToAddress("127.0.0.1", row.salt).commitment, row.ip_commitment);
    await superuser.sql`delete from svc_audit_address`;
    assertChain(await readLog(superuser.sql, service.workspaceId));
  },
});
