/** Erases units together with the units that were derived from them. docs/reference/guarantees.md T45. */
import type { OperationContext } from "../../context.ts";
import { findDerived } from "../../db/queries/unit_sources.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { findUnits } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import type { ErasureReceipt } from "../../schema/unit.ts";
import { eraseUnit } from "./erase.ts";
import { FollowUps } from "./follow_ups.ts";
import { isNamed } from "./names/names.ts";

/** The most units that one transaction erases. */
const PURGE_MAX = 1_000;
/** The deadline of a purge's transaction. */
export const PURGE_DEADLINE_MS = 60_000;

/**
 * Erases a unit that the transaction has locked, and the units that were derived from it.
 * @throws ServiceError `conflict` when they are too many for one transaction; as `eraseUnit` does
 */
export async function purgeUnit(
  ctx: OperationContext,
  tx: Tx,
  unit: UnitRow<object>,
  reason: string | null,
): Promise<ErasureReceipt> {
  const derived = (await lockDerived(tx, [unit.id])).filter(({ id }) => id !== unit.id);
  const followUps = new FollowUps();
  await eraseAll(ctx, tx, derived, `derived from ${unit.id}`, followUps);
  const receipt = await eraseUnit(ctx, tx, unit, reason, { derived: derived.map(({ id }) => id), followUps });
  await followUps.run(tx);
  return receipt;
}

/**
 * Erases existing units that the key sees, and the units that were derived from them; returns the erased units.
 * @throws ServiceError `conflict` when they are too many for one transaction; as `eraseUnit` does
 */
export async function purgeUnits(
  ctx: OperationContext,
  tx: Tx,
  ids: readonly string[],
  reason: string,
): Promise<UnitRow<object>[]> {
  if (ids.length === 0) return [];
  const derived = await lockDerived(tx, ids);
  const known = new Set(derived.map(({ id }) => id));
  const sources = await findUnits(tx, ids.filter((id) => !known.has(id)), { lock: "update" });
  const all = [...derived, ...sources];
  const followUps = new FollowUps();
  await eraseAll(ctx, tx, all, reason, followUps);
  await followUps.run(tx);
  return all;
}

async function lockDerived(tx: Tx, ids: readonly string[]): Promise<UnitRow<object>[]> {
  const found = await findDerived(tx, ids, PURGE_MAX + 1);
  if (found.length > PURGE_MAX) {
    throw new ServiceError(
      "conflict",
      `Cannot erase: more than ${PURGE_MAX} units were derived from it; erase some of these with theirs first`,
    );
  }
  const units = found.length === 0 ? [] : await findUnits(tx, found, { lock: "update" });
  // Newer units rest on older ones; if they are erased first, they do not become stale.
  return units.sort((a, b) => a.id < b.id ? 1 : -1);
}

async function eraseAll(
  ctx: OperationContext,
  tx: Tx,
  units: readonly UnitRow<object>[],
  reason: string,
  followUps: FollowUps,
): Promise<void> {
  for (const unit of units) {
    // Erasing an entity also erases the entities that were merged into it, so this unit may be gone already.
    if (isNamed(unit) && (await findUnits(tx, [unit.id])).length === 0) continue;
    await eraseUnit(ctx, tx, unit, reason, { followUps });
  }
}
