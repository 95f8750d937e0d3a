/**
 * The ranking engine of recall: pure and synchronous, without I/O. The database-backed recall and the hot tier feed the same
 * functions; only where the postings and the stored data come from differs.
 *
 * Writing a document (turn, fact, …), once, in the write's transaction:
 *   1. `analyseText(text, sessionTerms?)` → `terms`, `tfs`, `length`, `bits`. `sessionTerms` is a Set that lives as long
 *      as the session's batch is written (terms of its earlier turns; a single turn may start with an empty one).
 *   2. a turn's bits: `withPrevious(bits, { bits, sameSpeaker } of the turn before)`. Store `bits` (fits `integer`),
 *      speaker and time.
 *   3. one posting per term: `encodePostings([{ doc, group, position, tf, length }])`. Units without a session have group 0.
 *   4. a speaker's first turn in a session: one posting per `participantTerms(name)` (its term and tf; position 0, length 0).
 *   5. corpus size of the kind: docs + 1, tokens + length, and groups + 1 with a session's first turn.
 *   6. vocabulary: the terms that do not start with `PSEUDO_PREFIX`.
 *   A session that goes on after a long pause is better indexed as a new group: see `opensNewGroup`.
 *
 * Answering a query:
 *   1. `plan = planQuery(query, { referenceMs })`; read the postings of `plan.keys` (round trip 1, with the corpus sizes
 *      and, where `plan.windows` is not empty, the sessions whose time lies in a window, with their number of turns).
 *   2. optional: `unknownTerms(plan, lists)`; read the vocabulary with the same first letter,
 *      `nearTerms(term, slice)`, read their postings, and pass both as `substitutes` and `lists`.
 *   3. `candidates = prescore(plan, input)`: about 200 places, best first. Read their stored data (round trip 2): by
 *      number in `docs`, or where that is 0 by (`groups`, `positions`). What a filter refuses or does not exist is `undefined`.
 *   4. `ranked = rank(candidates, stored)`; `relevance = estimateRelevance(candidates, ranked)`;
 *      `cutResults(candidates, ranked, relevance, limit)` gives the places in `ranked` to return;
 *      `evidenceConfidence(candidates, ranked, relevance)`; `explainScore(candidates, row)`.
 *
 * A very frequent term may be capped: give the entries that were read and the true `df`; or leave its entries empty.
 */

export {
  type DateWindow,
  type DocumentTimes,
  hasStrongTime,
  isOfWindow,
  matchWindows,
  parseDates,
  type QueryDates,
} from "./dates.ts";
export { STEM_PREFIX } from "./foreign_terms.ts";
export {
  COLUMN,
  countTokens,
  FEATURE_COUNT,
  FEATURE_NAMES,
  type FeatureName,
  FEATURES,
  TEXT_FEATURE_COUNT,
} from "./features.ts";
export { codeOf, comparedFor, HeldVectors, roundedCosine } from "./held_vectors.ts";
export { doubled } from "./document_columns.ts";
export { type IndexDocument, MemoryIndex } from "./memory_index.ts";
export { findMatchedWords } from "./matched_words.ts";
export { readMeaning, SAME_SCALE, type Scale } from "./meaning.ts";
export { type NameForm, nameForms, type NameSlice, QueryNames } from "./named.ts";
export { NEAR_TERMS_MAX, nearTerms, unknownTerms, unreadSubstitutes } from "./near_terms.ts";
export {
  decodePostings,
  encodeEntries,
  encodePostings,
  ENTRY_BYTES,
  ENTRY_WORDS,
  packOccurrence,
  POSITION_MAX,
  type Posting,
  postingAt,
} from "./postings.ts";
export { prescore } from "./prescore.ts";
export { type PlanOptions, planQuery, type QueryPlan, seemsEnglish } from "./query.ts";
export { asksOnlyOf, asksOnlyOfTime, type QueryCues } from "./query_cues.ts";
export { type Expansion, type QueryTerm } from "./query_terms.ts";
export {
  completeFeatures,
  explainScore,
  type ModelName,
  modelNameOf,
  rank,
  type Ranked,
  toVector,
  WEIGHT_VECTORS,
  WEIGHTS,
  type Weights,
} from "./ranker.ts";
export { EVIDENCE_INPUT_NAMES, readEvidence } from "./evidence.ts";
export {
  type Cut,
  cutResults,
  estimateRelevance,
  evidenceConfidence,
  type KindModel,
  type Logistic,
  RELEVANCE,
  type RelevanceModel,
} from "./relevance.ts";
export { readInputs, RELEVANCE_INPUT_COUNT, RELEVANCE_INPUT_NAMES } from "./relevance_inputs.ts";
export {
  addAliases,
  type AnalysedText,
  analyseText,
  DOC_FLAG,
  type DocBits,
  isNamed,
  opensNewGroup,
  PARTICIPANT_PREFIX,
  PARTICIPANT_TF,
  participantTerms,
  PSEUDO_PREFIX,
  withPrevious,
  wordAndStemTerms,
  wordTerms,
} from "./text.ts";
export {
  CANDIDATES,
  type CorpusSize,
  type Meaning,
  type MeaningSource,
  type NamedPerson,
  type NearText,
  type PostingsInput,
  type PostingsList,
  type Prescored,
  type QueryWeights,
  type StoredData,
} from "./types.ts";
export { Vocabulary } from "./vocabulary.ts";
