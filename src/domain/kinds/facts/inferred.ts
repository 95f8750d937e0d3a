/**
 * The claims of facts: the given triple, or else the claims that the rules read in the statement. A claim that was read
 * decides less than a given one: it ends another fact only if the newer statement says that something has changed.
 */
import {
  type Claim,
  type ClaimRelation,
  exclusiveOfClaim,
  keyOfClaim,
  NAMELESS,
  readClaims,
  relateClaims,
  showPredicate,
  SURE_MIN,
  toGivenClaim,
} from "../../../language/claims/mod.ts";
import { nameKey } from "../../../language/names.ts";
import type { PredicateSettings } from "../../../language/predicates.ts";
import { withoutContext } from "../../../language/reported_speech.ts";
import { withoutDates } from "./stated_times.ts";

/** Facts with which one fact is compared by its claims, the latest first. */
export const COMPARED_MAX = 200;

/** The members of a fact's body that are read here. */
export interface ComparedBody {
  readonly statement: string;
  readonly subject: string | null;
  readonly predicate: string | null;
  readonly object: string | null;
  readonly claimless?: true | undefined;
  /** What the rules read when the statement was written. */
  readonly claims?: readonly Claim[] | undefined;
  /** Whether the predicate has one value at a time, as the author says; `folded` holds what the workspace says. */
  readonly exclusive?: boolean | undefined;
  readonly folded?: { readonly exclusive?: boolean | undefined } | undefined;
}

/** The members of a fact that are read here. */
export interface Claiming {
  readonly id: string;
  readonly tripleKey: string | null;
  readonly attribution: string;
  readonly createdBy: string;
  readonly recordedAt: Date;
  readonly body: ComparedBody;
}

/** Whether somebody gave the whole triple. */
export function isGiven(
  { subject, predicate, object }: Pick<ComparedBody, "subject" | "predicate" | "object">,
): boolean {
  return subject !== null && predicate !== null && object !== null;
}

/** Whether somebody gave a part of the triple. */
export function isGivenInPart(
  { subject, predicate, object }: Pick<ComparedBody, "subject" | "predicate" | "object">,
): boolean {
  return subject !== null || predicate !== null || object !== null;
}

/**
 * The claims that the rules read in a fact's statement; none if its author gave a triple or a part of it, or says that
 * it claims nothing.
 */
export function inferClaims(body: ComparedBody): readonly Claim[] {
  return isGivenInPart(body) || body.claimless === true ? [] : withoutDates(readClaims(withoutContext(body.statement)));
}

function claimsOf(body: ComparedBody, attribution?: string): readonly Claim[] {
  if (!isGiven(body)) return body.claims ?? [];
  const own = attribution === "federation_received" ? undefined : body.exclusive;
  return [toGivenClaim(body.subject!, body.predicate!, body.object!, own ?? body.folded?.exclusive)];
}

/** The claim under which a fact is found: the first affirmative one that is not cancelled, or else the first. */
export function mainClaim(claims: readonly Claim[]): Claim | undefined {
  return claims.find(({ polarity, change }) => polarity && change !== "cancelled") ?? claims[0];
}

/** The keys under which a fact finds the facts that it may bear on: its own, and those of its further claims. */
export function keysOf(
  { tripleKey, body }: { readonly tripleKey: string | null; readonly body?: ComparedBody },
): string[] {
  const keys = new Set<string>(tripleKey === null ? [] : [tripleKey]);
  for (const claim of body === undefined ? [] : claimsOf(body)) {
    keys.add(keyOfClaim(claim));
    keys.add(keyAsGiven(claim));
  }
  return [...keys];
}

/** The key of a claim as a caller would give it: callers write the subject as it is, and mostly the same predicate. */
function keyAsGiven({ subject, predicate }: Claim): string {
  return JSON.stringify([nameKey(subject), predicate]);
}

const FIRST_PERSON = /\b(?:i|i'm|i've|my|me|we|our)\b/iu;

/** "I" of one writer is not "I" of another one. */
function isSameVoice(a: Claim, b: Claim, one: Claiming, other: Claiming): boolean {
  const speaks = (claim: Claim, { body }: Claiming) =>
    (claim.subjectKey.split(" ").includes(NAMELESS) || claim.subjectKey === "we") && FIRST_PERSON.test(body.statement);
  if (!speaks(a, one) && !speaks(b, other)) return true;
  return one.createdBy === other.createdBy && one.attribution === other.attribution;
}

/** What a newer fact means for an older one, by their claims; `none` if both triples were given. */
export function relateFacts(
  newer: Claiming,
  older: Claiming,
): { readonly relation: ClaimRelation; readonly by: Claim | null } {
  let strongest: { relation: ClaimRelation; by: Claim | null } = { relation: "none", by: null };
  if (newer.id === older.id || (isGiven(newer.body) && isGiven(older.body))) return strongest;
  for (const claim of claimsOf(newer.body, newer.attribution)) {
    for (const other of claimsOf(older.body, older.attribution)) {
      if (keyOfClaim(claim) !== keyOfClaim(other)) continue;
      const relation = relateClaims(claim, other);
      if (relation === "none" || strongest.relation === "ends" || !isSameVoice(claim, other, newer, older)) continue;
      if (relation === "ends" || strongest.relation === "none") strongest = { relation, by: claim };
    }
  }
  return strongest;
}

/** Whether a newer fact says that an older claim has ended. */
export function endsByClaims(newer: Claiming, older: Claiming): boolean {
  return relateFacts(newer, older).relation === "ends";
}

/** Adds to claims whether their predicates have one value at a time, as their author, or else their workspace, says. */
export function settleClaims(
  claims: readonly Claim[],
  own: boolean | undefined,
  settings: PredicateSettings,
): readonly Claim[] {
  return claims.map(({ exclusive: _, ...claim }) => {
    const exclusive = own ?? exclusiveOfClaim(claim, settings);
    return exclusive === undefined ? claim : { ...claim, exclusive };
  });
}

/** The latest of some facts that are worth comparing. */
export function latestOf<F extends Claiming>(rows: readonly F[]): readonly F[] {
  if (rows.length <= COMPARED_MAX) return rows;
  return rows.toSorted((a, b) => b.recordedAt.getTime() - a.recordedAt.getTime()).slice(0, COMPARED_MAX);
}

/** Claims as a fact shows them: those that are sure, each value of a subject once. */
export function showClaims(claims: readonly Claim[]) {
  const seen = new Set<string>();
  return claims.flatMap((claim) => {
    const { subject, respect, value, polarity, change, from, confidence } = claim;
    const predicate = showPredicate(claim);
    // What is said to the reader is about nobody.
    if (confidence < SURE_MIN || subject === "you") return [];
    const name = JSON.stringify([subject, value, polarity]);
    if (seen.has(name)) return [];
    seen.add(name);
    const sense = polarity ? "positive" as const : "negative" as const;
    const inferredBy = "rules" as const;
    return [{
      ...{ subject, respect, predicate, object: value, polarity: sense, confidence, inferredBy },
      ...(change !== null && { change }),
      ...(from !== null && { from }),
    }];
  });
}
