/**
 * The scale of a model's cosines. Of one model unrelated texts have a cosine of 0.1, of another one of 0.8, and recall's
 * order and cut are fitted to those of the built-in encoder. So a model is asked once for the vectors of texts that are
 * known to be unrelated: questions and statements about different things.
 */
import PAIRS from "./reference_pairs.json" with { type: "json" };

/** A cosine times `slope` plus `offset` is as near as the same cosine of the built-in encoder. */
export interface CosineScale {
  readonly slope: number;
  readonly offset: number;
}

/** How near unrelated texts are: on average, and the nearest to each question among `PAIRS`. */
export interface Unrelated {
  readonly mean: number;
  readonly nearest: number;
}

/** Those of the built-in encoder. */
export const BUILT_IN_UNRELATED: Unrelated = { mean: 0.0756, nearest: 0.2654 };
/** A model whose unrelated texts differ less has no scale: it tells texts apart by something else, or not at all. */
const SPREAD_MIN = 0.005;

/** Measures a model. @param embed makes a vector of each text, in order */
export async function measureUnrelated(
  embed: (texts: readonly string[]) => Promise<readonly Float32Array[]>,
): Promise<Unrelated> {
  const statements = await embed(PAIRS.map(([statement]) => statement!));
  const questions = await embed(PAIRS.map(([, question]) => question!));
  const others = questions.map((question, i) =>
    statements.filter((_, j) => j !== i).map((one) => cosine(question, one))
  );
  return { mean: meanOf(others.flat()), nearest: meanOf(others.map((cosines) => Math.max(...cosines))) };
}

/** The scale on which unrelated texts are as near as those of the built-in encoder; undefined where none can be had. */
export function scaleOf({ mean, nearest }: Unrelated): CosineScale | undefined {
  if (!(nearest - mean >= SPREAD_MIN)) return undefined;
  const slope = (BUILT_IN_UNRELATED.nearest - BUILT_IN_UNRELATED.mean) / (nearest - mean);
  return { slope, offset: BUILT_IN_UNRELATED.mean - slope * mean };
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

function cosine(a: Float32Array, b: Float32Array): number {
  let product = 0, ofA = 0, ofB = 0;
  for (let i = 0; i < a.length; i++) {
    product += a[i]! * b[i]!;
    ofA += a[i]! ** 2;
    ofB += b[i]! ** 2;
  }
  return product / Math.sqrt(ofA * ofB);
}
