/** Compares the posting lists in memory with a map of sorted arrays. */
import assert from "node:assert/strict";
import { PostingLists } from "./lists.ts";

/** Mulberry32. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ state >>> 15, state | 1);
    t ^= t + Math.imul(t ^ t >>> 7, t | 61);
    return ((t ^ t >>> 14) >>> 0) % below;
  };
}

Deno.test("lists hold what was put into them and not taken out, sorted by document, however terms come and go", () => {
  const random = createRandom(1);
  const lists = new PostingLists();
  /** Entries by term and kind; the kinds of a term in the order in which they were added. */
  const held = new Map<string, Map<number, number[][]>>();
  const kindsOf = (term: string) => [...held.get(term)?.keys() ?? []];
  const takeOut = (term: string, kind: number, isGone: (entry: number[]) => boolean, wasLast: boolean) => {
    const kinds = held.get(term)!, entries = kinds.get(kind)!;
    entries.splice(entries.findIndex(isGone), 1);
    assert.equal(wasLast, entries.length === 0);
    if (entries.length === 0) kinds.delete(kind);
    if (kinds.size === 0) held.delete(term);
  };
  for (let step = 0; step < 20_000; step++) {
    // A few terms are frequent, most are not.
    const term = `t${Math.floor(random(300) * random(300) / 300)}`, kind = 1 + random(3);
    const entries = held.get(term)?.get(kind) ?? [];
    const grows = Math.floor(step / 2_000) % 2 === 0;
    if (entries.length > 0 && random(10) < (grows ? 3 : 7)) {
      const [doc, group] = entries[random(entries.length)]!;
      const list = lists.find(term, kind);
      if (random(4) === 0) takeOut(term, kind, (entry) => entry[1] === group, lists.deleteGroup(list, group!));
      else takeOut(term, kind, (entry) => entry[0] === doc, lists.delete(list, doc!));
      continue;
    }
    const doc = 1 + random(1_000_000);
    if (entries.some((entry) => entry[0] === doc)) continue;
    const entry = [doc, random(50), random(2 ** 31)];
    const list = lists.open(term, kind);
    lists.insert(list, doc, entry[1]!, entry[2]!);
    assert.deepEqual([lists.termOf(list), lists.kindOf(list)], [term, kind]);
    if (!held.has(term)) held.set(term, new Map());
    held.get(term)!.set(kind, [...entries, entry].sort((a, b) => a[0]! - b[0]!));
    if (step % 500 !== 0) continue;
    assert.deepEqual([...lists.names()].sort(), [...held.keys()].sort());
    for (const [name, kinds] of held) {
      assert.deepEqual(lists.listsOf(name).map((one) => lists.kindOf(one)), kindsOf(name));
      for (const [number, own] of kinds) {
        const one = lists.find(name, number);
        assert.deepEqual([...lists.view(one)], own.flat());
        assert.deepEqual([...lists.view(one, own.length - 1)], own.at(-1));
      }
    }
  }
  for (const [term, kinds] of held) {
    for (const [kind, entries] of kinds) for (const [doc] of entries) lists.delete(lists.find(term, kind), doc!);
  }
  assert.deepEqual([lists.size, lists.terms, lists.entries], [0, 0, 0]);
  assert.equal(lists.has("t0"), false);
});
