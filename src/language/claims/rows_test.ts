/** Each row reads its own examples, as they say, and leaves alone those that it must not read. */
import assert from "node:assert/strict";
import { cpuUsage } from "node:process";
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

/** The characters of a statement that are read, and the most milliseconds of a processor that reading them takes, whatever they are. */
const CHARS = 1_200, READ_MS_MAX = 250;

Deno.test("no row takes long to read what repeats its own words, without and with blanks", () => {
  for (const row of ALL) {
    for (const { sentence } of row.says.map((example) => expand(example)[0]!)) {
      const words = sentence.replace(/[.!]+$/u, "").split(" ");
      const begun = words.slice(0, 2).join(" ");
      for (const [i, word] of words.entries()) {
        for (
          const text of [
            `${begun} ${`${word} `.repeat(CHARS / (word.length + 1))}`,
            `${begun} ${word.repeat(CHARS / word.length)}x`,
          ]
        ) {
          if (i < 2) continue;
          const started = cpuUsage();
          readClaims(text);
          const ms = cpuUsage(started).user / 1_000;
          assert.ok(ms < READ_MS_MAX, `${row.name}: ${ms} ms for ${text.slice(0, 60)}`);
        }
      }
    }
  }
});
