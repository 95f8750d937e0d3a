/**
 * Heirs: finds what is in force now by the words of what it replaced. A caller who asks "What does Gina drive?" uses
 * the words of "Gina drives a Volvo", not those of "Gina traded in her Volvo for a Kia", which superseded it or likely
 * outdates it.
 */
import { type Heir, readHeirs, readLikelyHeirs } from "../../db/queries/recall_heirs.ts";
import type { Tx } from "../../db/tx.ts";
import { FEATURE_COUNT, type Prescored, TEXT_FEATURE_COUNT } from "../../retrieval/mod.ts";
import type { RecallRequest } from "./request.ts";

/** For how many respects of candidates in force likely heirs are looked up, in the order of the candidates. */
export const RESPECTS_MAX = 64;

/**
 * Reads the heirs of candidates that are no longer in force, and, for candidates in force, the facts that likely
 * outdate them. Undefined when there is nothing to look up, or when the request asks about the past.
 */
export async function findHeirs(
  tx: Tx,
  docNos: readonly number[],
  inForce: Iterable<{ readonly tripleKey: string | null }>,
  { rows }: RecallRequest,
): Promise<Heir[] | undefined> {
  if (asksOfPast(rows)) return undefined;
  const keys = new Set<string>();
  for (const { tripleKey } of inForce) {
    if (tripleKey !== null) keys.add(tripleKey);
    if (keys.size === RESPECTS_MAX) break;
  }
  if (docNos.length === 0 && keys.size === 0) return undefined;
  const [heirs, likely] = await Promise.all([
    docNos.length === 0 ? [] : readHeirs(tx, docNos),
    keys.size === 0 ? [] : readLikelyHeirs(tx, [...keys]),
  ]);
  return [...heirs, ...likely];
}

/** Whether what was replaced is itself an answer. */
export function asksOfPast({ superseded, historic, knownAt }: RecallRequest["rows"]): boolean {
  return superseded || historic || knownAt !== null;
}

/** Gives the heirs among the candidates the matches of what they replaced. */
export function inheritMatches(candidates: Prescored, heirs: readonly Heir[]): void {
  if (heirs.length === 0) return;
  const { features, matched, nearby } = candidates;
  const rowOf = new Map<number, number>();
  for (let row = 0; row < candidates.size; row++) {
    if (candidates.groups[row] === 0) rowOf.set(candidates.docs[row]!, row);
  }
  // The older first, so that matches go down a whole line, in whichever order its members were found.
  for (const { docNo, heirNo } of heirs.toSorted((a, b) => a.docNo - b.docNo || a.heirNo - b.heirNo)) {
    const from = rowOf.get(docNo), to = rowOf.get(heirNo);
    if (from === undefined || to === undefined) continue;
    matched[to]! |= matched[from]!;
    nearby[to]! |= nearby[from]!;
    for (let column = 0; column < TEXT_FEATURE_COUNT; column++) {
      const at = to * FEATURE_COUNT + column;
      features[at] = Math.max(features[at]!, features[from * FEATURE_COUNT + column]!);
    }
  }
}
