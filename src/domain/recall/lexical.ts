/** Reads a query's part of the index: postings of words and near spellings, and texts of its dates. */
import type { Tx } from "../../db/tx.ts";
import * as postings from "../../db/queries/postings.ts";
import * as rows from "../../db/queries/recall.ts";
import {
  asksOnlyOfTime,
  CANDIDATES,
  type CorpusSize,
  type Expansion,
  nearTerms,
  type PostingsInput,
  type PostingsList,
  type QueryPlan,
  unknownTerms,
  unreadSubstitutes,
} from "../../retrieval/mod.ts";
import { KINDS } from "../../schema/common.ts";
import { findSeeds, type Seeds } from "./graph.ts";
import type { PostingsCache, ReadPostings } from "./postings_cache.ts";
import { isSelective, type RecallRequest } from "./request.ts";
import type { RecallSource } from "./sources.ts";
import type { TierTimer } from "./tier_timer.ts";

/** The most entries of postings that one query reads (about 2.4 MB). If a query has more, it reads frequent terms in part. */
export const ENTRIES_MAX = 200_000;
export const UNKNOWN_TERMS_MAX = 4;
const VOCABULARY_MAX = 20_000;
/** Spellings that differ by more letters in length are not near. */
const NEAR_LENGTH = 3;
export const TEMPORAL_GROUPS_MAX = 50;
export const TEMPORAL_UNITS_MAX = 60;
/** The numbers of candidates to read in turn while the filters refuse too many. */
export const CANDIDATE_STEPS = [CANDIDATES, 1_000, 5_000, 25_000];

/** Reads postings for one request, by default of the kinds that it asks for. */
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
}

interface LexicalMeans {
  readonly cache: PostingsCache;
  readonly sources: readonly RecallSource[];
  readonly timer: TierTimer;
}

export interface Lexical {
  input: PostingsInput;
  readonly dated: readonly number[];
  /** The entities that the query names. */
  readonly seeds: Seeds;
  readonly roundTrips: number;
}

/** Makes the first round trips: postings, sizes, and the texts of the query's dates and session. */
export async function readLexical(
  tx: Tx,
  plan: QueryPlan,
  request: RecallRequest,
  { cache, sources, timer }: LexicalMeans,
): Promise<Lexical> {
  const reader = new PostingsReader(tx, request, cache);
  const { kinds } = reader;
  const named = plan.windows.map((window) => ({ from: new Date(window.from), to: new Date(window.to) }));
  const windows = windowsOf(named, request);
  const grouped = sources.some((source) => source.grouped);
  // Which people are named is known only when the postings are here.
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
  const [found, corpora, [groups, dated], group, seeds] = await Promise.all([
    reader.read(plan.keys),
    postings.readCorpusSizes(tx, kinds),
    windows.length > 0 ? readTemporal() : [[], []],
    request.rows.sessionId === null ? undefined : rows.findGroup(tx, request.rows.sessionId),
    findSeeds(tx, request.query),
  ]);
  timer.lap("lexical");
  const lists = toLists(found);
  const substitutes = await readSubstitutes(reader, plan, lists);
  timer.lap("lexical");
  return {
    input: {
      corpora: withAverages(corpora),
      lists,
      substitutes: substitutes.found,
      temporalGroups: new Map(groups.map(({ groupNo, turns }) => [groupNo, turns])),
      limit: isSelective(request) ? CANDIDATE_STEPS[1] : CANDIDATES,
      // Units belong to no session: group 0.
      ...(request.rows.sessionId !== null && { onlyGroups: new Set([0, ...(group === undefined ? [] : [group])]) }),
    },
    dated: dated.flat(),
    seeds,
    roundTrips: 1 + substitutes.roundTrips,
  };
}

/** Returns the periods that the query names, and the window that the caller gives. */
export function windowsOf(
  named: readonly rows.Window[],
  { rows: { from, to } }: RecallRequest,
): readonly rows.Window[] {
  return from === null || to === null ? named : [...named, { from, to }];
}

const NONE = new Uint32Array(0);

function toLists(found: readonly ReadPostings[]): Map<string, PostingsList[]> {
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

function withAverages(corpora: readonly postings.CorpusSizeRow[]): CorpusSize[] {
  return corpora.map(({ kind, docs, tokens, groups }) => ({
    kind,
    docs: Math.max(0, docs),
    tokens: Math.max(0, tokens),
    groups: Math.max(0, groups),
  }));
}

/** Near spellings of terms that no text holds: reads the vocabulary, then the postings of similar words. */
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
  const keys = unreadSubstitutes(found.values(), lists);
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
