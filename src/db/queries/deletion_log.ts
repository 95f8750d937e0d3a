/** Statements on `deletion_log`: what was erased, for ever. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Tx } from "../tx.ts";

export interface Deletion {
  readonly resourceId: string;
  readonly resourceType: string;
  readonly originInstance: string;
  /** The last sensitivity of the resource. Callers without that clearance do not learn that it was erased. */
  readonly sensitivity: Sensitivity;
  readonly receipt: Readonly<Record<string, unknown>>;
}

/**
 * Records an erasure. If the log has an entry for it already, for example from an import, that entry stays unchanged.
 */
export async function insertDeletion(tx: Tx, deletion: Deletion): Promise<void> {
  await tx.sql`
    insert into deletion_log (
      workspace_id, resource_id, resource_type, origin_instance, sensitivity, erased_at, erased_by, receipt)
    values (${tx.workspaceId}, ${deletion.resourceId}, ${deletion.resourceType}, ${deletion.originInstance},
            ${deletion.sensitivity}, ${tx.now}, ${tx.actor}, ${tx.sql.json(deletion.receipt)}) on conflict do nothing`;
}

/** Whether a resource of this type, or of one of these, was erased, as far as the transaction's clearance may know. */
export async function isErased(
  tx: Tx,
  resourceType: string | readonly string[],
  resourceId: string,
): Promise<boolean> {
  const rows = await tx.sql`
    select from deletion_log
     where workspace_id = ${tx.workspaceId} and resource_id = ${resourceId} and resource_type = any(${
    [resourceType].flat()
  }::text[])
       and sensitivity <= ${tx.maxSensitivity}::sensitivity`;
  return rows.length > 0;
}
