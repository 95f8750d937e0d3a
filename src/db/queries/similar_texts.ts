/**
 * Finding texts that share rare words with new ones, from the packed postings. `(select $1)` hides a value from the
 * planner: if it sees that a workspace or a list is small, it plans the statement anew each time, which takes longer
 * than to run it.
 */
import type { Tx } from "../tx.ts";

/** How many texts of a kind contain each term; terms that no text contains are left out. */
export async function countTexts(
  tx: Tx,
  kind: number,
  terms: readonly string[],
): Promise<{ term: string; n: number }[]> {
  return await tx.sql<{ term: string; n: number }[]>`
    select t.term, p.n
      from unnest(${terms as string[]}::text[]) as t(term)
     cross join lateral (
       select sum(n)::float8 as n from posting
        where workspace_id = ${tx.workspaceId} and term = t.term and kind = ${kind}) p
     where p.n is not null`;
}

/** The packed postings of terms, a row for each batch that was written. */
export async function readPostings(
  tx: Tx,
  kind: number,
  terms: readonly string[],
): Promise<{ term: string; entries: Uint8Array }[]> {
  // OFFSET keeps the look-ups apart: joined, a table without statistics is read as a whole.
  return await tx.sql<{ term: string; entries: Uint8Array }[]>`
    select t.term, p.entries
      from unnest((select ${terms as string[]}::text[])) as t(term)
     cross join lateral (
       select entries from posting
        where workspace_id = (select ${tx.workspaceId}::uuid) and term = t.term and kind = ${kind} offset 0) p`;
}

/** A fact with which a new one is compared. */
export interface KnownFact {
  readonly id: string;
  readonly docNo: number;
  readonly status: string;
  readonly expiresAt: Date | null;
  readonly validTo: Date | null;
  readonly body: { readonly supersededBy: string | null };
  readonly text: string;
  readonly tripleKey: string | null;
  /** The folded object of its triple. */
  readonly object: string | null;
  /** Nobody gave the triple: rules read it in the statement. */
  readonly inferred: boolean;
}

/** The facts whose present text has one of these numbers in the index. */
export async function findFactsByDoc(tx: Tx, docNos: readonly number[]): Promise<KnownFact[]> {
  return await tx.sql<KnownFact[]>`
    select u.id, u.doc_no::float8 as "docNo", u.status, u.expires_at as "expiresAt", u.valid_to as "validTo",
           jsonb_build_object('supersededBy', u.body -> 'supersededBy') as body, u.text, u.triple_key as "tripleKey",
           u.body -> 'folded' ->> 'object' as object,
           u.body -> 'folded' ->> 'inferred' is not null as inferred
      from unit u
     where u.workspace_id = (select ${tx.workspaceId}::uuid) and u.type = 'fact'
       and u.doc_no = any((select ${docNos as number[]}::bigint[])::bigint[])`;
}

/** The vectors of some texts, made by one model, stored or still queued, as JSON arrays. */
export async function readEmbeddings(
  tx: Tx,
  model: string,
  docNos: readonly number[],
): Promise<{ docNo: number; vector: string }[]> {
  const docs = docNos as number[];
  return await tx.sql<{ docNo: number; vector: string }[]>`
    select doc_no::float8 as "docNo", vector::text as vector from embedding
     where workspace_id = ${tx.workspaceId} and doc_no = any(${docs}::bigint[]) and model = ${model}
    union all
    select doc_no::float8, vector::text from embedding_pending
     where workspace_id = ${tx.workspaceId} and doc_no = any(${docs}::bigint[]) and model = ${model}`;
}
