/** Finds resources above the clearance of the importing key. */
import { createContext, type OperationContext } from "../../context.ts";
import { findIdsAbove } from "../../db/queries/imports.ts";

/**
 * Returns those of the given ids that belong to a resource above the key's clearance. The import treats a line that refers
 * to one like a line that refers to an unknown id, so that the report does not reveal whether the resource exists. A reader
 * of the imported line can still see whether its own id was kept: the import keeps ids that are free, so that a copy of a
 * workspace has the ids of the source.
 */
export async function findAbove(ctx: OperationContext, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { maxSensitivity, requestId, operationId, signal } = ctx;
  if (maxSensitivity === "restricted" || ids.length === 0) return new Set();
  const above = createContext(ctx.deps, { ...ctx, maxSensitivity: "restricted" }, { requestId, operationId, signal });
  return await above.tx((tx) => findIdsAbove(tx, [...new Set(ids)], maxSensitivity), { readOnly: true });
}
