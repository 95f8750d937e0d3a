/** Recall: finds the evidence that answers a question. */
import { createContext, type OperationContext } from "../../context.ts";
import { type MeaningSource, planQuery, type QueryPlan, seemsEnglish } from "../../retrieval/mod.ts";
import type {
  BatchRecallBody,
  BatchRecallReply,
  ExplainRecallBody,
  ExplainRecallReply,
  RecallBody,
  RecallReply,
  RecallTier,
  RecallTrace,
} from "../../schema/recall.ts";
import { diaryOf } from "./noted/diary.ts";
import { explain } from "./search/explain.ts";
import { nearestIndexOf } from "./database/nearest_index.ts";
import { readAskedTime, readRequest, type RecallRequest } from "./search/request.ts";
import type { ShownResults } from "./search/results.ts";
import { DatabaseStore } from "./database/store.ts";
import { type CountedSearch, recallInMemory } from "./hot/recall_in_memory.ts";
import { search, type SearchOptions } from "./search/search.ts";
import { type Found, type QueryVector, runLater } from "./search/store.ts";
import { noteRecall } from "./noted/usage.ts";
import { bitsCacheOf } from "./database/candidates.ts";
import { postingsCacheOf } from "./database/postings_cache.ts";

/** A recall that was run. */
export interface RecallRun extends CountedSearch {
  readonly startedAt: number;
}

/** The full hybrid search. */
export async function recall(ctx: OperationContext, body: RecallBody): Promise<RecallReply> {
  return await recallWith(ctx, body, embedQuery(ctx, body.query));
}

/**
 * The full hybrid search. The caller gives the embedding of the query, which may still be computed while the search reads;
 * without an embedding the search uses words, dates and the graph.
 * @param source `database`: not from memory, even if the hot tier holds everything that the request may see
 */
export async function recallWith(
  ctx: OperationContext,
  body: RecallBody,
  vector: Found<QueryVector | undefined>,
  source: "any" | "database" = "any",
): Promise<RecallReply> {
  return keep(ctx, body, toReply(ctx, await run(ctx, await readRequest(ctx, body), vector, "ranked", source)));
}

/**
 * The full search, in which turns and knowledge are both represented.
 * @param sessionId the session for which the recall is made
 */
export async function recallUnified(ctx: OperationContext, body: RecallBody, sessionId?: string): Promise<RecallReply> {
  const vector = embedQuery(ctx, body.query);
  const reply = toReply(ctx, await run(ctx, await readRequest(ctx, body), vector, "balanced"));
  return keep(ctx, body, reply, sessionId);
}

/** Runs several searches in one request; the queries are embedded together. */
export async function recallBatch(ctx: OperationContext, body: BatchRecallBody): Promise<BatchRecallReply> {
  await ctx.spend?.(body.queries.length - 1);
  const vectors = await embedQueries(ctx, body.queries.map((query) => query.query));
  const recalls: RecallReply[] = [];
  // The queries run one after another, so that a batch of one caller leaves connections to others.
  for (const [i, query] of body.queries.entries()) {
    recalls.push(keep(ctx, query, toReply(ctx, await run(ctx, await readRequest(ctx, query), vectors[i], "ranked"))));
  }
  return { recalls };
}

/** The full search, with the reasons for each result and for the absence of others. */
export async function explainRecall(ctx: OperationContext, body: ExplainRecallBody): Promise<ExplainRecallReply> {
  return await explainWith(ctx, body, embedQuery(ctx, body.query));
}

/** The same with a given embedding of the query, and from a given source; see `recallWith`. */
export async function explainWith(
  ctx: OperationContext,
  body: ExplainRecallBody,
  vector: Found<QueryVector | undefined>,
  source: "any" | "database" = "any",
): Promise<ExplainRecallReply> {
  const done = await run(ctx, await readRequest(ctx, body), vector, "ranked", source);
  const explained = await scopeTo(ctx, done.request).tx((tx) => explain(tx, done, body.explainIds), { readOnly: true });
  return { ...keep(ctx, body, toReply(ctx, done)), ...explained };
}

/** Keeps the recall in the diary of workspaces that have one. */
function keep(ctx: OperationContext, body: RecallBody, reply: RecallReply, sessionId?: string): RecallReply {
  diaryOf(ctx.deps).note(ctx, { path: "full", body, reply, sessionId });
  return reply;
}

/** The context with the clearance that the request asks for, so that the database itself hides what is above it. */
function scopeTo(ctx: OperationContext, { maxSensitivity }: RecallRequest): OperationContext {
  return createContext(ctx.deps, { ...ctx, maxSensitivity }, ctx);
}

async function run(
  ctx: OperationContext,
  asked: RecallRequest,
  vector: Found<QueryVector | undefined>,
  blend: NonNullable<SearchOptions["blend"]>,
  source: "any" | "database" = "any",
): Promise<RecallRun> {
  const startedAt = performance.now();
  const { tracer, metrics } = ctx.deps.telemetry;
  const done = await tracer.span("svc.recall", { limit: asked.limit, blend }, async (span) => {
    const plan = planQuery(asked.query, { referenceMs: asked.referenceMs, zone: asked.zone });
    const request = readAskedTime(asked, plan);
    const scoped = scopeTo(ctx, request);
    const options = { semanticExactMax: ctx.deps.config.semanticExactMax, blend };
    const held = source === "any" ? await recallInMemory(scoped, plan, request, vector, options) : undefined;
    const found = held ?? await recallRows(scoped, plan, request, { ...options, vector: await vector });
    metrics.countRecallSource(held === undefined ? "database" : "memory");
    span.set({ results: found.shown.results.length, candidates: found.searched.candidates.size });
    for (const { tier, durationMs, candidates, span: { startedMs, endedMs } } of found.searched.tiers) {
      metrics.observeRecallTier(tier, durationMs, countHits(found.shown, tier));
      tracer.record(`svc.recall.${tier}`, { tier, candidates, durationMs }, startedMs, endedMs);
    }
    return { startedAt, ...found };
  });
  noteRecall(ctx, done.shown.results.map(({ result }) => result));
  return done;
}

/** Recalls from the database, in one transaction. */
async function recallRows(
  ctx: OperationContext,
  plan: QueryPlan,
  request: RecallRequest,
  options: SearchOptions,
): Promise<CountedSearch> {
  // A replica may answer questions about the past. Those about the present are too frequent to check the replica
  // against the primary each time.
  const fromReplica = request.rows.historic;
  return await ctx.tx(async (tx) => {
    const store = new DatabaseStore(tx, request, { bits: bitsCacheOf(ctx.deps), postings: postingsCacheOf(ctx.deps) });
    let roundTrips = 1;
    const outcome = await runLater(search(store, plan, options), () => roundTrips++);
    return { ...outcome, roundTrips: roundTrips + store.furtherTrips };
  }, { readOnly: true, fromReplica });
}

/** Counts the results that a tier found. */
function countHits({ results }: ShownResults, tier: RecallTier): number {
  return results.filter(({ result }) => result.tier === tier).length;
}

/** The reply of a recall. */
export function toReply(ctx: OperationContext, run: RecallRun): RecallReply {
  const { request, searched, shown, startedAt } = run;
  return {
    results: shown.results.map(({ result }) => result),
    pinned: shown.pinned.map(({ result }) => result),
    tiers: searched.tiers.map(({ tier, candidates, durationMs }) => ({ tier, candidates, durationMs })),
    usage: { tokens: shown.tokens, durationMs: round(performance.now() - startedAt) },
    evidenceConfidence: searched.fused.evidenceConfidence,
    traceId: ctx.deps.telemetry.tracer.traceId() ?? ctx.requestId,
    ...(request.trace && { trace: describeTrace(run) }),
  };
}

function round(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

function describeTrace({ plan, searched, roundTrips }: RecallRun): RecallTrace {
  return {
    terms: plan.terms.map((term) => term.term),
    unknownTerms: [...searched.candidates.unknown],
    substitutes: Object.fromEntries(
      [...searched.substitutes].map(([term, near]) => [term, near.map((one) => one.term)]),
    ),
    people: searched.candidates.people.map((person) => person.name),
    ...(searched.naming && { names: [...searched.naming.names] }),
    windows: plan.windows.map(({ from, to }) => ({
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
    })),
    candidates: searched.candidates.size,
    eligible: searched.eligible,
    relevant: searched.fused.relevant.length,
    roundTrips,
  };
}

/** The query's embedding by the configured model, with its weight and reach in the search. */
export function toQueryVector(ctx: OperationContext, vector: Float32Array, source: MeaningSource): QueryVector {
  const { embeddings } = ctx.deps;
  const { comparable: models, cosineScale: scale } = embeddings;
  const reach = nearestIndexOf(ctx.deps).state === "ready" ? "all" : "small";
  const read = (text: string) => embeddings.embed([text], { purpose: "query", signal: ctx.signal });
  const embed = (text: string) =>
    source === "table" ? embeddings.embedNow?.(text)?.vector : read(text).then(([made]) => made, () => undefined);
  return { vector, models, reach, source, scale, ...embeddings.inProcess && { embed } };
}

/** Begins to embed the query. The search that awaits it hears of a failure; one that fails before needs no vector. */
function embedQuery(ctx: OperationContext, query: string): Promise<QueryVector | undefined> {
  const vector = embedQueries(ctx, [query]).then(([one]) => one);
  vector.catch(() => {});
  return vector;
}

/**
 * The queries' embeddings; undefined for one that the model cannot read, and for all if the provider is slow or down:
 * recall then does without that arm.
 */
async function embedQueries(ctx: OperationContext, queries: readonly string[]): Promise<(QueryVector | undefined)[]> {
  const { embeddings } = ctx.deps;
  const isRead = (query: string) => !embeddings.isEnglish || seemsEnglish(query);
  const read = queries.filter(isRead);
  if (read.length === 0) return queries.map(() => undefined);
  try {
    const vectors = await embeddings.embed(read, { purpose: "query", signal: ctx.signal });
    // The first of the comparable models is the best.
    const source = embeddings.model === embeddings.comparable[0] ? "encoder" : "table";
    let next = 0;
    return queries.map((query) => isRead(query) ? toQueryVector(ctx, vectors[next++], source) : undefined);
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    return queries.map(() => undefined);
  }
}
