/**
 * Recall from the hot tier alone, without a model endpoint and, unless something was written since, without the
 * database. If the tier does not hold the workspace, or is off, the database answers, and the reply's tiers say so.
 */
import { createContext, type OperationContext } from "../../context.ts";
import { planQuery, seemsEnglish } from "../../retrieval/mod.ts";
import type { HotRecallBody, RecallReply } from "../../schema/recall.ts";
import { diaryOf } from "./noted/diary.ts";
import { SEEDS_MAX, walkMentions } from "./search/graph.ts";
import { hotTierOf } from "./hot/tier.ts";
import type { HotIndex } from "./hot/index.ts";
import { MemoryStore, type Walked } from "./hot/store.ts";
import { recallWith, toQueryVector, toReply } from "./recall.ts";
import { isSelective, readAskedTime, readRequest, type RecallRequest } from "./search/request.ts";
import { search } from "./search/search.ts";
import { type QueryVector, runNow } from "./search/store.ts";
import { noteRecall } from "./noted/usage.ts";

/** Fewer candidates than in the full search, because the tier answers within about a millisecond. */
const CANDIDATES = 100;
/** Postings that are read of one term; of a more frequent term, the latest ones. */
const LIST_ENTRIES_MAX = 2_000;

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
  if (index === undefined) return await recallWith(ctx, body, vector, "database");
  // Nothing is awaited between `find` and the search, because the index may change in any turn of the event loop.
  return await telemetry.tracer.span("svc.recall", { limit: request.limit, blend: "hot" }, (span) => {
    const reply = searchHeld(ctx, index, request, vector, startedAt);
    const [{ tier, candidates, durationMs }] = reply.tiers;
    telemetry.metrics.observeRecallTier(tier, durationMs, reply.results.length);
    telemetry.tracer.record(`svc.recall.${tier}`, { tier, candidates, durationMs }, startedAt, performance.now());
    span.set({ results: reply.results.length });
    noteRecall(ctx, reply.results);
    diaryOf(ctx.deps).note(ctx, { path: "hot", body, reply });
    return Promise.resolve(reply);
  });
}

/**
 * The query's vector from the table of the built-in embeddings; this path never calls a model endpoint. Undefined for a
 * query that the model cannot read.
 */
async function lookUpQuery(ctx: OperationContext, query: string): Promise<QueryVector | undefined> {
  const { embeddings } = ctx.deps;
  if (embeddings.isEnglish && !seemsEnglish(query)) return undefined;
  try {
    const vector = await embeddings.lookUpQuery?.(query);
    return vector && toQueryVector(ctx, vector, "table");
  } catch {
    // Words find what they find without it; readiness tells of the fault.
    return undefined;
  }
}

/** The texts that mention what the query names, by whichever of its names they tell of it. */
function walkNames(index: HotIndex, query: string): Walked {
  const seeds = index.names.findEntities(query, SEEDS_MAX);
  if (seeds.ids.length === 0) return { seeds, arm: undefined };
  const mentioning = seeds.ids.map((id) => {
    return { id, docNo: index.find(id)?.docNo, docs: index.names.listMentioning(id) };
  });
  return { seeds, arm: walkMentions(seeds, mentioning) };
}

/** The search over what the tier holds, within its budget. */
function searchHeld(
  ctx: OperationContext,
  index: HotIndex,
  asked: RecallRequest,
  vector: QueryVector | undefined,
  startedAt: number,
): RecallReply {
  const plan = planQuery(asked.query, { referenceMs: asked.referenceMs, zone: asked.zone });
  const request = readAskedTime(asked, plan);
  // Filters run after the prescore, so a selective search reads all postings.
  const entriesMax = isSelective(request) ? Infinity : LIST_ENTRIES_MAX;
  const store = new MemoryStore(index, request, { entriesMax, walked: walkNames(index, request.query) });
  const { semanticExactMax } = ctx.deps.config;
  const outcome = runNow(search(store, plan, { vector, semanticExactMax, candidates: CANDIDATES, tier: "hot" }));
  const { tiers: _, ...reply } = toReply(ctx, { startedAt, roundTrips: 0, ...outcome });
  const { durationMs } = reply.usage;
  return { ...reply, tiers: [{ tier: "hot", candidates: outcome.searched.candidates.size, durationMs }] };
}
