/**
 * Does for the embedded database what background processes do for a server: checkpoints, without
 * which the write-ahead log grows for ever, and VACUUM and ANALYZE by the thresholds of autovacuum.
 */
import type { Buffer } from "node:buffer";
import { framesOf } from "./embedded_frames.ts";
import type { BackendMultiplexer } from "./embedded_wire.ts";

const EVERY_MS = 15_000;

/** Checkpoint after so much log, in bytes. A killed process replays at most this much and one interval's more. */
const WAL_BYTES_MAX = 32 * 1024 * 1024;

/** Tables beyond autovacuum's default thresholds: 50 rows and 20 % dead, or 50 and 10 % changed. */
const DUE = `
  select format('%I.%I', s.schemaname, s.relname)
    from pg_stat_user_tables s join pg_class c on c.oid = s.relid
   where s.n_dead_tup > 50 + 0.2 * greatest(c.reltuples, 0)
      or s.n_mod_since_analyze > 50 + 0.1 * greatest(c.reltuples, 0)
   order by s.n_mod_since_analyze desc
   limit 1`;

export interface UpkeepOptions {
  /** Time between two rounds, in milliseconds. Default 15 s. */
  readonly upkeepMs?: number | undefined;
  /** Called when a round fails, such as on a full disk. Requests continue, and the next round tries again. */
  readonly onUpkeepFailed?: ((error: unknown) => void) | undefined;
}

/** Looks after the database whenever it is idle, one table at a time, until it is disposed of. */
export function keepUp(wire: BackendMultiplexer, { upkeepMs = EVERY_MS, onUpkeepFailed }: UpkeepOptions): Disposable {
  const timer = setInterval(() => {
    try {
      runUpkeep(wire);
    } catch (error) {
      onUpkeepFailed?.(error);
    }
  }, upkeepMs);
  Deno.unrefTimer(timer);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** One round: at most one table and one checkpoint. Does nothing while a transaction is open. */
export function runUpkeep(wire: BackendMultiplexer): void {
  // Otherwise Postgres holds back the counters of a statement for up to a second.
  wire.runWhenIdle("select pg_stat_force_next_flush()");
  const due = firstValue(wire.runWhenIdle(DUE));
  if (due !== undefined) wire.runWhenIdle(`vacuum (analyze, skip_locked) ${due}`);
  const wal = firstValue(wire.runWhenIdle(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::bigint from pg_control_checkpoint()`,
  ));
  if (Number(wal ?? 0) > WAL_BYTES_MAX) wire.runWhenIdle("checkpoint");
}

/** The first column of the first row of a reply to a simple query. */
function firstValue(reply: Buffer | undefined): string | undefined {
  for (const { type, body } of reply ? framesOf(reply) : []) {
    if (type !== 0x44) continue; // DataRow
    const length = body.readInt32BE(2);
    return length < 0 ? undefined : body.toString("utf8", 6, 6 + length);
  }
}
