/**
 * Keeps large rows of postings that recalls have read in memory, decoded for the ranking. For these rows Postgres then
 * returns only the stamps, and for the others the entries, too. So Postgres still decides, in the transaction of each
 * recall, which rows the caller may see and what they hold.
 */
import type { Tx } from "../../../db/tx.ts";
import type { PostingsWish, StoredPostings } from "../../../db/queries/postings.ts";
import { decodePostings } from "../../../retrieval/mod.ts";
import { SENSITIVITIES, type Sensitivity } from "../../../schema/common.ts";
import { perService } from "../../common/per_service.ts";

/** One row of postings as recall reads it. */
export interface ReadPostings {
  readonly term: string;
  readonly kind: number;
  /** How many documents hold the term, of all kinds in the recall. */
  readonly df: number;
  /** Decoded; nobody may change them. Null: left out, because the term is too frequent for the budget. */
  readonly entries: Uint32Array | null;
}

interface Row {
  readonly kind: number;
  readonly sensitivity: Sensitivity;
  readonly entries: Uint32Array;
}

/** The rows of a term that the cache keeps, by stamp. */
type Rows = Map<string, Row>;
/** The rows of a term that a reply names, by stamp; undefined for a row whose entries were not sent. */
type RowsByName = Map<string, Row | undefined>;

const NONE_NAMED: RowsByName = new Map();
/** The approximate bytes of a row and of a term, without the entries. */
const ROW_OVERHEAD_BYTES = 250, TERM_OVERHEAD_BYTES = 400;
/** The most stamps that a statement sends: Postgres compares each row that it finds with each of them. */
const KNOWN_MAX = 1_000;

export class PostingsCache {
  readonly #bytesMax: number;
  /** By workspace and term, the least recently read first. */
  readonly #terms = new Map<string, Rows>();
  #bytes = 0;

  /** @param bytesMax the most memory of all rows together; 0: none are kept */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The approximate memory of all rows, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Reads postings with one statement and takes kept rows from memory.
   * @param read runs the statement
   * @throws Error if the database leaves out the entries of a row that is not in memory
   */
  async read(
    tx: Tx,
    wish: Omit<PostingsWish, "known">,
    read: (tx: Tx, wish: PostingsWish) => Promise<StoredPostings[]>,
  ): Promise<ReadPostings[]> {
    // A copy, because other recalls may evict these rows while the statement runs.
    const known = new Map<string, Row>();
    for (const term of wish.terms) {
      for (const [stamp, row] of this.#terms.get(keyOf(tx, term)) ?? []) {
        if (known.size < KNOWN_MAX && isSeen(tx, wish.kinds, row)) known.set(stamp, row);
      }
    }
    const found = new Map<string, RowsByName>();
    const out = (await read(tx, { ...wish, known: [...known.keys()] })).map((row): ReadPostings => {
      const { term, kind, sensitivity, df, wanted, stamp } = row;
      const kept = stamp === null ? undefined : known.get(stamp);
      const entries = kept?.entries ?? (row.entries === null ? null : decodePostings(row.entries));
      if (wanted && entries === null) throw new Error("Cannot recall: a row of postings came without its entries");
      if (stamp !== null) {
        const named: RowsByName = found.get(term) ?? new Map();
        const read = entries === null ? undefined : { kind, sensitivity, entries: ownCopy(entries) };
        found.set(term, named.set(stamp, kept ?? read));
      }
      return { term, kind, df, entries: wanted ? entries : null };
    });
    for (const term of wish.terms) this.#update(tx, term, wish.kinds, found.get(term) ?? NONE_NAMED);
    return out;
  }

  /** Keeps the rows of a term that a reply names. Forgets those that the reply would name if they still existed. */
  #update(tx: Tx, term: string, kinds: readonly number[], named: RowsByName): void {
    const key = keyOf(tx, term);
    const before = this.#terms.get(key);
    if (before === undefined && named.size === 0) return;
    const rows: Rows = new Map();
    for (const [stamp, row] of before ?? []) {
      if (!isSeen(tx, kinds, row) || named.has(stamp)) rows.set(stamp, row);
    }
    for (const [stamp, row] of named) if (row !== undefined) rows.set(stamp, row);
    this.#terms.delete(key);
    if (before !== undefined) this.#bytes -= sizeOf(before);
    const bytes = sizeOf(rows);
    if (rows.size === 0 || bytes > this.#bytesMax) return;
    this.#terms.set(key, rows);
    this.#bytes += bytes;
    for (const [oldest, its] of this.#terms) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#terms.delete(oldest);
      this.#bytes -= sizeOf(its);
    }
  }
}

/** Whether a recall of some kinds would find a row that still exists. */
function isSeen({ maxSensitivity }: Tx, kinds: readonly number[], row: Row): boolean {
  return kinds.includes(row.kind) && SENSITIVITIES.indexOf(row.sensitivity) <= SENSITIVITIES.indexOf(maxSensitivity);
}

function keyOf({ workspaceId }: Tx, term: string): string {
  return `${workspaceId} ${term}`;
}

function sizeOf(rows: Rows): number {
  let bytes = TERM_OVERHEAD_BYTES;
  for (const { entries } of rows.values()) bytes += entries.byteLength + ROW_OVERHEAD_BYTES;
  return bytes;
}

/** A copy of the entries, if they would keep a larger piece of memory alive. */
function ownCopy(entries: Uint32Array): Uint32Array {
  return entries.byteLength < entries.buffer.byteLength ? entries.slice() : entries;
}

export const postingsCacheOf = perService((deps) => new PostingsCache(deps.config.postingsBytesMax));
