/**
 * Recall by name (`match: "named"`): finds units whose name, alias or tag the query names, and texts that mention an
 * entity which it names. The index of names alone decides which these are; the ranking only orders them, and no
 * relevance cut applies.
 */
import type { NamedText } from "../../../db/queries/recall_names.ts";
import { FEATURE_COUNT, type Prescored, type QueryNames } from "../../../retrieval/mod.ts";
import { type Fused, type FusedResult, smoothRelevance } from "./cut.ts";
import { anyOf, isLexical } from "./fusion.ts";

/** Texts that are offered for their names alone, besides those that the ranking reached. */
export const NAMED_TEXTS_MAX = 500;
/** This many candidates of the ranking are checked for names in the query. */
export const NAMED_CANDIDATES = 1_000;
/**
 * The gain of a text if the query consists only of its names, on the ranker's scale; and its chance
 * of being relevant.
 */
const NAMED_GAIN = 3;
const NAMED_RELEVANCE = 0.8;
/** The confidence is computed from this many results. */
const CONFIDENT_DEPTH = 5;

/**
 * The name by which a query names a text: its unit's own name, an alias, a tag, or that of an
 * entity that it mentions.
 */
export type NamedBy = NamedText["source"];

/** A text that the query names. */
export interface NameMatch {
  readonly by: ReadonlySet<NamedBy>;
  /** The share of the query that consists of the names, 0 to 1. */
  readonly share: number;
}

/** The texts that a query names, by document number. */
export interface Naming {
  /** The names, as the query writes them. */
  readonly names: readonly string[];
  readonly docs: ReadonlyMap<number, NameMatch>;
}

/** The names in a query, before their texts are looked up. */
export interface WantedNames {
  readonly query: QueryNames;
  readonly keys: readonly string[];
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
export function joinNames(query: QueryNames, texts: Iterable<NamedText>): ReadonlyMap<number, NameMatch> {
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
