/**
 * The composition of a memory, in numbers that can be added up: one part for each sensitivity. Without I/O.
 *
 * A part holds no content except its centroid, which is never stored: words are random tokens.
 */
import type { Sensitivity } from "../../schema/common.ts";

export interface Centroid {
  readonly texts: number;
  /** The sum of the unit vectors. */
  readonly sum: readonly number[];
}

export interface Part {
  readonly sensitivity: Sensitivity;
  /** Units in force. */
  readonly types: Readonly<Record<string, number>>;
  readonly attributions: Readonly<Record<string, number>>;
  /** Counts by tenth, 0 to 9. */
  readonly worth: readonly number[];
  /** All units. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly liveFacts: number;
  readonly pinned: number;
  readonly turns: number;
  readonly sessions: number;
  readonly embedded: number;
  readonly notEmbedded: number;
  readonly openReviews: number;
  /** The number of the latest units in force from which vocabulary and centroid were computed. */
  readonly sampled: number;
  /** The number of these units that hold a word, by the word's token, which exists while a text holds the word. */
  readonly words: Readonly<Record<string, number>>;
  readonly centroid: Centroid | null;
}

/** Fewer texts give no centroid. */
export const CENTROID_TEXTS_MIN = 20;
/** The words that are kept of a part, the most frequent first. */
export const WORDS_MAX = 300;

/** Adds the parts of one memory that a reader sees. */
export function addParts(parts: readonly Part[]): Omit<Part, "sensitivity"> {
  const counts = (of: (part: Part) => Readonly<Record<string, number>>) => {
    const sums: Record<string, number> = {};
    for (const part of parts) for (const [name, n] of Object.entries(of(part))) sums[name] = (sums[name] ?? 0) + n;
    return sums;
  };
  const total = (of: (part: Part) => number) => parts.reduce((sum, part) => sum + of(part), 0);
  return {
    types: counts((part) => part.types),
    attributions: counts((part) => part.attributions),
    worth: Array.from({ length: 10 }, (_, tenth) => total((part) => part.worth[tenth] ?? 0)),
    statuses: counts((part) => part.statuses),
    liveFacts: total((part) => part.liveFacts),
    pinned: total((part) => part.pinned),
    turns: total((part) => part.turns),
    sessions: total((part) => part.sessions),
    embedded: total((part) => part.embedded),
    notEmbedded: total((part) => part.notEmbedded),
    openReviews: total((part) => part.openReviews),
    sampled: total((part) => part.sampled),
    words: counts((part) => part.words),
    centroid: addCentroids(parts.flatMap((part) => part.centroid ?? [])),
  };
}

function addCentroids(centroids: readonly Centroid[]): Centroid | null {
  const [first] = centroids;
  if (first === undefined) return null;
  return {
    texts: centroids.reduce((sum, one) => sum + one.texts, 0),
    sum: first.sum.map((_, i) => centroids.reduce((sum, one) => sum + one.sum[i]!, 0)),
  };
}

/** How many texts contain each word; the most frequent words. */
export function countWords(texts: readonly ReadonlySet<string>[]): [word: string, texts: number][] {
  const counts = new Map<string, number>();
  for (const words of texts) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, WORDS_MAX);
}
