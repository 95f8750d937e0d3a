/** Opens and resolves the reviews of contested facts, and releases facts that are no longer contested. */
import type { Tx } from "../../../db/tx.ts";
import * as reviewItems from "../../../db/queries/review_items.ts";
import { findContestedBy } from "../../../db/queries/contested_facts.ts";
import { findUnits, lockNames, lockRivals } from "../../../db/queries/units.ts";
import { readPredicates } from "../../../db/queries/workspaces.ts";
import { exclusiveBySettings } from "../../../language/predicates.ts";
import { openReviewItem, type ReviewItemToOpen } from "../../unit/review_item.ts";
import type { UnitChange } from "../../unit/rules.ts";
import { mostSensitive } from "../../unit/trust.ts";
import { reviseUnits } from "../../unit/store.ts";
import { contests } from "./conflicts.ts";
import {
  type FactBody,
  type FactRow,
  isLive,
  isOtherClaim,
  isOtherTriple,
  LIVE_STATUSES,
  sayingsOf,
  statementKey,
} from "./fields.ts";
import { COMPARED_MAX, type ComparedBody, isGiven, keysOf, settleClaims } from "./inferred.ts";
import { LiveFacts } from "./live_facts.ts";

/** The names of the locks that writers of facts take: one for the content, and one for each subject and predicate. */
export function namesOf(facts: readonly ComparedFact[]): string[] {
  return facts.flatMap((fact) => lockNamesOf(fact, keysOf(fact)));
}

function lockNamesOf({ body }: ComparedFact, keys: readonly string[]): string[] {
  return [`fact:said:${statementKey(body)}`, ...keys.map(tripleName)];
}

/** The members of a fact that say which others it may bear on. */
interface ComparedFact {
  readonly contentHash: string;
  readonly tripleKey: string | null;
  readonly body: ComparedBody & Parameters<typeof statementKey>[0];
}

function tripleName(tripleKey: string): string {
  return `fact:triple:${tripleKey}`;
}

/**
 * Finds live facts that say the same, or the same subject and predicate, and locks them until the transaction ends.
 * Where the subject and predicate were only read from the statement, it finds the latest facts: many writers say "I use
 * …".
 * @param reach `latest`: the latest of these; `all`: all of these
 */
export async function lockLiveRivals(
  tx: Tx,
  facts: readonly ComparedFact[],
  reach: "latest" | "all" = "latest",
): Promise<FactRow[]> {
  const ownKeys = facts.map(keysOf);
  await lockNames(tx, facts.flatMap((fact, i) => lockNamesOf(fact, ownKeys[i]!)));
  const given = new Set(facts.flatMap(({ tripleKey, body }) => !isGiven(body) ? [] : tripleKey ?? []));
  const read = new Set(ownKeys.flat());
  const limit = (keys: Set<string>, most: number | null) => [...keys].map((key) => ({ key, most }));
  const triples = [
    ...limit(given, null),
    ...limit(read.difference(given), reach === "all" ? null : COMPARED_MAX),
  ];
  const rows = await lockRivals<FactBody>(tx, "fact", { ...sayingsOf(facts), triples }, LIVE_STATUSES);
  return rows.filter((row) => isLive(row, tx.now));
}

/** Finds superseded facts that say the same and locks them until the transaction ends. */
export async function lockEnded(tx: Tx, facts: readonly FactRow[]): Promise<FactRow[]> {
  if (facts.length === 0) return [];
  return await lockRivals<FactBody>(tx, "fact", sayingsOf(facts), ["superseded"]);
}

/**
 * Reads the workspace's settings for the predicates of facts that are about to be judged. Returns a function that gives a
 * fact those of its predicates, whether given or read.
 */
export async function readSettings(tx: Tx, facts: readonly FactRow[]): Promise<(fact: FactRow) => FactRow> {
  if (facts.every(({ tripleKey }) => tripleKey === null)) return (fact) => fact;
  const settings = await readPredicates(tx);
  return (fact) => {
    const { exclusive: _, ...folded } = fact.body.folded;
    const { predicate, claims } = fact.body;
    // A peer's own setting of how many values a predicate has does not apply here.
    const own = fact.attribution === "federation_received" ? undefined : fact.body.exclusive;
    const exclusive = predicate === null ? undefined : exclusiveBySettings(predicate, settings);
    const settled = claims && { claims: settleClaims(claims, own, settings) };
    const body: FactBody = {
      ...fact.body,
      ...settled,
      folded: exclusive === undefined ? folded : { ...folded, exclusive },
    };
    return { ...fact, body };
  };
}

/** Opens the review of a fact that contradicts others. Returns the item's id. */
export async function openReview(tx: Tx, fact: FactRow, rivals: readonly FactRow[]): Promise<string> {
  const known = await reviewItems.findOpenReviewItem(tx, "contested_fact", fact.id);
  return known ?? await openReviewItem(tx, contestedItem(fact, rivals));
}

/** The review of a fact that contradicts others. */
export function contestedItem(fact: FactRow, rivals: readonly FactRow[]): ReviewItemToOpen {
  return {
    kind: "contested_fact",
    sensitivity: mostSensitive(fact.sensitivity, ...rivals.map((rival) => rival.sensitivity)),
    subjectId: fact.id,
    otherId: rivals[0]?.id ?? null,
    detail: {
      rivalIds: rivals.map((rival) => rival.id),
      trustScore: fact.trustScore,
      rivalTrustScores: rivals.map((rival) => rival.trustScore),
    },
  };
}

/** The review of a fact that likely outdates others: both stay until a person decides. */
export function outdatingItem(fact: FactRow, outdated: readonly FactRow[]): ReviewItemToOpen {
  return {
    kind: "outdated_fact",
    sensitivity: mostSensitive(fact.sensitivity, ...outdated.map((one) => one.sensitivity)),
    subjectId: fact.id,
    otherId: outdated[0]?.id ?? null,
    detail: { outdatedIds: outdated.map((one) => one.id) },
  };
}

/**
 * Resolves the open reviews of facts that are no longer contested, except an item whose decision caused the change: the
 * code that resolves that item closes it.
 */
export async function settleReviews(tx: Tx, changes: readonly UnitChange<FactBody>[]): Promise<void> {
  await resolveReviews(
    tx,
    changes.flatMap(({ before, after, note }) =>
      before.status === "contested" && after !== undefined && after.status !== "contested"
        ? [{ fact: after, note }]
        : []
    ),
  );
}

/**
 * Resolves the open reviews of facts that are not contested. The outcome comes from the note of a fact's last version.
 */
export async function resolveReviews(
  tx: Tx,
  settled: readonly { readonly fact: FactRow; readonly note: UnitChange["note"] }[],
): Promise<void> {
  const sensitivities = new Map(settled.map(({ fact }) => [fact.id, fact.sensitivity]));
  const outcomes = settled.map(({ fact, note }) => ({ subjectId: fact.id, outcome: outcomeOf(fact, note) }));
  const decided = settled.flatMap(({ note }) => note.reviewItemId ?? []);
  const resolved = await reviewItems.resolveReviewItems(tx, "contested_fact", outcomes, decided);
  for (const { id: resourceId, subjectId } of resolved) {
    const sensitivity = sensitivities.get(subjectId)!;
    tx.record({ kind: "review.resolved", resourceType: "review", resourceId, version: 2, sensitivity });
  }
}

/** The outcome that the review stores: why the fact is no longer contested. */
function outcomeOf({ status, body }: FactRow, { event, reason }: UnitChange["note"]): string {
  if (event === "reverted") return "reverted";
  if (event === "updated" && status === "active") return "revised";
  if (status === "superseded") return `superseded by ${body.supersededBy}`;
  return status === "active" ? reason ?? event : status;
}

/**
 * Resolves open reviews that ask whether one fact outdates another: when either fact has left force, or when one of
 * them was reworded so that it no longer outdates, or is no longer outdated. If the first fact also outdates another
 * fact in force, opens a new review of that one.
 */
export async function settleOutdating(tx: Tx, changes: readonly UnitChange<FactBody>[]): Promise<void> {
  const gone = new Map(
    changes.filter((change) => leavesForce(change) && !isInForce(change.after, tx.now))
      .map((change) => [change.before.id, change]),
  );
  const unmarked = new Map(changes.flatMap(({ before, after }) => {
    const left = (before.body.outdates ?? []).filter((id) => after?.body.outdates?.includes(id) !== true);
    return left.length > 0 && !gone.has(before.id) ? [[before.id, left] as const] : [];
  }));
  if (gone.size === 0 && unmarked.size === 0) return;
  const decided = new Set(changes.flatMap(({ note }) => note.reviewItemId ?? []));
  const items = (await reviewItems.findOpenAbout(tx, "outdated_fact", [...gone.keys(), ...unmarked.keys()]))
    .filter(({ id }) => !decided.has(id)).filter(({ subjectId, otherId }) =>
      gone.has(subjectId) || gone.has(otherId!) || unmarked.get(subjectId)?.includes(otherId!) === true
    );
  if (items.length === 0) return;
  const outcomes = items.map(({ id, subjectId, otherId }) => {
    const change = gone.get(subjectId) ?? gone.get(otherId!);
    if (change === undefined) return { id, outcome: "revised" };
    const { before, after, note } = change;
    const outcome = after === undefined ? "erased" : outcomeOf(after, note);
    return { id, outcome: gone.has(subjectId) ? outcome : `${before.id} is ${outcome}` };
  });
  for (const { id: resourceId, sensitivity } of await reviewItems.resolveOpenItems(tx, outcomes)) {
    tx.record({ kind: "review.resolved", resourceType: "review", resourceId, version: 2, sensitivity });
  }
  const subjects = await findUnits<FactBody>(tx, items.map(({ subjectId }) => subjectId), { type: "fact" });
  for (const fact of subjects.filter((fact) => isInForce(fact, tx.now))) await openNextOutdating(tx, fact);
}

function isInForce(fact: FactRow | undefined, now: Date): boolean {
  return fact !== undefined && (LIVE_STATUSES as readonly string[]).includes(fact.status) && isLive(fact, now);
}

/** Opens a review of those facts in force that a fact outdates, if there are any. */
export async function openNextOutdating(tx: Tx, fact: FactRow): Promise<void> {
  const outdated = await findUnits<FactBody>(tx, fact.body.outdates ?? [], { type: "fact" });
  const inForce = outdated.filter((one) => isInForce(one, tx.now));
  if (inForce.length > 0) await openOutdating(tx, fact, inForce);
}

/**
 * Opens a review of facts that a fact likely outdates, unless a review of one of them is open. @returns the item's id
 */
export async function openOutdating(tx: Tx, fact: FactRow, outdated: readonly FactRow[]): Promise<string> {
  const open = await reviewItems.findOpenAbout(tx, "outdated_fact", [fact.id]);
  const known = open.find(({ subjectId, otherId }) =>
    subjectId === fact.id && outdated.some(({ id }) => id === otherId)
  );
  return known?.id ?? await openReviewItem(tx, outdatingItem(fact, outdated));
}

/** Whether a change may end a contradiction with other facts: the fact left force, or its content changed. */
export function leavesForce({ before, after }: UnitChange<FactBody>): boolean {
  const wasLive = (LIVE_STATUSES as readonly string[]).includes(before.status);
  if (!wasLive || after === undefined) return wasLive;
  return !(LIVE_STATUSES as readonly string[]).includes(after.status) || isOtherClaim(before, after) ||
    isOtherTriple(before, after);
}

/** A fact that left force, as far as it is known. */
type Left = Pick<FactRow, "tripleKey"> & { readonly id?: string; readonly body?: ComparedBody };

/**
 * After facts left force, makes those contested facts active that no live fact contradicts any more, by any of its
 * claims. It examines the most trusted first, because a fact that is released can keep another one contested. Returns
 * the current rows of the facts that it released.
 */
export async function releaseContested(tx: Tx, left: readonly Left[]): Promise<FactRow[]> {
  if (left.length === 0) return [];
  const tripleKeys = [...new Set(left.flatMap(keysOf))];
  await lockNames(tx, tripleKeys.map(tripleName));
  const contested = await findContestedBy<FactBody>(tx, tripleKeys, left.flatMap(({ id }) => id ?? []));
  if (contested.length === 0) return [];
  return await releaseAmong(tx, await lockLiveRivals(tx, contested, "all"), new Set(contested.map(({ id }) => id)));
}

/**
 * Does the same among live facts that the transaction has locked, which must include all that contradict the facts to
 * release.
 * @param ids the facts that may be released; default: all
 */
export async function releaseAmong(
  tx: Tx,
  live: readonly FactRow[],
  ids?: ReadonlySet<string>,
): Promise<FactRow[]> {
  const settled = new LiveFacts(live.filter((fact) => fact.status === "active"));
  const waiting = live.filter((fact) => fact.status === "contested" && ids?.has(fact.id) !== false)
    .sort((a, b) => b.trustScore - a.trustScore || b.recordedAt.getTime() - a.recordedAt.getTime());
  const isHeld = (fact: FactRow) => settled.about(fact).some((other) => contests(other, fact));
  const free = waiting.filter((fact) => !isHeld(fact));
  // A fact without such a review is contested for another reason, such as a peer's version of it, and is not released here.
  const asked = await reviewItems.findUndecided(tx, "contested_fact", free.map((fact) => fact.id));
  const released: FactRow[] = [];
  for (const fact of free) {
    if (!asked.has(fact.id) || isHeld(fact)) continue;
    released.push(fact);
    settled.put(fact);
  }
  const reason = "no live fact contradicts it any more";
  return await reviseUnits(
    tx,
    released.map((unit) => ({ unit, changes: { status: "active" }, note: { event: "released", reason } })),
  );
}
