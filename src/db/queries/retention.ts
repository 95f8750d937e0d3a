/** Restricted data that nobody has changed for a time, and what is left of a session beside its content. */
import type { Tx } from "../scope.ts";

export type RetainedType = "unit" | "session" | "reasoning" | "task" | "event";

export interface OldRow {
  readonly id: string;
  readonly type: RetainedType;
}

/** Restricted rows that were last changed before a time, the oldest first. */
export async function findOldRestricted(tx: Tx, before: Date, limit: number): Promise<OldRow[]> {
  const { sql, workspaceId: ws } = tx;
  return await sql<OldRow[]>`
    select id, type from (
      (select id, 'unit' as type, updated_at from unit
        where workspace_id = ${ws} and sensitivity = 'restricted' and updated_at <= ${before}
        order by updated_at limit ${limit})
      union all
      (select id, 'session', updated_at from session
        where workspace_id = ${ws} and sensitivity = 'restricted' and updated_at <= ${before}
          and not (status = 'discarded' and title is null and tags = '{}' and metadata = '{}')
        order by updated_at limit ${limit})
      union all
      (select id, 'reasoning', updated_at from reasoning_entry
        where workspace_id = ${ws} and sensitivity = 'restricted' and updated_at <= ${before}
        order by updated_at limit ${limit})
      union all
      (select id, 'task', updated_at from task
        where workspace_id = ${ws} and sensitivity = 'restricted' and updated_at <= ${before}
        order by updated_at limit ${limit})
      union all
      (select id, 'event', recorded_at from event
        where workspace_id = ${ws} and sensitivity = 'restricted' and recorded_at <= ${before}
        order by recorded_at limit ${limit})
    ) old order by updated_at, id limit ${limit}`;
}

/** Takes from the record of a session what its content was about: title, tags, metadata. */
export async function blankSession(tx: Tx, id: string): Promise<void> {
  await tx.sql`
    update session set title = null, tags = '{}', metadata = '{}' where workspace_id = ${tx.workspaceId} and id = ${id}`;
}
