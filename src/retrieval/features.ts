/**
 * The features of the linear ranker: names, order and meaning in one place. `weights.json` holds a weight for each name.
 *
 * Terms used below: w is a query term's weight (1, or less for a scaffold word), idf its inverse document frequency over the
 * corpora, il = w · min(7, idf inside the allowed sessions). Z and Zl are the sums of w · idf and of il over the query's terms.
 * Allowed sessions are those where all named people take part (any of them, where more than two are named; all sessions,
 * where nobody is). S is BM25 (k1 0.9, b 0.4), sm is S with what the two turns before and after add. A document without a
 * session is read as a session of one turn, so that its features have the same scale.
 */

/** Features known before the candidates' stored data are read. */
const TEXT_FEATURES = {
  pkx:
    "Proximity kernel: per query term the best match within three turns, times il, summed; as a share of the best candidate's (at least 0.1 Zl).",
  pkxZ: "The proximity kernel as a share of Zl: how much of the query stands in or around the turn.",
  own: "sum of w · idf of the terms that stand in the turn itself, as a share of Z.",
  pkx2: "pkx squared: the best candidates stand out more than the share says.",
  own2: "own squared.",
  bm: "S as a share of the best S in the sessions with a named person.",
  sm: "sm as a share of the best sm in the sessions with a named person.",
  prev1: "S of the turn before, on the scale of sm.",
  prev2: "S of the turn two before, on the scale of sm.",
  next1: "S of the turn after, on the scale of sm.",
  wcov3: "sum of w · idf of the terms within three turns, as a share of Z.",
  entW: "Share of the idf of the query's capitalised or quoted terms that stands within three turns.",
  entS: "Share of the idf of the query's capitalised or quoted terms that stands in the session.",
  sess: "BM25 (k1 1.2) of the session as one document, as a share of the best among sessions with a named person.",
  rel: "What the lexicon's related terms add to the proximity kernel, as a share of Zl.",
  relx: "The proximity kernel with what related terms add, as a share of the best candidate's.",
  sessl: "sum of il of the terms in the session, as a share of the best session's.",
  sesscov: "sum of w · idf of the terms in the session, as a share of Z.",
  top3: "Best, half of the second and a quarter of the third sm in the session, as a share of the best session's.",
  Lsess: "sess, for a question that asks for several things.",
  Lpkx: "pkxZ, for a question that asks for several things.",
  Lown: "own, for a question that asks for several things.",
  sOk:
    "Share of the named people who take part in the session (documents: who are named in the text); 0.5 when nobody is named.",
  bothOk: "More than one person is named and all take part.",
  mention: "The text names one of the people named in the query.",
} as const;

/** Features that need the candidate's stored data: speaker, time, bits. */
const STORED_FEATURES = {
  spk: "One person is named, and the turn is theirs.",
  spk2: "More than one person is named, and the turn is one of theirs that the query names first.",
  spksm: "spk · sm.",
  spkpk: "spk · pkxZ.",
  spkown: "spk · own.",
  qaPrev:
    "S of the turn before, on the scale of sm, where that turn asks, is by another, and this one does not end in a question.",
  prevq: "The turn before asks.",
  Lspk: "spk, for a question that asks for several things.",
  Lisq: "isq, for a question that asks for several things.",
  Lllen: "llen, for a question that asks for several things.",
  isq: "The turn ends in a question.",
  llen: "ln(1 + content tokens).",
  fresh: "min(1.2, terms that are new in the session / 20).",
  fp: "min(3, first-person words) / 3.",
  pos0: "First or second turn of the session.",
  whenStrong: "A when-question, and the turn holds a strong time expression.",
  whenDay: "A when-question and no strong time expression.",
  titleq: "A question for a title, and the turn quotes something or has a capital inside a sentence.",
  where: "A where-question, and the turn has a capital inside a sentence.",
  num: "A question for a number, and the turn holds one.",
  dday: "The turn's day is the day that the query names (0.5 without a year).",
  dmon: "The turn's time lies in the month or week that the query names (0.5 without a year).",
} as const;

/** Every feature with its definition, in the order of the columns of the feature matrix. */
export const FEATURES = { ...TEXT_FEATURES, ...STORED_FEATURES } as const;

export type FeatureName = keyof typeof FEATURES;
export const FEATURE_NAMES = Object.keys(FEATURES) as FeatureName[];
/** Columns of the feature matrix. */
export const FEATURE_COUNT = FEATURE_NAMES.length;

/** Column of each feature. */
export const F: Readonly<Record<FeatureName, number>> = Object.fromEntries(
  FEATURE_NAMES.map((name, i) => [name, i]),
) as Record<FeatureName, number>;
