/** Reads for a reflection. Every read is bounded; the reflection says if there is more. */
import type { UnitType } from "../../schema/unit.ts";
import { LIVE_STATUSES } from "../../schema/unit_state.ts";
import type { Tx } from "../tx.ts";
import { unitColumns, type UnitRow } from "./unit_columns.ts";

export interface ReflectionWindow {
  readonly from: Date;
  readonly to: Date;
}

const LIVE = [...LIVE_STATUSES];

/** Live facts that were written in the window, the latest first. */
export async function listWindowFacts<Body = UnitRow["body"]>(
  tx: Tx,
  { from, to }: ReflectionWindow,
  limit: number,
): Promise<UnitRow<Body>[]> {
  const { sql } = tx;
  return await sql<UnitRow<Body>[]>`
    select ${unitColumns(sql)} from unit u
     where u.workspace_id = ${tx.workspaceId} and u.updated_at >= ${from} and u.updated_at <= ${to}
       and u.type = 'fact' and u.status in ('active', 'contested')
       and (u.expires_at is null or u.expires_at > ${tx.now})
     order by u.updated_at desc, u.id desc limit ${limit}`;
}

/** Live facts about the same subjects and predicates. */
export async function listRivals<Body = UnitRow["body"]>(
  tx: Tx,
  tripleKeys: readonly string[],
  limit: number,
): Promise<UnitRow<Body>[]> {
  const { sql } = tx;
  return await sql<UnitRow<Body>[]>`
    select ${unitColumns(sql)} from unit u
     where u.workspace_id = ${tx.workspaceId}
       and u.id in (
         select r.id from unnest(${tripleKeys as string[]}::text[]) as k(triple_key)
          cross join lateral (
            select id from unit
             where workspace_id = ${tx.workspaceId} and triple_key = k.triple_key and type = 'fact'
               and status in ('active', 'contested') and (expires_at is null or expires_at > ${tx.now}) offset 0) r)
     order by u.id limit ${limit}`;
}

/** Lists current units that rest on a source that is no longer in force. */
export async function listStale(tx: Tx, limit: number): Promise<UnitRow[]> {
  const { sql } = tx;
  return await sql<UnitRow[]>`
    select ${unitColumns(sql)} from unit u
     where u.workspace_id = ${tx.workspaceId} and u.stale and u.status = any(${LIVE}::text[])
     order by u.id desc limit ${limit}`;
}

export interface ReflectedFilter {
  readonly types: readonly UnitType[];
  readonly worthMax: number;
  /** Only units that were last changed at or before this time. */
  readonly until: Date;
}

/** Live units that are worth least. Pinned ones are left out, because the one who pinned them decided their worth. */
export async function listWorthless(
  tx: Tx,
  { types, worthMax, until }: ReflectedFilter,
  limit: number,
): Promise<UnitRow[]> {
  const { sql } = tx;
  return await sql<UnitRow[]>`
    select ${unitColumns(sql)} from unit u
     where u.workspace_id = ${tx.workspaceId} and u.worth <= ${worthMax} and u.status = any(${LIVE}::text[])
       and not u.pinned and u.type = any(${types as string[]}::text[]) and u.updated_at <= ${until}
     order by u.worth, u.id limit ${limit}`;
}

export async function listExpiring(tx: Tx, until: Date, limit: number): Promise<(UnitRow & { useCount: number })[]> {
  const { sql } = tx;
  return await sql<(UnitRow & { useCount: number })[]>`
    select ${unitColumns(sql)}, u.use_count as "useCount" from unit u
     where u.workspace_id = ${tx.workspaceId} and u.status = 'active' and u.type = 'fact'
       and u.expires_at > ${tx.now} and u.expires_at <= ${until}
     order by u.expires_at, u.id limit ${limit}`;
}

/** Decisions in force or proposed whose review date has passed. */
export async function listReviewDue(tx: Tx, limit: number): Promise<UnitRow[]> {
  const { sql } = tx;
  return await sql<UnitRow[]>`
    select ${unitColumns(sql)} from unit u
     where u.workspace_id = ${tx.workspaceId} and u.type = 'decision' and u.status in ('accepted', 'proposed')
       and u.body ->> 'reviewAt' < ${tx.now.toISOString()}::text
     order by u.id limit ${limit}`;
}

export interface Question {
  readonly id: string;
  readonly sessionId: string;
  readonly messageId: string;
  readonly content: string;
  readonly sensitivity: UnitRow["sensitivity"];
  /** The next words of somebody else in the session; null if there are none. */
  readonly answer: string | null;
}

/** Turns of the window that end with a question and that no fact cites, each with the next words of somebody else. */
export async function listQuestions(tx: Tx, { from, to }: ReflectionWindow, limit: number): Promise<Question[]> {
  return await tx.sql<Question[]>`
    select t.id, t.session_id as "sessionId", t.message_id as "messageId", t.content, t.sensitivity,
           (select a.content from turn a
             where a.workspace_id = ${tx.workspaceId} and a.session_id = t.session_id and a.position > t.position
               and (a.role, coalesce(a.name, '')) is distinct from (t.role, coalesce(t.name, ''))
             order by a.position limit 1) as answer
      from turn t
     where t.workspace_id = ${tx.workspaceId} and t.occurred_at >= ${from} and t.occurred_at <= ${to}
       and t.role = 'user' and right(rtrim(t.content), 1) in ('?', '？', '؟')
     order by t.occurred_at desc, t.id limit ${limit}`;
}

/** Returns those of the given messages that a live fact cites. */
export async function listCited(tx: Tx, questions: readonly Question[], since: Date): Promise<string[]> {
  const rows = await tx.sql<{ messageId: string }[]>`
    with recent as materialized (
      select u.body -> 'citations' as citations from unit u
       where u.workspace_id = ${tx.workspaceId} and u.updated_at >= ${since} and u.type = 'fact'
         and u.status in ('active', 'contested')
       order by u.updated_at desc limit 5000
    )
    select distinct c.value ->> 'messageId' as "messageId"
      from recent cross join lateral jsonb_array_elements(recent.citations) as c(value)
     where c.value ->> 'messageId' = any(${questions.map((question) => question.messageId)}::text[])`;
  return rows.map((row) => row.messageId);
}

export async function countTurns(tx: Tx, { from, to }: ReflectionWindow, max: number): Promise<number> {
  const [row] = await tx.sql<[{ n: number }]>`
    select count(*)::int as n from (
      select 1 from turn where workspace_id = ${tx.workspaceId} and occurred_at >= ${from} and occurred_at <= ${to}
       limit ${max}) t`;
  return row.n;
}
