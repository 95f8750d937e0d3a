/** Statements on the table `session`. Times are Dates; the domain turns rows into resources. */
import type { Sensitivity } from "../../schema/common.ts";
import type { SessionStatus } from "../../schema/session.ts";
import type { Sql, Tx } from "../tx.ts";

export interface SessionRow {
  readonly id: string;
  readonly version: number;
  readonly status: SessionStatus;
  readonly title: string | null;
  readonly agentId: string | null;
  /** The caller's own name for it, unique in the workspace. */
  readonly externalId: string | null;
  readonly sensitivity: Sensitivity;
  readonly tags: string[];
  readonly metadata: Record<string, unknown>;
  readonly scratchpad: Record<string, unknown>;
  readonly scratchpadVersion: number;
  /** The number of the session in postings. */
  readonly groupNo: number;
  readonly turnCount: number;
  readonly tokenCount: number;
  readonly participants: string[];
  /** Where its speakers are; null: not known. */
  readonly timezone: string | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly episodeId: string | null;
  /** The stored reply to the collapse, by reference. */
  readonly collapse: unknown;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly createdBy: string;
}

export type NewSession = Pick<
  SessionRow,
  | "id"
  | "title"
  | "agentId"
  | "externalId"
  | "sensitivity"
  | "tags"
  | "metadata"
  | "scratchpad"
  | "startedAt"
  | "timezone"
>;

function columns(sql: Sql) {
  return sql`
    id, version, status, title, agent_id as "agentId", external_id as "externalId", sensitivity, tags, metadata, scratchpad,
    scratchpad_version as "scratchpadVersion", group_no::float8 as "groupNo", turn_count as "turnCount",
    token_count::float8 as "tokenCount", participants, timezone, started_at as "startedAt", ended_at as "endedAt",
    episode_id as "episodeId", collapse, created_at as "createdAt", updated_at as "updatedAt", created_by as "createdBy"`;
}

/** Inserts a session; undefined if another one, which the caller may not see, has its external id. */
export async function insertSession(tx: Tx, session: NewSession): Promise<SessionRow | undefined> {
  const { sql } = tx;
  const [row] = await sql<SessionRow[]>`
    insert into session (workspace_id, id, title, agent_id, external_id, sensitivity, tags, metadata, scratchpad,
                         group_no, started_at, created_at, updated_at, created_by, timezone)
    values (${tx.workspaceId}, ${session.id}, ${session.title}, ${session.agentId}, ${session.externalId},
            ${session.sensitivity}, ${session.tags}, ${sql.json(session.metadata)},
            ${sql.json(session.scratchpad)}, nextval('group_no'), ${session.startedAt}, ${tx.now}, ${tx.now},
            ${tx.actor}, ${session.timezone})
        on conflict (workspace_id, external_id) where external_id is not null do nothing
    returning ${columns(sql)}`;
  return row;
}

export async function findSessionByExternalId(tx: Tx, externalId: string): Promise<SessionRow | undefined> {
  const [row] = await tx.sql<SessionRow[]>`
    select ${columns(tx.sql)} from session where workspace_id = ${tx.workspaceId} and external_id = ${externalId}`;
  return row;
}

export async function findSession(tx: Tx, id: string): Promise<SessionRow | undefined> {
  const [row] = await tx.sql<SessionRow[]>`
    select ${columns(tx.sql)} from session where workspace_id = ${tx.workspaceId} and id = ${id}`;
  return row;
}

/** Returns those of some sessions that are visible. */
export async function findSessionIds(tx: Tx, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx.sql<{ id: string }[]>`
    select id from session where workspace_id = ${tx.workspaceId} and id = any(${ids as string[]}::uuid[])`;
  return new Set(rows.map((row) => row.id));
}

/** Reads and locks a session: only the holder of the lock gives out positions and changes the session. */
export async function lockSession(tx: Tx, id: string): Promise<SessionRow | undefined> {
  const [row] = await tx.sql<SessionRow[]>`
    select ${columns(tx.sql)} from session where workspace_id = ${tx.workspaceId} and id = ${id} for update`;
  return row;
}

export interface SessionFilter {
  readonly status: SessionStatus | undefined;
  readonly agentId: string | undefined;
  readonly externalId: string | undefined;
  /** A part of the title or of a turn. */
  readonly text: string | undefined;
  readonly participant: string | undefined;
  readonly order: "asc" | "desc";
  /** The last id of the page before. */
  readonly after: string | undefined;
  readonly limit: number;
}

export async function listSessions(tx: Tx, filter: SessionFilter): Promise<SessionRow[]> {
  const { sql } = tx;
  const { after, order, status, agentId, externalId, text, participant } = filter;
  const beyond = after === undefined ? sql`` : order === "asc" ? sql`and id > ${after}` : sql`and id < ${after}`;
  const like = text === undefined ? undefined : `%${text.replaceAll(/[\\%_]/g, (c) => `\\${c}`)}%`;
  // OFFSET makes Postgres check each session by itself, in the order of the list: a page is full soon.
  const isSpoken = like === undefined ? sql`` : sql`
    and (s.title ilike ${like} or exists (
      select from turn t
       where t.workspace_id = ${tx.workspaceId} and t.session_id = s.id and t.content ilike ${like} offset 0))`;
  const hasPart = participant === undefined ? sql`` : sql`
    and exists (select from unnest(s.participants) as p(name) where lower(p.name) = lower(${participant}) offset 0)`;
  return await sql<SessionRow[]>`
    select ${columns(sql)} from session s
     where workspace_id = ${tx.workspaceId}
       ${status === undefined ? sql`` : sql`and status = ${status}`}
       ${agentId === undefined ? sql`` : sql`and agent_id = ${agentId}`}
       ${externalId === undefined ? sql`` : sql`and external_id = ${externalId}`} ${beyond}
       ${hasPart} ${isSpoken}
     order by id ${order === "asc" ? sql`asc` : sql`desc`} limit ${filter.limit}`;
}

/** Notes added turns. Returns the new version. */
export async function addToSession(
  tx: Tx,
  id: string,
  added: { readonly turns: number; readonly tokens: number; readonly participants: readonly string[] },
): Promise<number> {
  const [row] = await tx.sql<[{ version: number }]>`
    update session set version = version + 1, turn_count = turn_count + ${added.turns},
           token_count = token_count + ${added.tokens}, participants = participants || ${added
    .participants as string[]},
           updated_at = ${tx.now}
     where workspace_id = ${tx.workspaceId} and id = ${id} returning version`;
  return row.version;
}

/** Notes a change of a part that is stored elsewhere, such as a turn's pin. Returns the session's new version. */
export async function touchSession(tx: Tx, id: string): Promise<number> {
  const [row] = await tx.sql<[{ version: number }]>`
    update session set version = version + 1, updated_at = ${tx.now}
     where workspace_id = ${tx.workspaceId} and id = ${id} returning version`;
  return row.version;
}

export async function replaceScratchpad(tx: Tx, id: string, content: unknown): Promise<SessionRow> {
  const { sql } = tx;
  const [row] = await sql<[SessionRow]>`
    update session set version = version + 1, scratchpad = ${sql.json(content)},
           scratchpad_version = scratchpad_version + 1, updated_at = ${tx.now}
     where workspace_id = ${tx.workspaceId} and id = ${id} returning ${columns(sql)}`;
  return row;
}

export async function collapseSession(
  tx: Tx,
  id: string,
  result: { readonly episodeId: string | null; readonly collapse: unknown },
): Promise<SessionRow> {
  const { sql } = tx;
  const [row] = await sql<[SessionRow]>`
    update session set version = version + 1, status = 'collapsed', episode_id = ${result.episodeId},
           collapse = ${sql.json(result.collapse)}, ended_at = ${tx.now}, updated_at = ${tx.now}
     where workspace_id = ${tx.workspaceId} and id = ${id} returning ${columns(sql)}`;
  return row;
}

/** Marks the session as discarded and deletes its content except for its turns, which are deleted separately. */
export async function discardSession(tx: Tx, id: string): Promise<SessionRow> {
  const { sql } = tx;
  const [row] = await sql<[SessionRow]>`
    update session set version = version + 1, status = 'discarded', scratchpad = '{}',
           scratchpad_version = scratchpad_version + 1, turn_count = 0, token_count = 0, participants = '{}',
           ended_at = ${tx.now}, updated_at = ${tx.now}
     where workspace_id = ${tx.workspaceId} and id = ${id} returning ${columns(sql)}`;
  return row;
}
