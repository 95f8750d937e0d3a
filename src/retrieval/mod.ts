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

export { EVIDENCE_INPUT_NAMES, readEvidence } from "./ranking/evidence.ts";
export { doubled } from "./index/columns.ts";
export { type IndexDocument, MemoryIndex } from "./index/memory_index.ts";
export { codeOf, comparedFor, HeldVectors, roundedCosine } from "./index/vectors.ts";
export { asksOnlyOf, asksOnlyOfTime, type QueryCues } from "./query/cues.ts";
export { type NameForm, nameForms, type NameSlice, QueryNames } from "./query/names.ts";
export {
  type PlanOptions,
  planQuery,
  type QueryPlan,
  seemsEnglish,
  unknownTerms,
  unreadSubstitutes,
} from "./query/plan.ts";
export { findMatchedWords, type QueryTerm } from "./query/terms.ts";
export {
  CANDIDATES,
  type CorpusSize,
  type DocumentTimes,
  type Meaning,
  type MeaningSource,
  type NamedPerson,
  type NearText,
  type PostingsInput,
  type Prescored,
  type QueryWeights,
  type StoredData,
} from "./ranking/candidates.ts";
export {
  COLUMN,
  countTokens,
  FEATURE_COUNT,
  FEATURE_NAMES,
  type FeatureName,
  FEATURES,
  TEXT_FEATURE_COUNT,
} from "./ranking/features.ts";
export {
  completeFeatures,
  explainScore,
  isOfWindow,
  matchWindows,
  type ModelName,
  modelNameOf,
  rank,
  type Ranked,
  readMeaning,
  SAME_SCALE,
  type Scale,
  toVector,
  WEIGHT_VECTORS,
  WEIGHTS,
  type Weights,
} from "./ranking/ranker.ts";
export {
  type Cut,
  cutResults,
  estimateRelevance,
  evidenceConfidence,
  type KindModel,
  type Logistic,
  RELEVANCE,
  type RelevanceModel,
} from "./ranking/relevance.ts";
export { readInputs, RELEVANCE_INPUT_COUNT, RELEVANCE_INPUT_NAMES } from "./ranking/relevance_inputs.ts";
export { namePeople, prescore } from "./scoring/prescore.ts";
export { NEAR_TERMS_MAX, nearTerms, Vocabulary } from "./terms/near.ts";
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
  type PostingsList,
} from "./terms/postings.ts";
export { toFirstPerson } from "./query/first_person.ts";
export { type Expansion, STEM_PREFIX } from "./terms/stems.ts";
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
} from "./terms/text.ts";
