/** Carrying out what conflict detection judged: closing, contesting, releasing. All of it can be undone. */
import type { Tx } from "../../db/scope.ts";
import * as reviewItems from "../../db/queries/review_items.ts";
import { lockNames, lockRivals } from "../../db/queries/units.ts";
import { openReviewItem } from "../review/open.ts";
import { mostSensitive } from "../trust.ts";
import { markFallen, reviseUnit } from "../units.ts";
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
  const closed: FactRow[] = [];
  for (const rival of judgement.rivals) {
    const reason = `superseded by ${winner.id}: newer, and trusted at least as much ` +
      `(${winner.attribution} ${winner.trustScore}, here ${rival.attribution} ${rival.trustScore})`;
    const row = await supersede(tx, rival, { by: winner.id, closesAt: judgement.closesAt, reason });
    if (rival.status === "contested") await settleReview(tx, row, `superseded by ${winner.id}`);
    closed.push(row);
  }
  await markFallen(tx, closed.map((row) => row.id));
  return closed;
}

/**
 * Closes one fact in favour of another, so that restoring can undo it. What rests on it is the caller's to mark.
 *
 * @param how `neverHeld`: it was true at no time, so that one without a beginning is given the end as its beginning
 */
export async function supersede(
  tx: Tx,
  fact: FactRow,
  how: { readonly by: string; readonly closesAt: Date; readonly reason: string; readonly neverHeld?: boolean },
): Promise<FactRow> {
  const { validFrom, validTo } = fact;
  const before = {
    validTo: validTo?.toISOString() ?? null,
    ...(how.neverHeld && { validFrom: validFrom?.toISOString() ?? null }),
  };
  const end = endOf(fact, how.closesAt);
  return await reviseUnit(tx, fact, {
    status: "superseded",
    ...(how.neverHeld && validFrom === null && { validFrom: end }),
    validTo: end,
    body: { ...fact.body, supersededBy: how.by, before },
  }, { event: "superseded", reason: how.reason });
}

/** Opens the review of a fact that contradicts others. Returns the item's id. */
export async function openReview(tx: Tx, fact: FactRow, rivals: readonly FactRow[]): Promise<string> {
  const known = await reviewItems.findOpenReviewItem(tx, "contested_fact", fact.id);
  if (known !== undefined) return known;
  return await openReviewItem(tx, {
    kind: "contested_fact",
    sensitivity: mostSensitive(fact.sensitivity, ...rivals.map((rival) => rival.sensitivity)),
    subjectId: fact.id,
    otherId: rivals[0]?.id ?? null,
    detail: {
      rivalIds: rivals.map((rival) => rival.id),
      trustScore: fact.trustScore,
      rivalTrustScores: rivals.map((rival) => rival.trustScore),
    },
  });
}

/** Settles the open review of a fact that is no longer contested. */
export async function settleReview(tx: Tx, fact: FactRow, outcome: string): Promise<void> {
  for (const id of await reviewItems.resolveReviewItems(tx, "contested_fact", fact.id, { outcome })) {
    const { sensitivity } = fact;
    tx.record({ kind: "review.resolved", resourceType: "review", resourceId: id, version: 2, sensitivity });
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
  const settled = live.filter((fact) => fact.status === "active");
  const waiting = live.filter((fact) => fact.status === "contested" && tripleKeys.has(fact.tripleKey ?? ""))
    .sort((a, b) => b.trustScore - a.trustScore || b.recordedAt.getTime() - a.recordedAt.getTime());
  for (const fact of waiting) {
    if (settled.some((other) => contradicts(fact, other))) continue;
    // Contested for another reason, such as a peer's version of it: not for this rule to release.
    if (!await reviewItems.hasUndecidedItem(tx, "contested_fact", fact.id)) continue;
    const reason = "no live fact contradicts it any more";
    const row = await reviseUnit(tx, fact, { status: "active" }, { event: "released", reason });
    await settleReview(tx, row, reason);
    settled.push(row);
  }
}
