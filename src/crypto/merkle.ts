/**
 * Merkle trees as in RFC 9162 §2.1 (the hashing of RFC 6962): heads, inclusion and consistency proofs, verification.
 *
 * Leaves are given as leaf hashes. A tree of any size is read through a source, so that its nodes can come from storage.
 */
import { createHash } from "node:crypto";
import { equalSecrets } from "./hash.ts";

const LEAF = new Uint8Array([0]);
const NODE = new Uint8Array([1]);

/** The head of the empty tree. */
export function emptyHead(): Uint8Array {
  return createHash("sha256").digest();
}

export function hashLeaf(data: Uint8Array): Uint8Array {
  return createHash("sha256").update(LEAF).update(data).digest();
}

export function hashNode(left: Uint8Array, right: Uint8Array): Uint8Array {
  return createHash("sha256").update(NODE).update(left).update(right).digest();
}

/**
 * The hash of the whole subtree over the leaves `from` to `to` (exclusive); its width is a power of two that divides `from`.
 */
export type SubtreeSource = (from: number, to: number) => Promise<Uint8Array>;

/** Computes heads while leaves are appended, in memory for one hash per level. */
export class TreeHead {
  /** Heads of whole subtrees, the widest first; undefined where the size has no such bit. */
  readonly #levels: (Uint8Array | undefined)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  append(leaf: Uint8Array): void {
    let hash = leaf;
    let level = 0;
    for (let rest = this.#size; rest % 2 === 1; rest = (rest - 1) / 2, level++) {
      hash = hashNode(this.#levels[level]!, hash);
      this.#levels[level] = undefined;
    }
    this.#levels[level] = hash;
    this.#size++;
  }

  head(): Uint8Array {
    let head: Uint8Array | undefined;
    for (const hash of this.#levels) if (hash !== undefined) head = head === undefined ? hash : hashNode(hash, head);
    return head ?? emptyHead();
  }
}

/** The widest power of two below `n`, for `n` of 2 or more. */
function splitOf(n: number): number {
  let k = 1;
  while (2 * k < n) k *= 2;
  return k;
}

/** The head over the leaves `from` to `to`. */
export async function headOf(source: SubtreeSource, from: number, to: number): Promise<Uint8Array> {
  const n = to - from;
  if (n === 0) return emptyHead();
  const k = n === 1 ? 1 : splitOf(n);
  if (n === 1 || 2 * k === n) return await source(from, to);
  return hashNode(await headOf(source, from, from + k), await headOf(source, from + k, to));
}

/** Proves that a leaf is at `index` in the tree of `size` leaves. RFC 9162 §2.1.3.1. */
export async function proveInclusion(source: SubtreeSource, index: number, size: number): Promise<Uint8Array[]> {
  const path: Uint8Array[] = [];
  let from = 0;
  let to = size;
  const siblings: [number, number][] = [];
  while (to - from > 1) {
    const middle = from + splitOf(to - from);
    if (index < middle) {
      siblings.push([middle, to]);
      to = middle;
    } else {
      siblings.push([from, middle]);
      from = middle;
    }
  }
  for (const [lower, upper] of siblings.reverse()) path.push(await headOf(source, lower, upper));
  return path;
}

/** Proves that the tree of `first` leaves is the beginning of the tree of `second`. RFC 9162 §2.1.4.1. */
export async function proveConsistency(source: SubtreeSource, first: number, second: number): Promise<Uint8Array[]> {
  const ranges: [number, number][] = [];
  let from = 0;
  let to = second;
  let isWhole = true;
  // SUBPROOF(m, D[n], b), from the root down; collected from the leaves up.
  while (first !== to) {
    const middle = from + splitOf(to - from);
    if (first <= middle) {
      ranges.push([middle, to]);
      to = middle;
    } else {
      ranges.push([from, middle]);
      from = middle;
      isWhole = false;
    }
  }
  if (!isWhole) ranges.push([from, to]);
  const path: Uint8Array[] = [];
  for (const [lower, upper] of ranges.reverse()) path.push(await headOf(source, lower, upper));
  return path;
}

/** Whether a proof of inclusion holds. RFC 9162 §2.1.3.2. */
export function verifyInclusion(
  leaf: Uint8Array,
  index: number,
  size: number,
  path: readonly Uint8Array[],
  head: Uint8Array,
): boolean {
  if (!isCount(index) || !isCount(size) || index >= size || ![leaf, head, ...path].every(isHash)) return false;
  let fn = index;
  let sn = size - 1;
  let hash = leaf;
  for (const sibling of path) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      hash = hashNode(sibling, hash);
      while (fn % 2 === 0 && fn !== 0) {
        fn = Math.floor(fn / 2);
        sn = Math.floor(sn / 2);
      }
    } else {
      hash = hashNode(hash, sibling);
    }
    fn = Math.floor(fn / 2);
    sn = Math.floor(sn / 2);
  }
  return sn === 0 && equalSecrets(hash, head);
}

/** Whether a proof of consistency holds; a first tree without leaves proves nothing. RFC 9162 §2.1.4.2. */
export function verifyConsistency(
  first: number,
  firstHead: Uint8Array,
  second: number,
  secondHead: Uint8Array,
  path: readonly Uint8Array[],
): boolean {
  if (!isCount(first) || !isCount(second) || first === 0 || first > second) return false;
  if (first === second) return path.length === 0 && equalSecrets(firstHead, secondHead);
  if (![firstHead, secondHead, ...path].every(isHash)) return false;
  // A first tree of full width is itself a node of the second.
  const nodes = Number.isInteger(Math.log2(first)) ? [firstHead, ...path] : [...path];
  const start = nodes.shift();
  if (start === undefined) return false;
  let fn = first - 1;
  let sn = second - 1;
  while (fn % 2 === 1) {
    fn = Math.floor(fn / 2);
    sn = Math.floor(sn / 2);
  }
  let one = start;
  let two = start;
  for (const node of nodes) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      one = hashNode(node, one);
      two = hashNode(node, two);
      while (fn % 2 === 0 && fn !== 0) {
        fn = Math.floor(fn / 2);
        sn = Math.floor(sn / 2);
      }
    } else {
      two = hashNode(two, node);
    }
    fn = Math.floor(fn / 2);
    sn = Math.floor(sn / 2);
  }
  return sn === 0 && equalSecrets(one, firstHead) && equalSecrets(two, secondHead);
}

function isHash(bytes: Uint8Array): boolean {
  return bytes.length === 32;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
