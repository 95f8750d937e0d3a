/** No rule for claims can be knocked out without a row whose example fails. */
import assert from "node:assert/strict";
import { listAlternatives, listRows } from "./_knocking.ts";

Deno.test("without any row, or any of its verbs, an example of that row fails", () => {
  assert.deepEqual(listRows().filter(({ knockOut }) => knockOut() === null).map(({ name }) => name), []);
});

Deno.test("without any alternative of a row's patterns an example fails", async () => {
  const ofRows = (await listAlternatives()).filter(({ name }) => /^\w+_rules\.ts:/.test(name));
  assert.ok(ofRows.length > 1_000, `${ofRows.length} alternatives`);
  assert.deepEqual(ofRows.filter(({ knockOut }) => knockOut() === null).map(({ name }) => name), []);
});
