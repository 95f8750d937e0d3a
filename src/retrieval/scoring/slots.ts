/**
 * The slots over which a query is scored: the matched turns of every touched session side by side. All work is in typed
 * arrays that are reused between queries.
 *
 * Each touched session has a run of slots, one per position from 3 before its first match to 3 after its last; three
 * empty slots stand between runs, so that a neighbour's slot may be written without a check of bounds. Documents without
 * a session (group 0) follow, one slot each, and have no neighbours.
 */
import { ENTRY_WORDS } from "../terms/postings.ts";

/** An array that is reused between queries, or a new and empty one where it is too short. */
export function grown<T extends Float32Array | Uint32Array | Int32Array | Uint8Array>(
  array: T,
  size: number,
  make: (n: number) => T,
): T {
  return array.length >= size ? array : make(Math.ceil(size * 1.5) + 64);
}

export const newFloats = (n: number) => new Float32Array(n);
const newInts = (n: number) => new Int32Array(n);
export const newWords = (n: number) => new Uint32Array(n);

/** How far a match reaches, in turns. */
export const REACH = 3;

/** The layout of one query; valid until the next `load`. */
export class SlotLayout {
  /** Slots in use. Slots from `docBase` on are documents without a session. */
  slots = 0;
  docBase = 0;
  groups = 0;
  /** Per slot. */
  slotDoc = new Uint32Array(0);
  slotGroup = new Int32Array(0);
  nameMatched = new Uint32Array(0);
  /** Per touched session. */
  groupId = new Uint32Array(0);
  groupBase = new Int32Array(0);
  groupFirst = new Int32Array(0);
  groupEnd = new Int32Array(0);

  #groupOf = new U32Map();
  #docOf = new U32Map();
  #groupMin = new Int32Array(0);
  #groupMax = new Int32Array(0);
  /** By list: the places of its entries (see `#collect`), and the slots once they are placed. */
  #entrySlots = new Map<Uint32Array, Int32Array>();
  #pool = new Int32Array(0);
  #poolUsed = 0;

  /**
   * Lays out the slots of every document in the lists.
   *
   * @param lists every list that will be scattered; `temporal` adds the first turns of sessions that a date names.
   */
  load(
    lists: readonly Uint32Array[],
    temporal: ReadonlyMap<number, number>,
    only?: ReadonlySet<number>,
  ): void {
    this.#groupOf.clear();
    this.#docOf.clear();
    this.#entrySlots.clear();
    this.#poolUsed = 0;
    this.groups = 0;
    this.#pool = grown(this.#pool, lists.reduce((sum, list) => sum + list.length / ENTRY_WORDS, 0), newInts);
    let docs = 0;
    for (const list of lists) if (!this.#entrySlots.has(list)) docs += this.#collect(list, docs, only);
    for (const [group, turns] of temporal) {
      if (only !== undefined && !only.has(group)) continue;
      const g = this.#touch(group, 0);
      this.#groupMax[g] = Math.max(this.#groupMax[g], turns - 1);
    }
    this.#layOut(docs);
    for (const [list, places] of this.#entrySlots) this.#place(list, places);
  }

  #touch(group: number, position: number): number {
    const g = this.#groupOf.add(group, this.groups);
    if (g === this.groups) {
      this.groups++;
      if (g >= this.groupId.length) this.#growGroups(g + 1);
      this.groupId[g] = group;
      this.#groupMin[g] = position;
      this.#groupMax[g] = position;
    } else if (position < this.#groupMin[g]) this.#groupMin[g] = position;
    else if (position > this.#groupMax[g]) this.#groupMax[g] = position;
    return g;
  }

  #growGroups(size: number): void {
    const keep = <T extends Uint32Array | Int32Array>(old: T, make: (n: number) => T): T => {
      const out = grown(old, size, make);
      if (out !== old) out.set(old);
      return out;
    };
    this.groupId = keep(this.groupId, newWords);
    this.#groupMin = keep(this.#groupMin, newInts);
    this.#groupMax = keep(this.#groupMax, newInts);
  }

  /**
   * Stores the place of each entry of a list. For a turn it is the index of its session, for a document without a
   * session `-2 - d` where d is the index of the document, and for an entry that `only` leaves out -1.
   * @returns how many documents of the list had no index before
   */
  #collect(list: Uint32Array, docsBefore: number, only?: ReadonlySet<number>): number {
    const n = list.length / ENTRY_WORDS;
    const places = this.#pool.subarray(this.#poolUsed, this.#poolUsed + n);
    this.#poolUsed += n;
    this.#entrySlots.set(list, places);
    const takesDocs = only === undefined || only.has(0);
    let docs = 0, last = 0, g = -1;
    for (let i = 0, e = 0; e < n; e++, i += ENTRY_WORDS) {
      const group = list[i + 1];
      if (group === 0) {
        if (!takesDocs) {
          places[e] = -1;
          continue;
        }
        const doc = this.#docOf.add(list[i], docsBefore + docs);
        if (doc === docsBefore + docs) docs++;
        places[e] = -2 - doc;
        continue;
      }
      const position = list[i + 2] >>> 14;
      if (group !== last) {
        // In most lists the turns of a session are adjacent, so one look-up serves a run of them.
        last = group;
        g = only === undefined || only.has(group) ? this.#touch(group, position) : -1;
      } else if (g >= 0) {
        if (position < this.#groupMin[g]) this.#groupMin[g] = position;
        else if (position > this.#groupMax[g]) this.#groupMax[g] = position;
      }
      places[e] = g;
    }
    return docs;
  }

  #layOut(docs: number): void {
    const G = this.groups;
    this.groupBase = grown(this.groupBase, G, newInts);
    this.groupFirst = grown(this.groupFirst, G, newInts);
    this.groupEnd = grown(this.groupEnd, G, newInts);
    let next = REACH;
    for (let g = 0; g < G; g++) {
      const first = Math.max(0, this.#groupMin[g] - REACH);
      this.groupFirst[g] = first;
      this.groupBase[g] = next;
      next += this.#groupMax[g] + REACH - first + 1;
      this.groupEnd[g] = next;
      next += REACH;
    }
    this.docBase = next;
    this.slots = next + docs;
    const size = this.slots + REACH;
    this.nameMatched = grown(this.nameMatched, size, newWords);
    this.slotDoc = grown(this.slotDoc, size, newWords);
    this.slotGroup = grown(this.slotGroup, size, newInts);
    this.nameMatched.fill(0, 0, size);
    this.slotDoc.fill(0, 0, size);
    this.slotGroup.fill(-1, 0, size);
    for (let g = 0; g < G; g++) this.slotGroup.fill(g, this.groupBase[g], this.groupEnd[g]);
  }

  /** Turns `places`, which names the session or document of each entry, into slots. An entry that is left out keeps -1. */
  #place(list: Uint32Array, places: Int32Array): void {
    const { groupBase, groupFirst, slotDoc, docBase } = this;
    for (let e = 0, i = 0; e < places.length; e++, i += ENTRY_WORDS) {
      const g = places[e];
      if (g === -1) continue;
      const slot = g < 0 ? docBase - 2 - g : groupBase[g] - groupFirst[g] + (list[i + 2] >>> 14);
      places[e] = slot;
      slotDoc[slot] = list[i];
    }
  }

  /** The slots of a list's entries, in their order; -1 for an entry that has none. Undefined: the list was not laid out. */
  slotsOf(list: Uint32Array): Int32Array | undefined {
    return this.#entrySlots.get(list);
  }

  /** Marks documents that are laid out already and hold a person's name: `bit` is the person's number. */
  markName(entries: Uint32Array, bit: number): void {
    for (let i = 0; i < entries.length; i += ENTRY_WORDS) {
      const group = entries[i + 1];
      let slot = -1;
      if (group === 0) {
        const doc = this.#docOf.get(entries[i]);
        if (doc >= 0) slot = this.docBase + doc;
      } else {
        const g = this.#groupOf.get(group);
        if (g >= 0) slot = this.groupBase[g] - this.groupFirst[g] + (entries[i + 2] >>> 14);
        if (g >= 0 && (slot < this.groupBase[g] || slot >= this.groupEnd[g])) slot = -1;
      }
      if (slot < 0) continue;
      this.nameMatched[slot] |= 1 << bit;
      if (this.slotDoc[slot] === 0) this.slotDoc[slot] = entries[i];
    }
  }
}

/**
 * A map from u32 keys (0 is no key) to small integers, in typed arrays: no object per entry, and reused between queries.
 */
class U32Map {
  #keys = new Uint32Array(1024);
  #values = new Int32Array(1024);
  #mask = 1023;
  #size = 0;

  clear(): void {
    if (this.#size > 0) this.#keys.fill(0);
    this.#size = 0;
  }

  /** The value of `key`, or -1. */
  get(key: number): number {
    let at = Math.imul(key, 0x9e3779b1) >>> 7 & this.#mask;
    for (;;) {
      const found = this.#keys[at];
      if (found === key) return this.#values[at];
      if (found === 0) return -1;
      at = at + 1 & this.#mask;
    }
  }

  /** Gives a key the value if it has none. @returns the value that the key has then */
  add(key: number, value: number): number {
    if (this.#size * 2 > this.#mask) this.#grow();
    let at = Math.imul(key, 0x9e3779b1) >>> 7 & this.#mask;
    for (;;) {
      const found = this.#keys[at];
      if (found === key) return this.#values[at];
      if (found === 0) break;
      at = at + 1 & this.#mask;
    }
    this.#keys[at] = key;
    this.#values[at] = value;
    this.#size++;
    return value;
  }

  #grow(): void {
    const keys = this.#keys, values = this.#values;
    this.#keys = new Uint32Array(keys.length * 2);
    this.#values = new Int32Array(keys.length * 2);
    this.#mask = this.#keys.length - 1;
    this.#size = 0;
    for (let i = 0; i < keys.length; i++) if (keys[i] !== 0) this.add(keys[i], values[i]);
  }
}
