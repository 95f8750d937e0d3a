/** Fits ranked texts into the results of a reply, within the limit and the budget of tokens: the last steps of a search. */
import type { ResultRow } from "../../../db/queries/recall_results.ts";
import type { NeighbourRow } from "../../../db/queries/recall.ts";
import { flagInvisible } from "../../../schema/invisible_text.ts";
import type { RecallNeighbour, RecallResult, RecallTier } from "../../../schema/recall.ts";
import { TokenBudget } from "../../common/tokens.ts";
import type { FusedResult } from "./cut.ts";
import { addNewer } from "./newer/newer.ts";
import type { RecallRequest } from "./request.ts";
import type { Slots, Standing } from "./slots.ts";
import { all, type FilteredStatement, one, type QueryVector, type ShownText, type Steps, type Store } from "./store.ts";

/** Turns shown before and after a turn that was found. */
const NEIGHBOURS_REACH = 2;
/** The most pinned units of one reply. */
const PINNED_MAX = 50;

export interface ShownResult {
  readonly docNo: number;
  readonly fused: FusedResult;
  readonly text: ShownText;
  readonly result: RecallResult;
}

export interface ShownResults {
  readonly results: readonly ShownResult[];
  readonly pinned: readonly Omit<ShownResult, "fused">[];
  /** Documents that the budget left out. */
  readonly noRoom: ReadonlySet<number>;
  /** Documents that a bounded unit interrupts, each with the id of that unit. */
  readonly interrupted: ReadonlyMap<number, string>;
  readonly tokens: number;
}

/** The result that shows a row, but for its place in a list. */
export function toResult(row: Omit<ResultRow, "tripleKey">): RecallResult {
  return {
    id: row.id,
    type: row.type as RecallResult["type"],
    text: row.text,
    ...flagInvisible(row.text),
    score: 0,
    tier: "hot",
    status: row.status,
    contested: row.status === "contested" || row.disputed,
    stale: row.stale,
    attribution: row.attribution as RecallResult["attribution"],
    trustScore: row.trustScore,
    sensitivity: row.sensitivity as RecallResult["sensitivity"],
    pinned: row.pinned,
    occurredAt: row.occurredAt?.toISOString() ?? null,
    validFrom: row.validFrom?.toISOString() ?? null,
    validTo: row.validTo?.toISOString() ?? null,
    citations: (row.citations ?? []) as RecallResult["citations"],
    entityIds: row.entityIds as string[],
    ...(row.sessionId !== null && { sessionId: row.sessionId }),
    ...(row.messageId !== null && { messageId: row.messageId }),
    ...(row.role !== null && { role: row.role }),
    ...(row.name !== null && { name: row.name }),
    tags: row.tags as string[],
  };
}

/**
 * Reads the best texts and fits them into the limit and the budget. Pinned units come first and apart; a pinned unit is not
 * shown a second time among the results.
 * @param vector that of the query, by which the newer statements of results are judged
 * @param tier what the results say of how they were found; undefined: the arm that found each
 */
export function* showResults(
  store: Store,
  ordered: readonly FusedResult[],
  slots: Slots,
  { vector, tier }: { readonly vector: QueryVector | undefined; readonly tier?: RecallTier | undefined },
): Steps<ShownResults> {
  const { request } = store;
  const shelf = new Shelf(request, slots, tier);
  // Reads some texts more than requested, because pinned ones are taken out and large ones may not fit.
  const chunk = request.maxTokens === undefined ? request.limit + 5 : 3 * request.limit;
  const results: ShownResult[] = [];
  let pinned: ShownResults["pinned"] | undefined;
  for (let at = 0; results.length < request.limit && (at === 0 || at < ordered.length); at += chunk) {
    const part = ordered.slice(at, at + chunk);
    const docs = part.map(({ docNo }) => docNo), keys = slots.listUnread(docs);
    const [first, said, texts] = yield* all([
      pinned === undefined && request.rows.types.length > 0 ? store.readPinned(PINNED_MAX) : [],
      keys.length === 0 ? NONE_SAID : store.readSpoken(keys),
      docs.length === 0 ? [] : store.readTexts(docs),
    ]);
    slots.put(keys, said);
    if (pinned === undefined) {
      slots.note(first);
      yield* slots.read(first.map(({ docNo }) => docNo));
      const ranked = new Map(ordered.map((fused) => [fused.docNo, fused]));
      pinned = first.flatMap((text) => shelf.take(text, ranked.get(text.docNo)) ?? []);
    }
    const known = new Map(texts.map((text) => [text.docNo, text]));
    const shownApart = new Set(pinned.map(({ docNo }) => docNo));
    for (const fused of part) {
      const text = known.get(fused.docNo);
      if (results.length >= request.limit || text === undefined || shownApart.has(fused.docNo)) continue;
      const shown = shelf.take(text, fused);
      if (shown !== undefined) results.push({ ...shown, fused });
    }
  }
  const { budget, noRoom, interrupted } = shelf;
  const lists = { results, pinned: pinned ?? [] };
  const source = yield* one(store.readNewer([...lists.results, ...lists.pinned], vector));
  const pointed = addNewer(lists, source, { request, budget, inPlaceOf });
  const widened = request.neighbours ? yield* addNeighbours(store, pointed.results, budget) : pointed.results;
  return { results: widened, pinned: pointed.pinned, noRoom, interrupted, tokens: budget.used };
}

/** A statement that only a link found, in the place of another result. */
function inPlaceOf({ docNo, text, result }: FilteredStatement, { fused, result: { tier } }: ShownResult): ShownResult {
  return { docNo, text, fused: { ...fused, docNo, isMoved: true }, result: { ...result, tier } };
}

const NONE_SAID: ReadonlyMap<string, never[]> = new Map();

/** Takes texts as long as there is room for them, unless something else is true instead. */
class Shelf {
  readonly budget: TokenBudget;
  readonly noRoom = new Set<number>();
  readonly interrupted = new Map<number, string>();

  constructor(readonly request: RecallRequest, readonly slots: Slots, readonly tier: RecallTier | undefined) {
    this.budget = new TokenBudget(request.maxTokens);
  }

  take(text: ShownText, fused: FusedResult | undefined): Omit<ShownResult, "fused"> | undefined {
    const { docNo } = text;
    const { interruptedBy, outdatedBy, contested }: Standing = this.slots.standingOf(docNo);
    if (interruptedBy !== undefined && !this.request.rows.superseded) {
      this.interrupted.set(docNo, interruptedBy);
      return undefined;
    }
    if (!this.budget.take(text.row.text, () => text.tokens)) {
      this.noRoom.add(docNo);
      return undefined;
    }
    const result = {
      ...text.result,
      score: Math.round(Math.min(1, Math.max(0, fused?.relevance ?? 0)) * 10_000) / 10_000,
      tier: this.tier ?? fused?.tier ?? "hot",
      contested: text.result.contested || contested,
      ...(outdatedBy !== undefined && { outdatedBy }),
    };
    return { docNo, text, result };
  }
}

/** Adds neighbouring turns to turns, the nearest first, as far as the budget allows. */
function* addNeighbours(
  store: Store,
  results: readonly ShownResult[],
  budget: TokenBudget,
): Steps<ShownResult[]> {
  const places = results.flatMap(({ text: { row: { sessionId, position } } }) =>
    sessionId === null || position === null ? [] : [{ sessionId, position }]
  );
  const found = places.length === 0 ? [] : yield* one(store.readNeighbours(places, NEIGHBOURS_REACH));
  const byPlace = new Map(found.map((row) => [`${row.sessionId} ${row.position}`, row]));
  for (const { sessionId, position } of places) byPlace.delete(`${sessionId} ${position}`);
  return results.map((shown) => {
    const { sessionId, position, type } = shown.text.row;
    if (type !== "turn") return shown;
    const neighbours: RecallNeighbour[] = [];
    for (const offset of [-1, 1, -2, 2]) {
      const key = `${sessionId} ${position! + offset}`;
      const row = byPlace.get(key);
      if (row === undefined || !budget.take(row.text)) continue;
      // Each turn is shown once, with the first result in the list that has it as a neighbour.
      byPlace.delete(key);
      neighbours.push(toNeighbour(row, offset));
    }
    neighbours.sort((a, b) => a.offset - b.offset);
    return { ...shown, result: { ...shown.result, neighbours } };
  });
}

function toNeighbour({ id, messageId, role, name, text, occurredAt }: NeighbourRow, offset: number): RecallNeighbour {
  return { id, messageId, offset, role, name, text, ...flagInvisible(text), occurredAt: occurredAt.toISOString() };
}
