/** The text features of a candidate: those that need no stored data. Turns and documents get them in different ways. */

import { COLUMN } from "./features.ts";
import type { Kernel } from "./kernel.ts";
import type { QueryPlan } from "./query.ts";
import { type People, shareOf, type Sums } from "./sums.ts";

/** What the features are computed from, besides the kernel. */
export interface FeatureInputs {
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
export function fillTurn(
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
export function fillDocument(kernel: Kernel, query: FeatureInputs, s: number, rows: Float32Array, at: number): void {
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
  rows[at + COLUMN.smoothBm25] = per(kernel.smoothAt(s), sums.smoothMax);
  rows[at + COLUMN.personInText] = kernel.layout.nameMatched[s] !== 0 ? 1 : 0;
  rows[at + COLUMN.allPeoplePresent] = query.people.persons.length > 1 && rows[at + COLUMN.peoplePresent] === 1 ? 1 : 0;
  if (plan.cues.list) {
    rows[at + COLUMN.listSessionBm25] = rows[at + COLUMN.sessionBm25];
    rows[at + COLUMN.listProximityToQuery] = rows[at + COLUMN.proximityToQuery];
    rows[at + COLUMN.listTermsInTurn] = rows[at + COLUMN.termsInTurn];
  }
}
