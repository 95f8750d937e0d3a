/**
 * From scores to relevance: a logistic estimate of how likely a result answers the query, the confidence that anything does,
 * and where to cut the list.
 *
 * Scores say only which of two results is better. The estimate rests on absolute signs: how much of the query stands in
 * and around the result, and how far it stands out from the rest. It is fitted by `scripts/train/ranker.ts`, with questions
 * that have no answer in the data as the counter-examples.
 */

import { COLUMN, FEATURE_COUNT } from "./features.ts";
import type { LexiconName } from "./lexicon.ts";
import type { Ranked } from "./ranker.ts";
import type { QueryPlan } from "./query.ts";
import type { Prescored } from "./types.ts";
import stored from "./weights.json" with { type: "json" };

/**
 * Inputs of the estimate, in the order of `RelevanceModel.weights`:
 * `closenessToBest` is e^((score - best score) / 2); `peopleAbsent` is 1 where people are named and not all take part; the
 * others are features.
 */
export const RELEVANCE_INPUTS = [
  "closenessToBest",
  "proximityToQuery",
  "termsInTurn",
  "termsNearby",
  "termsInSession",
  "peopleAbsent",
] as const;

/** Results that are examined for any evidence of the query. */
const SUPPORT_DEPTH = 20;

/** The logistic model and the cut that goes with it. */
export interface RelevanceModel {
  readonly bias: number;
  readonly weights: readonly number[];
  /** When no result has this share of the query's weight in it or around it (`termsNearby`), nothing is returned. */
  readonly silence: number;
  /**
   * Turns below this part of the best result's probability are cut. Loose: a list's last items look weak beside its first.
   */
  readonly turnKnee: number;
  /** The same for documents without a session, which have no context that could speak for them. */
  readonly documentKnee: number;
}

/** The shipped models, by the lexicon that the query was planned with. */
export const RELEVANCE: Readonly<Record<LexiconName, RelevanceModel>> = {
  none: stored.none.relevance,
  vectors: stored.vectors.relevance,
};

/** Reads the values of `RELEVANCE_INPUTS` of one ranked result; `top`: the best result's score. */
function readInputs(
  into: number[],
  features: Float32Array,
  { row, score }: Pick<Ranked, "row" | "score">,
  top: number,
  named: boolean,
): number[] {
  const at = row * FEATURE_COUNT;
  into[0] = Math.exp((score - top) / 2);
  into[1] = features[at + COLUMN.proximityToQuery];
  into[2] = features[at + COLUMN.termsInTurn];
  into[3] = features[at + COLUMN.termsNearby];
  into[4] = features[at + COLUMN.termsInSession];
  into[5] = named && features[at + COLUMN.peoplePresent] < 1 ? 1 : 0;
  return into;
}

/** Values of `RELEVANCE_INPUTS` for each ranked result; `named`: whether the query names people. */
export function relevanceInputs(
  features: Float32Array,
  ranked: readonly Pick<Ranked, "row" | "score">[],
  named: boolean,
): number[][] {
  const top = ranked[0]?.score ?? 0;
  return ranked.map((result) => readInputs([], features, result, top, named));
}

/** The logistic estimate for one result's inputs. */
export function applyModel(model: Pick<RelevanceModel, "bias" | "weights">, inputs: ArrayLike<number>): number {
  let z = model.bias;
  for (let i = 0; i < inputs.length; i++) z += model.weights[i] * inputs[i];
  return 1 / (1 + Math.exp(-z));
}

/** The probability (0 to 1) that each ranked result is relevant, in their order. */
export function estimateRelevance(
  candidates: Prescored,
  ranked: readonly Ranked[],
  model: RelevanceModel = RELEVANCE[candidates.plan.lexicon],
): Float64Array {
  const { features, people } = candidates;
  const top = ranked[0]?.score ?? 0, inputs: number[] = [];
  const out = new Float64Array(ranked.length);
  for (let i = 0; i < out.length; i++) {
    out[i] = applyModel(model, readInputs(inputs, features, ranked[i], top, people.length > 0));
  }
  return out;
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

/**
 * Which of the ranked results to return, best first: those before the knee of the curve, at most `limit`; none, when even the
 * best has nothing to do with the query. Gives the places in `ranked`.
 */
export function cutResults(
  candidates: Pick<Prescored, "groups" | "features"> & { readonly plan: Pick<QueryPlan, "lexicon"> },
  ranked: readonly Pick<Ranked, "row">[],
  relevance: ArrayLike<number>,
  limit: number,
  model: RelevanceModel = RELEVANCE[candidates.plan.lexicon],
): number[] {
  let best = 0, support = 0;
  for (let i = 0; i < ranked.length; i++) {
    best = Math.max(best, relevance[i]);
    if (i < SUPPORT_DEPTH) {
      support = Math.max(support, candidates.features[ranked[i].row * FEATURE_COUNT + COLUMN.termsNearby]);
    }
  }
  const out: number[] = [];
  if (support < model.silence) return out;
  for (let i = 0; i < ranked.length && out.length < limit; i++) {
    const knee = candidates.groups[ranked[i].row] === 0 ? model.documentKnee : model.turnKnee;
    if (relevance[i] >= knee * best) out.push(i);
  }
  return out;
}
