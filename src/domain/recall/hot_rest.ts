/**
 * The part of a workspace's database index that the hot tier does not rank: units that are no longer in force, entities
 * of which only the name is known, texts of earlier versions, and the names of entities. With it the tier holds
 * everything that a full recall of the present counts and follows. Pure data: `hot.ts` fills it.
 */
import type { EntityKey, FormerText, HotRow, SeenSize } from "../../db/queries/hot.ts";
import { NAME_SHARED_MAX } from "../../db/queries/mentions.ts";
import { addAliases, analyseText, type CorpusSize, MemoryIndex } from "../../retrieval/mod.ts";
import { type Kind, KINDS } from "../../schema/common.ts";
import type { UnitType } from "../../schema/unit.ts";
import { indexedBeside } from "../unit/aliases.ts";
import { HotDocument, textBytesOf } from "./hot_document.ts";

/** The rows of a workspace, or of some of its units. */
export interface RestRows {
  readonly units: readonly HotRow[];
  readonly former: readonly FormerText[];
  readonly keys: readonly EntityKey[];
}

/** Estimated bytes of a unit or text without its postings, and of a name of an entity. */
const TEXT_BYTES = 1_440, KEY_BYTES = 200;

export class HotRest {
  readonly index = new MemoryIndex();
  /** Units that the tier does not rank, by document number. */
  readonly documents = new Map<number, HotDocument>();
  /** The documents of a unit, the present one first. */
  readonly #docsOf = new Map<string, number[]>();
  readonly #keys = new Map<string, Set<string>>();
  readonly #keysOf = new Map<string, string[]>();
  /** Estimated bytes of the documents' texts. */
  #textBytes = 0;

  /** Estimated memory in bytes. */
  get bytes(): number {
    return this.index.bytes + this.#textBytes + this.index.size * TEXT_BYTES + this.#keysOf.size * KEY_BYTES;
  }

  /** The unit with an id, if the tier does not rank it. */
  find(id: string): HotDocument | undefined {
    const [docNo] = this.#docsOf.get(id) ?? [];
    return docNo === undefined ? undefined : this.documents.get(docNo);
  }

  /** Adds units, texts and names. The caller has removed earlier ones of the same units. */
  put({ units, former, keys }: RestRows): void {
    for (const row of units) {
      const document = new HotDocument(row, this.#add(row));
      this.documents.set(row.docNo, document);
      this.#textBytes += textBytesOf(document);
    }
    for (const text of former) this.#add(text);
    for (const { key, entityId } of keys) {
      const holders = this.#keys.get(key);
      if (holders === undefined) this.#keys.set(key, new Set([entityId]));
      else holders.add(entityId);
      const own = this.#keysOf.get(entityId);
      if (own === undefined) this.#keysOf.set(entityId, [key]);
      else own.push(key);
    }
  }

  /** Adds a text to the index. @returns its bits */
  #add({ id, docNo, type, text, body }: FormerText): number {
    const analysis = addAliases(analyseText(text), indexedBeside(type as UnitType, body ?? {}));
    const { bits } = analysis;
    this.index.add({ doc: docNo, kind: KINDS[type as Kind], group: 0, position: 0, text: analysis, bits });
    const docs = this.#docsOf.get(id);
    if (docs === undefined) this.#docsOf.set(id, [docNo]);
    else docs.push(docNo);
    return bits;
  }

  /** The document numbers of some units, of earlier texts too; of all units if none are given. */
  docsOf(ids?: Iterable<string>): number[] {
    if (ids === undefined) return [...this.#docsOf.values()].flat();
    return Array.from(ids, (id) => this.#docsOf.get(id) ?? []).flat();
  }

  /** Removes everything that is held of a unit. @returns the document numbers of its texts */
  remove(id: string): readonly number[] {
    const docs = this.#docsOf.get(id) ?? [];
    for (const docNo of docs) {
      this.index.remove(docNo);
      const document = this.documents.get(docNo);
      if (document !== undefined) this.#textBytes -= textBytesOf(document);
      this.documents.delete(docNo);
    }
    this.#docsOf.delete(id);
    for (const key of this.#keysOf.get(id) ?? []) {
      const holders = this.#keys.get(key)!;
      holders.delete(id);
      if (holders.size === 0) this.#keys.delete(key);
    }
    this.#keysOf.delete(id);
    return docs;
  }

  /** The active entities that have one of some names; a name that many share is left out. */
  findKnownNames(keys: readonly string[]): EntityKey[] {
    return keys.flatMap((key) => {
      const holders = this.#keys.get(key);
      if (holders === undefined || holders.size > NAME_SHARED_MAX) return [];
      return [...holders].sort().map((entityId) => ({ key, entityId }));
    });
  }

  /** The sums for each kind, including the part that the tier ranks. */
  sumUp(ranked: readonly CorpusSize[], kinds?: ReadonlySet<number>): CorpusSize[] {
    const sums = new Map(ranked.map((size) => [size.kind, size]));
    for (const { kind, docs, tokens } of this.index.corpora(kinds)) {
      const other = sums.get(kind) ?? { kind, docs: 0, tokens: 0, groups: 0 };
      sums.set(kind, { ...other, docs: other.docs + docs, tokens: other.tokens + tokens });
    }
    return [...sums.values()];
  }
}

/** Whether memory holds as much as the database's index up to the clearance. */
export function isWhole(held: readonly CorpusSize[], seen: readonly SeenSize[]): boolean {
  const sizes = new Map(held.filter(({ docs }) => docs > 0).map((size) => [size.kind, size]));
  let kinds = 0;
  for (const { kind, docs, tokens, groups } of seen) {
    if (docs === 0) continue;
    const own = sizes.get(kind);
    if (own === undefined || own.docs !== docs || own.tokens !== tokens || own.groups !== groups) return false;
    kinds++;
  }
  return kinds === sizes.size;
}
