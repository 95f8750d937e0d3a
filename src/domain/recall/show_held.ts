/** Turns ranked results into those of the reply, from memory, as `showResults` does with the database's rows. */
import type { FusedResult } from "./fusion.ts";
import type { HotDocument } from "./hot_document.ts";
import { newerOf } from "./hot_newer.ts";
import type { MemoryStore } from "./memory_store.ts";
import { addNewer } from "./newer.ts";
import { TokenBudget } from "./packing.ts";
import { PINNED_MAX, type Shown, type ShownResult } from "./results.ts";
import type { Respects } from "./respects.ts";
import { runNow } from "./store.ts";

/**
 * Fits results into the limit and the budget. Pinned units come first and apart, and are not shown a second time.
 * @param tier what the results say of how they were found; undefined: the arm that found each
 */
export function showHeld(
  store: MemoryStore,
  ordered: readonly FusedResult[],
  respects: Respects,
  tier?: "hot",
): Shown {
  const { request } = store;
  const budget = new TokenBudget(request.maxTokens);
  const results: ShownResult[] = [], pinned: Shown["pinned"][number][] = [];
  const noRoom = new Set<number>();
  const interrupted = new Map<number, string>();
  const show = ({ docNo, tokens, result }: HotDocument, relevance: number, found: FusedResult["tier"]) => {
    runNow(respects.read([docNo]));
    const { interruptedBy, outdatedBy, contested } = respects.standingOf(docNo);
    if (interruptedBy !== undefined) {
      interrupted.set(docNo, interruptedBy);
      return undefined;
    }
    if (!budget.takeTokens(tokens)) {
      noRoom.add(docNo);
      return undefined;
    }
    return {
      ...result,
      score: Math.round(Math.min(1, Math.max(0, relevance)) * 10_000) / 10_000,
      tier: tier ?? found,
      contested: result.contested || contested,
      ...(outdatedBy !== undefined && { outdatedBy }),
    };
  };
  const ranked = new Map(ordered.map((result) => [result.docNo, result]));
  const pinnedUnits = listPinned(store);
  respects.note(pinnedUnits.map(({ row }) => row));
  for (const document of pinnedUnits) {
    const { relevance = 0, tier: found = "hot" as const } = ranked.get(document.docNo) ?? {};
    const result = show(document, relevance, found);
    if (result !== undefined) pinned.push({ docNo: document.docNo, result });
  }
  const shownApart = new Set(pinned.map(({ docNo }) => docNo));
  for (const fused of ordered) {
    if (results.length >= request.limit) break;
    const document = shownApart.has(fused.docNo) ? undefined : store.eligible(fused.docNo);
    const result = document && show(document, fused.relevance, fused.tier);
    if (result !== undefined) results.push({ docNo: fused.docNo, fused, result });
  }
  const source = newerOf(store.held, ({ docNo }) => store.eligible(docNo) !== undefined);
  const pointed = addNewer({ results, pinned }, source, { asOf: request.rows.asOf, budget });
  return { ...pointed, noRoom, interrupted, tokens: budget.used, roundTrips: 0 };
}

/** Pinned units that pass the filters, the latest first. */
function listPinned(store: MemoryStore): HotDocument[] {
  const { held: { pinned, rest }, request: { rows } } = store;
  if (rows.types.length === 0) return [];
  const bare = rows.bare ? [...rest?.documents.values() ?? []].filter(({ row }) => row.pinned) : [];
  const time = ({ row }: HotDocument) => row.updatedAt?.getTime() ?? 0;
  return [...pinned.values(), ...bare].filter(({ docNo }) => store.eligible(docNo) !== undefined)
    .sort((a, b) => time(b) - time(a) || (a.row.id < b.row.id ? -1 : 1)).slice(0, PINNED_MAX);
}
