/**
 * The linear ranker: completes the candidates' features with their stored data, and scores them with the weights of
 * weights.json, which `scripts/train/ranker.ts` writes from labelled data.
 */
import type { DateWindow } from "../../language/dates.ts";
import { DOC_FLAG, isNamed } from "../terms/text.ts";
import stored_weights from "../weights.json" with { type: "json" };
import {
  type DocumentTimes,
  type Meaning,
  type MeaningSource,
  type NearText,
  type Prescored,
  type StoredData,
  TellingTerms,
} from "./candidates.ts";
import { COLUMN, FEATURE_COUNT, FEATURE_NAMES, type FeatureName } from "./features.ts";

/** Weights by feature; a feature without one does not count. */
export type Weights = Readonly<Partial<Record<FeatureName, number>>>;

/** What is known of a query: its words alone, or also the nearest texts in meaning, by what made its vector. */
export type ModelName = "words" | MeaningSource;

/** What tells which models are for candidates. */
export interface ModelOf {
  readonly meaning?: Pick<Meaning, "source"> | undefined;
}

/** The name of the models for some candidates. */
export function modelNameOf({ meaning }: ModelOf): ModelName {
  return meaning?.source ?? "words";
}

/** The shipped weights. */
export const WEIGHTS: Readonly<Record<ModelName, Weights>> = {
  words: stored_weights.words.ranker,
  table: stored_weights.table.ranker,
  encoder: stored_weights.encoder.ranker,
};

/** Of a sum of shares, because of rounding. */
const ALL = 0.999;

/** A ranked candidate. */
export interface Ranked {
  readonly doc: number;
  /** Row of the candidate in the prescore, and of its features. */
  readonly row: number;
  /** The linear score: comparable within one query, across all kinds of documents. */
  readonly score: number;
}

/**
 * Fills in the features that need stored data, in place. Rows of absent documents stay as they are.
 */
export function completeFeatures(candidates: Prescored, stored: readonly (StoredData | undefined)[]): void {
  const { features, plan, meaning } = candidates;
  if (meaning !== undefined) addMeaning(candidates, stored, meaning);
  const names = candidates.people.map((p) => p.name);
  const speakers = new Map<string, number>(), telling = new TellingTerms(candidates);
  for (let i = 0; i < candidates.size; i++) {
    const data = stored[i];
    if (data === undefined) continue;
    const at = i * FEATURE_COUNT;
    const session = candidates.groups[i] !== 0;
    const flags = data.bits & 255;
    const length = data.bits >>> 12 & 255;
    features[at + COLUMN.endsInQuestion] = flags & DOC_FLAG.endsInQuestion ? 1 : 0;
    features[at + COLUMN.logLength] = Math.log(1 + length);
    features[at + COLUMN.firstPersonWords] = Math.min(3, data.bits >>> 8 & 15) / 3;
    features[at + COLUMN.holdsNumber] = flags & DOC_FLAG.hasNumber ? 1 : 0;
    // If an older version stored the turn, its bits say whether such words stand in it but not how many.
    features[at + COLUMN.capitalsInside] =
      Math.min(4, Math.max(data.bits >>> 28, flags & DOC_FLAG.midCapital ? 1 : 0)) / 4;
    const capital = flags & (DOC_FLAG.midCapital | DOC_FLAG.quoted) ? 1 : 0;
    const strong = flags & DOC_FLAG.strongTime ? 1 : 0;
    if (plan.cues.when) {
      features[at + COLUMN.whenWithTime] = strong;
      features[at + COLUMN.whenWithoutTime] = 1 - strong;
    }
    if (plan.cues.title) features[at + COLUMN.titleLike] = capital;
    if (plan.cues.where) features[at + COLUMN.placeLike] = capital;
    if (plan.cues.count) features[at + COLUMN.countWithNumber] = features[at + COLUMN.holdsNumber];
    if (plan.windows.length > 0) {
      const match = matchWindows(plan.windows, data, session);
      features[at + COLUMN.onNamedDay] = match.day;
      features[at + COLUMN.inNamedPeriod] = match.month;
    }
    if (!session) {
      const held = telling.share(candidates.matched[i]);
      features[at + COLUMN.isUnit] = 1;
      features[at + COLUMN.unitTelling] = held;
      features[at + COLUMN.unitTellingSquared] = held ** 2;
      features[at + COLUMN.unitTellsAll] = held > ALL ? 1 : 0;
      features[at + COLUMN.unitTerms] = features[at + COLUMN.termsInTurn];
      features[at + COLUMN.unitMeaning] = features[at + COLUMN.meaning];
      features[at + COLUMN.unitMeaningToBest] = features[at + COLUMN.meaningToBest];
      features[at + COLUMN.unitMeaningLead] = features[at + COLUMN.meaningLead];
      continue;
    }
    features[at + COLUMN.saidByAssistant] = data.isAssistant ? 1 : 0;
    features[at + COLUMN.newTerms] = Math.min(1.2, (data.bits >>> 20 & 255) / 20);
    features[at + COLUMN.opensSession] = candidates.positions[i] < 2 ? 1 : 0;
    if (flags & DOC_FLAG.previousHasQuestion) {
      features[at + COLUMN.questionBefore] = 1;
      if (flags & DOC_FLAG.previousOtherSpeaker && !features[at + COLUMN.endsInQuestion]) {
        features[at + COLUMN.bm25OfQuestionBefore] = features[at + COLUMN.bm25OneBefore];
      }
    }
    if (data.speaker !== undefined && names.length > 0) {
      speakerFeatures(features, at, namedBits(speakers, data.speaker, names), names.length, plan.cues.list);
    }
  }
}

/** Whether a document belongs to a window: it happened, began or ended in it, or its period overlaps the window. */
export function isOfWindow(
  { from, to }: Pick<DateWindow, "from" | "to">,
  { occurredAt, validFrom, validTo }: DocumentTimes,
): boolean {
  const isIn = (ms: number | undefined) => ms !== undefined && ms >= from && ms < to;
  if (isIn(occurredAt)) return true;
  return validFrom === undefined || validTo === undefined
    ? isIn(validFrom) || isIn(validTo)
    : validFrom < to && (validFrom >= from || validTo > from);
}

/**
 * How well a document's times fit the windows, by grain: 1 inside a window that is fully named, 0.5
 * inside one without a year, at most 0.3 by a season or year, 0 outside.
 * @param isTold the time says when something was told, which may be days after it happened
 */
export function matchWindows(
  windows: readonly DateWindow[],
  times: DocumentTimes,
  isTold: boolean,
): { day: number; month: number } {
  let day = 0, month = 0;
  for (const w of windows) {
    const value = w.yearless ? 0.5 : 1;
    if (isOfWindow(w, times)) {
      if (w.grain === "day") day = Math.max(day, value);
      else if (w.grain === "week" || w.grain === "month") month = Math.max(month, value);
      else month = Math.max(month, 0.3);
    }
    if (w.grain === "day" && isTold && times.occurredAt !== undefined) {
      // People often tell days later what happened on a day, so a document of the same month counts
      // as a match of the month.
      const at = new Date((w.from + w.to) / 2), other = new Date(times.occurredAt);
      if (at.getUTCMonth() === other.getUTCMonth() && at.getUTCFullYear() === other.getUTCFullYear()) {
        month = Math.max(month, value);
      }
    }
  }
  return { day, month };
}

function namedBits(cache: Map<string, number>, speaker: string, names: readonly string[]): number {
  let bits = cache.get(speaker);
  if (bits === undefined) {
    bits = 0;
    for (let i = 0; i < names.length; i++) if (isNamed(speaker, names[i])) bits |= 1 << i;
    cache.set(speaker, bits);
  }
  return bits;
}

function speakerFeatures(features: Float32Array, at: number, bits: number, names: number, list: boolean): void {
  if (names > 1) features[at + COLUMN.saidByFirstPerson] = bits & 1;
  else if (bits !== 0) {
    features[at + COLUMN.saidByPerson] = 1;
    features[at + COLUMN.listSaidByPerson] = list ? 1 : 0;
    features[at + COLUMN.saidByPersonProximity] = features[at + COLUMN.proximityToQuery];
    features[at + COLUMN.saidByPersonTerms] = features[at + COLUMN.termsInTurn];
  }
}

/** A weight per column. */
export function toVector(weights: Weights): Float64Array {
  return Float64Array.from(FEATURE_NAMES, (name) => weights[name] ?? 0);
}

/** The shipped weights by column. */
export const WEIGHT_VECTORS: Readonly<Record<ModelName, Float64Array>> = {
  words: toVector(WEIGHTS.words),
  table: toVector(WEIGHTS.table),
  encoder: toVector(WEIGHTS.encoder),
};

/**
 * Ranks the candidates whose stored data the caller found, and leaves out the others (they do not
 * exist, or a filter excludes them). Ties go to the lower document number.
 */
export function rank(
  candidates: Prescored,
  stored: readonly (StoredData | undefined)[],
  weights: Float64Array = WEIGHT_VECTORS[modelNameOf(candidates)],
): Ranked[] {
  completeFeatures(candidates, stored);
  const out: Ranked[] = [];
  for (let i = 0; i < candidates.size; i++) {
    const data = stored[i];
    if (data === undefined) continue;
    let score = 0;
    for (let f = 0, at = i * FEATURE_COUNT; f < FEATURE_COUNT; f++) score += weights[f] * candidates.features[at + f];
    out.push({ doc: data.doc, row: i, score });
  }
  return out.sort((a, b) => a.score > b.score ? -1 : a.score < b.score ? 1 : a.doc - b.doc);
}

/** What each feature adds to a candidate's score, greatest first. */
export function explainScore(
  candidates: Prescored,
  row: number,
  weights: Weights = WEIGHTS[modelNameOf(candidates)],
): { feature: FeatureName; value: number; part: number }[] {
  return FEATURE_NAMES.map((feature, f) => {
    const value = candidates.features[row * FEATURE_COUNT + f];
    return { feature, value, part: value * (weights[feature] ?? 0) };
  }).filter((e) => e.part !== 0).sort((a, b) => Math.abs(b.part) - Math.abs(a.part));
}

/** The place in the list of the nearest texts to which the best are compared. */
const TENTH = 9;
/** Fewer texts say little about how near unrelated texts are. */
const BACKGROUND_MIN = 10;

/** A cosine times `slope` plus `offset` is one of the built-in encoder, to which the weights are fitted. */
export interface Scale {
  readonly slope: number;
  readonly offset: number;
}

/** That of the built-in encoder itself. */
export const SAME_SCALE: Scale = { slope: 1, offset: 0 };

/** The scale of a model of which nothing is known, by the texts nearest to a query: the last of them counts as unrelated. */
function guessScale(nearest: readonly NearText[]): Scale {
  const last = nearest.at(-1)?.similarity ?? 0;
  const background = nearest.length < BACKGROUND_MIN ? 0.2 : Math.min(0.9, Math.max(0, last));
  return { slope: 1 / (1 - background), offset: -background / (1 - background) };
}

/**
 * Reads the nearest texts, nearest first.
 * @param scale that of the model's cosines; undefined where it is not known
 * @param others candidates, whose cosines count before those of the nearest
 */
export function readMeaning(
  nearest: readonly NearText[],
  { source, scale = guessScale(nearest) }: { readonly source: MeaningSource; readonly scale: Scale | undefined },
  others: readonly NearText[] = [],
): Meaning {
  const last = nearest.at(-1)?.similarity ?? 0;
  const scaled = (similarity: number) => Math.max(0, Math.min(1, scale.slope * similarity + scale.offset));
  return {
    source,
    nearness: new Map([...nearest, ...others].map(({ docNo, similarity }) => [docNo, scaled(similarity)])),
    best: scaled(nearest[0]?.similarity ?? 0),
    tenth: scaled(nearest[Math.min(TENTH, nearest.length - 1)]?.similarity ?? 0),
    least: nearest.length < BACKGROUND_MIN ? 0 : scaled(last),
  };
}

/** Fills in the features of meaning, in place. */
function addMeaning(
  { features, groups, positions, size }: Prescored,
  stored: readonly (StoredData | undefined)[],
  { nearness, best, tenth, least }: Meaning,
): void {
  const places = new Map<string, number>();
  const values = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    const data = stored[i];
    if (data === undefined) continue;
    values[i] = nearness.get(data.doc) ?? least;
    if (groups[i] !== 0) places.set(`${groups[i]} ${positions[i]}`, values[i]);
  }
  for (let i = 0; i < size; i++) {
    if (stored[i] === undefined) continue;
    const at = i * FEATURE_COUNT;
    features[at + COLUMN.meaning] = values[i];
    features[at + COLUMN.meaningToBest] = best > 0 ? values[i] / best : 0;
    features[at + COLUMN.meaningLead] = Math.max(0, values[i] - tenth);
    if (groups[i] === 0) continue;
    const around = [-1, 1].map((step) => places.get(`${groups[i]} ${positions[i] + step}`) ?? 0);
    features[at + COLUMN.meaningNearby] = Math.max(...around);
  }
}
