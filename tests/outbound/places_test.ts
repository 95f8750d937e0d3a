/** Whose turn it is at a party's connections. */
import { deepEqual, equal } from "node:assert/strict";
import { Places } from "../../src/outbound/places.ts";

const NEVER = new AbortController().signal;

/** Lets all that waits for nothing outside go on. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Takes all places, and lets requests wait for one; `entered` lists those that got one, in order. */
async function fill(max: number, waiting: readonly AbortSignal[]) {
  const places = new Places();
  for (let i = 0; i < max; i++) equal(await places.enter(max, NEVER), true);
  const entered: number[] = [];
  const all = waiting.map((signal, i) => places.enter(max, signal).then((isIn) => void (isIn && entered.push(i))));
  await settle();
  deepEqual(entered, []);
  return { places, entered, all };
}

Deno.test("as many requests as leave at once let as many in, in the order in which they came", async () => {
  const { places, entered, all } = await fill(2, [NEVER, NEVER, NEVER]);
  places.leave();
  places.leave();
  await settle();
  deepEqual([entered, places.taken], [[0, 1], 2]);
  places.leave();
  await Promise.all(all);
  deepEqual([entered, places.taken], [[0, 1, 2], 2]);
});

Deno.test("a request that ends as it gets its turn leaves the place to the next one", async () => {
  for (const isWokenFirst of [true, false]) {
    const gone = new AbortController();
    const { places, entered, all } = await fill(1, [gone.signal, NEVER]);
    if (isWokenFirst) places.leave();
    gone.abort();
    if (!isWokenFirst) places.leave();
    await settle();
    deepEqual([entered, places.taken], [[1], 1]);
    await Promise.all(all);
  }
});

Deno.test("when the places are closed, nobody waits for one any more", async () => {
  const { places, entered, all } = await fill(1, [NEVER, NEVER]);
  places.close();
  await Promise.all(all);
  equal(await places.enter(9, NEVER), false);
  places.leave();
  deepEqual([entered, places.taken], [[], 0]);
});
