/**
 * From scores to relevance: the probability that a result is relevant, the confidence that anything answers the query, and
 * where to cut the list.
 *
 * Scores say only which of two results is better. The estimates are logistic models over absolute signals
 * (`RELEVANCE_INPUTS`, `EVIDENCE_INPUTS`), one for turns of sessions and one for documents without a session.
 * `scripts/train/ranker.ts` fits them on labelled data, with questions that have no answer there as counter-examples.
 */
import stored from "../weights.json" with { type: "json" };
import type { Prescored } from "./candidates.ts";
import { EVIDENCE_INPUT_NAMES, type EvidenceInput, readEvidence } from "./evidence.ts";
import { type ModelName, modelNameOf, type ModelOf, type Ranked } from "./ranker.ts";
import { readInputs, RELEVANCE_INPUT_COUNT, RELEVANCE_INPUT_NAMES, type RelevanceInput } from "./relevance_inputs.ts";

/** A logistic model; an input without a weight does not count. */
export interface Logistic<Input extends string> {
  readonly bias: number;
  readonly weights: Readonly<Partial<Record<Input, number>>>;
}

/** Thresholds that decide which results of one kind are returned. */
export interface Cut {
  /** If even the best result is less probable than this, none of its kind is returned. */
  readonly least: number;
  /**
   * A result below an even chance is kept if it has at least this share of the probability of the best
   * result of both kinds.
   */
  readonly knee: number;
  /** If any result is returned, this many are kept however far they are behind the best one. */
  readonly spared: number;
}

/** The model and the cut for one kind of results: turns, or documents without a session. */
export interface KindModel {
  readonly relevance: Logistic<RelevanceInput>;
  readonly confidence: {
    /** Whether the results hold the matter that the query asks about. */
    readonly matter: Logistic<EvidenceInput>;
    /** Whether they speak of the person whom the query names. */
    readonly person?: Logistic<EvidenceInput>;
  };
  readonly cut: Cut;
}

export interface RelevanceModel {
  /** Turns of sessions. */
  readonly turn: KindModel;
  /** Documents without a session. */
  readonly document: KindModel;
}

/** The shipped models. */
export const RELEVANCE: Readonly<Record<ModelName, RelevanceModel>> = {
  words: stored.words.relevance,
  table: stored.table.relevance,
  encoder: stored.encoder.relevance,
};

const vectors = new WeakMap<object, Float64Array>();

/**
 * A model's weights in the order of its inputs. All callers must pass the same inputs for a model.
 */
function vectorOf<Input extends string>(model: Logistic<Input>, names: readonly Input[]): Float64Array {
  const known = vectors.get(model);
  if (known !== undefined) return known;
  const made = Float64Array.from(names, (name) => model.weights[name] ?? 0);
  vectors.set(model, made);
  return made;
}

/** The log-odds that a logistic model gives for a row of inputs. */
function sumUp(bias: number, weights: Float64Array, inputs: Float64Array, at: number): number {
  let z = bias;
  for (let i = 0; i < weights.length; i++) z += weights[i] * inputs[at + i];
  return z;
}

function logistic(z: number): number {
  return 1 / (1 + Math.exp(-z));
}

/**
 * What is added to the log-odds of documents where a question in another language than English is answered by its words
 * alone: the model is fitted to English, in which what frames a question is known. `scripts/train/languages.ts` fits it.
 */
const OTHER_LANGUAGE = 1;

/** The probability (0 to 1) that each ranked result is relevant, in their order. */
export function estimateRelevance(
  candidates: Prescored,
  ranked: readonly Pick<Ranked, "row" | "score">[],
  model: RelevanceModel = RELEVANCE[modelNameOf(candidates)],
): Float64Array {
  const inputs = readInputs(candidates, ranked);
  const turn = vectorOf(model.turn.relevance, RELEVANCE_INPUT_NAMES);
  const document = vectorOf(model.document.relevance, RELEVANCE_INPUT_NAMES);
  const isUnread = modelNameOf(candidates) === "words" && !candidates.plan.isEnglish;
  const bias = model.document.relevance.bias + (isUnread ? OTHER_LANGUAGE : 0);
  const out = new Float64Array(ranked.length);
  for (let i = 0; i < out.length; i++) {
    const at = i * RELEVANCE_INPUT_COUNT;
    out[i] = logistic(
      candidates.groups[ranked[i].row] === 0
        ? sumUp(bias, document, inputs, at)
        : sumUp(model.turn.relevance.bias, turn, inputs, at),
    );
  }
  return out;
}

function judgeEvidence(model: Logistic<EvidenceInput>, evidence: Float64Array): number {
  return logistic(sumUp(model.bias, vectorOf(model, EVIDENCE_INPUT_NAMES), evidence, 0));
}

/**
 * How likely it is that the results answer the query (0 to 1), judged by those of the kind of the first one, turns or
 * documents; 0 for no results. `relevance` runs parallel to `ranked`; `weights` are the ranker's, by default the shipped
 * ones.
 */
export function evidenceConfidence(
  candidates: Prescored,
  ranked: readonly Pick<Ranked, "row">[],
  relevance: ArrayLike<number>,
  model: RelevanceModel = RELEVANCE[modelNameOf(candidates)],
  weights?: Float64Array,
): number {
  const kindOf = ({ row }: Pick<Ranked, "row">) => candidates.groups[row] === 0 ? "document" : "turn";
  const places = ranked.flatMap((one, i) => kindOf(one) === kindOf(ranked[0]) ? [i] : []);
  const evidence = readEvidence(candidates, places.map((i) => ranked[i]), places.map((i) => relevance[i]), weights);
  if (evidence === undefined) return 0;
  const { matter, person } = model[kindOf(ranked[0])].confidence;
  const named = evidence[EVIDENCE_INPUT_NAMES.indexOf("personNamed")] > 0;
  const chance = judgeEvidence(matter, evidence) *
    (named && person !== undefined ? judgeEvidence(person, evidence) : 1);
  return Math.round(chance * 1000) / 1000;
}

/**
 * The places in `ranked` of the results to return, best first, at most `limit`. It returns results
 * that are likelier relevant than not, those near the best one, and the first few turns of
 * sessions, with the documents above these; but none of a kind whose best one is unlikely. With
 * `minScore` it returns those of at least that probability instead.
 */
export function cutResults(
  candidates: Pick<Prescored, "groups"> & ModelOf,
  ranked: readonly Pick<Ranked, "row">[],
  relevance: ArrayLike<number>,
  limit: number,
  { minScore, model = RELEVANCE[modelNameOf(candidates)] }: { minScore?: number; model?: RelevanceModel } = {},
): number[] {
  const kindOf = (i: number) => candidates.groups[ranked[i].row] === 0 ? "document" : "turn";
  let best = 0;
  const likely = { turn: 0, document: 0 };
  for (let i = 0; i < ranked.length; i++) {
    best = Math.max(best, relevance[i]);
    likely[kindOf(i)] = Math.max(likely[kindOf(i)], relevance[i]);
  }
  const seen = { turn: 0, document: 0 };
  const kept = ranked.map((_, i) => {
    if (minScore !== undefined) return relevance[i] >= minScore;
    const kind = kindOf(i), { least, knee, spared } = model[kind].cut;
    const place = seen[kind]++;
    return likely[kind] >= least && (relevance[i] >= 0.5 || relevance[i] >= knee * best || place < spared);
  });
  // The order compares both kinds: a document that it puts above a turn is shown if that turn is.
  const lastTurn = kept.findLastIndex((keep, i) => keep && kindOf(i) === "turn");
  return [...kept.keys()].filter((i) => kept[i] || minScore === undefined && i < lastTurn && kindOf(i) === "document")
    .slice(0, limit);
}
