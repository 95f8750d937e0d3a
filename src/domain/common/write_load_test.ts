import assert from "node:assert/strict";
import { WORK_MS, WriteLoad, YIELD_MS_MAX } from "./write_load.ts";

/** A `WriteLoad` with a clock that advances only while somebody pauses. */
function startLoad() {
  const clock = { ms: 0 };
  const load = new WriteLoad({
    now: () => clock.ms,
    pause: (ms) => {
      clock.ms += ms;
      return Promise.resolve();
    },
  });
  return { clock, load, mayStep: load.yielding(new AbortController().signal) };
}

Deno.test("a loop steps at once when nobody writes, and soon after the last write has ended", async () => {
  const { clock, load, mayStep } = startLoad();
  await mayStep();
  assert.equal(clock.ms, 0);
  load.begin()();
  await mayStep();
  assert.ok(clock.ms > 0 && clock.ms < YIELD_MS_MAX, `${clock.ms} ms`);
});

Deno.test("while writes run a loop gives way, and works for its share of the time all the same", async () => {
  const { clock, load, mayStep } = startLoad();
  const end = load.begin();
  await mayStep();
  assert.ok(clock.ms >= YIELD_MS_MAX, "it has waited as long as it may");
  const begun = clock.ms;
  let steps = 0;
  for (; clock.ms < begun + WORK_MS; steps++) {
    await mayStep();
    clock.ms += 10;
  }
  assert.equal(steps, WORK_MS / 10, "it works without waiting again");
  await mayStep();
  assert.ok(clock.ms >= begun + WORK_MS + YIELD_MS_MAX, "then it gives way again");
  end();
  const ended = clock.ms + WORK_MS;
  clock.ms = ended;
  await mayStep();
  assert.equal(clock.ms, ended);
});

Deno.test("one write that ends beside another one that runs makes no quiet moment", () => {
  const { clock, load } = startLoad();
  const [first, second] = [load.begin(), load.begin()];
  first();
  clock.ms += YIELD_MS_MAX;
  assert.equal(load.isQuiet, false);
  second();
  clock.ms += YIELD_MS_MAX;
  assert.equal(load.isQuiet, true);
});
