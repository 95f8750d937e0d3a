/**
 * The memory of the process as the store of a search: what the hot tier holds of a workspace. If that is all of it, the
 * search finds what it finds in the database.
 */
import type { Heir } from "../../db/queries/recall_heirs.ts";
import { RESPECT_MAX } from "../../db/queries/recall_respects.ts";
import { WINDOW_ROWS_MAX } from "../../db/queries/recall.ts";
import {
  type CorpusSize,
  ENTRY_WORDS,
  type Expansion,
  NEAR_TERMS_MAX,
  type NearText,
  type Prescored,
  type StoredData,
} from "../../retrieval/mod.ts";
import { KINDS, UNIT_KINDS } from "../../schema/common.ts";
import { LIVE_STATUSES } from "../../schema/unit_state.ts";
import { DATED_GROUPS_MAX, DATED_UNITS_MAX, ENTRIES_MAX } from "./database_store.ts";
import type { KnownUnit } from "./current_first.ts";
import type { GraphArm, Seeds } from "./graph.ts";
import type { HotDocument, HotSpoken } from "./hot_document.ts";
import { isEligible, readStored, timesOf, unitOf } from "./hot_filter.ts";
import type { HotIndex } from "./hot_index.ts";
import { newerOf } from "./hot_newer.ts";
import { joinNames, NAMED_TEXTS_MAX, type Naming, type WantedNames } from "./named.ts";
import type { RecallRequest } from "./request.ts";
import type { Lists, NewerSource, PlacedText, QueryVector, Span, Store } from "./store.ts";
import { TierTimer } from "./tier_timer.ts";

/** Thrown if a query has so many postings that the database would return only a part of them. */
export class TooManyPostings extends Error {}

/** Where a walk over the graph began, and the texts that it led to. */
export interface Walked {
  readonly seeds: Seeds;
  readonly arm: GraphArm | undefined;
}

export interface MemoryOptions {
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
/** Successors that are followed from one unit; `readHeirs` follows as many. */
const SUCCESSORS_MAX = 10;

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

  readPostings(terms: readonly string[]): Lists {
    const { index, rest } = this.held;
    const lists = index.lists(terms, this.#kinds, this.#entriesMax);
    for (const [term, more] of rest?.index.lists(terms, this.#kinds, this.#entriesMax) ?? []) {
      const own = lists.get(term);
      lists.set(term, own === undefined ? more : [...own, ...more]);
    }
    for (const list of lists.values()) if (list.length > 1) list.sort((a, b) => a.entries[0]! - b.entries[0]!);
    if (this.#entriesMax === undefined && countEntries(lists) > ENTRIES_MAX) throw new TooManyPostings();
    return lists;
  }

  readCorpora(): readonly CorpusSize[] {
    const ranked = this.held.index.corpora(this.#kinds);
    return this.held.rest?.sumUp(ranked, this.#kinds) ?? ranked;
  }

  findNearTerms(terms: readonly string[]): Expansion[][] {
    const { index, rest } = this.held;
    return terms.map((term) => {
      if (rest === undefined) return index.vocabulary.near(term);
      const found = new Map<string, Expansion>();
      for (const { vocabulary } of [index, rest.index]) {
        for (const near of vocabulary.near(term)) found.set(near.term, near);
      }
      return [...found.values()].sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1))
        .slice(0, NEAR_TERMS_MAX);
    });
  }

  findGroup(sessionId: string): number | undefined {
    return this.held.groupOf(sessionId);
  }

  findDatedGroups(spans: readonly Span[]): ReadonlyMap<number, number> {
    return this.held.index.datedGroups(spans, { turnsMax: WINDOW_ROWS_MAX, groupsMax: DATED_GROUPS_MAX });
  }

  findDatedUnits(spans: readonly Span[]): number[] {
    const { index: { columns }, units, rest, validFrom } = this.held;
    const bare = [...rest?.documents.values() ?? []].filter(({ row }) => LIVE.has(row.status));
    const found = new Set<number>();
    for (const span of spans) {
      const dated = new DatedUnits(span);
      if (this.request.rows.byRecording) {
        for (const { docNo, row } of [...units.values(), ...bare]) dated.offer(docNo, row.recordedAt.getTime());
      } else {
        for (let slot = 0; slot < columns.end; slot++) {
          if (columns.kind[slot] === KINDS.turn) continue;
          const began = columns.validFrom[slot]!, ended = columns.validTo[slot]!;
          dated.offer(columns.doc[slot]!, columns.occurredAt[slot]!, began, validFrom[slot]!, ended);
        }
        for (const { docNo, times, validFromMs } of bare) {
          dated.offer(docNo, times.occurredAt, times.validFrom, validFromMs, times.validTo);
        }
      }
      for (const docNo of dated.best()) found.add(docNo);
    }
    return [...found];
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
      if (this.eligible(docNo) !== undefined) offered.add(docNo);
    }
    for (const docNo of docs) offered.add(docNo);
    return {
      names: [...new Set(keys.map((key) => query.written(key)))],
      docs: new Map([...named].filter(([docNo]) => offered.has(docNo))),
    };
  }

  findNearest({ vector }: QueryVector, limit: number): NearText[] {
    return this.held.vectors.findNearest(vector, limit, this.#kinds);
  }

  compare({ vector }: QueryVector, docs: readonly number[], limit: number): NearText[] {
    return this.held.vectors.compare(docs, vector, limit);
  }

  readCandidates(candidates: Prescored): (StoredData | undefined)[] {
    const stored = readStored(this.held, this.held.index.slotsOf(candidates), this.request);
    if (!this.request.rows.bare) return stored;
    return stored.map((data, i) => data ?? this.#readBare(candidates.docs[i]!)?.data);
  }

  readDocuments(docs: readonly number[]): PlacedText[] {
    const { columns } = this.held.index;
    const slots = docs.map((docNo) => columns.slotOf(docNo));
    return readStored(this.held, slots, this.request).flatMap((data, i) => {
      const slot = slots[i]!;
      if (data === undefined) return this.#readBare(docs[i]!) ?? [];
      return { data, groupNo: columns.group[slot]!, position: columns.position[slot]! };
    });
  }

  /** Among units in force, the tier ranks all but entities of which nothing but the name is known. */
  #readBare(docNo: number): PlacedText | undefined {
    const document = this.held.documents.has(docNo) ? undefined : this.eligible(docNo);
    if (document === undefined) return undefined;
    const times = timesOf(document, this.request.rows.byRecording);
    return { data: { doc: docNo, bits: document.bits, ...times }, groupNo: 0, position: 0 };
  }

  findHeirs(refused: readonly number[], tripleKeys: readonly string[]): Heir[] {
    const { held } = this, heirs: Heir[] = [];
    for (const docNo of refused) {
      const heir = this.#followSuccessors(held.rest?.documents.get(docNo));
      if (heir !== undefined) heirs.push({ docNo, heirNo: heir.docNo });
    }
    for (const { status, body, docNo: heirNo } of tripleKeys.flatMap((key) => held.saidOf(key))) {
      for (const id of status === "active" ? body.outdates ?? [] : []) {
        const outdated = held.find(id) ?? held.rest?.find(id);
        if (outdated !== undefined) heirs.push({ docNo: outdated.docNo, heirNo });
      }
    }
    return heirs;
  }

  /** The unit in force to which the successors of a superseded one lead. */
  #followSuccessors(first: HotDocument | undefined): HotDocument | undefined {
    let unit = first;
    for (let step = 1; step <= SUCCESSORS_MAX && unit?.row.status === "superseded"; step++) {
      const next = unit.row.body?.["supersededBy"];
      if (typeof next !== "string") return undefined;
      const ranked = this.held.find(next);
      if (ranked !== undefined) return ranked;
      unit = this.held.rest?.find(next);
      if (unit !== undefined && LIVE.has(unit.row.status)) return unit;
    }
    return undefined;
  }

  readSpoken(tripleKeys: readonly string[]): ReadonlyMap<string, readonly HotSpoken[]> {
    return new Map(tripleKeys.map((key) => {
      const said = this.held.saidOf(key);
      if (said.length < 2) return [key, said];
      said.sort((a, b) => b.recordedAt.getTime() - a.recordedAt.getTime() || b.docNo - a.docNo);
      return [key, said.slice(0, RESPECT_MAX)];
    }));
  }

  readTexts(docs: readonly number[]): HotDocument[] {
    return docs.flatMap((docNo) => this.#documentOf(docNo) ?? []);
  }

  readPinned(limit: number): HotDocument[] {
    const { pinned, rest } = this.held;
    const bare = this.request.rows.bare ? [...rest?.documents.values() ?? []].filter(({ row }) => row.pinned) : [];
    const time = ({ row }: HotDocument) => row.updatedAt?.getTime() ?? 0;
    return [...pinned.values(), ...bare].filter(({ docNo }) => this.eligible(docNo) !== undefined)
      .sort((a, b) => time(b) - time(a) || (a.row.id < b.row.id ? -1 : 1)).slice(0, limit);
  }

  readNewer(_: readonly unknown[], query: QueryVector | undefined): NewerSource {
    return newerOf(this.held, ({ docNo }) => this.eligible(docNo) !== undefined, query);
  }

  readNeighbours(): never {
    throw new Error("Cannot read neighbours from memory: the database has to answer");
  }

  unitOf(docNo: number): KnownUnit | undefined {
    const document = this.#documentOf(docNo);
    return document && unitOf(document);
  }

  tripleKeyOf(docNo: number): string | undefined {
    return this.held.documents.get(docNo)?.spoken?.tripleKey;
  }

  #documentOf(docNo: number): HotDocument | undefined {
    return this.held.documents.get(docNo) ?? this.held.rest?.documents.get(docNo);
  }

  /** A text that passes the filters. */
  eligible(docNo: number): HotDocument | undefined {
    const ranked = this.held.documents.get(docNo);
    if (ranked !== undefined) return isEligible(ranked, this.request) ? ranked : undefined;
    if (!this.request.rows.bare) return undefined;
    const bare = this.held.rest?.documents.get(docNo);
    return bare !== undefined && LIVE.has(bare.row.status) && isEligible(bare, this.request) ? bare : undefined;
  }
}

function countEntries(lists: Lists): number {
  let sum = 0;
  for (const list of lists.values()) for (const { entries } of list) sum += entries.length / ENTRY_WORDS;
  return sum;
}

/** The units of a span by each sign of their times, as `readTemporalUnits` finds them. */
class DatedUnits {
  readonly #happened: [docNo: number, ms: number][] = [];
  readonly #began: [docNo: number, ms: number][] = [];
  readonly #ended: [docNo: number, ms: number][] = [];

  constructor(readonly span: Span) {}

  /** @param began as told; `validFrom`: -Infinity if there is none. NaN or undefined: no such time */
  offer(docNo: number, occurred = NaN, began = NaN, validFrom = -Infinity, ended = NaN): void {
    const { from, to } = this.span;
    if (occurred >= from && occurred < to) this.#happened.push([docNo, occurred]);
    if (began >= from && began < to) this.#began.push([docNo, began]);
    if (ended >= from && (validFrom === -Infinity ? ended < to : validFrom < from && ended > from)) {
      this.#ended.push([docNo, ended]);
    }
  }

  /** Those that happened or began last, and those that end first. */
  *best(): Generator<number> {
    for (const [dated, order] of [[this.#happened, -1], [this.#began, -1], [this.#ended, 1]] as const) {
      dated.sort(([a, x], [b, y]) => order * (x - y) || b - a);
      for (const [docNo] of dated.slice(0, DATED_UNITS_MAX)) yield docNo;
    }
  }
}
