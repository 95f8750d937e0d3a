/** A pooler in transaction mode between two services and their database, while it has one session and while it dies. F2. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { POOLED, startPgBouncer } from "../_pgbouncer.ts";
import { startService } from "../_service.ts";
import { waitFor } from "../_wait.ts";

Deno.test({
  ignore: POSTGRES.ignore || POOLED.ignore,
  name:
    "F2 two services share one session of a pooler that is killed and started under load: 503 meanwhile, nothing is lost or doubled",
  async fn() {
    await using stack = new AsyncDisposableStack();
    const database = stack.use(await createDatabase());
    const bouncer = stack.use(await startPgBouncer(database, { poolSize: 1 }));
    const pooled = { ...database, requestUrl: bouncer.through(database.requestUrl), directUrl: database.requestUrl };
    const near = stack.use(await startService({ database: pooled }));
    const far = stack.use(await startService({ database: pooled }));
    const key = await near.createKey();
    const stored = new Set<string>();
    const statuses = new Map<number, number>();
    let isOver = false;
    const send = async (n: number) => {
      for (let i = 0; !isOver; i++) {
        const body = { type: "tool.called", data: { n, i } };
        const reply = await (i % 2 === 0 ? near : far).post("/v1/memory/events", body, { key });
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
        if (reply.status === 201) stored.add(reply.body.id);
      }
    };
    const senders = Promise.all(Array.from({ length: 8 }, (_, n) => send(n)));
    senders.catch(() => {});
    const progress = async () => {
      const before = stored.size;
      await waitFor("more events", () => stored.size >= before + 20);
    };
    try {
      for (let round = 0; round < 2; round++) {
        await progress();
        await bouncer.kill();
        const before = statuses.get(503) ?? 0;
        await waitFor("a refusal", () => (statuses.get(503) ?? 0) > before);
        await bouncer.start();
        await progress();
      }
    } finally {
      isOver = true;
      await senders;
    }
    assert.deepEqual([...statuses.keys()].sort(), [201, 503]);
    for (const service of [near, far]) {
      await waitFor("readiness", async () => (await service.get("/health/ready")).status === 200);
    }
    const sql = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
    stack.defer(() => sql.end({ timeout: 1 }));
    const rows = await sql<{ id: string; of: string }[]>`
      select id, data::text as of from event where workspace_id = ${near.workspaceId}`;
    const found = new Set(rows.map((row) => row.id));
    assert.deepEqual([...stored].filter((id) => !found.has(id)), []);
    assert.equal(new Set(rows.map((row) => row.of)).size, rows.length, "an event is there twice");
  },
});
