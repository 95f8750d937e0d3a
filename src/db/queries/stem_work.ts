/** Queries for the worker that gives older texts the stems of today's rule. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Tx } from "../tx.ts";

/**
 * Locks the cursor of a rule until the transaction ends. Returns the number of the last text that the rule has
 * processed; 0 if an earlier rule was at work. Undefined if another process holds the lock, or a later rule is at work.
 */
export async function lockStemCursor(tx: Tx, rule: number): Promise<number | undefined> {
  const { sql, workspaceId: ws } = tx;
  await sql`insert into stem_cursor (workspace_id, rule, after_doc) values (${ws}, ${rule}, 0) on conflict do nothing`;
  const [row] = await sql<{ rule: number; afterDoc: number }[]>`
    select rule, after_doc::float8 as "afterDoc" from stem_cursor where workspace_id = ${ws} for update skip locked`;
  if (row === undefined || row.rule > rule) return undefined;
  return row.rule === rule ? row.afterDoc : 0;
}

export async function advanceStemCursor(tx: Tx, rule: number, afterDoc: number): Promise<void> {
  await tx.sql`
    update stem_cursor set rule = ${rule}, after_doc = ${afterDoc} where workspace_id = ${tx.workspaceId}`;
}

/** Whether a text is in the index behind the cursor. Without a lock, so that a worker with nothing to do writes nothing. */
export async function hasTextsToStem(tx: Tx, rule: number): Promise<boolean> {
  const { sql, workspaceId: ws } = tx;
  const [row] = await sql<[{ waiting: boolean }]>`
    with place as (
      select coalesce((select case when rule < ${rule} then 0 when rule = ${rule} then after_doc end
                         from stem_cursor where workspace_id = ${ws}),
                      case when not exists (select from stem_cursor where workspace_id = ${ws}) then 0 end) as after
    )
    select exists (select from turn t, place p where t.workspace_id = ${ws} and t.doc_no > p.after)
        or exists (select from unit_revision r, place p where r.workspace_id = ${ws} and r.doc_no > p.after) as waiting`;
  return row.waiting;
}

/** A text in the index. */
export interface StoredText {
  readonly docNo: number;
  /** The session's number; 0 = none. */
  readonly groupNo: number;
  readonly position: number;
  readonly type: string;
  readonly sensitivity: Sensitivity;
  readonly text: string;
  /** The aliases and the claims' predicates with which it is indexed, unless the text has them. */
  readonly beside: readonly string[];
}

/**
 * Lists the next texts after a document number, in order: turns, and texts of units, also of earlier versions. At most
 * `limit`, and no more after those that have `charsMax` characters together. The query first reads the document numbers from the index. If it sorted the versions of all units in the same
 * step, Postgres would read every row after `after`.
 */
export async function listStoredTexts(
  tx: Tx,
  after: number,
  limit: number,
  charsMax: number,
): Promise<StoredText[]> {
  const { sql, workspaceId: ws } = tx;
  return await sql<StoredText[]>`
    with turns as (
      select doc_no, group_no, position, 'turn' as type, sensitivity, content as text,
             '[]'::jsonb as beside from turn
       where workspace_id = ${ws} and doc_no > ${after} order by doc_no limit ${limit}
    ), unit_docs as (
      select distinct doc_no from unit_revision
       where workspace_id = ${ws} and doc_no > ${after} order by doc_no limit ${limit}
    ), units as (
      select d.doc_no, 0::bigint as group_no, 0 as position, r.snapshot ->> 'type' as type, r.sensitivity,
             r.snapshot ->> 'text' as text, coalesce(r.snapshot #> '{body,aliases}', '[]')
               || jsonb_path_query_array(r.snapshot, '$.body.claims[*].predicate') as beside
        from unit_docs d
       cross join lateral (
         select snapshot, sensitivity from unit_revision
          where workspace_id = ${ws} and doc_no = d.doc_no order by version desc limit 1) r
    )
    select doc_no::float8 as "docNo", group_no::float8 as "groupNo", position, type, sensitivity, text, beside
      from (select *, sum(length(text)) over (order by doc_no) - length(text) as chars_before
              from (select * from turns union all select * from units) as texts) as measured
     where chars_before < ${charsMax} order by doc_no limit ${limit}`;
}
