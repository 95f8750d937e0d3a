/** Statements on `review_item`. An item refers to units by id and says why; it never holds their content. */
import type { Sensitivity } from "../../schema/common.ts";
import type { ReviewKind, ReviewStatus } from "../../schema/review.ts";
import type { Sql, Tx } from "../tx.ts";

export interface NewReviewItem {
  readonly id: string;
  readonly kind: ReviewKind;
  readonly sensitivity: Sensitivity;
  readonly subjectId: string;
  readonly otherId: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** A row of `review_item`. Its version follows from its state: an item changes once. */
export interface ReviewItemRow extends NewReviewItem {
  readonly version: number;
  readonly status: ReviewStatus;
  readonly resolution: Readonly<Record<string, unknown>> | null;
  readonly createdAt: Date;
  readonly resolvedAt: Date | null;
  readonly resolvedBy: string | null;
}

function columns(sql: Sql) {
  return sql`
    id, case when status = 'open' then 1 else 2 end as version, kind, status, sensitivity, subject_id as "subjectId",
    other_id as "otherId", detail, resolution, created_at as "createdAt", resolved_at as "resolvedAt",
    resolved_by as "resolvedBy"`;
}

/** Inserts items in one statement, however many. */
export async function insertReviewItems(tx: Tx, items: readonly NewReviewItem[]): Promise<void> {
  if (items.length === 0) return;
  const rows = items.map(({ id, kind, sensitivity, subjectId, otherId, detail }) => {
    return { id, kind, sensitivity, subject_id: subjectId, other_id: otherId, detail };
  });
  await tx.sql`
    insert into review_item (workspace_id, id, kind, sensitivity, subject_id, other_id, detail, created_at)
    select ${tx.workspaceId}, n.id, n.kind, n.sensitivity, n.subject_id, n.other_id, n.detail, ${tx.now}
      from jsonb_populate_recordset(null::review_item, ${tx.sql.json(rows)}) n`;
}

export async function findReviewItem(
  tx: Tx,
  id: string,
  options: { readonly lock?: boolean } = {},
): Promise<ReviewItemRow | undefined> {
  const { sql } = tx;
  const [row] = await sql<ReviewItemRow[]>`
    select ${columns(sql)} from review_item where workspace_id = ${tx.workspaceId} and id = ${id}
      ${options.lock === true ? sql`for update` : sql``}`;
  return row;
}

export interface ReviewFilter {
  readonly kinds: readonly ReviewKind[] | undefined;
  readonly statuses: readonly ReviewStatus[];
  /** Items that name this unit on either side. */
  readonly unitId: string | undefined;
  readonly order: "asc" | "desc";
  /** The last id of the page before. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** Items in the order in which they were opened. */
export async function listReviewItems(tx: Tx, filter: ReviewFilter): Promise<ReviewItemRow[]> {
  const { sql } = tx;
  const { kinds, statuses, unitId, after, order } = filter;
  return await sql<ReviewItemRow[]>`
    select ${columns(sql)} from review_item
     where workspace_id = ${tx.workspaceId} and status = any(${statuses as string[]}::text[])
       ${kinds === undefined ? sql`` : sql`and kind = any(${kinds as string[]}::text[])`}
       ${unitId === undefined ? sql`` : sql`and (subject_id = ${unitId} or other_id = ${unitId})`}
       ${after === undefined ? sql`` : order === "asc" ? sql`and id > ${after}` : sql`and id < ${after}`}
     order by id ${order === "asc" ? sql`asc` : sql`desc`} limit ${filter.limit}`;
}

/** Closes an item that the transaction has locked. */
export async function closeReviewItem(
  tx: Tx,
  id: string,
  status: Exclude<ReviewStatus, "open">,
  resolution: Readonly<Record<string, unknown>>,
): Promise<ReviewItemRow> {
  const { sql } = tx;
  const [row] = await sql<[ReviewItemRow]>`
    update review_item
       set status = ${status}, resolution = ${sql.json(resolution)}, resolved_at = ${tx.now},
           resolved_by = ${tx.actor}
     where workspace_id = ${tx.workspaceId} and id = ${id} returning ${columns(sql)}`;
  return row;
}

/** Settles the open items of a kind about units, each with an outcome of its own. Returns their ids. */
export async function resolveReviewItems(
  tx: Tx,
  kind: ReviewKind,
  settled: readonly { readonly subjectId: string; readonly outcome: string }[],
  exceptIds: readonly string[] = [],
): Promise<{ id: string; subjectId: string }[]> {
  if (settled.length === 0) return [];
  return await tx.sql<{ id: string; subjectId: string }[]>`
    update review_item r
       set status = 'resolved', resolution = jsonb_build_object('outcome', s.outcome), resolved_at = ${tx.now},
           resolved_by = ${tx.actor}
      from unnest(${settled.map((one) => one.subjectId)}::uuid[], ${settled.map((one) => one.outcome)}::text[])
           as s(subject_id, outcome)
     where r.workspace_id = ${tx.workspaceId} and r.kind = ${kind} and r.subject_id = s.subject_id
       and r.status = 'open' and r.id <> all(${exceptIds as string[]}::uuid[])
    returning r.id, r.subject_id as "subjectId"`;
}

/** The open item of a kind about a unit, if there is one. */
export async function findOpenReviewItem(tx: Tx, kind: ReviewKind, subjectId: string): Promise<string | undefined> {
  const [row] = await tx.sql<{ id: string }[]>`
    select id from review_item
     where workspace_id = ${tx.workspaceId} and kind = ${kind} and subject_id = ${subjectId} and status = 'open'
     order by id desc limit 1`;
  return row?.id;
}

/** The open items of a kind that are about some units, on either side. */
export async function findOpenAbout(
  tx: Tx,
  kind: ReviewKind,
  unitIds: readonly string[],
): Promise<{ id: string; subjectId: string; otherId: string | null }[]> {
  if (unitIds.length === 0) return [];
  return await tx.sql<{ id: string; subjectId: string; otherId: string | null }[]>`
    select id, subject_id as "subjectId", other_id as "otherId" from review_item
     where workspace_id = ${tx.workspaceId} and kind = ${kind} and status = 'open'
       and (subject_id = any(${unitIds as string[]}::uuid[]) or other_id = any(${unitIds as string[]}::uuid[]))
     order by id`;
}

/** Settles items that are open, each with an outcome of its own. Returns those that were. */
export async function resolveOpenItems(
  tx: Tx,
  settled: readonly { readonly id: string; readonly outcome: string }[],
): Promise<{ id: string; sensitivity: Sensitivity }[]> {
  return await tx.sql<{ id: string; sensitivity: Sensitivity }[]>`
    update review_item r
       set status = 'resolved', resolution = jsonb_build_object('outcome', s.outcome), resolved_at = ${tx.now},
           resolved_by = ${tx.actor}
      from unnest(${settled.map((one) => one.id)}::uuid[], ${settled.map((one) => one.outcome)}::text[])
           as s(id, outcome)
     where r.workspace_id = ${tx.workspaceId} and r.id = s.id and r.status = 'open'
    returning r.id, r.sensitivity`;
}

/**
 * Returns those of some units about which a person was asked and has not decided: an item is open, or was dismissed.
 */
export async function findUndecided(
  tx: Tx,
  kind: ReviewKind,
  subjectIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (subjectIds.length === 0) return new Set();
  const rows = await tx.sql<{ id: string }[]>`
    select distinct subject_id as id from review_item
     where workspace_id = ${tx.workspaceId} and kind = ${kind} and subject_id = any(${subjectIds as string[]}::uuid[])
       and status in ('open', 'dismissed')`;
  return new Set(rows.map((row) => row.id));
}

/** A review of something stale that was opened or closed, perhaps above the clearance: for the change feed alone. */
export interface StaleReview {
  readonly id: string;
  readonly subjectId: string;
  readonly sensitivity: Sensitivity;
}

/** Opens the reviews of units that became stale; a unit that has an open one keeps it. */
export async function openStaleReviews(
  tx: Tx,
  items: readonly {
    readonly id: string;
    readonly unitId: string;
    readonly otherId: string | null;
    readonly detail: Readonly<Record<string, unknown>>;
  }[],
): Promise<StaleReview[]> {
  const rows = items.map(({ id, unitId, otherId, detail }) => ({ id, unit_id: unitId, other_id: otherId, detail }));
  return await tx.sql<StaleReview[]>`
    select id, subject_id as "subjectId", sensitivity
      from svc_system.open_stale_reviews(${tx.sql.json(rows)}, ${tx.now})`;
}

/**
 * Closes the open reviews of units that are no longer stale or no longer in force, except for the one being decided.
 */
export async function settleStaleReviews(
  tx: Tx,
  unitIds: readonly string[],
  outcome: string,
  exceptId: string | undefined,
): Promise<StaleReview[]> {
  return await tx.sql<StaleReview[]>`
    select id, subject_id as "subjectId", sensitivity
      from svc_system.settle_stale_reviews(
             ${unitIds as string[]}::uuid[], ${exceptId ?? null}::uuid, ${tx.sql.json({ outcome })}, ${tx.now},
             ${tx.actor})`;
}

/** Raises the questions about a unit, which name it, to its sensitivity. */
export async function raiseReviewItems(tx: Tx, unitId: string, to: Sensitivity): Promise<void> {
  await tx.sql`
    update review_item set sensitivity = ${to}
     where workspace_id = ${tx.workspaceId} and (subject_id = ${unitId} or other_id = ${unitId})
       and sensitivity < ${to}::sensitivity`;
}

/**
 * Deletes all items about a unit. Keeps items about other units that became stale because of it, and undecided items about
 * facts that contested or outdated it; and the item `exceptId`. Returns how many it deleted.
 */
export async function deleteReviewItems(tx: Tx, unitId: string, exceptId: string | undefined): Promise<number> {
  const deleted = await tx.sql`
    delete from review_item
     where workspace_id = ${tx.workspaceId} and id is distinct from ${exceptId ?? null}::uuid
       and (subject_id = ${unitId} or (other_id = ${unitId} and kind <> 'stale_dependant'
             and not (kind in ('contested_fact', 'outdated_fact') and status <> 'resolved')))`;
  return deleted.count;
}

/** Items of a kind that ask about pairs of units, in either order, with the place of the pair. */
export async function findPairItems(
  tx: Tx,
  kind: ReviewKind,
  pairs: readonly { readonly a: string; readonly b: string }[],
): Promise<{ place: number; id: string; status: ReviewStatus }[]> {
  return await tx.sql<{ place: number; id: string; status: ReviewStatus }[]>`
    select p.place::int - 1 as place, r.id, r.status
      from unnest(${pairs.map((pair) => pair.a)}::uuid[], ${pairs.map((pair) => pair.b)}::uuid[])
           with ordinality as p(a, b, place)
     cross join lateral (
       select id, status from review_item
        where workspace_id = ${tx.workspaceId} and subject_id = p.a and other_id = p.b and kind = ${kind}
       union all
       select id, status from review_item
        where workspace_id = ${tx.workspaceId} and subject_id = p.b and other_id = p.a and kind = ${kind}) r
     order by p.place, r.status = 'open' desc, r.id`;
}
