/** What is above the clearance of the key that imports. */
import { createContext, type OperationContext } from "../../context.ts";
import { findIdsAbove } from "../../db/queries/imports.ts";

/**
 * Those of some ids that name something above the key's clearance. It is asked for so that a line which names one is
 * treated like a line that names nothing, and the report tells no answer. Whoever reads the line afterwards finds out
 * whether it kept its id: ids are kept where they are free, so that the copy of a workspace has those of the source.
 */
export async function findAbove(ctx: OperationContext, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { maxSensitivity, requestId, operationId, signal } = ctx;
  if (maxSensitivity === "restricted" || ids.length === 0) return new Set();
  const above = createContext(ctx.deps, { ...ctx, maxSensitivity: "restricted" }, { requestId, operationId, signal });
  return await above.tx((tx) => findIdsAbove(tx, [...new Set(ids)], maxSensitivity), { readOnly: true });
}
