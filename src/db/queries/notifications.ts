/** NOTIFY, for messages to every process that are not changes. */
import type { Sql } from "../tx.ts";

export async function notify(sql: Sql, channel: string, payload: string): Promise<void> {
  await sql`select pg_notify(${channel}, ${payload})`;
}
