/** Statements on `event`: append, list, and erase one; requests have no other right. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Sql, Tx } from "../tx.ts";

export interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly agentId: string | null;
  readonly sessionId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly sensitivity: Sensitivity;
  readonly occurredAt: Date;
  readonly recordedAt: Date;
  readonly createdBy: string;
}

function columns(sql: Sql) {
  return sql`
    id, type, agent_id as "agentId", session_id as "sessionId", data, sensitivity, occurred_at as "occurredAt",
    recorded_at as "recordedAt", created_by as "createdBy"`;
}

/** Appends events in one statement. */
export async function insertEvents(tx: Tx, events: readonly EventRow[]): Promise<void> {
  const rows = events.map((event) => ({
    workspace_id: tx.workspaceId,
    id: event.id,
    type: event.type,
    agent_id: event.agentId,
    session_id: event.sessionId,
    sensitivity: event.sensitivity,
    data: event.data,
    occurred_at: event.occurredAt,
    recorded_at: event.recordedAt,
    created_by: event.createdBy,
  }));
  await tx.sql`
    insert into event (workspace_id, id, type, agent_id, session_id, sensitivity, data, occurred_at, recorded_at,
                       created_by)
    select ${tx.workspaceId}, n.id, n.type, n.agent_id, n.session_id, n.sensitivity, n.data, n.occurred_at,
           n.recorded_at, n.created_by
      from jsonb_populate_recordset(null::event, ${tx.sql.json(rows)}) n`;
}

export interface EventFilter {
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly agentId: string | undefined;
  readonly types: readonly string[] | undefined;
  readonly sessionId: string | undefined;
  readonly order: "asc" | "desc";
  /** The last event of the page before. */
  readonly after: { readonly occurredAt: Date; readonly id: string } | undefined;
  readonly limit: number;
}

/** Events in the order in which they occurred. */
export async function listEvents(tx: Tx, filter: EventFilter): Promise<EventRow[]> {
  const { sql } = tx;
  const { from, to, agentId, types, sessionId, after } = filter;
  const way = filter.order === "asc" ? sql`asc` : sql`desc`;
  const beyond = filter.order === "asc" ? sql`>` : sql`<`;
  return await sql<EventRow[]>`
    select ${columns(sql)} from event
     where workspace_id = ${tx.workspaceId}
       ${from === undefined ? sql`` : sql`and occurred_at >= ${from}`}
       ${to === undefined ? sql`` : sql`and occurred_at < ${to}`}
       ${agentId === undefined ? sql`` : sql`and agent_id = ${agentId}`}
       ${types === undefined ? sql`` : sql`and type = any(${types as string[]}::text[])`}
       ${sessionId === undefined ? sql`` : sql`and session_id = ${sessionId}`}
       ${after === undefined ? sql`` : sql`and (occurred_at, id) ${beyond} (${after.occurredAt}, ${after.id}::uuid)`}
     order by occurred_at ${way}, id ${way} limit ${filter.limit}`;
}

export async function findEvent(tx: Tx, id: string): Promise<EventRow | undefined> {
  const { sql } = tx;
  const [row] = await sql<EventRow[]>`
    select ${columns(sql)} from event where workspace_id = ${tx.workspaceId} and id = ${id}`;
  return row;
}

/** Events that name a session. */
export async function findEventsOf(tx: Tx, sessionId: string, limit: number): Promise<EventRow[]> {
  const { sql } = tx;
  return await sql<EventRow[]>`
    select ${columns(sql)} from event
     where workspace_id = ${tx.workspaceId} and session_id = ${sessionId} order by occurred_at, id limit ${limit}`;
}

/** Deletes an event that the deletion log records; false if the transaction sees none. */
export async function eraseEvent(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.sql`delete from event where workspace_id = ${tx.workspaceId} and id = ${id} returning 1`;
  return rows.length > 0;
}
