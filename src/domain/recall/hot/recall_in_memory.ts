/**
 * Full recall from memory: if the hot tier holds everything that a request may see and the request asks for the
 * present, the ranking needs no statement. One read of the end of the change feed proves that the tier has every commit
 * before the request, by any process. The database answers all other requests, with the same results.
 */
import type { OperationContext } from "../../../context.ts";
import { namePeople, type QueryPlan } from "../../../retrieval/mod.ts";
import type { RecallFilter } from "../../../schema/recall_filter.ts";
import { walkGraph } from "../database/entities.ts";
import { pickSeeds, readSeedNames } from "../search/graph.ts";
import type { RecallRequest } from "../search/request.ts";
import { readFirstPerson } from "../search/nearness.ts";
import { type CompletedSearch, search, type SearchOptions } from "../search/search.ts";
import { type Found, type QueryVector, runNow, TierTimer, whenFound } from "../search/store.ts";
import { MemoryStore, TooManyPostings, type Walked } from "./store.ts";
import { type CompleteIndex, hotTierOf } from "./tier.ts";

/** How often a search begins again because other writes came in between. */
const ATTEMPTS_MAX = 3;
/** Members of a filter that change without an entry in the feed. */
const FIELDS_WITHOUT_EVENT = new Set(["worth"]);

export interface CountedSearch extends CompletedSearch {
  readonly roundTrips: number;
}

/**
 * Recalls from memory.
 * @param ctx has the clearance that the request asks for
 * @param vector the query's embedding; where this process makes it, that goes on beside the reads
 * @returns undefined when the database has to answer
 */
export async function recallInMemory(
  ctx: OperationContext,
  plan: QueryPlan,
  request: RecallRequest,
  vector: Found<QueryVector | undefined>,
  options: Omit<SearchOptions, "vector">,
): Promise<CountedSearch | undefined> {
  const tier = hotTierOf(ctx.deps);
  if (!tier.enabled || !isOfPresent(request)) return undefined;
  // The tier holds no vectors of an endpoint.
  if (!ctx.deps.embeddings.inProcess && await vector !== undefined) return undefined;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const whole = await tier.findComplete(ctx);
    if (whole === undefined) return undefined;
    const timer = new TierTimer();
    const named = new MemoryStore(whole.index, request, { timer });
    const people = namePeople(plan, (terms) => named.readPostings(terms));
    const [walked, made] = await Promise.all([
      walkFrom(ctx, whole, request, timer),
      whenFound(vector, (asked) => asked && readFirstPerson(asked, request.query, { people })),
    ]);
    if (!whole.isSettled()) continue;
    const store = new MemoryStore(whole.index, request, { walked, timer });
    try {
      // The read of the feed's end, and the walk over the graph.
      return {
        ...runNow(search(store, plan, { ...options, vector: made })),
        roundTrips: 1 + (walked?.arm?.roundTrips ?? 0),
      };
    } catch (error) {
      if (error instanceof TooManyPostings) return undefined;
      throw error;
    }
  }
  return undefined;
}

/** Whether the tier can answer a request. */
function isOfPresent({ rows, named, neighbours, filters }: RecallRequest): boolean {
  return !rows.historic && !rows.superseded && !named && !neighbours && (rows.from === null) === (rows.to === null) &&
    (filters === undefined || !asksFor(filters, FIELDS_WITHOUT_EVENT));
}

/** Whether a filter reads one of some members. */
function asksFor(filter: RecallFilter, members: ReadonlySet<string>): boolean {
  return Object.entries(filter).some(([name, value]) =>
    name === "AND" || name === "OR"
      ? (value as RecallFilter[]).some((child) => asksFor(child, members))
      : name === "NOT"
      ? asksFor(value as RecallFilter, members)
      : members.has(name)
  );
}

/** Walks the graph from the entities that the query names: the tier knows their names, the database their relations. */
async function walkFrom(
  ctx: OperationContext,
  { index }: CompleteIndex,
  request: RecallRequest,
  timer: TierTimer,
): Promise<Walked | undefined> {
  const names = readSeedNames(request.query);
  const seeds = pickSeeds(names, index.names.findKnownNames(names.keys));
  if (seeds.ids.length === 0) return undefined;
  const walk = () => ctx.tx((tx) => walkGraph(tx, seeds, request.rows.asOf), { readOnly: true });
  return { seeds, arm: await timer.time("graph", walk) };
}
