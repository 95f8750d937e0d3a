/** Access of admins to workspaces. docs/reference/guarantees.md T17, T21, T22. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { listAudit, verifyAudit } from "../../src/domain/audit/log.ts";
import * as admins from "../../src/domain/access/admin/admins.ts";
import { SYSTEM_WORKSPACE } from "../../src/domain/common/system.ts";
import { ListAuditQuery } from "../../src/schema/audit.ts";
import { createTestAdmin, createTestAdmins, requestAccess, systemOperator, type TestAdmin } from "../_admin.ts";
import { POSTGRES } from "../_postgres.ts";
import { ADMIN_TOKEN, type Reply, type StartOptions, startService, type TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { auditTrailOf } from "../../src/domain/audit/trail.ts";
import { connectSuperuser } from "./_audit.ts";

/** A service whose clock stands until the test moves it; the database's clock runs on. */
async function start(options: StartOptions = {}) {
  let now = new Date();
  const service = await startService({ clock: () => now, ...options });
  return { service, after: (seconds: number) => void (now = new Date(now.getTime() + seconds * 1_000)) };
}

function expectRefusal(reply: Reply, status: number, code: string, what = ""): void {
  assert.deepEqual([reply.status, reply.body.code], [status, code], `${what} ${JSON.stringify(reply.body)}`);
}

function decide(service: TestService, admin: TestAdmin, id: string, as: string, body: unknown = {}): Promise<Reply> {
  return service.post(`/v1/admin/break-glass/${id}/${as}`, body, { key: admin.key });
}

/** An approved grant of the first admin, by the second. */
async function grant(service: TestService, asking: TestAdmin, other: TestAdmin, body = {}): Promise<string> {
  const requested = await requestAccess(service, asking, body);
  assert.equal(requested.status, 201, JSON.stringify(requested.body));
  const approved = await decide(service, other, requested.body.id, "approve", { totp: other.totp() });
  assert.equal(approved.status, 200, JSON.stringify(approved.body));
  assert.equal(approved.body.state, "approved");
  return requested.body.id;
}

function under(admin: TestAdmin, id: string) {
  return { key: admin.key, headers: { "x-svc-break-glass": id } };
}

async function audited(service: TestService, workspaceId: string, query: string): Promise<Record<string, unknown>[]> {
  await auditTrailOf(service.deps).flush();
  const rows = await listAudit(
    service.operator(workspaceId),
    ListAuditQuery.parse({ eventType: query, order: "asc" }),
  );
  return rows.data;
}

async function withSuperuser(service: TestService, work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(service.database!.superuserUrl, { max: 1, onnotice: () => {} });
  try {
    await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

for (const embedded of [false, true]) {
  Deno.test({
    ...(embedded ? {} : POSTGRES),
    name: `T22 a grant opens the workspace to the admin who asked, and each use stands in both audit chains, ${
      embedded ? "embedded" : "native"
    }`,
    async fn() {
      const { service } = await start({ embedded });
      await using _ = service;
      const { body: fact } = await service.post("/v1/memory/facts", { statement: "The lighthouse has two lamps." });
      const [ada, bob] = await createTestAdmins(service, 2);
      expectRefusal(await service.get("/v1/memory/facts", under(ada, fact.id)), 403, "break_glass_required");

      const id = await grant(service, ada, bob);
      const seen = await service.get(`/v1/memory/facts/${fact.id}`, under(ada, id));
      assert.equal(seen.status, 200, JSON.stringify(seen.body));
      assert.equal(seen.body.statement, "The lighthouse has two lamps.");
      const write = await service.post("/v1/memory/facts", { statement: "No." }, under(ada, id));
      expectRefusal(write, 403, "insufficient_scope", "only what the grant names");
      expectRefusal(await service.get("/v1/memory/facts", under(bob, id)), 403, "break_glass_required", "another's");
      expectRefusal(await service.get("/v1/memory/facts", { key: ada.key }), 401, "unauthenticated", "none named");
      const token = { key: ADMIN_TOKEN, headers: { "x-svc-break-glass": id } };
      expectRefusal(await service.get("/v1/memory/facts", token), 401, "unauthenticated", "the configured token");

      const used = await service.get(`/v1/admin/break-glass/${id}`, { key: bob.key });
      assert.equal(used.body.uses, 1);
      for (const workspaceId of [service.workspaceId, SYSTEM_WORKSPACE]) {
        const rows = await audited(service, workspaceId, "break_glass.");
        assert.deepEqual(
          rows.map((row) => [row["event_type"], row["actor_id"]]),
          [
            ["break_glass.requested", `admin:${ada.id}`],
            ["break_glass.approved", `admin:${bob.id}`],
            ["break_glass.used", `admin:${ada.id}`],
          ],
        );
        const detail = { operation: "getFact", reason: "Ticket 4711", admin: ada.name };
        assert.deepEqual(rows[2]!["detail"], detail);
      }
      // The tenant sees the access, with the ids of the shown resources.
      await auditTrailOf(service.deps).flush();
      const trail = await service.get(`/v1/audit?actorId=admin:${ada.id}&target=${fact.id}`);
      assert.deepEqual(trail.body.data.map((row: { event_type: string }) => row.event_type), ["read.getFact"]);
      for (const workspaceId of [service.workspaceId, SYSTEM_WORKSPACE]) {
        assert.ok((await verifyAudit(service.operator(workspaceId), {})).ok);
      }
    },
  });
}

Deno.test({
  ...POSTGRES,
  name: "T22 a grant for writing writes as the admin, in the grant's workspace and below its clearance, and no other",
  async fn() {
    const { service } = await start();
    await using _ = service;
    const [ada, bob] = await createTestAdmins(service, 2);
    const other = await service.createWorkspace();
    const otherKey = await service.createKey({ workspaceId: other });
    const secret = { statement: "The vault opens at nine.", sensitivity: "restricted" };
    const { body: hidden } = await service.post("/v1/memory/facts", secret);
    const { body: foreign } = await service.post("/v1/memory/facts", { statement: "Foreign." }, { key: otherKey });
    const id = await grant(service, ada, bob, { scopes: ["memory:read", "memory:write"], maxSensitivity: "internal" });
    for (const invisible of [hidden.id, foreign.id]) {
      assert.equal((await service.get(`/v1/memory/facts/${invisible}`, under(ada, id))).status, 404);
    }
    const written = await service.post("/v1/memory/facts", { statement: "Mended." }, under(ada, id));
    assert.equal(written.status, 201);
    assert.equal(written.body.createdBy, `admin:${ada.id}`);
    assert.equal((await service.get(`/v1/memory/facts/${written.body.id}`)).status, 200);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T22 nobody approves an own request, with whichever key, neither through the service nor past it; it is audited",
  async fn() {
    const { service } = await start();
    await using _ = service;
    const ada = await createTestAdmin(service);
    const second = await admins.createAdminKey(systemOperator(service), { admin: ada.name, name: "second" });
    const { body: request } = await requestAccess(service, ada);
    assert.equal(request.state, "pending");
    for (const key of [ada.key, second.key]) {
      const reply = await decide(service, { ...ada, key }, request.id, "approve", { totp: ada.totp(1) });
      expectRefusal(reply, 403, "self_approval");
    }
    await withSuperuser(service, async (sql) => {
      await assert.rejects(
        () =>
          sql`update svc_break_glass_request set decision = 'approved', approved_by = requested_by, approved_at = now(),
                     expires_at = now() + interval '1 hour' where id = ${request.id}`,
        /svc_break_glass_two_admins/,
      );
      await assert.rejects(
        () =>
          sql`update svc_break_glass_request set decision = 'approved', approved_by = ${crypto.randomUUID()},
                     approved_at = now(), expires_at = now() + interval '25 hours' where id = ${request.id}`,
        /svc_break_glass_day/,
      );
    });
    const refused = await audited(service, SYSTEM_WORKSPACE, "refused.");
    assert.deepEqual(
      refused.map((row) => [row["event_type"], row["outcome"], row["actor_id"]]),
      Array(2).fill(["refused.approveBreakGlass", "self_approval", `admin:${ada.id}`]),
    );
    const bob = await createTestAdmin(service);
    const guessed = await decide(service, bob, request.id, "approve", { totp: bob.totp(10) });
    expectRefusal(guessed, 401, "totp_invalid", "a second admin without the code of now");
    expectRefusal(await service.get("/v1/memory/facts", under(ada, request.id)), 403, "break_glass_required");
  },
});

Deno.test({
  ...POSTGRES,
  name: "T22 pending lasts an hour, a grant its time and never beyond a day after the request; nothing makes it longer",
  async fn() {
    const { service, after } = await start();
    await using _ = service;
    const [ada, bob, eve] = await createTestAdmins(service, 3);
    // Not approved within the hour.
    const { body: late } = await requestAccess(service, ada);
    await withSuperuser(
      service,
      (sql) => sql`update svc_break_glass_request set created_at = now() - interval '61 minutes' where id = ${late.id}`,
    );
    const expired = await decide(service, bob, late.id, "approve", { totp: bob.totp() });
    expectRefusal(expired, 409, "invalid_transition");
    assert.equal((await service.get(`/v1/admin/break-glass/${late.id}`, { key: bob.key })).body.state, "expired");
    for (const as of ["deny", "revoke"]) {
      expectRefusal(await decide(service, bob, late.id, as), 409, "invalid_transition", as);
    }

    // A day after the request at most, whatever it asked for.
    after(60);
    const { body: long } = await requestAccess(service, ada, { ttlSeconds: 86_400 });
    await withSuperuser(
      service,
      (sql) => sql`update svc_break_glass_request set created_at = now() - interval '59 minutes' where id = ${long.id}`,
    );
    const approved = await decide(service, bob, long.id, "approve", { totp: bob.totp() });
    const day = Date.parse(approved.body.expiresAt) - Date.parse(approved.body.createdAt);
    assert.equal(day, 24 * 3_600_000);
    // No admin can approve it once more.
    after(60);
    for (const admin of [bob, eve]) {
      const again = await decide(service, admin, long.id, "approve", { totp: admin.totp() });
      expectRefusal(again, 409, "invalid_transition");
    }
    const still = await service.get(`/v1/admin/break-glass/${long.id}`, { key: bob.key });
    assert.equal(still.body.expiresAt, approved.body.expiresAt);
    assert.equal((await service.get("/v1/memory/facts", under(ada, long.id))).status, 200);
    await withSuperuser(service, (sql) =>
      sql`update svc_break_glass_request
             set created_at = created_at - interval '2 days', approved_at = approved_at - interval '2 days',
                 expires_at = expires_at - interval '2 days' where id = ${long.id}`);
    expectRefusal(await service.get("/v1/memory/facts", under(ada, long.id)), 403, "break_glass_required");
    const refused = await audited(service, SYSTEM_WORKSPACE, "refused.listFacts");
    assert.deepEqual(refused.map((row) => row["outcome"]), ["break_glass_required"]);

    expectRefusal(await requestAccess(service, ada, { ttlSeconds: 86_401 }), 422, "validation_failed");
  },
});

Deno.test({
  ...POSTGRES,
  name: "T22 two admins who decide at once: one does; what is denied or revoked opens nothing from then on",
  async fn() {
    const { service, after } = await start();
    await using _ = service;
    const [ada, bob, eve] = await createTestAdmins(service, 3);
    const { body: request } = await requestAccess(service, ada);
    const decisions = await Promise.all([
      decide(service, bob, request.id, "approve", { totp: bob.totp() }),
      decide(service, eve, request.id, "approve", { totp: eve.totp() }),
      decide(service, eve, request.id, "deny"),
    ]);
    assert.deepEqual(decisions.map(({ status }) => status).sort(), [200, 409, 409]);

    after(60);
    const id = await grant(service, ada, bob);
    assert.equal((await service.get("/v1/memory/facts", under(ada, id))).status, 200);
    const revoked = await decide(service, ada, id, "revoke");
    assert.deepEqual([revoked.status, revoked.body.state, revoked.body.endedBy.id], [200, "revoked", ada.id]);
    expectRefusal(await service.get("/v1/memory/facts", under(ada, id)), 403, "break_glass_required");

    after(60);
    const next = await grant(service, ada, bob);
    assert.equal((await service.get("/v1/memory/facts", under(ada, next))).status, 200);
    // A key of the admin's that is bound to addresses opens it only from there, and shows nobody else which grants are
    // in force.
    const cidrs = ["192.0.2.0/24"];
    const bound = await admins.createAdminKey(systemOperator(service), { admin: ada.name, name: "bound", cidrs });
    for (const named of [next, crypto.randomUUID()]) {
      expectRefusal(
        await service.get("/v1/memory/facts", under({ ...ada, key: bound.key }, named)),
        403,
        "ip_not_allowed",
      );
    }
    const headers = { authorization: `Bearer ${bound.key}`, "x-svc-break-glass": next };
    const from = { remoteAddr: { transport: "tcp", hostname: "192.0.2.7", port: 1 } } as Deno.ServeHandlerInfo;
    const allowed = new Request("http://svc.test/v1/memory/facts", { headers });
    assert.equal((await service.service.fetch(allowed, from)).status, 200);
    await admins.disableAdmin(systemOperator(service), ada.name);
    expectRefusal(await service.get("/v1/memory/facts", under(ada, next)), 401, "unauthenticated", "disabled");
  },
});

Deno.test({
  ...POSTGRES,
  name: "T22 ADMIN_MAX_TTL_MS above a day counts as a day, below it is the most that may be asked for",
  async fn() {
    const { service } = await start({ env: { ADMIN_MAX_TTL_MS: "864000000" } });
    await using _ = service;
    assert.equal(service.deps.config.admin.grantSecondsMax, 86_400);
    const { service: strict } = await start({ env: { ADMIN_MAX_TTL_MS: "600000" }, database: service.database! });
    await using __ = strict;
    const ada = await createTestAdmin(strict);
    const body = { workspaceId: strict.workspaceId, ttlSeconds: 601 };
    const tooLong = await requestAccess(strict, ada, body);
    expectRefusal(tooLong, 422, "validation_failed");
    assert.equal(tooLong.body.errors[0].path, "ttlSeconds");
    assert.equal((await requestAccess(strict, ada, { ...body, ttlSeconds: 600 })).status, 201);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T21 a code counts once, also when sent 20 times at once to two processes, and its replays lock nobody out",
  async fn() {
    const { service, after } = await start();
    await using _ = service;
    const [ada, bob] = await createTestAdmins(service, 2);
    assert.equal((await requestAccess(service, ada)).status, 201);
    expectRefusal(await requestAccess(service, ada), 401, "totp_invalid", "the same code");
    expectRefusal(await requestAccess(service, ada, { totp: ada.totp(-1) }), 401, "totp_invalid", "the step before");
    assert.equal((await requestAccess(service, ada, { totp: ada.totp(1) })).status, 201, "the next step");
    expectRefusal(await requestAccess(service, ada, { totp: ada.totp(2) }), 401, "totp_invalid", "too early");

    await using other = await startService({ database: service.database!, clock: service.deps.clock });
    // Both have verified the key, so that nothing but the codes holds the requests up.
    for (const process of [service, other]) {
      assert.equal((await process.get("/v1/admin/workspaces", { key: bob.key })).status, 200);
    }
    const totp = bob.totp();
    await using holder = connectSuperuser(service);
    await using watcher = connectSuperuser(service);
    // The lock on the admin's row holds some requests before they read their codes, so that they continue together.
    const sent = await holder.sql.begin(async (sql) => {
      await sql`select from svc_admin for update`;
      const sent = Array.from({ length: 20 }, (_, n) => {
        const body = { totp, workspaceId: service.workspaceId, reason: "at once" };
        return (n % 2 === 0 ? service : other).post("/v1/admin/break-glass", body, { key: bob.key });
      });
      await waitFor("two of them wait for the admin", async () => {
        const [{ count }] = await watcher.sql<[{ count: number }]>`
          select count(*)::int as count from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'`;
        return count >= 2;
      });
      return () => Promise.all(sent);
    });
    const replies = await sent();
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, ...Array(19).fill(401)]);
    for (let n = 0; n < 6; n++) {
      expectRefusal(await requestAccess(service, bob, { totp }), 401, "totp_invalid", "again");
    }
    assert.equal((await requestAccess(service, bob, { totp: bob.totp(1) })).status, 201, "the next code");
    // Neither replays nor a correct code reduce the count of wrong codes.
    for (let n = 0; n < 5; n++) {
      expectRefusal(await requestAccess(service, bob, { totp }), 401, "totp_invalid", "used");
      expectRefusal(await requestAccess(service, bob, { totp: bob.totp(10) }), 401, "totp_invalid", "wrong");
    }
    after(60);
    expectRefusal(await requestAccess(service, bob), 429, "rate_limited");
  },
});

Deno.test({
  ...POSTGRES,
  name: "T21 after five wrong codes within 15 minutes a right one is 429; another admin is not hindered",
  async fn() {
    const { service, after } = await start();
    await using _ = service;
    const [ada, bob] = await createTestAdmins(service, 2);
    const wrong = ada.totp(10);
    for (let n = 0; n < 5; n++) expectRefusal(await requestAccess(service, ada, { totp: wrong }), 401, "totp_invalid");
    const limited = await requestAccess(service, ada);
    expectRefusal(limited, 429, "rate_limited");
    assert.equal(limited.headers.get("retry-after"), "900");
    assert.equal((await requestAccess(service, bob)).status, 201);
    after(899);
    expectRefusal(await requestAccess(service, ada), 429, "rate_limited");
    after(1);
    assert.equal((await requestAccess(service, ada)).status, 201);
    // Correct codes are no failures.
    for (let n = 0; n < 8; n++) {
      after(30);
      assert.equal((await requestAccess(service, ada)).status, 201, `${n}`);
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "T21 a failed try counts also when its request has an Idempotency-Key, and a replay needs no new code",
  async fn() {
    const { service } = await start();
    await using _ = service;
    const ada = await createTestAdmin(service);
    const send = (totp: string, key: string) => {
      const body = { totp, workspaceId: service.workspaceId, reason: "once" };
      return service.post("/v1/admin/break-glass", body, { key: ada.key, headers: { "idempotency-key": key } });
    };
    const first = await send(ada.totp(), "a");
    const again = await send(ada.totp(), "a");
    assert.deepEqual([first.status, again.status, again.body], [201, 201, first.body]);
    assert.equal(again.headers.get("idempotency-replayed"), "true");
    for (let n = 0; n < 5; n++) {
      expectRefusal(await send(ada.totp(10), `wrong ${n}`.replace(" ", "-")), 401, "totp_invalid");
    }
    expectRefusal(await send(ada.totp(1), "right"), 429, "rate_limited");
    // The secret is stored nowhere in plain text.
    await withSuperuser(service, async (sql) => {
      const [row] = await sql`select totp_sealed from svc_admin where admin_id = ${ada.id}`;
      assert.ok(!row!["totp_sealed"].includes(ada.secret));
    });
  },
});

Deno.test({
  ...POSTGRES,
  name: "T22 a use that cannot be told to both audit chains is not made",
  async fn() {
    const { service } = await start();
    await using _ = service;
    const [ada, bob] = await createTestAdmins(service, 2);
    const id = await grant(service, ada, bob);
    await withSuperuser(service, (sql) =>
      sql.unsafe(`
        create function no_row() returns trigger language plpgsql as $$ begin raise exception 'full'; end $$;
        create trigger no_row before insert on svc_audit_log for each row
          when (new.workspace_id = '${service.workspaceId}') execute function no_row()`));
    expectRefusal(await service.get("/v1/memory/facts", under(ada, id)), 503, "unavailable");
    const body = { name: "x", workspace_id: service.workspaceId };
    expectRefusal(await service.post("/v1/admin/api-keys", body, { key: ADMIN_TOKEN }), 503, "unavailable");
    const listed = await service.get(`/v1/admin/api-keys?workspace_id=${service.workspaceId}`, { key: ADMIN_TOKEN });
    assert.ok(!listed.body.data.some((key: { name: string }) => key.name === "x"), "nothing was made");
    await withSuperuser(service, (sql) => sql`drop trigger no_row on svc_audit_log`);
    assert.equal((await service.get(`/v1/admin/break-glass/${id}`, { key: ada.key })).body.uses, 0);
    assert.equal((await service.get("/v1/memory/facts", under(ada, id))).status, 200);
  },
});
