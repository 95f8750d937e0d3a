/**
 * The names of a workspace in memory, at one clearance: those of the units that the hot tier holds, and those of all
 * entities. Pure data.
 */
import type { EntityName, NamedText } from "../../../db/queries/recall_names.ts";
import type { EntityKey, HotRow } from "../../../db/queries/hot.ts";
import { NAME_SHARED_MAX } from "../../../db/queries/mentions.ts";
import { type NameForm, type NameSlice, QueryNames } from "../../../retrieval/mod.ts";
import type { UnitType } from "../../../schema/unit.ts";
import { type Called, listCalled } from "../../unit/names/unit_names.ts";
import type { WantedNames } from "../search/named_texts.ts";

/** Estimated bytes of a name of a unit or entity. */
const NAME_BYTES = 200;

interface NameEntry extends NameForm {
  /** Units that have the name, by document number, with the kinds of name. */
  readonly docs: Map<number, Set<Called["source"]>>;
  readonly entities: Set<string>;
}

export class HotNames {
  readonly #names = new Map<string, NameEntry>();
  /** Names by their first letters. */
  readonly #byLetter = new Map<string, Set<NameEntry>>();
  readonly #called = new Map<number, readonly Called[]>();
  readonly #entities = new Map<string, readonly NameForm[]>();
  /** The texts that mention an entity. */
  readonly #mentioning = new Map<string, Set<number>>();
  readonly #mentions = new Map<number, readonly string[]>();
  /** The survivors of merged entities, and the reverse. */
  readonly #roots = new Map<string, string>();
  readonly #members = new Map<string, Set<string>>();
  /** The active entities that a name in a text can mean, and the reverse. */
  readonly #holders = new Map<string, Set<string>>();
  readonly #keys = new Map<string, Set<string>>();
  #count = 0;

  /** Estimated memory in bytes. */
  get bytes(): number {
    return (this.#count + this.#keys.size) * NAME_BYTES;
  }

  /** Adds the names and mentions of a turn or unit that is not here yet. */
  put({ docNo, type, body, tags, entityIds }: HotRow): void {
    const called = type === "turn" ? [] : listCalled({ type: type as UnitType, body, tags });
    if (called.length > 0) this.#called.set(docNo, called);
    for (const { source, ...form } of called) {
      const { docs } = this.#enter(form);
      const sources = docs.get(docNo) ?? new Set();
      docs.set(docNo, sources);
      sources.add(source);
    }
    if (entityIds.length > 0) this.#mentions.set(docNo, entityIds);
    for (const id of entityIds) addTo(this.#mentioning, id, docNo);
    this.#count += called.length + entityIds.length;
  }

  remove(docNo: number): void {
    const called = this.#called.get(docNo) ?? [];
    const mentions = this.#mentions.get(docNo) ?? [];
    this.#called.delete(docNo);
    this.#mentions.delete(docNo);
    for (const { key } of called) {
      const entry = this.#names.get(key);
      entry?.docs.delete(docNo);
      if (entry !== undefined) this.#leave(entry);
    }
    for (const id of mentions) removeFrom(this.#mentioning, id, docNo);
    this.#count -= called.length + mentions.length;
  }

  /** Sets the present names of entities; an id of `ids` without a name loses its names. */
  renewEntities(ids: readonly string[], names: readonly EntityName[]): void {
    for (const id of ids) this.#removeEntity(id);
    for (const [id, own] of Map.groupBy(names, ({ entityId }) => entityId)) {
      this.#removeEntity(id);
      this.#entities.set(id, own);
      this.#count += own.length;
      for (const form of own) this.#enter(form).entities.add(id);
    }
  }

  /** Sets the names by which texts mean entities; an id of `ids` without one has none. */
  renewKeys(ids: readonly string[], keys: readonly EntityKey[]): void {
    for (const id of ids) {
      for (const key of this.#keys.get(id) ?? []) removeFrom(this.#holders, key, id);
      this.#keys.delete(id);
    }
    for (const { key, entityId } of keys) {
      addTo(this.#holders, key, entityId);
      addTo(this.#keys, entityId, key);
    }
  }

  /** The active entities that have one of some names; a name that many share is left out. */
  findKnownNames(keys: readonly string[]): EntityKey[] {
    return keys.flatMap((key) => {
      const holders = this.#holders.get(key);
      if (holders === undefined || holders.size > NAME_SHARED_MAX) return [];
      return [...holders].sort().map((entityId) => ({ key, entityId }));
    });
  }

  /** Sets which entities were merged into which; an id of `ids` without a root stands for itself. */
  renewRoots(ids: readonly string[], roots: readonly { readonly sourceId: string; readonly rootId: string }[]): void {
    for (const id of [...ids, ...roots.map(({ sourceId }) => sourceId)]) {
      const root = this.#roots.get(id);
      if (root !== undefined) removeFrom(this.#members, root, id);
      this.#roots.delete(id);
    }
    for (const { sourceId, rootId } of roots) {
      this.#roots.set(sourceId, rootId);
      addTo(this.#members, rootId, sourceId);
    }
  }

  /**
   * The names in a query.
   * @param holds whether a unit's text holds a stem
   */
  findWanted(text: string, holds: (stem: string) => boolean): WantedNames {
    const query = new QueryNames(text);
    const exact = query.keys.filter((key) => this.#names.has(key));
    const doubtful = query.doubtful(new Set(query.stems.filter(holds)), exact);
    const similar = query.findMistaken(this.#listSimilar(query.slices(doubtful)), doubtful);
    return { query, keys: [...new Set([...exact, ...similar])] };
  }

  /** The entities that a query names as it is written, and its words that name them. At most `limit` entities. */
  findEntities(text: string, limit: number): { readonly ids: readonly string[]; readonly words: ReadonlySet<string> } {
    const query = new QueryNames(text);
    const ids = new Set<string>(), words = new Set<string>();
    for (const key of query.keys) {
      const entities = this.#names.get(key)?.entities;
      for (const id of entities ?? []) if (ids.size < limit) ids.add(this.#roots.get(id) ?? id);
      const written = entities === undefined ? [] : query.written(key).toLowerCase().split(" ");
      for (const word of written) words.add(word);
    }
    return { ids: [...ids], words };
  }

  /** The texts that mention an entity, or one that was merged into it. */
  listMentioning(id: string): Set<number> {
    return new Set([id, ...this.#members.get(id) ?? []].flatMap((one) => [...this.#mentioning.get(one) ?? []]));
  }

  /** The texts that have one of some names. */
  listTexts(keys: readonly string[]): NamedText[] {
    return keys.flatMap((key) => this.#textsOf(key));
  }

  #textsOf(key: string): NamedText[] {
    const { docs, entities } = this.#names.get(key)!;
    const texts: NamedText[] = [...docs].flatMap(([docNo, sources]) =>
      [...sources].map((source) => ({ docNo, source, key }))
    );
    for (const entity of entities) {
      for (const id of [entity, ...this.#members.get(entity) ?? []]) {
        for (const docNo of this.#mentioning.get(id) ?? []) texts.push({ docNo, source: "entity", key });
      }
    }
    return texts;
  }

  *#listSimilar(slices: readonly NameSlice[]): Generator<NameForm> {
    for (const { from, to } of slices) {
      for (const name of this.#byLetter.get(letterOf(from)) ?? []) if (name.key >= from && name.key < to) yield name;
    }
  }

  #enter(form: NameForm): NameEntry {
    const known = this.#names.get(form.key);
    if (known !== undefined) return known;
    const entry: NameEntry = { ...form, docs: new Map(), entities: new Set() };
    this.#names.set(form.key, entry);
    addTo(this.#byLetter, letterOf(form.key), entry);
    return entry;
  }

  /** Removes a name that no unit and no entity has any more. */
  #leave(entry: NameEntry): void {
    if (entry.docs.size + entry.entities.size > 0) return;
    this.#names.delete(entry.key);
    removeFrom(this.#byLetter, letterOf(entry.key), entry);
  }

  #removeEntity(id: string): void {
    const names = this.#entities.get(id) ?? [];
    this.#entities.delete(id);
    this.#count -= names.length;
    for (const { key } of names) {
      const entry = this.#names.get(key);
      entry?.entities.delete(id);
      if (entry !== undefined) this.#leave(entry);
    }
  }
}

function letterOf(key: string): string {
  return String.fromCodePoint(key.codePointAt(0)!);
}

function addTo<Key, Item>(sets: Map<Key, Set<Item>>, key: Key, item: Item): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([item]));
  else set.add(item);
}

function removeFrom<Key, Item>(sets: Map<Key, Set<Item>>, key: Key, item: Item): void {
  const set = sets.get(key);
  if (set?.delete(item) && set.size === 0) sets.delete(key);
}
