/** Statements on `entity_block`: candidates for names that are near, found by what near names share. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Tx } from "../tx.ts";
import { unitColumns, type UnitRow } from "./unit_columns.ts";

export interface EntityBlockRow {
  readonly block: number;
  readonly entityId: string;
  readonly sensitivity: Sensitivity;
}

export async function insertBlocks(tx: Tx, rows: readonly EntityBlockRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.sql`
    insert into entity_block (workspace_id, block, entity_id, sensitivity)
    select ${tx.workspaceId}, block, entity_id, sensitivity::sensitivity
      from unnest(${rows.map((row) => row.block)}::float8[]::bigint[], ${rows.map((row) => row.entityId)}::uuid[],
                  ${rows.map((row) => row.sensitivity)}::text[]) as t(block, entity_id, sensitivity)
        on conflict do nothing`;
}

export async function deleteBlocks(tx: Tx, entityIds: readonly string[]): Promise<void> {
  await tx.sql`
    delete from entity_block
     where workspace_id = ${tx.workspaceId} and entity_id = any(${entityIds as string[]}::uuid[])`;
}

/** The blocks to look for, each with the place of its name in the batch. */
export interface WantedBlocks {
  readonly places: readonly number[];
  readonly blocks: readonly number[];
}

export interface BlockLimits {
  /** The most entities that are read for one block. */
  readonly perBlock: number;
  /** The most entities that are kept for one place. */
  readonly perPlace: number;
}

/** The entities that share most blocks with each place. A batch costs one round trip, and no more than its limits. */
export async function findSharing(
  tx: Tx,
  wanted: WantedBlocks,
  limits: BlockLimits,
): Promise<{ place: number; entityId: string }[]> {
  // With a LIMIT the planner may prefer to scan the whole table, which is slow when a block has no rows.
  const [, found] = await Promise.all([
    setScans(tx, "off"),
    tx.sql<{ place: number; entityId: string }[]>`
    with hit as (
      select w.place, b.entity_id, count(*) as shared
        from unnest(${wanted.places as number[]}::int[], ${wanted.blocks as number[]}::float8[]::bigint[])
             as w(place, block)
       cross join lateral (
         select entity_id from entity_block
          where workspace_id = ${tx.workspaceId} and block = w.block
          limit ${limits.perBlock}) b
       group by w.place, b.entity_id
    )
    select place, entity_id as "entityId"
      from (select *, row_number() over (partition by place order by shared desc, entity_id) as nth from hit) ranked
     where nth <= ${limits.perPlace}`.execute(),
    setScans(tx, "on"),
  ]);
  return found;
}

/** Sets whether the planner may use sequential and bitmap scans for the transaction's next statements. */
function setScans(tx: Tx, to: "on" | "off") {
  return tx.sql`select set_config('enable_seqscan', ${to}, true), set_config('enable_bitmapscan', ${to}, true)`
    .execute();
}

/** Entities by id, one look-up each, also where the table has no statistics yet. */
export async function readEntities<Body = UnitRow["body"]>(tx: Tx, ids: readonly string[]): Promise<UnitRow<Body>[]> {
  return await tx.sql<UnitRow<Body>[]>`
    select ${unitColumns(tx.sql)}
      from unnest(${ids as string[]}::uuid[]) as w(id)
     cross join lateral (
       select * from unit where workspace_id = ${tx.workspaceId} and id = w.id offset 0) u
     where u.type = 'entity'`;
}
