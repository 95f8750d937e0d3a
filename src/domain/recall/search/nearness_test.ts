import assert from "node:assert/strict";
import { joinNear, keepOwn, SAID_MAX, SEMANTIC_MAX } from "./nearness.ts";

const near = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ docNo: from + i, similarity: 0.9 - (from + i) / 1_000 }));

Deno.test("the nearest of both questions become candidates, the turns behind them only if a named person said them", () => {
  const { near: joined, further } = joinNear(near(1_000, 3), near(1, SAID_MAX), false);
  assert.equal(joined.length, SEMANTIC_MAX + 3);
  assert.deepEqual(joined.map(({ docNo }) => docNo).slice(-4), [SEMANTIC_MAX, 1_000, 1_001, 1_002]);
  assert.equal(further[0]!.docNo, SEMANTIC_MAX + 1);
  assert.deepEqual(joinNear([], near(1, 300), true).further, [], "filters refuse many, so all are candidates");
});

Deno.test("of the turns behind the nearest, the first ones of those who are named are kept", () => {
  const turns = Array.from({ length: 60 }, (_, docNo) => ({ docNo, speaker: docNo % 2 === 0 ? "Ana Souza" : "Bo" }));
  const own = keepOwn([{ docNo: 99, speaker: undefined }, ...turns], { people: [{ name: "ana" }] });
  assert.deepEqual(own.map(({ docNo }) => docNo), Array.from({ length: 20 }, (_, i) => 2 * i));
});
