/** Workers give way to whoever holds a lock for long: they undo what they began and do it later. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { runJobs } from "../../src/domain/upkeep/job_works.ts";
import { isLockTimeout } from "../../src/domain/common/worker_lock_timeout.ts";
import { relinkChanged } from "../../src/domain/kinds/entities/mention_work.ts";
import { flushUsage } from "../../src/domain/recall/noted/usage.ts";
import { workerContext } from "../../src/workers/mod.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { watchUncaught } from "../db/_door.ts";

Deno.test({
  ...POSTGRES,
  name: "F12 a worker that waits for a lock gives way within its own limit, and loses nothing by it",
  async fn(t) {
    // Longer than a worker waits: one that does not give way ends with another error.
    await using service = await startService({ env: { SVC_DB_DEADLINE_MS: "15000" } });
    const ctx = (name: string) => workerContext(service.deps, name, service.workspaceId);
    const whileLocked = (table: string, work: () => Promise<void>) =>
      whileHeld(`lock table ${table} in share mode`, work);
    const whileHeld = async (statement: string, work: () => Promise<void>) => {
      const locker = postgres(service.database!.superuserUrl, { max: 1, onnotice: () => {} });
      await using _ = { [Symbol.asyncDispose]: () => locker.end({ timeout: 1 }) };
      await locker.begin(async (lock) => {
        await lock.unsafe(statement);
        await work();
      });
    };

    await t.step("counts that could not be written are written with the next ones", async () => {
      const recall = () => service.post("/v1/memory/recall", { query: "anything" });
      assert.equal((await recall()).status, 200);
      await whileLocked("usage_counter", async () => {
        await assert.rejects(flushUsage(ctx("usage")), isLockTimeout);
      });
      assert.equal((await recall()).status, 200);
      await flushUsage(ctx("usage"));
      const stats = await service.get("/v1/memory/admin/stats");
      const counted = stats.body.days.reduce((sum: number, day: { recalls: number }) => sum + day.recalls, 0);
      assert.equal(counted, 2);
    });

    await t.step("a job that cannot go on goes back to the queue, and ends well later", async () => {
      for (const statement of ["The server stands in the blue room.", "Server stands in blue room"]) {
        assert.equal((await service.post("/v1/memory/facts", { statement })).status, 201);
      }
      const asked = await service.post("/v1/memory/admin/consolidate", { force: true });
      assert.equal(asked.status, 202);
      const state = async () => (await service.get(`/v1/memory/admin/jobs/${asked.body.id}`)).body;
      await whileLocked("job_step", async () => {
        assert.equal(await runJobs(ctx("jobs")), "later");
      });
      assert.equal((await state()).state, "queued");
      while (await runJobs(ctx("jobs")));
      const done = await state();
      assert.deepEqual([done.state, done.attempts], ["completed", 1], JSON.stringify(done));
    });

    await t.step(
      "a name whose texts could not be read again is done later, and its error ends no process",
      async () => {
        using uncaught = watchUncaught();
        for (const canonicalName of ["Balthazar", "Melchior"]) {
          assert.equal((await service.post("/v1/memory/entities", { canonicalName })).status, 201);
        }
        const mentions = ctx("mentions");
        const countChanges = () =>
          mentions.tx(async (tx) => {
            const [{ n }] = await tx.sql<[{ n: number }]>`
            select count(*)::int as n from name_change where workspace_id = ${tx.workspaceId}`;
            return n;
          });
        assert.ok(await countChanges() > 1);
        // The first visit only notes which transactions may not know of the change.
        assert.equal(await relinkChanged(mentions), "later");
        await whileHeld("select from name_change for update", async () => {
          // The next ones wait for these transactions, of other tests too.
          const error = await waitFor(
            "it comes upon the lock",
            () => relinkChanged(mentions).then(() => false, (e) => e),
          );
          assert.ok(isLockTimeout(error), String(error));
        });
        await waitFor("nothing is left", async () => !await relinkChanged(mentions) && await countChanges() === 0);
        assert.equal(await relinkChanged(mentions), false);
        assert.deepEqual(uncaught.errors, []);
      },
    );
  },
});
