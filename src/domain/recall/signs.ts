/**
 * The ranker's features as signs for people: several features measure one sign. `FEATURES` defines them for those who
 * train the ranker; their names are no part of a reply.
 */
import { explainScore, type FeatureName, type Prescored } from "../../retrieval/mod.ts";
import type { RecallSign } from "../../schema/recall_signs.ts";

const SIGN_OF: Readonly<Record<FeatureName, RecallSign>> = {
  pkx: "closeWords",
  pkxZ: "closeWords",
  pkx2: "closeWords",
  Lpkx: "closeWords",
  spkpk: "closeWords",
  own: "ownWords",
  own2: "ownWords",
  Lown: "ownWords",
  spkown: "ownWords",
  bm: "ownWords",
  sm: "surroundings",
  spksm: "surroundings",
  wcov3: "surroundings",
  prev1: "neighbours",
  prev2: "neighbours",
  next1: "neighbours",
  entW: "names",
  entS: "names",
  mention: "names",
  rel: "relatedWords",
  relx: "relatedWords",
  sess: "session",
  sessl: "session",
  sesscov: "session",
  top3: "session",
  Lsess: "session",
  sOk: "participants",
  bothOk: "participants",
  spk: "speaker",
  spk2: "speaker",
  Lspk: "speaker",
  qaPrev: "afterQuestion",
  prevq: "afterQuestion",
  isq: "question",
  Lisq: "question",
  llen: "substance",
  Lllen: "substance",
  fresh: "substance",
  fp: "firstPerson",
  pos0: "opening",
  whenStrong: "timeTold",
  whenDay: "timeTold",
  titleq: "title",
  where: "place",
  num: "number",
  dday: "date",
  dmon: "date",
};

/** What each sign adds to the ranker's score of a candidate, the strongest first. */
export function readSigns(candidates: Prescored, row: number): { readonly sign: RecallSign; readonly part: number }[] {
  const parts = new Map<RecallSign, number>();
  for (const { feature, part } of explainScore(candidates, row)) {
    const sign = SIGN_OF[feature];
    parts.set(sign, (parts.get(sign) ?? 0) + part);
  }
  return [...parts].map(([sign, part]) => ({ sign, part })).sort((a, b) => Math.abs(b.part) - Math.abs(a.part));
}
