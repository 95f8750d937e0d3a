/**
 * One workspace's hot tier at one clearance: an in-memory index over whole rows, with the parts of a reply prepared.
 * Pure data: `hot.ts` decides when it is filled.
 */
import type { HotRow } from "../../db/queries/hot.ts";
import { addAliases, analyseText, doubled, HeldVectors, MemoryIndex } from "../../retrieval/mod.ts";
import { type Kind, KINDS, SENSITIVITIES, type Sensitivity } from "../../schema/common.ts";
import type { UnitType } from "../../schema/unit.ts";
import { indexedBeside } from "../unit/aliases.ts";
import type { FilterDocument } from "./filters.ts";
import { HotDocument, type HotSpoken, textBytesOf } from "./hot_document.ts";
import { HotLinks } from "./hot_links.ts";
import { HotNames } from "./hot_names.ts";
import type { HotRest } from "./hot_rest.ts";

/**
 * Estimated bytes of a document without its text and postings, and of a unit's subject, predicate and object
 * (`scripts/bench/hot_bytes.ts` compares the sum with the heap).
 */
const DOCUMENT_BYTES = 1_500;

export class HotIndex {
  readonly index = new MemoryIndex();
  readonly documents = new Map<number, HotDocument>();
  /** The documents of units, that is, all except turns of a session. */
  readonly units = new Map<number, HotDocument>();
  readonly pinned = new Map<number, HotDocument>();
  readonly names = new HotNames();
  readonly links = new HotLinks();
  /** Vectors of the texts, also of those that the tier does not rank. */
  readonly vectors = new HeldVectors();
  /** The rest of the database's index; undefined: the tier does not hold the whole workspace. */
  rest: HotRest | undefined;
  /** Values that a search checks for every candidate, by the slots of `index.columns`. */
  clearance = new Uint8Array(64);
  validFrom = new Float64Array(64);
  ends = new Float64Array(64);
  readonly #docById = new Map<string, number>();
  readonly #groups = new Map<string, number>();
  /** The turns, by session and message. */
  readonly #turns = new Map<string, string>();
  readonly #byRespect = new Map<string, Map<number, HotSpoken>>();
  #textBytes = 0;

  get size(): number {
    return this.documents.size;
  }

  /** The number of texts, including those that the tier does not rank. */
  get texts(): number {
    return this.size + (this.rest?.index.size ?? 0);
  }

  /** Estimated memory in bytes. */
  get bytes(): number {
    return this.index.bytes + this.names.bytes + this.vectors.bytes + this.links.bytes + this.#textBytes +
      this.documents.size * DOCUMENT_BYTES +
      (this.rest?.bytes ?? 0);
  }

  /** Adds a row, which replaces the earlier row of the same resource. */
  put(row: HotRow): void {
    this.#removeRanked(row.id);
    const text = addAliases(
      analyseText(row.text),
      row.type === "turn" ? [] : indexedBeside(row.type as UnitType, row.body),
    );
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
    this.#setColumns(slot, document);
    this.names.put(row);
    this.#docById.set(row.id, row.docNo);
    this.putLinks([row]);
    if (row.type === "turn") {
      this.#groups.set(row.sessionId!, row.groupNo);
      this.#turns.set(`${row.sessionId} ${row.messageId}`, row.id);
    } else this.units.set(row.docNo, document);
    if (row.pinned && row.type !== "turn") this.pinned.set(row.docNo, document);
    this.#textBytes += textBytesOf(document);
    const { spoken } = document;
    if (spoken === undefined) return;
    const said = this.#byRespect.get(spoken.tripleKey);
    if (said === undefined) this.#byRespect.set(spoken.tripleKey, new Map([[row.docNo, spoken]]));
    else said.set(row.docNo, spoken);
  }

  /** Adds the links of rows, also of those that the tier does not rank: the database counts them, too. */
  putLinks(rows: readonly HotRow[]): void {
    for (const { links } of rows) if (links !== null) this.links.put(links);
  }

  #setColumns(slot: number, { row, validFromMs, endsMs }: HotDocument): void {
    while (slot >= this.clearance.length) {
      this.clearance = doubled(this.clearance);
      this.validFrom = doubled(this.validFrom);
      this.ends = doubled(this.ends);
    }
    this.clearance[slot] = SENSITIVITIES.indexOf(row.sensitivity as Sensitivity);
    this.validFrom[slot] = validFromMs;
    this.ends[slot] = endsMs;
  }

  /** The units of a respect, in a list of the caller's own. */
  saidOf(tripleKey: string): HotSpoken[] {
    return [...this.#byRespect.get(tripleKey)?.values() ?? []];
  }

  /** The unit of an id, if the tier ranks it. */
  find(id: string): HotDocument | undefined {
    const doc = this.#docById.get(id);
    return doc === undefined ? undefined : this.documents.get(doc);
  }

  /** The turn of a session that a citation names. */
  turnOf(sessionId: string, messageId: string): string | undefined {
    return this.#turns.get(`${sessionId} ${messageId}`);
  }

  /** The number of a session whose turns are or were held. */
  groupOf(sessionId: string): number | undefined {
    return this.#groups.get(sessionId);
  }

  /** Removes a resource; false if it was not there. */
  remove(id: string): boolean {
    for (const docNo of this.rest?.remove(id) ?? []) this.vectors.delete(docNo);
    this.links.remove(id);
    return this.#removeRanked(id);
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
    this.#textBytes -= textBytesOf(document);
    const { spoken } = document;
    if (spoken !== undefined) {
      const said = this.#byRespect.get(spoken.tripleKey)!;
      said.delete(doc);
      if (said.size === 0) this.#byRespect.delete(spoken.tripleKey);
    }
    return true;
  }
}
/** The document that filters read, as the database would build it. */
export function toFilterDocument({ row, sessionIds }: HotDocument): FilterDocument {
  const iso = (time: Date | null) => time?.toISOString() ?? null;
  const common = {
    type: row.type,
    status: row.status,
    attribution: row.attribution,
    trustScore: row.trustScore,
    sensitivity: row.sensitivity,
    pinned: row.pinned,
    stale: row.stale,
    tags: row.tags,
    metadata: row.metadata,
    occurredAt: iso(row.occurredAt),
    createdAt: iso(row.createdAt),
  };
  if (row.type === "turn") {
    const { sessionId, messageId, role, name, entityIds } = row;
    return { ...common, sessionId, messageId, role, name, entityIds };
  }
  const { citations, factType, subject, predicate, object } = row.body ?? {};
  return {
    ...common,
    confidence: row.confidence,
    worth: row.worth,
    validFrom: iso(row.validFrom),
    validTo: iso(row.validTo),
    updatedAt: iso(row.updatedAt),
    createdBy: row.createdBy,
    entityIds: row.entityIds,
    sessionId: sessionIds,
    messageId: ((citations ?? []) as { messageId: string }[]).map((citation) => citation.messageId),
    factType,
    subject,
    predicate,
    object,
  };
}
