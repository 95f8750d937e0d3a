/**
 * Points from a result to the newer statement about the same matter, along the links that were made at the write. A pointer
 * is no verdict: who reads the results sees both, and the day of each. Pure; each way of recall brings a `NewerSource`.
 */
import type { CitedPlace } from "../../db/queries/newer_links.ts";
import { flagInvisible } from "../../schema/invisible_text.ts";
import type { NewerStatement, RecallResult } from "../../schema/recall.ts";
import { excerptOf } from "./newer_excerpt.ts";
import type { TokenBudget } from "./packing.ts";

/** Steps that are followed from a statement to a newer one, and on from that. */
const STEPS_MAX = 4;
/** Statements that are looked at for one result. */
const SEEN_MAX = 32;
/** A newer statement that hangs on a link this much weaker than the strongest one is left out. */
const WEAKER = 0.75;
/** Of so many results one may carry a pointer; a page of ten then carries three at most. */
const RESULTS_PER_POINTER = 4;

/** A statement that the reader may see and that passes the filters of the request. */
export interface Told {
  readonly result: RecallResult;
  /** When it began to hold, or was said, in ms. */
  readonly at: number;
}

/** The links between statements, as far as a request may follow them. */
export interface NewerSource {
  linksOf(id: string): readonly { readonly id: string; readonly strength: number }[];
  /** The turn that a citation names. */
  turnOf(sessionId: string, messageId: string): string | undefined;
  find(id: string): Told | undefined;
}

/** The newest statement about the matter of a result. */
export interface Newer {
  readonly told: Told;
  readonly strength: number;
}

/** When something began to hold, or was said, in ms. */
export function toldAt(row: {
  readonly validFrom: Date | null;
  readonly occurredAt: Date | null;
  readonly recordedAt: Date;
}): number {
  return (row.validFrom ?? row.occurredAt ?? row.recordedAt).getTime();
}

/**
 * The newest statement about the matter of one, told until `asOf`. A fact and the turns that it cites are one voice: it
 * follows their links, and neither is newer than the other.
 */
export function findNewer(older: Told, source: NewerSource, asOf: Date): Newer | undefined {
  const voice = [older.result.id, ...turnsOf(older.result, source)], places = placesOf(older.result);
  const found = new Map<string, Newer>();
  const seen = new Set(voice);
  let next: readonly { readonly id: string; readonly strength: number }[] = voice.map((id) => ({
    id,
    strength: Infinity,
  }));
  for (let step = 0; step < STEPS_MAX && next.length > 0 && seen.size < SEEN_MAX; step++) {
    const reached = new Map<string, number>();
    for (const { id, strength } of next) {
      for (const link of source.linksOf(id)) {
        if (seen.has(link.id)) continue;
        reached.set(link.id, Math.max(reached.get(link.id) ?? 0, Math.min(strength, link.strength)));
      }
    }
    next = [...reached].flatMap(([id, strength]) => {
      seen.add(id);
      const told = source.find(id);
      if (told === undefined || told.at <= older.at || told.at > asOf.getTime()) return [];
      if (placesOf(told.result).some((place) => places.includes(place))) return [];
      found.set(id, { told, strength });
      return [{ id, strength }];
    });
  }
  const least = WEAKER * Math.max(0, ...Array.from(found.values(), ({ strength }) => strength));
  return [...found.values()].filter(({ strength }) => strength >= least)
    .sort((a, b) =>
      b.told.at - a.told.at || Number(isTurn(a)) - Number(isTurn(b)) || b.strength - a.strength ||
      (idOf(a) < idOf(b) ? -1 : 1)
    )[0];
}

function idOf({ told: { result } }: Newer): string {
  return result.id;
}

function isTurn({ told: { result } }: Newer): boolean {
  return result.type === "turn";
}

/** The turns that a fact cites. */
function turnsOf({ citations }: RecallResult, source: NewerSource): string[] {
  return citedPlaces(citations).flatMap(({ sessionId, messageId }) => source.turnOf(sessionId, messageId) ?? []);
}

/** The places in sessions of the turns that some citations name. */
export function citedPlaces(citations: RecallResult["citations"]): CitedPlace[] {
  return citations.flatMap(({ sessionId, messageId }) => sessionId === undefined ? [] : [{ sessionId, messageId }]);
}

/** Where in sessions a statement was told. */
function placesOf({ type, sessionId, messageId, citations }: RecallResult): string[] {
  return type === "turn"
    ? [`${sessionId} ${messageId}`]
    : citedPlaces(citations).map(({ sessionId, messageId }) => `${sessionId} ${messageId}`);
}

/** The results of a reply, and the pinned units beside them. */
interface Lists<R, P> {
  readonly results: readonly R[];
  readonly pinned: readonly P[];
}

type WithResult = { readonly result: RecallResult };

interface Pointing {
  readonly asOf: Date;
  readonly budget: TokenBudget;
}

/** Adds to results and pinned units the newer statements about their matters, as far as there is room for them. */
export function addNewer<R extends WithResult, P extends WithResult>(
  { results, pinned }: Lists<R, P>,
  source: NewerSource,
  pointing: Pointing,
): Lists<R, P> {
  return { results: pointToNewer(results, source, pointing), pinned: pointToNewer(pinned, source, pointing) };
}

/** Adds pointers, first where they are needed most: the newer statement is not shown above, and the link is strong. */
function pointToNewer<S extends WithResult>(
  shown: readonly S[],
  source: NewerSource,
  { asOf, budget }: Pointing,
): readonly S[] {
  const placeOf = new Map(shown.map(({ result }, place) => [result.id, place]));
  const pointers = shown.flatMap(({ result }, place) => {
    const told = source.find(result.id);
    const newer = told && findNewer(told, source, asOf);
    if (newer === undefined) return [];
    const isShownAbove = (placeOf.get(newer.told.result.id) ?? Infinity) < place;
    return [{ place, newer, need: newer.strength + result.score - (isShownAbove ? 1 : 0) }];
  }).sort((a, b) => b.need - a.need).slice(0, Math.ceil(shown.length / RESULTS_PER_POINTER));
  const pointed = [...shown];
  for (const { place, newer } of pointers) {
    const one = pointed[place]!, pointer = toPointer(one.result, newer);
    if (budget.take(pointer.text)) pointed[place] = { ...one, result: { ...one.result, newer: pointer } };
  }
  return pointed;
}

function toPointer(older: RecallResult, { told: { result, at } }: Newer): NewerStatement {
  const text = excerptOf(result.text, older.text);
  return { id: result.id, text, ...flagInvisible(text), occurredAt: new Date(at).toISOString() };
}
