/** Which of the ordered candidates a reply offers, and in what order. Pure. */
import { cutResults, modelNameOf, type Prescored, RELEVANCE } from "../../../retrieval/mod.ts";
import type { RecallTier } from "../../../schema/recall.ts";
import type { Placed } from "./current_first.ts";
import type { GraphHit } from "./graph.ts";

/**
 * A result that only the graph found needs this probability: two sure steps lead to it, or one that few texts share.
 */
const GRAPH_SUPPORT_MIN = 0.1;
/**
 * The chance that a text without a word of the query is relevant because it is of the time that the
 * query names. It holds if the query asks for nothing else.
 */
export const TEMPORAL_RELEVANCE = 0.3;
/** A result that only time or graph found is returned from this chance on. */
const SUPPORT_MIN = 0.2;

/** Where the search by meaning found a text. */
export interface SemanticHit {
  readonly rank: number;
  /** Cosine. */
  readonly similarity: number;
}

export interface FusedResult extends Placed {
  readonly tier: RecallTier;
  /** The ranker's part of the score that the order follows, and the rank that it alone would give. */
  readonly lexical: { readonly rank: number; readonly score: number };
  readonly semantic: SemanticHit | undefined;
  readonly graph: GraphHit | undefined;
  /** Whether it took the place of another result of its slot, and with it the arms that found that one. */
  readonly isMoved?: true;
  /** Probability of being relevant by words and meaning alone. */
  readonly estimated: number;
  /**
   * Probability of being relevant. In `relevant` it is smoothed so that it falls along the list.
   */
  relevance: number;
}

export interface Fused {
  /** All eligible candidates, best first. */
  readonly results: readonly FusedResult[];
  /** Those above the relevance cut, best first. */
  readonly relevant: readonly FusedResult[];
  readonly evidenceConfidence: number;
}

/**
 * Picks the results to return: those that the engine's cut by words and meaning keeps, and those of which the other arms
 * alone are sure enough.
 */
export function cut(candidates: Prescored, results: readonly FusedResult[], asksOfNames: boolean): FusedResult[] {
  const probabilities = results.map((result) => result.relevance);
  // Of a text that time or the graph found as well as its meaning, meaning says whether it passes the engine's cut.
  const own = results.map(({ tier, relevance, estimated }) => tier === "lexical" ? relevance : estimated);
  const kept = new Uint8Array(results.length);
  for (const place of cutResults(candidates, results, own, results.length)) {
    const { tier, semantic, isMoved } = results[place]!;
    if (tier === "lexical" || semantic !== undefined || isMoved) kept[place] = 1;
  }
  const knee = RELEVANCE[modelNameOf(candidates)].document.cut.knee * Math.max(0, ...probabilities);
  // A date without its year fits half: "in March" alone finds texts of any March.
  const leastOf = ({ tier }: FusedResult) =>
    tier === "temporal" ? TEMPORAL_RELEVANCE / 2 : tier === "graph" ? GRAPH_SUPPORT_MIN : SUPPORT_MIN;
  // If a question asks only about a time, all texts of that time are equally near; if it asks only about an entity, all
  // texts that mention it are, by whichever of its names.
  const isOfName = ({ graph }: FusedResult) =>
    asksOfNames && graph?.path.length === 1 && graph.path[0]!.via === "mention";
  const kneeOf = (result: FusedResult) => result.tier === "temporal" || isOfName(result) ? 0 : knee;
  return results.filter((result, place) =>
    // The support of a text leaves out that it holds the name itself.
    kept[place] === 1 || result.tier === "lexical" && isOfName(result) ||
    result.support >= Math.max(leastOf(result), kneeOf(result))
  );
}

/**
 * Makes the estimates fall along the order (isotonic regression that pools neighbours out of order), because the order
 * is better informed than the estimates, and a caller may cut by score.
 */
export function smoothRelevance(results: readonly FusedResult[]): void {
  // Blocks of neighbours with one mean, as two stacks.
  const sums = new Float64Array(results.length), sizes = new Uint32Array(results.length);
  let blocks = 0;
  for (const { relevance } of results) {
    let sum = relevance, size = 1;
    for (; blocks > 0 && sums[blocks - 1] / sizes[blocks - 1] <= sum / size; blocks--) {
      sum = sums[blocks - 1] + sum;
      size += sizes[blocks - 1];
    }
    sums[blocks] = sum;
    sizes[blocks++] = size;
  }
  let at = 0;
  for (let block = 0; block < blocks; block++) {
    for (let i = 0; i < sizes[block]; i++) results[at++].relevance = sums[block] / sizes[block];
  }
}

/**
 * The relevant results in the order they are offered to the reply. `balanced`: each side (turns, knowledge) keeps up to
 * half of the places, so that neither crowds the other out.
 */
export function orderResults(
  fused: Fused,
  limit: number,
  balanced: ((result: FusedResult) => boolean) | undefined,
): readonly FusedResult[] {
  const { relevant } = fused;
  if (balanced === undefined) return relevant;
  const half = Math.ceil(limit / 2);
  const sides = [relevant.filter(balanced), relevant.filter((result) => !balanced(result))];
  const first = new Set(sides.flatMap((side) => side.slice(0, half)));
  const rest = relevant.filter((result) => !first.has(result));
  const kept = new Set([...first, ...rest.slice(0, Math.max(0, limit - first.size))]);
  return [...relevant.filter((result) => kept.has(result)), ...relevant.filter((result) => !kept.has(result))];
}
