/**
 * The database's part of a recall, inside one read-only transaction: postings → prescore → rows that pass the filters →
 * fusion. Statements of one step travel together, so that a step costs one round trip.
 */
import type { Tx } from "../../db/tx.ts";
import { compareVectors, findNearest } from "../../db/queries/embeddings.ts";
import type { Heir } from "../../db/queries/recall_heirs.ts";
import {
  CANDIDATES,
  comparedFor,
  type CorpusSize,
  type Expansion,
  type MeaningSource,
  prescore,
  type Prescored,
  type QueryPlan,
  type StoredData,
} from "../../retrieval/mod.ts";
import { KINDS } from "../../schema/common.ts";
import type { BitsCache } from "./bits_cache.ts";
import { extendCandidates, fuse, type Fused, type SemanticArm, toSemanticArm, withMeaning } from "./fusion.ts";
import { type GraphArm, walkGraph } from "./graph.ts";
import { CANDIDATE_STEPS, readLexical } from "./lexical.ts";
import { findNamed, findWantedNames, keepNamed, NAMED_CANDIDATES, type Naming, pickNamed } from "./named.ts";
import { findHeirs, inheritMatches } from "./heirs.ts";
import { Pool } from "./pool.ts";
import type { PostingsCache } from "./postings_cache.ts";
import { isSelective, type RecallRequest } from "./request.ts";
import { sourcesOf } from "./sources.ts";
import { Respects } from "./standing.ts";
import { type TierReport, TierTimer } from "./tier_timer.ts";

/** The query's embedding. */
export interface QueryVector {
  readonly vector: Float32Array;
  /** The models whose vectors it may be compared with. */
  readonly models: readonly string[];
  /**
   * The vectors that it is compared with. `all`: those of all texts. `small`: those of all texts in a small workspace,
   * otherwise those of the best candidates that the query's words found.
   */
  readonly reach: "all" | "small";
  /** Whether the hot tier holds the vectors: the built-in ones, which are centred. */
  readonly isHeld: boolean;
  readonly source: MeaningSource;
}

export interface RetrieveOptions {
  /** In workspaces with at most so many texts, the semantic search compares all vectors. */
  readonly semanticExactMax: number;
  readonly vector: QueryVector | undefined;
  readonly bits: BitsCache;
  readonly postings: PostingsCache;
}

/** The findings of the steps, for the reply and the trace. */
export interface Retrieved {
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
  /** The heirs of candidates that are no longer in force. */
  readonly heirs: readonly Heir[];
  readonly roundTrips: number;
}

/** The findings in the database, with its units of the same respects. */
export interface RetrievedRows extends Retrieved {
  readonly respects: Respects;
}

export const SEMANTIC_MAX = 60;
export const SEMANTIC_SELECTIVE_MAX = 300;
/** How many of the best candidates have their vectors compared, when not all vectors are. */
export const COMPARED_MAX = 100;
export async function retrieve(
  tx: Tx,
  plan: QueryPlan,
  request: RecallRequest,
  options: RetrieveOptions,
): Promise<RetrievedRows> {
  const sources = sourcesOf(request.kinds);
  const timer = new TierTimer();
  const [read, wantedNames] = await Promise.all([
    readLexical(tx, plan, request, { cache: options.postings, sources, timer }),
    request.named ? findWantedNames(tx, request) : undefined,
  ]);
  const wanted = Math.max(30, 3 * request.limit);
  const pool = new Pool(tx, sources, request, options.bits);
  let candidates = prescore(plan, request.named ? { ...read.input, limit: NAMED_CANDIDATES } : read.input);
  const naming = wantedNames && await findNamed(tx, wantedNames, request, [...candidates.docs]);
  if (naming !== undefined) candidates = pickNamed(candidates, naming);
  timer.lap("lexical");
  const semantic = readSemantic(tx, request, options, { candidates, corpora: read.input.corpora }, timer);
  const walked = read.seeds.ids.length === 0
    ? undefined
    : timer.time("graph", walkGraph(tx, read.seeds, request.rows.asOf));
  await Promise.all([pool.read(candidates), semantic, walked]);
  for (const limit of CANDIDATE_STEPS.slice(1)) {
    // If it is fewer than requested, every document with a word of the query was a candidate.
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
  const extended = withMeaning(extendCandidates(candidates, await pool.readExtra([...new Set(extra)])), arm, heirs);
  inheritMatches(extended, heirs);
  const stored = pool.storedOf(extended);
  const respects = new Respects(tx, request.rows);
  respects.note(pool.candidates);
  const competing = await respects.readShared();
  const ranked = fuse(extended, stored, {
    semantic: arm,
    graph,
    minScore: request.minScore,
    competing,
    unitOf: (docNo) => pool.unitOf(docNo),
    asOf: request.rows.asOf,
  });
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

/** The candidates that the query's words found, and the sizes of the searched corpora. */
interface Matches {
  readonly candidates: Prescored;
  readonly corpora: readonly CorpusSize[];
}

async function readSemantic(
  tx: Tx,
  request: RecallRequest,
  { vector: query, semanticExactMax }: RetrieveOptions,
  { candidates, corpora }: Matches,
  timer: TierTimer,
): Promise<SemanticArm | undefined> {
  if (query === undefined) return undefined;
  const { vector, models, reach } = query;
  const limit = isSelective(request) ? SEMANTIC_SELECTIVE_MAX : SEMANTIC_MAX;
  const isSmall = corpora.reduce((sum, corpus) => sum + corpus.docs, 0) <= semanticExactMax;
  const isWide = reach === "all" || isSmall;
  const kinds = request.kinds.map((kind) => KINDS[kind]);
  const known = candidates.docs.filter((doc) => doc !== 0).slice(0, COMPARED_MAX);
  if (!isWide && known.length === 0) return undefined;
  const search = isWide
    ? findNearest(tx, { vector, models, kinds, limit, compared: comparedFor(limit), exact: isSmall })
    : compareVectors(tx, [...known], { vector, models, limit });
  return toSemanticArm(await timer.time("semantic", search), { source: query.source, isCentred: query.isHeld });
}
