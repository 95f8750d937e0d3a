/** Opening review items: any capability may ask a person. */
import { uuidv7 } from "../../crypto/ids.ts";
import type { Tx } from "../../db/scope.ts";
import { insertReviewItem, type NewReviewItem } from "../../db/queries/review_items.ts";

/** Opens an item and tells the feed. Returns its id. */
export async function openReviewItem(tx: Tx, item: Omit<NewReviewItem, "id">): Promise<string> {
  const { kind, sensitivity, subjectId } = item;
  const id = uuidv7(tx.now);
  await insertReviewItem(tx, { ...item, id });
  const payload = { kind, subjectId };
  tx.record({ kind: "review.opened", resourceType: "review", resourceId: id, version: 1, sensitivity, payload });
  return id;
}
