/** Rows that are deleted once their time is over, and rows that never are. */
import assert from "node:assert/strict";
import { runJobs } from "../../src/domain/upkeep/job_works.ts";
import { sweepWorkspace } from "../../src/domain/upkeep/sweeping.ts";
import { createTestAdmin, requestAccess, systemOperator } from "../_admin.ts";
import { POSTGRES } from "../_postgres.ts";
import { ADMIN_TOKEN, startService, type TestService } from "../_service.ts";

const DAY_MS = 86_400_000;
const JOBS = "/v1/memory/admin/jobs";
const REASONING = "/v1/memory/reasoning";

/** Starts a service, and returns a function that moves its clock by days. */
async function start(options: { embedded?: boolean; env?: Record<string, string> } = {}) {
  let now = new Date();
  // The duration of a statement on a busy machine does not matter here.
  const env = { SVC_DB_DEADLINE_MS: "60000", ...options.env };
  const service = await startService({ ...options, env, clock: () => now });
  return {
    service,
    later: (days: number) => void (now = new Date(now.getTime() + days * DAY_MS)),
    at: (days: number) => new Date(now.getTime() + days * DAY_MS).toISOString(),
  };
}

async function post(service: TestService, path: string, body: unknown, key = service.key) {
  const reply = await service.post(path, body, { key });
  assert.ok(reply.status < 300, `${path} ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
}

/** A job that has ended. */
async function job(service: TestService, path: string, body: object = {}): Promise<string> {
  const { id } = await post(service, path, body);
  for (let i = 0; i < 5 && await runJobs(service.operator()); i++);
  assert.equal((await service.get(`${JOBS}/${id}`)).body.state, "completed");
  return id;
}

const consolidate = (service: TestService, body: object) => job(service, "/v1/memory/admin/consolidate", body);

async function sweep(service: TestService): Promise<void> {
  for (const ctx of [service.operator(), systemOperator(service)]) {
    for (let i = 0; i < 20 && await sweepWorkspace(ctx); i++);
  }
}

function countRows(service: TestService, table: "procedural_trajectory" | "reasoning_use" | "api_key_former_secret") {
  return service.operator().tx(async (tx) => {
    const [row] = await tx.sql<[{ n: number }]>`
      select count(*)::int as n from ${tx.sql.unsafe(table)} where workspace_id = ${tx.workspaceId}`;
    return row.n;
  }, { readOnly: true });
}

/** The names of those paths that exist. */
async function there(service: TestService, paths: Record<string, string>): Promise<string[]> {
  const names = [];
  for (const [name, path] of Object.entries(paths)) {
    const { status, body } = await service.get(path);
    assert.ok([200, 404].includes(status), `${name} ${status} ${JSON.stringify(body)}`);
    if (status === 200) names.push(name);
  }
  return names;
}

for (const embedded of [false, true]) {
  Deno.test({
    ...(embedded ? {} : POSTGRES),
    name: `what is kept for a time is removed after it, and told; knowledge never is, ${
      embedded ? "embedded" : "native"
    }`,
    async fn() {
      const { service, later, at } = await start({ embedded });
      await using _ = service;
      const fact = await post(service, "/v1/memory/facts", { statement: "The kettle is red." });
      await post(service, "/v1/memory/facts", { statement: "The shop is open.", expiresAt: at(0.5) });
      const entry = (goal: string, more: object = {}) =>
        post(service, `${REASONING}/record`, { goal, answer: "So.", ...more });
      const expired = await entry("Boil the kettle", { expiresAt: at(1) });
      const broken = await entry("Paint the kettle", { preconditions: [{ factId: fact.id }] });
      const good = await entry("Buy some bread for the week");
      const asked = { goal: "Buy some bread for the week", runId: "r" };
      assert.equal((await post(service, `${REASONING}/resolve`, asked)).hit, true);
      const task = { task: "Boil", outcome: "success", lessons: ["Fill the kettle before it is switched on."] };
      await post(service, "/v1/memory/procedural/optimize", { agentId: "a", trajectories: [task] });
      const { id: keyId } = await post(service, "/v1/admin/api-keys", {
        name: "rotated",
        workspace_id: service.workspaceId,
      }, ADMIN_TOKEN);
      await post(service, `/v1/admin/keys/${keyId}/rotate`, { overlapSeconds: 3600 }, ADMIN_TOKEN);
      const admin = await createTestAdmin(service);
      const { body: { id: request } } = await requestAccess(service, admin);

      const dry = await consolidate(service, { dryRun: true });
      later(1);
      const reverted = await consolidate(service, { force: true });
      const revert = await job(service, `${JOBS}/${reverted}/revert`);
      const last = await consolidate(service, { force: true });
      await post(service, `/v1/facts/${fact.id}/forget`, { mode: "archive" });
      const paths = {
        fact: `/v1/memory/facts/${fact.id}`,
        ...{
          expired: `${REASONING}/${expired.id}`,
          broken: `${REASONING}/${broken.id}`,
          good: `${REASONING}/${good.id}`,
        },
        ...{
          dry: `${JOBS}/${dry}`,
          reverted: `${JOBS}/${reverted}`,
          revert: `${JOBS}/${revert}`,
          last: `${JOBS}/${last}`,
        },
      };
      const done = JSON.stringify((await service.get(paths.reverted)).body);
      assert.ok(done.includes(revert), `something was taken back: ${done}`);
      await sweep(service);
      assert.deepEqual(await there(service, paths), Object.keys(paths), "nothing is due");

      later(2);
      await sweep(service);
      assert.deepEqual([await countRows(service, "reasoning_use"), await countRows(service, "api_key_former_secret")], [
        0,
        0,
      ]);
      later(88);
      await sweep(service);
      assert.deepEqual(await there(service, paths), ["fact", "good", "reverted", "revert", "last"]);
      assert.equal(await countRows(service, "procedural_trajectory"), 1);
      later(365);
      await sweep(service);
      assert.equal(await countRows(service, "procedural_trajectory"), 0);
      assert.deepEqual(await there(service, paths), ["fact", "good", "reverted", "revert", "last"]);

      const ofRequest = `/v1/admin/break-glass/${request}`;
      assert.equal((await service.get(ofRequest, { key: admin.key })).status, 200);
      await systemOperator(service).tx((tx) =>
        tx.sql`
          update svc_break_glass_request set created_at = created_at - interval '402 days'
           where workspace_id = ${tx.workspaceId}`
      );
      await sweep(service);
      assert.equal((await service.get(ofRequest, { key: admin.key })).status, 404);
      const { body: { data } } = await service.get("/v1/audit?eventType=retention.swept&order=asc");
      assert.deepEqual(
        data.map((row: { detail: object; targets: string[] }) => [row.detail, row.targets.toSorted()]),
        [
          [
            { jobs: 1, reasoning: 2, breakGlass: 0, trajectories: 0, recalls: 0 },
            [dry, expired.id, broken.id].toSorted(),
          ],
          [{ jobs: 0, reasoning: 0, breakGlass: 0, trajectories: 1, recalls: 0 }, []],
        ],
      );
    },
  });
}

Deno.test({
  ...POSTGRES,
  name: "what is to be kept for 0 days is kept for ever",
  async fn() {
    const names = ["JOBS", "REASONING", "TRAJECTORIES", "BREAK_GLASS"].map((name) => `SVC_${name}_KEPT_DAYS`);
    const { service, later, at } = await start({ env: Object.fromEntries(names.map((name) => [name, "0"])) });
    await using _ = service;
    const { id } = await post(service, `${REASONING}/record`, { goal: "Boil", answer: "So.", expiresAt: at(1) });
    const dry = await consolidate(service, { dryRun: true });
    const task = { task: "Boil", outcome: "success" };
    await post(service, "/v1/memory/procedural/optimize", { agentId: "a", trajectories: [task] });
    later(4_000);
    await sweep(service);
    assert.deepEqual(await there(service, { id: `${REASONING}/${id}`, dry: `${JOBS}/${dry}` }), ["id", "dry"]);
    assert.equal(await countRows(service, "procedural_trajectory"), 1);
  },
});
