/**
 * The ranker's features as signs for people: several features measure one sign. `FEATURES` defines them for those who
 * train the ranker; no reply holds their names.
 */
import { explainScore, type FeatureName, type Prescored } from "../../retrieval/mod.ts";
import type { RecallSign } from "../../schema/recall_signs.ts";

const SIGN_OF: Readonly<Record<FeatureName, RecallSign>> = {
  proximityToBest: "closeWords",
  proximityToQuery: "closeWords",
  proximityToBestSquared: "closeWords",
  listProximityToQuery: "closeWords",
  saidByPersonProximity: "closeWords",
  termsInTurn: "ownWords",
  termsInTurnSquared: "ownWords",
  listTermsInTurn: "ownWords",
  saidByPersonTerms: "ownWords",
  bm25: "ownWords",
  smoothBm25: "surroundings",
  saidByPersonSmoothBm25: "surroundings",
  termsNearby: "surroundings",
  bm25OneBefore: "neighbours",
  bm25TwoBefore: "neighbours",
  bm25OneAfter: "neighbours",
  entitiesNearby: "names",
  entitiesInSession: "names",
  personInText: "names",
  sessionBm25: "session",
  localTermsInSession: "session",
  termsInSession: "session",
  bestTurnsOfSession: "session",
  listSessionBm25: "session",
  peoplePresent: "participants",
  allPeoplePresent: "participants",
  saidByPerson: "speaker",
  saidByFirstPerson: "speaker",
  listSaidByPerson: "speaker",
  bm25OfQuestionBefore: "afterQuestion",
  questionBefore: "afterQuestion",
  endsInQuestion: "question",
  listEndsInQuestion: "question",
  logLength: "substance",
  listLogLength: "substance",
  newTerms: "substance",
  capitalsInside: "substance",
  holdsNumber: "substance",
  firstPersonWords: "firstPerson",
  opensSession: "opening",
  whenWithTime: "timeTold",
  whenWithoutTime: "timeTold",
  titleLike: "title",
  placeLike: "place",
  countWithNumber: "number",
  onNamedDay: "date",
  saidByAssistant: "speaker",
  meaning: "meaning",
  meaningToBest: "meaning",
  meaningLead: "meaning",
  meaningNearby: "meaning",
  unitTelling: "ownWords",
  unitTellingSquared: "ownWords",
  unitTellsAll: "ownWords",
  unitTerms: "ownWords",
  isUnit: "substance",
  unitMeaning: "meaning",
  unitMeaningToBest: "meaning",
  unitMeaningLead: "meaning",
  inNamedPeriod: "date",
};

/** The contribution of each sign to the ranker's score of a candidate, the strongest first. */
export function readSigns(candidates: Prescored, row: number): { readonly sign: RecallSign; readonly part: number }[] {
  const parts = new Map<RecallSign, number>();
  for (const { feature, part } of explainScore(candidates, row)) {
    const sign = SIGN_OF[feature];
    parts.set(sign, (parts.get(sign) ?? 0) + part);
  }
  return [...parts].map(([sign, part]) => ({ sign, part })).sort((a, b) => Math.abs(b.part) - Math.abs(a.part));
}
