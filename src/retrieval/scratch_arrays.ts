/** Typed arrays that are reused between queries: made anew only where a query needs a longer one. */

/** The array, or a new and empty one where it is too short. */
export function grown<T extends Float32Array | Uint32Array | Int32Array | Uint8Array>(
  array: T,
  size: number,
  make: (n: number) => T,
): T {
  return array.length >= size ? array : make(Math.ceil(size * 1.5) + 64);
}

export const newFloats = (n: number) => new Float32Array(n);
export const newInts = (n: number) => new Int32Array(n);
export const newWords = (n: number) => new Uint32Array(n);
