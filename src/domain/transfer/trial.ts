/** Trying an import: all of its transactions are pieces of one, which is undone. */
import type { OperationContext } from "../../context.ts";
import { withClearance } from "../../db/enter_workspace.ts";
import { HeldTransaction } from "../../db/held_transaction.ts";
import { ServiceError } from "../../errors.ts";
import type { ReadAbove } from "./line_kind.ts";

/** How long a trial may take. It holds the locks of all that it writes. */
const TRIAL_DEADLINE_MS = 60_000;

/**
 * Runs work with a context whose transactions see each other's writes and are undone at the end, and with a way to read
 * above the key's clearance in the same transaction.
 * @throws ServiceError `deadline_exceeded` when it takes too long; whatever the work throws
 */
export async function inTrial(
  ctx: OperationContext,
  work: (trial: OperationContext, above: ReadAbove) => Promise<void>,
): Promise<void> {
  const begin: OperationContext["tx"] = (piece, options) =>
    ctx.tx(piece, { ...options, readOnly: false, deadlineMs: TRIAL_DEADLINE_MS });
  const held = new HeldTransaction(begin, () => Promise.resolve());
  const trial: OperationContext = {
    ...ctx,
    tx: (piece) =>
      held.run(async (tx) => {
        const value = await piece(tx);
        // What the import's own transactions check as they commit.
        await tx.sql`set constraints all immediate`;
        await tx.sql`set constraints all deferred`;
        return value;
      }),
  };
  try {
    await work(trial, (read) => held.run((tx) => withClearance(tx, "restricted", read)));
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === "deadline_exceeded")) throw error;
    const message = "Cannot try the import: it takes more than a minute; try a part of the file";
    throw new ServiceError("deadline_exceeded", message, { cause: error });
  } finally {
    await held.rollback();
  }
}
