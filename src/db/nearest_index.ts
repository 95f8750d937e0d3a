/**
 * The nearest-neighbour index over the vectors that embedding models make of texts: whether it is there, and how it is
 * built while the service runs. A build reads each row of a table; with a million rows it takes many minutes.
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

const NAME = "embedding_nearest";

/** Whether the index is whole, so that it finds something. */
export async function isNearestIndexWhole(sql: Sql): Promise<boolean> {
  const rows = await sql`select from pg_index where indexrelid = to_regclass(${NAME}) and indisvalid`;
  return rows.length > 0;
}

/** Builds it in a transaction: for a database that only this process uses, before it serves. */
export function nearestIndexText(dimension: number): string {
  return `create index if not exists ${definitionOf(dimension)}`;
}

function definitionOf(dimension: number): string {
  return `${NAME} on embedding using hnsw ((vector::vector(${dimension})) vector_cosine_ops) where ${INDEXED_VECTORS}`;
}

/** How long a build waits for one that goes on elsewhere before it leaves that to it, in milliseconds. */
const BUSY_MS = 2_000;

/**
 * Builds the index, if it is missing, beside readers and writers. A build that was broken off leaves one that finds
 * nothing: it is dropped and built again.
 * @param connection the owner's
 * @returns false when another process builds at the moment
 */
export async function buildNearestIndex(
  connection: PostgresOptions,
  dimension: number,
  signal: AbortSignal,
): Promise<boolean> {
  signal.throwIfAborted();
  const sql = postgres({ onnotice: () => {}, fetch_types: false, ...connection, max: 1, prepare: false });
  let running: { cancel(): void } | undefined;
  const cancel = () => running?.cancel();
  signal.addEventListener("abort", cancel);
  try {
    if (!await dropBroken(sql)) return false;
    signal.throwIfAborted();
    // The build of a large table takes longer than the role's own bound may be.
    await sql.unsafe("set statement_timeout = 0");
    // Not in a transaction: Postgres builds an index beside writers only in one of its own.
    const building = sql.unsafe(`create index concurrently if not exists ${definitionOf(dimension)}`);
    running = building;
    await building;
    return true;
  } finally {
    signal.removeEventListener("abort", cancel);
    await sql.end({ timeout: 1 });
  }
}

/** Drops an index that a broken-off build left; false when another process builds it at the moment. */
async function dropBroken(sql: postgres.Sql): Promise<boolean> {
  try {
    // Who builds holds this lock to the end of the build; it keeps no reader and no writer waiting.
    await sql.unsafe(`
      set local lock_timeout = ${BUSY_MS};
      lock table embedding in share update exclusive mode;
      do $$ begin
        if exists (select from pg_index where indexrelid = to_regclass('${NAME}') and not indisvalid) then
          drop index ${NAME};
        end if;
      end $$`);
    return true;
  } catch (error) {
    if (errorCode(error) === LOCK_TIMEOUT) return false;
    throw error;
  }
}
