/** The candidates of a query: chooses their slots, and copies them out of the kernel's scratch. */

import { FEATURE_COUNT } from "./features.ts";
import type { Kernel } from "./kernel.ts";
import { POSITION_MAX } from "./postings.ts";
import { REACH } from "./slot_layout.ts";
import type { ScoredTerm, Sums } from "./sums.ts";
import { type FeatureInputs, fillDocument, fillTurn } from "./text_features.ts";
import { TopSlots } from "./top_slots.ts";
import { CANDIDATES, type PostingsInput, type Prescored, type QueryWeights } from "./types.ts";

/** At most so many turns of a session become candidates only because a date names the session. */
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
