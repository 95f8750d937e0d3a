/** Gives a unit back the content of an earlier version. This makes a new version, so the history stays complete. */
import type { Tx } from "../../db/tx.ts";
import { REGISTRY } from "../kinds/registry.ts";
import { findSources } from "../unit/support.ts";
import type { PreparedText } from "../unit/indexing.ts";
import { capOf, trustOf } from "../unit/trust.ts";
import { isStanding } from "../unit/standing.ts";
import { TextChanged } from "./rights.ts";
import type { AnyUnit } from "./targets.ts";

export interface BroughtBack {
  readonly reason: string;
  /** The earlier text, prepared. */
  readonly prepared: PreparedText | undefined;
}

/**
 * Gives a unit that the transaction has locked the content, state and pin of an earlier version. What recall and others
 * count about it stays. If a live fact contradicts it now, it becomes contested, and a review opens.
 * @throws `TextChanged` when the earlier text was not prepared
 */
export async function bringBack(tx: Tx, unit: AnyUnit, earlier: AnyUnit, how: BroughtBack): Promise<AnyUnit> {
  if (earlier.text !== unit.text && how.prepared?.text !== earlier.text) throw new TextChanged();
  const evidenceOf = REGISTRY[unit.type].kind?.evidenceOf ?? (() => []);
  const [before, after] = [evidenceOf(unit.body), evidenceOf(earlier.body)];
  const next = { ...unit, ...saidBy(earlier), ...await supportOf(tx, unit, earlier, after) };
  const evidenceIds = before.join() === after.join() ? undefined : after;
  const note = { event: "reverted", ...how, evidenceIds };
  return await REGISTRY[unit.type].writing.bringBack(tx, unit, next, note);
}

/** The members that a version sets itself, without those that follow from other units. */
function saidBy(earlier: AnyUnit) {
  return {
    status: earlier.status,
    attribution: earlier.attribution,
    confidence: earlier.confidence,
    sensitivity: earlier.sensitivity,
    tags: earlier.tags,
    metadata: earlier.metadata,
    pinned: earlier.pinned,
    contentHash: earlier.contentHash,
    text: earlier.text,
    body: earlier.body,
    tripleKey: earlier.tripleKey,
    validFrom: earlier.validFrom,
    validTo: earlier.validTo,
    retractedAt: earlier.retractedAt,
    occurredAt: earlier.occurredAt,
    expiresAt: earlier.expiresAt,
    entityIds: earlier.entityIds,
  };
}

/** Sources count as they are now: if it rests on others than before, trust and standing are computed again. */
async function supportOf(tx: Tx, unit: AnyUnit, earlier: AnyUnit, evidenceIds: readonly string[]) {
  const { derivedFrom } = earlier;
  const isSame = derivedFrom.join() === unit.derivedFrom.join();
  const named = await findSources(tx, [...derivedFrom, ...evidenceIds]);
  const sources = derivedFrom.flatMap((id) => named.get(id) ?? []);
  const trustCap = isSame ? unit.trustCap : Math.min(earlier.trustCap, capOf(sources));
  const stale = isSame ? unit.stale : ![...named.values()].every(isStanding);
  return { derivedFrom, trustCap, trustScore: trustOf(earlier.attribution, trustCap), stale };
}
