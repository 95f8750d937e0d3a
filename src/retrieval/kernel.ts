/**
 * The sparse heart of the ranking: lays the matched turns of every touched session out side by side, and scatters the
 * postings of the query over them and their neighbours. All work is in typed arrays that are reused between queries.
 *
 * Layout: each touched session has a run of slots, one per position from 3 before its first match to 3 after its last;
 * three empty slots stand between runs, so that a neighbour's slot may be written without a check of bounds.
 * Documents without a session (group 0) follow, one slot each, and have no neighbours.
 */

import { ENTRY_WORDS } from "./postings.ts";
import { U32Map } from "./u32_map.ts";

/** How far a match reaches, in turns. */
export const REACH = 3;
/** What a match in an earlier turn is worth, by distance. */
const FROM_EARLIER = [1, 0.7, 0.45, 0.25];
/** What a match in a later turn is worth, by distance: a question comes before its answer. */
const FROM_LATER = [1, 0.6, 0.35, 0.2];

/** BM25 of single documents. */
const K1 = 0.9, B = 0.4;

/** One postings list as the kernel reads it. */
export interface KernelList {
  readonly entries: Uint32Array;
  /** Mean number of tokens in a document of this kind. */
  readonly averageLength: number;
}

/** Turns that a match of a related term reaches. */
const RELATED_REACH = 2;

/** Postings of a related term, and its weight against 1 for the query's term. */
export interface KernelRelated extends KernelList {
  readonly weight: number;
}

/** A scored query term. Weights are final: `idf` and `local` hold the term's weight in the query already. */
export interface KernelTerm {
  readonly exact: readonly KernelList[];
  readonly expansions: readonly { readonly lists: readonly KernelList[]; readonly weight: number }[];
  /** Related terms by the lexicon; they count only in `related` and `relatedOwn`. */
  related: readonly KernelRelated[];
  /** w · idf over the corpus: for BM25 and coverage. */
  idf: number;
  /** w · idf inside the sessions that can matter: for the proximity kernel. */
  local: number;
}

function grown<T extends Float32Array | Uint32Array | Int32Array | Uint8Array>(
  array: T,
  size: number,
  make: (n: number) => T,
): T {
  return array.length >= size ? array : make(Math.ceil(size * 1.5) + 64);
}

const newFloats = (n: number) => new Float32Array(n);
const newInts = (n: number) => new Int32Array(n);
const newWords = (n: number) => new Uint32Array(n);

/** Scratch and results of one query; valid until the next `load`. */
export class Kernel {
  /** Slots in use. Slots from `docBase` on are documents without a session. */
  slots = 0;
  docBase = 0;
  groups = 0;
  /** Per slot. */
  proximity = new Float32Array(0);
  /** What related terms add to `proximity`. */
  related = new Float32Array(0);
  /**
   * Sum, over the terms that the text lacks but has a related term of, of local weight times the
   * related term's weight.
   */
  relatedOwn = new Float32Array(0);
  bm25 = new Float32Array(0);
  matched = new Uint32Array(0);
  nameMatched = new Uint32Array(0);
  slotDoc = new Uint32Array(0);
  slotGroup = new Int32Array(0);
  /** Per touched session. */
  groupId = new Uint32Array(0);
  groupBase = new Int32Array(0);
  groupFirst = new Int32Array(0);
  groupEnd = new Int32Array(0);
  groupMatched = new Uint32Array(0);
  /** Term frequencies by session and term: `groupTf[g * terms + t]`. */
  groupTf = new Float32Array(0);
  terms = 0;

  #groupOf = new U32Map();
  #docOf = new U32Map();
  #groupMin = new Int32Array(0);
  #groupMax = new Int32Array(0);
  #ring = new Float32Array(0);
  #relatedRing = new Float32Array(0);
  #relatedWeight = new Float32Array(0);
  /** By list: the places of its entries (see `#collect`), and the slots once they are placed. */
  #entrySlots = new Map<Uint32Array, Int32Array>();
  #pool = new Int32Array(0);
  #poolUsed = 0;

  /** The index of a session among the touched ones, or -1. */
  groupIndex(group: number): number {
    return this.#groupOf.get(group);
  }

  /**
   * Lays out the slots of every document in the lists.
   *
   * @param lists every list that will be scattered; `temporal` adds the first turns of sessions that a date names.
   */
  load(
    lists: readonly Uint32Array[],
    terms: number,
    temporal: ReadonlyMap<number, number>,
    only?: ReadonlySet<number>,
  ): void {
    this.#groupOf.clear();
    this.#docOf.clear();
    this.#entrySlots.clear();
    this.#poolUsed = 0;
    this.groups = 0;
    this.terms = terms;
    this.#pool = grown(this.#pool, lists.reduce((sum, list) => sum + list.length / ENTRY_WORDS, 0), newInts);
    let docs = 0;
    for (const list of lists) if (!this.#entrySlots.has(list)) docs += this.#collect(list, docs, only);
    for (const [group, turns] of temporal) {
      if (only !== undefined && !only.has(group)) continue;
      const g = this.#touch(group, 0);
      this.#groupMax[g] = Math.max(this.#groupMax[g], turns - 1);
    }
    this.#layOut(docs);
    for (const [list, places] of this.#entrySlots) this.#place(list, places);
  }

  #touch(group: number, position: number): number {
    const g = this.#groupOf.add(group, this.groups);
    if (g === this.groups) {
      this.groups++;
      if (g >= this.groupId.length) this.#growGroups(g + 1);
      this.groupId[g] = group;
      this.#groupMin[g] = position;
      this.#groupMax[g] = position;
    } else if (position < this.#groupMin[g]) this.#groupMin[g] = position;
    else if (position > this.#groupMax[g]) this.#groupMax[g] = position;
    return g;
  }

  #growGroups(size: number): void {
    const keep = <T extends Uint32Array | Int32Array>(old: T, make: (n: number) => T): T => {
      const out = grown(old, size, make);
      if (out !== old) out.set(old);
      return out;
    };
    this.groupId = keep(this.groupId, newWords);
    this.#groupMin = keep(this.#groupMin, newInts);
    this.#groupMax = keep(this.#groupMax, newInts);
  }

  /**
   * Stores the place of each entry of a list. For a turn it is the index of its session, for a document without a
   * session `-2 - d` where d is the index of the document, and for an entry that `only` leaves out -1.
   * @returns how many documents of the list had no index before
   */
  #collect(list: Uint32Array, docsBefore: number, only?: ReadonlySet<number>): number {
    const n = list.length / ENTRY_WORDS;
    const places = this.#pool.subarray(this.#poolUsed, this.#poolUsed + n);
    this.#poolUsed += n;
    this.#entrySlots.set(list, places);
    const takesDocs = only === undefined || only.has(0);
    let docs = 0, last = 0, g = -1;
    for (let i = 0, e = 0; e < n; e++, i += ENTRY_WORDS) {
      const group = list[i + 1];
      if (group === 0) {
        if (!takesDocs) {
          places[e] = -1;
          continue;
        }
        const doc = this.#docOf.add(list[i], docsBefore + docs);
        if (doc === docsBefore + docs) docs++;
        places[e] = -2 - doc;
        continue;
      }
      const position = list[i + 2] >>> 14;
      if (group !== last) {
        // In most lists the turns of a session are adjacent, so one look-up serves a run of them.
        last = group;
        g = only === undefined || only.has(group) ? this.#touch(group, position) : -1;
      } else if (g >= 0) {
        if (position < this.#groupMin[g]) this.#groupMin[g] = position;
        else if (position > this.#groupMax[g]) this.#groupMax[g] = position;
      }
      places[e] = g;
    }
    return docs;
  }

  #layOut(docs: number): void {
    const G = this.groups;
    this.groupBase = grown(this.groupBase, G, newInts);
    this.groupFirst = grown(this.groupFirst, G, newInts);
    this.groupEnd = grown(this.groupEnd, G, newInts);
    this.groupMatched = grown(this.groupMatched, G, newWords);
    this.groupTf = grown(this.groupTf, G * this.terms, newFloats);
    this.groupMatched.fill(0, 0, G);
    this.groupTf.fill(0, 0, G * this.terms);
    let next = REACH;
    for (let g = 0; g < G; g++) {
      const first = Math.max(0, this.#groupMin[g] - REACH);
      this.groupFirst[g] = first;
      this.groupBase[g] = next;
      next += this.#groupMax[g] + REACH - first + 1;
      this.groupEnd[g] = next;
      next += REACH;
    }
    this.docBase = next;
    this.slots = next + docs;
    const size = this.slots + REACH;
    this.proximity = grown(this.proximity, size, newFloats);
    this.bm25 = grown(this.bm25, size, newFloats);
    this.#ring = grown(this.#ring, size, newFloats);
    this.related = grown(this.related, size, newFloats);
    this.#relatedRing = grown(this.#relatedRing, size, newFloats);
    this.relatedOwn = grown(this.relatedOwn, size, newFloats);
    this.#relatedWeight = grown(this.#relatedWeight, size, newFloats);
    this.matched = grown(this.matched, size, newWords);
    this.nameMatched = grown(this.nameMatched, size, newWords);
    this.slotDoc = grown(this.slotDoc, size, newWords);
    this.slotGroup = grown(this.slotGroup, size, newInts);
    // `#ring` needs no reset: after a term is scattered over it, gathering clears it again.
    for (const array of [this.proximity, this.related, this.relatedOwn, this.bm25]) array.fill(0, 0, size);
    for (const array of [this.matched, this.nameMatched, this.slotDoc]) array.fill(0, 0, size);
    this.slotGroup.fill(-1, 0, size);
    for (let g = 0; g < G; g++) this.slotGroup.fill(g, this.groupBase[g], this.groupEnd[g]);
  }

  /** Turns `places`, which names the session or document of each entry, into slots. An entry that is left out keeps -1. */
  #place(list: Uint32Array, places: Int32Array): void {
    const { groupBase, groupFirst, slotDoc, docBase } = this;
    for (let e = 0, i = 0; e < places.length; e++, i += ENTRY_WORDS) {
      const g = places[e];
      if (g === -1) continue;
      const slot = g < 0 ? docBase - 2 - g : groupBase[g] - groupFirst[g] + (list[i + 2] >>> 14);
      places[e] = slot;
      slotDoc[slot] = list[i];
    }
  }

  /** Scatters one term: BM25, coverage, session frequencies, and the proximity ring with the best match winning. */
  scatter(term: KernelTerm, t: number): void {
    for (const list of term.exact) this.#scatterList(list, term.idf, 1, t);
    for (const e of term.expansions) for (const list of e.lists) this.#scatterList(list, term.idf, e.weight, t);
    for (const list of term.related) this.#scatterRelated(list);
    for (const list of term.related) this.#gatherRelated(list.entries, term.local, 1 << t);
    for (const list of term.exact) this.#gatherRing(list.entries, term.local);
    for (const e of term.expansions) for (const list of e.lists) this.#gatherRing(list.entries, term.local);
  }

  /** Scatters a related term, two turns each way, into a ring apart from that of exact matches. */
  #scatterRelated({ entries, weight }: KernelRelated): void {
    const slots = this.#entrySlots.get(entries);
    if (slots === undefined) return;
    const ring = this.#relatedRing, own = this.#relatedWeight;
    for (let e = 0; e < slots.length; e++) {
      const s = slots[e];
      if (s < 0) continue;
      if (own[s] < weight) own[s] = weight;
      if (ring[s] < weight) ring[s] = weight;
      if (s >= this.docBase) continue;
      for (let d = 1; d <= RELATED_REACH; d++) {
        const after = weight * FROM_EARLIER[d], before = weight * FROM_LATER[d];
        if (ring[s + d] < after) ring[s + d] = after;
        if (ring[s - d] < before) ring[s - d] = before;
      }
    }
  }

  /**
   * Adds to `related` what the related ring exceeds the exact ring by, and to `relatedOwn` the
   * related matches of texts that lack the term (its bit is given). Clears both.
   */
  #gatherRelated(entries: Uint32Array, local: number, bit: number): void {
    const slots = this.#entrySlots.get(entries);
    if (slots === undefined) return;
    const ring = this.#relatedRing, exact = this.#ring, own = this.#relatedWeight;
    for (let e = 0; e < slots.length; e++) {
      const s = slots[e];
      if (s < 0) continue;
      if ((this.matched[s] & bit) === 0) this.relatedOwn[s] += local * own[s];
      own[s] = 0;
      const reach = s >= this.docBase ? 0 : RELATED_REACH;
      for (let i = s - reach; i <= s + reach; i++) {
        if (ring[i] > exact[i]) this.related[i] += local * (ring[i] - exact[i]);
        ring[i] = 0;
      }
    }
  }

  #scatterList(list: KernelList, idf: number, weight: number, t: number): void {
    const { entries } = list;
    const slots = this.#entrySlots.get(entries);
    if (slots === undefined) return;
    const { matched, bm25, slotGroup, docBase, groupMatched, groupTf } = this;
    const ring = this.#ring, bit = 1 << t, T = this.terms;
    const norm0 = K1 * (1 - B), norm1 = K1 * B / Math.max(1, list.averageLength);
    const after1 = weight * FROM_EARLIER[1], after2 = weight * FROM_EARLIER[2], after3 = weight * FROM_EARLIER[3];
    const before1 = weight * FROM_LATER[1], before2 = weight * FROM_LATER[2], before3 = weight * FROM_LATER[3];
    for (let e = 0, at = 2; e < slots.length; e++, at += ENTRY_WORDS) {
      const s = slots[e];
      if (s < 0) continue;
      const packed = entries[at];
      const tf = packed >>> 8 & 63;
      if ((matched[s] & bit) === 0) {
        matched[s] |= bit;
        bm25[s] += weight * idf * tf * (K1 + 1) / (tf + norm0 + norm1 * (packed & 255));
      }
      if (ring[s] < weight) ring[s] = weight;
      if (s >= docBase) continue;
      const g = slotGroup[s];
      groupMatched[g] |= bit;
      groupTf[g * T + t] += weight * tf;
      if (ring[s + 1] < after1) ring[s + 1] = after1;
      if (ring[s - 1] < before1) ring[s - 1] = before1;
      if (ring[s + 2] < after2) ring[s + 2] = after2;
      if (ring[s - 2] < before2) ring[s - 2] = before2;
      if (ring[s + 3] < after3) ring[s + 3] = after3;
      if (ring[s - 3] < before3) ring[s - 3] = before3;
    }
  }

  #gatherRing(entries: Uint32Array, local: number): void {
    const slots = this.#entrySlots.get(entries);
    if (slots === undefined) return;
    const ring = this.#ring, proximity = this.proximity;
    for (let e = 0; e < slots.length; e++) {
      const s = slots[e];
      if (s < 0) continue;
      const reach = s >= this.docBase ? 0 : REACH;
      for (let i = s - reach; i <= s + reach; i++) {
        if (ring[i] === 0) continue;
        proximity[i] += local * ring[i];
        ring[i] = 0;
      }
    }
  }

  /** Marks laid-out documents that hold a person's name: `bit` is the person's number. Lays nothing out itself. */
  markName(entries: Uint32Array, bit: number): void {
    for (let i = 0; i < entries.length; i += ENTRY_WORDS) {
      const group = entries[i + 1];
      let slot = -1;
      if (group === 0) {
        const doc = this.#docOf.get(entries[i]);
        if (doc >= 0) slot = this.docBase + doc;
      } else {
        const g = this.#groupOf.get(group);
        if (g >= 0) slot = this.groupBase[g] - this.groupFirst[g] + (entries[i + 2] >>> 14);
        if (g >= 0 && (slot < this.groupBase[g] || slot >= this.groupEnd[g])) slot = -1;
      }
      if (slot < 0) continue;
      this.nameMatched[slot] |= 1 << bit;
      if (this.slotDoc[slot] === 0) this.slotDoc[slot] = entries[i];
    }
  }

  /**
   * The smooth BM25 of a slot: its own BM25 plus shares of that of the two turns before and after
   * it.
   */
  smoothAt(s: number): number {
    const S = this.bm25;
    return s < this.docBase ? smoothen(S[s - 2], S[s - 1], S[s], S[s + 1], S[s + 2]) : S[s];
  }
}

/** Adds shares of the neighbouring turns' BM25 scores to a turn's own, and rounds the sum to a 32-bit number. */
export function smoothen(before2: number, before1: number, own: number, after1: number, after2: number): number {
  return Math.fround(own + 0.35 * before1 + 0.175 * before2 + 0.25 * after1 + 0.125 * after2);
}
