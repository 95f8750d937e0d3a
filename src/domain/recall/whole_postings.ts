/** The postings of a query from memory: the same lists that the database would give the ranking. */
import {
  type Expansion,
  furtherRelated,
  NEAR_TERMS_MAX,
  type PostingsList,
  type QueryPlan,
  unknownTerms,
  unreadSubstitutes,
} from "../../retrieval/mod.ts";
import { UNIT_KINDS } from "../../schema/common.ts";
import type { Whole } from "./hot.ts";
import { ENTRIES_MAX, isRead, RELATED_ENTRIES_MAX, UNKNOWN_TERMS_MAX } from "./lexical.ts";

type Lists = Map<string, PostingsList[]>;

export interface WholePostings {
  readonly lists: Lists;
  readonly substitutes: ReadonlyMap<string, readonly Expansion[]>;
}

const ENTRY_WORDS = 3;
const ALL_UNITS: ReadonlySet<number> = new Set(Object.values(UNIT_KINDS));
const NONE = new Uint32Array(0);

/** Reads the postings of a plan; undefined if they are so many that the database would return only a part. */
export function readWholePostings(
  whole: Whole,
  plan: QueryPlan,
  kinds: ReadonlySet<number> | undefined,
): WholePostings | undefined {
  const lists = readLists(whole, plan.keys, kinds);
  if (countEntries(lists) > ENTRIES_MAX) return undefined;
  for (const [term, list] of readRelated(whole, plan.relatedKeys, kinds)) lists.set(term, list);
  for (const [term, list] of readRelated(whole, plan.everydayKeys, unitsOf(kinds))) lists.set(term, list);
  const unknown = unknownTerms(plan, lists).slice(0, UNKNOWN_TERMS_MAX);
  const further = furtherRelated(plan, lists);
  const substitutes = new Map<string, readonly Expansion[]>();
  if (unknown.length > 0) {
    for (const term of unknown) substitutes.set(term, findNear(whole, term));
    const near = readLists(whole, unreadSubstitutes(plan, substitutes.values(), lists), kinds);
    if (countEntries(near) > ENTRIES_MAX) return undefined;
    for (const [term, list] of near) lists.set(term, list);
    for (const [term, found] of substitutes) {
      const held = found.filter((one) => lists.has(one.term));
      if (held.length > 0) substitutes.set(term, held);
      else substitutes.delete(term);
    }
  }
  for (const [term, list] of readRelated(whole, further, kinds)) {
    if (!lists.has(term) || isRead(list)) lists.set(term, list);
  }
  return { lists, substitutes };
}

/** The kinds without sessions, among some or all. */
function unitsOf(kinds: ReadonlySet<number> | undefined): ReadonlySet<number> {
  return kinds === undefined ? ALL_UNITS : kinds.intersection(ALL_UNITS);
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

/** Lists of related terms: the rarest first, within their budget of entries. */
function readRelated(whole: Whole, keys: readonly string[], kinds: ReadonlySet<number> | undefined): Lists {
  if (keys.length === 0) return new Map();
  const lists = readLists(whole, keys, kinds);
  if (countEntries(lists) <= RELATED_ENTRIES_MAX) return lists;
  const sized = [...lists].map(([term, list]) => ({ term, list, df: frequencyOf(list) }))
    .sort((a, b) => a.df - b.df || (a.term < b.term ? -1 : 1));
  let through = 0;
  for (const { term, list, df } of sized) {
    through += df;
    if (through > RELATED_ENTRIES_MAX) lists.set(term, [{ kind: list[0]!.kind, entries: NONE, df }]);
  }
  return lists;
}

/** Near spellings among the words of all texts. */
function findNear({ index, rest }: Whole, term: string): Expansion[] {
  const found = new Map<string, Expansion>();
  for (const { vocabulary } of [index.index, rest.index]) {
    for (const near of vocabulary.near(term)) found.set(near.term, near);
  }
  return [...found.values()].sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1)).slice(0, NEAR_TERMS_MAX);
}
