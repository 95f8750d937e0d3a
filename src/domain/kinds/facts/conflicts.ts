/**
 * The rules of conflict detection, without I/O.
 *
 * A fact's validity is the half-open interval from `validFrom` to `validTo`. If no beginning is stated, the fact is
 * taken to hold at least since the time it speaks of (`occurredAt`) or, failing that, since it was recorded.
 *
 * Facts contradict each other only if their predicate has one value at a time. If two of them overlap, the newer one
 * ends the older one where it begins. A fact that is bounded on both sides ends no fact that lasts longer on both
 * sides: the longer one holds before and after it, and between its bounds the shorter one is the truth (`nests`).
 *
 * A fact never changes one that is less sensitive (`flow.ts`). Where it would end that one, it is marked as outdating it.
 */
import { mayChange } from "../../unit/flow.ts";
import { beginsAt, differs, excludes, nests } from "../../unit/slots.ts";
import { isProtected } from "../../unit/trust.ts";
import { type FactRow, statementKey } from "./fields.ts";
import { keysOf, latestOf, relateFacts } from "./inferred.ts";

/** The members of a fact that the rules read. */
export type ComparedFact = Pick<
  FactRow,
  | "id"
  | "status"
  | "sensitivity"
  | "attribution"
  | "createdBy"
  | "trustScore"
  | "tripleKey"
  | "validFrom"
  | "validTo"
  | "occurredAt"
  | "recordedAt"
  | "updatedAt"
  | "body"
>;

/** When the fact began to hold in the world, as far as it says so. */
export function worldTime(claim: ComparedFact): Date | null {
  return claim.validFrom ?? claim.occurredAt;
}

function endMs(claim: ComparedFact): number {
  return claim.validTo?.getTime() ?? Infinity;
}

/**
 * The time at which a statement counts as made against known facts. Writers wait for each other, so it is not before
 * these were written, whatever the clocks of two processes say.
 */
function statedAfter(statedAt: Date, known: readonly ComparedFact[]): Date {
  return known.reduce((latest, { updatedAt }) => updatedAt > latest ? updatedAt : latest, statedAt);
}

/** Whether two facts hold at a common moment. */
export function overlaps(a: ComparedFact, b: ComparedFact): boolean {
  return Math.max(beginsAt(a), beginsAt(b)) < Math.min(endMs(a), endMs(b));
}

/**
 * Same subject and predicate, which has one value at a time; another object, overlapping validity. A bounded fact within a
 * longer one contradicts it only if it is trusted less.
 */
export function contradicts(a: ComparedFact, b: ComparedFact): boolean {
  return contradictsAsGiven(a, b) || (overlaps(a, b) && (endsByClaims(a, b) || endsByClaims(b, a)));
}

/** Whether another fact keeps a fact contested: it contradicts it, and who sees the fact may know of it. */
export function contests(other: ComparedFact, fact: ComparedFact): boolean {
  return mayChange(other, fact) && contradicts(fact, other);
}

/** Whether a newer fact says, in words that the rules understand, that an older claim has ended. */
function endsByClaims(newer: ComparedFact, older: ComparedFact): boolean {
  return relateFacts(newer, older).relation === "ends";
}

function contradictsAsGiven(a: ComparedFact, b: ComparedFact): boolean {
  if (!differs(a, b) || !overlaps(a, b) || !excludes(a, b)) return false;
  if (nests(a, b)) return a.trustScore < b.trustScore;
  return !nests(b, a) || b.trustScore < a.trustScore;
}

/**
 * Whether `claim`, stated at `statedAt`, is newer than `rival`: it speaks of a later or the same time; a rival that does
 * not say which time it speaks of was recorded earlier.
 */
export function isNewer(claim: ComparedFact, rival: ComparedFact, statedAt: Date): boolean {
  const rivalTime = worldTime(rival);
  return rivalTime === null ? rival.recordedAt <= statedAt : (worldTime(claim) ?? statedAt) >= rivalTime;
}

function isContested(claim: ComparedFact): boolean {
  return claim.status === "contested";
}

export interface FactJudgement<R extends ComparedFact> {
  /**
   * `superseded`: it ends older facts. `contested`: it is trusted less than a fact that it would end or interrupt, and
   * nothing changes. `ordered`: it is older than known facts and ends where the first of them begins. `interrupts`: it
   * holds within longer facts. The first outcome that applies is taken.
   */
  readonly outcome: "none" | "superseded" | "contested" | "ordered" | "interrupts";
  /** The facts that the outcome is about. */
  readonly rivals: readonly R[];
  /** When the superseded facts cease to hold. */
  readonly closesAt: Date;
  /** The first known fact that is newer: the judged one holds until it begins. */
  readonly next?: { readonly fact: R; readonly begins: Date } | undefined;
  /** More sensitive facts that it ends. They count for nothing else, because the judged fact must not tell of them. */
  readonly above?: readonly R[];
}

/**
 * Judges a fact against others, stated at `statedAt`. It supersedes the facts that it is newer than
 * if it is trusted at least as much as each of them; otherwise it is contested and nothing is
 * closed. It gives way to newer facts in force, even if they are trusted less, because both can be
 * true at different times.
 */
export function judge<R extends ComparedFact>(
  claim: ComparedFact,
  others: readonly R[],
  statedAt: Date,
): FactJudgement<R> {
  const [seen, hidden] = partition(others, (other) => mayChange(other, claim));
  const judgement = judgeAmong(claim, seen, statedAt);
  if (hidden.length === 0 || judgement.outcome === "contested") return judgement;
  const { outcome, rivals } = judgeAmong(claim, hidden, statedAt);
  return outcome === "superseded" ? { ...judgement, above: rivals } : judgement;
}

function judgeAmong<R extends ComparedFact>(
  claim: ComparedFact,
  others: readonly R[],
  statedAt: Date,
): FactJudgement<R> {
  const given = others.filter((other) =>
    differs(claim, other) && overlaps(claim, other) && excludes(claim, other) && !nests(other, claim)
  );
  const rivals = [...given, ...listEnded(claim, others, statedAt).filter((other) => !given.includes(other))];
  const after = statedAfter(statedAt, rivals);
  const [outer, rest] = partition(rivals, (rival) => nests(claim, rival));
  const [older, later] = partition(rest, (rival) => isNewer(claim, rival, after));
  const closesAt = worldTime(claim) ?? statedAt;
  const met = [...outer, ...older];
  if (met.some((rival) => claim.trustScore < rival.trustScore || isKeptFrom(claim, rival))) {
    return { outcome: "contested", rivals: inOrder([...met, ...later]), closesAt };
  }
  // A fact does not give way to contested ones, nor to what a less trusted peer says of a later
  // time.
  const isToldByPeer = (rival: ComparedFact) =>
    rival.attribution === "federation_received" && rival.trustScore < claim.trustScore;
  const [first] = later.filter((rival) => !isContested(rival) && !isToldByPeer(rival)).sort((a, b) =>
    beginsAt(a) - beginsAt(b)
  );
  const next = first && { fact: first, begins: new Date(beginsAt(first)) };
  if (older.length > 0) return { outcome: "superseded", rivals: inOrder(older), closesAt, next };
  if (next !== undefined) return { outcome: "ordered", rivals: [next.fact], closesAt, next };
  return { outcome: outer.length > 0 ? "interrupts" : "none", rivals: inOrder(outer), closesAt };
}

/** Whether a claim came from a peer and may not end a fact, even one whose sources make it trusted as little. */
function isKeptFrom({ attribution }: ComparedFact, rival: ComparedFact): boolean {
  return attribution === "federation_received" && isProtected(rival);
}

/** The facts that a newer fact ends because it says that they have changed. A merely likely change ends none. */
function listEnded<R extends ComparedFact>(claim: ComparedFact, others: readonly R[], statedAt: Date): readonly R[] {
  const own = new Set(keysOf(claim));
  return latestOf(others.filter(({ tripleKey }) => tripleKey !== null && own.has(tripleKey))).filter((other) =>
    overlaps(claim, other) && !nests(other, claim) && isNewer(claim, other, statedAfter(statedAt, [other])) &&
    endsByClaims(claim, other)
  );
}

/** The facts in force that a fact likely outdates by its claims; with the outdating claim, if the rules read one. */
export function listOutdated<R extends ComparedFact>(claim: ComparedFact, others: readonly R[], statedAt: Date) {
  return latestOf(others).flatMap((other) => {
    if (other.status !== "active" || !mayChange(other, claim)) return [];
    if (!overlaps(claim, other) || nests(other, claim)) return [];
    if (!isNewer(claim, other, statedAfter(statedAt, [other]))) return [];
    const { relation, by } = relateFacts(claim, other);
    return relation === "none" ? [] : [{ fact: other, by }];
  });
}

function partition<T>(all: readonly T[], holds: (one: T) => boolean): [T[], T[]] {
  const [yes, no]: [T[], T[]] = [[], []];
  for (const one of all) (holds(one) ? yes : no).push(one);
  return [yes, no];
}

/** The latest rival in force comes first: it is the one that a winner names in `supersedes`. */
function inOrder<R extends ComparedFact>(rivals: readonly R[]): R[] {
  return rivals.toSorted((a, b) => Number(isContested(a)) - Number(isContested(b)) || beginsAt(b) - beginsAt(a));
}

/** The end of a fact that is closed at a time: not before its beginning, and not after the end that it has. */
export function endOf(closed: ComparedFact, closesAt: Date): Date {
  const begins = worldTime(closed);
  const end = begins !== null && begins > closesAt ? begins : closesAt;
  return closed.validTo !== null && closed.validTo < end ? closed.validTo : end;
}

/**
 * The columns that a fact takes on by superseding others. Facts that exclude each other do not hold
 * at the same time, so it begins where they end unless it states its beginning.
 */
export function winnerColumns(
  claim: ComparedFact,
  judgement: Pick<FactJudgement<ComparedFact>, "rivals" | "closesAt">,
): Pick<FactRow, "validFrom" | "body"> {
  return {
    validFrom: claim.validFrom ?? judgement.closesAt,
    body: { ...claim.body, supersedes: judgement.rivals[0]!.id },
  };
}

/**
 * Whether a statement repeats a known fact. Its stated bounds must be those of the fact; a statement without bounds
 * speaks of its own time, at which the fact must hold. An observation made at another time is another fact.
 */
export function restates(claim: ComparedFact, known: ComparedFact, statedAt: Date): boolean {
  if (statementKey(claim.body) !== statementKey(known.body)) return false;
  const isSame = (stated: Date | null, there: Date | null) => stated === null || stated.getTime() === there?.getTime();
  if (!isSame(claim.validFrom, known.validFrom) || !isSame(claim.validTo, known.validTo)) return false;
  if (claim.body.factType === "observation" && !isSame(claim.occurredAt, known.occurredAt)) return false;
  if (claim.validFrom !== null || claim.validTo !== null) return true;
  const spokenOf = (claim.occurredAt ?? statedAfter(statedAt, [known])).getTime();
  return (known.validFrom === null || known.validFrom.getTime() <= spokenOf) && spokenOf < endMs(known);
}

/**
 * Whether a statement repeats a superseded fact with the same beginning. It may leave out the end
 * that the fact got.
 */
export function restatesEnded(claim: ComparedFact, ended: ComparedFact): boolean {
  const { validTo, body } = ended;
  const isSame = (a: Date | null, b: Date | null) => a?.getTime() === b?.getTime();
  const ends = [null, validTo, body.before?.validTo == null ? null : new Date(body.before.validTo)];
  return statementKey(claim.body) === statementKey(ended.body) && worldTime(claim) !== null &&
    isSame(claim.validFrom, ended.validFrom) && isSame(claim.occurredAt, ended.occurredAt) &&
    ends.some((end) => isSame(end, claim.validTo));
}
