import assert from "node:assert/strict";
import { Activity } from "../domain/common/activity.ts";
import { STAY_AWAY_MS_MAX, Visits } from "./visits.ts";

const REST_MS = 500;
const ALL = ["a", "b"];

/** A loop with a clock that the test sets. */
function startLoop() {
  const activity = new Activity();
  const clock = { ms: 0 };
  const visits = new Visits(activity, REST_MS, () => clock.ms);
  /** One round: finds nothing in any workspace, except more to do in those of `busy`. */
  const goRound = (busy: readonly string[] = []) => {
    const due = visits.due(ALL);
    for (const id of due) visits.begin(id)(busy.includes(id) ? "more" : "nothing");
    return due;
  };
  return { activity, clock, visits, goRound };
}

/** Runs rounds until the loop visits quiet workspaces as seldom as it may. */
function quieten({ clock, goRound }: ReturnType<typeof startLoop>): void {
  for (const end = clock.ms + 10 * STAY_AWAY_MS_MAX; clock.ms < end; clock.ms += REST_MS) goRound();
}

Deno.test("a loop visits a quiet workspace ever more seldom, and at least once a minute", () => {
  const { clock, goRound } = startLoop();
  const visitedAt: number[] = [];
  for (; clock.ms < 8 * STAY_AWAY_MS_MAX; clock.ms += REST_MS) if (goRound().includes("a")) visitedAt.push(clock.ms);
  const gaps = visitedAt.slice(1).map((ms, i) => ms - visitedAt[i]!);
  assert.deepEqual(gaps.slice(0, 5), [500, 1_000, 2_000, 4_000, 8_000]);
  assert.deepEqual([...new Set(gaps.slice(8))], [STAY_AWAY_MS_MAX]);
});

Deno.test("a loop comes back in its next round to the workspace whose feed has moved, and to no other", () => {
  const loop = startLoop();
  quieten(loop);
  loop.goRound();
  assert.deepEqual(loop.goRound(), []);
  loop.activity.noteMove("b");
  assert.deepEqual(loop.goRound(), ["b"]);
  // From then on it is visited as often as a new one.
  loop.clock.ms += REST_MS;
  assert.ok(loop.goRound().includes("b"));
});

Deno.test("a loop comes back in its next round to all workspaces when notifications may have been lost", () => {
  const loop = startLoop();
  quieten(loop);
  loop.goRound();
  loop.activity.noteGap();
  assert.deepEqual(loop.goRound(), ALL);
});

Deno.test("a loop comes back in its next round to what changed while it looked", () => {
  const { visits, activity } = startLoop();
  const end = visits.begin("a");
  activity.noteMove("a");
  end("nothing");
  assert.deepEqual(visits.due(["a"]), ["a"]);
});

Deno.test("a loop comes back in its next round to a workspace where there is more to do", () => {
  const loop = startLoop();
  quieten(loop);
  loop.activity.noteMove("a");
  assert.deepEqual(loop.goRound(["a"]), ["a"]);
  assert.deepEqual(loop.goRound(), ["a"]);
});

Deno.test("a loop tries a step that failed again after each rest, and not before", () => {
  const { clock, visits } = startLoop();
  for (let round = 0; round < 5; round++) {
    assert.deepEqual(visits.due(["a"]), ["a"]);
    visits.begin("a")("failed");
    assert.deepEqual(visits.due(["a"]), []);
    clock.ms += REST_MS;
  }
});

Deno.test("a workspace that is no longer there is forgotten, and is new when it comes back", () => {
  const loop = startLoop();
  quieten(loop);
  loop.goRound();
  loop.visits.due(["b"]);
  assert.deepEqual(loop.goRound(), ["a"]);
});
