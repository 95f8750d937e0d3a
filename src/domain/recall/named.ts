/**
 * Recall by name (`match: "named"`): finds units whose name, alias or tag the query names, and texts that mention an
 * entity which it names. The index of names alone decides which these are; the ranking only orders them, and no
 * relevance cut applies.
 */
import type { Tx } from "../../db/tx.ts";
import * as queries from "../../db/queries/named.ts";
import { FEATURE_COUNT, QueryNames } from "../../retrieval/mod.ts";
import type { Prescored } from "../../retrieval/mod.ts";
import { type Fused, type FusedResult, smoothRelevance } from "./cut.ts";
import { anyOf, isLexical } from "./fusion.ts";
import type { RecallRequest } from "./request.ts";

/** Texts that are offered for their names alone, besides those that the ranking reached. */
export const NAMED_TEXTS_MAX = 500;
/** So many candidates of the ranking are checked for names in the query. */
export const NAMED_CANDIDATES = 1_000;
/** So many names with the same beginning are checked for misspellings. */
const SIMILAR_MAX = 20_000;
/**
 * The gain of a text if the query consists only of its names, on the ranker's scale; and its chance
 * of being relevant.
 */
const NAMED_GAIN = 3;
const NAMED_RELEVANCE = 0.8;
/** The confidence is computed from so many results. */
const CONFIDENT_DEPTH = 5;

/**
 * The name by which a query names a text: its unit's own name, an alias, a tag, or that of an
 * entity that it mentions.
 */
export type NamedBy = queries.NamedText["source"];

/** A text that the query names. */
export interface Named {
  readonly by: ReadonlySet<NamedBy>;
  /** The share of the query that consists of the names, 0 to 1. */
  readonly share: number;
}

/** The texts that a query names, by document number. */
export interface Naming {
  /** The names, as the query writes them. */
  readonly names: readonly string[];
  readonly docs: ReadonlyMap<number, Named>;
}

/** The names in a query, before their texts are looked up. */
export interface WantedNames {
  readonly query: QueryNames;
  readonly keys: readonly string[];
}

/** The same with the entities that have them. */
export interface WantedEntities extends WantedNames, queries.Wanted {
  readonly roundTrips: number;
}

/** Looks up which names the query holds, exactly or misspelt, and who has them. */
export async function findWantedNames(
  tx: Tx,
  { query: text, rows: { knownAt } }: RecallRequest,
): Promise<WantedEntities> {
  const query = new QueryNames(text);
  const [exact, held] = await Promise.all([
    queries.findNameKeys(tx, query.keys, knownAt),
    queries.findHeldStems(tx, query.stems),
  ]);
  const doubtful = query.doubtful(held, exact);
  const slices = query.slices(doubtful);
  const similar = slices.length === 0 ? [] : await queries.listNames(tx, slices, knownAt, SIMILAR_MAX);
  const keys = [...new Set([...exact, ...query.findMistaken(similar, doubtful)])];
  const entities = await queries.findNamedEntities(tx, keys, knownAt);
  const roundTrips = 1 + Number(slices.length > 0) + Number(keys.length > 0);
  return { query, keys, entities, roundTrips };
}

/** Finds the texts that a query names: the latest ones, and all of those that the ranking reached. */
export async function findNamed(
  tx: Tx,
  wanted: WantedEntities,
  { kinds, rows }: RecallRequest,
  ranked: readonly number[],
): Promise<Naming> {
  const { query, keys } = wanted;
  if (keys.length === 0) return { names: [], docs: new Map() };
  const found = await Promise.all([
    rows.types.length === 0 ? [] : queries.findNamedUnits(tx, wanted, rows, NAMED_TEXTS_MAX),
    kinds.includes("turn") ? queries.findNamedTurns(tx, wanted, rows, NAMED_TEXTS_MAX) : [],
    queries.findNamesOf(tx, ranked, wanted, rows),
  ]);
  return {
    names: [...new Set(keys.map((key) => query.written(key)))],
    docs: joinNames(query, found.flat()),
  };
}

/** The candidates whose texts the query names. */
export function pickNamed(candidates: Prescored, { docs }: Naming): Prescored {
  const rows = [...candidates.docs.subarray(0, candidates.size).entries()].filter(([, doc]) => docs.has(doc))
    .map(([row]) => row);
  const pick = (from: Uint32Array) => Uint32Array.from(rows, (row) => from[row]!);
  const features = new Float32Array(rows.length * FEATURE_COUNT);
  for (const [to, row] of rows.entries()) {
    features.set(candidates.features.subarray(row * FEATURE_COUNT, (row + 1) * FEATURE_COUNT), to * FEATURE_COUNT);
  }
  return {
    ...candidates,
    size: rows.length,
    features,
    docs: pick(candidates.docs),
    groups: pick(candidates.groups),
    positions: pick(candidates.positions),
    matched: pick(candidates.matched),
    nearby: pick(candidates.nearby),
  };
}

/** Groups texts with the names of each. */
export function joinNames(query: QueryNames, texts: Iterable<queries.NamedText>): ReadonlyMap<number, Named> {
  const byDoc = Map.groupBy(texts, ({ docNo }) => docNo);
  const shares = new Map<string, number>();
  const shareOf = (keys: readonly string[]) => {
    const name = keys.toSorted().join("\n");
    const share = shares.get(name) ?? query.share(keys);
    shares.set(name, share);
    return share;
  };
  return new Map([...byDoc].map(([docNo, names]) => [docNo, {
    by: new Set(names.map(({ source }) => source)),
    share: shareOf([...new Set(names.map(({ key }) => key))]),
  }]));
}

/**
 * The results that the query names, ordered by the ranking and by their share of the query: all of them, or those with
 * a least score.
 */
export function keepNamed(
  fused: Fused,
  candidates: Prescored,
  { docs }: Naming,
  minScore: number = 0,
): Fused {
  const results = fused.results.flatMap((result): FusedResult[] => {
    const named = docs.get(result.docNo);
    if (named === undefined) return [];
    const { share, by } = named;
    const tier = !isLexical(candidates, result.row) && by.size === 1 && by.has("entity") ? "graph" : "lexical";
    const relevance = anyOf(result.relevance, NAMED_RELEVANCE * share);
    return [{ ...result, tier, fusion: result.fusion + NAMED_GAIN * share, relevance }];
  }).sort((a, b) => b.fusion - a.fusion || a.docNo - b.docNo);
  const best = results.slice(0, CONFIDENT_DEPTH).map(({ relevance }) => relevance);
  smoothRelevance(results);
  const relevant = results.filter(({ relevance }) => relevance >= minScore);
  return {
    results,
    relevant,
    evidenceConfidence: Math.round(1_000 * best.reduce((none, one) => anyOf(none, one), 0)) / 1_000,
  };
}
