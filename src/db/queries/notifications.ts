/** NOTIFY, for what is told to every process outside of a change. */
import type { Sql } from "../scope.ts";

export async function notify(sql: Sql, channel: string, payload: string): Promise<void> {
  await sql`select pg_notify(${channel}, ${payload})`;
}
