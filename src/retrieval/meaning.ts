/** How near candidates are to a query in meaning: the features and inputs that tell of it. */
import { COLUMN, FEATURE_COUNT } from "./features.ts";
import type { Meaning, MeaningSource, NearText, Prescored, StoredData } from "./types.ts";

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
 */
export function readMeaning(
  nearest: readonly NearText[],
  { source, scale = guessScale(nearest) }: { readonly source: MeaningSource; readonly scale: Scale | undefined },
): Meaning {
  const last = nearest.at(-1)?.similarity ?? 0;
  const scaled = (similarity: number) => Math.max(0, Math.min(1, scale.slope * similarity + scale.offset));
  return {
    source,
    nearness: new Map(nearest.map(({ docNo, similarity }) => [docNo, scaled(similarity)])),
    best: scaled(nearest[0]?.similarity ?? 0),
    tenth: scaled(nearest[Math.min(TENTH, nearest.length - 1)]?.similarity ?? 0),
    least: nearest.length < BACKGROUND_MIN ? 0 : scaled(last),
  };
}

/** Fills in the features of meaning, in place. */
export function addMeaning(
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
