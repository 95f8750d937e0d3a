/**
 * Puts current results before others: the newer of two units that answer a query equally well, and the unit that holds among
 * those that speak about the same in the same respect. Pure.
 */
import type { Prescored, StoredData } from "../../retrieval/mod.ts";
import type { Competing } from "./standing.ts";

/** A unit that is less likely relevant than another one by no more than this may come before it. */
const HARDLY_LESS = 0.05;
/** The same for what the other arms add to the ranker's score: a tenth of what a model that is sure adds. */
const HARDLY_LESS_GAINED = 0.5;
/** Of the best so many units, those with the same words of the query are put in order by their time. */
const BEST_MAX = 64;

/** A result in its place. */
export interface Placed {
  readonly docNo: number;
  /** Row in the candidates' feature matrix. */
  readonly row: number;
  /** The score that the order follows. */
  readonly fusion: number;
  /** What the other arms add to the ranker's score, and what trading places with others adds or takes. */
  readonly gains: { readonly semantic: number; readonly graph: number; readonly current: number };
  /** Probability of being relevant. */
  readonly relevance: number;
  /** The chance of being relevant that the other arms give it by themselves, whatever else the query asks for. */
  readonly support: number;
  /** The chance that the graph gives it, as far as anything says what the query asks for. */
  readonly linked: number;
}

/** What is known of a unit beside its place. */
export interface KnownUnit {
  readonly status: string;
  readonly trustScore: number;
  readonly recordedAt: Date;
}

/** What is known of units beside their places. */
export interface Known {
  readonly stored: readonly (StoredData | undefined)[];
  readonly unitOf: (docNo: number) => KnownUnit | undefined;
  /** The time that the query asks about. */
  readonly asOf: Date;
}

/**
 * Puts the newer of two units first if both hold the same words of the query. It stays behind if it is clearly less likely
 * relevant, if the meaning or the graph speak clearly for the older one, or if it is trusted less or has
 * another status. The ranker prefers the
 * shorter of two texts, and the one that tells of a change is rarely the shorter. Each keeps its own estimate.
 */
export function putNewerFirst<R extends Placed>(sorted: R[], { groups, matched }: Prescored, known: Known): R[] {
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
    const members: R[] = [];
    for (const place of places) {
      const own = sorted[place]!;
      let at = members.length;
      while (at > 0 && goesBefore(own, members[at - 1]!, known)) at--;
      members.splice(at, 0, own);
    }
    for (const [i, member] of members.entries()) {
      const { fusion } = sorted[places[i]!]!;
      if (member.fusion !== fusion) results[places[i]!] = { ...member, fusion, gains: withCurrent(member, fusion) };
    }
  }
  return results;
}

function goesBefore(own: Placed, other: Placed, known: Known): boolean {
  if (own.relevance < other.relevance - HARDLY_LESS) return false;
  if (gainedBy(own) < gainedBy(other) - HARDLY_LESS_GAINED) return false;
  const [newer, older] = [known.unitOf(own.docNo), known.unitOf(other.docNo)];
  if (newer === undefined || older === undefined || newer.status !== older.status) return false;
  return newer.trustScore >= older.trustScore && isNewer(own, other, known);
}

/** What the meaning and the graph add. */
function gainedBy({ gains }: Placed): number {
  return gains.semantic + gains.graph;
}

/** Whether a unit began to hold later than another one. What has ended, or is still to come, is not newer than anything. */
function isNewer(a: Placed, b: Placed, known: Known): boolean {
  const time = known.asOf.getTime();
  const [beginsA, beginsB] = [beginsAt(a, known), beginsAt(b, known)];
  if (beginsA > time || (known.stored[a.row]?.validTo ?? Infinity) <= time) return false;
  return beginsA === beginsB ? a.docNo > b.docNo : beginsA > beginsB;
}

/** The time that a unit speaks of, from which it holds, or at which it was recorded, in ms. */
function beginsAt({ docNo, row }: Placed, { stored, unitOf }: Known): number {
  const data = stored[row];
  return data?.validFrom ?? data?.occurredAt ?? unitOf(docNo)!.recordedAt.getTime();
}

/** The gains of a result whose score has become that of another place. */
function withCurrent({ gains, fusion: own }: Placed, fusion: number): Placed["gains"] {
  return { ...gains, current: gains.current + fusion - own };
}

/** Gives the places that results of one respect have to them in another order, with the scores of the places. */
export function putCurrentFirst<R extends Placed>(sorted: R[], competing: readonly Competing[]): R[] {
  if (competing.length === 0) return sorted;
  const results = [...sorted];
  for (const ranks of competing) {
    // One result may be of two groups: each looks at what the last one left.
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
