/**
 * What the fit of relevance says of itself: how often the cut is right, how far the scores are from what was so, and
 * whether the confidence tells answerable questions from others.
 */

import {
  cutResults,
  type KindModel,
  type Prescored,
  type Ranked,
  type RelevanceModel,
  type StoredData,
} from "../../src/retrieval/mod.ts";
import { areaUnderCurve } from "./eval_locomo.ts";
import { type Bin, measureCalibration } from "./logistic.ts";

/** Results that a caller asks for. */
export const LIMIT = 20;

/** A query with its candidates: of which kind, from which conversation or store, and what answers it. */
export interface AskedQuery {
  readonly kind: "answered" | "adversarial" | "abstention" | "stranger";
  readonly long: boolean;
  /** What a fit leaves out together. */
  readonly fold: string;
  readonly candidates: Prescored;
  readonly stored: readonly (StoredData | undefined)[];
  readonly wanted: ReadonlySet<number>;
  /** The ranker's weights for it. */
  readonly weights: Float64Array;
  /** What it counts in the fit of relevance; default 1, of strangers less. */
  readonly weight?: number;
  /** Whether it is of a hand-written talk. */
  readonly isTalk?: boolean;
}

export interface Ready extends AskedQuery {
  readonly ranked: readonly Ranked[];
  readonly labels: readonly (0 | 1)[];
  readonly inputs: Float64Array;
}

/** A query with what models said that were fitted without its fold. */
export interface Judged {
  readonly query: Ready;
  readonly relevance: Float64Array;
  readonly confidence: number;
}

export const NO_CUT = { least: 0, knee: 0, spared: 0 };
export const NOTHING = { bias: 0, weights: {} };

/** A model of one kind, for both kinds: a query's results are all of one. */
export function both(kind: KindModel): RelevanceModel {
  return { turn: kind, document: kind };
}

export function round(value: number, digits = 3): number {
  return Number(value.toFixed(digits));
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((a, b) => a + b, 0) / values.length;
}

export function keep({ query, relevance }: Judged, cut: KindModel["cut"]): number[] {
  const model = both({ relevance: NOTHING, confidence: { matter: NOTHING }, cut });
  return cutResults(query.candidates, query.ranked, relevance, LIMIT, { model });
}

export function recallOf({ query }: Judged, kept: readonly number[], k: number): number {
  return kept.slice(0, k).reduce<number>((sum, place) => sum + query.labels[place], 0) / query.wanted.size;
}

function calibrationOf(judged: readonly Judged[]) {
  const pairs = judged.flatMap(({ query, relevance }) =>
    Array.from(relevance.subarray(0, LIMIT), (p, i) => ({ p, label: query.labels[i] }))
  );
  const { error, curve } = measureCalibration(pairs);
  return { error: round(error, 4), curve };
}

/** What is said of turns, by kind of question; long: inside a message about other things. */
export interface TurnReport {
  readonly returned: Readonly<Record<string, number>>;
  readonly nothingReturned: Readonly<Record<string, number>>;
  readonly confidence: Readonly<Record<string, number>>;
  readonly recall: Readonly<Record<"at10" | "at10Cut" | "at20" | "at20Cut", number>>;
  readonly calibration: { readonly error: number; readonly curve: readonly Bin[] };
  readonly areaUnderCurve: Readonly<Record<string, number>>;
}

export function reportTurns(judged: readonly Judged[], cut: KindModel["cut"]): TurnReport {
  const groups = new Map<string, Judged[]>();
  for (const one of judged) {
    const name = one.query.kind + (one.query.long ? " long" : "");
    groups.set(name, [...groups.get(name) ?? [], one]);
  }
  const each = (value: (one: Judged) => number) =>
    Object.fromEntries([...groups].map(([name, list]) => [name, round(mean(list.map(value)))]));
  const answered = groups.get("answered") ?? [];
  const uncut = { least: 0, knee: 0, spared: LIMIT };
  const recall = (k: number, by: KindModel["cut"]) =>
    round(100 * mean(answered.map((one) => recallOf(one, keep(one, by), k))), 2);
  const confidence = (name: string, fold = "") =>
    (groups.get(name) ?? []).filter(({ query }) => query.fold.startsWith(fold)).map((one) => one.confidence);
  return {
    returned: each((one) => keep(one, cut).length),
    nothingReturned: each((one) => keep(one, cut).length === 0 ? 1 : 0),
    confidence: each((one) => one.confidence),
    recall: { at10: recall(10, uncut), at10Cut: recall(10, cut), at20: recall(20, uncut), at20Cut: recall(20, cut) },
    calibration: calibrationOf(judged.filter(({ query }) => query.kind !== "stranger")),
    areaUnderCurve: {
      "answered against another person's": round(areaUnderCurve(confidence("answered"), confidence("adversarial"))),
      "answered against abstention, BEAM": round(
        areaUnderCurve(confidence("answered", "beam"), confidence("abstention")),
      ),
      "answered against strangers": round(areaUnderCurve(confidence("answered"), confidence("stranger"))),
      "long against another person's": round(
        areaUnderCurve(confidence("answered long"), confidence("adversarial long")),
      ),
      "long against strangers": round(areaUnderCurve(confidence("answered long"), confidence("stranger long"))),
    },
  };
}

/** Others that a passed case may have beside the wanted ones. */
const OTHERS_MAX = 1;

/** How one list serves a case: the wanted ones and nothing else, or all of them and at most `OTHERS_MAX` others. */
function judgeList(labels: readonly number[], kept: readonly number[], wanted: number) {
  const hits = kept.reduce((sum, place) => sum + labels[place], 0), others = kept.length - hits;
  const exact = hits === wanted && others === 0;
  return {
    exact,
    passed: exact || wanted > 0 && hits === wanted && others <= OTHERS_MAX,
    hits,
    begunRightly: kept.length > 0 && labels[kept[0]] === 1,
    begunWrongly: kept.length > 0 && labels[kept[0]] !== 1,
  };
}

/** Cases: how many, exactly right, passed, begun with a wanted and with another result; what the best cut of each list would pass; calibration. */
export interface DocumentReport {
  readonly cases: number;
  readonly exact: number;
  readonly passed: number;
  readonly begunRightly: number;
  readonly begunWrongly: number;
  readonly perfectExact: number;
  readonly perfectPassed: number;
  readonly precision: number;
  readonly recall: number;
  readonly returned: number;
  readonly calibration: { readonly error: number; readonly curve: readonly Bin[] };
}

export function reportDocuments(judged: readonly Judged[], cut: KindModel["cut"]): DocumentReport {
  let exact = 0,
    passed = 0,
    begunRightly = 0,
    begunWrongly = 0,
    perfectExact = 0,
    perfectPassed = 0,
    hits = 0,
    returned = 0,
    wanted = 0;
  for (const one of judged) {
    const { labels, wanted: { size } } = one.query;
    const kept = keep(one, cut), result = judgeList(labels, kept, size);
    const prefixes = Array.from(
      { length: Math.min(LIMIT, labels.length) + 1 },
      (_, k) => judgeList(labels, Array.from({ length: k }, (_, i) => i), size),
    );
    exact += Number(result.exact);
    passed += Number(result.passed);
    begunRightly += Number(result.begunRightly);
    begunWrongly += Number(result.begunWrongly);
    perfectExact += Number(prefixes.some((prefix) => prefix.exact));
    perfectPassed += Number(prefixes.some((prefix) => prefix.passed));
    hits += result.hits;
    returned += kept.length;
    wanted += size;
  }
  return {
    ...{ cases: judged.length, exact, passed, begunRightly, begunWrongly, perfectExact, perfectPassed },
    precision: round(hits / Math.max(1, returned)),
    recall: round(hits / Math.max(1, wanted)),
    returned: round(returned / Math.max(1, judged.length), 2),
    calibration: calibrationOf(judged),
  };
}

export interface FittedRelevance {
  readonly model: RelevanceModel;
  readonly turns: TurnReport;
  readonly documents: { readonly fitted: DocumentReport; readonly held: DocumentReport };
}

function printCurve({ error, curve }: { readonly error: number; readonly curve: readonly Bin[] }): void {
  console.log(`expected calibration error ${error}; said → was (count):`);
  console.log(curve.map(({ said, was, count }) => `${said.toFixed(2)} → ${was.toFixed(2)} (${count})`).join("  "));
}

/** Prints the reports. */
export function printRelevance({ model, turns, documents }: FittedRelevance): void {
  console.log("\nrelevance of turns, without the conversation; cut", model.turn.cut);
  const { returned, nothingReturned, confidence } = turns;
  console.table({ returned, nothingReturned, confidence });
  console.log("recall", turns.recall, "\narea under the curve of evidenceConfidence", turns.areaUnderCurve);
  printCurve(turns.calibration);
  for (const [name, report] of [["without the store", documents.fitted], ["held half", documents.held]] as const) {
    const { calibration, ...rest } = report;
    console.log(`\nrelevance of documents, ${name}; cut`, model.document.cut, rest);
    printCurve(calibration);
  }
}
