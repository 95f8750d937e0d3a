/**
 * From postings to candidates: who is named, which sessions can matter, what each term is worth, and the best few hundred
 * documents with every feature that does not need their stored data.
 */
import { participantNames, type QueryPlan } from "../query/plan.ts";
import { QUERY_TERMS_MAX } from "../query/terms.ts";
import type { CorpusSize, NamedPerson, PostingsInput, Prescored, QueryWeights } from "../ranking/candidates.ts";
import { ENTRY_WORDS } from "../terms/postings.ts";
import { isNamed, PARTICIPANT_PREFIX, PARTICIPANT_TF } from "../terms/text.ts";
import { extractCandidates, pickSlots, temporalTurns } from "./candidates.ts";
import { Kernel, type KernelList } from "./kernel.ts";
import { allows, type People, type ScoredTerm, sumUp } from "./sums.ts";

const LOCAL_IDF_MAX = 7;

type Lists = Pick<PostingsInput, "lists">;

function participantGroups(input: Lists, name: string, tf: number): Uint32Array[] {
  const lists = participantNames(name).flatMap((one) => input.lists.get(PARTICIPANT_PREFIX + one) ?? []);
  return lists.map((l) => l.entries).filter((e) => {
    for (let i = 0; i < e.length; i += ENTRY_WORDS) if ((e[i + 2] >>> 8 & 63) === tf) return true;
    return false;
  });
}

/** Finds the query's people among the participants: full names first, then single words, then short forms. */
function findPeople(plan: QueryPlan, input: Lists): People {
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

/** The people whom a query names and who take part in sessions, as `prescore` finds them. @param read postings of terms */
export function namePeople(plan: QueryPlan, read: (terms: readonly string[]) => PostingsInput["lists"]): NamedPerson[] {
  const lists = read(plan.keys.filter((key) => key.startsWith(PARTICIPANT_PREFIX)));
  return findPeople(plan, { lists }).persons.map(({ name }) => ({ name }));
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
  return (input.lists.get(term) ?? []).filter(({ entries }) => entries.length > 0)
    .map(({ entries, kind }) => ({ entries, averageLength: sized.averageLength.get(kind) ?? 10 }));
}

function documentFrequency(input: PostingsInput, term: string): number {
  let df = 0;
  for (const l of input.lists.get(term) ?? []) df += l.df ?? l.entries.length / ENTRY_WORDS;
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
      const isHeld = exact.length > 0 || expansions.length > 0;
      if (!isHeld) unknown.push(source.term);
      const weight = source.weight * idf(sized.docs, Math.max(1, df, ...expansions.map((e) => e.df)));
      const kernel = { exact, expansions, idf: weight, local: weight };
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
    scored = scored.toSorted((a, b) => Number(b.isHeld) - Number(a.isHeld) || b.kernel.idf - a.kernel.idf).slice(
      0,
      QUERY_TERMS_MAX,
    );
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
  const { scored, unknown, all } = chooseTerms(plan, input, sized, people);
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
