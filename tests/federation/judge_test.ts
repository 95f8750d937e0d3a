/** Which version of an item is shown: the product's decision compared with the model's, over seeded histories. */
import assert from "node:assert/strict";
import { playHistory, SETTINGS } from "./_histories.ts";
import { ComparedInstance } from "./_judged.ts";

/** How many histories of each setting and number of instances are played; `deno task soak --seeds 1000` plays more. */
const SEEDS = Number(Deno.env.get("SVC_TEST_HISTORIES") ?? 100);

for (const setting of SETTINGS) {
  Deno.test(`F21 the decision which version is shown equals the model's after every message, and converges: ${setting.name}`, () => {
    for (const count of setting.counts) {
      for (let seed = 1; seed <= SEEDS; seed++) {
        try {
          playHistory(seed, count, setting, (name, policy) => new ComparedInstance(name, policy));
        } catch (cause) {
          assert.fail(`${count} instances, seed ${seed}: ${cause instanceof Error ? cause.message : cause}`);
        }
      }
    }
  });
}
