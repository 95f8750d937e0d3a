/** Statements that read a whole workspace. */
import type { Tx } from "./tx.ts";

/** Lets the following statements of a transaction take longer than those of a request may, up to `ms` milliseconds. */
export function allowLongStatements(tx: Pick<Tx, "sql">, ms: number): Promise<unknown> {
  return tx.sql`select set_config('statement_timeout', ${String(ms)}, true)`;
}
