/** Postgres as the store of a search, inside one read-only transaction. */
import type { Tx } from "../../../db/tx.ts";
import { compareVectors, findNearest } from "../../../db/queries/nearest_texts.ts";
import * as postings from "../../../db/queries/postings.ts";
import * as rows from "../../../db/queries/recall.ts";
import { readPinned } from "../../../db/queries/recall_results.ts";
import { readTemporalGroups, readTemporalUnits, type RecallWindow } from "../../../db/queries/recall_times.ts";
import {
  readLikelySuccessors,
  readSpoken,
  readSuccessors,
  type SpokenRow,
  type Successor,
} from "../../../db/queries/recall_slots.ts";
import {
  comparedFor,
  type CorpusSize,
  type Expansion,
  nearTerms,
  type NearText,
  type PostingsList,
  type Prescored,
  type StoredData,
} from "../../../retrieval/mod.ts";
import { type Kind, KINDS } from "../../../schema/common.ts";
import type { RecallResult } from "../../../schema/recall.ts";
import type { KnownUnit } from "../search/current_first.ts";
import type { GraphArm, Seeds } from "../search/graph.ts";
import type { Naming } from "../search/named_texts.ts";
import { readNewer } from "./newer.ts";
import type { RecallRequest } from "../search/request.ts";
import {
  type NewerSource,
  type Period,
  type PlacedText,
  type QueryVector,
  type Store,
  type TermLists,
  TierTimer,
} from "../search/store.ts";
import {
  type BitsCache,
  type Candidate,
  readCandidates,
  readResults,
  RowText,
  type WantedCandidates,
} from "./candidates.ts";
import { findNamed, findSeeds, findWantedNames, walkGraph, type WantedEntities } from "./entities.ts";
import type { PostingsCache, ReadPostings } from "./postings_cache.ts";

/** The most entries of postings that one query reads (about 2.4 MB). If a query has more, it reads frequent terms in part. */
export const ENTRIES_MAX = 200_000;
const VOCABULARY_MAX = 20_000;
/** Spellings that differ by more letters in length are not near. */
const NEAR_LENGTH = 3;
export const DATED_GROUPS_MAX = 50;
export const DATED_UNITS_MAX = 60;

interface Caches {
  readonly bits: BitsCache;
  readonly postings: PostingsCache;
}

export class DatabaseStore implements Store {
  readonly timer = new TierTimer();
  /** Round trips beyond the one that the search counts for each of its steps. */
  furtherTrips = 0;
  readonly #kinds: readonly number[];
  readonly #byDoc = new Map<number, Candidate>();
  readonly #byPlace = new Map<string, Candidate>();
  readonly #seen = new Set<number | string>();

  constructor(readonly tx: Tx, readonly request: RecallRequest, readonly caches: Caches) {
    this.#kinds = request.kinds.map((kind) => KINDS[kind]);
  }

  async readPostings(terms: readonly string[]): Promise<TermLists> {
    if (terms.length === 0) return new Map();
    const wish = { terms, kinds: this.#kinds, entriesMax: ENTRIES_MAX };
    return toLists(await this.caches.postings.read(this.tx, wish, postings.readPostings));
  }

  async readCorpora(): Promise<CorpusSize[]> {
    const sizes = await postings.readCorpusSizes(this.tx, this.#kinds);
    return sizes.map(({ kind, docs, tokens, groups }) => ({
      kind,
      docs: Math.max(0, docs),
      tokens: Math.max(0, tokens),
      groups: Math.max(0, groups),
    }));
  }

  findNearTerms(terms: readonly string[]): Promise<Expansion[][]> {
    return Promise.all(terms.map(async (term) => {
      const first = term.codePointAt(0)!;
      const slice = {
        from: String.fromCodePoint(first),
        to: String.fromCodePoint(first + 1),
        lengthMin: Math.max(3, term.length - NEAR_LENGTH),
        lengthMax: term.length + NEAR_LENGTH,
      };
      return nearTerms(term, await postings.listVocabulary(this.tx, slice, VOCABULARY_MAX));
    }));
  }

  findGroup(sessionId: string): Promise<number | undefined> {
    return rows.findGroup(this.tx, sessionId);
  }

  async findDatedGroups(spans: readonly Period[]): Promise<ReadonlyMap<number, number>> {
    const groups = await readTemporalGroups(this.tx, spans.map(toWindow), DATED_GROUPS_MAX);
    return new Map(groups.map(({ groupNo, turns }) => [groupNo, turns]));
  }

  findDatedUnits(spans: readonly Period[]): Promise<number[]> {
    return readTemporalUnits(this.tx, spans.map(toWindow), this.request.rows, DATED_UNITS_MAX);
  }

  findSeeds(): Promise<Seeds> {
    return findSeeds(this.tx, this.request.query);
  }

  async walk(seeds: Seeds): Promise<GraphArm | undefined> {
    const arm = await walkGraph(this.tx, seeds, this.request.rows.asOf);
    this.furtherTrips += Math.max(0, (arm?.roundTrips ?? 0) - 1);
    return arm;
  }

  async findWantedNames(): Promise<WantedEntities> {
    const wanted = await findWantedNames(this.tx, this.request);
    this.furtherTrips += wanted.roundTrips - 1;
    return wanted;
  }

  findNamed(wanted: WantedEntities, docs: readonly number[]): Promise<Naming> {
    return findNamed(this.tx, wanted, this.request, docs);
  }

  findNearest(
    { vector, models }: QueryVector,
    limit: number,
    { isSmall: exact, kinds }: { readonly isSmall: boolean; readonly kinds: readonly Kind[] },
  ): Promise<NearText[]> {
    const numbers = kinds.map((kind) => KINDS[kind]);
    return findNearest(this.tx, { vector, models, kinds: numbers, limit, compared: comparedFor(limit), exact });
  }

  compare({ vector, models }: QueryVector, docs: readonly number[], limit: number): Promise<NearText[]> {
    return compareVectors(this.tx, docs, { vector, models, limit });
  }

  /** Reads the rows of candidates, each once. */
  async readCandidates(candidates: Prescored): Promise<(StoredData | undefined)[]> {
    const units: number[] = [], turns: number[] = [], groups: number[] = [], positions: number[] = [];
    for (let i = 0; i < candidates.size; i++) {
      const doc = candidates.docs[i]!, group = candidates.groups[i]!, position = candidates.positions[i]!;
      const key = doc !== 0 ? doc : placeOf(group, position);
      if (this.#seen.has(key)) continue;
      this.#seen.add(key);
      if (doc === 0) {
        groups.push(group);
        positions.push(position);
      } else (group === 0 ? units : turns).push(doc);
    }
    await this.#read({ units, turns, groups, positions });
    return Array.from({ length: candidates.size }, (_, i) => {
      const doc = candidates.docs[i]!, place = placeOf(candidates.groups[i]!, candidates.positions[i]!);
      return (doc !== 0 ? this.#byDoc.get(doc) : this.#byPlace.get(place))?.data;
    });
  }

  async readDocuments(docs: readonly number[]): Promise<PlacedText[]> {
    await this.#read({ units: docs, turns: docs });
    return docs.flatMap((doc) => this.#byDoc.get(doc) ?? []);
  }

  async #read(wanted: WantedCandidates): Promise<void> {
    for (const candidate of await readCandidates(this.tx, this.request, wanted, this.caches.bits)) {
      const { data, groupNo, position } = candidate;
      this.#byDoc.set(data.doc, candidate);
      if (groupNo !== 0) this.#byPlace.set(placeOf(groupNo, position), candidate);
    }
  }

  async findSuccessors(refused: readonly number[], tripleKeys: readonly string[]): Promise<Successor[]> {
    const [successors, likely] = await Promise.all([
      refused.length === 0 ? [] : readSuccessors(this.tx, refused),
      tripleKeys.length === 0 ? [] : readLikelySuccessors(this.tx, tripleKeys),
    ]);
    return [...successors, ...likely];
  }

  async readSpoken(tripleKeys: readonly string[]): Promise<ReadonlyMap<string, readonly SpokenRow[]>> {
    const said = await readSpoken(this.tx, tripleKeys, this.request.rows);
    return Map.groupBy(said, ({ tripleKey }) => tripleKey);
  }

  async readTexts(docs: readonly number[]): Promise<RowText[]> {
    return await readResults(this.tx, this.request, docs);
  }

  async readPinned(limit: number): Promise<RowText[]> {
    return (await readPinned(this.tx, this.request.rows, limit)).map((row) => new RowText(row));
  }

  readNewer(
    shown: readonly { readonly text: RowText; readonly result: RecallResult }[],
    query: QueryVector | undefined,
  ): Promise<NewerSource> {
    return readNewer(this.tx, shown, this.request, { bits: this.caches.bits, query });
  }

  readNeighbours(
    turns: readonly { readonly sessionId: string; readonly position: number }[],
    reach: number,
  ): Promise<rows.NeighbourRow[]> {
    return rows.readNeighbours(this.tx, turns, reach, this.request.rows.knownAt);
  }

  unitOf(docNo: number): KnownUnit | undefined {
    return this.#byDoc.get(docNo)?.unit;
  }

  tripleKeyOf(docNo: number): string | undefined {
    return this.#byDoc.get(docNo)?.tripleKey ?? undefined;
  }
}

function placeOf(group: number, position: number): string {
  return `${group} ${position}`;
}

function toWindow({ from, to }: Period): RecallWindow {
  return { from: new Date(from), to: new Date(to) };
}

const NONE = new Uint32Array(0);

function toLists(found: readonly ReadPostings[]): TermLists {
  const lists = new Map<string, PostingsList[]>();
  const capped = new Set(found.filter((row) => row.entries === null).map((row) => row.term));
  for (const { term, kind, df, entries } of found) {
    const list = lists.get(term) ?? [];
    if (list.length === 0) lists.set(term, list);
    // If a term was read in part, its first list holds the true frequency, and the others hold 0.
    const share = capped.has(term) ? { df: list.length === 0 ? df : 0 } : {};
    if (entries !== null) list.push({ kind, entries, ...share });
    else if (list.length === 0) list.push({ kind, entries: NONE, df });
  }
  // Sums of floating-point numbers depend on the order, so lists follow the order of the documents, however rows come.
  for (const list of lists.values()) {
    if (list.length > 1) list.sort((a, b) => (a.entries[0] ?? 0) - (b.entries[0] ?? 0));
  }
  return lists;
}
