/** Counts the items that each key has sealed, over all workspaces. */
import type { Sql } from "../tx.ts";

/**
 * Adds items to the number that a key has sealed, before they are sealed. Returns the new number; if it would be
 * greater than `max`, nothing is added, and the returned number is greater than `max`.
 * @param keyHash 32 bytes that stand for the key
 */
export async function countSealedItems(sql: Sql, keyHash: Uint8Array, items: number, max: number): Promise<number> {
  const [row] = await sql<[{ items: number }]>`
    select svc_system.count_sealed_items(${keyHash}, ${items}, ${max})::float8 as items`;
  return row.items;
}
