/**
 * The nearest-neighbour indexes over the vectors of embedding models: whether they are there, and how they are built
 * while the service runs. A build reads each row of a table; with a million rows it takes many minutes.
 */
import postgres from "postgres";
import { errorCode, type PostgresOptions } from "./pool.ts";
import { LOCK_TIMEOUT } from "./database_fault.ts";
import type { Sql } from "./tx.ts";

/** Vectors that the index holds. The statements that are to use it say the same, so that Postgres knows they may. */
export const INDEXED_VECTORS = "model not like 'svc-hashed-%'";

/** Whether a model's vectors are in it. */
export function isIndexedModel(model: string): boolean {
  return !model.startsWith("svc-hashed-");
}

/** The indexes and their tables. */
const NEAREST_INDEXES = [["embedding_nearest", "embedding"], ["reasoning_vector_nearest", "reasoning_vector"]] as const;

/** Whether both indexes are whole, so that they find something. */
export async function areNearestIndexesWhole(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ n: number }]>`
    select count(*)::int as n from pg_index
     where indexrelid in (select to_regclass(name) from unnest(${
    NEAREST_INDEXES.map(([name]) => name)
  }::text[]) as name)
       and indisvalid`;
  return row.n === NEAREST_INDEXES.length;
}

/** Builds both in one transaction: for a database that only this process uses, before it serves. */
export function nearestIndexesText(dimension: number): string {
  return NEAREST_INDEXES.map(([name, table]) => `create index if not exists ${definitionOf(name, table, dimension)}`)
    .join(";\n");
}

function definitionOf(name: string, table: string, dimension: number): string {
  return `${name} on ${table} using hnsw ((vector::vector(${dimension})) vector_cosine_ops) where ${INDEXED_VECTORS}`;
}

/** How long a build waits for one that goes on elsewhere before it leaves that to it, in milliseconds. */
const BUSY_MS = 2_000;

/**
 * Builds what is missing beside readers and writers. A build that was broken off leaves an index that finds nothing: it
 * is dropped and built again.
 * @param connection the owner's
 * @returns false when another process builds at the moment
 */
export async function buildNearestIndexes(
  connection: PostgresOptions,
  dimension: number,
  signal: AbortSignal,
): Promise<boolean> {
  const sql = postgres({ onnotice: () => {}, fetch_types: false, ...connection, max: 1, prepare: false });
  let running: { cancel(): void } | undefined;
  const cancel = () => running?.cancel();
  signal.addEventListener("abort", cancel);
  try {
    for (const [name, table] of NEAREST_INDEXES) {
      signal.throwIfAborted();
      if (!await dropBroken(sql, name, table)) return false;
      // Not in a transaction: Postgres builds an index beside writers only in one of its own.
      const building = sql.unsafe(
        `create index concurrently if not exists ${definitionOf(name, table, dimension)}`,
      );
      running = building;
      await building;
    }
    return true;
  } finally {
    signal.removeEventListener("abort", cancel);
    await sql.end({ timeout: 1 });
  }
}

/** Drops an index that a broken-off build left; false when another process builds it at the moment. */
async function dropBroken(sql: postgres.Sql, name: string, table: string): Promise<boolean> {
  try {
    // Who builds holds this lock to the end of the build; it keeps no reader and no writer waiting.
    await sql.unsafe(`
      set local lock_timeout = ${BUSY_MS};
      lock table ${table} in share update exclusive mode;
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
