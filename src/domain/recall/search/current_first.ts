/**
 * Puts current results before others: the newer of two units that answer a query equally well, and, among those about
 * the same slot, the unit that holds. Pure.
 */
import type { Prescored, StoredData } from "../../../retrieval/mod.ts";

/** Documents that say different things of one slot, each with its rank; see `rankCurrency`. */
export type Competing = ReadonlyMap<number, number>;

/** A unit that is less likely relevant than another one by no more than this may come before it. */
const HARDLY_LESS = 0.05;
/** The same for what is so, before a denial, and the other way round if the query asks for what is not. */
const LESS_THAN_OPPOSITE = 0.2;
/** The same for what the other arms add to the ranker's score: a tenth of what a model that is sure adds. */
const HARDLY_LESS_GAINED = 0.5;
/** Units that hold the same words of the query are reordered by time only among this many of the best. */
const BEST_MAX = 64;

/** A result in its place. */
export interface Placed {
  readonly docNo: number;
  /** The row of the result in the candidates' feature matrix. */
  readonly row: number;
  /** The score that the order follows. */
  readonly fusion: number;
  /** The query says all that it says. Such results come first: who asks in the words of a statement wants that one. */
  readonly isQuoted?: boolean;
  /** What the other arms add to the ranker's score, and what changing places adds or takes away. */
  readonly gains: { readonly graph: number; readonly current: number };
  /** Probability of being relevant. */
  readonly relevance: number;
  /** The probability of being relevant by meaning and time alone. */
  readonly support: number;
  /** The probability that the graph gives the result, times the share of the query's words that some result holds. */
  readonly linked: number;
}

/** The columns of a unit by which results are ordered. */
export interface KnownUnit {
  readonly status: string;
  readonly trustScore: number;
  /** Whether it only denies something: "does not eat pork". */
  readonly denies: boolean;
  readonly recordedAt: Date;
}

/** The values, besides scores, by which `putNewerFirst` compares units. */
export interface KnownOrder {
  readonly stored: readonly (StoredData | undefined)[];
  readonly unitOf: (docNo: number) => KnownUnit | undefined;
  /** The time that the query asks about. */
  readonly asOf: Date;
  /** The query asks for what is not so. */
  readonly asksDenial: boolean;
}

/**
 * Puts the newer of two units first if both hold the same words of the query. It stays behind if it is clearly less
 * likely relevant, if the meaning or the graph clearly favours the older one, if one of them is what the query says word
 * for word, or if it is trusted less or has another status. A denial stays behind what is so, and before it if the query
 * asks for it: that somebody is not allergic to one thing does not say to what. This corrects the ranker, which prefers the
 * shorter of two texts: the one that tells of a change is rarely the shorter. Each unit keeps its own probability.
 */
export function putNewerFirst<R extends Placed>(sorted: R[], { groups, matched }: Prescored, known: KnownOrder): R[] {
  const placesOf = new Map<number, number[]>();
  let units = 0;
  for (let place = 0; place < sorted.length && units < BEST_MAX; place++) {
    const { row } = sorted[place]!, words = matched[row]!;
    if (groups[row] !== 0 || words === 0) continue;
    units++;
    const places = placesOf.get(words);
    if (places === undefined) placesOf.set(words, [place]);
    else places.push(place);
  }
  const results = [...sorted];
  for (const places of placesOf.values()) {
    if (places.length < 2) continue;
    const members: Member<R>[] = [];
    for (const place of places) {
      const own = toMember(sorted[place]!, known);
      let at = members.length;
      while (at > 0 && goesBefore(own, members[at - 1]!, known.asksDenial)) at--;
      members.splice(at, 0, own);
    }
    for (const [i, { result }] of members.entries()) {
      const there = sorted[places[i]!]!, { fusion } = there;
      if (result !== there) results[places[i]!] = { ...result, fusion, gains: withCurrent(result, fusion) };
    }
  }
  return results;
}

/** A result with the values by which it is compared, looked up once. */
interface Member<R> {
  readonly result: R;
  readonly unit: KnownUnit | undefined;
  /** What the semantic and graph arms add to its score. */
  readonly gained: number;
  /** The time from which it holds, the time that it speaks of, or the time of its recording, in ms. */
  readonly begins: number;
  /** Whether it has begun by the time that the query asks about, and has not ended. */
  readonly holds: boolean;
}

function toMember<R extends Placed>(result: R, { stored, unitOf, asOf }: KnownOrder): Member<R> {
  const { docNo, row, gains } = result;
  const data = stored[row], unit = unitOf(docNo), time = asOf.getTime();
  const begins = data?.validFrom ?? data?.occurredAt ?? unit?.recordedAt.getTime() ?? -Infinity;
  const holds = begins <= time && (data?.validTo ?? Infinity) > time;
  return { result, unit, gained: gains.graph, begins, holds };
}

/** Whether a unit that the ranker put behind another one comes before it: it is newer, or the one of the two that was asked for. */
function goesBefore(own: Member<Placed>, other: Member<Placed>, asksDenial: boolean): boolean {
  const isOther = own.unit?.denies !== other.unit?.denies, isAsked = isOther && own.unit?.denies === asksDenial;
  if (own.result.isQuoted !== other.result.isQuoted) return false;
  const less = isAsked ? LESS_THAN_OPPOSITE : HARDLY_LESS;
  if (own.result.relevance < other.result.relevance - less) return false;
  if (!isAsked && own.gained < other.gained - HARDLY_LESS_GAINED) return false;
  if (own.unit === undefined || other.unit === undefined || own.unit.status !== other.unit.status) return false;
  if (own.unit.trustScore < other.unit.trustScore || !own.holds) return false;
  if (isOther) return isAsked;
  return own.begins === other.begins ? own.result.docNo > other.result.docNo : own.begins > other.begins;
}

/** The gains of a result whose score has become that of another place. */
function withCurrent({ gains, fusion: own }: Placed, fusion: number): Placed["gains"] {
  return { ...gains, current: gains.current + fusion - own };
}

/**
 * Reorders the results of the same slot: the one that holds comes first. They keep their
 * places as a group, and each takes over the scores of its new place.
 */
export function putCurrentFirst<R extends Placed>(sorted: R[], competing: readonly Competing[]): R[] {
  if (competing.length === 0) return sorted;
  const results = [...sorted];
  for (const ranks of competing) {
    // One result may belong to two groups: each group starts from the order that the previous one left.
    const before = [...results];
    const placeOf = new Map(before.map(({ docNo }, place) => [docNo, place]));
    const places = [...ranks.keys()].flatMap((docNo) => placeOf.get(docNo) ?? []).sort((a, b) => a - b);
    const rankOf = (place: number) => ranks.get(before[place]!.docNo)!;
    const members = places.toSorted((a, b) => rankOf(a) - rankOf(b));
    for (const [i, member] of members.entries()) {
      if (member === places[i]) continue;
      const own = before[member]!;
      const { fusion, relevance, support, linked } = before[places[i]!]!;
      const gains = withCurrent(own, fusion);
      results[places[i]!] = { ...own, fusion, relevance, support, linked, gains, isMoved: true };
    }
  }
  return results;
}
