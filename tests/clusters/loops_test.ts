/** The background loops of a deployment with several clusters, of which one is away. */
import assert from "node:assert/strict";
import * as access from "../../src/domain/access/authorize.ts";
import { DueWork } from "../../src/workers/due_work.ts";
import { DUE_LOOPS, goRound } from "../../src/workers/mod.ts";
import { POSTGRES } from "../_postgres.ts";
import { TwoClusters } from "./_two.ts";

Deno.test({
  ...POSTGRES,
  name: "while a cluster is away the loops work in the workspaces of the others, and keep what they have ended on it",
  async fn() {
    await using two = await TwoClusters.start();
    await using service = await two.service({
      env: { SVC_DB_CONNECT_TIMEOUT_SECONDS: "2", SVC_DB_DEADLINE_MS: "5000" },
    });
    const elsewhere = async () =>
      await access.createWorkspace(service.deps, { name: "placed", region: "us-east-1", cluster: "b" });
    const [ended, away, alsoAway] = [await elsewhere(), await elsewhere(), await elsewhere()];
    const due = new DueWork(service.deps, DUE_LOOPS);
    /** Every loop steps where it has work, until nothing is left, or until it fails. */
    const step = async () => {
      const failed = new Set<string>();
      for (const loop of DUE_LOOPS) {
        try {
          while (await goRound(service.deps, loop, due));
        } catch {
          failed.add(loop.name);
        }
      }
      return failed;
    };
    const seqOn = (name: "home" | "b", workspaceId: string) =>
      two.look(name, async (sql) => {
        const [row] = await sql`select seq::float8 as seq from loop_round where workspace_id = ${workspaceId}`;
        return row!["seq"] as number;
      });
    due.queue.move(ended, 5);
    assert.deepEqual(await step(), new Set());

    await two.server.stop("immediate");
    for (const id of [away, alsoAway, service.workspaceId]) due.queue.move(id, 7);
    assert.ok((await step()).has("embedding"));
    assert.ok(!due.queue.waiting("embedding").includes(service.workspaceId));
    assert.ok(due.queue.due("embedding").includes(alsoAway), "one failure says enough of its cluster");
    await assert.rejects(due.settle());
    assert.equal(await seqOn("home", service.workspaceId), 7);
    await two.server.start();
    await due.settle();
    assert.equal(await seqOn("b", ended), 5);
  },
});
