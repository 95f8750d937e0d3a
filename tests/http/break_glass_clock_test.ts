/** Break-glass after a day: the database's clock decides, whatever the clock of the process says. docs/reference/guarantees.md T22. */
import assert from "node:assert/strict";
import { findServerPrograms, NativePostgres } from "../../scripts/gate/native_postgres.ts";
import { SYSTEM_WORKSPACE } from "../../src/domain/common/system.ts";
import { createTestAdmin, requestAccess, type TestAdmin } from "../_admin.ts";
import { createDatabase } from "../_postgres.ts";
import { FAKETIME } from "../_programs.ts";
import { startService, type TestService } from "../_service.ts";
import { auditTrailOf } from "../../src/domain/audit/trail.ts";

/** A cluster whose clock is this one's plus what a file says. */
async function startShiftedPostgres(stack: AsyncDisposableStack) {
  const file = await Deno.makeTempFile({ prefix: "svc-faketime-" });
  stack.defer(() => Deno.remove(file));
  await Deno.writeTextFile(file, "+0");
  await Deno.chmod(file, 0o644);
  const { stdout } = await new Deno.Command(FAKETIME!, { args: ["-f", "+0", "sh", "-c", "printf %s $LD_PRELOAD"] })
    .output();
  const cluster = stack.use(
    await NativePostgres.start({
      env: {
        LD_PRELOAD: new TextDecoder().decode(stdout),
        FAKETIME_TIMESTAMP_FILE: file,
        FAKETIME_NO_CACHE: "1",
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
      },
    }),
  );
  // Not disposed of: it ends with its cluster.
  const database = await createDatabase({ cluster: cluster.url() });
  return { database, shift: (seconds: number) => Deno.writeTextFile(file, `+${seconds}`) };
}

async function outcomesOf(service: TestService, admin: TestAdmin): Promise<string[]> {
  await auditTrailOf(service.deps).flush();
  const { deps } = service;
  const rows = await deps.db.tx(
    { workspaceId: SYSTEM_WORKSPACE, maxSensitivity: "restricted", actor: "test" },
    (tx) =>
      tx.sql<{ line: string }[]>`
        select event_type || ' ' || outcome as line from svc_audit_log
         where workspace_id = ${tx.workspaceId} and actor_id = ${`admin:${admin.id}`} and outcome <> 'ok' order by seq`,
    { readOnly: true },
  );
  return rows.map((row) => row.line);
}

Deno.test({
  ignore: FAKETIME === undefined || await findServerPrograms() === undefined,
  name: "T22 a day later by the database's clock nothing is open or can be approved, though the process's clock stands",
  async fn() {
    await using stack = new AsyncDisposableStack();
    const { database, shift } = await startShiftedPostgres(stack);
    let now = new Date();
    const service = stack.use(await startService({ database, clock: () => now }));
    const [ada, bob] = [await createTestAdmin(service), await createTestAdmin(service)];
    const under = (id: string) => ({ key: ada.key, headers: { "x-svc-break-glass": id } });
    const decide = (id: string, as: string, body = {}) =>
      service.post(`/v1/admin/break-glass/${id}/${as}`, body, { key: bob.key });
    const open = async (ttlSeconds: number) => {
      const reply = await requestAccess(service, ada, { ttlSeconds });
      assert.equal(reply.status, 201, JSON.stringify(reply.body));
      now = new Date(now.getTime() + 60_000);
      return reply.body.id as string;
    };
    const [granted, pending] = [await open(86_400), await open(3_600)];
    assert.equal((await service.get("/v1/memory/facts", under(pending))).status, 403, "used before it is approved");
    assert.equal((await decide(granted, "approve", { totp: bob.totp() })).status, 200);
    assert.equal((await service.get("/v1/memory/facts", under(granted))).status, 200);

    await shift(3_540);
    assert.equal((await service.get("/v1/memory/facts", under(granted))).status, 200, "an hour later");
    assert.equal((await service.get(`/v1/admin/break-glass/${pending}`, { key: bob.key })).body.state, "pending");

    await shift(86_460);
    for (const skewMs of [0, -86_400_000, 0]) {
      now = new Date(now.getTime() + skewMs);
      const used = await service.get("/v1/memory/facts", under(granted));
      assert.deepEqual([used.status, used.body.code], [403, "break_glass_required"]);
    }
    now = new Date(now.getTime() + 86_400_000);
    for (const [id, as] of [[granted, "approve"], [pending, "approve"], [granted, "revoke"], [pending, "deny"]]) {
      now = new Date(now.getTime() + 60_000);
      const reply = await decide(id!, as!, as === "approve" ? { totp: bob.totp() } : {});
      assert.deepEqual(
        [reply.status, reply.body.code],
        [409, "invalid_transition"],
        `${as} ${JSON.stringify(reply.body)}`,
      );
    }
    for (const id of [granted, pending]) {
      const shown = await service.get(`/v1/admin/break-glass/${id}`, { key: bob.key });
      assert.deepEqual([shown.body.state, shown.body.uses], ["expired", id === granted ? 2 : 0]);
    }
    assert.deepEqual(await outcomesOf(service, ada), Array(4).fill("refused.listFacts break_glass_required"));
    assert.deepEqual(await outcomesOf(service, bob), [
      "refused.approveBreakGlass invalid_transition",
      "refused.approveBreakGlass invalid_transition",
      "refused.revokeBreakGlass invalid_transition",
      "refused.denyBreakGlass invalid_transition",
    ]);
  },
});
