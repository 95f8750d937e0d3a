import assert from "node:assert/strict";
import { layOut } from "./layout.ts";
import { cpuMs } from "../../../tests/_cpu.ts";

const ids = Array.from({ length: 60 }, (_, i) => `0195c1a0-0000-7000-8000-${i.toString(16).padStart(12, "0")}`);
/** What every machine gives for the first two. */
const FIXED = [{ x: 0.3948, y: -0.1894 }, { x: 0.1283, y: -0.2265 }];
const edges = ids.flatMap((_, i): [number, number][] => i === 0 ? [] : [[i, Math.floor(i / 2)]]);

Deno.test("the same graph has the same places, in whatever order it is told", () => {
  const places = layOut(ids, edges);
  assert.deepEqual(layOut(ids, edges.map(([a, b]): [number, number] => [b, a]).toReversed()), places);
  const last = ids.length - 1;
  const reversed = layOut(ids.toReversed(), edges.map(([a, b]): [number, number] => [last - a, last - b]));
  assert.deepEqual(reversed.toReversed(), places);
  assert.deepEqual(places.slice(0, 2), FIXED);
});

Deno.test("places are in the square and apart, neighbours nearer than others, and another node moves them little", () => {
  const places = layOut(ids, edges);
  const distance = (a: number, b: number) => Math.hypot(places[a]!.x - places[b]!.x, places[a]!.y - places[b]!.y);
  for (const { x, y } of places) assert.ok(Math.abs(x) <= 1 && Math.abs(y) <= 1);
  assert.equal(new Set(places.map(({ x, y }) => `${x} ${y}`)).size, ids.length);
  const mean = (pairs: readonly (readonly [number, number])[]) =>
    pairs.reduce((sum, [a, b]) => sum + distance(a, b), 0) / pairs.length;
  const all = ids.flatMap((_, a) => ids.flatMap((_, b): [number, number][] => a < b ? [[a, b]] : []));
  assert.ok(mean(edges) < mean(all) / 2, `${mean(edges)} of ${mean(all)}`);
  const more = layOut([...ids, "0195c1a0-0000-7000-8000-ffffffffffff"], edges);
  const moved = places.map(({ x, y }, i) => Math.hypot(more[i]!.x - x, more[i]!.y - y));
  assert.ok(moved.reduce((a, b) => a + b, 0) / moved.length < 0.05);
  assert.deepEqual(layOut([], []), []);
});

Deno.test("a thousand nodes with five thousand edges are laid out in well under a second", () => {
  const many = Array.from({ length: 1_000 }, (_, i) => `node ${i}`);
  const ties = Array.from({ length: 5_000 }, (_, i): [number, number] => [i % 1_000, (i * 7 + 1) % 1_000]);
  const tookMs = cpuMs(() => void layOut(many, ties));
  assert.ok(tookMs < 2_000, `${tookMs} ms`);
});
