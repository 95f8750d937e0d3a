/**
 * Recall from the hot tier alone, without a model endpoint and, unless something was written since, without the
 * database. If the tier does not hold the workspace, or is off, the database answers, and the reply's tiers say so.
 */
import { createContext, type OperationContext } from "../../context.ts";
import type { Heir } from "../../db/queries/recall_heirs.ts";
import {
  asksOnlyOfTime,
  type Expansion,
  isOfWindow,
  planQuery,
  type PostingsInput,
  prescore,
  type QueryPlan,
  type StoredData,
  unknownTerms,
} from "../../retrieval/mod.ts";
import { KINDS, UNIT_KINDS } from "../../schema/common.ts";
import type { HotRecallBody, RecallReply, RecallResult } from "../../schema/recall.ts";
import { diaryOf } from "./diary.ts";
import { extendCandidates, fuse, toSemanticArm, withMeaning } from "./fusion.ts";
import { isEligible, readStored, timesOf, toCandidate, unitOf } from "./hot_filter.ts";
import { asksOfPast, inheritMatches } from "./heirs.ts";
import type { HotDocument } from "./hot_document.ts";
import type { HotIndex } from "./hot_index.ts";
import { isSelective, readAskedTime, readRequest, type RecallRequest } from "./request.ts";
import { keepNamed, NAMED_CANDIDATES, NAMED_TEXTS_MAX, type Naming } from "./named.ts";
import { PINNED_MAX } from "./results.ts";
import type { Candidate } from "./sources.ts";
import { type Competing, findCompeting, standAmong, type Standing } from "./standing.ts";
import { noteRecall } from "./usage.ts";
import { hotTierOf } from "./hot.ts";
import { recallWith, toQueryVector } from "./recall.ts";
import { SEMANTIC_MAX } from "./retrieve.ts";

/** Fewer candidates than in the full search, because the tier answers within about a millisecond. */
const CANDIDATES = 100;
/** The most documents that a date alone finds. */
const DATED_MAX = 60;
/** Postings that are read of one term; of a more frequent term, the latest ones. */
const LIST_ENTRIES_MAX = 2_000;
const UNKNOWN_TERMS_MAX = 4;

/** Searches the hot tier; the database if the tier does not hold the workspace, or is turned off. */
export async function recallHot(ctx: OperationContext, body: HotRecallBody): Promise<RecallReply> {
  const { telemetry } = ctx.deps;
  const hot = hotTierOf(ctx.deps);
  const startedAt = performance.now();
  const request = await readRequest(ctx, body);
  // The index has the clearance of the request: texts beyond it must not even correct a spelling.
  const scoped = createContext(ctx.deps, { ...ctx, maxSensitivity: request.maxSensitivity }, ctx);
  const vector = await lookUpQuery(ctx, request.query);
  const index = hot.enabled ? await hot.find(scoped) : undefined;
  // A tier that is on has counted the request already.
  if (index === undefined) {
    return await recallWith(ctx, body, vector && toQueryVector(ctx, vector, "table"), "database");
  }
  // Nothing is awaited between `find` and the search, because the index may change in any turn of the event loop.
  return await telemetry.tracer.span("svc.recall", { limit: request.limit, blend: "hot" }, (span) => {
    const reply = search(ctx, index, request, vector, startedAt);
    const [{ tier, candidates, durationMs }] = reply.tiers;
    telemetry.metrics.observeRecallTier(tier, durationMs, reply.results.length);
    telemetry.tracer.record(`svc.recall.${tier}`, { tier, candidates, durationMs }, startedAt, performance.now());
    span.set({ results: reply.results.length });
    noteRecall(ctx, reply.results);
    diaryOf(ctx.deps).note(ctx, { path: "hot", body, reply });
    return Promise.resolve(reply);
  });
}

/** The query's vector from the table of the built-in embeddings; this path never calls a model endpoint. */
async function lookUpQuery(ctx: OperationContext, query: string): Promise<Float32Array | undefined> {
  try {
    return await ctx.deps.embeddings.lookUpQuery?.(query);
  } catch {
    // Words find what they find without it; readiness tells of the fault.
    return undefined;
  }
}

function search(
  ctx: OperationContext,
  index: HotIndex,
  asked: RecallRequest,
  vector: Float32Array | undefined,
  startedAt: number,
): RecallReply {
  const plan = planQuery(asked.query, { referenceMs: asked.referenceMs, zone: asked.zone });
  const request = readAskedTime(asked, plan);
  const kinds = request.kinds.length === Object.keys(KINDS).length
    ? undefined
    : new Set(request.kinds.map((kind) => KINDS[kind]));
  // Filters run after the prescore, so a selective search takes every match as a candidate.
  const selective = isSelective(request);
  const limit = selective ? Math.max(CANDIDATES, index.size) : request.named ? NAMED_CANDIDATES : CANDIDATES;
  const entriesMax = selective ? Infinity : LIST_ENTRIES_MAX;
  const substitutes = new Map<string, Expansion[]>();
  const base = prescore(plan, { ...readInput(index, plan, kinds, substitutes, entriesMax), substitutes, limit });
  const { byRecording } = request.rows;
  const naming = request.named ? index.names.find(request.query, (stem) => isHeld(index, stem)) : undefined;
  const slots = index.index.slotsOf(base);
  const heirs = naming === undefined ? listHeirs(index, slots, request) : [];
  const semantic = vector && plan.isEnglish && naming === undefined && index.vectors.size > 0
    ? toSemanticArm(index.vectors.findNearest(vector, SEMANTIC_MAX, kinds), { source: "table", isCentred: true })
    : undefined;
  const offered = naming === undefined
    ? [
      ...listHeld(index, semantic?.hits.keys() ?? []),
      ...listDated(index, plan, request),
      ...heirs.map(({ heirNo }) => heirNo),
    ]
    : listOffered(index, naming, request);
  const extra = listExtra(index, offered, slots, byRecording);
  const candidates = withMeaning(extendCandidates(base, extra), semantic, heirs);
  inheritMatches(candidates, heirs);
  const stored = readStored(index, [...slots, ...extra.map(({ docNo }) => index.index.columns.slotOf(docNo))], request);
  if (naming !== undefined) {
    for (const [i, data] of stored.entries()) if (data && !naming.docs.has(data.doc)) stored[i] = undefined;
  }
  const ranked = fuse(candidates, stored, {
    ...(semantic && { semantic }),
    minScore: request.minScore,
    competing: listCompeting(index, stored, request.rows.asOf),
    unitOf: (docNo) => {
      const document = index.documents.get(docNo);
      return document && unitOf(document);
    },
    asOf: request.rows.asOf,
  });
  const fused = naming === undefined ? ranked : keepNamed(ranked, candidates, naming, request.minScore);

  const max = request.maxTokens ?? Infinity;
  let tokens = 0;
  const take = (document: HotDocument): boolean => {
    if (tokens + document.tokens > max) return false;
    tokens += document.tokens;
    return true;
  };
  const standings = new Map<HotDocument, Standing>();
  const isTrue = (document: HotDocument): boolean => {
    const { spoken } = document;
    if (spoken === undefined) return true;
    const standing = standAmong(spoken, index.saidOf(spoken), request.rows.asOf);
    standings.set(document, standing);
    return standing.interruptedBy === undefined;
  };
  const show = (document: HotDocument, score: number) => withScore(document, score, standings.get(document));
  const pinned = listPinned(index, request).filter((document) => isTrue(document) && take(document));
  const apart = new Set(pinned.map((document) => document.docNo));
  const results: RecallResult[] = [];
  for (const { docNo, relevance } of fused.relevant) {
    if (results.length >= request.limit) break;
    const document = index.documents.get(docNo)!;
    if (!apart.has(docNo) && isTrue(document) && take(document)) results.push(show(document, relevance));
  }
  const scoreOf = (docNo: number) => fused.relevant.find((result) => result.docNo === docNo)?.relevance ?? 0;
  const durationMs = Math.round((performance.now() - startedAt) * 1_000) / 1_000;
  return {
    results,
    pinned: pinned.map((document) => show(document, scoreOf(document.docNo))),
    tiers: [{ tier: "hot", candidates: candidates.size, durationMs }],
    usage: { tokens, durationMs },
    evidenceConfidence: fused.evidenceConfidence,
    traceId: ctx.deps.telemetry.tracer.traceId() ?? ctx.requestId,
    ...(request.trace && {
      trace: {
        terms: plan.terms.map((term) => term.term),
        unknownTerms: [...candidates.unknown],
        substitutes: Object.fromEntries([...substitutes].map(([term, near]) => [term, near.map((one) => one.term)])),
        people: candidates.people.map((person) => person.name),
        ...(naming && { names: [...naming.names] }),
        windows: plan.windows.map(({ from, to }) => ({
          from: new Date(from).toISOString(),
          to: new Date(to).toISOString(),
        })),
        candidates: candidates.size,
        eligible: fused.results.length,
        relevant: fused.relevant.length,
        roundTrips: 0,
      },
    }),
  };
}

/** The postings of the query, and of near spellings for terms that no text holds. */
function readInput(
  index: HotIndex,
  plan: QueryPlan,
  kinds: ReadonlySet<number> | undefined,
  substitutes: Map<string, Expansion[]>,
  entriesMax: number,
): PostingsInput {
  const input = index.index.input(plan, kinds, entriesMax);
  const unknown = unknownTerms(plan, input.lists).slice(0, UNKNOWN_TERMS_MAX);
  if (unknown.length === 0) return input;
  for (const term of unknown) {
    const near = index.index.vocabulary.near(term);
    if (near.length > 0) substitutes.set(term, near);
  }
  const keys = [...substitutes.values()].flat().map((near) => near.term);
  return { ...input, lists: new Map([...input.lists, ...index.index.lists(keys, kinds, entriesMax)]) };
}

function withScore(document: HotDocument, score: number, standing: Standing | undefined): RecallResult {
  return {
    ...document.result,
    score: Math.round(score * 10_000) / 10_000,
    ...(standing?.outdatedBy !== undefined && { outdatedBy: standing.outdatedBy }),
    ...(standing?.contested === true && { contested: true }),
  };
}

/** The latest texts that the query names and the filters pass, which are offered for their names alone. */
function listOffered(index: HotIndex, { docs }: Naming, request: RecallRequest): number[] {
  const offered: number[] = [];
  for (const docNo of [...docs.keys()].sort((a, b) => b - a)) {
    if (offered.length >= NAMED_TEXTS_MAX) break;
    if (isEligible(index.documents.get(docNo), request)) offered.push(docNo);
  }
  return offered;
}

/** Units that likely outdate candidates in force; the words of the outdated ones find them, too. */
function listHeirs(index: HotIndex, slots: Int32Array, { rows }: RecallRequest): Heir[] {
  if (asksOfPast(rows)) return [];
  const heirs: Heir[] = [];
  const { columns } = index.index;
  for (const slot of slots) {
    if (slot < 0 || index.isSpoken[slot] === 0) continue;
    const docNo = columns.doc[slot]!;
    const spoken = index.documents.get(docNo)?.spoken;
    if (spoken === undefined) continue;
    for (const heir of index.likelyHeirsOf(spoken)) heirs.push({ docNo, heirNo: heir.docNo });
  }
  return heirs;
}

/** The competing documents of each respect that several candidates share. */
function listCompeting(index: HotIndex, stored: readonly (StoredData | undefined)[], time: Date): Competing[] {
  const found = new Map<string, number>();
  const shared = new Map<string, ReturnType<HotIndex["saidOf"]>>();
  const { columns } = index.index;
  for (const data of stored) {
    if (data === undefined || index.isSpoken[columns.slotOf(data.doc)] === 0) continue;
    const spoken = index.documents.get(data.doc)?.spoken;
    if (spoken === undefined) continue;
    const count = (found.get(spoken.tripleKey) ?? 0) + 1;
    found.set(spoken.tripleKey, count);
    if (count === 2) shared.set(spoken.tripleKey, index.saidOf(spoken));
  }
  return findCompeting(shared.values(), time);
}

/** Documents that the words did not find. */
function listExtra(
  index: HotIndex,
  found: readonly number[],
  slots: Int32Array,
  byRecording: boolean,
): Candidate[] {
  if (found.length === 0) return [];
  const { doc } = index.index.columns;
  const seen = new Set<number>();
  for (const slot of slots) if (slot >= 0) seen.add(doc[slot]!);
  return [...new Set(found)].flatMap((docNo) =>
    seen.has(docNo) ? [] : [toCandidate(index.documents.get(docNo)!, byRecording)]
  );
}

/** Those of some texts that the tier ranks. */
function listHeld({ documents }: HotIndex, docNos: Iterable<number>): number[] {
  return Array.from(docNos).filter((docNo) => documents.has(docNo));
}

/** Units of a date that the query names, if it asks for nothing else. */
function listDated(index: HotIndex, plan: QueryPlan, request: RecallRequest): number[] {
  if (!asksOnlyOfTime(plan, ({ person }) => person !== "no")) return [];
  const dated: number[] = [];
  for (const document of index.units.values()) {
    const times = timesOf(document, request.rows.byRecording);
    if (!plan.windows.some((window) => isOfWindow(window, times)) || !isEligible(document, request)) continue;
    dated.push(document.docNo);
    if (dated.length >= DATED_MAX) break;
  }
  return dated;
}

const UNIT_KIND_NUMBERS: ReadonlySet<number> = new Set(Object.values(UNIT_KINDS));

/** Whether the text of a unit holds a stem. */
function isHeld({ index }: HotIndex, stem: string): boolean {
  return index.lists([stem], UNIT_KIND_NUMBERS).size > 0;
}

function listPinned(index: HotIndex, request: RecallRequest): HotDocument[] {
  return [...index.pinned.values()].filter((document) => isEligible(document, request))
    .sort((a, b) => (b.row.updatedAt?.getTime() ?? 0) - (a.row.updatedAt?.getTime() ?? 0)).slice(0, PINNED_MAX);
}
