/** No row takes long to read any text. Left out of the quick form. */
import assert from "node:assert/strict";
import { cpuUsage } from "node:process";
import { expand } from "./_examples.ts";
import { readClaims, ROWS } from "./read.ts";
import { DURATIONS } from "./count_rules.ts";

const ALL = [...ROWS, ...DURATIONS];

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
