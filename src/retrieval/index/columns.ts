/**
 * The data of an in-memory index about its documents, by slot, in typed arrays. A search reads
 * hundreds of documents; with one object for each it would read from as many places in memory.
 */
import type { StoredData } from "../ranking/candidates.ts";

/** A document as the columns store it. */
interface ColumnRow extends StoredData {
  readonly kind: number;
  readonly group: number;
  readonly position: number;
  readonly length: number;
  /** Offset of the numbers of its posting lists, and how many there are. */
  readonly listsAt: number;
  readonly lists: number;
}

const SLOTS_MIN = 64;

export class DocumentColumns {
  doc = new Float64Array(SLOTS_MIN);
  kind = new Uint8Array(SLOTS_MIN);
  /** 1 for what an assistant wrote. */
  isAssistant = new Uint8Array(SLOTS_MIN);
  group = new Uint32Array(SLOTS_MIN);
  position = new Uint32Array(SLOTS_MIN);
  length = new Uint32Array(SLOTS_MIN);
  listsAt = new Uint32Array(SLOTS_MIN);
  lists = new Uint32Array(SLOTS_MIN);
  bits = new Int32Array(SLOTS_MIN);
  /** Times in milliseconds; NaN when there is none. */
  occurredAt = new Float64Array(SLOTS_MIN);
  validFrom = new Float64Array(SLOTS_MIN);
  validTo = new Float64Array(SLOTS_MIN);
  readonly speaker: (string | undefined)[] = [];
  readonly #slots = new Map<number, number>();
  readonly #free: number[] = [];
  #end = 0;

  /** How many documents there are. */
  get size(): number {
    return this.#slots.size;
  }

  /**
   * One more than the highest slot ever used. Arrays kept beside these columns need that length.
   */
  get end(): number {
    return this.#end;
  }

  /** The slot of a document, or -1. */
  slotOf(doc: number): number {
    return this.#slots.get(doc) ?? -1;
  }

  /** Adds a document that is not in the columns yet. @returns its slot */
  add(row: ColumnRow): number {
    const slot = this.#free.pop() ?? this.#end++;
    if (slot === this.doc.length) this.#grow();
    this.#slots.set(row.doc, slot);
    this.doc[slot] = row.doc;
    this.kind[slot] = row.kind;
    this.isAssistant[slot] = row.isAssistant ? 1 : 0;
    this.group[slot] = row.group;
    this.position[slot] = row.position;
    this.length[slot] = row.length;
    this.listsAt[slot] = row.listsAt;
    this.lists[slot] = row.lists;
    this.bits[slot] = row.bits;
    this.occurredAt[slot] = row.occurredAt ?? NaN;
    this.validFrom[slot] = row.validFrom ?? NaN;
    this.validTo[slot] = row.validTo ?? NaN;
    this.speaker[slot] = row.speaker;
    return slot;
  }

  remove(slot: number): void {
    this.#slots.delete(this.doc[slot]!);
    this.speaker[slot] = undefined;
    // Who looks for a time goes through all slots.
    for (const times of [this.occurredAt, this.validFrom, this.validTo]) times[slot] = NaN;
    this.#free.push(slot);
  }

  /** The ranker's input for a document. */
  dataAt(slot: number): StoredData {
    return {
      doc: this.doc[slot]!,
      speaker: this.speaker[slot],
      isAssistant: this.isAssistant[slot] === 1,
      bits: this.bits[slot]!,
      occurredAt: timeOf(this.occurredAt[slot]!),
      validFrom: timeOf(this.validFrom[slot]!),
      validTo: timeOf(this.validTo[slot]!),
    };
  }

  #grow(): void {
    this.doc = doubled(this.doc);
    this.kind = doubled(this.kind);
    this.isAssistant = doubled(this.isAssistant);
    this.group = doubled(this.group);
    this.position = doubled(this.position);
    this.length = doubled(this.length);
    this.listsAt = doubled(this.listsAt);
    this.lists = doubled(this.lists);
    this.bits = doubled(this.bits);
    this.occurredAt = doubled(this.occurredAt);
    this.validFrom = doubled(this.validFrom);
    this.validTo = doubled(this.validTo);
  }
}

function timeOf(ms: number): number | undefined {
  return Number.isNaN(ms) ? undefined : ms;
}

/** Copies an array into one of twice the length. */
export function doubled<Numbers extends Int8Array | Uint8Array | Uint32Array | Int32Array | Float64Array>(
  from: Numbers,
): Numbers {
  const to = new (from.constructor as new (length: number) => Numbers)(2 * from.length);
  to.set(from);
  return to;
}
