/** Statements that compare vectors: the texts nearest to a query, and the vectors that are stored. */
import { isBuiltInModel, nearestIndexOf, signsOf } from "../nearest_index.ts";
import type { Tx } from "../tx.ts";
import { formatVector } from "./embeddings.ts";

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
