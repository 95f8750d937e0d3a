/** What the table and the transformer of the sentence encoder have in common: the space of their vectors. */

/** Components of a vector. */
export const COMPONENTS = 256;

/** Makes a vector's length 1; false if it is zero. */
export function normalise(vector: Float32Array): boolean {
  let square = 0;
  for (const value of vector) square += value * value;
  if (square < 1e-18) return false;
  const norm = Math.sqrt(square);
  for (let i = 0; i < vector.length; i++) vector[i] /= norm;
  return true;
}
