/**
 * A chain whose preconditions change retires by itself, and can be served again when they return.
 *
 * The ledger calls `settlePreconditions` with every write, in the same transaction. It reaches a bounded number of entries,
 * and time passes without a write, so `resolve` looks at the preconditions of what it serves once more.
 */
import { eraseReplies } from "../../db/queries/idempotent_replies.ts";
import { eraseEntries, forgetPrecondition, type SettledEntry, settleEntries } from "../../db/queries/reasoning.ts";
import type { Tx } from "../../db/tx.ts";

/** Entries that one write of units retires at once; the rest is found changed when it is asked for. */
const SETTLE_MAX = 1_000;

/** Notes which chains no longer rest, or rest again, on what they were recorded with. */
export async function settlePreconditions(tx: Tx, unitIds: readonly string[]): Promise<void> {
  if (unitIds.length === 0) return;
  recordSettled(tx, await settleEntries(tx, { unitIds, limit: SETTLE_MAX }));
}

/** Entries that are deleted at once because what they rest on was erased; a worker deletes the rest. */
const ERASE_MAX = 500;

/**
 * A unit was erased: the chains that rest on it say what it said, so they are erased with it. Where there are a great
 * many, the last of them are retired until a worker has deleted them.
 */
export async function erasePrecondition(tx: Tx, unitId: string): Promise<void> {
  await forgetPrecondition(tx, unitId);
  await eraseBroken(tx);
  await settlePreconditions(tx, [unitId]);
}

/** Deletes chains that rest on what was erased, a bounded number; true while there may be more. */
export async function eraseBroken(tx: Tx): Promise<boolean> {
  const erased = await eraseEntries(tx, ERASE_MAX);
  for (const { id, version, sensitivity } of erased) {
    await eraseReplies(tx, id);
    tx.record({ kind: "reasoning.deleted", resourceType: "reasoning", resourceId: id, version, sensitivity });
  }
  return erased.length === ERASE_MAX;
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
