/** The candidates of a query: chooses their slots, and copies them out of the kernel's scratch. */
import type { QueryPlan } from "../query/plan.ts";
import { CANDIDATES, type PostingsInput, type Prescored, type QueryWeights } from "../ranking/candidates.ts";
import { COLUMN, FEATURE_COUNT } from "../ranking/features.ts";
import { POSITION_MAX } from "../terms/postings.ts";
import { TopSlots } from "./best_slots.ts";
import type { Kernel } from "./kernel.ts";
import { REACH } from "./slots.ts";
import { type People, type ScoredTerm, shareOf, type Sums } from "./sums.ts";

/** At most this many turns of a session become candidates only because a date names the session. */
const TEMPORAL_TURNS_MAX = 60;
/** One more than the greatest position, so that keys sort turns by session, then by position. */
const POSITIONS = POSITION_MAX + 1;
/** Added to keys of documents without a session: they follow turns that have the same score. */
const AFTER_PLACES = 2 ** 32 * POSITIONS;

/** The sessions that a date names, each with the number of its first turns that are laid out. */
export function temporalTurns(input: PostingsInput): Map<number, number> {
  const out = new Map<number, number>();
  for (const [group, turns] of input.temporalGroups ?? []) out.set(group, Math.min(turns, TEMPORAL_TURNS_MAX));
  return out;
}

/** The slots with the best quick score, best first. Ties go to the earlier session, turn or document. */
export function pickSlots(kernel: Kernel, sums: Sums, input: PostingsInput): Uint32Array {
  const limit = input.limit ?? CANDIDATES;
  const heap = new TopSlots(limit);
  const perProximity = 1 / Math.max(1e-9, sums.proximityMax), perBm25 = 0.25 / Math.max(1e-9, sums.bm25Max);
  const { layout, proximity, bm25 } = kernel;
  let least = heap.least;
  for (let g = 0; g < layout.groups; g++) {
    const factor = sums.factor[g], temporal = sums.temporal[g] !== 0;
    const base = 0.5 * sums.session[g] / Math.max(1e-9, sums.sessionMax) + (temporal ? 0.6 : 0);
    // Floating-point rounding is monotonic, so no turn of the session scores above this bound.
    if (factor * (sums.nearMax[g] * perProximity + base + sums.ownMax[g] * perBm25) < least) continue;
    const placeKey = layout.groupId[g] * POSITIONS + layout.groupFirst[g] - layout.groupBase[g];
    for (let s = layout.groupBase[g], end = layout.groupEnd[g]; s < end; s++) {
      const near = proximity[s];
      if (near === 0 && !temporal) continue;
      const score = factor * (near * perProximity + base + bm25[s] * perBm25);
      if (score < least) continue;
      heap.offer(s, score, placeKey + s);
      least = heap.least;
    }
  }
  for (let s = layout.docBase, end = layout.slots; s < end; s++) {
    const near = proximity[s] * perProximity;
    if (near <= 0) continue;
    const score = 1.5 * near + bm25[s] * perBm25;
    if (score < least) continue;
    heap.offer(s, score, AFTER_PLACES + layout.slotDoc[s]);
    least = heap.least;
  }
  return heap.sorted();
}

/** What is copied or computed for the candidates, besides the kernel. */
interface Query extends FeatureInputs {
  scored: readonly ScoredTerm[];
  unknown: string[];
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
  }
  return out;
}

/** What the features are computed from, besides the kernel. */
interface FeatureInputs {
  plan: QueryPlan;
  people: People;
  sums: Sums;
}

function weigh(idf: Float64Array, bits: number): number {
  let sum = 0;
  for (let t = 0; t < idf.length; t++) if (bits & 1 << t) sum += idf[t];
  return sum;
}

function per(value: number, of: number): number {
  return of > 0 ? value / of : 0;
}

/**
 * Fills in the features of a turn.
 * @param near bits of the terms that the turn and those within three of it hold
 */
function fillTurn(
  kernel: Kernel,
  query: FeatureInputs,
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
  fillShared(kernel, query, s, rows, at);
}

/** Fills in the features of a document without a session: it is read as a session of one turn. */
function fillDocument(kernel: Kernel, query: FeatureInputs, s: number, rows: Float32Array, at: number): void {
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
  fillShared(kernel, query, s, rows, at);
}

/** Fills in the features that are computed alike for turns and documents. */
function fillShared(kernel: Kernel, query: FeatureInputs, s: number, rows: Float32Array, at: number): void {
  const { sums, plan } = query;
  rows[at + COLUMN.proximityToBest] = per(kernel.proximity[s], sums.proximityMax);
  rows[at + COLUMN.proximityToQuery] = per(kernel.proximity[s], sums.localQueryWeight);
  rows[at + COLUMN.termsInTurn] = per(weigh(sums.idf, kernel.matched[s]), sums.queryWeight);
  rows[at + COLUMN.proximityToBestSquared] = rows[at + COLUMN.proximityToBest] ** 2;
  rows[at + COLUMN.termsInTurnSquared] = rows[at + COLUMN.termsInTurn] ** 2;
  rows[at + COLUMN.bm25] = per(kernel.bm25[s], sums.bm25Max);
  rows[at + COLUMN.personInText] = kernel.layout.nameMatched[s] !== 0 ? 1 : 0;
  rows[at + COLUMN.allPeoplePresent] = query.people.persons.length > 1 && rows[at + COLUMN.peoplePresent] === 1 ? 1 : 0;
  if (plan.cues.list) {
    rows[at + COLUMN.listSessionBm25] = rows[at + COLUMN.sessionBm25];
    rows[at + COLUMN.listProximityToQuery] = rows[at + COLUMN.proximityToQuery];
    rows[at + COLUMN.listTermsInTurn] = rows[at + COLUMN.termsInTurn];
  }
}
