/**
 * From scores to relevance: a logistic estimate of how likely a result answers the query, the confidence that anything does,
 * and where to cut the list.
 *
 * Scores say only which of two results is better. The estimate rests on absolute signs: how much of the query stands in
 * and around the result, and how far it stands out from the rest. It is fitted by `scripts/train_ranker.ts`, with questions
 * that have no answer in the data as the counter-examples.
 */

import { F, FEATURE_COUNT } from "./features.ts";
import type { Ranked } from "./ranker.ts";
import type { Prescored } from "./types.ts";
import stored from "./weights.json" with { type: "json" };

/** Inputs of the estimate, in the order of `RelevanceModel.weights`. */
export const RELEVANCE_INPUTS = ["score", "share", "pkxZ", "own", "wcov3", "sesscov"] as const;

/** The logistic model and the cut that goes with it. */
export interface RelevanceModel {
  readonly bias: number;
  readonly weights: readonly number[];
  /** Results below this probability are never returned. */
  readonly floor: number;
  /** Results below this part of the best result's probability are cut. */
  readonly knee: number;
}

/** The shipped model. */
export const RELEVANCE: RelevanceModel = stored.relevance;

/** Values of `RELEVANCE_INPUTS` for each ranked result. `share` is the result's part of the sum of e^score. */
export function relevanceInputs(candidates: Prescored, ranked: readonly Ranked[]): Float64Array[] {
  if (ranked.length === 0) return [];
  const top = ranked[0].score;
  let sum = 0;
  for (const r of ranked) sum += Math.exp(r.score - top);
  return ranked.map((r) => {
    const at = r.row * FEATURE_COUNT, f = candidates.features;
    return Float64Array.of(
      r.score,
      Math.exp(r.score - top) / sum,
      f[at + F.pkxZ],
      f[at + F.own],
      f[at + F.wcov3],
      f[at + F.sesscov],
    );
  });
}

/** The probability (0 to 1) that each ranked result is relevant, in their order. */
export function estimateRelevance(
  candidates: Prescored,
  ranked: readonly Ranked[],
  model: RelevanceModel = RELEVANCE,
): Float64Array {
  return Float64Array.from(relevanceInputs(candidates, ranked), (x) => {
    let z = model.bias;
    for (let i = 0; i < x.length; i++) z += model.weights[i] * x[i];
    return 1 / (1 + Math.exp(-z));
  });
}

/**
 * How likely it is that anything among the results answers the query (0 to 1): one minus the probability that all of the
 * best five are beside the point. 0 for no results.
 */
export function evidenceConfidence(relevance: ArrayLike<number>): number {
  let none = 1;
  for (let i = 0; i < Math.min(5, relevance.length); i++) none *= 1 - relevance[i];
  return Math.round((1 - none) * 1000) / 1000;
}

/** How many of the ranked results to return: those before the knee of the curve, at most `limit`. */
export function cutResults(relevance: ArrayLike<number>, limit: number, model: RelevanceModel = RELEVANCE): number {
  let best = 0;
  for (let i = 0; i < relevance.length; i++) best = Math.max(best, relevance[i]);
  const least = Math.max(model.floor, model.knee * best);
  let keep = 0;
  for (let i = 0; i < Math.min(limit, relevance.length); i++) if (relevance[i] >= least) keep = i + 1;
  return keep;
}
