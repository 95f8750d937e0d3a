/**
 * Heirs: finds units in force by the words of those that they replaced. A caller who asks "What does Gina drive?" uses
 * the words of "Gina drives a Volvo", not those of "Gina traded in her Volvo for a Kia", which superseded it or likely
 * outdates it.
 */
import { type Heir, readHeirs, readLikelyHeirs } from "../../db/queries/recall_heirs.ts";
import type { Tx } from "../../db/tx.ts";
import { FEATURE_COUNT, type Prescored, TEXT_FEATURE_COUNT } from "../../retrieval/mod.ts";
import type { RecallRequest } from "./request.ts";

/** The most respects of candidates in force for which likely heirs are looked up, in the order of the candidates. */
export const RESPECTS_MAX = 64;

/**
 * Reads the heirs of candidates that are no longer in force, and the facts that likely outdate candidates in force.
 * Undefined if there is nothing to look up, or the request asks about the past.
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

/** Whether replaced units are answers themselves. */
export function asksOfPast({ superseded, historic, knownAt }: RecallRequest["rows"]): boolean {
  return superseded || historic || knownAt !== null;
}

/** Gives heirs among the candidates the matches of the units that they replaced. */
export function inheritMatches(candidates: Prescored, heirs: readonly Heir[]): void {
  if (heirs.length === 0) return;
  const { features, matched, nearby } = candidates;
  const rowOf = new Map<number, number>();
  for (let row = 0; row < candidates.size; row++) {
    if (candidates.groups[row] === 0) rowOf.set(candidates.docs[row]!, row);
  }
  // Older units first, so that matches pass along a whole chain, whatever the order in which its members were found.
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
