/** Settings that hold for a whole workspace, whatever its keys say. */
import assert from "node:assert/strict";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { ADMIN_TOKEN, startService, type TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { auditTrailOf } from "../../src/domain/audit/trail.ts";

const ADMIN = { key: ADMIN_TOKEN };
const ROOT = new URL("../../", import.meta.url);
const UNSET = {
  maxSensitivity: "restricted",
  rateLimit: null,
  auditAddressDays: null,
  consolidateEveryHours: null,
  restrictedRetentionDays: null,
  recallDiaryDays: 0,
  predicates: {},
  timezone: null,
};

async function change(service: TestService, settings: unknown, headers: HeadersInit = {}) {
  return await service.patch(`/v1/admin/workspaces/${service.workspaceId}`, { settings }, { ...ADMIN, headers });
}

Deno.test({
  ...POSTGRES,
  name: "a workspace's clearance and rate limit hold for all its keys, at once and in every process, and no other's",
  async fn() {
    await using stack = new AsyncDisposableStack();
    const database = stack.use(await createDatabase());
    const near = stack.use(await startService({ database }));
    const far = stack.use(await startService({ database }));
    const secret = { statement: "The vault opens at nine.", sensitivity: "restricted" };
    const { body: fact } = await near.post("/v1/memory/facts", secret);
    const { body: foreign } = await far.post("/v1/memory/facts", secret);
    const [cleared, limited] = [near.key, await near.createKey({ rateLimit: { perMinute: 600, burst: 500 } })];
    const rotated = await near.createKey();
    const { id } = (await near.get("/v1/admin/api-keys?limit=1", ADMIN)).body.data[0];
    await near.post(`/v1/admin/keys/${id}/rotate`, {}, ADMIN);
    const see = async (service: TestService, key: string) =>
      (await service.get(`/v1/facts/${fact.id}`, { key })).status;
    for (const service of [near, far]) {
      for (const key of [cleared, limited, rotated]) assert.equal(await see(service, key), 200);
    }

    const changed = await change(near, { maxSensitivity: "internal" });
    assert.deepEqual([changed.status, changed.body.settings], [200, { ...UNSET, maxSensitivity: "internal" }]);
    for (const key of [cleared, limited, rotated]) {
      assert.equal(await see(near, key), 404);
      await waitFor("the other process knows", async () => await see(far, key) === 404);
    }
    assert.equal((await far.get(`/v1/facts/${foreign.id}`)).status, 200, "another workspace is not concerned");

    // The limit of keys without one of their own.
    assert.equal(
      (await change(near, { maxSensitivity: "restricted", rateLimit: { perMinute: 1, burst: 2 } })).status,
      200,
    );
    assert.deepEqual([await see(near, cleared), await see(near, cleared), await see(near, cleared)], [200, 200, 429]);
    assert.equal(await see(near, limited), 200);
    assert.deepEqual((await change(near, { rateLimit: null })).body.settings, UNSET);
    assert.equal(await see(near, cleared), 200);

    const path = `/v1/admin/workspaces/${near.workspaceId}`;
    const { body: shown } = await near.get(path, ADMIN);
    assert.deepEqual([shown.settings, shown.version], [UNSET, 4]);
    const { body: listed } = await near.get("/v1/admin/workspaces", ADMIN);
    assert.ok(
      listed.data.every(({ settings }: { settings: unknown }) => JSON.stringify(settings) === JSON.stringify(UNSET)),
    );
    assert.equal((await change(near, { auditAddressDays: 1 }, { "if-match": '"3"' })).status, 412);
    const wrongs = [
      ...[{}, { maxSensitivity: "secret" }, { auditAddressDays: 0 }, { cidrs: [] }, { rateLimit: {} }],
      ...[{ consolidateEveryHours: 0 }, { consolidateEveryHours: 721 }, { restrictedRetentionDays: 0 }],
    ];
    for (const wrong of wrongs) {
      assert.equal((await change(near, wrong)).status, 422, JSON.stringify(wrong));
    }
    assert.equal((await near.patch(path, {}, ADMIN)).status, 422);
    const told = await near.get("/v1/audit?eventType=workspace.&order=asc");
    const rows = told.body.data.map(({ event_type, detail }: Record<string, unknown>) => [event_type, detail]);
    assert.deepEqual(rows.at(-1), ["workspace.settings_changed", {
      rateLimit: null,
      before: { ...UNSET, rateLimit: { perMinute: 1, burst: 2 } },
    }]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "callers' addresses are forgotten after the days that the workspace says, and the chain stays whole",
  async fn() {
    let now = new Date();
    await using service = await startService({ clock: () => now });
    const { url } = service.listen();
    const call = async () => {
      const reply = await fetch(`${url}/v1/session`, { headers: { authorization: `Bearer ${service.key}` } });
      await reply.body?.cancel();
      await auditTrailOf(service.deps).flush();
    };
    await call();
    now = new Date(now.getTime() + 8 * 86_400_000);
    await call();
    const addresses = async () => {
      const { body } = await service.get("/v1/audit?eventType=read.listSessions&order=asc");
      return body.data.map((row: { ip_address: string | null }) => row.ip_address);
    };
    await service.step("audit");
    assert.deepEqual(await addresses(), ["127.0.0.1", "127.0.0.1"], "they are kept unless it says otherwise");
    await change(service, { auditAddressDays: 7 });
    assert.equal(await service.step("audit"), false);
    assert.deepEqual(await addresses(), [null, "127.0.0.1"]);
    assert.deepEqual((await service.get("/v1/audit/verify")).body.ok, true);
  },
});

Deno.test({
  ...POSTGRES,
  name: "the command line shows workspaces and keys, and changes a workspace's settings",
  async fn() {
    await using service = await startService();
    const start = async (...args: string[]) => {
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", "--quiet", new URL("src/cli/main.ts", ROOT).pathname, ...args],
        env: { DATABASE_URL: service.database!.requestUrl, NO_COLOR: "1" },
        stdin: "null",
      }).output();
      return { code, output: new TextDecoder().decode(stdout), fault: new TextDecoder().decode(stderr) };
    };
    const run = async (...args: string[]) => {
      const { code, output, fault } = await start(...args);
      assert.equal(code, 0, fault);
      return JSON.parse(output);
    };
    const { workspaceId } = service;
    assert.deepEqual((await run("workspace", "show", workspaceId)).settings, UNSET);
    const options = [
      "--max-sensitivity",
      "internal",
      "--per-minute",
      "60",
      "--burst",
      "9",
      "--audit-address-days",
      "30",
      "--consolidate-every-hours",
      "24",
      "--restricted-retention-days",
      "90",
      "--recall-diary-days",
      "30",
      "--timezone",
      "Europe/Lisbon",
    ];
    assert.deepEqual((await run("workspace", "update", workspaceId, ...options)).settings, {
      maxSensitivity: "internal",
      rateLimit: { perMinute: 60, burst: 9 },
      auditAddressDays: 30,
      consolidateEveryHours: 24,
      restrictedRetentionDays: 90,
      recallDiaryDays: 30,
      predicates: {},
      timezone: "Europe/Lisbon",
    });
    const back = [
      ...["--max-sensitivity", "restricted", "--default-rate-limit", "--audit-address-days", "never"],
      ...["--consolidate-every-hours", "never", "--restricted-retention-days", "never"],
      ...["--recall-diary-days", "0", "--timezone", "none"],
    ];
    assert.deepEqual((await run("workspace", "update", workspaceId, ...back)).settings, UNSET);
    const [key] = (await service.get("/v1/admin/api-keys?limit=1", ADMIN)).body.data;
    assert.deepEqual(await run("key", "show", key.id), key);
    const narrow = [
      "--expires",
      "2999-01-01T00:00:00Z",
      "--cidrs",
      "192.0.2.0/24",
      "--per-minute",
      "5",
      "--burst",
      "5",
    ];
    const narrowed = await run("key", "update", key.id, ...narrow);
    assert.deepEqual([narrowed.expiresAt, narrowed.cidrs, narrowed.rateLimit], [
      "2999-01-01T00:00:00.000Z",
      ["192.0.2.0/24"],
      { perMinute: 5, burst: 5 },
    ]);
    const { updatedAt: _, version: __, ...wide } = await run(
      ...["key", "update", key.id, "--expires", "never", "--cidrs", "any", "--default-rate-limit"],
    );
    for (const [name, value] of Object.entries(wide)) assert.deepEqual(value, key[name], name);
    const free = await run("key", "create", "--workspace", workspaceId, "--no-rate-limit");
    assert.equal((await run("key", "show", free.keyId)).rateLimit.perMinute, 0);
    for (const path of [["key", "update", key.id], ["workspace", "update", workspaceId]]) {
      const { rateLimit, settings } = await run(...path, "--no-rate-limit");
      assert.equal((rateLimit ?? settings.rateLimit).perMinute, 0, path[0]);
    }
    // A missing workspace differs from an empty one; and no refusal shows a stack of calls.
    const nowhere = crypto.randomUUID();
    const refusals = [
      ["audit", "verify", "--workspace", nowhere],
      ["export", "--workspace", "mistyped"],
      ["workspace", "update", workspaceId],
      ["key", "create", "--workspace", workspaceId, "--no-rate-limit", "--per-minute", "5"],
      ["key", "update", key.id, "--no-rate-limit", "--default-rate-limit"],
    ];
    await Promise.all(refusals.map(async (args) => {
      const { code, output, fault } = await start(...args);
      assert.deepEqual([code, output], [1, ""], args.join(" "));
      assert.ok(!/\n\s+at /.test(fault) && fault.length > 0, fault);
    }));
  },
});
