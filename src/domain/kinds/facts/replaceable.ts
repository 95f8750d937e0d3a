/** Decides which facts a new fact, or a relation, may supersede. */
import type { OperationContext } from "../../../context.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import { type FactRow, isLive, statusAt } from "./fields.ts";

/**
 * Refuses to supersede a fact that is not visible, not in force, or trusted more than its successor, unless the caller
 * administers the memory.
 * @param path the member of the request that names it
 * @throws ServiceError `validation_failed`
 */
export function requireReplaceable(
  ctx: Pick<OperationContext, "scopes">,
  tx: Tx,
  old: FactRow | undefined,
  by: Pick<FactRow, "trustScore">,
  path: string,
): asserts old is FactRow {
  const refuse = (message: string) => notReplaceable(path, message);
  if (old === undefined) throw refuse("is not known");
  if (!isLive(old, tx.now)) throw refuse(`is not in force: it is ${statusAt(old, tx.now)}`);
  if (old.trustScore <= by.trustScore || ctx.scopes.has("memory:admin")) return;
  throw refuse(
    `is trusted more (${old.trustScore}) than what takes its place (${by.trustScore}), and the key lacks the scope memory:admin`,
  );
}

/** The refusal of a member that names a fact to supersede. */
export function notReplaceable(path: string, message: string): ServiceError {
  return new ServiceError("validation_failed", `Cannot supersede the fact: ${path} ${message}`, {
    errors: [{ path, message }],
  });
}
