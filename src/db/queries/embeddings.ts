/** Embeddings of indexed texts, and the queue of those that still need one. */
import type { Sensitivity } from "../../schema/common.ts";
import { isBuiltInModel, nearestIndexOf, signsOf } from "../nearest_index.ts";
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

export interface NearestOptions {
  readonly vector: Float32Array;
  /** The models whose vectors may be compared with it; the first one's are in the nearest-neighbour index. */
  readonly models: readonly string[];
  readonly kinds: readonly number[];
  readonly limit: number;
  /** Of the built-in vectors, how many of those with the nearest signs are compared by their cosine. */
  readonly compared: number;
  /** Compare with every vector of the workspace, rather than by the nearest-neighbour index. */
  readonly exact: boolean;
}

export interface Nearest {
  readonly docNo: number;
  /** Cosine. */
  readonly similarity: number;
}

/**
 * The texts nearest to a vector. The index contains all workspaces and row-level security filters its rows, so Postgres
 * reads on, in order, until enough rows are visible; in a small workspace it is faster to read its own rows.
 */
export async function findNearest(tx: Tx, options: NearestOptions): Promise<Nearest[]> {
  if (!options.exact) {
    const efSearch = String(Math.min(400, Math.max(64, options.limit)));
    tx.sql`select set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', ${efSearch}, true)`
      .execute().catch(() => {});
  }
  return await (isBuiltInModel(options.models[0]) ? findNearestBySigns(tx, options) : findNearestByCosine(tx, options));
}

async function findNearestByCosine(tx: Tx, options: NearestOptions): Promise<Nearest[]> {
  const { sql } = tx;
  const [model] = options.models, index = nearestIndexOf(model)!;
  // Without the cast the expression is not the index's, so Postgres reads the workspace's rows.
  const { length } = options.vector;
  const distance = sql`${sql.unsafe(index.expression(length))} <=> ${formatVector(options.vector)}::vector(${
    sql.unsafe(String(length))
  })`;
  const indexed = options.exact ? sql`` : sql`and ${sql.unsafe(index.condition)}`;
  // Only the bare distance is the index's order.
  const [similarity, order] = options.exact
    ? [similarityTo(tx, options), sql`2 desc, 1`]
    : [sql`1 - (${distance})`, distance];
  return await sql<Nearest[]>`
    select doc_no::float8 as "docNo", ${similarity} as similarity from embedding
     where workspace_id = ${tx.workspaceId} and kind = any(${options.kinds as number[]}::smallint[])
       and model = ${model} ${indexed}
     order by ${order} limit ${options.limit}`;
}

/** Texts of a large workspace that wait for the transformer's vector and are compared; the latest are. */
const DRAFTS_MAX = 2_000;

/**
 * The texts nearest to a built-in vector: those whose signs differ in the fewest components are compared by their cosine.
 * `HeldVectors` does the same in memory.
 */
async function findNearestBySigns(tx: Tx, options: NearestOptions): Promise<Nearest[]> {
  const { sql } = tx;
  const [model, ...lesser] = options.models;
  const { length } = options.vector, bits = sql.unsafe(String(length));
  const signs = Array.from(options.vector, (value) => value > 0 ? "1" : "0").join("");
  const distance = sql`${sql.unsafe(signsOf(length))} <~> ${signs}::text::bit(${bits})`;
  const own = sql`workspace_id = ${tx.workspaceId} and kind = any(${options.kinds as number[]}::smallint[])`;
  const near = options.exact
    ? sql`(select doc_no, vector from embedding where ${own} and model = any(${options.models as string[]}::text[])
            order by ${distance}, doc_no limit ${options.compared})`
    : sql`(select doc_no, vector from embedding where ${own} and ${sql.unsafe(nearestIndexOf(model)!.condition)}
            order by ${distance} limit ${options.compared})
          union all
          (select doc_no, vector from embedding where ${own} and model = any(${lesser as string[]}::text[])
            order by doc_no desc limit ${DRAFTS_MAX})`;
  return await sql<Nearest[]>`
    select doc_no::float8 as "docNo", ${similarityTo(tx, options)} as similarity from (${near}) as near
     order by 2 desc, 1 limit ${options.limit}`;
}

/**
 * The texts nearest to a vector among the given ones, nearest first. Texts without a comparable vector are left out.
 */
export async function compareVectors(
  tx: Tx,
  docNos: readonly number[],
  options: Pick<NearestOptions, "vector" | "models" | "limit">,
): Promise<Nearest[]> {
  return await tx.sql<Nearest[]>`
    select doc_no::float8 as "docNo", ${similarityTo(tx, options)} as similarity
      from embedding
     where workspace_id = ${tx.workspaceId} and doc_no = any(${docNos as number[]}::bigint[])
       and model = any(${options.models as string[]}::text[])
     order by 2 desc, 1 limit ${options.limit}`;
}

const SIMILARITY_DECIMALS = 4;

/**
 * The cosine of the stored vectors with a vector. Of the built-in vectors, whose components are whole numbers, pgvector
 * adds up products and squares exactly, so that `roundedCosine` computes the same in this process.
 */
function similarityTo(tx: Tx, { vector, models }: Pick<NearestOptions, "vector" | "models">) {
  const { sql } = tx;
  const text = formatVector(vector), decimals = sql.unsafe(String(SIMILARITY_DECIMALS));
  if (!isBuiltInModel(models[0])) return sql`round((1 - (vector <=> ${text}::vector))::numeric, ${decimals})::float8`;
  let square = 0;
  for (const value of vector) square += value * value;
  return sql`
    round((-(vector <#> ${text}::vector) / nullif(vector_norm(vector) * ${Math.sqrt(square)}::float8, 0))::numeric,
          ${decimals})::float8`;
}

/** A stored vector of the built-in embeddings. */
export interface StoredVector {
  readonly docNo: number;
  readonly kind: number;
  readonly model: string;
  readonly vector: Float32Array;
}

/** The stored vectors of some texts, by comparable models; texts without one are left out. */
export async function readVectors(
  tx: Tx,
  docNos: readonly number[],
  models: readonly string[],
): Promise<StoredVector[]> {
  return await readWhere(tx, tx.sql`doc_no = any(${docNos as number[]}::bigint[])`, models);
}

/** The same of some turns and units, with the texts that units had in earlier versions. */
export async function readVectorsOf(
  tx: Tx,
  { turns, units }: { readonly turns: readonly string[]; readonly units: readonly string[] },
  models: readonly string[],
): Promise<StoredVector[]> {
  const { sql, workspaceId: ws } = tx;
  const ofUnits = units as string[];
  return await readWhere(
    tx,
    sql`doc_no in (
      select doc_no from turn where workspace_id = ${ws} and id = any(${turns as string[]}::uuid[])
      union all
      select doc_no from unit where workspace_id = ${ws} and id = any(${ofUnits}::uuid[])
      union all
      select doc_no from unit_revision where workspace_id = ${ws} and id = any(${ofUnits}::uuid[]))`,
    models,
  );
}

async function readWhere(tx: Tx, condition: ReturnType<Tx["sql"]>, models: readonly string[]): Promise<StoredVector[]> {
  const rows = await tx.sql<{ docNo: number; kind: number; model: string; sent: Uint8Array }[]>`
    select doc_no::float8 as "docNo", kind, model, vector_send(vector) as sent from embedding
     where workspace_id = ${tx.workspaceId} and model = any(${models as string[]}::text[]) and ${condition}`;
  return rows.map(({ sent, ...row }) => ({ ...row, vector: decodeVector(sent) }));
}

/** Reads pgvector's binary form: the number of dimensions, two unused bytes, and big-endian floats. */
function decodeVector(sent: Uint8Array): Float32Array {
  const view = new DataView(sent.buffer, sent.byteOffset, sent.byteLength);
  return Float32Array.from({ length: view.getUint16(0) }, (_, i) => view.getFloat32(4 + 4 * i));
}

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
