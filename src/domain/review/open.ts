/** Opening review items: any capability may ask a person. */
import { uuidv7 } from "../../crypto/ids.ts";
import type { Tx } from "../../db/scope.ts";
import { insertReviewItems, type NewReviewItem } from "../../db/queries/review_items.ts";

/** An item that is about to be opened. */
export type ReviewItemToOpen = Omit<NewReviewItem, "id">;

/** Opens an item and tells the feed. Returns its id. */
export async function openReviewItem(tx: Tx, item: ReviewItemToOpen): Promise<string> {
  const [id] = await openReviewItems(tx, [item]);
  return id!;
}

/** Opens items in one statement and tells the feed. Returns their ids, in the order of the items. */
export async function openReviewItems(tx: Tx, items: readonly ReviewItemToOpen[]): Promise<string[]> {
  const fresh = items.map((item) => ({ ...item, id: uuidv7(tx.now) }));
  await insertReviewItems(tx, fresh);
  for (const { id, kind, sensitivity, subjectId } of fresh) {
    const payload = { kind, subjectId };
    tx.record({ kind: "review.opened", resourceType: "review", resourceId: id, version: 1, sensitivity, payload });
  }
  return fresh.map(({ id }) => id);
}
