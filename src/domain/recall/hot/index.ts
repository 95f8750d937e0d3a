/**
 * One workspace's hot tier at one clearance: an in-memory index over whole rows, with the parts of a reply prepared.
 * Pure data: `rows.ts` fills it.
 */
import type { FormerText, HotRow, SeenSize } from "../../../db/queries/hot.ts";
import { doubled, HeldVectors, MemoryIndex } from "../../../retrieval/mod.ts";
import { type Kind, KINDS, SENSITIVITIES, type Sensitivity } from "../../../schema/common.ts";
import { analyseRow, HotDocument, type HotSpoken } from "./document.ts";
import { HotLinks } from "./links.ts";
import { HotNames } from "./names.ts";

/**
 * Estimated bytes of a document, and of a text that is not ranked, without the text and its postings
 * (`scripts/bench/hot_bytes.ts` compares the sum with the heap).
 */
const DOCUMENT_BYTES = 1_500, REST_BYTES = 1_440;

export class HotIndex {
  /** The texts, also those that the tier does not rank. */
  readonly index = new MemoryIndex();
  readonly vectors = new HeldVectors();
  readonly documents = new Map<number, HotDocument>();
  /** The documents of units, that is, all except turns of a session. */
  readonly units = new Map<number, HotDocument>();
  readonly pinned = new Map<number, HotDocument>();
  readonly names = new HotNames();
  readonly links = new HotLinks();
  /** Units that the tier does not rank: those no longer in force, and entities of which only the name is known. */
  readonly rest = new Map<number, HotDocument>();
  /**
   * Whether it holds all that the database's index does, in `rest` and of earlier versions what the tier does not rank:
   * everything that a full recall of the present counts and follows.
   */
  isComplete = false;
  /** Values that a search checks for every candidate, by the slots of `index.columns`. */
  clearance = new Uint8Array(64);
  validFrom = new Float64Array(64);
  ends = new Float64Array(64);
  readonly #docById = new Map<string, number>();
  /** The documents of a unit that the tier does not rank, the present one first. */
  readonly #restById = new Map<string, number[]>();
  readonly #groups = new Map<string, number>();
  /** The turns, by session and message. */
  readonly #turns = new Map<string, string>();
  readonly #byRespect = new Map<string, Map<number, HotSpoken>>();
  #textBytes = 0;

  /** The number of texts that the tier ranks. */
  get size(): number {
    return this.documents.size;
  }

  /** Estimated memory in bytes. */
  get bytes(): number {
    return this.index.bytes + this.names.bytes + this.vectors.bytes + this.links.bytes + this.#textBytes +
      this.size * DOCUMENT_BYTES + (this.index.size - this.size) * REST_BYTES;
  }

  /** Adds a row, which replaces the earlier row of the same resource. */
  put(row: HotRow): void {
    this.#removeRanked(row.id);
    const text = analyseRow(row);
    const document = new HotDocument(row, row.bits ?? text.bits);
    const slot = this.index.add({
      doc: row.docNo,
      kind: KINDS[row.type as Kind],
      group: row.groupNo,
      position: row.position,
      text,
      bits: document.bits,
      ...(row.name !== null && { speaker: row.name }),
      isAssistant: row.role === "assistant",
      ...document.times,
    });
    this.documents.set(row.docNo, document);
    this.#setColumns(slot, SENSITIVITIES.indexOf(row.sensitivity as Sensitivity), document);
    this.names.put(row);
    this.#docById.set(row.id, row.docNo);
    this.#putLinks(row);
    if (row.type === "turn") {
      this.#groups.set(row.sessionId!, row.groupNo);
      this.#turns.set(`${row.sessionId} ${row.messageId}`, row.id);
    } else this.units.set(row.docNo, document);
    if (row.pinned && row.type !== "turn") this.pinned.set(row.docNo, document);
    this.#textBytes += document.textBytes;
    const { spoken } = document;
    if (spoken === undefined) return;
    const said = this.#byRespect.get(spoken.tripleKey);
    if (said === undefined) this.#byRespect.set(spoken.tripleKey, new Map([[row.docNo, spoken]]));
    else said.set(row.docNo, spoken);
  }

  /** Adds a unit that the tier does not rank. The database counts its links, too. */
  putRest(row: HotRow): void {
    const document = new HotDocument(row, this.putText(row));
    this.rest.set(row.docNo, document);
    this.#textBytes += document.textBytes;
    this.#putLinks(row);
  }

  /** Adds a text that an earlier version of a unit had. @returns its bits */
  putText(former: FormerText): number {
    const { id, docNo: doc, type } = former, text = analyseRow(former), { bits } = text;
    const slot = this.index.add({ doc, kind: KINDS[type as Kind], group: 0, position: 0, text, bits });
    this.#setColumns(slot, 0, { validFromMs: -Infinity, endsMs: -Infinity });
    const docs = this.#restById.get(id);
    if (docs === undefined) this.#restById.set(id, [doc]);
    else docs.push(doc);
    return bits;
  }

  #putLinks({ links }: HotRow): void {
    if (links !== null) this.links.put(links);
  }

  #setColumns(slot: number, clearance: number, { validFromMs, endsMs }: Pick<HotDocument, "validFromMs" | "endsMs">) {
    while (slot >= this.clearance.length) {
      this.clearance = doubled(this.clearance);
      this.validFrom = doubled(this.validFrom);
      this.ends = doubled(this.ends);
    }
    this.clearance[slot] = clearance;
    this.validFrom[slot] = validFromMs;
    this.ends[slot] = endsMs;
  }

  /** The units of a slot, in a list of the caller's own. */
  saidOf(tripleKey: string): HotSpoken[] {
    return [...this.#byRespect.get(tripleKey)?.values() ?? []];
  }

  /** The unit of an id, if the tier ranks it. */
  find(id: string): HotDocument | undefined {
    const doc = this.#docById.get(id);
    return doc === undefined ? undefined : this.documents.get(doc);
  }

  /** The unit of an id, if the tier holds it without ranking it. */
  findRest(id: string): HotDocument | undefined {
    const [doc] = this.#restById.get(id) ?? [];
    return doc === undefined ? undefined : this.rest.get(doc);
  }

  /** The turn of a session that a citation names. */
  turnOf(sessionId: string, messageId: string): string | undefined {
    return this.#turns.get(`${sessionId} ${messageId}`);
  }

  /** The number of a session whose turns are or were held. */
  groupOf(sessionId: string): number | undefined {
    return this.#groups.get(sessionId);
  }

  /** The document numbers of all texts. */
  listDocs(): number[] {
    return [...this.documents.keys(), ...[...this.#restById.values()].flat()];
  }

  /** Removes a resource; false if it was not ranked. */
  remove(id: string): boolean {
    this.#removeRest(id);
    this.links.remove(id);
    return this.#removeRanked(id);
  }

  /** Gives up what the tier does not rank. */
  dropRest(): void {
    for (const id of [...this.#restById.keys()]) this.#removeRest(id);
    this.isComplete = false;
  }

  #removeRest(id: string): void {
    for (const doc of this.#restById.get(id) ?? []) {
      this.index.remove(doc);
      this.vectors.delete(doc);
      this.#textBytes -= this.rest.get(doc)?.textBytes ?? 0;
      this.rest.delete(doc);
    }
    this.#restById.delete(id);
  }

  #removeRanked(id: string): boolean {
    const doc = this.#docById.get(id);
    const document = doc === undefined ? undefined : this.documents.get(doc);
    if (doc === undefined || document === undefined) return false;
    this.#docById.delete(id);
    this.links.remove(id);
    const { type, sessionId, messageId } = document.row;
    if (type === "turn") this.#turns.delete(`${sessionId} ${messageId}`);
    this.documents.delete(doc);
    this.units.delete(doc);
    this.vectors.delete(doc);
    this.pinned.delete(doc);
    this.index.remove(doc);
    this.names.remove(doc);
    this.#textBytes -= document.textBytes;
    const { spoken } = document;
    if (spoken !== undefined) {
      const said = this.#byRespect.get(spoken.tripleKey)!;
      said.delete(doc);
      if (said.size === 0) this.#byRespect.delete(spoken.tripleKey);
    }
    return true;
  }

  /** Whether it holds as much as the database's index up to the clearance. */
  holds(seen: readonly SeenSize[]): boolean {
    const held = new Map(this.index.corpora().filter(({ docs }) => docs > 0).map((size) => [size.kind, size]));
    const filled = seen.filter(({ docs }) => docs > 0);
    return filled.length === held.size && filled.every(({ kind, docs, tokens, groups }) => {
      const own = held.get(kind);
      return own?.docs === docs && own.tokens === tokens && own.groups === groups;
    });
  }
}
