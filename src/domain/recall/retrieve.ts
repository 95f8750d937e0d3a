/**
 * The database's part of a recall, inside one read-only transaction: postings → prescore → rows that the filters let
 * through → fusion. Statements of one step travel together, so that a step costs one round trip.
 */
import type { Tx } from "../../db/scope.ts";
import { findNearest } from "../../db/queries/embeddings.ts";
import * as postings from "../../db/queries/postings.ts";
import * as rows from "../../db/queries/recall.ts";
import {
  CANDIDATES,
  type CorpusSize,
  decodePostings,
  type Expansion,
  nearTerms,
  type PostingsInput,
  type PostingsList,
  prescore,
  type Prescored,
  type QueryPlan,
  type StoredData,
  unknownTerms,
} from "../../retrieval/mod.ts";
import { KINDS } from "../../schema/common.ts";
import type { RecallTier } from "../../schema/recall.ts";
import { armWeight, extendCandidates, fuse, type Fused, measureLeads, type SemanticArm } from "./fusion.ts";
import { isSelective, type RecallRequest } from "./request.ts";
import { type Candidate, type RecallSource, sourcesOf } from "./sources.ts";

/** What the query's embedding is, where there is one. */
export interface QueryVector {
  readonly vector: Float32Array;
  readonly model: string;
  readonly weight: number;
}

export interface RetrieveOptions {
  /** Workspaces with at most so many texts are searched for meaning by comparing all. */
  readonly semanticExactMax: number;
  readonly vector: QueryVector | undefined;
}

export interface TierReport {
  readonly tier: RecallTier;
  readonly candidates: number;
  /** The time that it took by itself. */
  readonly durationMs: number;
  /** From its first piece of work to its last, on the clock of `performance.now()`. */
  readonly span: { readonly startedMs: number; readonly endedMs: number };
}

/** What the steps found, for the reply and the trace. */
export interface Retrieved {
  readonly candidates: Prescored;
  readonly stored: readonly (StoredData | undefined)[];
  readonly fused: Fused;
  readonly substitutes: ReadonlyMap<string, readonly Expansion[]>;
  readonly semantic: SemanticArm | undefined;
  readonly tiers: readonly TierReport[];
  readonly eligible: number;
  readonly roundTrips: number;
}

/** Entries of postings that one query reads: some 2.4 MB. Beyond it, frequent terms are read in part. */
const ENTRIES_MAX = 200_000;
/** The same for related terms; the ranking looks at fewer still. */
const RELATED_ENTRIES_MAX = 40_000;
const UNKNOWN_TERMS_MAX = 4;
const VOCABULARY_MAX = 20_000;
/** Spellings that differ by more letters in length are not near. */
const NEAR_LENGTH = 3;
const TEMPORAL_GROUPS_MAX = 50;
const TEMPORAL_UNITS_MAX = 60;
const SEMANTIC_MAX = 60;
const SEMANTIC_SELECTIVE_MAX = 300;
/** How many candidates are looked at while the filters refuse too many. */
const CANDIDATE_STEPS = [CANDIDATES, 1_000, 5_000, 25_000];

export async function retrieve(
  tx: Tx,
  plan: QueryPlan,
  request: RecallRequest,
  options: RetrieveOptions,
): Promise<Retrieved> {
  const sources = sourcesOf(request.kinds);
  const timer = new TierTimer();
  const read = await readPostings(tx, plan, request, sources, timer);
  const wanted = Math.max(30, 3 * request.limit);
  const pool = new Pool(tx, sources, request);
  let candidates = prescore(plan, read.input);
  timer.lap("lexical");
  const semantic = readSemantic(tx, request, options, read.input.corpora, timer);
  await Promise.all([pool.read(candidates), semantic]);
  for (const limit of CANDIDATE_STEPS.slice(1)) {
    // Fewer than asked for: every document with a word of the query was a candidate.
    if (pool.countEligible(candidates) >= wanted || candidates.size < (read.input.limit ?? CANDIDATES)) break;
    read.input = { ...read.input, limit };
    candidates = prescore(plan, read.input);
    await pool.read(candidates);
  }
  timer.lap("lexical");
  const arm = await semantic;
  const known = pool.docsOf(candidates);
  const extra = [...(arm?.hits.keys() ?? []), ...read.dated].filter((doc) => !known.has(doc));
  const extended = extendCandidates(candidates, await pool.readExtra([...new Set(extra)]));
  const stored = pool.storedOf(extended);
  const fused = fuse(extended, stored, arm);
  timer.count("lexical", candidates.size);
  timer.count("semantic", arm?.hits.size ?? 0);
  timer.count("temporal", (read.input.temporalGroups?.size ?? 0) + read.dated.length);
  return {
    candidates: extended,
    stored,
    fused,
    substitutes: read.input.substitutes ?? new Map(),
    semantic: arm,
    tiers: timer.report(),
    eligible: fused.results.length,
    roundTrips: 1 + read.roundTrips + pool.roundTrips,
  };
}

interface ReadPostings {
  input: PostingsInput;
  readonly dated: readonly number[];
  readonly roundTrips: number;
}

/** The first round trip: postings, sizes, and what the dates and the session of the query lead to. */
async function readPostings(
  tx: Tx,
  plan: QueryPlan,
  request: RecallRequest,
  sources: readonly RecallSource[],
  timer: TierTimer,
): Promise<ReadPostings> {
  const kinds = request.kinds.map((kind) => KINDS[kind]);
  const windows = windowsOf(plan, request);
  const grouped = sources.some((source) => source.grouped);
  const readTemporal = () =>
    timer.time(
      "temporal",
      Promise.all([
        grouped ? rows.readTemporalGroups(tx, windows, TEMPORAL_GROUPS_MAX) : [],
        Promise.all(sources.map((source) => source.findDated?.(tx, windows, TEMPORAL_UNITS_MAX) ?? [])),
      ]),
    );
  const [found, related, corpora, [groups, dated], group] = await Promise.all([
    plan.keys.length === 0 ? [] : postings.readPostings(tx, plan.keys, kinds, ENTRIES_MAX),
    plan.relatedKeys.length === 0 ? [] : postings.readPostings(tx, plan.relatedKeys, kinds, RELATED_ENTRIES_MAX),
    postings.readCorpusSizes(tx, kinds),
    windows.length > 0 ? readTemporal() : [[], []],
    request.rows.sessionId === null ? undefined : rows.findGroup(tx, request.rows.sessionId),
  ]);
  timer.lap("lexical");
  const lists = toLists([...found, ...related]);
  const substitutes = await readSubstitutes(tx, plan, kinds, lists);
  timer.lap("lexical");
  return {
    input: {
      corpora: withAverages(corpora),
      lists,
      substitutes: substitutes.found,
      temporalGroups: new Map(groups.map(({ groupNo, turns }) => [groupNo, turns])),
      limit: isSelective(request) ? CANDIDATE_STEPS[1] : CANDIDATES,
      // Units have no session of their own: group 0.
      ...(request.rows.sessionId !== null && { onlyGroups: new Set([0, ...(group === undefined ? [] : [group])]) }),
    },
    dated: dated.flat(),
    roundTrips: 1 + substitutes.roundTrips,
  };
}

/** The query's dates and the caller's window. */
function windowsOf(plan: QueryPlan, { rows: { from, to } }: RecallRequest): rows.Window[] {
  const windows = plan.windows.map((window) => ({ from: new Date(window.from), to: new Date(window.to) }));
  return from === null || to === null ? windows : [...windows, { from, to }];
}

const NONE = new Uint32Array(0);

function toLists(found: readonly postings.ReadPostings[]): Map<string, PostingsList[]> {
  const lists = new Map<string, PostingsList[]>();
  const capped = new Set(found.filter((row) => row.entries === null).map((row) => row.term));
  for (const { term, kind, df, entries } of found) {
    const list = lists.get(term) ?? [];
    if (list.length === 0) lists.set(term, list);
    // Of a term that was read in part, its first list says the true frequency, and the others nothing more.
    const share = capped.has(term) ? { df: list.length === 0 ? df : 0 } : {};
    if (entries !== null) list.push({ kind, entries: decodePostings(entries), ...share });
    else if (list.length === 0) list.push({ kind, entries: NONE, df });
  }
  return lists;
}

function withAverages(corpora: readonly postings.CorpusSizeRow[]): CorpusSize[] {
  return corpora.map(({ kind, docs, tokens, groups }) => ({
    kind,
    docs: Math.max(0, docs),
    tokens: Math.max(0, tokens),
    groups: Math.max(0, groups),
  }));
}

/** Near spellings for terms that no text holds: the vocabulary, then the postings of what resembles them. */
async function readSubstitutes(tx: Tx, plan: QueryPlan, kinds: readonly number[], lists: Map<string, PostingsList[]>) {
  const found = new Map<string, Expansion[]>();
  const unknown = unknownTerms(plan, lists).slice(0, UNKNOWN_TERMS_MAX);
  if (unknown.length === 0) return { found, roundTrips: 0 };
  const slices = await Promise.all(unknown.map((term) => {
    const first = String.fromCodePoint(term.codePointAt(0)!);
    const next = String.fromCodePoint(term.codePointAt(0)! + 1);
    const { length } = term;
    return postings.listVocabulary(
      tx,
      { from: first, to: next, lengthMin: Math.max(3, length - NEAR_LENGTH), lengthMax: length + NEAR_LENGTH },
      VOCABULARY_MAX,
    );
  }));
  for (const [i, term] of unknown.entries()) {
    const near = nearTerms(term, slices[i]);
    if (near.length > 0) found.set(term, near);
  }
  const keys = [...new Set([...found.values()].flat().map((near) => near.term))].filter((term) => !lists.has(term));
  if (keys.length === 0) return { found, roundTrips: 1 };
  const more = toLists(await postings.readPostings(tx, keys, kinds, ENTRIES_MAX));
  for (const [term, list] of more) lists.set(term, list);
  return { found, roundTrips: 2 };
}

async function readSemantic(
  tx: Tx,
  request: RecallRequest,
  { vector, semanticExactMax }: RetrieveOptions,
  corpora: readonly CorpusSize[],
  timer: TierTimer,
): Promise<SemanticArm | undefined> {
  if (vector === undefined) return undefined;
  const search = findNearest(tx, {
    vector: vector.vector,
    model: vector.model,
    kinds: request.kinds.map((kind) => KINDS[kind]),
    limit: isSelective(request) ? SEMANTIC_SELECTIVE_MAX : SEMANTIC_MAX,
    exact: corpora.reduce((sum, corpus) => sum + corpus.docs, 0) <= semanticExactMax,
  });
  return { weight: armWeight(vector.weight), hits: measureLeads(await timer.time("semantic", search)) };
}

/** The candidates' rows that were read so far. */
class Pool {
  roundTrips = 0;
  readonly #byDoc = new Map<number, Candidate>();
  readonly #byPlace = new Map<string, Candidate>();
  readonly #seen = new Set<number | string>();

  constructor(readonly tx: Tx, readonly sources: readonly RecallSource[], readonly request: RecallRequest) {}

  /** Reads the rows of candidates that were not read before. */
  async read(candidates: Prescored): Promise<void> {
    const docs: number[] = [], grouped: number[] = [], groups: number[] = [], positions: number[] = [];
    for (let i = 0; i < candidates.size; i++) {
      const doc = candidates.docs[i], group = candidates.groups[i], position = candidates.positions[i];
      const key = doc !== 0 ? doc : `${group} ${position}`;
      if (this.#seen.has(key)) continue;
      this.#seen.add(key);
      if (doc === 0) {
        groups.push(group);
        positions.push(position);
      } else if (group === 0) docs.push(doc);
      else grouped.push(doc);
    }
    await this.#read((source) =>
      source.grouped ? { docs: grouped, groups, positions } : { docs, groups: [], positions: [] }
    );
  }

  /** Reads documents whose kind is not known. */
  async readExtra(docs: readonly number[]): Promise<Candidate[]> {
    if (docs.length === 0) return [];
    await this.#read(() => ({ docs, groups: [], positions: [] }));
    return docs.flatMap((doc) => this.#byDoc.get(doc) ?? []);
  }

  async #read(choose: (source: RecallSource) => { docs: readonly number[]; groups: number[]; positions: number[] }) {
    const reads = this.sources.map((source) => ({ source, wanted: choose(source) }))
      .filter(({ wanted }) => wanted.docs.length + wanted.groups.length > 0);
    if (reads.length === 0) return;
    this.roundTrips++;
    const found = await Promise.all(
      reads.map(({ source, wanted }) => source.readCandidates(this.tx, wanted, this.request.rows)),
    );
    for (const candidate of found.flat()) {
      this.#byDoc.set(candidate.docNo, candidate);
      if (candidate.groupNo !== 0) this.#byPlace.set(`${candidate.groupNo} ${candidate.position}`, candidate);
    }
  }

  #find(candidates: Prescored, i: number): Candidate | undefined {
    const doc = candidates.docs[i];
    return doc !== 0 ? this.#byDoc.get(doc) : this.#byPlace.get(`${candidates.groups[i]} ${candidates.positions[i]}`);
  }

  /** The numbers of all candidates, also of those that were known by their place only. */
  docsOf(candidates: Prescored): Set<number> {
    const docs = new Set(candidates.docs);
    for (let i = 0; i < candidates.size; i++) {
      if (candidates.docs[i] === 0) docs.add(this.#find(candidates, i)?.docNo ?? 0);
    }
    return docs;
  }

  countEligible(candidates: Prescored): number {
    let count = 0;
    for (let i = 0; i < candidates.size; i++) if (this.#find(candidates, i) !== undefined) count++;
    return count;
  }

  /** The rows as the ranker takes them, in the order of the candidates. */
  storedOf(candidates: Prescored): (StoredData | undefined)[] {
    return Array.from({ length: candidates.size }, (_, i) => {
      const found = this.#find(candidates, i);
      return found && { doc: found.docNo, speaker: found.speaker, occurredAt: found.occurredMs, bits: found.bits };
    });
  }
}

/** Adds up how long each tier took, and from when to when. */
class TierTimer {
  readonly #times = new Map<RecallTier, { durationMs: number; startedMs: number; endedMs: number }>();
  readonly #counts = new Map<RecallTier, number>();
  #last = performance.now();

  /** Gives the time since the last lap to a tier. */
  lap(tier: RecallTier): void {
    const started = this.#last;
    this.#last = performance.now();
    this.add(tier, started, this.#last);
  }

  /** Gives a stretch of time to a tier that works beside the others. */
  add(tier: RecallTier, startedMs: number, endedMs: number): void {
    const before = this.#times.get(tier);
    this.#times.set(tier, {
      durationMs: (before?.durationMs ?? 0) + endedMs - startedMs,
      startedMs: before?.startedMs ?? startedMs,
      endedMs,
    });
  }

  /** Times work that runs beside the others. */
  async time<T>(tier: RecallTier, work: Promise<T>): Promise<T> {
    const started = performance.now();
    const value = await work;
    this.add(tier, started, performance.now());
    return value;
  }

  count(tier: RecallTier, candidates: number): void {
    this.#counts.set(tier, candidates);
  }

  /** The tiers that took part. */
  report(): TierReport[] {
    return (["lexical", "semantic", "temporal"] as const).flatMap((tier) => {
      const time = this.#times.get(tier);
      if (time === undefined) return [];
      const { durationMs, ...span } = time;
      return [{
        tier,
        candidates: this.#counts.get(tier) ?? 0,
        durationMs: Math.round(durationMs * 1_000) / 1_000,
        span,
      }];
    });
  }
}
