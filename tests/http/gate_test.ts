/** `/v1/memory/governance/gate`: every condition closes and opens it; holds are recorded. */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { create } from "./_facts.ts";
import { get, post } from "./_units.ts";

const GATE = "/v1/memory/governance/gate";
const ENV = { SVC_GATE_NEW_FACTS_MIN: "2", SVC_GATE_CONTESTED_MAX: "0", SVC_GATE_QUIET_SECONDS: "60" };

function test(name: string, run: (service: TestService, step: (ms: number) => void) => Promise<void>): void {
  Deno.test({
    ...POSTGRES,
    name,
    async fn() {
      let now = Date.parse("2026-06-01T12:00:00.000Z");
      await using service = await startService({ clock: () => new Date(now), env: ENV });
      await run(service, (ms) => now += ms);
    },
  });
}

/** The conditions that fail, and the state. */
async function failing(service: TestService, key = service.key): Promise<[string, string[]]> {
  const { body } = await service.get(GATE, { key });
  const names = body.conditions.filter((one: { passed: boolean }) => !one.passed).map((one: { name: string }) =>
    one.name
  );
  return [body.state, names];
}

test("each condition closes the gate and opens it again", async (service, step) => {
  assert.deepEqual(await failing(service), ["closed", ["new_facts"]]);
  const triple = { subject: "Caroline", predicate: "lives in" };
  await create(service, { ...triple, object: "Paris", attribution: "user_stated" });
  const rival = await create(service, { ...triple, object: "Rome" });
  assert.deepEqual(await failing(service), ["closed", ["contested", "quiet_period"]]);
  step(59_000);
  assert.deepEqual(await failing(service), ["closed", ["contested", "quiet_period"]]);
  step(1_000);
  assert.deepEqual(await failing(service), ["closed", ["contested"]]);
  await post(service, `/v1/review/${rival.conflict.reviewItemId}/dismiss`, { reason: "Never mind." }, 200);
  assert.deepEqual(await failing(service), ["open", []]);
  await post(service, GATE, { action: "hold", reason: "An import runs." }, 200);
  assert.deepEqual(await failing(service), ["closed", ["manual_hold"]]);
  const released = await post(service, GATE, { action: "release", reason: "It is done." }, 200);
  assert.equal(released.state, "open");
  assert.deepEqual(released.history.map((one: { action: string; reason: string }) => [one.action, one.reason]), [
    ["release", "It is done."],
    ["hold", "An import runs."],
  ]);
  assert.match(released.history[0].by, /^key:/);
  const values = Object.fromEntries(
    released.conditions.map((one: { name: string; value: unknown; threshold: unknown }) => [
      one.name,
      [one.value, one.threshold],
    ]),
  );
  assert.deepEqual([values.new_facts, values.contested, values.quiet_period, values.manual_hold], [
    [2, 2],
    [0, 0],
    [60, 60],
    [false, false],
  ]);
});

test("a gate counts what the key's clearance sees, and another workspace's hold is its own", async (service) => {
  await create(service, { sensitivity: "restricted" });
  await create(service, { sensitivity: "restricted" });
  const low = await service.createKey({ maxSensitivity: "internal" });
  assert.deepEqual(await failing(service, low), ["closed", ["new_facts"]]);
  const foreign = await service.createKey({ workspaceId: await service.createWorkspace() });
  await service.post(GATE, { action: "hold", reason: "Elsewhere." }, { key: foreign });
  assert.deepEqual((await get(service, GATE)).history, []);
});

test("a hold without a reason is refused", async (service) => {
  for (const body of [{ action: "hold" }, { action: "hold", reason: "" }, { action: "open", reason: "x" }]) {
    assert.equal((await service.post(GATE, body)).status, 422, JSON.stringify(body));
  }
});
