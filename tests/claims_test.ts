/** How well the rules for claims tell a change from what only seems one, on the half of the pairs that they are made on. */
import assert from "node:assert/strict";
import { readClaims, relateAll, type Relation } from "../src/language/claims/mod.ts";
import { halfOf, readCompatible, readToldCompatible, readToldUpdates, readUpdates } from "./_updates.ts";

function relate({ older, newer }: { readonly older: string; readonly newer: string }): Relation {
  return relateAll(readClaims(newer), readClaims(older));
}

Deno.test("most updates are known for what they are", async () => {
  const pairs = (await readUpdates()).filter(({ id }) => halfOf(id) === "tuning");
  const missed = pairs.filter((pair) => relate(pair) === "none").map(({ id }) => id);
  const marked = pairs.filter((pair) => relate(pair) === "outdates").map(({ id }) => id);
  assert.ok(missed.length <= 0.06 * pairs.length, `missed ${missed.join(" ")}`);
  assert.ok(marked.length <= 0.1 * pairs.length, `only marked ${marked.join(" ")}`);
});

Deno.test("of two statements that can hold at once none ends the other", async () => {
  const pairs = (await readCompatible()).filter(({ id }) => halfOf(id) === "tuning");
  assert.deepEqual(pairs.filter((pair) => relate(pair) === "ends").map(({ id }) => id), []);
  const marked = pairs.filter((pair) => relate(pair) === "outdates").map(({ id }) => id);
  assert.ok(marked.length <= 0.01 * pairs.length, `marked ${marked.join(" ")}`);
});

Deno.test("the older of two statements never ends the newer one when they are told the other way round", async () => {
  const pairs = (await readUpdates()).filter(({ id }) => halfOf(id) === "tuning");
  const ended = pairs.filter(({ older, newer }) => relate({ older: newer, newer: older }) === "ends").map(({ id }) =>
    id
  );
  assert.deepEqual(ended, []);
});

Deno.test("changes are known in the many ways in which people tell them", async () => {
  const pairs = await readToldUpdates();
  const changes = pairs.filter(({ told }) => told === "change");
  const missed = changes.filter((pair) => relate(pair) === "none").map(({ id }) => id);
  const marked = changes.filter((pair) => relate(pair) === "outdates").map(({ id }) => id);
  assert.ok(missed.length <= 0.06 * changes.length, `missed ${missed.join(" ")}`);
  assert.ok(marked.length <= 0.04 * changes.length, `only marked ${marked.join(" ")}`);
});

Deno.test("a newer value that no word calls a change is marked, and ends nothing", async () => {
  const plain = (await readToldUpdates()).filter(({ told }) => told === "plain");
  assert.deepEqual(plain.filter((pair) => relate(pair) !== "outdates").map(({ id }) => id), []);
});

Deno.test("no claim is ended or marked by one of another person, thing, part or time, nor by what only might be", async () => {
  const pairs = await readToldCompatible();
  assert.deepEqual(pairs.filter((pair) => relate(pair) !== "none").map(({ id }) => id), []);
});

Deno.test("the older of two told statements never ends the newer one", async () => {
  const pairs = await readToldUpdates();
  const ended = pairs.filter(({ older, newer }) => relate({ older: newer, newer: older }) === "ends");
  assert.deepEqual(ended.map(({ id }) => id), []);
});
