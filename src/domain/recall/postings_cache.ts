/**
 * Rows of postings that recalls have read, kept in memory in the form that the ranking reads. The database then returns
 * only the versions of these rows, and the entries of the others. So it is still the database that says, in the
 * transaction of each recall, which rows the caller may see and what they hold.
 */
import type { Tx } from "../../db/tx.ts";
import type { PostingsWish, StoredPostings } from "../../db/queries/postings.ts";
import { decodePostings } from "../../retrieval/mod.ts";
import { perService } from "../common/per_service.ts";

/** One row of postings as recall reads it. */
export interface ReadPostings {
  readonly term: string;
  readonly kind: number;
  /** Documents of the term in all kinds asked for. */
  readonly df: number;
  /** Decoded. Null: left out, because the term is too frequent for the budget. Nobody may change them. */
  readonly entries: Uint32Array | null;
}

/** Rows of a term by version. */
type Rows = ReadonlyMap<string, Uint32Array>;

const NO_ROWS: Rows = new Map();
/** What a row takes beside its entries, about. */
const ROW_OVERHEAD_BYTES = 200;

export class PostingsCache {
  readonly #bytesMax: number;
  /** By workspace, clearance, kinds and term; the one that was read last comes last. */
  readonly #terms = new Map<string, Rows>();
  #bytes = 0;

  /** @param bytesMax the most memory of all rows together; 0: none are kept */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The memory of all rows, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Reads postings with one statement and takes what is kept of them from memory.
   * @param read runs the statement
   */
  async read(
    tx: Tx,
    wish: Omit<PostingsWish, "known">,
    read: (tx: Tx, wish: PostingsWish) => Promise<StoredPostings[]>,
  ): Promise<ReadPostings[]> {
    if (this.#bytesMax === 0) {
      return (await read(tx, { ...wish, known: undefined })).map((row) => decode(row, undefined));
    }
    const scope = `${tx.workspaceId} ${tx.maxSensitivity} ${wish.kinds.join()} `;
    const known = new Map<string, Rows>();
    for (const term of wish.terms) {
      const rows = this.#terms.get(scope + term);
      if (rows !== undefined) known.set(term, rows);
    }
    const versions = [...known.values()].flatMap((rows) => [...rows.keys()]);
    const rows = await read(tx, { ...wish, known: versions });
    const found = new Map<string, Map<string, Uint32Array>>();
    const out = rows.map((row) => {
      const { term, version } = row;
      const kept = version === null ? undefined : known.get(term)?.get(version);
      const one = decode(row, kept);
      const entries = one.entries ?? kept;
      if (version !== null && entries !== undefined) {
        const of = found.get(term) ?? new Map<string, Uint32Array>();
        // Small ones may be a part of a larger piece of memory, which they would keep alive.
        found.set(term, of.set(version, entries.byteLength < entries.buffer.byteLength ? entries.slice() : entries));
      }
      return one;
    });
    // The reply names all rows of a term: one that it does not name was written anew or is gone.
    for (const term of known.keys()) if (!found.has(term)) this.#keep(scope + term, NO_ROWS);
    for (const [term, of] of found) this.#keep(scope + term, of);
    return out;
  }

  /** Forgets all rows. */
  clear(): void {
    this.#terms.clear();
    this.#bytes = 0;
  }

  #keep(key: string, rows: Rows): void {
    const before = this.#terms.get(key);
    if (before !== undefined) {
      this.#terms.delete(key);
      this.#bytes -= sizeOf(before);
    }
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

/** @param kept the row's entries, if they are in memory */
function decode({ term, kind, df, wanted, entries }: StoredPostings, kept: Uint32Array | undefined): ReadPostings {
  if (!wanted) return { term, kind, df, entries: null };
  return { term, kind, df, entries: entries === null ? kept ?? null : decodePostings(entries) };
}

function sizeOf(rows: Rows): number {
  let bytes = 0;
  for (const entries of rows.values()) bytes += entries.byteLength + ROW_OVERHEAD_BYTES;
  return bytes;
}

/** Each service keeps its own rows. */
export const postingsCacheOf = perService((deps) => new PostingsCache(deps.config.postingsBytesMax));
