/** Tries an import: all its transactions are parts of one transaction, which is undone. */
import type { OperationContext } from "../../context.ts";
import { withClearance } from "../../db/enter_workspace.ts";
import { HeldTransaction } from "../../db/held_transaction.ts";
import { lockTrial } from "../../db/queries/import_trial.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import type { ReadAbove } from "./line_kind.ts";

/** The longest duration of a trial, which holds the locks of everything that it writes. */
const TRIAL_DEADLINE_MS = 20_000;
/** Seconds after which a caller may try again if another trial was running. */
const RETRY_AFTER = "5";

/**
 * Runs work with a context whose transactions see each other's writes and are undone at the end, and with a way to read
 * above the key's clearance in the same transaction.
 * @throws ServiceError `deadline_exceeded` when it takes too long, `rate_limited` while another trial runs in the
 * workspace; whatever the work throws
 */
export async function inTrial(
  ctx: OperationContext,
  work: (trial: OperationContext, above: ReadAbove) => Promise<void>,
): Promise<void> {
  const begin: OperationContext["tx"] = (piece, options) =>
    ctx.tx(piece, { ...options, readOnly: false, deadlineMs: TRIAL_DEADLINE_MS });
  const held = new HeldTransaction(begin, beAlone);
  const trial: OperationContext = {
    ...ctx,
    tx: (piece) =>
      held.run(async (tx) => {
        const value = await piece(tx);
        // The constraints that the import's own transactions check at their commits.
        await tx.sql`set constraints all immediate`;
        await tx.sql`set constraints all deferred`;
        return value;
      }),
  };
  try {
    await work(trial, (read) => held.run((tx) => withClearance(tx, "restricted", read)));
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === "deadline_exceeded")) throw error;
    const message = "Cannot try the import: it takes more than 20 seconds; try a part of the file";
    throw new ServiceError("deadline_exceeded", message, { cause: error });
  } finally {
    await held.rollback();
  }
}

/** A trial makes the other writers of its workspace wait, so a workspace runs one trial at a time. */
async function beAlone(tx: Tx): Promise<void> {
  if (await lockTrial(tx)) return;
  const message = "Cannot try the import: another one is being tried in this workspace";
  throw new ServiceError("rate_limited", message, { headers: { "retry-after": RETRY_AFTER } });
}
