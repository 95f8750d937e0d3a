/** Statements on the table `turn`. Many rows travel as one JSON parameter: a batch costs one round trip. */
import type { Sensitivity } from "../../schema/common.ts";
import type { TurnRole } from "../../schema/turn.ts";
import type { Sql, Tx } from "../tx.ts";

export interface TurnRow {
  readonly id: string;
  readonly version: number;
  readonly sessionId: string;
  readonly position: number;
  readonly docNo: number;
  readonly messageId: string;
  readonly role: TurnRole;
  readonly name: string | null;
  readonly content: string;
  readonly sensitivity: Sensitivity;
  readonly pinned: boolean;
  readonly tags: string[];
  readonly metadata: Record<string, unknown>;
  readonly occurredAt: Date;
  /** The offset of the writer's clock then, such as "+09:00"; null: not known. */
  readonly utcOffset: string | null;
  readonly recordedAt: Date;
  /** When its content was erased; absent or null: it was not. */
  readonly erasedAt?: Date | null;
}

export interface NewTurn {
  readonly id: string;
  readonly position: number;
  readonly docNo: number;
  readonly messageId: string;
  readonly role: TurnRole;
  readonly name: string | null;
  readonly content: string;
  readonly pinned: boolean;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly occurredAt: Date;
  readonly utcOffset: string | null;
  /** The ranker's numbers for the text, as indexing computed them. */
  readonly features: unknown;
  /** For an imported turn; default: 1 and now. */
  readonly version?: number;
  readonly recordedAt?: Date;
  /** The entities that it mentions. */
  readonly entityIds: readonly string[];
}

function columns(sql: Sql) {
  return sql`
    id, version, session_id as "sessionId", position, doc_no::float8 as "docNo", message_id as "messageId", role, name,
    content, sensitivity, pinned, tags, metadata, occurred_at as "occurredAt", utc_offset as "utcOffset",
    recorded_at as "recordedAt",
    erased_at as "erasedAt"`;
}

/** Inserts turns of one session, whose row the caller has locked. */
export async function insertTurns(
  tx: Tx,
  session: { readonly id: string; readonly groupNo: number; readonly sensitivity: Sensitivity },
  turns: readonly NewTurn[],
): Promise<void> {
  const rows = turns.map((turn) => ({
    id: turn.id,
    position: turn.position,
    doc_no: turn.docNo,
    message_id: turn.messageId,
    role: turn.role,
    name: turn.name,
    content: turn.content,
    pinned: turn.pinned,
    tags: turn.tags,
    metadata: turn.metadata,
    occurred_at: turn.occurredAt,
    utc_offset: turn.utcOffset,
    features: turn.features,
    version: turn.version ?? 1,
    recorded_at: turn.recordedAt ?? tx.now,
    entity_ids: turn.entityIds,
  }));
  await tx.sql`
    insert into turn (workspace_id, id, session_id, group_no, position, doc_no, message_id, role, name, content,
                      sensitivity, pinned, occurred_at, recorded_at, features, tags, metadata, version, entity_ids, utc_offset)
    select ${tx.workspaceId}, r.id, ${session.id}, ${session.groupNo}, r.position, r.doc_no, r.message_id, r.role, r.name,
           r.content, ${session.sensitivity}, r.pinned, r.occurred_at, r.recorded_at, r.features, r.tags,
           r.metadata, r.version, r.entity_ids, r.utc_offset
      from jsonb_to_recordset(${tx.sql.json(rows)}) as r(
        id uuid, position int, doc_no bigint, message_id text, role text, name text, content text, pinned boolean,
        occurred_at timestamptz, features jsonb, tags text[], metadata jsonb, version int, recorded_at timestamptz,
        entity_ids uuid[], utc_offset text)`;
}

/** The turns of a session that have one of these message ids. */
export async function findTurnsByMessage(
  tx: Tx,
  sessionId: string,
  messageIds: readonly string[],
): Promise<TurnRow[]> {
  return await tx.sql<TurnRow[]>`
    select ${columns(tx.sql)} from turn
     where workspace_id = ${tx.workspaceId} and session_id = ${sessionId}
       and message_id = any(${messageIds as string[]}::text[])`;
}

export async function findTurn(tx: Tx, sessionId: string, id: string): Promise<TurnRow | undefined> {
  const [row] = await tx.sql<TurnRow[]>`
    select ${columns(tx.sql)} from turn
     where workspace_id = ${tx.workspaceId} and id = ${id} and session_id = ${sessionId}`;
  return row;
}

/** Turns by id, of whatever session. */
export async function findTurns(tx: Tx, ids: readonly string[]): Promise<TurnRow[]> {
  return await tx.sql<TurnRow[]>`
    select ${columns(tx.sql)} from turn
     where workspace_id = ${tx.workspaceId} and id = any(${ids as string[]}::uuid[])`;
}

export interface TurnFilter {
  readonly order: "asc" | "desc";
  /** The last position of the page before. */
  readonly after?: number | undefined;
  readonly pinned?: boolean | undefined;
  readonly limit: number;
}

export async function listTurns(tx: Tx, sessionId: string, filter: TurnFilter): Promise<TurnRow[]> {
  const { sql } = tx;
  const { after, order, pinned } = filter;
  const beyond = after === undefined
    ? sql``
    : order === "asc"
    ? sql`and position > ${after}`
    : sql`and position < ${after}`;
  return await sql<TurnRow[]>`
    select ${columns(sql)} from turn
     where workspace_id = ${tx.workspaceId} and session_id = ${sessionId}
       ${pinned === undefined ? sql`` : sql`and pinned = ${pinned}`} ${beyond}
     order by position ${order === "asc" ? sql`asc` : sql`desc`} limit ${filter.limit}`;
}

/** Sets or removes a turn's pin; its version grows. */
export async function setTurnPinned(tx: Tx, id: string, pinned: boolean): Promise<TurnRow> {
  const [row] = await tx.sql<[TurnRow]>`
    update turn set pinned = ${pinned}, version = version + 1
     where workspace_id = ${tx.workspaceId} and id = ${id} returning ${columns(tx.sql)}`;
  return row;
}

/** Takes the content of a turn away for ever. The turn keeps its place, ids, role and speaker. */
export async function eraseTurn(tx: Tx, id: string): Promise<TurnRow> {
  const [row] = await tx.sql<[TurnRow]>`
    update turn set content = '', tags = '{}', metadata = '{}', entity_ids = '{}', pinned = false,
           erased_at = ${tx.now}, version = version + 1
     where workspace_id = ${tx.workspaceId} and id = ${id} returning ${columns(tx.sql)}`;
  return row;
}

/** Facts that cite a turn, with whether they cite nothing else. */
export async function listCiting(
  tx: Tx,
  sessionId: string,
  messageId: string,
): Promise<{ id: string; isOnly: boolean }[]> {
  const cited = tx.sql.json([{ sessionId, messageId }]);
  return await tx.sql<{ id: string; isOnly: boolean }[]>`
    select u.id, not exists (
             select from jsonb_array_elements(u.body -> 'citations') c
              where c ->> 'messageId' <> ${messageId} or c ->> 'sessionId' is distinct from ${sessionId}) as "isOnly"
      from unit u
     where u.workspace_id = ${tx.workspaceId} and u.type = 'fact' and u.body -> 'citations' @> ${cited}`;
}

/** Takes the quotes of a turn out of all versions of facts. */
export async function eraseQuotesIn(tx: Tx, factIds: readonly string[], sessionId: string, messageId: string) {
  const cited = tx.sql.json([{ sessionId, messageId }]);
  const one = tx.sql.json({ sessionId, messageId });
  await tx.sql`
    update unit_revision r set snapshot = jsonb_set(r.snapshot, '{body,citations}', (
      select jsonb_agg(case when c.value @> ${one} then c.value - 'quote' else c.value end order by c.ordinality)
        from jsonb_array_elements(r.snapshot #> '{body,citations}') with ordinality c))
     where r.workspace_id = ${tx.workspaceId} and r.id = any(${factIds as string[]}::uuid[])
       and r.snapshot #> '{body,citations}' @> ${cited}`;
}

/** Deletes all turns of a session and returns the rows that the index has to forget. */
export async function deleteTurns(tx: Tx, sessionId: string): Promise<TurnRow[]> {
  return await tx.sql<TurnRow[]>`
    delete from turn where workspace_id = ${tx.workspaceId} and session_id = ${sessionId} returning ${columns(tx.sql)}`;
}
