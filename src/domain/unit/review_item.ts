/** Opens review items, by which any capability may ask a person. */
import { uuidv7 } from "../../crypto/ids.ts";
import type { Tx } from "../../db/tx.ts";
import { insertReviewItems, type NewReviewItem } from "../../db/queries/review_items.ts";

/** An item that is about to be opened. */
export type ReviewItemToOpen = Omit<NewReviewItem, "id">;

/** Opens an item and records the change. Returns its id. */
export async function openReviewItem(tx: Tx, item: ReviewItemToOpen): Promise<string> {
  const [id] = await openReviewItems(tx, [item]);
  return id!;
}

/** Opens items in one statement and records the changes. Returns their ids, in the order of the items. */
export async function openReviewItems(tx: Tx, items: readonly ReviewItemToOpen[]): Promise<string[]> {
  const drafts = items.map((item) => draftReviewItem(tx, item));
  await insertReviewItems(tx, drafts);
  for (const draft of drafts) recordOpened(tx, draft);
  return drafts.map(({ id }) => id);
}

/** An item with its id, for a caller that has to name it before it is stored. */
export function draftReviewItem(tx: Tx, item: ReviewItemToOpen): NewReviewItem {
  return { ...item, id: uuidv7(tx.now) };
}

/** Records in the feed that an item was opened. */
export function recordOpened(tx: Tx, { id, kind, sensitivity, subjectId }: NewReviewItem): void {
  const payload = { kind, subjectId };
  tx.record({ kind: "review.opened", resourceType: "review", resourceId: id, version: 1, sensitivity, payload });
}
