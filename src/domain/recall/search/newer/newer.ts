/**
 * Points from a result to the newer statement about the same matter, along the links that were made at the write. A pointer
 * is no verdict: who reads the results sees both, and the day of each. Pure; each way of recall brings a `NewerSource`.
 */
import { type CitedPlace, STEPS_MAX, SURE_MIN } from "../../../../db/queries/newer_links.ts";
import { parseDates } from "../../../../language/dates.ts";
import { ownWords, withoutContext } from "../../../../language/reported_speech.ts";
import { flagInvisible } from "../../../../schema/invisible_text.ts";
import type { NewerStatement, RecallResult } from "../../../../schema/recall.ts";
import type { TokenBudget } from "../../../common/tokens.ts";
import { asksOfPast, type RecallRequest } from "../request.ts";
import type { FilteredStatement, NewerSource } from "../store.ts";
import { tellsEnd } from "./ended.ts";
import { excerptOf } from "./excerpt.ts";
import { type FittedOrder, OrderModel } from "./order.ts";
import { NEARNESS_UNKNOWN } from "./features.ts";
import { MatterModel } from "./matter.ts";
import { isTalk, tellsSomething } from "./talk.ts";

/** Statements that are looked at for one result. */
const SEEN_MAX = 32;
/** A newer statement that is less fitting than the best one by more than this part of it is left out. */
const WEAKER = 0.9;
/** The weight of a statement's cosine with the query, beside the strength of the link, which has weight 1. */
const NEARNESS_WEIGHT = 0.5;
/** Newer statements of one result that are compared with it. */
export const COMPARED_MAX = 3;
/** The most pointers of a page. */
const POINTERS_MAX = 2;

/** The newest statement about the matter of a result. */
export interface NewerMatch {
  readonly told: FilteredStatement;
  /** The strength of the weakest link on the way, and of the strongest link of the older one. */
  readonly strength: number;
  readonly strongest: number;
  /** The strength of the link and the weighted cosine with the query: of several newer statements, the greatest is best. */
  readonly fit: number;
  /** The steps that lead to it from a result of the search. */
  readonly steps: number;
  /** Each link on the way likely joins statements about one matter. */
  readonly isOneMatter: boolean;
}

/** When something began to hold, or was said, in ms. */
export function toldAt(row: {
  readonly validFrom: Date | null;
  readonly occurredAt: Date | null;
  readonly recordedAt: Date;
}): number {
  return (row.validFrom ?? row.occurredAt ?? row.recordedAt).getTime();
}

/** How to look for what is newer than a statement. */
interface Looking {
  readonly asOf: Date;
  /** The statement's score as a result. */
  readonly score: number;
  readonly matter: MatterModel;
  /**
   * The steps that led to the statement, if only a link found it. What is followed from it are the steps that are left,
   * without the turns that it cites, because the database reads no more than that.
   */
  readonly gone?: number | undefined;
}

/**
 * The newer statements about the matter of one, told until `asOf`, those that fit best first. A fact and the turns that it
 * cites are one voice: it follows their links, and neither is newer than the other.
 */
export function listNewer(
  older: FilteredStatement,
  source: NewerSource,
  { asOf, score, matter, gone = 0 }: Looking,
): NewerMatch[] {
  const voice = [older.result.id, ...gone === 0 ? turnsOf(older.result, source) : []];
  const places = placesOf(older.result);
  const found: Omit<NewerMatch, "strongest">[] = [];
  const seen = new Set(voice);
  let next: readonly Reached[] = voice.map((id) => ({ id, told: older, strength: Infinity, isOneMatter: true }));
  for (let steps = gone + 1; steps <= STEPS_MAX && next.length > 0 && seen.size < SEEN_MAX; steps++) {
    const reached = new Map<string, Reached>();
    for (const from of next) {
      for (const link of source.linksOf(from.id)) {
        const told = seen.has(link.id) ? undefined : source.find(link.id);
        if (told === undefined) continue;
        const strength = Math.min(from.strength, link.strength), known = reached.get(link.id);
        const isOneMatter = known?.isOneMatter === true ||
          from.isOneMatter && matter.isOne(from.told, told, link, score);
        reached.set(link.id, { id: link.id, told, strength: Math.max(known?.strength ?? 0, strength), isOneMatter });
      }
    }
    next = [...reached.values()].flatMap((one) => {
      const { id, told, strength, isOneMatter } = one;
      seen.add(id);
      if (told.at <= older.at || told.at > asOf.getTime()) return [];
      if (placesOf(told.result).some((place) => places.includes(place))) return [];
      const isOfTalk = isTalk(older.result) || isTalk(told.result);
      if (isOfTalk && !tellsSomething(ownWords(told.result.text))) return [];
      const fit = strength + NEARNESS_WEIGHT * (source.nearness(told.docNo) ?? NEARNESS_UNKNOWN);
      found.push({ told, strength, fit, steps, isOneMatter });
      // In talk, what is near to what is near is about something else.
      return strength >= SURE_MIN && !isOfTalk ? [one] : [];
    });
  }
  const strongest = Math.max(0, ...found.map(({ strength }) => strength));
  return found.map((newer) => ({ ...newer, strongest }))
    .sort((a, b) => b.fit - a.fit || (idOf(a) < idOf(b) ? -1 : 1));
}

/** A statement on the way along the links. */
type Reached = Pick<NewerMatch, "told" | "strength" | "isOneMatter"> & { readonly id: string };

/** The newest of those that fit hardly less than the best one; of several told at once, a fact. */
function pickNewest(found: readonly NewerMatch[]): NewerMatch | undefined {
  const least = WEAKER * (found[0]?.fit ?? 0);
  return found.filter(({ fit }) => fit >= least)
    .sort((a, b) => b.told.at - a.told.at || Number(isTurn(a)) - Number(isTurn(b)) || b.fit - a.fit)[0];
}

function idOf({ told: { result } }: NewerMatch): string {
  return result.id;
}

function isTurn({ told: { result } }: NewerMatch): boolean {
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
export interface Lists<R, P> {
  readonly results: readonly R[];
  readonly pinned: readonly P[];
}

type WithResult = { readonly result: RecallResult };

/** The question, and what a reply has room for. */
export interface Pointing<R> {
  readonly request: RecallRequest;
  readonly budget: TokenBudget;
  /** Makes a result of a statement that only a link found, in the place of another one. */
  readonly inPlaceOf: (told: FilteredStatement, other: R) => R;
  /** Default: the model that the service ships. */
  readonly order?: FittedOrder;
}

/**
 * Adds to results and pinned units the newer statements about their matters: above, where they likely answer the question
 * instead, and else beside the older ones, as far as there is room for them.
 */
export function addNewer<R extends WithResult, P extends WithResult>(
  { results, pinned }: Lists<R, P>,
  source: NewerSource,
  pointing: Pointing<R>,
): Lists<R, P> {
  const apart = new Set(pinned.map(({ result }) => result.id));
  const matter = new MatterModel(source, results);
  const { placed, steps } = placeNewer(results, apart, withFacts(source, results), { ...pointing, matter });
  const { request: { rows }, budget } = pointing;
  const point = <S extends WithResult>(shown: readonly S[]) =>
    pointToNewer(shown, source, { rows, budget, most: POINTERS_MAX, apart, steps, matter });
  return { results: point(placed), pinned: point(pinned) };
}

/**
 * Puts newer statements above those to which they are linked, if the model says that they answer the question instead. Time
 * and trust go before the model: it is not asked about the past, and what is trusted less stays where it is.
 * @param apart the pinned units, which are not shown a second time
 * @returns also the steps that led to what only a link found, by id
 */
function placeNewer<R extends WithResult>(
  results: readonly R[],
  apart: ReadonlySet<string>,
  source: NewerSource,
  { request, budget, inPlaceOf, order, matter }: Pointing<R> & { readonly matter: MatterModel },
): { readonly placed: readonly R[]; readonly steps: ReadonlyMap<string, number> } {
  const { rows, query, limit, named } = request;
  const placed = [...results], steps = new Map<string, number>();
  if (asksOfPast(rows) || rows.from !== null) return { placed, steps };
  const shown = new Map(results.map(({ result }) => [result.id, result]));
  const scores = new Map(results.map(({ result: { id, score } }) => [id, score]));
  const model = new OrderModel(query, source, scores, order);
  const voices = voicesOf(results);
  const { windows } = parseDates(query, request.referenceMs, request.zone);
  const isOfThen = ({ at }: FilteredStatement) => windows.some(({ from, to }) => from <= at && at < to);
  for (const older of results) {
    const told = source.find(older.result.id);
    if (told === undefined) continue;
    const mayGoAbove = ({ told: newer, isOneMatter }: NewerMatch) => {
      const { result } = newer;
      // What was told at a time that the question names answers it, whatever was told at another time.
      if (isOfThen(told) && !isOfThen(newer)) return false;
      if (apart.has(result.id) || result.id === older.result.id) return false;
      if (!isOneMatter) return false;
      const own = shown.get(result.id);
      // Who asks for what has a name gets nothing else. What is among the results has a standing among its rivals as well.
      return own === undefined ? !named && isAsGood(result, older.result) : isAsGood(own, older.result);
    };
    const found = listNewer(told, source, { asOf: rows.asOf, score: older.result.score, matter }).map((one) =>
      asShown(one, voices, source)
    ).filter(mayGoAbove);
    const newer = model.pickAbove(told, found.slice(0, COMPARED_MAX));
    if (newer === undefined) continue;
    const at = placed.indexOf(older), from = placed.findIndex(({ result }) => result.id === newer.told.result.id);
    if (at === -1 || from !== -1 && from < at) continue;
    if (from === -1 && !budget.take(newer.told.result.text)) continue;
    // The database reads on from there only if the link is sure.
    if (from === -1) steps.set(newer.told.result.id, newer.strength >= SURE_MIN ? newer.steps : STEPS_MAX);
    const moved = from === -1 ? inPlaceOf(newer.told, older) : placed.splice(from, 1)[0]!;
    const score = from === -1 ? older.result.score : Math.max(moved.result.score, older.result.score);
    placed.splice(at, 0, { ...moved, result: { ...moved.result, score } });
  }
  return { placed: placed.slice(0, Math.max(limit, results.length)), steps };
}

/** The first result of each place in a session: the turn, or a fact that cites it. */
function voicesOf(results: readonly WithResult[]): ReadonlyMap<string, string> {
  const voices = new Map<string, string>();
  for (const { result } of results) {
    for (const place of placesOf(result)) if (!voices.has(place)) voices.set(place, result.id);
  }
  return voices;
}

/** The links and texts among which a fact of the results stands for a turn that it cites and that the request leaves out. */
function withFacts(source: NewerSource, results: readonly WithResult[]): NewerSource {
  const facts = new Map(results.flatMap(({ result }) => turnsOf(result, source).map((turn) => [turn, result.id])));
  return {
    linksOf: (id) => source.linksOf(id),
    turnOf: (sessionId, messageId) => source.turnOf(sessionId, messageId),
    find: (id) => source.find(id) ?? source.find(facts.get(id) ?? id),
    nearness: (docNo) => source.nearness(docNo),
  };
}

/** A newer statement as the results show it: if they have its turn or a fact that cites it, that one stands for it. */
function asShown(newer: NewerMatch, voices: ReadonlyMap<string, string>, source: NewerSource): NewerMatch {
  const id = placesOf(newer.told.result).map((place) => voices.get(place)).find((one) => one !== undefined);
  const told = id === undefined ? undefined : source.find(id);
  return told === undefined ? newer : { ...newer, told };
}

/** Whether one may stand above the other: it is in force as well, and trusted as much. */
function isAsGood(newer: RecallResult, older: RecallResult): boolean {
  return newer.trustScore >= older.trustScore && !newer.contested && !newer.stale && newer.outdatedBy === undefined;
}

/** Which pointers to add. */
interface PointingTo {
  readonly rows: { readonly asOf: Date };
  readonly budget: TokenBudget;
  readonly most: number;
  /** What is shown anyway. */
  readonly apart?: ReadonlySet<string>;
  /** The steps that led to what only a link found, by id. */
  readonly steps?: ReadonlyMap<string, number>;
  /** Default: nothing was asked. */
  readonly matter?: MatterModel;
}

/**
 * Adds pointers, first where they are needed most: near the top, the newer statement is not shown above, the link is strong.
 * None leads to a pinned unit: the reply shows that anyway.
 */
export function pointToNewer<S extends WithResult>(
  shown: readonly S[],
  source: NewerSource,
  { rows: { asOf }, budget, most, apart, steps, matter = new MatterModel(source) }: PointingTo,
): readonly S[] {
  const placeOf = new Map(shown.map(({ result }, place) => [result.id, place]));
  const voices = voicesOf(shown);
  const pointers = shown.flatMap(({ result }, place) => {
    const told = source.find(result.id);
    const newer = told && pickNewest(
      listNewer(told, source, { asOf, score: result.score, matter, gone: steps?.get(result.id) })
        .filter(({ isOneMatter }) => isOneMatter),
    );
    if (newer === undefined || apart?.has(newer.told.result.id)) return [];
    const isShownAbove = (placeOf.get(asShown(newer, voices, source).told.result.id) ?? Infinity) < place;
    return [{ place, newer, need: newer.fit + 1 / (1 + place) - (isShownAbove ? 1 : 0) }];
  }).sort((a, b) => b.need - a.need).slice(0, most);
  const pointed = [...shown];
  for (const { place, newer } of pointers) {
    const one = pointed[place]!, pointer = toPointer(one.result, newer, asOf);
    if (budget.take(pointer.text)) pointed[place] = { ...one, result: { ...one.result, newer: pointer } };
  }
  return pointed;
}

function toPointer(older: RecallResult, { told: { result, at } }: NewerMatch, asOf: Date): NewerStatement {
  const [before, after] = [ownWords(older.text), ownWords(result.text)];
  const text = excerptOf(withoutContext(result.text), before);
  const isOver = result.validTo !== null && Date.parse(result.validTo) <= asOf.getTime();
  return {
    ...(result.sessionId !== undefined && { sessionId: result.sessionId }),
    ...{ id: result.id, text, ...flagInvisible(text), occurredAt: new Date(at).toISOString() },
    ...(isOver || tellsEnd(before, after)) && { ended: true as const },
  };
}
