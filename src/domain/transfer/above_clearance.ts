/** Finds resources above the clearance of the importing key. */
import { createContext, type OperationContext } from "../../context.ts";
import { findIdsAbove } from "../../db/queries/imports.ts";
import type { Importing, ReadAbove } from "./line_kind.ts";

/**
 * Returns those of the given ids that belong to a resource above the key's clearance. The import treats a line that refers
 * to one like a line that refers to an unknown id, so that the report does not reveal whether the resource exists. A reader
 * of the imported line can still see whether its own id was kept: the import keeps ids that are free, so that a copy of a
 * workspace has the ids of the source.
 */
export async function findAbove(importing: Importing, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { maxSensitivity } = importing.ctx;
  if (maxSensitivity === "restricted" || ids.length === 0) return new Set();
  return await importing.readAbove((tx) => findIdsAbove(tx, [...new Set(ids)], maxSensitivity));
}

/** Runs each read in a transaction of its own. */
export function readAbove(ctx: OperationContext): ReadAbove {
  const { requestId, operationId, signal } = ctx;
  const above = createContext(ctx.deps, { ...ctx, maxSensitivity: "restricted" }, { requestId, operationId, signal });
  return (work) => above.tx(work, { readOnly: true });
}
