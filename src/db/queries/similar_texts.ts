/** Finding texts that share rare words with a new one, from the packed postings. */
import type { Tx } from "../scope.ts";

export interface TermPostings {
  readonly term: string;
  readonly entries: Uint8Array;
}

/** The postings of the rarest of some terms that the kind's index holds; terms in more than `dfMax` texts say little. */
export async function readRarePostings(
  tx: Tx,
  kind: number,
  terms: readonly string[],
  options: { readonly terms: number; readonly dfMax: number },
): Promise<TermPostings[]> {
  return await tx.sql<TermPostings[]>`
    with rare as (
      select term from posting
       where workspace_id = ${tx.workspaceId} and term = any(${terms as string[]}::text[]) and kind = ${kind}
       group by term having sum(n) <= ${options.dfMax}
       order by sum(n), term limit ${options.terms})
    select p.term, p.entries from posting p join rare using (term)
     where p.workspace_id = ${tx.workspaceId} and p.kind = ${kind}`;
}

/** Stored embeddings of one model. */
export async function readEmbeddings(
  tx: Tx,
  model: string,
  docNos: readonly number[],
): Promise<{ docNo: number; vector: string }[]> {
  return await tx.sql<{ docNo: number; vector: string }[]>`
    select doc_no::float8 as "docNo", vector::text as vector from embedding
     where workspace_id = ${tx.workspaceId} and doc_no = any(${docNos as number[]}::bigint[]) and model = ${model}`;
}
