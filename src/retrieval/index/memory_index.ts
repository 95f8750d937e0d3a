/**
 * An in-memory index over the same packed postings as the database: the hot tier's, and the trainer's.
 *
 * It holds terms, places and the stored numbers of documents, not their text. Not safe to change while a query reads it;
 * every call is synchronous, so that cannot happen within one process.
 */
import type { QueryPlan } from "../query/plan.ts";
import type { CorpusSize, DocumentTimes, PostingsInput, Prescored, StoredData } from "../ranking/candidates.ts";
import { Vocabulary } from "../terms/near.ts";
import { packOccurrence, type PostingsList } from "../terms/postings.ts";
import { STEM_PREFIX } from "../terms/stems.ts";
import { type AnalysedText, type DocBits, PARTICIPANT_PREFIX, participantTerms, PSEUDO_PREFIX } from "../terms/text.ts";
import { DocumentColumns } from "./columns.ts";
import { PostingLists, WordPool } from "./lists.ts";

/** A document to add. */
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
  readonly isAssistant?: boolean;
}

interface Group {
  /** Slots of the session's documents, by position. */
  slots: number[];
  /** The number of the session's documents. */
  size: number;
  /** Number of turns by speaker; each speaker's participant terms have a posting for the group. */
  participants: Map<string, number>;
}

/**
 * Estimated bytes of a list, a term, an entry, a document, a document's reference to a list, and a session, with the
 * spare capacity of the arrays (`scripts/bench/hot_bytes.ts` compares the sum with the heap).
 */
const LIST_BYTES = 22, TERM_BYTES = 180, ENTRY_BYTES = 20, DOCUMENT_BYTES = 150, REFERENCE_BYTES = 6, GROUP_BYTES = 600;

/** Postings, document data and sessions of one workspace (and clearance). */
export class MemoryIndex {
  readonly #lists = new PostingLists();
  /** For each document, the numbers of its posting lists. */
  readonly #references = new WordPool(4);
  /** What a search reads of documents, by slot. */
  readonly columns = new DocumentColumns();
  #groups = new Map<number, Group>();
  #sizes = new Map<number, { docs: number; tokens: number }>();
  #referenceCount = 0;
  /** The terms that documents hold, for near spellings; without pseudo-terms. */
  readonly vocabulary = new Vocabulary();

  /** Estimated memory in bytes. */
  get bytes(): number {
    return this.#lists.size * LIST_BYTES + this.#lists.terms * TERM_BYTES + this.#lists.entries * ENTRY_BYTES +
      this.columns.size * DOCUMENT_BYTES + this.#referenceCount * REFERENCE_BYTES + this.#groups.size * GROUP_BYTES;
  }

  get size(): number {
    return this.columns.size;
  }

  has(doc: number): boolean {
    return this.columns.slotOf(doc) >= 0;
  }

  /** Adds a document, in place of one with the same number. @returns its slot */
  add(input: IndexDocument): number {
    if (this.has(input.doc)) this.remove(input.doc);
    const { terms, tfs, length } = input.text;
    const listsAt = this.#references.take(this.#references.classFor(terms.length));
    for (let i = 0; i < terms.length; i++) {
      const packed = packOccurrence(input.position, tfs[i], length);
      this.#references.words[listsAt + i] = this.#insert(terms[i], input.kind, input.doc, input.group, packed);
    }
    const slot = this.columns.add({ ...input, length, listsAt, lists: terms.length });
    const size = this.#sizes.get(input.kind) ?? { docs: 0, tokens: 0 };
    this.#sizes.set(input.kind, { docs: size.docs + 1, tokens: size.tokens + length });
    this.#referenceCount += terms.length;
    if (input.group !== 0) this.#join(input, slot);
    return slot;
  }

  /** Removes a document; false when it is not there. */
  remove(doc: number): boolean {
    const slot = this.columns.slotOf(doc);
    if (slot < 0) return false;
    const at = this.columns.listsAt[slot]!, count = this.columns.lists[slot]!;
    for (let i = 0; i < count; i++) {
      const list = this.#references.words[at + i]!, term = this.#lists.termOf(list);
      if (this.#lists.delete(list, doc)) this.#forget(term);
    }
    this.#references.give(at, this.#references.classFor(count));
    const kind = this.columns.kind[slot]!, size = this.#sizes.get(kind)!;
    this.#sizes.set(kind, { docs: size.docs - 1, tokens: size.tokens - this.columns.length[slot]! });
    this.#referenceCount -= count;
    if (this.columns.group[slot] !== 0) this.#leave(slot);
    this.columns.remove(slot);
    return true;
  }

  #join(input: IndexDocument, slot: number): void {
    let group = this.#groups.get(input.group);
    if (group === undefined) {
      group = { slots: [], size: 0, participants: new Map() };
      this.#groups.set(input.group, group);
    }
    group.slots[input.position] = slot;
    group.size++;
    if (input.speaker === undefined) return;
    const turns = group.participants.get(input.speaker) ?? 0;
    group.participants.set(input.speaker, turns + 1);
    if (turns > 0) return;
    for (const { term, tf } of participantTerms(input.speaker)) {
      this.#insert(term, input.kind, input.doc, input.group, packOccurrence(0, tf, 0));
    }
  }

  #leave(slot: number): void {
    const { columns } = this;
    const number = columns.group[slot]!, kind = columns.kind[slot]!, speaker = columns.speaker[slot];
    const group = this.#groups.get(number);
    if (group === undefined) return;
    delete group.slots[columns.position[slot]!];
    if (speaker !== undefined) {
      const turns = (group.participants.get(speaker) ?? 1) - 1;
      if (turns > 0) group.participants.set(speaker, turns);
      else {
        group.participants.delete(speaker);
        for (const { term } of participantTerms(speaker)) {
          const list = this.#lists.find(term, kind);
          if (list >= 0 && this.#lists.deleteGroup(list, number)) this.#forget(term);
        }
      }
    }
    if (--group.size === 0) this.#groups.delete(number);
  }

  /** @returns the number of the list */
  #insert(term: string, kind: number, doc: number, group: number, packed: number): number {
    const found = this.#lists.find(term, kind);
    if (found < 0 && !term.startsWith(PSEUDO_PREFIX)) this.vocabulary.add(term);
    const list = found < 0 ? this.#lists.open(term, kind) : found;
    this.#lists.insert(list, doc, group, packed);
    return list;
  }

  /** Near spellings must occur in some document, so a term is forgotten with its last document. */
  #forget(term: string): void {
    if (this.#lists.has(term) || term.startsWith(PSEUDO_PREFIX)) return;
    this.vocabulary.remove(term);
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
    const slot = first?.slots.find((slot) => slot !== undefined);
    return slot !== undefined && this.columns.kind[slot] === kind;
  }

  /**
   * The postings of some terms, of the given kinds (default all). Views, valid until the next
   * change. Of longer lists only the latest `entriesMax` entries are read: so frequent a term
   * changes the ranking little.
   */
  lists(keys: Iterable<string>, kinds?: ReadonlySet<number>, entriesMax = Infinity): Map<string, PostingsList[]> {
    const out = new Map<string, PostingsList[]>();
    for (const key of keys) {
      const isWhole = key.startsWith(PSEUDO_PREFIX) && !key.startsWith(STEM_PREFIX);
      const found: PostingsList[] = [];
      for (const list of this.#lists.listsOf(key)) {
        const kind = this.#lists.kindOf(list);
        if (kinds === undefined || kinds.has(kind)) found.push(this.#read(list, kind, isWhole ? Infinity : entriesMax));
      }
      if (found.length > 0) out.set(key, found);
    }
    return out;
  }

  #read(list: number, kind: number, entriesMax: number): PostingsList {
    const count = this.#lists.countOf(list), first = Math.max(0, count - entriesMax);
    const entries = this.#lists.view(list, first);
    return first === 0 ? { kind, entries } : { kind, entries, df: count };
  }

  /**
   * Sessions with turns in one of some spans (ms; `to` does not belong to it), the fullest first, each with the position
   * after its last such turn. Of each span, the latest `turnsMax` turns count.
   */
  datedGroups(
    spans: readonly { readonly from: number; readonly to: number }[],
    { turnsMax, groupsMax }: { readonly turnsMax: number; readonly groupsMax: number },
  ): Map<number, number> {
    const { occurredAt, group, position, doc, end } = this.columns;
    const groups = new Map<number, { count: number; turns: number }>();
    for (const { from, to } of spans) {
      let slots: number[] = [];
      for (let slot = 0; slot < end; slot++) {
        if (occurredAt[slot]! >= from && occurredAt[slot]! < to && group[slot] !== 0) slots.push(slot);
      }
      if (slots.length > turnsMax) {
        slots.sort((a, b) => occurredAt[b]! - occurredAt[a]! || doc[b]! - doc[a]!);
        slots = slots.slice(0, turnsMax);
      }
      for (const slot of slots) {
        const { count, turns } = groups.get(group[slot]!) ?? { count: 0, turns: 0 };
        groups.set(group[slot]!, { count: count + 1, turns: Math.max(turns, position[slot]! + 1) });
      }
    }
    const fullest = [...groups].sort(([a, x], [b, y]) => y.count - x.count || a - b).slice(0, groupsMax);
    return new Map(fullest.map(([number, { turns }]) => [number, turns]));
  }

  /** Gathers what `prescore` needs for a plan, of all kinds; for tests and tools. */
  input(plan: QueryPlan): PostingsInput {
    return {
      corpora: this.corpora(),
      lists: this.lists(plan.keys),
      temporalGroups: this.datedGroups(plan.windows, { turnsMax: 1_000, groupsMax: 50 }),
    };
  }

  /** The pseudo-terms of all participants; for tests and tools. */
  participants(): string[] {
    return [...this.#lists.names()].filter((t) => t.startsWith(PARTICIPANT_PREFIX));
  }

  /** The slots of candidates, in their order; -1 if no document has the position. */
  slotsOf({ size, docs, groups, positions }: Prescored): Int32Array {
    const slots = new Int32Array(size);
    for (let i = 0; i < size; i++) {
      slots[i] = docs[i] !== 0
        ? this.columns.slotOf(docs[i]!)
        : this.#groups.get(groups[i]!)?.slots[positions[i]!] ?? -1;
    }
    return slots;
  }

  /** The stored data of candidates, in their order; undefined if no document has the position. */
  stored(candidates: Prescored): (StoredData | undefined)[] {
    return Array.from(this.slotsOf(candidates), (slot) => slot < 0 ? undefined : this.columns.dataAt(slot));
  }
}
