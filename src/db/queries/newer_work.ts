/** Queries for the worker that links statements from before there were links. */
import type { Sensitivity } from "../../schema/common.ts";
import { LIVE_STATUSES } from "../../schema/unit_state.ts";
import type { Sql, Tx } from "../tx.ts";
import type { HotLink } from "./hot.ts";
import type { NewStatement } from "./newer_links.ts";

/** The number below which texts are still to be linked, as an expression; 0: none are. */
function placeOf(tx: Tx) {
  return tx.sql`
    coalesce((select before_doc from newer_cursor where workspace_id = ${tx.workspaceId}),
             (select doc_no from newer_start), 0)`;
}

/** The place of the worker, in a transaction that changes nothing. */
export async function readLinkPlace(tx: Tx): Promise<number> {
  const [row] = await tx.sql<[{ place: number }]>`select ${placeOf(tx)}::float8 as place`;
  return row.place;
}

/** Locks the worker's place until the transaction ends; undefined if another process has it. */
export async function lockLinkPlace(tx: Tx): Promise<number | undefined> {
  const { sql, workspaceId: ws } = tx;
  await sql`
    insert into newer_cursor (workspace_id, before_doc) values (${ws}, ${placeOf(tx)}) on conflict do nothing`;
  const [row] = await sql<{ place: number }[]>`
    select before_doc::float8 as place from newer_cursor where workspace_id = ${ws} for update skip locked`;
  return row?.place;
}

export async function moveLinkPlace(tx: Tx, beforeDoc: number): Promise<void> {
  await tx.sql`update newer_cursor set before_doc = ${beforeDoc} where workspace_id = ${tx.workspaceId}`;
}

/** A stored statement, with what its links are found by. */
export interface StoredStatement extends Omit<NewStatement, "vector"> {
  readonly sensitivity: Sensitivity;
  readonly text: string;
  /** Null: it has no vector yet. */
  readonly vector: string | null;
  readonly model: string | null;
}

/**
 * Reads the last statements below a place, the latest first: facts in force that cite no turn, and turns of users. They stay
 * as they are until the transaction ends.
 */
export async function listUnlinked(tx: Tx, before: number, limit: number): Promise<StoredStatement[]> {
  const { sql, workspaceId: ws } = tx;
  const vector = sql`
    left join lateral (
      select vector::text as vector, model from embedding e where e.workspace_id = ${ws} and e.doc_no = s.doc_no) v
      on true`;
  const [facts, turns] = await Promise.all([
    sql<StoredStatement[]>`
      with s as materialized (
        select id, doc_no, coalesce(valid_from, occurred_at, recorded_at) as at, sensitivity, text from unit
         where workspace_id = ${ws} and doc_no < ${before} and type = 'fact'
           and status = any(${[...LIVE_STATUSES]}::text[])
           and not jsonb_path_exists(body, '$.citations[*].sessionId')
         order by doc_no desc limit ${limit} for share
      )
      select s.id, s.doc_no::float8 as "docNo", false as "isTurn", s.at, null as speaker, null as "sessionId",
             s.sensitivity, s.text, v.vector, v.model
        from s ${vector}`,
    sql<StoredStatement[]>`
      with s as materialized (
        select id, doc_no, occurred_at as at, name, session_id, sensitivity, content from turn
         where workspace_id = ${ws} and doc_no < ${before} and role = 'user' and erased_at is null
         order by doc_no desc limit ${limit} for share
      )
      select s.id, s.doc_no::float8 as "docNo", true as "isTurn", s.at, s.name as speaker, s.session_id as "sessionId",
             s.sensitivity, s.content as text, v.vector, v.model
        from s ${vector}`,
  ]);
  return [...facts, ...turns].sort((a, b) => b.docNo - a.docNo).slice(0, limit);
}

/** The links that the worker made of texts below a number, those of the latest texts first, with the place that it has reached. */
export async function readStoredLinks(
  tx: Tx,
  below: number,
  limit: number,
): Promise<{ readonly links: readonly HotLink[]; readonly place: number }> {
  const { sql, workspaceId: ws } = tx;
  const [rows, place] = await Promise.all([
    sql<{ older: string; newer: string; strength: number; no: number; words: number }[]>`
      select coalesce(older_unit, older_turn) as older, coalesce(newer_unit, newer_turn) as newer,
             strength::float8 as strength, id::float8 as no, words::float8 as words
        from newer_link where workspace_id = ${ws} and id < ${below} order by id desc limit ${limit}`,
    readLinkPlace(tx),
  ]);
  return { links: rows.map(({ older, newer, strength, no, words }) => [older, newer, strength, no, words]), place };
}

/** How many workspaces have texts from before there were links that nobody has linked yet. */
export function countUnlinked(sql: Sql) {
  return sql<{ workspaces: number }[]>`select svc_system.count_unlinked()::float8 as workspaces`;
}
