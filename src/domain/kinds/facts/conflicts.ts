/**
 * The rules of conflict detection, without I/O.
 *
 * A fact's validity is the half-open interval from `validFrom` to `validTo`. Where no beginning is stated, the fact is
 * taken to hold at least since the time it speaks of (`occurredAt`) or, failing that, since it was recorded.
 */
import type { FactRow } from "./fields.ts";

/** What the rules look at. */
export type Claim = Pick<
  FactRow,
  | "id"
  | "status"
  | "trustScore"
  | "contentHash"
  | "tripleKey"
  | "validFrom"
  | "validTo"
  | "occurredAt"
  | "recordedAt"
  | "updatedAt"
  | "body"
>;

/** When the fact began to hold in the world, as far as it says so. */
export function worldTime(claim: Claim): Date | null {
  return claim.validFrom ?? claim.occurredAt;
}

function startMs(claim: Claim): number {
  return (worldTime(claim) ?? claim.recordedAt).getTime();
}

function endMs(claim: Claim): number {
  return claim.validTo?.getTime() ?? Infinity;
}

/**
 * When something is stated that is held against known facts. Writers wait for each other, so it is not before these
 * were written, whatever the clocks of two processes say.
 */
function statedAfter(statedAt: Date, known: readonly Claim[]): Date {
  return known.reduce((latest, { updatedAt }) => updatedAt > latest ? updatedAt : latest, statedAt);
}

/** Whether two facts hold at a common moment. */
export function overlaps(a: Claim, b: Claim): boolean {
  return Math.max(startMs(a), startMs(b)) < Math.min(endMs(a), endMs(b));
}

/** Same subject and predicate, another object, overlapping validity. */
export function contradicts(a: Claim, b: Claim): boolean {
  return a.id !== b.id && a.tripleKey !== null && a.tripleKey === b.tripleKey &&
    a.body.folded.object !== b.body.folded.object && overlaps(a, b);
}

/**
 * Whether `claim`, stated at `statedAt`, is newer than `rival`: it speaks of a later or the same time; a rival that does
 * not say which time it speaks of was recorded earlier.
 */
export function isNewer(claim: Claim, rival: Claim, statedAt: Date): boolean {
  const rivalTime = worldTime(rival);
  return rivalTime === null ? rival.recordedAt <= statedAt : (worldTime(claim) ?? statedAt) >= rivalTime;
}

function isContested(claim: Claim): boolean {
  return claim.status === "contested";
}

export interface Judgement<R extends Claim> {
  readonly outcome: "none" | "superseded" | "contested";
  /** The facts that it contradicts. */
  readonly rivals: readonly R[];
  /** When the rivals cease to hold, where it supersedes them. */
  readonly closesAt: Date;
}

/**
 * What becomes of a fact among others. It supersedes when it is newer than each fact that it contradicts and trusted at
 * least as much; otherwise it is contested and nothing is closed.
 */
export function judge<R extends Claim>(claim: Claim, others: readonly R[], statedAt: Date): Judgement<R> {
  const rivals = others.filter((other) => contradicts(claim, other));
  const after = statedAfter(statedAt, rivals);
  const wins = rivals.every((rival) => isNewer(claim, rival, after) && claim.trustScore >= rival.trustScore);
  return {
    outcome: rivals.length === 0 ? "none" : wins ? "superseded" : "contested",
    // The latest rival in force comes first: it is the one that the new fact names in `supersedes`.
    rivals: rivals.toSorted((a, b) => Number(isContested(a)) - Number(isContested(b)) || startMs(b) - startMs(a)),
    closesAt: worldTime(claim) ?? statedAt,
  };
}

/** The end of a fact that is closed at a time: not before it began, not after the end that it has. */
export function endOf(closed: Claim, closesAt: Date): Date {
  const begins = worldTime(closed);
  const end = begins !== null && begins > closesAt ? begins : closesAt;
  return closed.validTo !== null && closed.validTo < end ? closed.validTo : end;
}

/**
 * What a fact takes on by superseding others. Facts that exclude each other do not hold at once, so it begins where they
 * end unless it states its beginning.
 */
export function winnerColumns(claim: Claim, judgement: Judgement<Claim>): Pick<FactRow, "validFrom" | "body"> {
  return {
    validFrom: claim.validFrom ?? judgement.closesAt,
    body: { ...claim.body, supersedes: judgement.rivals[0]!.id },
  };
}

/**
 * Whether a statement says again what a known fact says. Bounds that it states are the known ones; a statement without
 * bounds speaks of its own time, at which the known fact holds. An observation made at another time is another one.
 */
export function restates(claim: Claim, known: Claim, statedAt: Date): boolean {
  if (claim.contentHash !== known.contentHash) return false;
  const isSame = (stated: Date | null, there: Date | null) => stated === null || stated.getTime() === there?.getTime();
  if (!isSame(claim.validFrom, known.validFrom) || !isSame(claim.validTo, known.validTo)) return false;
  if (claim.body.factType === "observation" && !isSame(claim.occurredAt, known.occurredAt)) return false;
  if (claim.validFrom !== null || claim.validTo !== null) return true;
  const spokenOf = (claim.occurredAt ?? statedAfter(statedAt, [known])).getTime();
  return (known.validFrom === null || known.validFrom.getTime() <= spokenOf) && spokenOf < endMs(known);
}
