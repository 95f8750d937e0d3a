import assert from "node:assert/strict";
import { Overheard } from "./overheard.ts";

Deno.test("who is asked for a change of others, is asked once, after their time, and not for what came meanwhile", () => {
  const overheard = new Overheard(8_000);
  for (let ms = 0; ms < 8_000; ms += 1_000) overheard.note("a", 1 + ms / 1_000, ms);
  assert.deepEqual(overheard.due(7_999), []);
  const due = overheard.due(8_000);
  assert.deepEqual(due, [{ workspaceId: "a", seq: 1 }]);
  overheard.asked(due, 8_000);
  assert.deepEqual(overheard.due(15_999), []);
  const rest = overheard.due(16_000);
  assert.deepEqual(rest, [{ workspaceId: "a", seq: 8 }]);
  overheard.asked(rest, 16_000);
  assert.deepEqual(overheard.due(1e9), []);
});

Deno.test("a change for which others have no time is asked for at once", () => {
  const overheard = new Overheard(8_000);
  overheard.note("a", 1, 0);
  overheard.note("a", 9, -Infinity);
  assert.deepEqual(overheard.due(1), [{ workspaceId: "a", seq: 9 }]);
});
