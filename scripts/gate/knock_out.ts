/**
 * Knocks out the rules for claims one by one and shows which of their own examples fails, by the name of its row.
 *
 *     deno run -A scripts/gate/knock_out.ts [--most 100] [--seed 1] [--list]
 *
 * A rule is a row, a verb of a row, or one alternative of a pattern: "old" of `(?:new|old)`. Without `--most` all are
 * knocked out, with it as many as are drawn by the seed. `--list` lists all, and what fails without each. Ends with 1 if
 * anything can be knocked out that no example misses.
 */
import { parseArgs } from "node:util";
import { listAlternatives, listRows } from "./_knocking.ts";

const { values } = parseArgs({
  options: { most: { type: "string" }, seed: { type: "string", default: "1" }, list: { type: "boolean" } },
});

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
function* draw(seed: number): Generator<number, never> {
  for (let state = seed;;) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    yield ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}

const rules = [...listRows(), ...await listAlternatives()];
const numbers = draw(Number(values.seed));
const drawn = values.most === undefined ? rules : rules.map((rule) => ({ rule, by: numbers.next().value }))
  .sort((a, b) => a.by - b.by).slice(0, Number(values.most)).map(({ rule }) => rule);
let missed = 0;
for (const rule of drawn) {
  const failed = rule.knockOut();
  if (failed === null) missed++;
  if (failed === null || values.list) console.log(`${rule.name}: ${failed ?? "nothing fails without it"}`);
}
console.log(`${drawn.length - missed} of ${drawn.length} drawn from ${rules.length} rules are missed by an example`);
Deno.exit(missed === 0 ? 0 : 1);
