/**
 * What the estimate of relevance looks at: numbers about one ranked result that mean the same for a short question and a
 * long message, for a store of ten facts and one of ten thousand turns.
 *
 * A long message names much that the wanted text does not hold, so a share of the whole query says little about it. What
 * counts is how much of the message's best fitting sentence the result holds, how rare the shared words are, and how much
 * of the result itself they are.
 */

import { COLUMN, FEATURE_COUNT, type FeatureName } from "./features.ts";
import type { Ranked } from "./ranker.ts";
import type { Prescored, QueryWeights } from "./types.ts";

/** Inputs of the estimate, in the order of the columns of `readInputs`. */
export const RELEVANCE_INPUTS = {
  closenessToBest: "e^((score - best score) / 2).",
  closenessToBestSquared: "closenessToBest squared.",
  leadOverNext: "How far the score is above the next result's, at most 4, as a part of 4.",
  termsInTurn: "Weight of the query's terms in the result, as a share of the query's.",
  sentenceInTurn:
    "The same for the sentence of the query that the result holds most of; a sentence counts as weighing at least as two of the rarest terms, or as the query where that weighs less.",
  sentenceNearby: "The same within three turns.",
  termsNearby: "Weight of the query's terms within three turns, as a share of the query's.",
  rarityInTurn: "ln(1 + weight of the query's terms in the result, in terms that a single document holds).",
  rarityToBest: "That weight as a share of the greatest among the ranked results.",
  rarestInTurn: "The rarest of the query's terms in the result, as a share of a term that a single document holds.",
  shareOfText: "Distinct terms of the query in the result, as a share of its content tokens (at least 3).",
  namesMissing:
    "Weight of the capitalised or quoted terms that the result lacks, as a share of the weight of the query's best fitting sentence.",
  queryKnown: "Weight of the query's terms that some document holds, as a share of the query's.",
  logTerms: "ln(1 + terms of the query) / 4.",
  longTermsInTurn: "termsInTurn · logTerms.",
  longSentence: "sentenceInTurn · logTerms.",
  longRarity: "rarityInTurn · logTerms.",
  longCloseness: "closenessToBest · logTerms.",
  proximityToQuery: "The feature.",
  proximityWithRelated: "The feature.",
  relatedToQuery: "The feature.",
  termsInSession: "The feature.",
  answerKind:
    "The query asks when, where, for a title or for a number: 1 where the text holds such a thing, -1 where not.",
  saidByPerson: "The feature.",
  peopleAbsent: "People who take part in sessions are named, and not all of them take part or are named in the text.",
  dated: "The text is of the day or the period that the query names.",
} as const;

export type RelevanceInput = keyof typeof RELEVANCE_INPUTS;
export const RELEVANCE_INPUT_NAMES = Object.keys(RELEVANCE_INPUTS) as RelevanceInput[];
export const RELEVANCE_INPUT_COUNT = RELEVANCE_INPUT_NAMES.length;
const AT = Object.fromEntries(RELEVANCE_INPUT_NAMES.map((name, i) => [name, i])) as Record<RelevanceInput, number>;

/** A lead of this size over the next result is the greatest that counts. */
const LEAD_MAX = 4;
/** Fewer content tokens count as so many: one shared word of a text of one does not make it an answer. */
const TEXT_TOKENS_MIN = 3;

/** The weight of the scored terms whose bits are set. */
export function weighTerms(weights: Float64Array, bits: number): number {
  let sum = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) sum += weights[31 - Math.clz32(rest & -rest)];
  return sum;
}

function countBits(bits: number): number {
  let n = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) n++;
  return n;
}

function rarestOf(weights: Float64Array, bits: number): number {
  let rarest = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) {
    rarest = Math.max(rarest, weights[31 - Math.clz32(rest & -rest)]);
  }
  return rarest;
}

/** The share of the sentence that the bits hold most of, and what that sentence names and the bits lack. */
export function fitSentence(query: QueryWeights, bits: number): { share: number; missing: number } {
  const least = Math.min(query.total, 2 * query.rarest) || 1;
  let share = 0, missing = 0;
  for (const sentence of query.sentences) {
    const fits = weighTerms(query.terms, bits & sentence.bits) / Math.max(least, sentence.weight);
    if (fits <= share) continue;
    share = fits;
    missing = weighTerms(query.terms, sentence.bits & query.entities & ~bits) / Math.max(least, sentence.weight);
  }
  return { share, missing };
}

/** Which of two opposites holds of the kind of thing that the query asks for; 0 where it asks for none in particular. */
function answerKind(candidates: Prescored, feature: (name: FeatureName) => number): number {
  const { cues } = candidates.plan;
  if (cues.when) return feature("whenWithTime") > 0 ? 1 : -1;
  if (cues.where) return feature("placeLike") > 0 ? 1 : -1;
  if (cues.title) return feature("titleLike") > 0 ? 1 : -1;
  if (cues.count) return feature("countWithNumber") > 0 ? 1 : -1;
  return 0;
}

/**
 * The inputs of each ranked result, in their order, as rows of `RELEVANCE_INPUT_COUNT` columns. The features have to be
 * complete (`rank`).
 */
export function readInputs(candidates: Prescored, ranked: readonly Pick<Ranked, "row" | "score">[]): Float64Array {
  const { features, matched, nearby, people, query } = candidates;
  const out = new Float64Array(ranked.length * RELEVANCE_INPUT_COUNT);
  const rarest = query.rarest || 1, total = query.total || 1;
  const top = ranked[0]?.score ?? 0;
  const known = weighTerms(query.terms, knownBits(candidates)) / total;
  const logTerms = Math.log(1 + query.count) / 4;
  let heaviest = 0;
  for (const { row } of ranked) heaviest = Math.max(heaviest, weighTerms(query.terms, matched[row]));
  for (let i = 0; i < ranked.length; i++) {
    const { row, score } = ranked[i];
    const at = i * RELEVANCE_INPUT_COUNT, base = row * FEATURE_COUNT;
    const feature = (name: FeatureName) => features[base + COLUMN[name]];
    const put = (name: RelevanceInput, value: number) => out[at + AT[name]] = value;
    const own = weighTerms(query.terms, matched[row]);
    const sentence = fitSentence(query, matched[row]);
    const closeness = Math.exp((score - top) / 2);
    const next = i + 1 < ranked.length ? ranked[i + 1].score : score - LEAD_MAX;
    const rarity = Math.log(1 + own / rarest);
    const tokens = Math.max(TEXT_TOKENS_MIN, Math.exp(feature("logLength")) - 1);
    put("closenessToBest", closeness);
    put("closenessToBestSquared", closeness ** 2);
    put("leadOverNext", Math.min(1, Math.max(0, score - next) / LEAD_MAX));
    put("termsInTurn", own / total);
    put("sentenceInTurn", sentence.share);
    put("sentenceNearby", fitSentence(query, nearby[row]).share);
    put("termsNearby", weighTerms(query.terms, nearby[row]) / total);
    put("rarityInTurn", rarity);
    put("rarityToBest", heaviest > 0 ? own / heaviest : 0);
    put("rarestInTurn", rarestOf(query.terms, matched[row]) / rarest);
    put("shareOfText", Math.min(1, countBits(matched[row]) / tokens));
    put("namesMissing", sentence.missing);
    put("queryKnown", known);
    put("logTerms", logTerms);
    put("longTermsInTurn", own / total * logTerms);
    put("longSentence", sentence.share * logTerms);
    put("longRarity", rarity * logTerms);
    put("longCloseness", closeness * logTerms);
    put("proximityToQuery", feature("proximityToQuery"));
    put("proximityWithRelated", feature("proximityWithRelated"));
    put("relatedToQuery", feature("relatedToQuery"));
    put("termsInSession", feature("termsInSession"));
    put("answerKind", answerKind(candidates, feature));
    put("saidByPerson", feature("saidByPerson"));
    put("peopleAbsent", people.length > 0 && feature("peoplePresent") < 1 ? 1 : 0);
    put("dated", Math.max(feature("onNamedDay"), feature("inNamedPeriod")));
  }
  return out;
}

/** Bits of the scored terms that some document holds, or a substitute of. */
export function knownBits({ scored, unknown }: Prescored): number {
  const missing = new Set(unknown);
  return scored.reduce((bits, term, t) => missing.has(term) ? bits : bits | 1 << t, 0);
}
