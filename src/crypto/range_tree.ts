/**
 * A digest of many entries by which two instances find where they differ: 65,536 buckets by the first two bytes of an
 * entry's key, folded to a root by sixteens. Leaves and nodes are hashed with different beginnings and joined in order,
 * never summed: sums can be steered by whoever chooses the entries.
 */
import { createHash } from "node:crypto";
import { sha256 } from "./hash.ts";

const HASH_BYTES = 32;
const KEY_BYTES = 8;
/** Hex digits of a bucket. */
export const BUCKET_DIGITS = 4;
const FAN = 16;

/** Where an item stands: 8 bytes, hex. Times in ids would crowd one branch; these are spread evenly. */
export function itemKey(reference: string): string {
  return sha256(reference).subarray(0, KEY_BYTES).toHex();
}

/** What a version of an item adds to the digest, hex. */
export function itemLeaf(reference: string, version: number, hash: string): string {
  return createHash("sha256").update("\0").update(`${reference}\n${version}\n${hash}`).digest("hex");
}

/** The digest of a bucket from its leaves, in the order of their keys. The database makes the same. */
export function bucketDigest(leaves: readonly Uint8Array[]): Uint8Array {
  const hash = createHash("sha256").update("\0");
  for (const leaf of leaves) hash.update(leaf);
  return hash.digest();
}

/** A bucket that has entries. */
export interface Bucket {
  /** The first two bytes of the keys as a number. */
  readonly no: number;
  readonly count: number;
  readonly digest: Uint8Array;
}

export interface RangeNode {
  /** 0 to 4 hex digits. */
  readonly prefix: string;
  readonly count: number;
  /** Hex; 64 zeros for nothing. */
  readonly digest: string;
}

/** The tree over all buckets; about 2.5 MB, however many entries there are. */
export class RangeTree {
  /** By the number of digits: the root, 16, 256, 4,096, 65,536 nodes. */
  readonly #digests: readonly Uint8Array[];
  readonly #counts: readonly Float64Array[];

  constructor(buckets: Iterable<Bucket>) {
    const sizes = Array.from({ length: BUCKET_DIGITS + 1 }, (_, digits) => FAN ** digits);
    this.#digests = sizes.map((size) => new Uint8Array(size * HASH_BYTES));
    this.#counts = sizes.map((size) => new Float64Array(size));
    for (const { no, count, digest } of buckets) {
      this.#digests[BUCKET_DIGITS]!.set(digest, no * HASH_BYTES);
      this.#counts[BUCKET_DIGITS]![no] = count;
    }
    for (let digits = BUCKET_DIGITS - 1; digits >= 0; digits--) this.#fold(digits);
  }

  /** A node of nothing but empty ones is empty. */
  #fold(digits: number): void {
    const [counts, below] = [this.#counts[digits]!, this.#counts[digits + 1]!];
    const children = this.#digests[digits + 1]!;
    for (let no = 0; no < counts.length; no++) {
      for (let child = 0; child < FAN; child++) counts[no]! += below[no * FAN + child]!;
      if (counts[no] === 0) continue;
      const range = children.subarray(no * FAN * HASH_BYTES, (no + 1) * FAN * HASH_BYTES);
      this.#digests[digits]!.set(createHash("sha256").update("\x01").update(range).digest(), no * HASH_BYTES);
    }
  }

  /** The node of a prefix of 0 to 4 hex digits. */
  node(prefix: string): RangeNode {
    return this.#at(prefix.length, prefix === "" ? 0 : Number.parseInt(prefix, 16));
  }

  /** What is not empty below a prefix, so many digits deeper, at most down to the buckets. */
  below(prefix: string, depth: number): RangeNode[] {
    const digits = Math.min(BUCKET_DIGITS, prefix.length + depth);
    const span = FAN ** (digits - prefix.length);
    const first = (prefix === "" ? 0 : Number.parseInt(prefix, 16)) * span;
    return Array.from({ length: span }, (_, i) => this.#at(digits, first + i)).filter(({ count }) => count > 0);
  }

  #at(digits: number, no: number): RangeNode {
    return {
      prefix: digits === 0 ? "" : no.toString(16).padStart(digits, "0"),
      count: this.#counts[digits]![no]!,
      digest: this.#digests[digits]!.subarray(no * HASH_BYTES, (no + 1) * HASH_BYTES).toHex(),
    };
  }
}
