/**
 * The nearest-neighbour index over the vectors of texts that an embedding model made: whether it exists, and how it is
 * built while the service runs. A build reads every row of the table; with a million rows it takes many minutes.
 */
import postgres from "postgres";
import { errorCode, type PostgresOptions } from "./pool.ts";
import { LOCK_TIMEOUT } from "./database_fault.ts";
import type { Sql } from "./tx.ts";

/** The condition of the partial index. A query must repeat it, or Postgres cannot use the index. */
export const INDEXED_VECTORS = "model not like 'svc-hashed-%'";

/** Whether the index holds the vectors of a model: those of all but the built-in ones. */
export function isIndexedModel(model: string): boolean {
  return !model.startsWith("svc-hashed-");
}

const NAME = "embedding_nearest";

/** Whether the index exists and is valid. An interrupted build leaves an invalid one, which finds nothing. */
export async function isNearestIndexWhole(sql: Sql): Promise<boolean> {
  const rows = await sql`select from pg_index where indexrelid = to_regclass(${NAME}) and indisvalid`;
  return rows.length > 0;
}

/**
 * The statement that builds the index in a transaction, which blocks writers: for a database that only this process
 * uses, before it serves.
 */
export function nearestIndexText(dimension: number): string {
  return `create index if not exists ${definitionOf(dimension)}`;
}

function definitionOf(dimension: number): string {
  return `${NAME} on embedding using hnsw ((vector::vector(${dimension})) vector_cosine_ops) where ${INDEXED_VECTORS}`;
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
    if (!await dropBroken(sql)) return false;
    // To index a large table may take longer than the role's statement timeout.
    await sql.unsafe("set statement_timeout = 0");
    signal.throwIfAborted();
    // Postgres refuses `create index concurrently` inside a transaction.
    const building = sql.unsafe(`create index concurrently if not exists ${definitionOf(dimension)}`);
    running = building as unknown as Cancellable;
    await building;
    return true;
  } finally {
    signal.removeEventListener("abort", cancel);
    await sql.end({ timeout: 1 });
  }
}

/** Drops the invalid index that an interrupted build left. @returns false when another process is building the index */
async function dropBroken(sql: postgres.Sql): Promise<boolean> {
  try {
    // A build holds this lock until it ends. The lock blocks neither readers nor writers.
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
