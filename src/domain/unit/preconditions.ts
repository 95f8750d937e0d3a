/**
 * Retires chains whose preconditions change, and serves them again when the preconditions return.
 *
 * The ledger calls `settlePreconditions` with every write, in the same transaction. This reaches a bounded number of
 * entries, and preconditions can also change by time alone, so `resolve` checks those of the entries that it serves
 * again.
 */
import { eraseReplies } from "../../db/queries/idempotent_replies.ts";
import { eraseEntries, forgetPrecondition, type SettledEntry, settleEntries } from "../../db/queries/reasoning.ts";
import type { Tx } from "../../db/tx.ts";

/** Entries that one write of units retires immediately; further ones are noticed when somebody asks for them. */
const SETTLE_MAX = 1_000;

/** Notes which chains have lost, or got back, their preconditions. */
export async function settlePreconditions(tx: Tx, unitIds: readonly string[]): Promise<void> {
  if (unitIds.length === 0) return;
  recordSettled(tx, await settleEntries(tx, { unitIds, limit: SETTLE_MAX }));
}

/** Entries that are deleted immediately because a precondition was erased; a worker deletes the rest. */
const ERASE_MAX = 500;

/**
 * Erases the chains that rest on an erased unit, because they repeat its content. If there are very many, the last ones
 * are only retired until a worker has deleted them.
 */
export async function erasePrecondition(tx: Tx, unitId: string): Promise<void> {
  await forgetPrecondition(tx, unitId);
  await eraseBroken(tx);
  await settlePreconditions(tx, [unitId]);
}

/** Deletes a bounded number of chains whose precondition was erased; true while there may be more. */
export async function eraseBroken(tx: Tx): Promise<boolean> {
  const erased = await eraseEntries(tx, ERASE_MAX);
  for (const { id, version, sensitivity } of erased) {
    await eraseReplies(tx, id);
    tx.record({ kind: "reasoning.deleted", resourceType: "reasoning", resourceId: id, version, sensitivity });
  }
  return erased.length === ERASE_MAX;
}

/** Settles entries as `settlePreconditions` does, where a read found that their preconditions have changed. */
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
