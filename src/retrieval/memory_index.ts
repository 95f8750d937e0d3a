/**
 * An in-memory index over the same packed postings as the database: the hot tier's, and the trainer's.
 *
 * It holds terms, places and the stored numbers of documents, not their text. Not safe to change while a query reads it;
 * every call is synchronous, so that cannot happen within one process.
 */

import type { DocumentTimes } from "./dates.ts";
import { STEM_PREFIX } from "./foreign_terms.ts";
import { furtherRelated } from "./further_related.ts";
import { ENTRY_WORDS, packOccurrence } from "./postings.ts";
import type { QueryPlan } from "./query.ts";
import { type AnalysedText, type DocBits, PARTICIPANT_PREFIX, participantTerms, PSEUDO_PREFIX } from "./text.ts";
import type { CorpusSize, PostingsInput, PostingsList, Prescored, StoredData } from "./types.ts";
import { Vocabulary } from "./vocabulary.ts";

/** A document as it is added. */
export interface IndexDocument extends DocumentTimes {
  readonly doc: number;
  readonly kind: number;
  /** Session number; 0 = none. */
  readonly group: number;
  readonly position: number;
  readonly text: AnalysedText;
  /** `text.bits` after `withPrevious`. */
  readonly bits: DocBits;
  readonly speaker?: string;
}

interface List {
  kind: number;
  n: number;
  words: Uint32Array;
}

interface Stored extends StoredData {
  kind: number;
  group: number;
  position: number;
  length: number;
  terms: readonly string[];
}

interface Group {
  /** Document numbers by position. */
  docs: number[];
  /** How many documents it has. */
  size: number;
  /** Turns by speaker; a speaker's participant terms have a posting for the group. */
  participants: Map<string, number>;
  /** When its first and its last document happened, while `timesKnown`. */
  from: number;
  to: number;
  timesKnown: boolean;
}

/** Estimated bytes of a map entry, a list, a document: V8's overhead as measured on 100,000 turns. */
const LIST_BYTES = 480, DOCUMENT_BYTES = 380, GROUP_BYTES = 600, TERM_REFERENCE_BYTES = 8;
/** The same of a term in the vocabulary. */
const TERM_BYTES = 80;

/** Postings, document data and sessions of one workspace (and clearance). */
export class MemoryIndex {
  #lists = new Map<string, List[]>();
  #docs = new Map<number, Stored>();
  #groups = new Map<number, Group>();
  #sizes = new Map<number, { docs: number; tokens: number }>();
  #bytes = 0;
  /** The terms that documents hold, for near spellings; without pseudo-terms. */
  readonly vocabulary = new Vocabulary();

  /** Estimated memory in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#docs.size;
  }

  has(doc: number): boolean {
    return this.#docs.has(doc);
  }

  /** Adds a document; one with the same number is replaced. */
  add(input: IndexDocument): void {
    if (this.#docs.has(input.doc)) this.remove(input.doc);
    const { terms, tfs, length } = input.text;
    for (let i = 0; i < terms.length; i++) {
      this.#insert(terms[i], input.kind, input.doc, input.group, packOccurrence(input.position, tfs[i], length));
    }
    this.#docs.set(input.doc, {
      doc: input.doc,
      kind: input.kind,
      group: input.group,
      position: input.position,
      length,
      terms,
      bits: input.bits,
      speaker: input.speaker,
      occurredAt: input.occurredAt,
      validFrom: input.validFrom,
      validTo: input.validTo,
    });
    const size = this.#sizes.get(input.kind) ?? { docs: 0, tokens: 0 };
    this.#sizes.set(input.kind, { docs: size.docs + 1, tokens: size.tokens + length });
    this.#bytes += DOCUMENT_BYTES + terms.length * TERM_REFERENCE_BYTES;
    if (input.group !== 0) this.#join(input);
  }

  /** Removes a document; false when it is not there. */
  remove(doc: number): boolean {
    const stored = this.#docs.get(doc);
    if (stored === undefined) return false;
    for (const term of stored.terms) this.#delete(term, stored.kind, doc);
    this.#docs.delete(doc);
    const size = this.#sizes.get(stored.kind)!;
    this.#sizes.set(stored.kind, { docs: size.docs - 1, tokens: size.tokens - stored.length });
    this.#bytes -= DOCUMENT_BYTES + stored.terms.length * TERM_REFERENCE_BYTES;
    if (stored.group !== 0) this.#leave(stored);
    return true;
  }

  #join(input: IndexDocument): void {
    let group = this.#groups.get(input.group);
    if (group === undefined) {
      group = { docs: [], size: 0, participants: new Map(), from: Infinity, to: -Infinity, timesKnown: true };
      this.#groups.set(input.group, group);
      this.#bytes += GROUP_BYTES;
    }
    group.docs[input.position] = input.doc;
    group.size++;
    if (input.occurredAt !== undefined) {
      group.from = Math.min(group.from, input.occurredAt);
      group.to = Math.max(group.to, input.occurredAt);
    }
    if (input.speaker === undefined) return;
    const turns = group.participants.get(input.speaker) ?? 0;
    group.participants.set(input.speaker, turns + 1);
    if (turns > 0) return;
    for (const { term, tf } of participantTerms(input.speaker)) {
      this.#insert(term, input.kind, input.doc, input.group, packOccurrence(0, tf, 0));
    }
  }

  #leave(stored: Stored): void {
    const group = this.#groups.get(stored.group);
    if (group === undefined) return;
    delete group.docs[stored.position];
    if (stored.speaker !== undefined) {
      const turns = (group.participants.get(stored.speaker) ?? 1) - 1;
      if (turns > 0) group.participants.set(stored.speaker, turns);
      else {
        group.participants.delete(stored.speaker);
        for (const { term } of participantTerms(stored.speaker)) this.#deleteGroup(term, stored.kind, stored.group);
      }
    }
    if (--group.size > 0) {
      // Read again when somebody asks: a session is often taken out turn by turn.
      group.timesKnown &&= stored.occurredAt === undefined;
      return;
    }
    this.#groups.delete(stored.group);
    this.#bytes -= GROUP_BYTES;
  }

  #list(term: string, kind: number): List {
    const lists = this.#lists.get(term) ?? [];
    let list = lists.find((l) => l.kind === kind);
    if (list === undefined) {
      list = { kind, n: 0, words: new Uint32Array(2 * ENTRY_WORDS) };
      if (lists.length === 0) this.#enter(term, lists);
      lists.push(list);
      this.#bytes += LIST_BYTES + list.words.byteLength;
    }
    return list;
  }

  #enter(term: string, lists: List[]): void {
    this.#lists.set(term, lists);
    if (term.startsWith(PSEUDO_PREFIX)) return;
    this.vocabulary.add(term);
    this.#bytes += TERM_BYTES;
  }

  /** What is read in near spellings must stand in a document: with its last document a term is forgotten. */
  #forget(term: string): void {
    this.#lists.delete(term);
    if (term.startsWith(PSEUDO_PREFIX)) return;
    this.vocabulary.remove(term);
    this.#bytes -= TERM_BYTES;
  }

  #insert(term: string, kind: number, doc: number, group: number, packed: number): void {
    const list = this.#list(term, kind);
    if ((list.n + 1) * ENTRY_WORDS > list.words.length) {
      const words = new Uint32Array(Math.ceil((list.n + 1) * 1.5) * ENTRY_WORDS);
      words.set(list.words);
      this.#bytes += words.byteLength - list.words.byteLength;
      list.words = words;
    }
    const at = lowerBound(list, doc) * ENTRY_WORDS;
    list.words.copyWithin(at + ENTRY_WORDS, at, list.n * ENTRY_WORDS);
    list.words[at] = doc;
    list.words[at + 1] = group;
    list.words[at + 2] = packed;
    list.n++;
  }

  #delete(term: string, kind: number, doc: number): void {
    const list = this.#lists.get(term)?.find((l) => l.kind === kind);
    if (list === undefined) return;
    const i = lowerBound(list, doc);
    if (i < list.n && list.words[i * ENTRY_WORDS] === doc) this.#cut(term, list, i);
  }

  #deleteGroup(term: string, kind: number, group: number): void {
    const list = this.#lists.get(term)?.find((l) => l.kind === kind);
    if (list === undefined) return;
    for (let i = 0; i < list.n; i++) if (list.words[i * ENTRY_WORDS + 1] === group) return this.#cut(term, list, i);
  }

  #cut(term: string, list: List, i: number): void {
    list.words.copyWithin(i * ENTRY_WORDS, (i + 1) * ENTRY_WORDS, list.n * ENTRY_WORDS);
    list.n--;
    if (list.n > 0) return;
    const rest = this.#lists.get(term)!.filter((l) => l !== list);
    if (rest.length > 0) this.#lists.set(term, rest);
    else this.#forget(term);
    this.#bytes -= LIST_BYTES + list.words.byteLength;
  }

  /** Sizes of the corpora of the given kinds (default all). */
  corpora(kinds?: ReadonlySet<number>): CorpusSize[] {
    const out: CorpusSize[] = [];
    for (const [kind, { docs, tokens }] of this.#sizes) {
      if (kinds !== undefined && !kinds.has(kind)) continue;
      out.push({ kind, docs, tokens, groups: this.#groupKind(kind) ? this.#groups.size : 0 });
    }
    return out;
  }

  #groupKind(kind: number): boolean {
    const first = this.#groups.values().next().value;
    const doc = first?.docs.find((d) => d !== undefined);
    return doc !== undefined && this.#docs.get(doc)?.kind === kind;
  }

  /**
   * The postings of some terms, of the given kinds (default all). Views, valid until the next change. Of a longer list
   * the latest `entriesMax` are read: so frequent a term changes the ranking little.
   */
  lists(keys: Iterable<string>, kinds?: ReadonlySet<number>, entriesMax = Infinity): Map<string, PostingsList[]> {
    const out = new Map<string, PostingsList[]>();
    for (const key of keys) {
      const found = (this.#lists.get(key) ?? []).filter((l) => kinds === undefined || kinds.has(l.kind));
      if (found.length > 0) {
        const isWhole = key.startsWith(PSEUDO_PREFIX) && !key.startsWith(STEM_PREFIX);
        out.set(key, found.map((list) => latestOf(list, isWhole ? Infinity : entriesMax)));
      }
    }
    return out;
  }

  /** Everything `prescore` needs for a plan. */
  input(plan: QueryPlan, kinds?: ReadonlySet<number>, entriesMax?: number): PostingsInput {
    const lists = this.lists([...plan.keys, ...plan.relatedKeys], kinds, entriesMax);
    const further = furtherRelated(plan, lists);
    return {
      corpora: this.corpora(kinds),
      lists: further.length === 0 ? lists : new Map([...lists, ...this.lists(further, kinds, entriesMax)]),
      temporalGroups: this.#temporal(plan),
    };
  }

  #temporal(plan: QueryPlan): Map<number, number> {
    const out = new Map<number, number>();
    if (plan.windows.length === 0) return out;
    for (const [number, group] of this.#groups) {
      if (!group.timesKnown) this.#readTimes(group);
      if (plan.windows.some((w) => group.from < w.to && group.to >= w.from)) out.set(number, group.docs.length);
    }
    return out;
  }

  #readTimes(group: Group): void {
    group.from = Infinity;
    group.to = -Infinity;
    group.timesKnown = true;
    for (const doc of group.docs) {
      const at = doc === undefined ? undefined : this.#docs.get(doc)?.occurredAt;
      if (at === undefined) continue;
      group.from = Math.min(group.from, at);
      group.to = Math.max(group.to, at);
    }
  }

  /** Names of all participants' pseudo-terms; for tests and tools. */
  participants(): string[] {
    return [...this.#lists.keys()].filter((t) => t.startsWith(PARTICIPANT_PREFIX));
  }

  /** The stored data of the candidates, in their order; undefined if there is no document at the position. */
  stored(candidates: Prescored): (StoredData | undefined)[] {
    const out: (StoredData | undefined)[] = [];
    for (let i = 0; i < candidates.size; i++) {
      const doc = candidates.docs[i] || this.#groups.get(candidates.groups[i])?.docs[candidates.positions[i]];
      out.push(doc === undefined ? undefined : this.#docs.get(doc));
    }
    return out;
  }
}

function latestOf({ kind, words, n }: List, entriesMax: number): PostingsList {
  const first = Math.max(0, n - entriesMax);
  const entries = words.subarray(first * ENTRY_WORDS, n * ENTRY_WORDS);
  return first === 0 ? { kind, entries } : { kind, entries, df: n };
}

function lowerBound(list: List, doc: number): number {
  const { words, n } = list;
  if (n === 0 || words[(n - 1) * ENTRY_WORDS] < doc) return n;
  let low = 0, high = n;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (words[middle * ENTRY_WORDS] < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}
