import assert from "node:assert/strict";
import { tally, type VotedVersion, type Voter, weighWord } from "./vote.ts";

const NOW = new Date("2026-06-01T12:00:00.000Z");
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000);
const voter = (instance: string, weight: number, skewMs = 0): Voter => ({ instance, weight, skewMs });
const word = (instance: string, hash: string, updatedAt = NOW): VotedVersion => ({ instance, hash, updatedAt });

Deno.test("a vote weighs what its voter does, in whole millionths: half after 30 days, never less than an eighth", () => {
  assert.equal(weighWord(voter("a", 60), NOW, NOW), 60_000_000);
  assert.equal(weighWord(voter("a", 60), daysAgo(30), NOW), 30_000_000);
  assert.equal(weighWord(voter("a", 60), daysAgo(90), NOW), 7_500_000);
  assert.equal(weighWord(voter("a", 60), daysAgo(9_000), NOW), 7_500_000);
  for (const days of [1, 7.3, 19]) {
    assert.ok(Number.isSafeInteger(weighWord(voter("a", 77, 71_123), daysAgo(days), NOW)));
  }
});

Deno.test("T38 a time in the future makes a vote no fresher", () => {
  assert.equal(weighWord(voter("a", 60), daysAgo(-4_000), NOW), 60_000_000);
});

Deno.test("a clock that differs takes weight: none up to 5 s, all from 300 s, in between by its share, either way", () => {
  const weigh = (skewMs: number) => weighWord(voter("a", 100, skewMs), NOW, NOW);
  assert.deepEqual([0, 5_000, -5_000].map(weigh), [100_000_000, 100_000_000, 100_000_000]);
  assert.deepEqual([152_500, -152_500].map(weigh), [50_000_000, 50_000_000]);
  assert.deepEqual([300_000, -300_000, 9e9].map(weigh), [0, 0, 0]);
});

Deno.test("T37 66 percent of the votes win nothing, and more than that wins", () => {
  const votersOf = (weight: number) => [voter("a", 33), voter("b", 33), voter("c", weight)];
  const words = [word("a", "x"), word("b", "x"), word("c", "y")];
  assert.equal(tally(votersOf(34), words, NOW).winner, null);
  assert.equal(tally(votersOf(33), words, NOW).winner, "x");
});

Deno.test("T37 one instance alone wins no vote, whatever it weighs", () => {
  assert.equal(tally([voter("a", 100), voter("b", 1)], [word("a", "x"), word("b", "y")], NOW).winner, null);
  assert.equal(tally([voter("a", 100)], [word("a", "x")], NOW).winner, null);
});

Deno.test("T37 nothing is won while those that voted weigh less than half of all that could", () => {
  const voters = [voter("a", 20), voter("b", 29), voter("c", 30), voter("d", 21)];
  const words = [word("a", "x"), word("b", "x")];
  assert.equal(tally(voters, words, NOW).winner, null);
  assert.equal(tally([...voters.slice(0, 3), voter("d", 19)], words, NOW).winner, "x");
});

Deno.test("T37 each configured instance votes once: votes of others, second votes and those without weight do not count", () => {
  const voters = [voter("a", 50), voter("b", 50), voter("mute", 0)];
  const words = [word("a", "x"), word("b", "y"), word("b", "x"), word("stranger", "x"), word("mute", "x")];
  assert.deepEqual(tally(voters, words, NOW), {
    winner: null,
    votes: [
      { instance: "a", hash: "x", weight: 50_000_000 },
      { instance: "b", hash: "y", weight: 50_000_000 },
    ],
  });
});

Deno.test("the order in which votes come in makes no difference", () => {
  const voters = [voter("a", 40), voter("b", 40), voter("c", 20)];
  const words = [word("a", "x"), word("b", "x"), word("c", "y", daysAgo(3))];
  const result = tally(voters, words, NOW);
  assert.equal(result.winner, "x");
  assert.deepEqual(tally(voters.toReversed(), words.toReversed(), NOW), result);
});
