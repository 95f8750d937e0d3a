/** Carrying out what conflict detection judged: closing, contesting, releasing. All of it can be undone. */
import type { Tx } from "../../../db/scope.ts";
import * as reviewItems from "../../../db/queries/review_items.ts";
import { lockNames, lockRivals } from "../../../db/queries/units.ts";
import { openReviewItem, type ReviewItemToOpen } from "../../unit/review_item.ts";
import { mostSensitive } from "../../unit/trust.ts";
import { reviseUnits } from "../../unit/histories.ts";
import { markFallen, reviseUnit } from "../../unit/store.ts";
import { contradicts, endOf, type Judgement } from "./conflicts.ts";
import { type FactRow, isLive, LIVE_STATUSES } from "./fields.ts";

/** Names under which writers of the same content, or of the same subject and predicate, wait for each other. */
export function namesOf(
  facts: readonly { readonly contentHash: string; readonly tripleKey: string | null }[],
): string[] {
  return facts.flatMap(({ contentHash, tripleKey }) => [
    `fact:hash:${contentHash}`,
    ...(tripleKey === null ? [] : [`fact:triple:${tripleKey}`]),
  ]);
}

/** Live facts of the same content, or about the same subject and predicate, locked for the rest of the transaction. */
export async function lockLiveRivals(
  tx: Tx,
  facts: readonly { readonly contentHash: string; readonly tripleKey: string | null }[],
): Promise<FactRow[]> {
  await lockNames(tx, namesOf(facts));
  const keys = {
    contentHashes: [...new Set(facts.map((fact) => fact.contentHash))],
    tripleKeys: [...new Set(facts.flatMap((fact) => fact.tripleKey ?? []))],
  };
  const rows = await lockRivals(tx, "fact", keys, LIVE_STATUSES) as unknown as FactRow[];
  return rows.filter((row) => isLive(row, tx.now));
}

/**
 * Closes the rivals of a fact that supersedes them: they were true until `closesAt`. What rests on them becomes stale.
 * Returns their new rows.
 */
export async function closeRivals(tx: Tx, winner: FactRow, judgement: Judgement<FactRow>): Promise<FactRow[]> {
  const { rivals } = judgement;
  const closed = await reviseUnits(
    tx,
    rivals.map((rival) => ({
      unit: rival,
      changes: supersededColumns(rival, { by: winner.id, closesAt: judgement.closesAt }),
      note: { event: "superseded", reason: reasonToClose(winner, rival) },
    })),
  );
  const contested = closed.filter((_, i) => rivals[i]!.status === "contested");
  await settleReviews(tx, contested.map((fact) => ({ fact, outcome: `superseded by ${winner.id}` })));
  await markFallen(tx, closed.map((row) => row.id));
  return closed;
}

/** Why a fact gives way to one that supersedes it. */
export function reasonToClose(winner: FactRow, rival: FactRow): string {
  return `superseded by ${winner.id}: newer, and trusted at least as much ` +
    `(${winner.attribution} ${winner.trustScore}, here ${rival.attribution} ${rival.trustScore})`;
}

interface Closing {
  readonly by: string;
  readonly closesAt: Date;
  /** It was true at no time, so that one without a beginning is given the end as its beginning. */
  readonly neverHeld?: boolean;
}

/** What closing a fact in favour of another changes, so that restoring can undo it. */
export function supersededColumns(
  fact: FactRow,
  { by, closesAt, neverHeld }: Closing,
): Pick<FactRow, "status" | "validFrom" | "validTo" | "body"> {
  const { validFrom, validTo } = fact;
  const before = {
    validTo: validTo?.toISOString() ?? null,
    ...(neverHeld && { validFrom: validFrom?.toISOString() ?? null }),
  };
  const end = endOf(fact, closesAt);
  return {
    status: "superseded",
    validFrom: neverHeld && validFrom === null ? end : validFrom,
    validTo: end,
    body: { ...fact.body, supersededBy: by, before },
  };
}

/** Closes one fact in favour of another. What rests on it is the caller's to mark. */
export async function supersede(tx: Tx, fact: FactRow, how: Closing & { readonly reason: string }): Promise<FactRow> {
  return await reviseUnit(tx, fact, supersededColumns(fact, how), { event: "superseded", reason: how.reason });
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

/** A fact that is no longer contested, and why. */
export interface SettledFact {
  readonly fact: FactRow;
  readonly outcome: string;
}

/** Settles the open review of a fact that is no longer contested. */
export async function settleReview(tx: Tx, fact: FactRow, outcome: string): Promise<void> {
  await settleReviews(tx, [{ fact, outcome }]);
}

/** The same for many, in one statement. */
export async function settleReviews(tx: Tx, settled: readonly SettledFact[]): Promise<void> {
  const outcomes = settled.map(({ fact, outcome }) => ({ subjectId: fact.id, outcome }));
  const sensitivities = new Map(settled.map(({ fact }) => [fact.id, fact.sensitivity]));
  for (const { id: resourceId, subjectId } of await reviewItems.resolveReviewItems(tx, "contested_fact", outcomes)) {
    const sensitivity = sensitivities.get(subjectId)!;
    tx.record({ kind: "review.resolved", resourceType: "review", resourceId, version: 2, sensitivity });
  }
}

/**
 * Makes contested facts active that no live fact contradicts any more, after facts with these triples left the live
 * ones. The most trusted come first: one that is released can keep another contested.
 */
export async function releaseContested(tx: Tx, left: readonly FactRow[]): Promise<void> {
  const tripleKeys = new Set(left.flatMap((fact) => fact.tripleKey ?? []));
  if (tripleKeys.size === 0) return;
  const live = await lockLiveRivals(tx, left.filter((fact) => fact.tripleKey !== null));
  await releaseAmong(tx, live.filter((fact) => tripleKeys.has(fact.tripleKey ?? "")));
}

/** The same among live facts that the transaction has locked; gives those that it released, as they are now. */
export async function releaseAmong(tx: Tx, live: readonly FactRow[]): Promise<FactRow[]> {
  if (live.length === 0) return [];
  const settled = Map.groupBy(live.filter((fact) => fact.status === "active"), (fact) => fact.tripleKey);
  const waiting = live.filter((fact) => fact.status === "contested")
    .sort((a, b) => b.trustScore - a.trustScore || b.recordedAt.getTime() - a.recordedAt.getTime());
  const isHeld = (fact: FactRow) => settled.get(fact.tripleKey)?.some((other) => contradicts(fact, other)) === true;
  const free = waiting.filter((fact) => !isHeld(fact));
  // Contested for another reason, such as a peer's version of it: not for this rule to release.
  const asked = await reviewItems.findUndecided(tx, "contested_fact", free.map((fact) => fact.id));
  const released: FactRow[] = [];
  for (const fact of free) {
    if (!asked.has(fact.id) || isHeld(fact)) continue;
    released.push(fact);
    const same = settled.get(fact.tripleKey);
    if (same === undefined) settled.set(fact.tripleKey, [fact]);
    else same.push(fact);
  }
  const reason = "no live fact contradicts it any more";
  const rows = await reviseUnits(
    tx,
    released.map((unit) => ({ unit, changes: { status: "active" }, note: { event: "released", reason } })),
  );
  await settleReviews(tx, rows.map((fact) => ({ fact, outcome: reason })));
  return rows;
}
