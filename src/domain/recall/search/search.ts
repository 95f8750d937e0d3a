/**
 * The search behind every recall: plan → candidates by words, names, meaning, links and dates → features → order → cut →
 * results. It says what it reads and knows no database; see `store.ts`.
 */
import type { Successor } from "../../../db/queries/recall_slots.ts";
import {
  asksOnlyOfTime,
  CANDIDATES,
  type Expansion,
  type NearText,
  type PostingsInput,
  prescore,
  type Prescored,
  type QueryPlan,
  type StoredData,
  unknownTerms,
  unreadSubstitutes,
} from "../../../retrieval/mod.ts";
import type { Kind } from "../../../schema/common.ts";
import type { RecallTier } from "../../../schema/recall.ts";
import { type Fused, type FusedResult, orderResults } from "./cut.ts";
import { extendCandidates, fuse, inheritMatches, type SemanticArm, toSemanticArm, withMeaning } from "./fusion.ts";
import type { GraphArm, Seeds } from "./graph.ts";
import { findNearOf, inFirstPerson, joinNear, keepOwn, listCompared, SAID_MAX } from "./nearness.ts";
import { keepNamed, NAMED_CANDIDATES, type Naming, pickNamed, type WantedNames } from "./named_texts.ts";
import { asksOfPast, isSelective, type RecallRequest } from "./request.ts";
import { Slots } from "./slots.ts";
import { type ShownResults, showResults } from "./results.ts";
import {
  all,
  type Found,
  one,
  type Period,
  type QueryVector,
  type Steps,
  type Store,
  type TermLists,
  type TierReport,
  whenFound,
} from "./store.ts";

/** What a search may spend, and what it knows besides its plan. */
export interface SearchOptions {
  /** The query's embedding; undefined: it is searched without meaning. */
  readonly vector: QueryVector | undefined;
  /** In workspaces with at most this many texts, the semantic search compares all vectors. */
  readonly semanticExactMax: number;
  /** How many candidates are read at first. */
  readonly candidates?: number;
  /** How the results are chosen: by score alone, or with a share for turns and one for knowledge. */
  readonly blend?: "ranked" | "balanced";
  /** What all results say of how they were found; undefined: the arm that found each. */
  readonly tier?: RecallTier;
}

/** A search that was run: what it looked for, what it found, and what its reply shows. */
export interface CompletedSearch {
  readonly plan: QueryPlan;
  readonly request: RecallRequest;
  readonly searched: Searched;
  readonly shown: ShownResults;
}

/** The findings of the steps, for the reply, the trace and the explanation. */
export interface Searched {
  readonly candidates: Prescored;
  readonly stored: readonly (StoredData | undefined)[];
  readonly fused: Fused;
  readonly substitutes: ReadonlyMap<string, readonly Expansion[]>;
  readonly semantic: SemanticArm | undefined;
  readonly graph: GraphArm | undefined;
  /** The names in the query, if the request asks for named texts only. */
  readonly naming: Naming | undefined;
  readonly tiers: readonly TierReport[];
  readonly eligible: number;
  /** The successors of candidates that are no longer in force. */
  readonly successors: readonly Successor[];
  /** The units that say something of the same slots as the candidates. */
  readonly slots: Slots;
}

/** The most slots of candidates in force for which likely successors are looked up, in the order of the candidates. */
const SLOTS_MAX = 64;
/** Terms of a query that are looked up in other spellings. */
const UNKNOWN_TERMS_MAX = 4;
/** The numbers of candidates to read in turn while the filters refuse too many. */
const CANDIDATE_STEPS = [1_000, 5_000, 25_000];
/** This many candidates that pass the filters are enough, or `WANTED_PER_RESULT` for each wanted result. */
const WANTED_MIN = 30, WANTED_PER_RESULT = 3;

export function* search(store: Store, plan: QueryPlan, options: SearchOptions): Steps<CompletedSearch> {
  const searched = yield* find(store, plan, options);
  const isTurn = ({ row }: FusedResult) => searched.candidates.groups[row] !== 0;
  const ordered = orderResults(searched.fused, store.request.limit, options.blend === "balanced" ? isTurn : undefined);
  const shown = yield* showResults(store, ordered, searched.slots, options);
  return { plan, request: store.request, searched, shown };
}

/** What the steps before the order have found. */
interface Gathered extends Candidates, Pick<Searched, "successors" | "semantic" | "graph" | "naming"> {
  readonly read: Words;
  /** How many candidates the words found. */
  readonly worded: number;
}

/** Gathers the candidates by words, names, meaning, links and dates. */
function* gather(store: Store, plan: QueryPlan, options: SearchOptions): Steps<Gathered> {
  const { request, timer } = store;
  const read = yield* readWords(store, plan);
  timer.lap("lexical");
  const limit = firstLimit(request, options);
  const matched = prescore(plan, { ...read.input, limit });
  const naming = read.wanted && (yield* one(store.findNamed(read.wanted, [...matched.docs])));
  const named = naming === undefined ? matched : pickNamed(matched, naming);
  timer.lap("lexical");
  const asked = options.vector, said = asked && inFirstPerson(asked, request.query, matched), isSaid = said !== asked;
  const findNear = (query: Found<QueryVector | undefined>, kinds: readonly Kind[], limit?: number) =>
    timer.time(
      "semantic",
      () =>
        whenFound(
          query,
          (vector) => findNearOf(store, read.input.corpora, named, { ...options, vector, kinds, limit }),
        ),
    );
  const isTurn = (kind: Kind) => kind === "turn";
  const [first, nearAsked, nearSaid, saidVector, graph] = yield* all([
    store.readCandidates(named),
    findNear(asked, request.kinds.filter((kind) => !isSaid || !isTurn(kind))),
    isSaid ? findNear(said, request.kinds.filter(isTurn), SAID_MAX) : [],
    said,
    read.seeds.ids.length === 0 ? undefined : timer.time("graph", () => store.walk(read.seeds)),
  ]);
  const words = naming === undefined
    ? yield* widen(store, plan, { ...read.input, limit }, { candidates: named, stored: first })
    : { candidates: named, stored: first };
  timer.lap("lexical");
  const { near, further } = joinNear(nearAsked, nearSaid, isSelective(request));
  const { turns, units } = listCompared(words, [...near, ...further]);
  const compare = (query: QueryVector | undefined, docs: readonly number[]) =>
    near.length === 0 || docs.length === 0
      ? []
      : timer.time("semantic", () => store.compare(query!, docs, docs.length));
  const [successors, ...compared] = yield* all([
    naming === undefined ? findSuccessors(store, words) : [],
    compare(saidVector, turns),
    compare(asked, units),
  ]);
  const found = [
    ...near.map(toDoc),
    ...graph?.hits.keys() ?? [],
    ...read.dated,
    ...successors.map(({ successorNo }) => successorNo),
  ];
  const added = yield* addFound(store, words, naming?.docs.keys() ?? found, naming === undefined ? further : []);
  const semantic = near.length === 0
    ? undefined
    : toSemanticArm([near, added.own], { source: asked!.source, scale: asked!.scale }, compared.flat());
  return { ...added, read, successors, naming, graph, semantic, worded: words.candidates.size };
}

/** Finds, ranks and cuts. */
function* find(store: Store, plan: QueryPlan, options: SearchOptions): Steps<Searched> {
  const { request, timer } = store;
  const { candidates, stored, read, successors, naming, graph, semantic, worded } = yield* gather(store, plan, options);
  const known = withMeaning(candidates, semantic, successors);
  inheritMatches(known, successors);
  const slots = new Slots(store);
  slots.note(listKeyed(store, stored));
  const ranked = fuse(known, stored, {
    ...(semantic && { semantic }),
    ...(graph && { graph }),
    minScore: request.minScore,
    competing: yield* slots.readShared(),
    unitOf: (docNo) => store.unitOf(docNo),
    asOf: request.rows.asOf,
  });
  const fused = naming === undefined ? ranked : keepNamed(ranked, known, naming, request.minScore);
  timer.lap("lexical");
  timer.count("lexical", worded);
  timer.count("semantic", semantic?.hits.size ?? 0);
  timer.count("graph", graph?.hits.size ?? 0);
  timer.count("temporal", (read.input.temporalGroups?.size ?? 0) + read.dated.length);
  return {
    candidates: known,
    stored,
    fused,
    substitutes: read.input.substitutes ?? new Map(),
    semantic,
    graph,
    naming,
    successors,
    tiers: timer.report(),
    eligible: fused.results.length,
    slots,
  };
}

function firstLimit(request: RecallRequest, { candidates = CANDIDATES }: SearchOptions): number {
  return request.named ? NAMED_CANDIDATES : isSelective(request) ? CANDIDATE_STEPS[0]! : candidates;
}

/** What the words, dates and names of the query lead to. */
interface Words {
  readonly input: PostingsInput;
  readonly dated: readonly number[];
  readonly seeds: Seeds;
  readonly wanted: WantedNames | undefined;
}

/** Reads the postings of the query's terms, the sizes of the corpora, and the texts of the dates that the query names. */
function* readWords(store: Store, plan: QueryPlan): Steps<Words> {
  const { request: { rows, kinds, named }, timer } = store;
  const dates: Period[] = plan.windows.map(({ from, to }) => ({ from, to }));
  const windows = rows.from === null || rows.to === null
    ? dates
    : [...dates, { from: rows.from.getTime(), to: rows.to.getTime() }];
  const asksOfGroups = windows.length > 0 && kinds.includes("turn");
  // Which people are named is known only when the postings are here.
  const asksOfUnits = dates.length > 0 && rows.types.length > 0 &&
    asksOnlyOfTime(plan, ({ person }) => person !== "no");
  const temporal = <T>(find: () => Found<T>) => timer.time("temporal", find);
  const [lists, corpora, temporalGroups, dated, group, seeds, wanted] = yield* all([
    store.readPostings(plan.keys),
    store.readCorpora(),
    asksOfGroups ? temporal(() => store.findDatedGroups(windows)) : new Map<number, number>(),
    asksOfUnits ? temporal(() => store.findDatedUnits(dates)) : [],
    rows.sessionId === null ? undefined : store.findGroup(rows.sessionId),
    store.findSeeds(),
    named ? store.findWantedNames() : undefined,
  ]);
  timer.lap("lexical");
  const substitutes = yield* readSubstitutes(store, plan, lists);
  // Units belong to no session: group 0.
  const onlyGroups = rows.sessionId === null ? undefined : new Set([0, ...(group === undefined ? [] : [group])]);
  const input = { corpora, lists, substitutes, temporalGroups, ...(onlyGroups && { onlyGroups }) };
  return { input, dated, seeds, wanted };
}

/**
 * Adds to the lists the postings of near spellings of terms that no text holds.
 * @returns the near spellings
 */
function* readSubstitutes(
  store: Store,
  plan: QueryPlan,
  lists: TermLists,
): Steps<ReadonlyMap<string, readonly Expansion[]>> {
  const unknown = unknownTerms(plan, lists).slice(0, UNKNOWN_TERMS_MAX);
  if (unknown.length === 0) return new Map();
  const near = yield* one(store.findNearTerms(unknown));
  const keys = unreadSubstitutes(near, lists);
  if (keys.length > 0) { for (const [term, list] of yield* one(store.readPostings(keys))) lists.set(term, list); }
  // A word that no text of these kinds contains is no substitute, and is not reported.
  const held = near.map((spellings) => spellings.filter(({ term }) => lists.has(term)));
  return new Map(unknown.flatMap((term, i) => held[i]!.length === 0 ? [] : [[term, held[i]!]]));
}

/** Candidates with the data of those that the filters let through. */
interface Candidates {
  readonly candidates: Prescored;
  readonly stored: readonly (StoredData | undefined)[];
}

/** Takes more candidates while the filters refuse too many. */
function* widen(store: Store, plan: QueryPlan, input: PostingsInput, first: Candidates): Steps<Candidates> {
  const wanted = Math.max(WANTED_MIN, WANTED_PER_RESULT * store.request.limit);
  let { candidates, stored } = first, limit = input.limit!;
  for (const next of CANDIDATE_STEPS.filter((step) => step > limit)) {
    // If there are fewer than requested, every text with a word of the query is a candidate.
    if (candidates.size < limit || countKnown(stored) >= wanted) break;
    limit = next;
    candidates = prescore(plan, { ...input, limit });
    stored = yield* one(store.readCandidates(candidates));
  }
  return { candidates, stored };
}

function countKnown(stored: readonly (StoredData | undefined)[]): number {
  return stored.reduce((sum, data) => data === undefined ? sum : sum + 1, 0);
}

/** Finds the units in force by the words of those that they replaced or likely outdate. */
function findSuccessors(store: Store, { candidates, stored }: Candidates): Found<readonly Successor[]> {
  if (asksOfPast(store.request.rows)) return [];
  const refused: number[] = [];
  const keys = new Set<string>();
  for (const [i, data] of stored.entries()) {
    if (data === undefined) {
      if (candidates.groups[i] === 0) refused.push(candidates.docs[i]!);
    } else if (keys.size < SLOTS_MAX) {
      const key = store.tripleKeyOf(data.doc);
      if (key !== undefined) keys.add(key);
    }
  }
  return refused.length + keys.size === 0 ? [] : store.findSuccessors(refused, [...keys]);
}

/**
 * Adds documents that the words did not find.
 * @param further turns near to the question in the first person, of which those of the named people are added
 * @returns also these turns
 */
function* addFound(
  store: Store,
  { candidates, stored }: Candidates,
  found: Iterable<number>,
  further: readonly NearText[],
): Steps<Candidates & { readonly own: readonly NearText[] }> {
  const known = new Set<number>(candidates.docs);
  for (const data of stored) if (data !== undefined) known.add(data.doc);
  const docs = new Set([...found].filter((doc) => !known.has(doc)));
  const rest = further.filter(({ docNo }) => !known.has(docNo) && !docs.has(docNo));
  if (docs.size + rest.length === 0) return { candidates, stored, own: [] };
  const texts = yield* one(store.readDocuments([...docs, ...rest.map(toDoc)]));
  const extra = texts.map(({ data, groupNo, position }) => ({
    data,
    docNo: data.doc,
    groupNo,
    position,
    speaker: data.speaker,
  }));
  const own = keepOwn(extra.filter(({ docNo }) => !docs.has(docNo)), candidates);
  const added = [...extra.filter(({ docNo }) => docs.has(docNo)), ...own], ownDocs = new Set(own.map(toDoc));
  return {
    candidates: extendCandidates(candidates, added),
    stored: [...stored, ...added.map(({ data }) => data)],
    own: rest.filter(({ docNo }) => ownDocs.has(docNo)),
  };
}

function toDoc({ docNo }: { readonly docNo: number }): number {
  return docNo;
}

/** The units among some candidates that have a triple. */
function* listKeyed(store: Store, stored: readonly (StoredData | undefined)[]) {
  for (const data of stored) {
    const tripleKey = data && store.tripleKeyOf(data.doc);
    if (tripleKey !== undefined) yield { docNo: data!.doc, tripleKey };
  }
}
