/**
 * A chain whose preconditions change retires by itself, and can be served again when they return.
 *
 * Whoever writes a unit calls `settlePreconditions` in the same transaction. It reaches a bounded number of entries, and
 * time passes without a write, so `resolve` looks at the preconditions of what it serves once more.
 */
import { forgetPrecondition, type SettledEntry, settleEntries } from "../../db/queries/reasoning.ts";
import type { Tx } from "../../db/scope.ts";

/** Entries that one write of units retires at once; the rest is found changed when it is asked for. */
const SETTLE_MAX = 1_000;

/** Notes which chains no longer rest, or rest again, on what they were recorded with. */
export async function settlePreconditions(tx: Tx, unitIds: readonly string[]): Promise<void> {
  if (unitIds.length === 0) return;
  recordSettled(tx, await settleEntries(tx, { unitIds, limit: SETTLE_MAX }));
}

/** A unit was erased: what rested on it is retired, and nothing of it is kept. */
export async function erasePrecondition(tx: Tx, unitId: string): Promise<void> {
  await forgetPrecondition(tx, unitId);
  await settlePreconditions(tx, [unitId]);
}

/** The same for entries that were found changed when they were read. */
export async function settleFound(tx: Tx, entryIds: readonly string[]): Promise<void> {
  if (entryIds.length > 0) recordSettled(tx, await settleEntries(tx, { entryIds, limit: 0 }));
}

function recordSettled(tx: Tx, entries: readonly SettledEntry[]): void {
  for (const { id, version, sensitivity, broken } of entries) {
    tx.record({
      kind: broken ? "reasoning.retired" : "reasoning.reactivated",
      resourceType: "reasoning",
      resourceId: id,
      version,
      sensitivity,
      payload: broken ? { reason: "precondition_changed" } : {},
    });
  }
}
