import assert from "node:assert/strict";
import { packContext, type PackInput, type Priced } from "./pack.ts";

const priced = (count: number, tokens: number): Priced<number>[] =>
  Array.from({ length: count }, (_, index) => ({ item: index, tokens }));
const never = () => false;
const input = (given: Partial<PackInput<number, number>>): PackInput<number, number> => ({
  maxTokens: 100,
  scratchpadTokens: 0,
  turns: [],
  olderTurns: 0,
  knowledge: [],
  summarise: async (_, tokensMax) => ({ item: "summary", tokens: tokensMax }),
  ...given,
});

Deno.test("what fits is all there, in the session's order, without a summary", async () => {
  const packed = await packContext(
    input({ turns: priced(3, 10), knowledge: priced(2, 10), scratchpadTokens: 20 }),
    never,
  );
  assert.deepEqual(packed.turns, [2, 1, 0]);
  assert.deepEqual(packed.knowledge, [0, 1]);
  assert.equal(packed.scratchpad, true);
  assert.equal(packed.summary, undefined);
  assert.deepEqual(packed.omitted, []);
});

Deno.test("turns are the most recent without a gap, the others are summed up", async () => {
  let from = -1;
  const packed = await packContext(
    input({
      turns: [{ item: 0, tokens: 10 }, { item: 1, tokens: 500 }, { item: 2, tokens: 10 }],
      summarise: async (start, tokensMax) => {
        from = start;
        return { item: "the rest", tokens: tokensMax };
      },
    }),
    never,
  );
  assert.deepEqual(packed.turns, [0]);
  assert.equal(from, 1);
  assert.deepEqual(packed.summary, { item: "the rest", tokens: 20 });
  assert.deepEqual(packed.omitted, ["turns"]);
});

Deno.test("turns that were not read count as left out", async () => {
  const packed = await packContext(input({ turns: priced(1, 10), olderTurns: 5 }), never);
  assert.deepEqual(packed.omitted, ["turns"]);
  assert.notEqual(packed.summary, undefined);
});

Deno.test("knowledge that does not fit is passed over for what does", async () => {
  const knowledge = [{ item: 0, tokens: 200 }, { item: 1, tokens: 5 }];
  const packed = await packContext(input({ knowledge }), never);
  assert.deepEqual(packed.knowledge, [1]);
  assert.deepEqual(packed.omitted, ["knowledge"]);
});

Deno.test("knowledge that is shown as a turn already is not shown again and counts as nothing left out", async () => {
  const packed = await packContext(
    input({ turns: priced(2, 10), knowledge: priced(3, 10) }),
    (item, turns) => turns.includes(item),
  );
  assert.deepEqual(packed.knowledge, [2]);
  assert.deepEqual(packed.omitted, []);
});

Deno.test("a scratchpad above half of the budget is left out and said so", async () => {
  const packed = await packContext(input({ scratchpadTokens: 51 }), never);
  assert.equal(packed.scratchpad, false);
  assert.equal(packed.scratchpadTokens, 0);
  assert.deepEqual(packed.omitted, ["scratchpad"]);
});

Deno.test("the budget is never exceeded, whatever there is", async () => {
  let seed = 7;
  const random = (max: number) => (seed = (seed * 48_271) % 2_147_483_647) % max;
  for (let round = 0; round < 2_000; round++) {
    const some = (): Priced<number>[] =>
      Array.from({ length: random(12) }, (_, item) => ({ item, tokens: 1 + random(60) }));
    const given = input({
      maxTokens: 1 + random(300),
      scratchpadTokens: random(100),
      turns: some(),
      knowledge: some(),
      olderTurns: random(2),
      summarise: async (_, tokensMax) => ({ item: "s", tokens: random(tokensMax + 20) }),
    });
    const packed = await packContext(given, never);
    const used = packed.scratchpadTokens + packed.turnTokens + packed.knowledgeTokens + (packed.summary?.tokens ?? 0);
    assert.ok(used <= given.maxTokens, JSON.stringify({ given, packed }));
  }
});
