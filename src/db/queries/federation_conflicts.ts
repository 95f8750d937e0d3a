/** Statements on `federation_conflict`: versions of other instances that contradict the version shown here. */
import type { Sensitivity } from "../../schema/common.ts";
import type { ItemName, ItemType } from "../../schema/federation_item.ts";
import type { ConflictResolution } from "../../schema/federation_peer.ts";
import type { Sql, Tx } from "../tx.ts";
import { splitNames } from "./federation_versions.ts";

export type ConflictState = "contested" | "resolved" | "dismissed";

/** What an instance answered when it was asked which version of an item it shows. Times are RFC 3339. */
export interface ClaimedWord {
  readonly askedAt: string;
  /** Null: it shows no version of the item, or does not say which. */
  readonly word: { readonly version: number; readonly hash: string; readonly updatedAt: string } | null;
}

/** A conflict about one item with one writer. */
export interface ConflictRow {
  readonly id: string;
  readonly origin: ItemName;
  /** The instance whose version contradicts the version shown here. */
  readonly writer: string;
  readonly type: ItemType;
  readonly state: ConflictState;
  readonly unitId: string;
  /** The unit that holds the other version; null if no unit does. */
  readonly otherUnitId: string | null;
  readonly strategy: ConflictResolution;
  /** The claims of instances that have no version of their own in the register, by instance. */
  readonly claims: Readonly<Record<string, ClaimedWord>>;
  readonly reviewItemId: string | null;
  readonly taskId: string | null;
  readonly sensitivity: Sensitivity;
  readonly resolution: Readonly<Record<string, unknown>> | null;
  readonly openedAt: Date;
  readonly resolvedAt: Date | null;
  readonly resolvedBy: string | null;
}

function columns(sql: Sql) {
  return sql`
    c.id, jsonb_build_object('instance', c.origin_instance, 'id', c.origin_id) as origin, c.writer, c.type, c.state,
    c.unit_id as "unitId", c.other_unit_id as "otherUnitId", c.strategy, c.claims,
    c.review_item_id as "reviewItemId", c.task_id as "taskId", c.sensitivity,
    c.resolution, c.opened_at as "openedAt", c.resolved_at as "resolvedAt", c.resolved_by as "resolvedBy"`;
}

/** Lists the open conflicts about some items. */
export async function findOpenConflicts(tx: Tx, names: readonly ItemName[]): Promise<ConflictRow[]> {
  if (names.length === 0) return [];
  const [instances, ids] = splitNames(names);
  return await tx.sql<ConflictRow[]>`
    select ${columns(tx.sql)}
      from unnest(${instances}::text[], ${ids}::uuid[]) as n(instance, id)
      join federation_conflict c
        on c.workspace_id = ${tx.workspaceId} and c.origin_instance = n.instance and c.origin_id = n.id
     where c.state = 'contested' order by c.id`;
}

/** Lists the open conflicts about items with this id, at whatever instance they began. */
export async function findOpenConflictsOf(tx: Tx, originId: string): Promise<ConflictRow[]> {
  return await tx.sql<ConflictRow[]>`
    select ${columns(tx.sql)} from federation_conflict c
     where c.workspace_id = ${tx.workspaceId} and c.origin_id = ${originId} and c.state = 'contested' order by c.id`;
}

/**
 * Lists contested items about which a peer is to be asked: those in conflict with some writers, about which the peer
 * published nothing, and about which it was not asked since `askedBefore` and since their last version arrived. The
 * items about which it was asked longest ago come first.
 */
export async function listUnasked(
  tx: Tx,
  { peer, writers, clearance, askedBefore, limit }: {
    readonly peer: string;
    readonly writers: readonly string[];
    /** An item above it is not named to the peer. */
    readonly clearance: Sensitivity;
    readonly askedBefore: Date;
    readonly limit: number;
  },
): Promise<ItemName[]> {
  return await tx.sql<ItemName[]>`
    select c.origin_instance as instance, c.origin_id as id
      from federation_conflict c
      join lateral (
        select coalesce(bool_or(v.writer = ${peer}), false) as is_known, max(v.received_at) as received_at
          from federation_version v
         where v.workspace_id = c.workspace_id and v.origin_instance = c.origin_instance and v.origin_id = c.origin_id
      ) v on not v.is_known
     where c.workspace_id = ${tx.workspaceId} and c.state = 'contested' and c.writer = any(${writers as string[]}::text[])
     group by c.origin_instance, c.origin_id
    having max(c.sensitivity) <= ${clearance}::sensitivity
       and coalesce(min((c.claims -> ${peer}::text ->> 'askedAt')::timestamptz), '-infinity')
             < greatest(${askedBefore}::timestamptz, max(v.received_at))
     order by min((c.claims -> ${peer}::text ->> 'askedAt')::timestamptz) nulls first, 1, 2
     limit ${limit}`;
}

/** Finds the conflict that a review item asks about. */
export async function findConflictOfReview(tx: Tx, reviewItemId: string): Promise<ConflictRow | undefined> {
  const [row] = await tx.sql<ConflictRow[]>`
    select ${columns(tx.sql)} from federation_conflict c
     where c.workspace_id = ${tx.workspaceId} and c.review_item_id = ${reviewItemId}
     order by c.opened_at desc limit 1`;
  return row;
}

/** Lists conflicts by id, which is the order in which they were opened. */
export async function listConflicts(
  tx: Tx,
  filter: {
    readonly states: readonly ConflictState[];
    readonly writer: string | undefined;
    readonly order: "asc" | "desc";
    readonly after: string | undefined;
    readonly limit: number;
  },
): Promise<ConflictRow[]> {
  const { sql } = tx;
  const { states, writer, order, after, limit } = filter;
  return await sql<ConflictRow[]>`
    select ${columns(sql)} from federation_conflict c
     where c.workspace_id = ${tx.workspaceId} and c.state = any(${states as string[]}::text[])
       ${writer === undefined ? sql`` : sql`and c.writer = ${writer}`}
       ${after === undefined ? sql`` : order === "asc" ? sql`and c.id > ${after}` : sql`and c.id < ${after}`}
     order by c.id ${order === "asc" ? sql`asc` : sql`desc`} limit ${limit}`;
}

/** Inserts a conflict, or replaces the stored one of the same id. */
export async function saveConflict(tx: Tx, row: ConflictRow): Promise<void> {
  const { sql } = tx;
  const json = (value: unknown) => value === null ? null : sql.json(value);
  await sql`
    insert into federation_conflict (
      workspace_id, id, origin_instance, origin_id, writer, type, state, unit_id, other_unit_id, strategy, claims,
      review_item_id, task_id, sensitivity, resolution, opened_at, resolved_at, resolved_by)
    values (
      ${tx.workspaceId}, ${row.id}, ${row.origin.instance}, ${row.origin.id}, ${row.writer}, ${row.type}, ${row.state},
      ${row.unitId}, ${row.otherUnitId}, ${row.strategy}, ${json(row.claims)},
      ${row.reviewItemId}, ${row.taskId}, ${row.sensitivity}, ${json(row.resolution)}, ${row.openedAt},
      ${row.resolvedAt}, ${row.resolvedBy})
    on conflict (workspace_id, id) do update set
      state = excluded.state, unit_id = excluded.unit_id, other_unit_id = excluded.other_unit_id,
      strategy = excluded.strategy, claims = excluded.claims,
      review_item_id = excluded.review_item_id, task_id = excluded.task_id,
      sensitivity = excluded.sensitivity, resolution = excluded.resolution, resolved_at = excluded.resolved_at,
      resolved_by = excluded.resolved_by`;
}

/** Deletes all conflicts about an item that was erased. */
export async function deleteConflicts(tx: Tx, name: ItemName): Promise<void> {
  await tx.sql`
    delete from federation_conflict
     where workspace_id = ${tx.workspaceId} and origin_instance = ${name.instance} and origin_id = ${name.id}`;
}

/** Deletes all conflicts about the item with this local id, and returns them. */
export async function deleteConflictsOf(tx: Tx, unitId: string): Promise<ConflictRow[]> {
  return await tx.sql<ConflictRow[]>`
    delete from federation_conflict c where c.workspace_id = ${tx.workspaceId} and c.unit_id = ${unitId}
    returning ${columns(tx.sql)}`;
}
