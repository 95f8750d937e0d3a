/** Each row reads its own examples, as they say, and leaves alone those that it must not read. */
import assert from "node:assert/strict";
import { expand, tell } from "./_examples.ts";
import { READINGS } from "./_readings.ts";
import { TABLES } from "./_tables.ts";
import { listReadings, readClaims, ROWS } from "./read.ts";
import { DURATIONS } from "./count_rules.ts";

const ALL = [...ROWS, ...DURATIONS];

Deno.test("rows have names of their own, and each has examples", () => {
  assert.equal(new Set(ALL.map(({ name }) => name)).size, ALL.length);
  assert.deepEqual(
    ALL.filter(({ says, saysNot }) => says.length === 0 || saysNot === undefined).map(({ name }) => name),
    [],
  );
});

for (const row of ALL) {
  Deno.test(`the row "${row.name}" reads what it says, and nothing else`, () => {
    const readBy = (sentence: string) => [...listReadings(sentence)].find((reading) => reading.row.name === row.name);
    for (const { sentence, told } of row.says.flatMap(expand)) {
      const reading = readBy(sentence);
      assert.ok(reading !== undefined, `"${sentence}" is not read by this row`);
      assert.equal(tell(reading.claims), told, sentence);
    }
    for (const { sentence } of (row.saysNot ?? []).flatMap(expand)) {
      assert.equal(readBy(sentence), undefined, `"${sentence}" is read by this row`);
    }
  });
}

for (const [name, examples] of Object.entries(READINGS)) {
  Deno.test(`claims: ${name}`, () => {
    for (const { sentence, told } of examples.flatMap(expand)) assert.equal(tell(readClaims(sentence)), told, sentence);
  });
}

for (const { name, read, says } of TABLES) {
  Deno.test(name, () => {
    for (const { sentence, told } of says.flatMap(expand)) assert.equal(read(sentence), told, sentence);
  });
}
