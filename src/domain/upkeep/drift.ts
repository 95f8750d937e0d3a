/**
 * Measures how far a memory has moved from an earlier state, without I/O.
 *
 * Type, status, attribution and worth: population stability index, Σ (p − q) ln(p / q) over shares with half a unit
 * added to each category, less the index that chance alone gives for so few units. Vocabulary: Jensen-Shannon
 * divergence (base 2) over the most frequent words of the latest units. Embeddings: cosine distance of their centroids.
 */
import type { Part } from "./composition.ts";

/** `unknown`: there was too little to measure. */
export type DriftVerdict = "stable" | "shifting" | "drifted" | "unknown";
export type MakeUp = Omit<Part, "sensitivity">;

export const DRIFT_MEASURES = ["type", "status", "attribution", "worth", "vocabulary", "embedding"] as const;
export type DriftMeasureName = (typeof DRIFT_MEASURES)[number];

/** The values from which a measure is `shifting`, and `drifted`. */
export const DRIFT_THRESHOLDS: Readonly<Record<DriftMeasureName, readonly [shifting: number, drifted: number]>> = {
  type: [0.1, 0.25],
  status: [0.1, 0.25],
  attribution: [0.1, 0.25],
  worth: [0.1, 0.25],
  vocabulary: [0.2, 0.4],
  embedding: [0.1, 0.25],
};
/** The index has the scale of the population stability index: a measure is `drifted` from 0.25. */
const INDEX_DRIFTED = 0.25;
/** With fewer units, or texts, there is no verdict. */
export const DRIFT_UNITS_MIN = 20;

export interface DriftMeasure {
  readonly name: DriftMeasureName;
  /** Null if the verdict is `unknown`. */
  readonly value: number | null;
  readonly shiftingFrom: number;
  readonly driftedFrom: number;
  readonly verdict: DriftVerdict;
}

export interface Drift {
  /** The verdict of the measure that moved most; `unknown` if nothing could be measured. */
  readonly verdict: DriftVerdict;
  /** The largest measure as a multiple of its `driftedFrom`, times 0.25; null if the verdict is `unknown`. */
  readonly index: number | null;
  readonly measures: DriftMeasure[];
  /** The share of the latest units' words that the baseline lacks. */
  readonly newTermRate: number | null;
  readonly reasons: string[];
}

type Counts = Readonly<Record<string, number>>;

export function measureDrift(baseline: MakeUp, current: MakeUp): Drift {
  const values: Record<DriftMeasureName, number | null> = {
    type: stabilityIndex(baseline.types, current.types),
    status: stabilityIndex(baseline.statuses, current.statuses),
    attribution: stabilityIndex(baseline.attributions, current.attributions),
    worth: stabilityIndex(byTenth(baseline.worth), byTenth(current.worth)),
    vocabulary: vocabularyDivergence(baseline, current),
    embedding: centroidDistance(baseline, current),
  };
  const measures = DRIFT_MEASURES.map((name): DriftMeasure => {
    const [shiftingFrom, driftedFrom] = DRIFT_THRESHOLDS[name];
    const value = values[name] === null ? null : Math.round(values[name] * 1e4) / 1e4;
    return { name, value, shiftingFrom, driftedFrom, verdict: judge(value, shiftingFrom, driftedFrom) };
  });
  const parts = measures.flatMap(({ value, driftedFrom }) => value === null ? [] : INDEX_DRIFTED * value / driftedFrom);
  const order: readonly DriftVerdict[] = ["drifted", "shifting", "stable", "unknown"];
  return {
    verdict: order.find((verdict) => measures.some((measure) => measure.verdict === verdict))!,
    index: parts.length === 0 ? null : Math.round(Math.max(...parts) * 1e4) / 1e4,
    measures,
    newTermRate: newTermRate(baseline, current),
    reasons: reasonsOf(measures, baseline, current),
  };
}

function judge(value: number | null, shiftingFrom: number, driftedFrom: number): DriftVerdict {
  if (value === null) return "unknown";
  return value < shiftingFrom ? "stable" : value < driftedFrom ? "shifting" : "drifted";
}

function byTenth(worth: readonly number[]): Counts {
  return Object.fromEntries(worth.map((n, tenth) => [`worth ${tenth / 10} to ${(tenth + 1) / 10}`, n]));
}

function total(counts: Counts): number {
  return Object.values(counts).reduce((sum, n) => sum + n, 0);
}

/** Population stability index of two counts by category, at least 0; null if either count is too small. */
export function stabilityIndex(baseline: Counts, current: Counts): number | null {
  const [before, now] = [total(baseline), total(current)];
  if (before < DRIFT_UNITS_MIN || now < DRIFT_UNITS_MIN) return null;
  const names = Object.keys({ ...baseline, ...current }).filter((name) =>
    (baseline[name] ?? 0) + (current[name] ?? 0) > 0
  );
  let index = 0;
  for (const name of names) {
    const p = ((baseline[name] ?? 0) + 0.5) / (before + 0.5 * names.length);
    const q = ((current[name] ?? 0) + 0.5) / (now + 0.5 * names.length);
    index += (q - p) * Math.log(q / p);
  }
  // The expectation of the index for two samples of the same population.
  return Math.max(0, index - (names.length - 1) * (1 / before + 1 / now));
}

function vocabularyDivergence(baseline: MakeUp, current: MakeUp): number | null {
  if (baseline.sampled < DRIFT_UNITS_MIN || current.sampled < DRIFT_UNITS_MIN) return null;
  return jensenShannon(baseline.words, current.words);
}

/** Jensen-Shannon divergence of two counts, base 2: 0 for the same shares, 1 for nothing in common. */
export function jensenShannon(a: Counts, b: Counts): number | null {
  const [sumA, sumB] = [total(a), total(b)];
  if (sumA === 0 || sumB === 0) return null;
  let divergence = 0;
  for (const name of Object.keys({ ...a, ...b })) {
    const p = (a[name] ?? 0) / sumA;
    const q = (b[name] ?? 0) / sumB;
    const mean = (p + q) / 2;
    if (p > 0) divergence += 0.5 * p * Math.log2(p / mean);
    if (q > 0) divergence += 0.5 * q * Math.log2(q / mean);
  }
  return Math.min(1, Math.max(0, divergence));
}

function newTermRate(baseline: MakeUp, current: MakeUp): number | null {
  if (baseline.sampled < DRIFT_UNITS_MIN || current.sampled < DRIFT_UNITS_MIN) return null;
  const all = total(current.words);
  // A baseline from before words had tokens, or from elsewhere, has no words: then all would seem new.
  if (all === 0 || total(baseline.words) === 0) return null;
  const fresh = Object.entries(current.words).reduce((sum, [word, n]) => sum + (word in baseline.words ? 0 : n), 0);
  return Math.round(1e4 * fresh / all) / 1e4;
}

function centroidDistance({ centroid: a }: MakeUp, { centroid: b }: MakeUp): number | null {
  if (a === null || b === null) return null;
  let dot = 0, squareA = 0, squareB = 0;
  for (let i = 0; i < a.sum.length; i++) {
    dot += a.sum[i]! * b.sum[i]!;
    squareA += a.sum[i]! ** 2;
    squareB += b.sum[i]! ** 2;
  }
  return squareA === 0 || squareB === 0 ? null : Math.max(0, 1 - dot / Math.sqrt(squareA * squareB));
}

const WORDS: Readonly<Record<DriftMeasureName, string>> = {
  type: "the mix of unit types",
  status: "the mix of states",
  attribution: "where knowledge comes from",
  worth: "what units are worth",
  vocabulary: "the words of the latest units",
  embedding: "the meaning of the latest units",
};

function reasonsOf(measures: readonly DriftMeasure[], baseline: MakeUp, current: MakeUp): string[] {
  const moved = measures.filter(({ verdict }) => verdict === "shifting" || verdict === "drifted").map(
    ({ name, value, verdict, driftedFrom }) => {
      const most = largestMove(name, baseline, current);
      return `${WORDS[name]}: ${verdict}, ${value} where ${driftedFrom} is drifted${most === null ? "" : `; ${most}`}`;
    },
  );
  const unknown = measures.filter((measure) => measure.value === null).map((measure) => measure.name);
  return [
    ...moved,
    ...(moved.length === 0 && unknown.length < measures.length ? ["no measure has moved noticeably"] : []),
    ...(unknown.length === 0 ? [] : [`too little to measure: ${unknown.join(", ")}`]),
  ];
}

/** In whole percents, so that if two categories changed places, the one that grew is named. */
function moveOf({ from, to }: { readonly from: number; readonly to: number }): number {
  return Math.round(100 * Math.abs(to - from));
}

/** The category whose share moved most. */
function largestMove(name: DriftMeasureName, baseline: MakeUp, current: MakeUp): string | null {
  const of: Partial<Record<DriftMeasureName, (makeUp: MakeUp) => Counts>> = {
    type: (makeUp) => makeUp.types,
    status: (makeUp) => makeUp.statuses,
    attribution: (makeUp) => makeUp.attributions,
    worth: (makeUp) => byTenth(makeUp.worth),
  };
  const counts = of[name];
  if (counts === undefined) return null;
  const [before, now] = [counts(baseline), counts(current)];
  const share = (all: Counts, category: string) => (all[category] ?? 0) / total(all);
  const [most] = Object.keys({ ...before, ...now }).map((category) => ({
    category,
    from: share(before, category),
    to: share(now, category),
  })).sort((a, b) => moveOf(b) - moveOf(a) || b.to - a.to);
  const percent = (part: number) => `${Math.round(part * 100)} %`;
  return most === undefined ? null : `${most.category} went from ${percent(most.from)} to ${percent(most.to)}`;
}
