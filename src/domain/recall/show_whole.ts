/** Turns ranked results into those of the reply, from memory, as `showResults` does with the database's rows. */
import type { FusedResult } from "./fusion.ts";
import type { HotDocument } from "./hot_document.ts";
import { TokenBudget } from "./packing.ts";
import { PINNED_MAX, type Shown, type ShownResult } from "./results.ts";
import type { WholeReader } from "./retrieve_whole.ts";
import { standAmong } from "./standing.ts";

/** Fits results into the limit and the budget. Pinned units come first and apart, and are not shown a second time. */
export function showWhole(reader: WholeReader, ordered: readonly FusedResult[]): Shown {
  const { request } = reader;
  const budget = new TokenBudget(request.maxTokens);
  const results: ShownResult[] = [], pinned: Shown["pinned"][number][] = [];
  const noRoom = new Set<number>();
  const interrupted = new Map<number, string>();
  const show = (document: HotDocument, relevance: number, tier: FusedResult["tier"]) => {
    const { docNo, spoken } = document;
    const standing = spoken && standAmong(spoken, reader.saidOf(spoken), request.rows.asOf);
    if (standing?.interruptedBy !== undefined) {
      interrupted.set(docNo, standing.interruptedBy);
      return undefined;
    }
    if (!budget.takeTokens(document.tokens)) {
      noRoom.add(docNo);
      return undefined;
    }
    const { result } = document;
    return {
      ...result,
      score: Math.round(Math.min(1, Math.max(0, relevance)) * 10_000) / 10_000,
      tier,
      contested: result.contested || standing?.contested === true,
      ...(standing?.outdatedBy !== undefined && { outdatedBy: standing.outdatedBy }),
    };
  };
  const ranked = new Map(ordered.map((result) => [result.docNo, result]));
  for (const document of listPinned(reader)) {
    const { relevance = 0, tier = "hot" as const } = ranked.get(document.docNo) ?? {};
    const result = show(document, relevance, tier);
    if (result !== undefined) pinned.push({ docNo: document.docNo, result });
  }
  const shownApart = new Set(pinned.map(({ docNo }) => docNo));
  for (const fused of ordered) {
    if (results.length >= request.limit) break;
    const document = shownApart.has(fused.docNo) ? undefined : reader.eligible(fused.docNo);
    const result = document && show(document, fused.relevance, fused.tier);
    if (result !== undefined) results.push({ docNo: fused.docNo, fused, result });
  }
  return { results, pinned, noRoom, interrupted, tokens: budget.used, roundTrips: 0 };
}

/** Pinned units that pass the filters, the latest first. */
function listPinned(reader: WholeReader): HotDocument[] {
  const { whole: { index, rest }, request: { rows } } = reader;
  if (rows.types.length === 0) return [];
  const bare = rows.bare ? [...rest.documents.values()].filter(({ row }) => row.pinned) : [];
  const time = ({ row }: HotDocument) => row.updatedAt?.getTime() ?? 0;
  return [...index.pinned.values(), ...bare].filter(({ docNo }) => reader.eligible(docNo) !== undefined)
    .sort((a, b) => time(b) - time(a) || (a.row.id < b.row.id ? -1 : 1)).slice(0, PINNED_MAX);
}
