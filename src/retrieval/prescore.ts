/**
 * From postings to candidates: who is named, which sessions can matter, what each term is worth, and the best few hundred
 * documents with every feature that does not need their stored data.
 */

import { extractCandidates, pickSlots, temporalTurns } from "./candidates.ts";
import { Kernel, type KernelList } from "./kernel.ts";
import { allows, type People } from "./people.ts";
import { ENTRY_WORDS } from "./postings.ts";
import { participantNames, type QueryPlan } from "./query.ts";
import { QUERY_TERMS_MAX, type QueryTerm } from "./query_terms.ts";
import { type ScoredTerm, sumUp } from "./sums.ts";
import { isNamed, PARTICIPANT_PREFIX, PARTICIPANT_TF } from "./text.ts";
import {
  type CorpusSize,
  isOfUnits,
  type PostingsInput,
  type PostingsList,
  type Prescored,
  type QueryWeights,
} from "./types.ts";

const LOCAL_IDF_MAX = 7;
/** At most so many entries of related terms are scored for a query; the more frequent terms are dropped. */
const RELATED_ENTRIES_MAX = 12_000;
/** At most so many related terms are scored for each query term: the best of those that the corpus holds. */
const RELATED_TERMS_MAX = 16;
/**
 * A related term counts in full from this idf on or, in a small corpus, from this share of the
 * highest idf. Below it the weight is proportional to the idf.
 */
const RELATED_IDF_FULL = 6.5, RELATED_IDF_SHARE = 0.8;

function participantGroups(input: PostingsInput, name: string, tf: number): Uint32Array[] {
  const lists = participantNames(name).flatMap((one) => input.lists.get(PARTICIPANT_PREFIX + one) ?? []);
  return lists.map((l) => l.entries).filter((e) => {
    for (let i = 0; i < e.length; i += ENTRY_WORDS) if ((e[i + 2] >>> 8 & 63) === tf) return true;
    return false;
  });
}

/** Finds the query's people among the participants: full names first, then single words, then short forms. */
function findPeople(plan: QueryPlan, input: PostingsInput): People {
  const people: People = { persons: [], words: new Set(), groups: new Map() };
  const add = (name: string, tf: number): boolean => {
    const found = participantGroups(input, name, tf);
    if (found.length === 0 || people.persons.length >= 8) return found.length > 0;
    const bit = people.persons.length;
    people.persons.push({ name, bit });
    for (const entries of found) {
      for (let i = 0; i < entries.length; i += ENTRY_WORDS) {
        if ((entries[i + 2] >>> 8 & 63) !== tf) continue;
        people.groups.set(entries[i + 1], (people.groups.get(entries[i + 1]) ?? 0) | 1 << bit);
      }
    }
    return true;
  };
  for (const name of plan.fullNames) {
    if (add(name, PARTICIPANT_TF.full)) { for (const w of name.split(" ")) people.words.add(w); }
  }
  for (const term of plan.terms) {
    if (term.person === "no" || people.words.has(term.word)) continue;
    if (add(term.word, PARTICIPANT_TF.full) || term.person === "midCapital" && add(term.word, PARTICIPANT_TF.short)) {
      people.words.add(term.word);
    }
  }
  return people;
}

interface Sized {
  docs: number;
  turns: number;
  groups: number;
  averageLength: Map<number, number>;
}

function sizeUp(corpora: readonly CorpusSize[]): Sized {
  const out: Sized = { docs: 0, turns: 0, groups: 0, averageLength: new Map() };
  for (const c of corpora) {
    out.docs += c.docs;
    out.averageLength.set(c.kind, c.docs > 0 ? c.tokens / c.docs : 1);
    if (c.groups > 0) {
      out.turns += c.docs;
      out.groups += c.groups;
    }
  }
  return out;
}

function idf(docs: number, df: number): number {
  return Math.log(1 + (Math.max(docs, df) - df + 0.5) / (df + 0.5));
}

function listsOf(input: PostingsInput, sized: Sized, term: string): KernelList[] {
  return toKernelLists((input.lists.get(term) ?? []).filter((l) => l.entries.length > 0), sized);
}

function toKernelLists(lists: readonly PostingsList[], { averageLength }: Sized): KernelList[] {
  return lists.map(({ entries, kind }) => ({ entries, averageLength: averageLength.get(kind) ?? 10 }));
}

function hasEntries(input: PostingsInput, term: string): boolean {
  return (input.lists.get(term) ?? []).some((l) => l.entries.length > 0);
}

/**
 * The everyday terms of a query term that documents without a session hold, with their postings.
 */
function everydayOf(input: PostingsInput, sized: Sized, source: QueryTerm) {
  return source.everyday.map(({ term, weight }) => {
    const found = (input.lists.get(term) ?? []).filter(isOfUnits);
    return { lists: toKernelLists(found, sized), weight, df: countDocuments(found) };
  }).filter(({ lists }) => lists.length > 0);
}

function documentFrequency(input: PostingsInput, term: string): number {
  return countDocuments(input.lists.get(term) ?? []);
}

function countDocuments(lists: readonly PostingsList[]): number {
  let df = 0;
  for (const l of lists) df += l.df ?? l.entries.length / ENTRY_WORDS;
  return df;
}

/**
 * Chooses the terms to score: those of the query without its people's names. If there are too many,
 * the rarest are kept.
 */
function chooseTerms(
  plan: QueryPlan,
  input: PostingsInput,
  sized: Sized,
  people: People,
): { scored: ScoredTerm[]; unknown: string[]; all: readonly ScoredTerm[] } {
  let scored: ScoredTerm[] = [];
  const unknown: string[] = [];
  const build = (withPeople: boolean) => {
    for (const source of plan.terms) {
      if (!withPeople && people.words.has(source.word)) continue;
      const df = documentFrequency(input, source.term);
      const expansions = [...source.expansions, ...(input.substitutes?.get(source.term) ?? [])]
        .map((e) => ({ lists: listsOf(input, sized, e.term), weight: e.weight, df: documentFrequency(input, e.term) }))
        .filter((e) => e.lists.length > 0);
      const exact = listsOf(input, sized, source.term);
      const everyday = everydayOf(input, sized, source);
      const isHeld = exact.length > 0 || expansions.length > 0;
      if (!isHeld && everyday.length === 0) unknown.push(source.term);
      // If no text holds the term, it has the weight of the rarest everyday word that stands for it.
      const seen = isHeld || everyday.length === 0
        ? Math.max(1, df, ...expansions.map((e) => e.df))
        : Math.min(...everyday.map((e) => e.df));
      const rarity = idf(sized.docs, seen), weight = source.weight * rarity;
      for (const { lists, weight, df } of everyday) {
        // A frequent word says less than the rarer one for which it stands.
        expansions.push({ lists, df, weight: weight * Math.min(1, idf(sized.docs, df) / rarity) });
      }
      const kernel = { exact, expansions, related: [], idf: weight, local: weight };
      scored.push({ source, kernel, entity: source.entity, isHeld });
    }
  };
  build(false);
  // If texts hold no word of the query but names, the names themselves are searched for.
  if (!scored.some(({ isHeld }) => isHeld)) {
    scored = [];
    unknown.length = 0;
    build(true);
  }
  const all = scored;
  if (scored.length > QUERY_TERMS_MAX) {
    // A term that no document holds finds nothing, so it must not displace one that some document
    // holds.
    const held = ({ kernel }: ScoredTerm) => kernel.exact.length + kernel.expansions.length > 0 ? 1 : 0;
    scored = scored.toSorted((a, b) => held(b) - held(a) || b.kernel.idf - a.kernel.idf).slice(0, QUERY_TERMS_MAX);
  }
  return { scored, unknown, all };
}

/** Computes the weight of the query's words, per sentence and in total. */
function weighQuery(scored: readonly ScoredTerm[], all: readonly ScoredTerm[], sized: Sized): QueryWeights {
  const sentences = new Map<number, { bits: number; weight: number }>();
  for (const one of all) {
    const bit = scored.indexOf(one);
    for (const number of one.source.sentences) {
      const sentence = sentences.get(number) ?? { bits: 0, weight: 0 };
      if (bit >= 0) sentence.bits |= 1 << bit;
      sentence.weight += one.kernel.idf;
      sentences.set(number, sentence);
    }
  }
  return {
    terms: Float64Array.from(scored, ({ kernel }) => kernel.idf),
    entities: scored.reduce((bits, { entity }, t) => entity ? bits | 1 << t : bits, 0),
    sentences: [...sentences.values()],
    count: all.length,
    total: all.reduce((sum, { kernel }) => sum + kernel.idf, 0),
    rarest: idf(sized.docs, 1),
  };
}

/** Sets the local weight of each term. If people are named, it uses the term's frequency in the allowed sessions. */
function localise(scored: readonly ScoredTerm[], sized: Sized, people: People): void {
  let allowedGroups = 0;
  for (const bits of people.groups.values()) if (allows(people, bits)) allowedGroups++;
  const useLocal = people.persons.length > 0 && allowedGroups > 0 && sized.groups > 0;
  const turns = sized.turns * Math.min(1, allowedGroups / Math.max(1, sized.groups));
  for (const s of scored) {
    let value = s.kernel.idf / s.source.weight;
    // Everyday words stand in documents without a session.
    if (useLocal && (s.isHeld || s.kernel.expansions.length === 0)) {
      let df = 0;
      for (const { entries } of s.kernel.exact) {
        for (let i = 1; i < entries.length; i += ENTRY_WORDS) {
          const bits = people.groups.get(entries[i]);
          if (bits !== undefined && allows(people, bits)) df++;
        }
      }
      value = idf(turns, df);
    }
    s.kernel.local = s.source.weight * Math.min(LOCAL_IDF_MAX, value);
  }
}

/** The entries of a list that belong to sessions that can matter or to no session. */
function keepAllowed(entries: Uint32Array, people: People): Uint32Array {
  if (people.persons.length === 0) return entries;
  const out = new Uint32Array(entries.length);
  let n = 0, lastGroup = 0, keep = true;
  for (let i = 0; i < entries.length; i += ENTRY_WORDS) {
    const group = entries[i + 1];
    if (group !== lastGroup) {
      const bits = people.groups.get(group);
      keep = group === 0 || bits !== undefined && allows(people, bits);
      lastGroup = group;
    }
    if (!keep) continue;
    out[n] = entries[i];
    out[n + 1] = group;
    out[n + 2] = entries[i + 2];
    n += ENTRY_WORDS;
  }
  return out.subarray(0, n);
}

/**
 * Gives each scored term the postings of its best related terms: `RELATED_TERMS_MAX` of those that
 * the corpus holds. If the query would get too many entries, the more frequent terms are dropped.
 */
function relate(scored: readonly ScoredTerm[], input: PostingsInput, sized: Sized, people: People): void {
  // A frequent term says little by itself, and less in the place of another.
  const fullIdf = Math.min(RELATED_IDF_FULL, RELATED_IDF_SHARE * idf(sized.docs, 1));
  const frequencies = new Map<string, number>();
  const chosen = scored.map(({ source }) => {
    const held: { term: string; weight: number }[] = [];
    for (const { term, weight } of source.related) {
      if (!hasEntries(input, term)) continue;
      const df = frequencies.get(term) ?? documentFrequency(input, term);
      frequencies.set(term, df);
      held.push({ term, weight: weight * Math.min(1, idf(sized.docs, df) / fullIdf) });
    }
    return held.sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1)).slice(0, RELATED_TERMS_MAX);
  });
  const lists = new Map<string, KernelList[]>();
  const keys = [...new Set(chosen.flat().map(({ term }) => term))];
  let room = RELATED_ENTRIES_MAX;
  for (const term of keys.sort((a, b) => frequencies.get(a)! - frequencies.get(b)! || (a < b ? -1 : 1))) {
    const kept = listsOf(input, sized, term).map((l) => ({ ...l, entries: keepAllowed(l.entries, people) }))
      .filter((l) => l.entries.length > 0);
    room -= kept.reduce((sum, l) => sum + l.entries.length / ENTRY_WORDS, 0);
    if (room < 0) break;
    lists.set(term, kept);
  }
  for (let t = 0; t < scored.length; t++) {
    scored[t].kernel.related = chosen[t].flatMap(({ term, weight }) =>
      (lists.get(term) ?? []).map((list) => ({ ...list, weight }))
    );
  }
}

const kernel = new Kernel();

/**
 * Scores the postings of a plan and picks the candidates.
 *
 * Pure and synchronous: the result owns its memory and outlives later calls.
 */
export function prescore(plan: QueryPlan, input: PostingsInput): Prescored {
  const sized = sizeUp(input.corpora);
  const people = findPeople(plan, input);
  const { scored, unknown, all } = chooseTerms(plan, input, sized, people);
  localise(scored, sized, people);
  relate(scored, input, sized, people);
  const nameLists = people.persons.map((p) =>
    plan.terms.filter((t) => people.words.has(t.word) && isNamed(p.name, t.word)).flatMap((t) =>
      listsOf(input, sized, t.term)
    )
  );
  const loaded: Uint32Array[] = [];
  for (const s of scored) {
    for (const l of s.kernel.exact) loaded.push(l.entries);
    for (const e of s.kernel.expansions) for (const l of e.lists) loaded.push(l.entries);
    for (const l of s.kernel.related) loaded.push(l.entries);
  }
  kernel.load(loaded, scored.length, temporalTurns(input), input.onlyGroups);
  for (let t = 0; t < scored.length; t++) kernel.scatter(scored[t].kernel, t);
  // A name alone makes no text a candidate. It only marks texts that are candidates already.
  for (let p = 0; p < nameLists.length; p++) for (const l of nameLists[p]) kernel.layout.markName(l.entries, p);
  const sums = sumUp(kernel, scored, people, new Set(input.temporalGroups?.keys()));
  const slots = pickSlots(kernel, sums, input);
  return extractCandidates(
    kernel,
    { plan, people, scored, unknown, sums, weights: weighQuery(scored, all, sized) },
    slots,
  );
}
