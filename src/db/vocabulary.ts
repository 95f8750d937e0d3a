/**
 * Writes the vocabulary, behind the lock on the end of the change feed. So the transactions of one workspace write it one
 * after the other: two that add the same new words cannot deadlock, in whatever order each of them met the words, and an
 * erasure sees the postings of all transactions that added words before it.
 */
import type { Sensitivity } from "../schema/common.ts";
import type { Tx, VocabularyChange } from "./tx.ts";

/**
 * Sends the statements for all changes of a transaction in a row, without waiting for results.
 * Words are added before others are removed.
 */
export function sendWords(tx: Tx, changes: readonly VocabularyChange[]): Promise<void>[] {
  return [
    ...gather(changes, "gained").map(([sensitivity, terms]) => add(tx, sensitivity, terms)),
    ...gather(changes, "lost").map(([sensitivity, terms]) => prune(tx, sensitivity, terms)),
  ];
}

/** Each sensitivity with its words, each word once; sorted, so that the statements are the same in every run. */
function gather(changes: readonly VocabularyChange[], which: "gained" | "lost"): [Sensitivity, string[]][] {
  return [...Map.groupBy(changes, (change) => change.sensitivity)]
    .map(([sensitivity, group]): [Sensitivity, string[]] => [
      sensitivity,
      [...new Set(group.flatMap((change) => change[which] ?? []))].sort(),
    ])
    .filter(([, terms]) => terms.length > 0)
    .sort(([a], [b]) => a < b ? -1 : 1);
}

async function add(tx: Tx, sensitivity: Sensitivity, terms: readonly string[]): Promise<void> {
  await tx.sql`
    insert into vocabulary (workspace_id, sensitivity, term)
    select ${tx.workspaceId}, ${sensitivity}::sensitivity, term from unnest(${terms as string[]}::text[]) as t(term)
        on conflict do nothing`;
}

/** @internal Deletes the words that no text contains any more, so that an erased text leaves none behind. */
export async function prune(tx: Tx, sensitivity: Sensitivity, terms: readonly string[]): Promise<void> {
  // OFFSET keeps the look-ups apart: joined, tables without statistics are read as a whole for each word.
  await tx.sql`
    delete from vocabulary v
     where v.workspace_id = ${tx.workspaceId} and v.sensitivity = ${sensitivity} and v.term = any(${terms as string[]}::text[])
       and not exists (
         select from posting p
          where p.workspace_id = ${tx.workspaceId} and p.term = v.term and p.sensitivity = v.sensitivity offset 0)`;
}
