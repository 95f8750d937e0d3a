import assert from "node:assert/strict";
import { letOthersRun, Slices } from "./pause.ts";

/** Counts the turns of the event loop until it is stopped. */
function countTurns() {
  let turns = 0;
  let timer = setTimeout(function count() {
    turns++;
    timer = setTimeout(count, 0);
  }, 0);
  return {
    get turns() {
      return turns;
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

function* pieces(count: number): Generator<void, string> {
  for (let i = 0; i < count; i++) yield;
  return "done";
}

Deno.test("work in pieces lets others run between any two of them when its slice is over", async () => {
  using loop = countTurns();
  assert.equal(await new Slices(undefined, 0).do(pieces(50)), "done");
  assert.ok(loop.turns >= 49, `${loop.turns} turns`);
});

Deno.test("work within its slice holds on", async () => {
  using loop = countTurns();
  await new Slices(undefined, Infinity).do(pieces(50));
  assert.equal(loop.turns, 0);
});

Deno.test("of works that wait, each turn of the event loop resumes one", async () => {
  let resumed = 0;
  const most: number[] = [];
  const works = Array.from({ length: 5 }, async () => {
    for (let i = 0; i < 4; i++) {
      await letOthersRun();
      if (resumed++ === 0) setTimeout(() => most.push(resumed, resumed = 0), 0);
    }
  });
  await Promise.all(works);
  await letOthersRun();
  assert.ok(most.length > 0 && most.filter((_, i) => i % 2 === 0).every((count) => count <= 2), most.join());
});

Deno.test("work ends when its signal is aborted, with the signal's reason", async () => {
  const gone = new AbortController();
  const reason = new Error("the caller has gone");
  let done = 0;
  function* endless(): Generator<void, never> {
    for (;;) yield void (++done === 3 && gone.abort(reason));
  }
  await assert.rejects(new Slices(gone.signal, 0).do(endless()), reason);
  assert.ok(done < 10, `${done} pieces`);
});
