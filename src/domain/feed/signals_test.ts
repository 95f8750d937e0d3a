import assert from "node:assert/strict";
import { FeedSignals } from "./signals.ts";

const NEVER = new AbortController().signal;

/** Whether a wait is over before a later one of this thread is. */
async function isOver(wait: Promise<void>): Promise<boolean> {
  return await Promise.race([wait.then(() => true), new Promise<false>((resolve) => setTimeout(() => resolve(false)))]);
}

Deno.test("a gap wakes whoever waits, and what was heard before it wakes nobody again", async () => {
  const signals = new FeedSignals();
  using feed = signals.follow("a");
  signals.noteSeq("a", 7);
  const { gap } = feed;
  assert.equal(await isOver(feed.beyond(5, gap, 60_000, NEVER)), true, "the feed goes beyond 5");
  const waiting = feed.beyond(7, gap, 60_000, NEVER);
  assert.equal(await isOver(waiting), false);
  signals.noteGap();
  assert.equal(await isOver(waiting), true);
  assert.equal(await isOver(feed.beyond(5, gap, 60_000, NEVER)), true, "it has not looked since the gap");
  // It looked: the feed was set back, and ends at 5.
  const next = feed.beyond(5, feed.gap, 60_000, NEVER);
  assert.equal(await isOver(next), false, "7 is lost");
  signals.noteSeq("a", 6);
  assert.equal(await isOver(next), true);
});
