import assert from "node:assert/strict";
import { reliabilityOf, standingOf } from "./reliability.ts";

Deno.test("reliability is the mean of a Beta distribution that starts from the outcome", () => {
  assert.equal(reliabilityOf("success", 0, 0).mean, 0.6667);
  assert.equal(reliabilityOf("partial", 0, 0).mean, 0.5);
  assert.equal(reliabilityOf("failure", 0, 0).mean, 0.3333);
  assert.equal(reliabilityOf("success", 8, 1).mean, 0.8333);
  const few = reliabilityOf("success", 2, 0);
  const many = reliabilityOf("success", 200, 1);
  assert.ok(few.lowerBound < many.lowerBound && many.lowerBound < many.mean);
  assert.ok(reliabilityOf("failure", 0, 1_000).lowerBound >= 0);
});

Deno.test("votes demote at one half and retire below three tenths, not before four of them", () => {
  const standings = [0, 1, 2, 3, 4].map((harmful) => standingOf("success", 0, harmful));
  assert.deepEqual(standings, ["active", "demoted", "demoted", "demoted", "retired"]);
  assert.equal(standingOf("success", 4, 4), "active");
  assert.equal(standingOf("partial", 0, 0), "active", "it is votes that demote");
  assert.equal(standingOf("failure", 0, 0), "active");
});
