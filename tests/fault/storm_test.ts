/** A short storm of faults with a fixed seed; the long one is `deno task soak`. */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { REDIS } from "../_redis.ts";
import { Stage } from "./_stage.ts";
import { FAULTS, runStorm } from "./_storm.ts";

Deno.test({
  ignore: POSTGRES.ignore || REDIS.ignore,
  name: "F1 F2 F4 F6 F9 F13 F14 two processes under every fault in turn: nothing lost, doubled or mixed, all goes on",
  async fn() {
    await using stage = await Stage.open({ redis: true, ownServer: true, env: { SVC_DB_DEADLINE_MS: "2000" } });
    const told: string[] = [];
    try {
      const done = await runStorm(stage, { seed: 4, goOn: (round) => round === 1, tell: (line) => told.push(line) });
      assert.equal(done.length, FAULTS.length);
      await stage.stop();
    } catch (error) {
      throw new Error(told.join("\n"), { cause: error });
    }
  },
});
