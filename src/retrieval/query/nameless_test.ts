import assert from "node:assert/strict";
import { leaveOutNames, moveVector } from "./nameless.ts";

const named = (...names: string[]) => names.map((name) => ({ name }));

Deno.test("a question keeps all its words but the names of some people", () => {
  assert.equal(leaveOutNames("What desserts has Maria made?", named("maria")), "What desserts has  made?");
  assert.equal(
    leaveOutNames("Which of Tim's books did Ana Souza read?", named("tim", "ana souza")),
    "Which of  books did   read?",
  );
  assert.equal(leaveOutNames("What does Zoë drink?", named("zoë")), "What does  drink?");
  assert.equal(leaveOutNames("Where do we meet?", named("maria")), "Where do we meet?");
});

Deno.test("a question that is nothing but a name keeps it", () => {
  assert.equal(leaveOutNames("Maria?", named("maria")), "Maria?");
});

Deno.test("a moved vector has the length that it had, and is the other one's where it was the first one's", () => {
  const from = Float32Array.of(120, 0, 50), to = Float32Array.of(0, 120, 50);
  assert.deepEqual([...moveVector(from, from, to)], [...to]);
  const moved = moveVector(Float32Array.of(100, 30, 78), from, to);
  assert.ok(Math.abs(Math.hypot(...moved) - Math.hypot(100, 30, 78)) < 1, String(moved));
  assert.ok(moved[1] > 100 && moved[0] < 0, String(moved));
});
