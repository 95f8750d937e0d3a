/**
 * The packed posting entry, the same bytes in the database, on the wire and in memory.
 *
 * An entry is 12 bytes, three little-endian u32: document number; group number (the session; 0 = none);
 * `position << 14 | tf << 8 | length`, with position ≤ 262,143, tf ≤ 63, length ≤ 255 (larger values are clamped).
 */

/** Bytes of one entry. */
export const ENTRY_BYTES = 12;
/** u32 words of one entry. */
export const ENTRY_WORDS = 3;
/** Greatest position within a group. */
export const POSITION_MAX = 0x3ffff;

/** One posting in open form. */
export interface Posting {
  readonly doc: number;
  readonly group: number;
  readonly position: number;
  readonly tf: number;
  readonly length: number;
}

/** Packs the third word of an entry. */
export function packOccurrence(position: number, tf: number, length: number): number {
  return (Math.min(POSITION_MAX, position) << 14 | Math.min(63, tf) << 8 | Math.min(255, length)) >>> 0;
}

/** Encodes postings as the `entries` bytes of a postings row. */
export function encodePostings(postings: readonly Posting[]): Uint8Array {
  const words = new Uint32Array(postings.length * ENTRY_WORDS);
  for (let i = 0; i < postings.length; i++) {
    const p = postings[i];
    words[i * 3] = p.doc;
    words[i * 3 + 1] = p.group;
    words[i * 3 + 2] = packOccurrence(p.position, p.tf, p.length);
  }
  return toLittleEndian(words);
}

/**
 * Encodes packed entries, three u32 words each, as the `entries` bytes of a postings row; `decodePostings` reads them back.
 */
export function encodeEntries(words: readonly number[]): Uint8Array {
  return toLittleEndian(Uint32Array.from(words));
}

const LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

function toLittleEndian(words: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  return LITTLE_ENDIAN ? bytes : swapWords(bytes);
}

function swapWords(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) out[i] = bytes[(i & ~3) + 3 - (i & 3)];
  return out;
}

/**
 * Decodes the bytes of a postings row into a view of u32 words, three per entry. The view shares the memory of `bytes` where
 * it is aligned; a driver's buffer that is not is copied once.
 *
 * @throws RangeError when the length is no multiple of `ENTRY_BYTES`: the row is damaged.
 */
export function decodePostings(bytes: Uint8Array): Uint32Array {
  if (bytes.byteLength % ENTRY_BYTES !== 0) {
    throw new RangeError(`Cannot decode postings: ${bytes.byteLength} bytes is no multiple of ${ENTRY_BYTES}`);
  }
  const native = LITTLE_ENDIAN ? bytes : swapWords(bytes);
  if (native.byteOffset % 4 === 0) return new Uint32Array(native.buffer, native.byteOffset, native.byteLength / 4);
  return new Uint32Array(native.slice().buffer);
}

/** Reads entry `i` of decoded words in open form; for tests and tools, not for the inner loops. */
export function postingAt(words: Uint32Array, i: number): Posting {
  const packed = words[i * 3 + 2];
  return {
    doc: words[i * 3],
    group: words[i * 3 + 1],
    position: packed >>> 14,
    tf: packed >>> 8 & 63,
    length: packed & 255,
  };
}

/** Postings of one term and kind; a term may have several lists (batches). Order within and between lists is free. */
export interface PostingsList {
  readonly kind: number;
  /** Decoded entries, `ENTRY_WORDS` words each. */
  readonly entries: Uint32Array;
  /** True document frequency where `entries` was capped; absent: `entries` is complete. */
  readonly df?: number;
}
