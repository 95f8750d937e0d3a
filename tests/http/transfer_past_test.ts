/** Exports of the past show tasks and relations as they were. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { emptyWorkspace, exportAll, type ExportFile, importText, type Line } from "./_transfer.ts";

const TASKS = "/v1/memory/tasks";
const RELATIONS = "/v1/memory/relations";

/** A service with a clock that tests move, and functions to use it. */
async function start(options: { embedded?: boolean } = {}) {
  let ahead = 0;
  const clock = () => new Date(Date.now() + ahead);
  const service = await startService({ ...options, clock });
  return {
    service,
    /** Returns a time between earlier and later writes. */
    pass(): string {
      ahead += 10_000;
      const time = clock().toISOString();
      ahead += 10_000;
      return time;
    },
    async send(method: string, path: string, body?: unknown, key?: string): Promise<Line> {
      const reply = await service.call(method, path, { body, ...(key !== undefined && { key }) });
      assert.ok(reply.status < 300, `${method} ${path} ${reply.status} ${JSON.stringify(reply.body)}`);
      return reply.body;
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

const KINDS = "types=task&types=task_dependency&types=relation";

async function exportPast(service: TestService, time: string, key = service.key): Promise<ExportFile> {
  return await exportAll(service, key, `?asOf=${time}&${KINDS}`);
}

for (const embedded of [false, true]) {
  Deno.test({
    ...(embedded ? {} : POSTGRES),
    name: `an export of the past tells tasks and relations as they were at each time, ${
      embedded ? "embedded" : "native"
    }`,
    async fn(t) {
      await using world = await start({ embedded });
      const { service, send } = world;
      /** Times, each with the lines of an export without `asOf` at that time. */
      const then: { time: string; lines: Line[] }[] = [];
      const note = async () => {
        const { lines } = await exportAll(service, service.key, `?${KINDS}`);
        then.push({ time: world.pass(), lines });
      };
      const post = (path: string, body?: unknown) => send("POST", path, body);
      const patch = (path: string, body: unknown) => send("PATCH", path, body);

      const [one, two] = [await post(TASKS, { title: "First" }), await post(TASKS, { title: "Second" })];
      const main = await post(TASKS, { title: "Main", dependsOn: [one.id], metadata: { a: 1 } });
      const [acme, zenith, city] = [
        await post("/v1/memory/entities", { canonicalName: "Acme Corp" }),
        await post("/v1/memory/entities", { canonicalName: "Zenith Works" }),
        await post("/v1/memory/entities", { canonicalName: "Oslo Harbour" }),
      ];
      const tie = await post(RELATIONS, { verb: "part_of", sourceId: zenith.id, targetId: city.id, weight: 0.5 });
      await note();
      await patch(`${TASKS}/${main.id}`, { title: "Main, renamed", dependsOn: [two.id], metadata: { a: 2 } });
      await patch(`${RELATIONS}/${tie.id}`, { weight: 0.9, tags: ["x"] });
      await note();
      await post(`${TASKS}/${two.id}/claim`, { agentId: "agent-1", ttlSeconds: 600 });
      await send("DELETE", `${RELATIONS}/${tie.id}`);
      await note();
      await post(`${TASKS}/${two.id}/delegate`, { agentId: "agent-2", reason: "knows it" });
      await patch(`${RELATIONS}/${tie.id}`, { status: "active" });
      await note();
      await patch(`${TASKS}/${main.id}`, { dependsOn: [] });
      await post(`/v1/memory/entities/${acme.id}/merge`, { sourceIds: [zenith.id], reason: "the same" });
      await patch(`${RELATIONS}/${tie.id}`, { weight: 0.1 });
      await post(TASKS, { title: "Later" });
      await note();

      await t.step("each time, what was exported then is exported again, and nothing is left out", async () => {
        assert.equal(new Set(then.map(({ lines }) => JSON.stringify(lines))).size, then.length);
        for (const { time, lines } of then) {
          const past = await exportPast(service, time);
          assert.deepEqual(past.lines, lines);
          assert.deepEqual(past.end.omitted, {});
        }
      });
      await t.step("before they were made there is nothing", async () => {
        const past = await exportPast(service, "2020-01-01T00:00:00Z");
        assert.deepEqual([past.lines, past.end.omitted], [[], {}]);
      });
      await t.step("what was exported of the past is imported as it was", async () => {
        const { time, lines } = then[1]!;
        const target = await emptyWorkspace(service);
        const report = await importText(service, (await exportAll(service, service.key, `?asOf=${time}`)).text, target);
        assert.deepEqual(report.errors, []);
        assert.deepEqual((await exportAll(service, target.key, `?${KINDS}`)).lines, lines);
      });
    },
  });
}

Deno.test({
  ...POSTGRES,
  name: "what a relation said before it was erased with its end is nowhere any more",
  async fn() {
    await using world = await start();
    const { service, send } = world;
    const [a, b] = [
      await send("POST", "/v1/memory/facts", { statement: "The boat is blue." }),
      await send("POST", "/v1/memory/facts", { statement: "Boats float." }),
    ];
    const tie = await send("POST", RELATIONS, {
      verb: "supports",
      sourceId: b.id,
      targetId: a.id,
      metadata: { note: "heron" },
    });
    world.pass();
    await send("PATCH", `${RELATIONS}/${tie.id}`, { metadata: { note: "none" } });
    const time = world.pass();
    await send("PATCH", `${RELATIONS}/${tie.id}`, { weight: 0.2 });
    world.pass();
    const sql = postgres(service.database!.superuserUrl, { max: 1, onnotice: () => {} });
    try {
      const count = async () => Number((await sql`select count(*) as n from relation_revision`)[0]!["n"]);
      assert.equal(await count(), 2);
      await send("POST", `/v1/facts/${a.id}/forget`, { mode: "erase", reason: "asked for" });
      assert.equal(await count(), 0);
    } finally {
      await sql.end({ timeout: 5 });
    }
    const past = await exportPast(service, time);
    assert.deepEqual([past.lines, past.end.omitted], [[], {}]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "an export of the past shows no state above the key's clearance: not of then, nor of what is above it now",
  async fn() {
    await using world = await start();
    const { service, send } = world;
    const key = await service.createKey({ maxSensitivity: "internal" });
    const [a, b, c] = [
      await send("POST", "/v1/memory/facts", { statement: "The boat is blue.", sensitivity: "public" }),
      await send("POST", "/v1/memory/facts", { statement: "Boats float.", sensitivity: "public" }),
      await send("POST", "/v1/memory/facts", { statement: "Boats are fast.", sensitivity: "public" }),
    ];
    const tie = (targetId: string, sensitivity: string) =>
      send("POST", RELATIONS, { verb: "supports", sourceId: a.id, targetId, sensitivity });
    const [falling, rising] = [await tie(b.id, "restricted"), await tie(c.id, "public")];
    const secret = await send("POST", TASKS, { title: "Heron", sensitivity: "restricted" });
    const time = world.pass();
    await send("PATCH", `${RELATIONS}/${falling.id}`, { sensitivity: "public" });
    await send("PATCH", `${RELATIONS}/${rising.id}`, { weight: 0.3 });
    await send("PATCH", `/v1/memory/facts/${c.id}`, { sensitivity: "restricted" });
    await send("PATCH", `${TASKS}/${secret.id}`, { title: "Egret" });
    const past = await exportPast(service, time, key);
    assert.deepEqual(past.lines, []);
    // The key sees the present state of one of them, so its past existence is no secret.
    assert.deepEqual(past.end.omitted, { relation: 1 });
    const all = await exportPast(service, time);
    assert.deepEqual(all.lines.map((line) => line.id).sort(), [falling.id, rising.id, secret.id].sort());
  },
});

Deno.test({
  ...POSTGRES,
  name: "of a task that changes without end the history is bounded, and an export tells what it leaves out",
  async fn() {
    await using world = await start();
    const { service, send } = world;
    const task = await send("POST", TASKS, { title: "Busy" });
    const time = world.pass();
    const sql = postgres(service.database!.superuserUrl, { max: 1, onnotice: () => {} });
    try {
      await sql`
        do $$ begin
          for i in 2..1250 loop
            update task set version = i, updated_at = updated_at + interval '1 second';
          end loop;
        end $$`;
      const [row] =
        await sql`select count(*)::int as n, min(version) as first, max(version) as last from task_revision`;
      assert.deepEqual({ ...row }, { n: 1_050, first: 200, last: 1_249 });
    } finally {
      await sql.end({ timeout: 5 });
    }
    const past = await exportPast(service, time);
    assert.deepEqual([past.lines, past.end.omitted], [[], { task: 1 }]);
    assert.equal((await exportAll(service)).lines.find((line) => line.id === task.id).version, 1_250);
  },
});
