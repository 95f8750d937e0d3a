/** The postings of a query from memory: the same lists that the database would give the ranking. */
import {
  type Expansion,
  NEAR_TERMS_MAX,
  type PostingsList,
  type QueryPlan,
  unknownTerms,
  unreadSubstitutes,
} from "../../retrieval/mod.ts";
import type { Whole } from "./hot.ts";
import { ENTRIES_MAX, UNKNOWN_TERMS_MAX } from "./lexical.ts";

type Lists = Map<string, PostingsList[]>;

export interface WholePostings {
  readonly lists: Lists;
  readonly substitutes: ReadonlyMap<string, readonly Expansion[]>;
}

const ENTRY_WORDS = 3;

/** Reads the postings of a plan; undefined if they are so many that the database would return only a part. */
export function readWholePostings(
  whole: Whole,
  plan: QueryPlan,
  kinds: ReadonlySet<number> | undefined,
): WholePostings | undefined {
  const lists = readLists(whole, plan.keys, kinds);
  if (countEntries(lists) > ENTRIES_MAX) return undefined;
  const unknown = unknownTerms(plan, lists).slice(0, UNKNOWN_TERMS_MAX);
  const substitutes = new Map<string, readonly Expansion[]>();
  if (unknown.length > 0) {
    for (const term of unknown) substitutes.set(term, findNear(whole, term));
    const near = readLists(whole, unreadSubstitutes(substitutes.values(), lists), kinds);
    if (countEntries(near) > ENTRIES_MAX) return undefined;
    for (const [term, list] of near) lists.set(term, list);
    for (const [term, found] of substitutes) {
      const held = found.filter((one) => lists.has(one.term));
      if (held.length > 0) substitutes.set(term, held);
      else substitutes.delete(term);
    }
  }
  return { lists, substitutes };
}

function readLists({ index, rest }: Whole, keys: Iterable<string>, kinds: ReadonlySet<number> | undefined): Lists {
  const terms = [...keys];
  const lists = index.index.lists(terms, kinds);
  for (const [term, more] of rest.index.lists(terms, kinds)) {
    const own = lists.get(term);
    lists.set(term, own === undefined ? more : [...own, ...more]);
  }
  for (const list of lists.values()) if (list.length > 1) list.sort((a, b) => a.entries[0]! - b.entries[0]!);
  return lists;
}

function frequencyOf(list: readonly PostingsList[]): number {
  let entries = 0;
  for (const one of list) entries += one.entries.length / ENTRY_WORDS;
  return entries;
}

function countEntries(lists: Lists): number {
  let sum = 0;
  for (const list of lists.values()) sum += frequencyOf(list);
  return sum;
}

/** Near spellings among the words of all texts. */
function findNear({ index, rest }: Whole, term: string): Expansion[] {
  const found = new Map<string, Expansion>();
  for (const { vocabulary } of [index.index, rest.index]) {
    for (const near of vocabulary.near(term)) found.set(near.term, near);
  }
  return [...found.values()].sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1)).slice(0, NEAR_TERMS_MAX);
}
