/** Counts the bits that are set in a number of 32 bits. */
export function countBits(bits: number): number {
  const pairs = bits - (bits >>> 1 & 0x55555555);
  const nibbles = (pairs & 0x33333333) + (pairs >>> 2 & 0x33333333);
  return Math.imul(nibbles + (nibbles >>> 4) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
