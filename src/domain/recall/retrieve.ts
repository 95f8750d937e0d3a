/**
 * The database's part of a recall, inside one read-only transaction: postings → prescore → rows that the filters let
 * through → fusion. Statements of one step travel together, so that a step costs one round trip.
 */
import type { Tx } from "../../db/tx.ts";
import { compareVectors, findNearest } from "../../db/queries/embeddings.ts";
import * as postings from "../../db/queries/postings.ts";
import * as rows from "../../db/queries/recall.ts";
import type { Heir } from "../../db/queries/recall_heirs.ts";
import {
  asksOnlyOfTime,
  CANDIDATES,
  type CorpusSize,
  type Expansion,
  furtherRelated,
  nearTerms,
  type PostingsInput,
  type PostingsList,
  prescore,
  type Prescored,
  type QueryPlan,
  type StoredData,
  unknownTerms,
  unreadSubstitutes,
} from "../../retrieval/mod.ts";
import { KINDS } from "../../schema/common.ts";
import type { BitsCache } from "./bits_cache.ts";
import { armWeight, extendCandidates, fuse, type Fused, measureLeads, type SemanticArm } from "./fusion.ts";
import { findSeeds, type GraphArm, type Seeds, walkGraph } from "./graph.ts";
import { findNamed, findWantedNames, keepNamed, NAMED_CANDIDATES, type Naming, pickNamed } from "./named.ts";
import { findHeirs, inheritMatches } from "./heirs.ts";
import { Pool } from "./pool.ts";
import type { PostingsCache, ReadPostings } from "./postings_cache.ts";
import { isSelective, type RecallRequest } from "./request.ts";
import { type RecallSource, sourcesOf } from "./sources.ts";
import { Respects } from "./standing.ts";
import { type TierReport, TierTimer } from "./tier_timer.ts";

/** What the query's embedding is, where there is one. */
export interface QueryVector {
  readonly vector: Float32Array;
  readonly model: string;
  readonly weight: number;
  /**
   * Which vectors it is compared with. `all`: those of all texts. `small`: those of all texts in a small workspace,
   * otherwise those of the best candidates that the query's words found. `few`: as `small`, but those of all texts only
   * when the words found too few candidates.
   */
  readonly reach: "all" | "small" | "few";
}

export interface RetrieveOptions {
  /** Workspaces with at most so many texts are searched for meaning by comparing all. */
  readonly semanticExactMax: number;
  readonly vector: QueryVector | undefined;
  readonly bits: BitsCache;
  readonly postings: PostingsCache;
}

/** What the steps found, for the reply and the trace. */
export interface Retrieved {
  readonly candidates: Prescored;
  readonly stored: readonly (StoredData | undefined)[];
  readonly fused: Fused;
  readonly substitutes: ReadonlyMap<string, readonly Expansion[]>;
  readonly semantic: SemanticArm | undefined;
  readonly graph: GraphArm | undefined;
  /** What the query names, if only that was asked for. */
  readonly naming: Naming | undefined;
  readonly tiers: readonly TierReport[];
  readonly eligible: number;
  /** Who took the place of candidates that are no longer in force. */
  readonly heirs: readonly Heir[];
  readonly roundTrips: number;
}

/** What the database found, and what it knows of units that speak about the same. */
export interface RetrievedRows extends Retrieved {
  readonly respects: Respects;
}

/** Entries of postings that one query reads: some 2.4 MB. Beyond it, frequent terms are read in part. */
export const ENTRIES_MAX = 200_000;
/** The same for related terms; the ranking looks at fewer still. */
export const RELATED_ENTRIES_MAX = 24_000;
export const UNKNOWN_TERMS_MAX = 4;
const VOCABULARY_MAX = 20_000;
/** Spellings that differ by more letters in length are not near. */
const NEAR_LENGTH = 3;
export const TEMPORAL_GROUPS_MAX = 50;
export const TEMPORAL_UNITS_MAX = 60;
export const SEMANTIC_MAX = 60;
export const SEMANTIC_SELECTIVE_MAX = 300;
/** How many of the best candidates have their vectors compared, when not all vectors are. */
export const COMPARED_MAX = 100;
/** How many candidates are looked at while the filters refuse too many. */
export const CANDIDATE_STEPS = [CANDIDATES, 1_000, 5_000, 25_000];

export async function retrieve(
  tx: Tx,
  plan: QueryPlan,
  request: RecallRequest,
  options: RetrieveOptions,
): Promise<RetrievedRows> {
  const sources = sourcesOf(request.kinds);
  const timer = new TierTimer();
  const [read, wantedNames] = await Promise.all([
    readLexical(new PostingsReader(tx, request, options.postings), plan, request, sources, timer),
    request.named ? findWantedNames(tx, request) : undefined,
  ]);
  const wanted = Math.max(30, 3 * request.limit);
  const pool = new Pool(tx, sources, request, options.bits);
  let candidates = prescore(plan, request.named ? { ...read.input, limit: NAMED_CANDIDATES } : read.input);
  const naming = wantedNames && await findNamed(tx, wantedNames, request, [...candidates.docs]);
  if (naming !== undefined) candidates = pickNamed(candidates, naming);
  timer.lap("lexical");
  const semantic = readSemantic(tx, request, options, { candidates, wanted, corpora: read.input.corpora }, timer);
  const walked = read.seeds.ids.length === 0
    ? undefined
    : timer.time("graph", walkGraph(tx, read.seeds, request.rows.asOf));
  await Promise.all([pool.read(candidates), semantic, walked]);
  for (const limit of CANDIDATE_STEPS.slice(1)) {
    // Fewer than asked for: every document with a word of the query was a candidate.
    const isAll = naming !== undefined || candidates.size < (read.input.limit ?? CANDIDATES);
    if (isAll || pool.countEligible(candidates) >= wanted) break;
    read.input = { ...read.input, limit };
    candidates = prescore(plan, read.input);
    await pool.read(candidates);
  }
  timer.lap("lexical");
  const succeeded = naming === undefined
    ? await findHeirs(tx, pool.listRefused(candidates), pool.listInForce(candidates), request)
    : undefined;
  const heirs = succeeded ?? [];
  const arm = await semantic;
  const known = pool.docsOf(candidates);
  const graph = await walked;
  const found = [
    ...(arm?.hits.keys() ?? []),
    ...(graph?.hits.keys() ?? []),
    ...read.dated,
    ...heirs.map(({ heirNo }) => heirNo),
  ];
  const extra = (naming === undefined ? found : [...naming.docs.keys()]).filter((doc) => !known.has(doc));
  const extended = extendCandidates(candidates, await pool.readExtra([...new Set(extra)]));
  inheritMatches(extended, heirs);
  const stored = pool.storedOf(extended);
  const respects = new Respects(tx, request.rows);
  respects.note(pool.candidates);
  const competing = await respects.readShared();
  const ranked = fuse(extended, stored, { semantic: arm, graph, minScore: request.minScore, competing });
  const fused = naming === undefined ? ranked : keepNamed(ranked, extended, naming, request.minScore);
  timer.count("lexical", candidates.size);
  timer.count("semantic", arm?.hits.size ?? 0);
  timer.count("graph", graph?.hits.size ?? 0);
  timer.count("temporal", (read.input.temporalGroups?.size ?? 0) + read.dated.length);
  return {
    candidates: extended,
    stored,
    fused,
    substitutes: read.input.substitutes ?? new Map(),
    semantic: arm,
    graph,
    naming,
    heirs,
    tiers: timer.report(),
    eligible: fused.results.length,
    respects,
    // The walk's first statements travel with those that read the candidates.
    roundTrips: 1 + read.roundTrips + pool.roundTrips + respects.roundTrips + Number(succeeded !== undefined) +
      Math.max(0, (graph?.roundTrips ?? 0) - 1) +
      (naming?.roundTrips ?? 0),
  };
}

/** Reads postings for one request, of the kinds that it asks for where the caller names no others. */
class PostingsReader {
  readonly tx: Tx;
  readonly kinds: readonly number[];
  readonly #cache: PostingsCache;

  constructor(tx: Tx, request: RecallRequest, cache: PostingsCache) {
    this.tx = tx;
    this.kinds = request.kinds.map((kind) => KINDS[kind]);
    this.#cache = cache;
  }

  /** Postings of the query's own terms and of their near spellings. */
  async read(terms: readonly string[]): Promise<readonly ReadPostings[]> {
    const wish = { terms, kinds: this.kinds, entriesMax: ENTRIES_MAX };
    return terms.length === 0 ? [] : await this.#cache.read(this.tx, wish, postings.readPostings);
  }

  /** Postings of terms that stand in for the query's. */
  async readRelated(terms: readonly string[], kinds = this.kinds): Promise<readonly ReadPostings[]> {
    if (terms.length === 0 || kinds.length === 0) return [];
    const wish = { terms, kinds, entriesMax: RELATED_ENTRIES_MAX };
    return await this.#cache.read(this.tx, wish, postings.readRelatedPostings);
  }
}

interface Lexical {
  input: PostingsInput;
  readonly dated: readonly number[];
  /** The entities that the query names. */
  readonly seeds: Seeds;
  readonly roundTrips: number;
}

/** The first round trip: postings, sizes, and what the dates and the session of the query lead to. */
async function readLexical(
  reader: PostingsReader,
  plan: QueryPlan,
  request: RecallRequest,
  sources: readonly RecallSource[],
  timer: TierTimer,
): Promise<Lexical> {
  const { tx, kinds } = reader;
  const named = plan.windows.map((window) => ({ from: new Date(window.from), to: new Date(window.to) }));
  const windows = windowsOf(named, request);
  const grouped = sources.some((source) => source.grouped);
  // Who is named is known when the postings are here.
  const dates = asksOnlyOfTime(plan, ({ person }) => person !== "no") ? named : [];
  const findDated = (source: RecallSource) =>
    dates.length === 0 ? [] : source.findDated?.(tx, dates, request.rows, TEMPORAL_UNITS_MAX) ?? [];
  const readTemporal = () =>
    timer.time(
      "temporal",
      Promise.all([
        grouped ? rows.readTemporalGroups(tx, windows, TEMPORAL_GROUPS_MAX) : [],
        Promise.all(sources.map(findDated)),
      ]),
    );
  const unitKinds = kinds.filter((kind) => kind !== KINDS.turn);
  const [found, related, everyday, corpora, [groups, dated], group, seeds] = await Promise.all([
    reader.read(plan.keys),
    reader.readRelated(plan.relatedKeys),
    reader.readRelated(plan.everydayKeys, unitKinds),
    postings.readCorpusSizes(tx, kinds),
    windows.length > 0 ? readTemporal() : [[], []],
    request.rows.sessionId === null ? undefined : rows.findGroup(tx, request.rows.sessionId),
    findSeeds(tx, request.query),
  ]);
  timer.lap("lexical");
  const lists = toLists([...found, ...related, ...everyday]);
  const [substitutes, further] = await Promise.all([
    readSubstitutes(reader, plan, lists),
    readFurtherRelated(reader, plan, lists),
  ]);
  for (const [term, list] of further) if (!lists.has(term) || isRead(list)) lists.set(term, list);
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
    seeds,
    roundTrips: 1 + Math.max(substitutes.roundTrips, further.size > 0 ? 1 : 0),
  };
}

/** The query's dates and the caller's window. */
export function windowsOf(
  named: readonly rows.Window[],
  { rows: { from, to } }: RecallRequest,
): readonly rows.Window[] {
  return from === null || to === null ? named : [...named, { from, to }];
}

const NONE = new Uint32Array(0);

/** Returns whether the database returned entries of a term; if the term has too many, it returns their number alone. */
export function isRead(list: readonly PostingsList[]): boolean {
  return list.some(({ entries }) => entries.length > 0);
}

function toLists(found: readonly ReadPostings[]): Map<string, PostingsList[]> {
  const lists = new Map<string, PostingsList[]>();
  const capped = new Set(found.filter((row) => row.entries === null).map((row) => row.term));
  for (const { term, kind, df, entries } of found) {
    const list = lists.get(term) ?? [];
    if (list.length === 0) lists.set(term, list);
    // Of a term that was read in part, its first list says the true frequency, and the others nothing more.
    const share = capped.has(term) ? { df: list.length === 0 ? df : 0 } : {};
    if (entries !== null) list.push({ kind, entries, ...share });
    else if (list.length === 0) list.push({ kind, entries: NONE, df });
  }
  // Sums of floating-point numbers depend on the order: it is that of the documents, however rows come.
  for (const list of lists.values()) {
    if (list.length > 1) list.sort((a, b) => (a.entries[0] ?? 0) - (b.entries[0] ?? 0));
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

/** Postings of further related terms, where the texts hold few of the best ones. */
async function readFurtherRelated(
  reader: PostingsReader,
  plan: QueryPlan,
  lists: ReadonlyMap<string, readonly PostingsList[]>,
): Promise<ReadonlyMap<string, PostingsList[]>> {
  return toLists(await reader.readRelated(furtherRelated(plan, lists)));
}

/** Near spellings for terms that no text holds: the vocabulary, then the postings of what resembles them. */
async function readSubstitutes(reader: PostingsReader, plan: QueryPlan, lists: Map<string, PostingsList[]>) {
  const found = new Map<string, Expansion[]>();
  const unknown = unknownTerms(plan, lists).slice(0, UNKNOWN_TERMS_MAX);
  if (unknown.length === 0) return { found, roundTrips: 0 };
  const slices = await Promise.all(unknown.map((term) => {
    const first = String.fromCodePoint(term.codePointAt(0)!);
    const next = String.fromCodePoint(term.codePointAt(0)! + 1);
    const { length } = term;
    return postings.listVocabulary(
      reader.tx,
      { from: first, to: next, lengthMin: Math.max(3, length - NEAR_LENGTH), lengthMax: length + NEAR_LENGTH },
      VOCABULARY_MAX,
    );
  }));
  for (const [i, term] of unknown.entries()) {
    const near = nearTerms(term, slices[i]);
    if (near.length > 0) found.set(term, near);
  }
  const keys = unreadSubstitutes(plan, found.values(), lists);
  const more = toLists(await reader.read(keys));
  for (const [term, list] of more) lists.set(term, list);
  // A word that no text of these kinds contains is no substitute, and is not reported.
  for (const [term, near] of found) {
    const held = near.filter((one) => lists.has(one.term));
    if (held.length > 0) found.set(term, held);
    else found.delete(term);
  }
  return { found, roundTrips: keys.length === 0 ? 1 : 2 };
}

/** What the words of the query found, and in how many texts they were looked up. */
interface Matches {
  readonly candidates: Prescored;
  /** With this many candidates, words alone suffice. */
  readonly wanted: number;
  readonly corpora: readonly CorpusSize[];
}

async function readSemantic(
  tx: Tx,
  request: RecallRequest,
  { vector: query, semanticExactMax }: RetrieveOptions,
  { candidates, wanted, corpora }: Matches,
  timer: TierTimer,
): Promise<SemanticArm | undefined> {
  if (query === undefined) return undefined;
  const { vector, model, weight, reach } = query;
  const limit = isSelective(request) ? SEMANTIC_SELECTIVE_MAX : SEMANTIC_MAX;
  const isSmall = corpora.reduce((sum, corpus) => sum + corpus.docs, 0) <= semanticExactMax;
  const isWide = reach === "all" || isSmall && (reach === "small" || candidates.size < wanted);
  const kinds = request.kinds.map((kind) => KINDS[kind]);
  const known = candidates.docs.filter((doc) => doc !== 0).slice(0, COMPARED_MAX);
  if (!isWide && known.length === 0) return undefined;
  const search = isWide
    ? findNearest(tx, { vector, model, kinds, limit, exact: isSmall })
    : compareVectors(tx, [...known], { vector, model, limit });
  return { weight: armWeight(weight), hits: measureLeads(await timer.time("semantic", search)) };
}
