/**
 * The database's part of a recall, from memory, for a workspace that the hot tier holds whole: the steps of `retrieve`
 * over the same texts, so that both find the same. Synchronous: the index cannot change during a read.
 */
import type { Heir } from "../../db/queries/recall_heirs.ts";
import {
  CANDIDATES,
  type PostingsInput,
  prescore,
  type Prescored,
  type QueryPlan,
  type StoredData,
} from "../../retrieval/mod.ts";
import { LIVE_STATUSES } from "../../schema/unit_state.ts";
import { extendCandidates, fuse, type SemanticArm, toSemanticArm, withMeaning } from "./fusion.ts";
import type { GraphArm } from "./graph.ts";
import { asksOfPast, inheritMatches, RESPECTS_MAX } from "./heirs.ts";
import type { Whole } from "./hot.ts";
import type { HotDocument, HotSpoken } from "./hot_document.ts";
import type { KnownUnit } from "./current_first.ts";
import { isEligible, readStored, timesOf, toCandidate, unitOf } from "./hot_filter.ts";
import { CANDIDATE_STEPS } from "./lexical.ts";
import { isSelective, type RecallRequest } from "./request.ts";
import { COMPARED_MAX, type QueryVector, type Retrieved, SEMANTIC_MAX, SEMANTIC_SELECTIVE_MAX } from "./retrieve.ts";
import { findCompeting } from "./standing.ts";
import { TierTimer } from "./tier_timer.ts";
import { findDatedUnits, findTemporalGroups, spansOf } from "./whole_dates.ts";
import { readWholePostings } from "./whole_postings.ts";
import { kindNumbers } from "./kind_numbers.ts";

/** The inputs of a search besides its request. */
export interface WholeOptions {
  readonly semanticExactMax: number;
  readonly vector: QueryVector | undefined;
  readonly graph: GraphArm | undefined;
  readonly timer: TierTimer;
}

const LIVE: ReadonlySet<string> = new Set(LIVE_STATUSES);
/** Successors that are followed from one unit; `readHeirs` follows as many. */
const SUCCESSORS_MAX = 10;
/** The latest units of one respect that are read; `readSpoken` reads as many. */
const RESPECT_MAX = 50;

/** The texts that a request may see, with their values for the ranking. */
export class WholeReader {
  constructor(readonly whole: Whole, readonly request: RecallRequest) {}

  /** A text that passes the filters. */
  eligible(docNo: number): HotDocument | undefined {
    const { index, rest } = this.whole;
    const ranked = index.documents.get(docNo);
    if (ranked !== undefined) return isEligible(ranked, this.request) ? ranked : undefined;
    if (!this.request.rows.bare) return undefined;
    // Among units in force, the tier leaves out only entities of which nothing but the name is known.
    const bare = rest.documents.get(docNo);
    return bare !== undefined && LIVE.has(bare.row.status) && isEligible(bare, this.request) ? bare : undefined;
  }

  unitOf(docNo: number): KnownUnit | undefined {
    const document = this.eligible(docNo);
    return document && unitOf(document);
  }

  /** The ranker's input for candidates; undefined for those that the filters refuse. */
  readCandidates(candidates: Prescored): (StoredData | undefined)[] {
    const slots = [...this.whole.index.index.slotsOf(candidates)];
    const stored = readStored(this.whole.index, slots, this.request);
    if (!this.request.rows.bare) return stored;
    return stored.map((data, i) =>
      data ?? (slots[i] < 0 && candidates.docs[i] !== 0 ? this.read(candidates.docs[i]!) : undefined)
    );
  }

  /** The ranker's input for one text. */
  read(docNo: number): StoredData | undefined {
    const document = this.eligible(docNo);
    return document && {
      doc: docNo,
      ...(document.row.name !== null && { speaker: document.row.name }),
      isAssistant: document.row.role === "assistant",
      bits: document.bits,
      ...timesOf(document, this.request.rows.byRecording),
    };
  }

  /** The triple of a unit that has a subject and a predicate. It applies no filters. */
  spokenOf(docNo: number): HotSpoken | undefined {
    return this.whole.index.documents.get(docNo)?.spoken;
  }

  /** The units of the same respect, the latest first. */
  saidOf(spoken: HotSpoken): readonly HotSpoken[] {
    const said = this.whole.index.saidOf(spoken);
    if (said.length < 2) return said;
    return said.sort((a, b) => b.recordedAt.getTime() - a.recordedAt.getTime() || b.docNo - a.docNo)
      .slice(0, RESPECT_MAX);
  }
}

/** @returns undefined when the database has to answer */
export function retrieveWhole(
  reader: WholeReader,
  plan: QueryPlan,
  { vector, semanticExactMax, graph, timer }: WholeOptions,
): Retrieved | undefined {
  const { whole, request } = reader;
  const kinds = kindNumbers(request.kinds);
  const postings = readWholePostings(whole, plan, kinds);
  if (postings === undefined) return undefined;
  const { lists, substitutes } = postings;
  const spans = spansOf(plan, request);
  const temporalGroups = spans.length > 0 && request.kinds.includes("turn")
    ? findTemporalGroups(whole, spans)
    : new Map<number, number>();
  const dated = spans.length > 0 && request.rows.types.length > 0 ? findDatedUnits(whole, plan, request) : [];
  if (spans.length > 0) timer.lap("temporal");
  const input: PostingsInput = {
    corpora: whole.rest.sumUp(whole.index.index.corpora(kinds), kinds),
    lists,
    substitutes,
    temporalGroups,
    limit: isSelective(request) ? CANDIDATE_STEPS[1] : CANDIDATES,
    ...(request.rows.sessionId !== null && {
      onlyGroups: new Set([0, whole.index.groupOf(request.rows.sessionId) ?? 0]),
    }),
  };
  const wanted = Math.max(30, 3 * request.limit);
  let limit = input.limit!;
  let candidates = prescore(plan, input);
  let stored = reader.readCandidates(candidates);
  timer.lap("lexical");
  const semantic = findSimilar(reader, input, candidates, { vector, semanticExactMax, timer });
  for (const next of CANDIDATE_STEPS.slice(1)) {
    if (candidates.size < limit || count(stored) >= wanted) break;
    limit = next;
    candidates = prescore(plan, { ...input, limit });
    stored = reader.readCandidates(candidates);
  }
  const heirs = findHeirs(reader, candidates, stored);
  const known = new Set<number>(candidates.docs);
  for (const data of stored) if (data !== undefined) known.add(data.doc);
  const found = [
    ...(semantic?.hits.keys() ?? []),
    ...(graph?.hits.keys() ?? []),
    ...dated,
    ...heirs.map(({ heirNo }) => heirNo),
  ];
  const extra = [...new Set(found)].filter((doc) => !known.has(doc)).flatMap((doc) => {
    const document = reader.eligible(doc);
    return document === undefined ? [] : [toCandidate(document, request.rows.byRecording)];
  });
  const extended = withMeaning(extendCandidates(candidates, extra), semantic, heirs);
  inheritMatches(extended, heirs);
  const all = [...stored, ...extra.map(({ docNo }) => reader.read(docNo))];
  const fused = fuse(extended, all, {
    ...(semantic && { semantic }),
    ...(graph && { graph }),
    minScore: request.minScore,
    competing: listCompeting(reader, all),
    unitOf: (docNo) => reader.unitOf(docNo),
    asOf: request.rows.asOf,
  });
  timer.lap("lexical");
  timer.count("lexical", candidates.size);
  timer.count("semantic", semantic?.hits.size ?? 0);
  timer.count("graph", graph?.hits.size ?? 0);
  timer.count("temporal", temporalGroups.size + dated.length);
  return {
    candidates: extended,
    stored: all,
    fused,
    substitutes,
    semantic,
    graph,
    naming: undefined,
    heirs,
    tiers: timer.report(),
    eligible: fused.results.length,
    // The read of the feed's end, and the walk over the graph.
    roundTrips: 1 + (graph?.roundTrips ?? 0),
  };
}

function count(stored: readonly (StoredData | undefined)[]): number {
  return stored.reduce((sum, data) => data === undefined ? sum : sum + 1, 0);
}

/** The semantic arm, with the texts that `readSemantic` would compare. */
function findSimilar(
  { whole: { index }, request }: WholeReader,
  { corpora }: PostingsInput,
  candidates: Prescored,
  { vector: query, semanticExactMax, timer }: Pick<WholeOptions, "vector" | "semanticExactMax" | "timer">,
): SemanticArm | undefined {
  if (query === undefined) return undefined;
  const isSmall = corpora.reduce((sum, { docs }) => sum + docs, 0) <= semanticExactMax;
  const limit = isSelective(request) ? SEMANTIC_SELECTIVE_MAX : SEMANTIC_MAX;
  const isWide = isSmall || query.reach === "all";
  const docs = candidates.docs.filter((doc) => doc !== 0).slice(0, COMPARED_MAX);
  if (!isWide && docs.length === 0) return undefined;
  const nearest = isWide
    ? index.vectors.findNearest(query.vector, limit, kindNumbers(request.kinds))
    : index.vectors.compare(docs, query.vector, limit);
  timer.lap("semantic");
  return toSemanticArm(nearest, { source: query.source, isCentred: query.isHeld });
}

/** The heirs of candidates that are no longer in force, and the facts that likely outdate those that are. */
function findHeirs(reader: WholeReader, candidates: Prescored, stored: readonly (StoredData | undefined)[]): Heir[] {
  const { whole: { index, rest }, request } = reader;
  if (asksOfPast(request.rows)) return [];
  const heirs: Heir[] = [];
  const spoken = new Map<string, HotSpoken>();
  for (let i = 0; i < candidates.size; i++) {
    const data = stored[i];
    const one = data && spoken.size < RESPECTS_MAX ? reader.spokenOf(data.doc) : undefined;
    if (one !== undefined && !spoken.has(one.tripleKey)) spoken.set(one.tripleKey, one);
    if (data === undefined && candidates.groups[i] === 0) {
      const heir = followSuccessors(reader, rest.documents.get(candidates.docs[i]!));
      if (heir !== undefined) heirs.push({ docNo: candidates.docs[i]!, heirNo: heir.docNo });
    }
  }
  for (const one of spoken.values()) {
    for (const { status, body, docNo: heirNo } of index.saidOf(one)) {
      if (status !== "active") continue;
      for (const id of body.outdates ?? []) {
        const outdated = index.find(id) ?? rest.find(id);
        if (outdated !== undefined) heirs.push({ docNo: outdated.docNo, heirNo });
      }
    }
  }
  return heirs;
}

/** The unit in force to which the successors of a superseded one lead. */
function followSuccessors(
  { whole: { index, rest } }: WholeReader,
  first: HotDocument | undefined,
): HotDocument | undefined {
  let unit = first;
  for (let step = 1; step <= SUCCESSORS_MAX && unit?.row.status === "superseded"; step++) {
    const next = unit.row.body?.["supersededBy"];
    if (typeof next !== "string") return undefined;
    const ranked = index.find(next);
    if (ranked !== undefined) return ranked;
    unit = rest.find(next);
    if (unit !== undefined && LIVE.has(unit.row.status)) return unit;
  }
  return undefined;
}

/** The competing documents of each respect that several candidates share. */
function listCompeting(reader: WholeReader, stored: readonly (StoredData | undefined)[]) {
  const counts = new Map<string, { readonly spoken: HotSpoken; count: number }>();
  for (const data of stored) {
    const spoken = data && reader.spokenOf(data.doc);
    if (spoken === undefined) continue;
    const seen = counts.get(spoken.tripleKey);
    if (seen === undefined) counts.set(spoken.tripleKey, { spoken, count: 1 });
    else seen.count++;
  }
  const shared = [...counts].filter(([, { count }]) => count > 1).sort(([a], [b]) => a < b ? -1 : 1);
  return findCompeting(shared.map(([, { spoken }]) => reader.saidOf(spoken)), reader.request.rows.asOf);
}
