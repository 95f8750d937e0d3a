/** The bits of documents' texts (`DocBits`), computed once: a document's text never changes. */
import { analyseText } from "../../retrieval/mod.ts";
import { perService } from "../common/per_service.ts";

/** Documents of all workspaces together; beyond it all are forgotten. */
const DOCS_MAX = 200_000;

export class BitsCache {
  /** By workspace, since the same number is another document elsewhere. */
  readonly #workspaces = new Map<string, Map<number, number>>();
  #count = 0;

  /** What is known of a workspace's documents. Who holds it keeps it, also when the cache is emptied meanwhile. */
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

  /** The document's bits; 0 when they are not known and there is no text to compute them from. */
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
