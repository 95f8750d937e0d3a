import assert from "node:assert/strict";
import { CONFLICT_RESOLUTIONS, type ConflictResolution } from "../../../schema/federation_peer.ts";
import { convergesWith, policyCapability } from "./convergence.ts";

const entry = (conflictResolution: ConflictResolution, theirs?: ConflictResolution) => ({
  conflictResolution,
  told: theirs === undefined ? {} : { capabilities: ["digest-1", policyCapability(theirs), "of-a-later-build"] },
});

Deno.test("two instances come to show the same under one policy, or where one keeps its own and the other takes it", () => {
  const converging = CONFLICT_RESOLUTIONS.flatMap((ours) =>
    CONFLICT_RESOLUTIONS.filter((theirs) => {
      const peer = entry(ours, theirs);
      return convergesWith(peer, [peer]);
    }).map((theirs) => `${ours} ${theirs}`)
  );
  assert.deepEqual(converging.sort(), [
    "consensus consensus",
    "manual manual",
    "ours_wins theirs_wins",
    "theirs_wins ours_wins",
    "theirs_wins theirs_wins",
  ]);
});

Deno.test("another policy for another peer, or a second instance that keeps its own, keeps all of them apart", () => {
  const peer = entry("theirs_wins", "theirs_wins");
  assert.equal(convergesWith(peer, [peer, entry("theirs_wins", "ours_wins")]), true);
  assert.equal(convergesWith(peer, [peer, entry("manual", "manual")]), false);
  assert.equal(
    convergesWith(peer, [peer, entry("theirs_wins", "ours_wins"), entry("theirs_wins", "ours_wins")]),
    false,
  );
});

Deno.test("nothing is said of a peer that has not told its policy, unless this instance has two of its own", () => {
  const silent = entry("theirs_wins");
  assert.equal(convergesWith(silent, [silent]), null);
  assert.equal(convergesWith({ ...silent, told: { capabilities: "settles-manual" } }, [silent]), null);
  assert.equal(convergesWith(silent, [silent, entry("manual", "manual")]), false);
});

Deno.test("a policy is told in the words that capabilities are made of", () => {
  for (const policy of CONFLICT_RESOLUTIONS) assert.match(policyCapability(policy), /^[a-z0-9-]{1,40}$/);
});
