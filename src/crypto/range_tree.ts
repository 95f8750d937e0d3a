/**
 * A digest tree over many entries, by which two instances find the entries that differ. It has 65,536 buckets, by the
 * first two bytes of an entry's key; each node above them hashes 16 children, up to the root. Leaves and nodes are
 * hashed with different prefixes and concatenated in order, not summed: whoever chooses the entries could steer a sum.
 */
import { createHash } from "node:crypto";
import { sha256 } from "./hash.ts";

const HASH_BYTES = 32;
const KEY_BYTES = 8;
/** The number of hex digits that name a bucket. */
export const BUCKET_DIGITS = 4;
const FAN = 16;

/**
 * The key that places an item in the tree: 8 bytes in hex. It is a hash, because ids begin with a time and would crowd
 * one branch.
 */
export function itemKey(reference: string): string {
  return sha256(reference).subarray(0, KEY_BYTES).toHex();
}

/** The leaf that a version of an item adds to the digest, in hex. */
export function itemLeaf(reference: string, version: number, hash: string): string {
  return createHash("sha256").update("\0").update(`${reference}\n${version}\n${hash}`).digest("hex");
}

/**
 * Computes the digest of a bucket from its leaves, given in the order of their keys. The database computes the same.
 */
export function bucketDigest(leaves: readonly Uint8Array[]): Uint8Array {
  const hash = createHash("sha256").update("\0");
  for (const leaf of leaves) hash.update(leaf);
  return hash.digest();
}

/** A bucket that is not empty. */
export interface Bucket {
  /** The first two bytes of the keys as a number. */
  readonly no: number;
  readonly count: number;
  readonly digest: Uint8Array;
}

/** A node of the tree. */
export interface RangeNode {
  /** The first 0 to 4 hex digits of all keys below the node. */
  readonly prefix: string;
  readonly count: number;
  /** In hex; 64 zeros for an empty node. */
  readonly digest: string;
}

/** The tree over all buckets. It takes about 2.5 MB, however many entries there are. */
export class RangeTree {
  /** The digests of each level, by the number of its digits: 1, 16, 256, 4,096 and 65,536 nodes. */
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

  /** Computes a level from the level below it. A node whose children are all empty is empty. */
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

  /** Returns the node of a prefix of 0 to 4 hex digits. */
  node(prefix: string): RangeNode {
    return this.#at(prefix.length, prefix === "" ? 0 : Number.parseInt(prefix, 16));
  }

  /**
   * Returns the nodes below a prefix that are not empty, `depth` digits deeper, but at most at the level of the
   * buckets.
   */
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
