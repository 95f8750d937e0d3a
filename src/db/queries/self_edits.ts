/** Statements on `self_edit`, its operations and their contents. An edit is read whole; its policy has the clearance. */
import type { Sensitivity } from "../../schema/common.ts";
import type { SelfEditMode } from "../../schema/self_edit.ts";
import type { Sql, Tx } from "../tx.ts";

export type SelfEditSource = "edit" | "reflection" | "revert";
export type StoredOutcome = "pending" | "applied" | "unchanged" | "review" | "declined" | "refused";

export interface NewSelfEdit {
  readonly id: string;
  readonly mode: SelfEditMode;
  readonly source: SelfEditSource;
  readonly reason: string;
  readonly agentId: string | null;
  readonly sensitivity: Sensitivity;
  readonly reverts: string | null;
}

export interface SelfEditRow extends NewSelfEdit {
  readonly version: number;
  readonly revertedBy: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly createdBy: string;
}

/** A version that an operation made; `after` is null if the unit was erased. */
export interface EditedUnit {
  readonly id: string;
  readonly type: string;
  readonly before: number;
  readonly after: number | null;
}

export interface OperationRow {
  readonly position: number;
  readonly op: string;
  readonly ref: string | null;
  readonly outcome: StoredOutcome;
  readonly resourceId: string | null;
  readonly resourceType: string | null;
  readonly versionBefore: number | null;
  readonly versionAfter: number | null;
  readonly changes: readonly EditedUnit[];
  readonly error: Readonly<Record<string, unknown>> | null;
  readonly result: Readonly<Record<string, unknown>> | null;
  readonly reviewItemId: string | null;
}

/** An operation with its request; null if that was erased or is above the clearance. */
export interface StoredOperation extends OperationRow {
  readonly editId: string;
  readonly operation: Readonly<Record<string, unknown>> | null;
}

export interface NewOperation extends OperationRow {
  readonly operation: Readonly<Record<string, unknown>>;
  /** The unit with which the operation's content is erased. */
  readonly unitId: string | null;
}

function editColumns(sql: Sql) {
  return sql`
    e.id, e.version, e.mode, e.source, e.reason, e.agent_id as "agentId", e.sensitivity, e.reverts,
    e.reverted_by as "revertedBy", e.created_at as "createdAt", e.updated_at as "updatedAt",
    e.created_by as "createdBy"`;
}

export async function insertSelfEdit(
  tx: Tx,
  edit: NewSelfEdit,
  operations: readonly NewOperation[],
): Promise<SelfEditRow> {
  const { sql } = tx;
  const [row] = await sql<[SelfEditRow]>`
    insert into self_edit as e (
      workspace_id, id, mode, source, reason, agent_id, sensitivity, reverts, created_at, updated_at, created_by)
    values (${tx.workspaceId}, ${edit.id}, ${edit.mode}, ${edit.source}, ${edit.reason}, ${edit.agentId},
            ${edit.sensitivity}, ${edit.reverts}, ${tx.now}, ${tx.now}, ${tx.actor})
    returning ${editColumns(sql)}`;
  const rows = operations.map(toColumns);
  await sql`
    with added as (
      insert into self_edit_operation (
        workspace_id, edit_id, position, op, ref, outcome, resource_id, resource_type, version_before, version_after,
        changes, error, result, review_item_id)
      select ${tx.workspaceId}, ${edit.id}, n.position, n.op, n.ref, n.outcome, n.resource_id, n.resource_type,
             n.version_before, n.version_after, n.changes, n.error, n.result, n.review_item_id
        from jsonb_populate_recordset(null::self_edit_operation, ${sql.json(rows)}) n
      returning position
    )
    insert into self_edit_content (workspace_id, edit_id, position, unit_id, operation)
    select ${tx.workspaceId}, ${edit.id}, c.position, c.unit_id, c.operation
      from jsonb_to_recordset(${sql.json(contentsOf(operations))})
             as c(position int, unit_id uuid, operation jsonb)
      join added a on a.position = c.position`;
  return row;
}

function toColumns(operation: OperationRow) {
  return {
    position: operation.position,
    op: operation.op,
    ref: operation.ref,
    outcome: operation.outcome,
    resource_id: operation.resourceId,
    resource_type: operation.resourceType,
    version_before: operation.versionBefore,
    version_after: operation.versionAfter,
    changes: operation.changes,
    error: operation.error,
    result: operation.result,
    review_item_id: operation.reviewItemId,
  };
}

function contentsOf(operations: readonly NewOperation[]) {
  return operations.map(({ position, unitId, operation }) => ({ position, unit_id: unitId, operation }));
}

/** Writes the outcomes of operations, and the units with which their contents are erased. */
export async function updateOperations(
  tx: Tx,
  editId: string,
  operations: readonly (OperationRow & { readonly unitId: string | null })[],
): Promise<void> {
  const { sql } = tx;
  const rows = operations.map(toColumns);
  await sql`
    update self_edit_operation o
       set outcome = n.outcome, resource_id = n.resource_id, resource_type = n.resource_type,
           version_before = n.version_before, version_after = n.version_after, changes = n.changes, error = n.error,
           result = n.result, review_item_id = n.review_item_id
      from jsonb_populate_recordset(null::self_edit_operation, ${sql.json(rows)}) n
     where o.workspace_id = ${tx.workspaceId} and o.edit_id = ${editId} and o.position = n.position`;
  const links = operations.map(({ position, unitId }) => ({ position, unit_id: unitId }));
  await sql`
    update self_edit_content c set unit_id = n.unit_id
      from jsonb_to_recordset(${sql.json(links)}) as n(position int, unit_id uuid)
     where c.workspace_id = ${tx.workspaceId} and c.edit_id = ${editId} and c.position = n.position`;
}

/** Notes a further step of an edit, and raises its sensitivity if that of a unit that it touched is higher. */
export async function touchSelfEdit(
  tx: Tx,
  id: string,
  changes: { readonly sensitivity?: Sensitivity; readonly revertedBy?: string | null } = {},
): Promise<SelfEditRow> {
  const { sql } = tx;
  const [row] = await sql<[SelfEditRow]>`
    update self_edit e
       set version = e.version + 1, updated_at = ${tx.now}
           ${
    changes.sensitivity === undefined
      ? sql``
      : sql`, sensitivity = greatest(e.sensitivity, ${changes.sensitivity}::sensitivity)`
  }
           ${changes.revertedBy === undefined ? sql`` : sql`, reverted_by = ${changes.revertedBy}`}
     where e.workspace_id = ${tx.workspaceId} and e.id = ${id} returning ${editColumns(sql)}`;
  return row;
}

/** Raises the edits about a unit to its new sensitivity, because they contain what it says. */
export async function raiseSelfEdits(tx: Tx, unitId: string, to: Sensitivity): Promise<void> {
  await tx.sql`
    update self_edit e set sensitivity = ${to}
     where e.workspace_id = ${tx.workspaceId} and e.sensitivity < ${to}::sensitivity
       and e.id in (select o.edit_id from self_edit_operation o
                     where o.workspace_id = ${tx.workspaceId} and o.resource_id = ${unitId})`;
}

export async function findSelfEdit(
  tx: Tx,
  id: string,
  options: { readonly lock?: boolean } = {},
): Promise<SelfEditRow | undefined> {
  const { sql } = tx;
  const [row] = await sql<SelfEditRow[]>`
    select ${editColumns(sql)} from self_edit e where e.workspace_id = ${tx.workspaceId} and e.id = ${id}
      ${options.lock === true ? sql`for update` : sql``}`;
  return row;
}

/** The operations of edits that the transaction has seen, in order. */
export async function listOperations(tx: Tx, editIds: readonly string[]): Promise<StoredOperation[]> {
  if (editIds.length === 0) return [];
  return await tx.sql<StoredOperation[]>`
    select o.edit_id as "editId", o.position, o.op, o.ref, o.outcome, o.resource_id as "resourceId",
           o.resource_type as "resourceType", o.version_before as "versionBefore", o.version_after as "versionAfter",
           o.changes, o.error, o.result, o.review_item_id as "reviewItemId",
           case when (c.unit_id is null or u.id is not null) and c.operation -> 'erased' is null then c.operation end as operation
      from self_edit_operation o
      left join self_edit_content c
        on c.workspace_id = o.workspace_id and c.edit_id = o.edit_id and c.position = o.position
      left join unit u on u.workspace_id = c.workspace_id and u.id = c.unit_id
     where o.workspace_id = ${tx.workspaceId} and o.edit_id = any(${editIds as string[]}::uuid[])
     order by o.edit_id, o.position`;
}

export interface SelfEditFilter {
  readonly agentId: string | undefined;
  readonly unitId: string | undefined;
  readonly sources: readonly SelfEditSource[] | undefined;
  readonly outcomes: readonly string[] | undefined;
  readonly reverted: boolean | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly order: "asc" | "desc";
  readonly after: string | undefined;
  readonly limit: number;
}

/** Edits in the order in which they were made. */
export async function listSelfEdits(tx: Tx, filter: SelfEditFilter): Promise<SelfEditRow[]> {
  const { sql } = tx;
  const { agentId, unitId, sources, outcomes, reverted, from, to, after, order } = filter;
  const hasOperation = (condition: ReturnType<Sql>) =>
    sql`and exists (select from self_edit_operation o
                     where o.workspace_id = ${tx.workspaceId} and o.edit_id = e.id and ${condition})`;
  const nothing = sql``;
  return await sql<SelfEditRow[]>`
    select ${editColumns(sql)} from self_edit e
     where e.workspace_id = ${tx.workspaceId}
       ${agentId === undefined ? nothing : sql`and e.agent_id = ${agentId}`}
       ${sources === undefined ? nothing : sql`and e.source = any(${sources as string[]}::text[])`}
       ${
    reverted === undefined ? nothing : reverted ? sql`and e.reverted_by is not null` : sql`and e.reverted_by is null`
  }
       ${from === undefined ? nothing : sql`and e.created_at >= ${from}`}
       ${to === undefined ? nothing : sql`and e.created_at < ${to}`}
       ${outcomes === undefined ? nothing : hasOperation(sql`o.outcome = any(${outcomes as string[]}::text[])`)}
       ${
    unitId === undefined ? nothing : sql`and e.id in (
         select o.edit_id from self_edit_operation o
          where o.workspace_id = ${tx.workspaceId} and o.resource_id = ${unitId})`
  }
       ${after === undefined ? nothing : order === "asc" ? sql`and e.id > ${after}` : sql`and e.id < ${after}`}
     order by e.id ${order === "asc" ? sql`asc` : sql`desc`} limit ${filter.limit}`;
}
