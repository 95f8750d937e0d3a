/** Removes quotes of an erased unit or session from playbooks and self edits. */
import { eraseReplies } from "../../db/queries/idempotent_replies.ts";
import * as queries from "../../db/queries/erase_quotes.ts";
import type { Tx } from "../../db/tx.ts";

/** The text that replaces an erased text. */
export const ERASED_TEXT = "[erased]";

/**
 * Redacts runs, rules and versions of playbooks, and self edits, if they quote one of the texts, contain the id of the
 * erased unit or session, or were derived from something that does. Call it before the erasure, while edits still name
 * the unit.
 */
export async function eraseQuotes(tx: Tx, id: string, texts: readonly string[]): Promise<void> {
  for (const row of await queries.eraseQuotes(tx, id, texts)) {
    const { id: resourceId, resourceType, version, sensitivity } = row;
    await eraseReplies(tx, resourceId);
    tx.record({ kind: `${resourceType}.redacted`, resourceType, resourceId, version, sensitivity });
  }
}
