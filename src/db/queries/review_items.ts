/** Statements on `review_item`. An item refers to units by id and says why; it never holds their content. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Tx } from "../scope.ts";

export type ReviewKind = "contested_fact" | "near_duplicate" | "stale_dependant" | "self_edit" | "federation_conflict";

export interface NewReviewItem {
  readonly id: string;
  readonly kind: ReviewKind;
  readonly sensitivity: Sensitivity;
  readonly subjectId: string;
  readonly otherId: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

export async function insertReviewItem(tx: Tx, item: NewReviewItem): Promise<void> {
  await tx.sql`
    insert into review_item (workspace_id, id, kind, sensitivity, subject_id, other_id, detail, created_at)
    values (${tx.workspaceId}, ${item.id}, ${item.kind}, ${item.sensitivity}, ${item.subjectId}, ${item.otherId},
            ${tx.sql.json(item.detail as never)}, ${tx.now})`;
}

/** Settles the open items of a kind about a unit. Returns their ids. */
export async function resolveReviewItems(
  tx: Tx,
  kind: ReviewKind,
  subjectId: string,
  resolution: Readonly<Record<string, unknown>>,
): Promise<string[]> {
  const rows = await tx.sql<{ id: string }[]>`
    update review_item
       set status = 'resolved', resolution = ${tx.sql.json(resolution as never)}, resolved_at = ${tx.now},
           resolved_by = ${tx.actor}
     where workspace_id = ${tx.workspaceId} and kind = ${kind} and subject_id = ${subjectId} and status = 'open'
    returning id`;
  return rows.map((row) => row.id);
}

/** The open item of a kind about a unit, if there is one. */
export async function findOpenReviewItem(tx: Tx, kind: ReviewKind, subjectId: string): Promise<string | undefined> {
  const [row] = await tx.sql<{ id: string }[]>`
    select id from review_item
     where workspace_id = ${tx.workspaceId} and kind = ${kind} and subject_id = ${subjectId} and status = 'open'
     order by id desc limit 1`;
  return row?.id;
}

/** Deletes all items that name a unit. Returns how many. */
export async function deleteReviewItems(tx: Tx, unitId: string): Promise<number> {
  const deleted = await tx.sql`
    delete from review_item
     where workspace_id = ${tx.workspaceId} and (subject_id = ${unitId} or other_id = ${unitId})`;
  return deleted.count;
}
