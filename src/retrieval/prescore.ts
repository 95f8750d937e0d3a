/**
 * From postings to candidates: who is named, which sessions can matter, what each term is worth, and the best few hundred
 * documents with every feature that does not need their stored data.
 */

import {
  allows,
  extractCandidates,
  type People,
  pickSlots,
  type ScoredTerm,
  sumUp,
  temporalTurns,
} from "./candidates.ts";
import { Kernel, type KernelList } from "./kernel.ts";
import { ENTRY_WORDS } from "./postings.ts";
import { QUERY_TERMS_MAX, type QueryPlan } from "./query.ts";
import { isNamed, PARTICIPANT_PREFIX, PARTICIPANT_TF } from "./text.ts";
import type { CorpusSize, PostingsInput, Prescored } from "./types.ts";

const LOCAL_IDF_MAX = 7;

function participantGroups(input: PostingsInput, name: string, tf: number): Uint32Array[] {
  const lists = input.lists.get(PARTICIPANT_PREFIX + name) ?? [];
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
  return (input.lists.get(term) ?? []).filter((l) => l.entries.length > 0)
    .map((l) => ({ entries: l.entries, averageLength: sized.averageLength.get(l.kind) ?? 10 }));
}

function documentFrequency(input: PostingsInput, term: string): number {
  let df = 0;
  for (const l of input.lists.get(term) ?? []) df += l.df ?? l.entries.length / ENTRY_WORDS;
  return df;
}

/** The terms that are scored: those of the query but its people, the rarest first where there are too many. */
function chooseTerms(
  plan: QueryPlan,
  input: PostingsInput,
  sized: Sized,
  people: People,
): { scored: ScoredTerm[]; unknown: string[] } {
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
      if (exact.length === 0 && expansions.length === 0) unknown.push(source.term);
      const seen = Math.max(1, df, ...expansions.map((e) => e.df));
      const weight = source.weight * idf(sized.docs, seen);
      scored.push({ source, kernel: { exact, expansions, idf: weight, local: weight }, entity: source.entity });
    }
  };
  build(false);
  // A query of nothing but names looks for the names themselves.
  if (!scored.some((s) => s.kernel.exact.length + s.kernel.expansions.length > 0)) {
    scored = [];
    unknown.length = 0;
    build(true);
  }
  if (scored.length > QUERY_TERMS_MAX) {
    scored = scored.sort((a, b) => b.kernel.idf - a.kernel.idf).slice(0, QUERY_TERMS_MAX);
  }
  return { scored, unknown };
}

/** il: the idf of each term inside the allowed sessions, where these are known by people. */
function localise(scored: readonly ScoredTerm[], sized: Sized, people: People): void {
  let allowedGroups = 0;
  for (const bits of people.groups.values()) if (allows(people, bits)) allowedGroups++;
  const useLocal = people.persons.length > 0 && allowedGroups > 0 && sized.groups > 0;
  const turns = sized.turns * Math.min(1, allowedGroups / Math.max(1, sized.groups));
  for (const s of scored) {
    let value = s.kernel.idf / s.source.weight;
    if (useLocal) {
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

const kernel = new Kernel();

/**
 * Scores the postings of a plan and picks the candidates.
 *
 * Pure and synchronous: the result owns its memory and outlives later calls.
 */
export function prescore(plan: QueryPlan, input: PostingsInput): Prescored {
  const sized = sizeUp(input.corpora);
  const people = findPeople(plan, input);
  const { scored, unknown } = chooseTerms(plan, input, sized, people);
  localise(scored, sized, people);
  const nameLists = people.persons.map((p) =>
    plan.terms.filter((t) => people.words.has(t.word) && isNamed(p.name, t.word)).flatMap((t) =>
      listsOf(input, sized, t.term)
    )
  );
  const loaded: Uint32Array[] = [];
  for (const s of scored) {
    for (const l of s.kernel.exact) loaded.push(l.entries);
    for (const e of s.kernel.expansions) for (const l of e.lists) loaded.push(l.entries);
  }
  kernel.load(loaded, scored.length, temporalTurns(input), input.onlyGroups);
  for (let t = 0; t < scored.length; t++) kernel.scatter(scored[t].kernel, t);
  // A name alone makes no candidate; it only marks those that are.
  for (let p = 0; p < nameLists.length; p++) for (const l of nameLists[p]) kernel.markName(l.entries, p);
  kernel.smoothBm25();
  const sums = sumUp(kernel, scored, people, new Set(input.temporalGroups?.keys()));
  const slots = pickSlots(kernel, sums, input);
  return extractCandidates(kernel, { plan, people, scored, unknown, sums }, slots);
}
