/** The texts that wait for a vector, and those whose vector another model has made. */
import type { Tx } from "../tx.ts";
import { formatVector } from "./embeddings.ts";

export interface QueuedText {
  readonly docNo: number;
  readonly kind: number;
  /** Whether a vector of this model is queued with the text. */
  readonly isEmbedded?: boolean;
}

/** The oldest texts of the queue. Some still need a vector; others have one that is not in the index yet. */
export async function listPending(tx: Tx, model: string, limit: number): Promise<QueuedText[]> {
  return await tx.sql<QueuedText[]>`
    select doc_no::float8 as "docNo", kind, model is not distinct from ${model} as "isEmbedded" from embedding_pending
     where workspace_id = ${tx.workspaceId} order by doc_no limit ${limit}`;
}

/** Texts whose embedding is of a model that is not current, the latest of a model first. */
export async function listOutdated(tx: Tx, current: readonly string[], limit: number): Promise<QueuedText[]> {
  const { sql } = tx;
  const sorted = [...current].sort(), gaps = [undefined, ...sorted].map((from, i) => [from, sorted[i]] as const);
  const parts = gaps.map(([from, to]) =>
    sql`(select doc_no::float8 as "docNo", kind from embedding
          where workspace_id = ${tx.workspaceId}
                ${from === undefined ? sql`` : sql`and model > ${from}`} ${
      to === undefined ? sql`` : sql`and model < ${to}`
    }
          order by model, doc_no desc limit ${limit})`
  );
  return await sql<QueuedText[]>`
    ${parts.reduce((all, part) => sql`${all} union all ${part}`)} limit ${limit}`;
}

/**
 * Takes texts out of the queue and stores their vectors: the given one, or else the one that was queued with the text.
 * A text that was erased in the meantime has left the queue already and gets no vector. A text in `docNos` that has
 * neither vector was erased too: it only leaves the queue.
 */
export async function storePending(
  tx: Tx,
  model: string,
  docNos: readonly number[],
  vectors: readonly { readonly docNo: number; readonly vector: Float32Array }[],
): Promise<void> {
  await tx.sql`
    with taken as (
      delete from embedding_pending
       where workspace_id = ${tx.workspaceId} and doc_no = any(${docNos as number[]}::bigint[])
      returning doc_no, kind, sensitivity, case when model = ${model} then vector end as vector
    )
    insert into embedding (workspace_id, doc_no, kind, sensitivity, model, vector)
    select ${tx.workspaceId}, t.doc_no, t.kind, t.sensitivity, ${model}, coalesce(v.vector::vector, t.vector)
      from taken t
      left join unnest(${vectors.map((one) => one.docNo)}::bigint[], ${
    vectors.map((one) => formatVector(one.vector))
  }::text[])
             as v(doc_no, vector) using (doc_no)
     where v.vector is not null or t.vector is not null
        on conflict (workspace_id, doc_no) do update set model = excluded.model, vector = excluded.vector`;
}

/** Replaces vectors of another model; those of deleted texts are removed. */
export async function replaceOutdated(
  tx: Tx,
  model: string,
  docNos: readonly number[],
  vectors: readonly { readonly docNo: number; readonly vector: Float32Array }[],
): Promise<void> {
  const present = new Set(vectors.map((one) => one.docNo));
  const gone = docNos.filter((doc) => !present.has(doc));
  await Promise.all([
    tx.sql`
      update embedding e set model = ${model}, vector = v.vector::vector
        from unnest(${vectors.map((one) => one.docNo)}::bigint[], ${
      vectors.map((one) => formatVector(one.vector))
    }::text[])
               as v(doc_no, vector)
       where e.workspace_id = ${tx.workspaceId} and e.doc_no = v.doc_no and e.model <> ${model}`,
    tx.sql`
      delete from embedding
       where workspace_id = ${tx.workspaceId} and doc_no = any(${gone}::bigint[]) and model <> ${model}`,
  ]);
}
