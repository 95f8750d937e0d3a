/**
 * Queries for the retention of restricted data: finds rows that have not been changed for a time, and blanks sessions.
 */
import type { Tx } from "../tx.ts";

export type RetainedType = "unit" | "session" | "reasoning" | "task" | "event";

export interface OldRow {
  readonly id: string;
  readonly type: RetainedType;
  /** When it was last changed. */
  readonly changedAt: Date;
}

interface Retained {
  readonly table: string;
  /** The column with the time of the last change. */
  readonly changedAt: string;
  /** A further condition that a due row must meet. */
  readonly condition?: (tx: Tx, before: Date) => ReturnType<typeof isImportedSince>;
}

const RETAINED: Readonly<Record<RetainedType, Retained>> = {
  unit: { table: "unit", changedAt: "updated_at", condition: isNotNeeded },
  session: {
    table: "session",
    changedAt: "updated_at",
    condition: ({ sql, workspaceId: ws }, before) =>
      sql`
      not (r.status = 'discarded' and r.title is null and r.tags = '{}' and r.metadata = '{}')
      and not exists (
        select from turn t join change c on c.workspace_id = ${ws} and c.resource_id = t.id
         where t.workspace_id = ${ws} and t.session_id = r.id and c.kind = 'turn.imported' and c.recorded_at > ${before})`,
  },
  reasoning: { table: "reasoning_entry", changedAt: "updated_at" },
  task: { table: "task", changedAt: "updated_at" },
  // An event is never changed.
  event: { table: "event", changedAt: "recorded_at" },
};

export interface OldRows {
  /** Rows that were changed after this time are not due. */
  readonly before: Date;
  readonly limit: number;
  /** The last row of the previous page. */
  readonly after?: OldRow | undefined;
  /** Checks only this row. */
  readonly only?: Pick<OldRow, "id" | "type">;
}

/**
 * Finds restricted rows that were last changed at or before a time and, if an import stored them, were imported before it;
 * the oldest first. Leaves out entities that a younger unit mentions, a younger relation relates, or a younger entity was
 * merged into.
 */
export async function findOldRestricted(tx: Tx, { before, limit, after, only }: OldRows): Promise<OldRow[]> {
  const { sql, workspaceId: ws } = tx;
  const types = (Object.keys(RETAINED) as RetainedType[]).filter((type) => only === undefined || only.type === type);
  const branches = types.map((type) => {
    const { table, changedAt, condition } = RETAINED[type];
    const at = sql.unsafe(`r.${changedAt}`);
    return sql`
      (select r.id, ${type}::text as type, ${at} as "changedAt" from ${sql.unsafe(table)} r
        where r.workspace_id = ${ws} and r.sensitivity = 'restricted' and ${at} <= ${before}
          ${only === undefined ? sql`` : sql`and r.id = ${only.id}`}
          ${after === undefined ? sql`` : sql`and (${at}, r.id) > (${after.changedAt}, ${after.id}::uuid)`}
          and not ${isImportedSince(tx, "r.id", before)}
          ${condition === undefined ? sql`` : sql`and ${condition(tx, before)}`}
        order by ${at}, r.id limit ${limit})`;
  });
  return await sql<OldRow[]>`
    select id, type, "changedAt" from (${branches.reduce((all, one) => sql`${all} union all ${one}`)}) old
     order by "changedAt", id limit ${limit}`;
}

/** When the restricted row was last changed that nobody has changed for the longest time; undefined if there is none. */
export async function readOldestRestricted(tx: Tx): Promise<Date | undefined> {
  const { sql, workspaceId: ws } = tx;
  const branches = Object.values(RETAINED).map(({ table, changedAt }) =>
    sql`(select min(${sql.unsafe(changedAt)}) from ${sql.unsafe(table)}
          where workspace_id = ${ws} and sensitivity = 'restricted')`
  );
  const [row] = await sql<{ at: Date | null }[]>`
    select least(${branches.reduce((all, one) => sql`${all}, ${one}`)}) as at`;
  return row?.at ?? undefined;
}

/**
 * Whether an import stored a row after a time. The row has the times of its source, so the change feed's time counts.
 */
function isImportedSince({ sql, workspaceId: ws }: Tx, id: string, time: Date) {
  return sql`exists (
    select from change c where c.workspace_id = ${ws} and c.resource_id = ${sql.unsafe(id)}
       and c.kind like '%.imported' and c.recorded_at > ${time})`;
}

/** Whether a unit is not an entity, or is one without mentions, relations or merged entities after a time. */
function isNotNeeded(tx: Tx, before: Date) {
  const { sql, workspaceId: ws } = tx;
  const isYounger = (alias: string, at: string) =>
    sql`(${sql.unsafe(`${alias}.${at}`)} > ${before} or ${isImportedSince(tx, `${alias}.id`, before)})`;
  const merged = sql`(select r.id union all
    select e.source_id from entity_merge e where e.workspace_id = ${ws} and e.root_id = r.id)`;
  return sql`(r.type <> 'entity' or not (
    exists (select from unit u where u.workspace_id = ${ws} and u.id in ${merged} and ${isYounger("u", "updated_at")})
    or exists (
      select from mention m join unit u on u.workspace_id = ${ws} and u.id = m.subject_id
       where m.workspace_id = ${ws} and m.entity_id in ${merged} and m.live and ${isYounger("u", "updated_at")})
    or exists (
      select from mention m join turn t on t.workspace_id = ${ws} and t.id = m.subject_id
       where m.workspace_id = ${ws} and m.entity_id in ${merged} and m.live and ${isYounger("t", "recorded_at")})
    or exists (
      select from relation_participant p join relation l on l.workspace_id = ${ws} and l.id = p.relation_id
       where p.workspace_id = ${ws} and (p.unit_id in ${merged} or p.node_id in ${merged})
         and ${isYounger("l", "updated_at")})))`;
}

/** Clears the members of a session that describe its content: title, tags, metadata. */
export async function blankSession(tx: Tx, id: string): Promise<void> {
  await tx.sql`
    update session set title = null, tags = '{}', metadata = '{}' where workspace_id = ${tx.workspaceId} and id = ${id}`;
}
