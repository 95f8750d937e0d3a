/** NOTIFY, for messages to every process that are not changes. */
import type { Sql } from "../tx.ts";

/** The end of the application name of a connection that listens. */
export const LISTENER = " listener";

/** How many connections the server has for the role that asks. */
export interface ServerRoom {
  /** Number of further connections that the server would accept now. */
  readonly free: number;
  /** Number of connections that the role has. */
  readonly used: number;
  /** How many of these listen: each process has one that does. */
  readonly listeners: number;
}

/** Sends a heartbeat, and returns how much room the server has. */
export async function beat(sql: Sql, channel: string, payload: string): Promise<ServerRoom> {
  const [{ free, used, listeners }] = await sql<[ServerRoom]>`
    -- Of the backends of other roles a role does not see the type; those of the server itself have no role.
    with backend as (
      select a.usename = session_user as is_ours, a.datname = current_database() as is_here,
             a.application_name like ${`%${LISTENER}`} as listens
        from pg_stat_activity a where a.datname is not null and a.usesysid is not null and coalesce(a.backend_type, 'client backend') = 'client backend'
    )
    select pg_notify(${channel}, ${payload}),
           (count(*) filter (where is_ours))::int as used,
           (count(*) filter (where is_ours and listens))::int as listeners,
           least(
             current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
               - coalesce(current_setting('reserved_connections', true)::int, 0) - count(*),
             (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
               - count(*) filter (where is_here),
             (select nullif(rolconnlimit, -1) from pg_roles where rolname = session_user)
               - count(*) filter (where is_ours)
           )::int as free
      from backend`;
  return { free, used, listeners };
}
