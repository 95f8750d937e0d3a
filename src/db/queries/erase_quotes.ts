/** The statement that redacts the parts of playbooks and self edits that came from an erased unit or session. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Tx } from "../tx.ts";

/** A playbook with its newest version, or a self edit. */
export interface RedactedRow {
  readonly id: string;
  readonly resourceType: "playbook" | "self_edit";
  readonly version: number;
  readonly sensitivity: Sensitivity;
}

/**
 * Redacts parts that quote the texts, contain the id or were derived from such parts, also above the transaction's
 * clearance.
 */
export async function eraseQuotes(tx: Tx, id: string, texts: readonly string[]): Promise<RedactedRow[]> {
  return await tx.sql<RedactedRow[]>`
    select id, resource_type as "resourceType", version, sensitivity
      from svc_system.erase_quotes(${id}, ${texts as string[]}::text[], ${tx.now}, ${tx.actor})`;
}
