/** Archives, restores and erases knowledge units of any kind. */
import type { OperationContext } from "../../context.ts";
import { findStatusBefore } from "../../db/queries/revisions.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { lockNames } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import type { ErasureReceipt, ForgetBody } from "../../schema/unit.ts";
import { archive } from "./archive.ts";
import { eraseUnit } from "./erase.ts";
import { PURGE_DEADLINE_MS, purgeUnit } from "./purge.ts";
import { requireUnit, requireVersion, reviseUnit } from "./store.ts";
import { type AnyKind, toUnit } from "./kind.ts";

/**
 * Archives a unit in any state; an archived one is returned as it is. It leaves recall and can be restored.
 * @throws ServiceError `not_found`, `erased`, `version_mismatch`
 */
export async function archiveUnit<Unit>(
  ctx: OperationContext,
  kind: AnyKind,
  id: string,
  ifMatch: number | undefined,
  reason: string | null = null,
): Promise<Unit> {
  return await ctx.tx(async (tx) => {
    const unit = await lockUnit(tx, kind, id, ifMatch);
    return toUnit<Unit>(await archive(tx, unit, { reason }));
  });
}

/** The outcome of forgetting a unit: the archived unit under the name of its type, or the receipt. */
export type Forgotten =
  | { readonly mode: "archive"; readonly [type: string]: unknown }
  | { readonly mode: "erase"; readonly receipt: ErasureReceipt };

/**
 * Archives a unit, or erases it for ever.
 * @throws ServiceError `not_found`, `erased`, `version_mismatch`; `insufficient_scope` when a part of its history is
 *   above the key's clearance.
 */
export async function forgetUnit(
  ctx: OperationContext,
  kind: AnyKind,
  id: string,
  { mode, reason, cascade }: ForgetBody,
  ifMatch: number | undefined,
): Promise<Forgotten> {
  return await ctx.tx(async (tx): Promise<Forgotten> => {
    const unit = await lockUnit(tx, kind, id, ifMatch);
    if (mode === "archive") {
      return { mode, [kind.type]: toUnit<object>(await archive(tx, unit, { reason: reason ?? null })) };
    }
    const erase = cascade ? purgeUnit : eraseUnit;
    return { mode, receipt: await erase(ctx, tx, unit, reason ?? null) };
  }, cascade ? { deadlineMs: PURGE_DEADLINE_MS } : undefined);
}

/**
 * Returns an archived unit to its earlier state, and a unit in another state if its kind can undo that state.
 * @throws ServiceError `not_found`, `erased`, `version_mismatch`, `invalid_transition`
 */
export async function restoreUnit<Unit>(
  ctx: OperationContext,
  kind: AnyKind,
  id: string,
  ifMatch: number | undefined,
): Promise<Unit> {
  return await ctx.tx(async (tx) => {
    if (kind.namesOf !== undefined) {
      await lockNames(tx, kind.namesOf((await requireUnit<object>(tx, kind.type, id)).body));
    }
    const unit = await lockUnit(tx, kind, id, ifMatch);
    const reopened = await kind.reopen?.(tx, unit);
    if (reopened === undefined && unit.status !== "archived") {
      throw new ServiceError("invalid_transition", `Cannot restore the ${kind.type}: it is ${unit.status}`);
    }
    const changes = reopened ?? { status: await findStatusBefore(tx, id, ["archived"]) ?? kind.listed[0]! };
    return toUnit<Unit>(await reviseUnit(tx, unit, changes, { event: "restored", reason: null }));
  });
}

async function lockUnit(
  tx: Tx,
  kind: AnyKind,
  id: string,
  ifMatch: number | undefined,
): Promise<UnitRow<object>> {
  const unit = await requireUnit<object>(tx, kind.type, id, { lock: "update" });
  requireVersion(unit, ifMatch);
  return unit;
}
