/**
 * The memory of the process as the store of a search: what the hot tier holds of a workspace. If that is all of it, the
 * search finds what it finds in the database.
 */
import { SLOT_MAX, type Successor, SUCCESSORS_MAX } from "../../../db/queries/recall_slots.ts";
import { WINDOW_ROWS_MAX } from "../../../db/queries/recall_times.ts";
import {
  type CorpusSize,
  ENTRY_WORDS,
  type Expansion,
  type NearText,
  type Prescored,
  type StoredData,
} from "../../../retrieval/mod.ts";
import { type Kind, KINDS, SENSITIVITIES, UNIT_KINDS } from "../../../schema/common.ts";
import { LIVE_STATUSES } from "../../../schema/unit_state.ts";
import { DATED_GROUPS_MAX, ENTRIES_MAX } from "../database/store.ts";
import type { KnownUnit } from "../search/current_first.ts";
import type { GraphArm, Seeds } from "../search/graph.ts";
import { joinNames, NAMED_TEXTS_MAX, type Naming, type WantedNames } from "../search/named_texts.ts";
import { toldAt } from "../search/newer/newer.ts";
import { isSelective, type RecallRequest } from "../search/request.ts";
import {
  type NewerSource,
  type Period,
  type PlacedText,
  type QueryVector,
  type Store,
  type TermLists,
  TierTimer,
} from "../search/store.ts";
import { type HotDocument, type HotSpoken, isAhead } from "./document.ts";
import { findDatedUnits } from "./dated_units.ts";
import type { HotIndex } from "./index.ts";

/** Thrown if a query has so many postings that the database would return only a part of them. */
export class TooManyPostings extends Error {}

/** Where a walk over the graph began, and the texts that it led to. */
export interface Walked {
  readonly seeds: Seeds;
  readonly arm: GraphArm | undefined;
}

interface MemoryOptions {
  /**
   * The entries that are read of a list, the latest ones; undefined: all, or none of any list if the database would not
   * read all, see `TooManyPostings`.
   */
  readonly entriesMax?: number;
  /** The walk over the graph. It is in the database, so the walk comes before the search. */
  readonly walked?: Walked | undefined;
  readonly timer?: TierTimer;
}

const LIVE: ReadonlySet<string> = new Set(LIVE_STATUSES);
const ALL_UNITS: ReadonlySet<number> = new Set(Object.values(UNIT_KINDS));
const NO_SEEDS: Seeds = { ids: [], words: new Set() };

export class MemoryStore implements Store {
  readonly timer: TierTimer;
  readonly #entriesMax: number | undefined;
  readonly #walked: Walked | undefined;
  /** The kinds that the request asks for, by their numbers in the index; undefined: all kinds. */
  readonly #kinds: ReadonlySet<number> | undefined;

  constructor(
    readonly held: HotIndex,
    readonly request: RecallRequest,
    { entriesMax, walked, timer = new TierTimer() }: MemoryOptions,
  ) {
    this.timer = timer;
    this.#entriesMax = entriesMax;
    this.#walked = walked;
    const isAll = request.kinds.length === Object.keys(KINDS).length;
    this.#kinds = isAll ? undefined : new Set(request.kinds.map((kind) => KINDS[kind]));
  }

  readPostings(terms: readonly string[]): TermLists {
    const lists = this.held.index.lists(terms, this.#kinds, this.#entriesMax);
    for (const list of lists.values()) if (list.length > 1) list.sort((a, b) => a.entries[0]! - b.entries[0]!);
    if (this.#entriesMax === undefined && countEntries(lists) > ENTRIES_MAX) throw new TooManyPostings();
    return lists;
  }

  readCorpora(): readonly CorpusSize[] {
    return this.held.index.corpora(this.#kinds);
  }

  findNearTerms(terms: readonly string[]): Expansion[][] {
    return terms.map((term) => this.held.index.vocabulary.near(term));
  }

  findGroup(sessionId: string): number | undefined {
    return this.held.groupOf(sessionId);
  }

  findDatedGroups(spans: readonly Period[]): ReadonlyMap<number, number> {
    return this.held.index.datedGroups(spans, { turnsMax: WINDOW_ROWS_MAX, groupsMax: DATED_GROUPS_MAX });
  }

  findDatedUnits(spans: readonly Period[]): number[] {
    return findDatedUnits(this.held, spans, this.request.rows);
  }

  findSeeds(): Seeds {
    return this.#walked?.seeds ?? NO_SEEDS;
  }

  walk(): GraphArm | undefined {
    return this.#walked?.arm;
  }

  findWantedNames(): WantedNames {
    return this.held.names.findWanted(this.request.query, (stem) => this.held.index.lists([stem], ALL_UNITS).size > 0);
  }

  findNamed({ query, keys }: WantedNames, docs: readonly number[]): Naming {
    const named = joinNames(query, this.held.names.listTexts(keys));
    const offered = new Set<number>();
    for (const docNo of [...named.keys()].sort((a, b) => b - a)) {
      if (offered.size >= NAMED_TEXTS_MAX) break;
      if (this.#findPassing(docNo) !== undefined) offered.add(docNo);
    }
    for (const docNo of docs) offered.add(docNo);
    return {
      names: [...new Set(keys.map((key) => query.written(key)))],
      docs: new Map([...named].filter(([docNo]) => offered.has(docNo))),
    };
  }

  findNearest(
    { vector }: QueryVector,
    limit: number,
    { kinds }: { readonly kinds: readonly Kind[] },
  ): NearText[] {
    const some = kinds.length < this.request.kinds.length ? new Set(kinds.map((kind) => KINDS[kind])) : this.#kinds;
    return this.held.vectors.findNearest(vector, limit, some);
  }

  compare({ vector }: QueryVector, docs: readonly number[], limit: number): NearText[] {
    return this.held.vectors.compare(docs, vector, limit);
  }

  readCandidates(candidates: Prescored): (StoredData | undefined)[] {
    const stored = this.#readStored(this.held.index.slotsOf(candidates));
    if (!this.request.rows.bare) return stored;
    return stored.map((data, i) => data ?? this.#readBare(candidates.docs[i]!)?.data);
  }

  readDocuments(docs: readonly number[]): PlacedText[] {
    const { columns } = this.held.index;
    const slots = docs.map((docNo) => columns.slotOf(docNo));
    return this.#readStored(slots).flatMap((data, i) => {
      const slot = slots[i]!;
      if (data === undefined) return this.#readBare(docs[i]!) ?? [];
      return { data, groupNo: columns.group[slot]!, position: columns.position[slot]! };
    });
  }

  /** The ranker's input for texts that the tier ranks; undefined for those that the request's filters refuse. */
  #readStored(slots: ArrayLike<number>): (StoredData | undefined)[] {
    const { index: { columns }, clearance, validFrom, ends, documents } = this.held;
    const { rows, kinds, filters, maxSensitivity } = this.request;
    const asOf = rows.asOf.getTime(), cleared = SENSITIVITIES.indexOf(maxSensitivity);
    let wanted = 0;
    for (const kind of kinds) wanted |= 1 << KINDS[kind];
    // Whether the columns alone can answer; otherwise the whole document is needed.
    const isPlain = !isSelective(this.request) && rows.to === null && filters === undefined;
    return Array.from(slots, (slot) => {
      if (slot < 0 || clearance[slot]! > cleared || (wanted >>> columns.kind[slot]! & 1) === 0) return undefined;
      const from = validFrom[slot]!;
      if (ends[slot]! <= asOf || from > asOf && isAhead(from, rows)) return undefined;
      if (isPlain && !rows.byRecording) return columns.dataAt(slot);
      const document = documents.get(columns.doc[slot]!)!;
      if (!isPlain && !document.passes(this.request)) return undefined;
      const data = columns.dataAt(slot);
      return rows.byRecording ? { ...data, ...document.timesBy(true) } : data;
    });
  }

  /** Among units in force, the tier ranks all but entities of which nothing but the name is known. */
  #readBare(docNo: number): PlacedText | undefined {
    const document = this.held.documents.has(docNo) ? undefined : this.#findPassing(docNo);
    if (document === undefined) return undefined;
    const times = document.timesBy(this.request.rows.byRecording);
    return { data: { doc: docNo, bits: document.bits, ...times }, groupNo: 0, position: 0 };
  }

  findSuccessors(refused: readonly number[], tripleKeys: readonly string[]): Successor[] {
    const { held } = this, successors: Successor[] = [];
    for (const docNo of refused) {
      const successor = this.#followSuccessors(held.rest.get(docNo));
      if (successor !== undefined) successors.push({ docNo, successorNo: successor.docNo });
    }
    for (const { status, body, docNo: successorNo } of tripleKeys.flatMap((key) => held.saidOf(key))) {
      for (const id of status === "active" ? body.outdates ?? [] : []) {
        const outdated = held.find(id) ?? held.findRest(id);
        if (outdated !== undefined) successors.push({ docNo: outdated.docNo, successorNo });
      }
    }
    return successors;
  }

  /** The unit in force to which the successors of a superseded one lead. */
  #followSuccessors(first: HotDocument | undefined): HotDocument | undefined {
    let unit = first;
    for (let step = 1; step <= SUCCESSORS_MAX && unit?.row.status === "superseded"; step++) {
      const next = unit.row.body?.["supersededBy"];
      if (typeof next !== "string") return undefined;
      const ranked = this.held.find(next);
      if (ranked !== undefined) return ranked;
      unit = this.held.findRest(next);
      if (unit !== undefined && LIVE.has(unit.row.status)) return unit;
    }
    return undefined;
  }

  readSpoken(tripleKeys: readonly string[]): ReadonlyMap<string, readonly HotSpoken[]> {
    return new Map(tripleKeys.map((key) => {
      const said = this.held.saidOf(key);
      if (said.length < 2) return [key, said];
      said.sort((a, b) => b.recordedAt.getTime() - a.recordedAt.getTime() || b.docNo - a.docNo);
      return [key, said.slice(0, SLOT_MAX)];
    }));
  }

  readTexts(docs: readonly number[]): HotDocument[] {
    return docs.flatMap((docNo) => this.#documentOf(docNo) ?? []);
  }

  readPinned(limit: number): HotDocument[] {
    const { pinned, rest } = this.held;
    const bare = this.request.rows.bare ? [...rest.values()].filter(({ row }) => row.pinned) : [];
    const time = ({ row }: HotDocument) => row.updatedAt?.getTime() ?? 0;
    return [...pinned.values(), ...bare].filter(({ docNo }) => this.#findPassing(docNo) !== undefined)
      .sort((a, b) => time(b) - time(a) || (a.row.id < b.row.id ? -1 : 1)).slice(0, limit);
  }

  readNewer(_: readonly unknown[], query: QueryVector | undefined): NewerSource {
    const { links, vectors } = this.held;
    return {
      linksOf: (id) => links.of(id),
      turnOf: (sessionId, messageId) => this.held.turnOf(sessionId, messageId),
      find: (id) => {
        const { docNo = 0 } = this.held.find(id) ?? {}, text = this.#findPassing(docNo);
        return text && { docNo, text, result: text.result, at: toldAt(text.row) };
      },
      nearness: (docNo) => query && vectors.compare([docNo], query.vector, 1)[0]?.similarity,
    };
  }

  readNeighbours(): never {
    throw new Error("Cannot read neighbours from memory: the database has to answer");
  }

  unitOf(docNo: number): KnownUnit | undefined {
    return this.#documentOf(docNo)?.unit;
  }

  tripleKeyOf(docNo: number): string | undefined {
    return this.held.documents.get(docNo)?.spoken?.tripleKey;
  }

  #documentOf(docNo: number): HotDocument | undefined {
    return this.held.documents.get(docNo) ?? this.held.rest.get(docNo);
  }

  /** A text that passes the filters. */
  #findPassing(docNo: number): HotDocument | undefined {
    const ranked = this.held.documents.get(docNo);
    if (ranked !== undefined) return ranked.passes(this.request) ? ranked : undefined;
    const bare = this.request.rows.bare ? this.held.rest.get(docNo) : undefined;
    return bare !== undefined && LIVE.has(bare.row.status) && bare.passes(this.request) ? bare : undefined;
  }
}

function countEntries(lists: TermLists): number {
  let sum = 0;
  for (const list of lists.values()) for (const { entries } of list) sum += entries.length / ENTRY_WORDS;
  return sum;
}
