/** The sums over a query's laid-out slots and sessions, by which the features of every candidate are divided. */
import type { QueryTerm } from "../query/terms.ts";
import { countBits } from "../terms/bits.ts";
import { type Kernel, type KernelTerm, smoothen } from "./kernel.ts";

const SESSION_K1 = 1.2;

/** The people whom a query names and who take part in sessions. */
export interface People {
  persons: { name: string; bit: number }[];
  /** Words of the query that are these people's names. The search uses them only if no text holds any other word of the query. */
  words: Set<string>;
  /** Session → bits of the persons who take part. */
  groups: Map<number, number>;
}

/** Whether a session can matter to the query. `bits` says which named people take part in it. */
export function allows(people: People, bits: number): boolean {
  const named = people.persons.length;
  if (named === 0) return true;
  return named > 2 ? bits !== 0 : countBits(bits) === named;
}

/** Share of the named people who are in a session or, without one, in the text; 0.5 if nobody is named. */
export function shareOf(people: People, bits: number): number {
  return people.persons.length === 0 ? 0.5 : countBits(bits) / people.persons.length;
}

/** A query term with its postings. */
export interface ScoredTerm {
  source: QueryTerm;
  kernel: KernelTerm;
  entity: boolean;
  /** Whether some text holds the term or an expansion. */
  isHeld: boolean;
}

/** Totals and maxima by which features are divided, and the values of each session for features and quick scores. */
export interface Sums {
  /** See features.ts. */
  queryWeight: number;
  localQueryWeight: number;
  /** The part of the query's weight in capitalised or quoted terms. */
  entity: number;
  entityBits: number;
  idf: Float64Array;
  proximityMax: number;
  bm25Max: number;
  smoothMax: number;
  /** Per touched session. */
  share: Float32Array;
  session: Float32Array;
  local: Float32Array;
  coverage: Float32Array;
  top3: Float32Array;
  sessionMax: number;
  localMax: number;
  top3Max: number;
  temporal: Uint8Array;
  /** Factor by which the quick score of the session's turns is multiplied. */
  factor: Float32Array;
  /** The greatest proximity and the greatest BM25 among the session's turns, which bound their quick scores. */
  nearMax: Float64Array;
  ownMax: Float64Array;
}

/** Computes the totals and maxima by which every candidate's features are divided. */
export function sumUp(
  kernel: Kernel,
  scored: readonly ScoredTerm[],
  people: People,
  temporal: ReadonlySet<number>,
): Sums {
  const { layout } = kernel;
  const G = layout.groups, T = scored.length;
  const sums: Sums = {
    queryWeight: 0,
    localQueryWeight: 0,
    entity: 0,
    entityBits: 0,
    idf: new Float64Array(T),
    proximityMax: 0,
    bm25Max: 0,
    smoothMax: 0,
    share: new Float32Array(G),
    session: new Float32Array(G),
    local: new Float32Array(G),
    coverage: new Float32Array(G),
    top3: new Float32Array(G),
    sessionMax: 0,
    localMax: 0,
    top3Max: 0,
    temporal: new Uint8Array(G),
    factor: new Float32Array(G),
    nearMax: new Float64Array(G),
    ownMax: new Float64Array(G),
  };
  for (let t = 0; t < T; t++) {
    const { kernel: k, entity } = scored[t];
    sums.idf[t] = k.idf;
    sums.queryWeight += k.idf;
    sums.localQueryWeight += k.local;
    if (entity) {
      sums.entity += k.idf;
      sums.entityBits |= 1 << t;
    }
  }
  for (let g = 0; g < G; g++) sumSession(kernel, scored, people, sums, temporal, g);
  sums.proximityMax = Math.max(0.1 * sums.localQueryWeight, sums.proximityMax);
  sums.smoothMax = Math.max(0.1 * sums.queryWeight, sums.smoothMax);
  sums.bm25Max = Math.max(0.1 * sums.queryWeight, sums.bm25Max);
  const { proximity, bm25 } = kernel;
  let near = 0, own = 0;
  for (let s = layout.docBase, end = layout.slots; s < end; s++) {
    if (proximity[s] > near) near = proximity[s];
    if (bm25[s] > own) own = bm25[s];
  }
  sums.proximityMax = Math.max(sums.proximityMax, near);
  sums.bm25Max = Math.max(sums.bm25Max, own);
  sums.smoothMax = Math.max(sums.smoothMax, own);
  return sums;
}

function sumSession(
  kernel: Kernel,
  scored: readonly ScoredTerm[],
  people: People,
  sums: Sums,
  temporal: ReadonlySet<number>,
  g: number,
): void {
  const { layout } = kernel;
  const T = scored.length, id = layout.groupId[g];
  const bits = people.groups.get(id) ?? 0;
  const allowed = allows(people, bits), present = people.persons.length === 0 || bits !== 0;
  sums.share[g] = shareOf(people, bits);
  sums.temporal[g] = temporal.has(id) ? 1 : 0;
  sums.factor[g] = (!present ? 0.3 : allowed ? 1 : 0.8) * (sums.temporal[g] ? 1.5 : 1);
  let session = 0, local = 0, coverage = 0;
  for (let t = 0; t < T; t++) {
    const tf = kernel.groupTf[g * T + t];
    if (tf === 0) continue;
    const k = scored[t].kernel;
    session += k.idf * tf * (SESSION_K1 + 1) / (tf + SESSION_K1);
    local += k.local;
    coverage += k.idf;
  }
  let first = 0, second = 0, third = 0, own = 0, near = 0;
  const { bm25, proximity } = kernel;
  const base = layout.groupBase[g], end = layout.groupEnd[g];
  let before2 = 0, before1 = 0, score = bm25[base], after1 = bm25[base + 1];
  for (let s = base; s < end; s++) {
    const after2 = bm25[s + 2];
    const value = smoothen(before2, before1, score, after1, after2);
    if (score > own) own = score;
    before2 = before1, before1 = score, score = after1, after1 = after2;
    if (value > first) third = second, second = first, first = value;
    else if (value > second) third = second, second = value;
    else if (value > third) third = value;
    if (proximity[s] > near) near = proximity[s];
  }
  sums.ownMax[g] = own;
  sums.nearMax[g] = near;
  if (present && own > sums.bm25Max) sums.bm25Max = own;
  if (allowed && near > sums.proximityMax) sums.proximityMax = near;
  const top3 = first + 0.5 * second + 0.25 * third;
  sums.session[g] = session;
  sums.local[g] = local;
  sums.coverage[g] = coverage;
  sums.top3[g] = top3;
  if (present) {
    sums.sessionMax = Math.max(sums.sessionMax, session);
    sums.smoothMax = Math.max(sums.smoothMax, first);
  }
  sums.top3Max = Math.max(sums.top3Max, top3);
  if (allowed) sums.localMax = Math.max(sums.localMax, local);
}
