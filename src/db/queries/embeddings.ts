/** Embeddings of indexed texts, and the queue of those that still need one. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Tx } from "../scope.ts";

export interface EmbeddingRow {
  readonly docNo: number;
  readonly kind: number;
  readonly sensitivity: Sensitivity;
  readonly vector: Float32Array;
}

/** pgvector's text form. Six decimals are more than a cosine needs and halve the bytes. */
export function formatVector(vector: Float32Array): string {
  let text = "[";
  for (let i = 0; i < vector.length; i++) {
    if (i > 0) text += ",";
    text += Math.round(vector[i] * 1e6) / 1e6;
  }
  return text + "]";
}

export async function insertEmbeddings(tx: Tx, model: string, rows: readonly EmbeddingRow[]): Promise<void> {
  await tx.sql`
    insert into embedding (workspace_id, doc_no, kind, sensitivity, model, vector)
    select ${tx.workspaceId}, r.doc_no, r.kind, r.sensitivity::sensitivity, ${model}, r.vector::vector
      from unnest(${rows.map((row) => row.docNo)}::bigint[], ${rows.map((row) => row.kind)}::smallint[],
                  ${rows.map((row) => row.sensitivity)}::text[], ${rows.map((row) => formatVector(row.vector))}::text[])
           as r(doc_no, kind, sensitivity, vector)
        on conflict (workspace_id, doc_no) do update
       set model = excluded.model, vector = excluded.vector, sensitivity = excluded.sensitivity`;
}

export async function enqueueEmbeddings(
  tx: Tx,
  rows: readonly { readonly docNo: number; readonly kind: number; readonly sensitivity: Sensitivity }[],
): Promise<void> {
  await tx.sql`
    insert into embedding_pending (workspace_id, doc_no, kind, sensitivity)
    select ${tx.workspaceId}, r.doc_no, r.kind, r.sensitivity::sensitivity
      from unnest(${rows.map((row) => row.docNo)}::bigint[], ${rows.map((row) => row.kind)}::smallint[],
                  ${rows.map((row) => row.sensitivity)}::text[]) as r(doc_no, kind, sensitivity)
        on conflict do nothing`;
}

/**
 * Removes embeddings. The queue comes first: the worker takes a text out of it before it stores the vector, so an
 * erasure either takes the text from under it or waits and then sees the vector.
 */
export async function deleteEmbeddings(tx: Tx, docNos: readonly number[]): Promise<void> {
  const docs = docNos as number[];
  await Promise.all([
    tx.sql`delete from embedding_pending where workspace_id = ${tx.workspaceId} and doc_no = any(${docs}::bigint[])`,
    tx.sql`delete from embedding where workspace_id = ${tx.workspaceId} and doc_no = any(${docs}::bigint[])`,
  ]);
}

export async function reclassifyEmbeddings(tx: Tx, docNos: readonly number[], to: Sensitivity): Promise<void> {
  const docs = docNos as number[];
  await Promise.all([
    tx.sql`
      update embedding_pending set sensitivity = ${to}
       where workspace_id = ${tx.workspaceId} and doc_no = any(${docs}::bigint[])`,
    tx.sql`
      update embedding set sensitivity = ${to}
       where workspace_id = ${tx.workspaceId} and doc_no = any(${docs}::bigint[])`,
  ]);
}
