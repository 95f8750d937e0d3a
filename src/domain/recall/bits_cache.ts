/** The bits of documents' texts (`DocBits`), computed once: a document's text never changes. */
import { analyseText } from "../../retrieval/mod.ts";
import { perService } from "../common/per_service.ts";

/** The most documents in the cache, of all workspaces together; a full cache is cleared. */
const DOCS_MAX = 200_000;

export class BitsCache {
  /** By workspace, because document numbers are unique only within a workspace. */
  readonly #workspaces = new Map<string, Map<number, number>>();
  #count = 0;

  /**
   * Returns the cached bits of a workspace's documents. The caller may go on using them after the cache was cleared.
   */
  open(workspaceId: string): KnownBits {
    if (this.#count >= DOCS_MAX) {
      this.#workspaces.clear();
      this.#count = 0;
    }
    const docs = this.#workspaces.get(workspaceId) ?? new Map<number, number>();
    this.#workspaces.set(workspaceId, docs);
    return new KnownBits(docs, () => void this.#count++);
  }
}

class KnownBits {
  readonly #docs: Map<number, number>;
  readonly #onAdded: () => void;

  constructor(docs: Map<number, number>, onAdded: () => void) {
    this.#docs = docs;
    this.#onAdded = onAdded;
  }

  has(docNo: number): boolean {
    return this.#docs.has(docNo);
  }

  /** Returns a document's bits; 0 if they are not cached and there is no text to compute them from. */
  read(docNo: number, text: string | null): number {
    const known = this.#docs.get(docNo);
    if (known !== undefined || text === null) return known ?? 0;
    const { bits } = analyseText(text);
    this.#docs.set(docNo, bits);
    this.#onAdded();
    return bits;
  }
}

export const bitsCacheOf = perService(() => new BitsCache());
