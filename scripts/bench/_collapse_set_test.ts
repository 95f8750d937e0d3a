import assert from "node:assert/strict";
import { readCollapseSet } from "./_collapse_set.ts";
import { addScores, dangles, emptyScore, scoreSession } from "./_collapse_score.ts";

Deno.test("what the rules keep of the conversations that they were tuned on stays as good as it is", async () => {
  const sessions = (await readCollapseSet()).filter(({ half }) => half === "tune");
  const score = sessions.map(scoreSession).reduce(addScores, emptyScore());
  const share = (part: number, whole: number) => part / whole;
  assert.ok(share(score.found, score.wanted) >= 0.88, `found: ${score.found} of ${score.wanted}`);
  assert.ok(share(score.right, score.stored) >= 0.95, `right: ${score.right} of ${score.stored}`);
  assert.ok(share(score.whole, score.stored) >= 0.96, `self-contained: ${score.whole} of ${score.stored}`);
  assert.equal(score.decisionsFound, score.decisions);
});

Deno.test("a statement dangles where a word points to what it does not name", () => {
  for (
    const whole of [
      "Nora quit.",
      "The import failed because it ran out.",
      "Anna said she left.",
      "There are three.",
      "Nora: I quit.",
    ]
  ) {
    assert.equal(dangles(whole), false, whole);
  }
  for (const loose of ["I quit.", "She left.", "It runs.", "They moved there.", "That is decided."]) {
    assert.equal(dangles(loose), true, loose);
  }
});
