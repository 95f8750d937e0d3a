/** Reads for the profile of a memory: all are bounded and use indexes, whatever the size of the workspace. */
import type { UnitType } from "../../schema/unit.ts";
import type { Tx } from "../tx.ts";
import { isMentioning, type Mentioning } from "./mention_condition.ts";
import { unitColumns, type UnitRow } from "./unit_columns.ts";

export interface AboutFilter {
  readonly mentioning: Mentioning | undefined;
  /** Folded. */
  readonly subject: string | undefined;
}

function about(tx: Tx, { mentioning, subject }: AboutFilter) {
  const { sql } = tx;
  return sql`
    ${mentioning === undefined ? sql`` : sql`and ${isMentioning(tx, mentioning, sql`u.doc_no`)}`}
    ${subject === undefined ? sql`` : sql`and u.body -> 'folded' ->> 'subject' = ${subject}`}`;
}

export type UsedUnit = UnitRow & {
  readonly useCount: number;
  /** Another instance has a version that contradicts it. */
  readonly disputed: boolean;
};

function live(tx: Tx) {
  return tx.sql`u.type = 'fact' and u.status in ('active', 'contested')
     and (u.expires_at is null or u.expires_at > ${tx.now}) and (u.valid_to is null or u.valid_to > ${tx.now})
     and (u.valid_from is null or u.valid_from <= ${tx.now})`;
}

/** Live preferences and instructions, the pinned and the worthiest first. */
export async function listPreferences(tx: Tx, filter: AboutFilter, limit: number): Promise<UsedUnit[]> {
  const { sql } = tx;
  return await sql<UsedUnit[]>`
    select ${unitColumns(sql)}, u.use_count as "useCount", u.disputed from unit u
     where u.workspace_id = ${tx.workspaceId} and ${live(tx)}
       and u.body ->> 'factType' in ('preference', 'instruction') ${about(tx, filter)}
     order by u.pinned desc, u.worth desc, u.id desc limit ${limit}`;
}

/** Live facts that may matter most: all that are pinned, and the worthiest. */
export async function listKeyFacts(tx: Tx, filter: AboutFilter, limit: number): Promise<UsedUnit[]> {
  const { sql } = tx;
  const condition = sql`
    u.workspace_id = ${tx.workspaceId} and ${live(tx)}
    and u.body ->> 'factType' not in ('preference', 'instruction') ${about(tx, filter)}`;
  const columns = sql`${unitColumns(sql)}, u.use_count as "useCount", u.disputed`;
  const [pinned, worthy] = await Promise.all([
    sql<UsedUnit[]>`
      select ${columns} from unit u where ${condition} and u.pinned order by u.id desc limit ${limit}`,
    sql<UsedUnit[]>`
      select ${columns} from unit u where ${condition} order by u.worth desc, u.id desc limit ${limit}`,
  ]);
  return [...new Map([...pinned, ...worthy].map((unit) => [unit.id, unit])).values()];
}

/** Decisions that are in force or proposed, the pinned and the newest first. */
export async function listOpenDecisions<Body = UnitRow["body"]>(
  tx: Tx,
  filter: AboutFilter,
  limit: number,
): Promise<UnitRow<Body>[]> {
  const { sql } = tx;
  return await sql<UnitRow<Body>[]>`
    select ${unitColumns(sql)} from unit u
     where u.workspace_id = ${tx.workspaceId} and u.type = 'decision' and u.status in ('proposed', 'accepted')
       ${filter.mentioning === undefined ? sql`` : sql`and ${isMentioning(tx, filter.mentioning, sql`u.doc_no`)}`}
     order by u.id desc limit ${limit}`;
}

export interface Mention {
  readonly name: string;
  /** Null for a name alone. */
  readonly id: string | null;
  readonly mentions: number;
}

/**
 * Counts the entities, subjects and participants that the latest units mention, each spelling of a name separately; the
 * most mentioned come first.
 * @param subjects for each type, the member of the body that holds the names: a text or a list of texts
 * @param limit of entities and of spellings, each
 */
export async function listMentions(
  tx: Tx,
  subjects: Readonly<Record<UnitType, string | null>>,
  recent: number,
  limit: number,
): Promise<Mention[]> {
  const { sql } = tx;
  const member = sql`(${sql.json(subjects)}::jsonb ->> u.type)`;
  return await sql<Mention[]>`
    with recent as materialized (
      select u.entity_ids, u.body -> ${member} as said
        from unit u
       where u.workspace_id = ${tx.workspaceId} and u.status in ('active', 'contested', 'accepted', 'proposed')
       order by u.updated_at desc limit ${recent}
    ), named as (
      select p.name, count(*)::int as n
        from recent r cross join lateral jsonb_array_elements_text(
          case jsonb_typeof(r.said) when 'array' then r.said when 'string' then jsonb_build_array(r.said)
               else '[]'::jsonb end) as p(name)
       group by p.name order by n desc, p.name limit ${limit}
    ), entities as (
      select e.id, count(*)::int as n from recent cross join lateral unnest(entity_ids) as e(id) group by e.id
       order by n desc, e.id limit ${limit}
    )
    select u.body ->> 'canonicalName' as name, u.id, e.n as mentions
      from entities e join unit u on u.workspace_id = ${tx.workspaceId} and u.id = e.id and u.type = 'entity'
    union all
    select name, null, n from named
     order by 3 desc, 1`;
}

export async function countOpenTasks(tx: Tx, agentId: string | undefined): Promise<number> {
  const { sql } = tx;
  const [row] = await sql<[{ n: number }]>`
    select count(*)::int as n from task
     where workspace_id = ${tx.workspaceId} and status in ('pending', 'in_progress', 'blocked')
       ${agentId === undefined ? sql`` : sql`and agent_id = ${agentId}`}`;
  return row.n;
}

export interface RecentChange {
  readonly seq: number;
  readonly kind: string;
  readonly id: string;
  readonly text: string | null;
  readonly at: Date;
}

/** The last changes of units, one for each unit; `types` are those of units. */
export async function listRecentChanges(
  tx: Tx,
  types: readonly UnitType[],
  window: number,
  limit: number,
): Promise<RecentChange[]> {
  return await tx.sql<RecentChange[]>`
    with latest as materialized (
      select c.seq, c.kind, c.resource_id, c.recorded_at from change c
       where c.workspace_id = ${tx.workspaceId}
         and c.resource_type = any(${types as string[]}::text[])
       order by c.seq desc limit ${window}
    ), once as (
      select distinct on (resource_id) * from latest order by resource_id, seq desc
    )
    select o.seq::float8 as seq, o.kind, o.resource_id as id, u.text, o.recorded_at as at
      from once o left join unit u on u.workspace_id = ${tx.workspaceId} and u.id = o.resource_id
     order by o.seq desc limit ${limit}`;
}
