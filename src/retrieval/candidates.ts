/**
 * The second half of the prescore: sums over the laid-out slots, the choice of candidates, and their text features.
 */

import { COLUMN, FEATURE_COUNT } from "./features.ts";
import { type Kernel, type KernelTerm, smoothen } from "./kernel.ts";
import type { QueryPlan, QueryTerm } from "./query.ts";
import { POSITION_MAX } from "./postings.ts";
import { REACH } from "./slot_layout.ts";
import { TopSlots } from "./top_slots.ts";
import { CANDIDATES, type PostingsInput, type Prescored, type QueryWeights } from "./types.ts";

/** At most so many turns of a session become candidates only because a date names the session. */
const TEMPORAL_TURNS_MAX = 60;
const SESSION_K1 = 1.2;

/** The people whom a query names and who take part in sessions. */
export interface People {
  persons: { name: string; bit: number }[];
  /** Words of the query that name these people; they are no search terms. */
  words: Set<string>;
  /** Session → bits of the persons who take part. */
  groups: Map<number, number>;
}

/** A query term with its postings. */
export interface ScoredTerm {
  source: QueryTerm;
  kernel: KernelTerm;
  entity: boolean;
  /**
   * Whether some text holds the term or an expansion. If not, at most its everyday words are held.
   */
  isHeld: boolean;
}

/** Totals and maxima by which features are divided. */
export interface Sums {
  /** See features.ts. */
  queryWeight: number;
  localQueryWeight: number;
  /** The part of the query's weight in capitalised or quoted terms. */
  entity: number;
  entityBits: number;
  idf: Float64Array;
  proximityMax: number;
  relatedMax: number;
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
  /**
   * The greatest proximity (with related terms) and the greatest BM25 among the session's turns, which bound their
   * quick scores.
   */
  nearMax: Float64Array;
  ownMax: Float64Array;
}

function bitCount(bits: number): number {
  let n = 0;
  for (let b = bits; b !== 0; b &= b - 1) n++;
  return n;
}

/** Whether a session can matter to the query. `bits` says which named people take part in it. */
export function allows(people: People, bits: number): boolean {
  const named = people.persons.length;
  if (named === 0) return true;
  return named > 2 ? bits !== 0 : bitCount(bits) === named;
}

/** The sessions that a date names, each with the number of its first turns that are laid out. */
export function temporalTurns(input: PostingsInput): Map<number, number> {
  const out = new Map<number, number>();
  for (const [group, turns] of input.temporalGroups ?? []) out.set(group, Math.min(turns, TEMPORAL_TURNS_MAX));
  return out;
}

/**
 * Share of the named people who are in a session or, without one, in the text; 0.5 if nobody is
 * named.
 */
function shareOf(people: People, bits: number): number {
  return people.persons.length === 0 ? 0.5 : bitCount(bits) / people.persons.length;
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
    relatedMax: 0,
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
  const { proximity, related, bm25 } = kernel;
  let exact = 0, near = 0, own = 0;
  for (let s = layout.docBase, end = layout.slots; s < end; s++) {
    const one = proximity[s], both = one + related[s];
    if (one > exact) exact = one;
    if (both > near) near = both;
    if (bm25[s] > own) own = bm25[s];
  }
  sums.proximityMax = Math.max(sums.proximityMax, exact);
  sums.relatedMax = Math.max(sums.relatedMax, near);
  sums.bm25Max = Math.max(sums.bm25Max, own);
  sums.smoothMax = Math.max(sums.smoothMax, own);
  sums.relatedMax = Math.max(sums.proximityMax, sums.relatedMax);
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
  let first = 0, second = 0, third = 0, own = 0, near = 0, exact = 0;
  const { bm25, proximity, related } = kernel;
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
    const one = proximity[s], both = one + related[s];
    if (one > exact) exact = one;
    if (both > near) near = both;
  }
  sums.ownMax[g] = own;
  sums.nearMax[g] = near;
  if (present && own > sums.bm25Max) sums.bm25Max = own;
  if (allowed && exact > sums.proximityMax) sums.proximityMax = exact;
  if (allowed && near > sums.relatedMax) sums.relatedMax = near;
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

/** One more than the greatest position, so that keys sort turns by session, then by position. */
const POSITIONS = POSITION_MAX + 1;
/** Added to keys of documents without a session: they follow turns that have the same score. */
const AFTER_PLACES = 2 ** 32 * POSITIONS;

/**
 * The slots with the best quick score, best first. Ties go to the earlier session, turn or
 * document.
 */
export function pickSlots(kernel: Kernel, sums: Sums, input: PostingsInput): Uint32Array {
  const limit = input.limit ?? CANDIDATES;
  const heap = new TopSlots(limit);
  const perProximity = 1 / Math.max(1e-9, sums.proximityMax), perBm25 = 0.25 / Math.max(1e-9, sums.bm25Max);
  const { layout, proximity, related, bm25 } = kernel;
  let least = heap.least;
  for (let g = 0; g < layout.groups; g++) {
    const factor = sums.factor[g], temporal = sums.temporal[g] !== 0;
    const base = 0.5 * sums.session[g] / Math.max(1e-9, sums.sessionMax) + (temporal ? 0.6 : 0);
    // Floating-point rounding is monotonic, so no turn of the session scores above this bound.
    if (factor * (sums.nearMax[g] * perProximity + base + sums.ownMax[g] * perBm25) < least) continue;
    const placeKey = layout.groupId[g] * POSITIONS + layout.groupFirst[g] - layout.groupBase[g];
    for (let s = layout.groupBase[g], end = layout.groupEnd[g]; s < end; s++) {
      const near = proximity[s] + related[s];
      if (near === 0 && !temporal) continue;
      const score = factor * (near * perProximity + base + bm25[s] * perBm25);
      if (score < least) continue;
      heap.offer(s, score, placeKey + s);
      least = heap.least;
    }
  }
  for (let s = layout.docBase, end = layout.slots; s < end; s++) {
    const near = (proximity[s] + related[s]) * perProximity;
    if (near <= 0) continue;
    const score = 1.5 * near + bm25[s] * perBm25;
    if (score < least) continue;
    heap.offer(s, score, AFTER_PLACES + layout.slotDoc[s]);
    least = heap.least;
  }
  return heap.sorted();
}

/** The inputs of the features. */
interface Query {
  plan: QueryPlan;
  people: People;
  scored: readonly ScoredTerm[];
  unknown: string[];
  sums: Sums;
  weights: QueryWeights;
}

/** Copies the candidates and their text features out of the kernel's scratch. */
export function extractCandidates(kernel: Kernel, query: Query, slots: Uint32Array): Prescored {
  const { layout } = kernel;
  const n = slots.length;
  const out = {
    plan: query.plan,
    people: query.people.persons.map((p) => ({ name: p.name })),
    scored: query.scored.map((s) => s.source.term),
    unknown: query.unknown,
    size: n,
    docs: new Uint32Array(n),
    groups: new Uint32Array(n),
    positions: new Uint32Array(n),
    matched: new Uint32Array(n),
    nearby: new Uint32Array(n),
    query: query.weights,
    features: new Float32Array(n * FEATURE_COUNT),
  };
  for (let i = 0; i < n; i++) {
    const s = slots[i], g = layout.slotGroup[s];
    out.docs[i] = layout.slotDoc[s];
    out.matched[i] = kernel.matched[s];
    const at = i * FEATURE_COUNT;
    if (g >= 0 && s < layout.docBase) {
      out.groups[i] = layout.groupId[g];
      out.positions[i] = s - layout.groupBase[g] + layout.groupFirst[g];
      for (let k = s - REACH; k <= s + REACH; k++) out.nearby[i] |= kernel.matched[k];
      fillTurn(kernel, query, s, g, out.nearby[i], out.features, at);
    } else {
      out.nearby[i] = kernel.matched[s];
      fillDocument(kernel, query, s, out.features, at);
    }
    fillShared(kernel, query, s, out.features, at);
  }
  return out;
}

function weigh(idf: Float64Array, bits: number): number {
  let sum = 0;
  for (let t = 0; t < idf.length; t++) if (bits & 1 << t) sum += idf[t];
  return sum;
}

function per(value: number, of: number): number {
  return of > 0 ? value / of : 0;
}

/** Fills in the features that are computed alike for turns and documents. */
function fillShared(kernel: Kernel, query: Query, s: number, rows: Float32Array, at: number): void {
  const { sums, plan } = query;
  rows[at + COLUMN.proximityToBest] = per(kernel.proximity[s], sums.proximityMax);
  rows[at + COLUMN.proximityToQuery] = per(kernel.proximity[s], sums.localQueryWeight);
  rows[at + COLUMN.relatedToQuery] = per(kernel.related[s], sums.localQueryWeight);
  rows[at + COLUMN.relatedInTurn] = per(kernel.relatedOwn[s], sums.localQueryWeight);
  rows[at + COLUMN.proximityWithRelated] = per(kernel.proximity[s] + kernel.related[s], sums.relatedMax);
  rows[at + COLUMN.termsInTurn] = per(weigh(sums.idf, kernel.matched[s]), sums.queryWeight);
  rows[at + COLUMN.proximityToBestSquared] = rows[at + COLUMN.proximityToBest] ** 2;
  rows[at + COLUMN.termsInTurnSquared] = rows[at + COLUMN.termsInTurn] ** 2;
  rows[at + COLUMN.bm25] = per(kernel.bm25[s], sums.bm25Max);
  rows[at + COLUMN.smoothBm25] = per(kernel.smoothAt(s), sums.smoothMax);
  rows[at + COLUMN.personInText] = kernel.layout.nameMatched[s] !== 0 ? 1 : 0;
  rows[at + COLUMN.allPeoplePresent] = query.people.persons.length > 1 && rows[at + COLUMN.peoplePresent] === 1 ? 1 : 0;
  if (plan.cues.list) {
    rows[at + COLUMN.listSessionBm25] = rows[at + COLUMN.sessionBm25];
    rows[at + COLUMN.listProximityToQuery] = rows[at + COLUMN.proximityToQuery];
    rows[at + COLUMN.listTermsInTurn] = rows[at + COLUMN.termsInTurn];
  }
}

function fillTurn(
  kernel: Kernel,
  query: Query,
  s: number,
  g: number,
  near: number,
  rows: Float32Array,
  at: number,
): void {
  const { sums } = query;
  rows[at + COLUMN.bm25OneBefore] = per(kernel.bm25[s - 1], sums.smoothMax);
  rows[at + COLUMN.bm25TwoBefore] = per(kernel.bm25[s - 2], sums.smoothMax);
  rows[at + COLUMN.bm25OneAfter] = per(kernel.bm25[s + 1], sums.smoothMax);
  rows[at + COLUMN.termsNearby] = per(weigh(sums.idf, near), sums.queryWeight);
  rows[at + COLUMN.entitiesNearby] = per(weigh(sums.idf, near & sums.entityBits), sums.queryWeight);
  rows[at + COLUMN.entitiesInSession] = per(
    weigh(sums.idf, kernel.groupMatched[g] & sums.entityBits),
    sums.queryWeight,
  );
  rows[at + COLUMN.sessionBm25] = per(sums.session[g], sums.sessionMax);
  rows[at + COLUMN.localTermsInSession] = per(sums.local[g], sums.localMax);
  rows[at + COLUMN.termsInSession] = per(sums.coverage[g], sums.queryWeight);
  rows[at + COLUMN.bestTurnsOfSession] = per(sums.top3[g], sums.top3Max);
  rows[at + COLUMN.peoplePresent] = sums.share[g];
}

/** Fills in the features of a document without a session: it is read as a session of one turn. */
function fillDocument(kernel: Kernel, query: Query, s: number, rows: Float32Array, at: number): void {
  const { sums, people } = query;
  const matched = kernel.matched[s];
  const own = per(weigh(sums.idf, matched), sums.queryWeight);
  const entity = per(weigh(sums.idf, matched & sums.entityBits), sums.queryWeight);
  rows[at + COLUMN.termsNearby] = own;
  rows[at + COLUMN.entitiesNearby] = entity;
  rows[at + COLUMN.entitiesInSession] = entity;
  rows[at + COLUMN.sessionBm25] = per(kernel.bm25[s], sums.bm25Max);
  rows[at + COLUMN.localTermsInSession] = per(kernel.proximity[s], sums.proximityMax);
  rows[at + COLUMN.termsInSession] = own;
  rows[at + COLUMN.bestTurnsOfSession] = per(kernel.bm25[s], sums.bm25Max);
  rows[at + COLUMN.peoplePresent] = shareOf(people, kernel.layout.nameMatched[s]);
}
