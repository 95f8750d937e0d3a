/**
 * The sparse heart of the ranking: scatters the postings of the query over the laid-out slots and their neighbours. All
 * work is in typed arrays that are reused between queries.
 */
import { ENTRY_WORDS } from "../terms/postings.ts";
import { grown, newFloats, newWords, REACH, SlotLayout } from "./slots.ts";

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

/** A scored query term. Weights are final: `idf` and `local` hold the term's weight in the query already. */
export interface KernelTerm {
  readonly exact: readonly KernelList[];
  readonly expansions: readonly { readonly lists: readonly KernelList[]; readonly weight: number }[];
  /** w · idf over the corpus: for BM25 and coverage. */
  idf: number;
  /** w · idf inside the sessions that can matter: for the proximity kernel. */
  local: number;
}

/** Scratch and results of one query; valid until the next `load`. */
export class Kernel {
  readonly layout = new SlotLayout();
  /** Per slot. */
  proximity = new Float32Array(0);
  bm25 = new Float32Array(0);
  matched = new Uint32Array(0);
  /** Per touched session. */
  groupMatched = new Uint32Array(0);
  /** Term frequencies by session and term: `groupTf[g * terms + t]`. */
  groupTf = new Float32Array(0);
  terms = 0;

  #ring = new Float32Array(0);

  /**
   * Lays out the slots of every document in the lists, and clears all scores.
   *
   * @param lists every list that will be scattered; `temporal` adds the first turns of sessions that a date names.
   */
  load(
    lists: readonly Uint32Array[],
    terms: number,
    temporal: ReadonlyMap<number, number>,
    only?: ReadonlySet<number>,
  ): void {
    this.layout.load(lists, temporal, only);
    this.terms = terms;
    const G = this.layout.groups, size = this.layout.slots + REACH;
    this.groupMatched = grown(this.groupMatched, G, newWords);
    this.groupTf = grown(this.groupTf, G * terms, newFloats);
    this.groupMatched.fill(0, 0, G);
    this.groupTf.fill(0, 0, G * terms);
    this.proximity = grown(this.proximity, size, newFloats);
    this.bm25 = grown(this.bm25, size, newFloats);
    this.#ring = grown(this.#ring, size, newFloats);
    this.matched = grown(this.matched, size, newWords);
    // `#ring` needs no reset: after a term is scattered over it, gathering clears it again.
    this.proximity.fill(0, 0, size);
    this.bm25.fill(0, 0, size);
    this.matched.fill(0, 0, size);
  }

  /** Scatters one term: BM25, coverage, session frequencies, and the proximity ring with the best match winning. */
  scatter(term: KernelTerm, t: number): void {
    for (const list of term.exact) this.#scatterList(list, term.idf, 1, t);
    for (const e of term.expansions) for (const list of e.lists) this.#scatterList(list, term.idf, e.weight, t);
    for (const list of term.exact) this.#gatherRing(list.entries, term.local);
    for (const e of term.expansions) for (const list of e.lists) this.#gatherRing(list.entries, term.local);
  }

  #scatterList(list: KernelList, idf: number, weight: number, t: number): void {
    const { entries } = list;
    const slots = this.layout.slotsOf(entries);
    if (slots === undefined) return;
    const { matched, bm25, groupMatched, groupTf } = this, { slotGroup, docBase } = this.layout;
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
    const slots = this.layout.slotsOf(entries);
    if (slots === undefined) return;
    const ring = this.#ring, proximity = this.proximity, { docBase } = this.layout;
    for (let e = 0; e < slots.length; e++) {
      const s = slots[e];
      if (s < 0) continue;
      const reach = s >= docBase ? 0 : REACH;
      for (let i = s - reach; i <= s + reach; i++) {
        if (ring[i] === 0) continue;
        proximity[i] += local * ring[i];
        ring[i] = 0;
      }
    }
  }
}

/** Adds shares of the neighbouring turns' BM25 scores to a turn's own, and rounds the sum to a 32-bit number. */
export function smoothen(before2: number, before1: number, own: number, after1: number, after2: number): number {
  return Math.fround(own + 0.35 * before1 + 0.175 * before2 + 0.25 * after1 + 0.125 * after2);
}
