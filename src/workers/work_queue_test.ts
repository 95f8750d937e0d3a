import assert from "node:assert/strict";
import type { StepEnd } from "../domain/common/activity.ts";
import { WorkQueue } from "./work_queue.ts";

const LOOPS = [
  { name: "embedding", restMs: 500 },
  { name: "audit", restMs: 60_000, onUse: true },
] as const;
const START = Date.UTC(2030, 0, 1);

/** A queue with clocks that the test sets. */
function startQueue() {
  const clock = { ms: 0 };
  const at = (ms: number) => new Date(START + ms);
  const queue = new WorkQueue(LOOPS, () => at(clock.ms), () => clock.ms);
  /** One step of a loop in each workspace where it has something to do. */
  const step = (loop: string, end: StepEnd | "failed", during?: () => void) =>
    queue.due(loop).map((id) => {
      const ended = queue.begin(loop, id);
      during?.();
      ended(end);
      return id;
    });
  return { queue, clock, at, step };
}

Deno.test("a loop steps where the feed has moved, once, and nowhere else", () => {
  const { queue, step } = startQueue();
  assert.deepEqual(step("embedding", false), []);
  queue.move("a", 7);
  queue.move("a", 8);
  assert.deepEqual(step("embedding", false), ["a"]);
  assert.deepEqual(step("embedding", false), []);
});

Deno.test("a loop goes on at once where it left work, after its rest where it must wait or failed", () => {
  for (const end of ["later", "failed"] as const) {
    const { queue, clock, step } = startQueue();
    queue.move("a", 1);
    assert.deepEqual(step("embedding", true), ["a"]);
    assert.deepEqual(step("embedding", end), ["a"]);
    assert.deepEqual(step("embedding", end), []);
    clock.ms = 500;
    assert.deepEqual(step("embedding", false), ["a"]);
    clock.ms = 10_000;
    assert.deepEqual(step("embedding", false), []);
  }
});

Deno.test("a change counts as followed when the loops that hurry are through, and is visited until all are", () => {
  const { queue, step } = startQueue();
  queue.move("a", 3);
  step("embedding", "later");
  assert.deepEqual(queue.takeEnded().rounds, []);
  queue.move("a", 4);
  step("embedding", false);
  assert.deepEqual(queue.takeEnded().rounds, [{ workspaceId: "a", seq: 4, isWhole: false }]);
  step("audit", false);
  assert.deepEqual(queue.takeEnded().rounds, [{ workspaceId: "a", seq: 4, isWhole: true }]);
  assert.equal(queue.followed("a"), -1, "nothing is kept of a quiet workspace");
});

Deno.test("a change while a loop steps brings it back, and is not followed before, while the one before is", () => {
  const { queue, step } = startQueue();
  queue.move("a", 3);
  step("audit", false);
  step("embedding", false, () => queue.move("a", 4));
  assert.deepEqual(queue.takeEnded().rounds, [{ workspaceId: "a", seq: 3, isWhole: false }]);
  assert.deepEqual(step("audit", false), ["a"]);
  assert.deepEqual(step("embedding", false), ["a"]);
  assert.deepEqual(queue.takeEnded().rounds, [{ workspaceId: "a", seq: 4, isWhole: true }]);
});

Deno.test("in a workspace that never rests, what was changed before counts as followed", () => {
  const { queue, step } = startQueue();
  queue.move("a", 1);
  for (const seq of [2, 3, 4]) {
    step("embedding", false, () => queue.move("a", seq));
    assert.deepEqual(queue.takeEnded().rounds, [{ workspaceId: "a", seq: seq - 1, isWhole: false }]);
  }
});

Deno.test("a step that runs when a round is taken does not count for it", () => {
  const { queue, at, step } = startQueue();
  queue.move("a", 1);
  step("audit", false);
  const round = { rounds: [{ workspaceId: "a", seq: 1 }], timers: [], heldUntil: at(60_000) };
  step("embedding", false, () => queue.take(round));
  assert.deepEqual(queue.takeEnded().rounds, []);
  assert.deepEqual([step("embedding", false), step("audit", false)], [["a"], ["a"]]);
  assert.deepEqual(queue.takeEnded().rounds, [{ workspaceId: "a", seq: 1, isWhole: true }]);
});

Deno.test("a use brings back the loops that have work after reads", () => {
  const { queue, step } = startQueue();
  queue.use("a");
  assert.deepEqual([step("embedding", false), step("audit", false)], [[], ["a"]]);
  assert.deepEqual(queue.takeEnded(), { rounds: [], timers: [] });
});

Deno.test("a timer that was taken ends with what is due next, or with nothing", () => {
  const { queue, at, step } = startQueue();
  const heldUntil = at(60_000);
  const timers = [{ workspaceId: "a", loop: "audit" }];
  assert.deepEqual(queue.take({ rounds: [], timers, heldUntil }), new Set(["audit"]));
  assert.deepEqual(queue.taken, { rounds: 0, timers: 1 });
  const dueAt = at(90_000);
  step("audit", dueAt);
  assert.deepEqual(queue.takeEnded().timers, [{ workspaceId: "a", loop: "audit", heldUntil, dueAt }]);
  queue.take({ rounds: [], timers, heldUntil });
  step("audit", false);
  assert.deepEqual(queue.takeEnded().timers, [{ workspaceId: "a", loop: "audit", heldUntil, dueAt: undefined }]);
  assert.deepEqual(queue.taken, { rounds: 0, timers: 0 });
});

Deno.test("what cannot be done now keeps a process from nothing else that becomes due", () => {
  for (const end of ["failed", "later"] as const) {
    const { queue, at, step } = startQueue();
    const timers = [{ workspaceId: "a", loop: "audit" }, { workspaceId: "a", loop: "embedding" }];
    queue.take({ rounds: [{ workspaceId: "b", seq: 1 }], timers, heldUntil: at(60_000) });
    assert.deepEqual(queue.taken, { rounds: 1, timers: 2 });
    for (const loop of queue.loops) step(loop, end);
    assert.deepEqual(queue.taken, { rounds: 0, timers: 0 });
    assert.deepEqual(queue.takeEnded(), { rounds: [], timers: [] }, "another process finds it due again");
  }
});

Deno.test("what a loop finds due already, and cannot do, it tries again after its rest", () => {
  const { queue, clock, at, step } = startQueue();
  queue.move("a", 1);
  step("embedding", at(0));
  assert.deepEqual([queue.takeEnded().timers, step("embedding", false)], [[], []]);
  clock.ms = 500;
  assert.deepEqual(step("embedding", false), ["a"]);
});

Deno.test("a timer is set at most 30 days ahead, also for work whose date no JSON can say", () => {
  for (const end of [new Date(Date.UTC(10_000, 0)), new Date(NaN)]) {
    const { queue, at, step } = startQueue();
    queue.move("a", 1);
    step("audit", end);
    assert.deepEqual(queue.takeEnded().timers.map(({ dueAt }) => dueAt), [at(30 * 86_400_000)]);
  }
});

Deno.test("what could not be written is written with the next, unless there is something newer", () => {
  const { queue, at, step } = startQueue();
  queue.move("a", 1);
  step("embedding", at(5_000));
  const kept = queue.takeEnded();
  assert.deepEqual(queue.takeEnded(), { rounds: [], timers: [] });
  queue.move("a", 2);
  step("embedding", at(9_000));
  queue.keepEnded(kept);
  const { rounds, timers } = queue.takeEnded();
  assert.deepEqual([rounds.map(({ seq }) => seq), timers.map(({ dueAt }) => dueAt)], [[2], [at(9_000)]]);
});

Deno.test("a process that stops gives up the timers that it has taken", () => {
  const { queue, at } = startQueue();
  queue.take({ rounds: [], timers: [{ workspaceId: "a", loop: "audit" }], heldUntil: at(60_000) });
  queue.giveUp();
  assert.deepEqual(queue.takeEnded().timers, [
    { workspaceId: "a", loop: "audit", heldUntil: at(60_000), dueAt: at(0) },
  ]);
});

Deno.test("a round that was taken brings every loop, and counts as taken until all have tried", () => {
  const { queue, at, step } = startQueue();
  queue.take({ rounds: [{ workspaceId: "a", seq: 0 }], timers: [], heldUntil: at(60_000) });
  step("embedding", false);
  assert.equal(queue.taken.rounds, 1);
  step("audit", false);
  assert.equal(queue.taken.rounds, 0);
  assert.deepEqual(queue.takeEnded().rounds, [{ workspaceId: "a", seq: 0, isWhole: true }]);
});
