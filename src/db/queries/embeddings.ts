/** Embeddings of indexed texts: which a text gets, and which it loses. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Tx } from "../tx.ts";

export interface EmbeddingRow {
  readonly docNo: number;
  readonly kind: number;
  readonly sensitivity: Sensitivity;
  readonly vector: Float32Array;
}

/**
 * Writes a vector in pgvector's text form. Six decimals are more precise than a cosine needs, and halve the bytes. They
 * are written as whole millionths (`123e-6`), which the JavaScript engine formats in two thirds of the time. The whole
 * numbers of the built-in vectors are written as they are. A vector does not change, and its text is kept with it, because a write
 * sends it more than once.
 */
export function formatVector(vector: Float32Array): string {
  let text = texts.get(vector);
  if (text === undefined) texts.set(vector, text = writeVector(vector));
  return text;
}

const texts = new WeakMap<Float32Array, string>();

function writeVector(vector: Float32Array): string {
  let text = "[";
  for (let i = 0; i < vector.length; i++) {
    if (i > 0) text += ",";
    const value = vector[i];
    if (Number.isInteger(value)) {
      text += value;
      continue;
    }
    const millionths = Math.round(value * 1e6);
    text += millionths === 0 ? "0" : `${millionths}e-6`;
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

/** Queues texts for the embedding worker, together with the vectors of those that have one already. */
export async function enqueueEmbeddings(
  tx: Tx,
  model: string,
  rows: readonly (Omit<EmbeddingRow, "vector"> & { readonly vector: Float32Array | null })[],
): Promise<void> {
  await tx.sql`
    insert into embedding_pending (workspace_id, doc_no, kind, sensitivity, model, vector)
    select ${tx.workspaceId}, r.doc_no, r.kind, r.sensitivity::sensitivity,
           case when r.vector is not null then ${model} end, r.vector::vector
      from unnest(${rows.map((row) => row.docNo)}::bigint[], ${rows.map((row) => row.kind)}::smallint[],
                  ${rows.map((row) => row.sensitivity)}::text[],
                  ${rows.map((row) => row.vector && formatVector(row.vector))}::text[])
           as r(doc_no, kind, sensitivity, vector)
        on conflict do nothing`;
}

/** Gives documents the vectors of others that have the same text, wherever these are; without one they are queued. */
export async function copyEmbeddings(
  tx: Tx,
  rows: readonly (Omit<EmbeddingRow, "vector"> & { readonly vectorOf: number })[],
): Promise<void> {
  const { sql, workspaceId: ws } = tx;
  await sql`
    with wanted as (
      select * from unnest(${rows.map((row) => row.docNo)}::bigint[], ${rows.map((row) => row.kind)}::smallint[],
                           ${rows.map((row) => row.sensitivity)}::text[],
                           ${rows.map((row) => row.vectorOf)}::bigint[]) as r(doc_no, kind, sensitivity, vector_of)
    ), copied as (
      insert into embedding (workspace_id, doc_no, kind, sensitivity, model, vector)
      select ${ws}, r.doc_no, r.kind, r.sensitivity::sensitivity, e.model, e.vector
        from wanted r join embedding e on e.workspace_id = ${ws} and e.doc_no = r.vector_of
      returning doc_no
    )
    insert into embedding_pending (workspace_id, doc_no, kind, sensitivity, model, vector)
    select ${ws}, r.doc_no, r.kind, r.sensitivity::sensitivity, p.model, p.vector
      from wanted r left join embedding_pending p on p.workspace_id = ${ws} and p.doc_no = r.vector_of
     where r.doc_no not in (select doc_no from copied)`;
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
