/**
 * The nearest-neighbour indexes over the vectors of texts: whether one exists, and how it is built while the service runs.
 * A build reads every row of the table; with a million rows it takes many minutes.
 */
import postgres from "postgres";
import { errorCode, type PostgresOptions } from "./pool.ts";
import { LOCK_TIMEOUT } from "./database_fault.ts";
import type { Sql } from "./tx.ts";

/** Whether the built-in embeddings made a vector. */
export function isBuiltInModel(model: string): boolean {
  return model.startsWith("svc-");
}

/** The transformer's vectors; those of the table have a name of their own. */
const TRANSFORMER_MODEL = "svc-minilm-256-v1";

/** The models whose vectors lie in one space with those of a model, itself included. */
export function comparableWith(model: string): readonly string[] {
  return isBuiltInModel(model) ? [TRANSFORMER_MODEL, `${TRANSFORMER_MODEL}-table`] : [model];
}

export interface NearestIndex {
  readonly name: string;
  /** What it orders by. A query must order by the same expression, or Postgres cannot use the index. */
  readonly expression: (dimension: number) => string;
  readonly operators: string;
  /** The condition of the partial index, which a query must repeat. */
  readonly condition: string;
}

/** Over the vectors of an endpoint's models. */
const BY_COSINE: NearestIndex = {
  name: "embedding_nearest_cosine",
  expression: (dimension) => `(vector::vector(${dimension}))`,
  operators: "vector_cosine_ops",
  condition: "model not like 'svc-%'",
};

/**
 * Over the signs of the built-in vectors' components. The vectors of the table, which wait for the transformer's, are not
 * in it: a write would take longer for them, and they are few.
 */
const BY_SIGNS: NearestIndex = {
  name: "embedding_nearest_signs",
  expression: (dimension) => `(binary_quantize(vector::vector(${dimension}))::bit(${dimension}))`,
  operators: "bit_hamming_ops",
  condition: `model = '${TRANSFORMER_MODEL}'`,
};

/** The index that holds a model's vectors; undefined: none does. */
export function nearestIndexOf(model: string): NearestIndex | undefined {
  if (!isBuiltInModel(model)) return BY_COSINE;
  return model === TRANSFORMER_MODEL ? BY_SIGNS : undefined;
}

/** The index that a configuration needs. */
export function nearestIndexFor(embeddings: {
  readonly url?: string | undefined;
  readonly sentenceEncoder: string;
}): NearestIndex | undefined {
  if (embeddings.url !== undefined) return BY_COSINE;
  return embeddings.sentenceEncoder === "on" ? BY_SIGNS : undefined;
}

/** How built-in vectors are compared first, by the signs of their components. */
export function signsOf(dimension: number): string {
  return BY_SIGNS.expression(dimension);
}

/** Whether an index exists and is valid. An interrupted build leaves an invalid one, which finds nothing. */
export async function isNearestIndexWhole(sql: Sql, { name }: NearestIndex): Promise<boolean> {
  const rows = await sql`select from pg_index where indexrelid = to_regclass(${name}) and indisvalid`;
  return rows.length > 0;
}

/**
 * The statement that builds the index in a transaction, which blocks writers: for a database that only this process
 * uses, before it serves.
 */
export function nearestIndexText(index: NearestIndex, dimension: number): string {
  return `create index if not exists ${definitionOf(index, dimension)}`;
}

function definitionOf({ name, expression, operators, condition }: NearestIndex, dimension: number): string {
  return `${name} on embedding using hnsw (${expression(dimension)} ${operators}) where ${condition}`;
}

/**
 * A statement of postgres.js with what cancels it over a connection of its own. The driver's `cancel` drops the
 * promise of that, so its error would end the process.
 */
interface Cancellable {
  canceller(statement: Cancellable): Promise<void>;
}

/** How long a build waits for a build of another process before it gives up, in milliseconds. */
const BUSY_MS = 2_000;

/**
 * Builds the index if it is missing, while others read and write. It first drops an invalid index that an interrupted
 * build left.
 * @param connection the owner's
 * @returns false when another process is building the index
 */
export async function buildNearestIndex(
  connection: PostgresOptions,
  index: NearestIndex,
  dimension: number,
  signal: AbortSignal,
): Promise<boolean> {
  signal.throwIfAborted();
  const sql = postgres({ onnotice: () => {}, fetch_types: false, ...connection, max: 1, prepare: false });
  let running: Cancellable | undefined;
  // If the driver cannot connect to cancel the build, we close the build's own connection.
  const cancel = () => void running?.canceller(running).catch(() => sql.end({ timeout: 0 }));
  signal.addEventListener("abort", cancel);
  try {
    if (!await dropBroken(sql, index)) return false;
    // To index a large table may take longer than the role's statement timeout.
    await sql.unsafe("set statement_timeout = 0");
    signal.throwIfAborted();
    // Postgres refuses `create index concurrently` inside a transaction.
    const building = sql.unsafe(`create index concurrently if not exists ${definitionOf(index, dimension)}`);
    running = building as unknown as Cancellable;
    await building;
    return true;
  } finally {
    signal.removeEventListener("abort", cancel);
    await sql.end({ timeout: 1 });
  }
}

/** Drops the invalid index that an interrupted build left. @returns false when another process is building the index */
async function dropBroken(sql: postgres.Sql, { name }: NearestIndex): Promise<boolean> {
  try {
    // A build holds this lock until it ends. The lock blocks neither readers nor writers.
    await sql.unsafe(`
      set local lock_timeout = ${BUSY_MS};
      lock table embedding in share update exclusive mode;
      do $$ begin
        if exists (select from pg_index where indexrelid = to_regclass('${name}') and not indisvalid) then
          drop index ${name};
        end if;
      end $$`);
    return true;
  } catch (error) {
    if (errorCode(error) === LOCK_TIMEOUT) return false;
    throw error;
  }
}
