/** The bounds of tests and the number of test processes follow the machine. */
import { equal, ok } from "node:assert/strict";
import { Bound, IdleCores, slowdown } from "./_machine.ts";

Deno.test("on a machine with much other work a bound is as much longer as work takes there, and ends on any", () => {
  equal(slowdown(0.2, 2), 1);
  equal(slowdown(2, 2), 1);
  equal(slowdown(20, 2), 10);
  equal(slowdown(500, 2), 12);
});

Deno.test("a bound tells once that it is over, and nothing after it was given up", async () => {
  let given = 0;
  const up = new Bound(0.5, () => given++);
  up[Symbol.dispose]();
  await new Promise<void>((resolve) => new Bound(0.5, resolve));
  equal(given, 0);
});

Deno.test("idle cores are counted from one look to the next, if that was long enough ago", () => {
  let now = 0;
  const idle = new IdleCores(() => now);
  for (let looks = 0; looks < 2; looks++) {
    now += 1_499;
    equal(idle.look(), undefined);
    now += 1;
    const cores = idle.look()!;
    ok(cores >= 0 && cores <= navigator.hardwareConcurrency);
  }
});
