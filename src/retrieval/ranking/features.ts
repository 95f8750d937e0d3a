/**
 * The features of the linear ranker: names, order and meaning in one place. `weights.json` holds a weight for each name.
 *
 * The weight of a query's term is 1, or less for a scaffold word, times its inverse document frequency over the corpora; its
 * local weight takes that frequency inside the allowed sessions instead, at most 7. The query's weight and its local weight
 * are the sums over its terms. Allowed sessions are those where all named people take part (any of them, where more than two
 * are named; all sessions, where nobody is). BM25 has k1 0.9 and b 0.4; smooth BM25 is that with shares of
 * the two turns before and after, and its scale the best in the sessions with a named person (in all, if nobody is named), or
 * a tenth of the query's weight if that is more. A document without a session is read as a session of one turn, so that its features have the same scale.
 */

/** Features known before the candidates' stored data are read. */
const TEXT_FEATURES = {
  proximityToBest:
    "Proximity kernel: for each of the query's terms the best match within three turns, times its local weight, summed; as a share of the best candidate's (at least a tenth of the query's local weight).",
  proximityToQuery:
    "The proximity kernel as a share of the query's local weight: how much of the query stands in or around the turn.",
  termsInTurn: "Weight of the terms that stand in the turn itself, as a share of the query's.",
  proximityToBestSquared: "proximityToBest squared: the best candidates stand out more than the share says.",
  termsInTurnSquared: "termsInTurn squared.",
  bm25:
    "BM25 as a share of the best in the sessions with a named person (in all, if nobody is named), or of a tenth of the query's weight if that is more.",
  bm25OneBefore: "BM25 of the turn before, on the scale of smooth BM25.",
  bm25TwoBefore: "BM25 of the turn two before, on the scale of smooth BM25.",
  bm25OneAfter: "BM25 of the turn after, on the scale of smooth BM25.",
  termsNearby: "Weight of the terms within three turns, as a share of the query's.",
  entitiesNearby: "Weight of the capitalised or quoted terms within three turns, as a share of the query's.",
  entitiesInSession: "Weight of the capitalised or quoted terms in the session, as a share of the query's.",
  sessionBm25:
    "BM25 (k1 1.2) of the session as one document, as a share of the best among sessions with a named person (all, if nobody is named).",
  localTermsInSession: "Local weight of the terms in the session, as a share of the best session's.",
  termsInSession: "Weight of the terms in the session, as a share of the query's.",
  bestTurnsOfSession:
    "Best, half of the second and a quarter of the third smooth BM25 in the session, as a share of the best session's.",
  listSessionBm25: "sessionBm25, for a question that asks for several things.",
  listProximityToQuery: "proximityToQuery, for a question that asks for several things.",
  listTermsInTurn: "termsInTurn, for a question that asks for several things.",
  peoplePresent:
    "Share of the named people who take part in the session (documents: who are named in the text); 0.5 when nobody is named.",
  allPeoplePresent: "More than one person is named and all take part.",
  personInText: "The text names one of the people named in the query.",
} as const;

/** Features that need the candidate's stored data: speaker, time, bits. */
const STORED_FEATURES = {
  saidByPerson: "One person is named, and the turn is theirs.",
  saidByFirstPerson: "More than one person is named, and the turn is by the one whom the query names first.",
  saidByPersonProximity: "saidByPerson · proximityToQuery.",
  saidByPersonTerms: "saidByPerson · termsInTurn.",
  bm25OfQuestionBefore: "bm25OneBefore where that turn asks, is by another, and this one does not end in a question.",
  questionBefore: "The turn before asks.",
  listSaidByPerson: "saidByPerson, for a question that asks for several things.",
  endsInQuestion: "The text ends in a question.",
  logLength: "ln(1 + content tokens).",
  newTerms: "min(1.2, terms that are new in the session / 20).",
  capitalsInside: "min(4, words with a capital inside a sentence) / 4.",
  holdsNumber: "The text holds a number.",
  firstPersonWords: "min(3, first-person words) / 3.",
  opensSession: "First or second turn of the session.",
  whenWithTime: "A when-question, and the text holds a strong time expression.",
  whenWithoutTime: "A when-question and no strong time expression.",
  titleLike: "A question for a title, and the text quotes something or has a capital inside a sentence.",
  placeLike: "A where-question, and the text quotes something or has a capital inside a sentence.",
  countWithNumber: "A question for a number, and the text holds one.",
  saidByAssistant: "An assistant wrote the turn.",
  meaning:
    "How near the text is to the query in meaning, 0 to 1; turns to the query without the names of the people who take part. Of texts without a vector, the last of the nearest.",
  meaningToBest: "meaning, as a share of the nearest text's.",
  meaningLead: "How far meaning is above that of the tenth nearest text.",
  meaningNearby: "The greater meaning of the turns before and after, if they are candidates.",
  isUnit: "A document without a session.",
  unitMeaning: "meaning, for a document without a session: it says one thing, and no turn around it says more.",
  unitMeaningToBest: "meaningToBest, for a document without a session.",
  unitMeaningLead: "meaningLead, for a document without a session.",
  unitTelling:
    "Weight of the terms that stand in the text, as a share of the query's, of those terms alone that do more than frame the question; for a document without a session.",
  unitTellingSquared: "unitTelling squared.",
  unitTellsAll: "unitTelling is 1: the text has all that the question says.",
  unitTerms: "termsInTurn, for a document without a session.",
  onNamedDay: "The text's day is the day that the query names (0.5 without a year).",
  inNamedPeriod: "The text's time lies in the month or week that the query names (0.5 without a year).",
} as const;

/** Every feature with its definition, in the order of the columns of the feature matrix. */
export const FEATURES = { ...TEXT_FEATURES, ...STORED_FEATURES } as const;

/** The number of text features; they have the first columns. */
export const TEXT_FEATURE_COUNT = Object.keys(TEXT_FEATURES).length;

export type FeatureName = keyof typeof FEATURES;
export const FEATURE_NAMES = Object.keys(FEATURES) as FeatureName[];
/** Columns of the feature matrix. */
export const FEATURE_COUNT = FEATURE_NAMES.length;

/** Column of each feature. */
export const COLUMN: Readonly<Record<FeatureName, number>> = Object.fromEntries(
  FEATURE_NAMES.map((name, i) => [name, i]),
) as Record<FeatureName, number>;

/** The content tokens of a candidate, from its feature `logLength`. */
export function countTokens(features: Float32Array, row: number): number {
  return Math.exp(features[row * FEATURE_COUNT + COLUMN.logLength]) - 1;
}
