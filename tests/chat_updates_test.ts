/** What the rules make of updates that people tell an assistant in passing, on the pairs that the rules are made on. */
import assert from "node:assert/strict";
import { scoreCompatible, scoreUpdate, strongest, tellPair } from "./_chat_updates.ts";
import {
  halfOf,
  readChatCompatible,
  readChatUpdates,
  readFurtherChatCompatible,
  readFurtherChatUpdates,
} from "./_updates.ts";

const isTuning = ({ id }: { readonly id: string }) => halfOf(id) === "tuning";

Deno.test("most updates that are told in passing are kept and known", async () => {
  const scored = (await readChatUpdates()).filter(isTuning).map((pair) => ({
    id: pair.id,
    score: scoreUpdate(pair, tellPair(pair)),
  }));
  const idsOf = (found: typeof scored) => found.map(({ id }) => id).join(" ");
  const lost = scored.filter(({ score }) => !score.areKept);
  assert.ok(lost.length <= 0.28 * scored.length, `not both kept: ${idsOf(lost)}`);
  const missed = scored.filter(({ score }) => score.relation === "none");
  assert.ok(missed.length <= 0.4 * scored.length, `missed: ${idsOf(missed)}`);
  const ended = scored.filter(({ score }) => score.relation === "ends");
  assert.ok(ended.length >= 0.28 * scored.length, `ended: ${idsOf(ended)}`);
  assert.deepEqual(scored.filter(({ score }) => score.isWronglyEnded).map(({ id }) => id), []);
});

Deno.test("of two turns that can hold at once none ends or marks the other", async () => {
  const pairs = (await readChatCompatible()).filter(isTuning);
  const scored = pairs.map((pair) => ({ id: pair.id, score: scoreCompatible(tellPair(pair)) }));
  assert.deepEqual(scored.filter(({ score }) => score.relation !== "none").map(({ id }) => id), []);
  const taken = scored.filter(({ score }) => !score.areBothKept).map(({ id }) => id);
  assert.ok(taken.length <= 1, `taken back in one session: ${taken.join(" ")}`);
});

Deno.test("further updates told in passing are known, and nothing that holds beside them is ended", async () => {
  const updates = (await readFurtherChatUpdates()).map((pair) => ({
    id: pair.id,
    relation: strongest(tellPair(pair)),
  }));
  const missed = updates.filter(({ relation }) => relation === "none").map(({ id }) => id);
  assert.ok(missed.length <= 0.48 * updates.length, `missed: ${missed.join(" ")}`);
  assert.ok(updates.filter(({ relation }) => relation === "ends").length >= 0.35 * updates.length);
  const alike = (await readFurtherChatCompatible()).map(({ id, ...pair }) => ({
    id,
    score: scoreCompatible(tellPair({ ...pair })),
  }));
  assert.deepEqual(alike.filter(({ score }) => score.relation === "ends").map(({ id }) => id), []);
  const isMarked = ({ score }: typeof alike[number]) => score.relation === "outdates";
  const isReviewed = ({ id }: typeof alike[number]) => /^e[hj]/u.test(id);
  // Where a thing stands in a book or which version has it ("eh…") may be marked.
  assert.ok(alike.filter((one) => isMarked(one) && isReviewed(one)).length <= 6);
  assert.ok(alike.filter((one) => isMarked(one) && !isReviewed(one)).length <= 4);
  assert.ok(alike.filter(({ score }) => !score.areBothKept).length <= 22);
});

Deno.test("what a review found to be marked without a reason is not marked any more", async () => {
  const pairs = (await readFurtherChatCompatible()).filter(({ id }) => id.startsWith("ej"));
  assert.equal(pairs.length, 38);
  assert.deepEqual(pairs.filter((pair) => strongest(tellPair(pair)) !== "none").map(({ id }) => id), []);
});
