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
  assert.ok(lost.length <= 0.1 * scored.length, `not both kept: ${idsOf(lost)}`);
  const missed = scored.filter(({ score }) => score.relation === "none");
  assert.ok(missed.length <= 0.18 * scored.length, `missed: ${idsOf(missed)}`);
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
  const updates = await readFurtherChatUpdates();
  const missed = updates.filter((pair) => strongest(tellPair(pair)) === "none").map(({ id }) => id);
  assert.ok(missed.length <= 0.21 * updates.length, `missed: ${missed.join(" ")}`);
  const alike = (await readFurtherChatCompatible()).map(({ id, ...pair }) => ({
    id,
    score: scoreCompatible(tellPair({ ...pair })),
  }));
  assert.deepEqual(alike.filter(({ score }) => score.relation === "ends").map(({ id }) => id), []);
  assert.ok(alike.filter(({ score }) => score.relation === "outdates").length <= 2);
  assert.ok(alike.filter(({ score }) => !score.areBothKept).length <= 5);
});
