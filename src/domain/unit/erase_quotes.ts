/** What agents learnt from something that is erased, and what their edits said about it, goes with it. */
import { eraseReplies } from "../../db/queries/idempotent_replies.ts";
import * as queries from "../../db/queries/erase_quotes.ts";
import type { Tx } from "../../db/tx.ts";

/** In the place of a text that was erased. */
export const ERASED_TEXT = "[erased]";

/**
 * Redacts runs, rules and versions of playbooks and self edits that quote a text, that name the id of a unit or session
 * which is being erased, or that came from what does. It comes before the erasure, while edits still name the unit.
 */
export async function eraseQuotes(tx: Tx, id: string, texts: readonly string[]): Promise<void> {
  for (const row of await queries.eraseQuotes(tx, id, texts)) {
    const { id: resourceId, resourceType, version, sensitivity } = row;
    await eraseReplies(tx, resourceId);
    tx.record({ kind: `${resourceType}.redacted`, resourceType, resourceId, version, sensitivity });
  }
}
