/**
 * The sources of units, and truth maintenance. The functions in `svc_system` go beyond the transaction's clearance and
 * return only references, which the change feed needs.
 */
import type { Sensitivity } from "../../schema/common.ts";
import type { UnitType } from "../../schema/unit.ts";
import { FALLEN_STATUSES } from "../../schema/unit_state.ts";
import type { Tx } from "../tx.ts";

export type SourceKind = "derived_from" | "evidence";

export interface SourceLink {
  readonly unitId: string;
  readonly sourceId: string;
  readonly kind: SourceKind;
}

export async function insertSources(tx: Tx, links: readonly SourceLink[]): Promise<void> {
  await tx.sql`
    insert into unit_source (workspace_id, source_id, unit_id, kind)
    select ${tx.workspaceId}, source_id, unit_id, kind
      from unnest(${links.map((link) => link.sourceId)}::uuid[], ${links.map((link) => link.unitId)}::uuid[],
                  ${links.map((link) => link.kind)}::text[]) as t(source_id, unit_id, kind)
        on conflict do nothing`;
}

/** The sources that some units rest on, directly or not; the walk also goes through sources above the clearance. */
export async function listSourcesBelow(
  tx: Tx,
  unitIds: readonly string[],
): Promise<{ unitId: string; sourceId: string }[]> {
  return await tx.sql<{ unitId: string; sourceId: string }[]>`
    with recursive below as (
      select unit_id, source_id from unit_source
       where workspace_id = ${tx.workspaceId} and unit_id = any(${unitIds as string[]}::uuid[])
      union
      select s.unit_id, s.source_id from below b
        join unit_source s on s.workspace_id = ${tx.workspaceId} and s.unit_id = b.source_id
    )
    select unit_id as "unitId", source_id as "sourceId" from below`;
}

/**
 * Makes units rest on the given links and no others of that kind. Sources that the transaction
 * cannot see are neither added nor removed.
 */
export async function replaceSources(
  tx: Tx,
  unitIds: readonly string[],
  kind: SourceKind,
  links: readonly Omit<SourceLink, "kind">[],
): Promise<void> {
  const { sql, workspaceId } = tx;
  const wanted = sql`
    unnest(${links.map((link) => link.unitId)}::uuid[], ${links.map((link) => link.sourceId)}::uuid[])
      as w(unit_id, source_id)`;
  await sql`
    delete from unit_source s
     where s.workspace_id = ${workspaceId} and s.unit_id = any(${unitIds as string[]}::uuid[]) and s.kind = ${kind}
       and not exists (select from ${wanted} where w.unit_id = s.unit_id and w.source_id = s.source_id)`;
  await sql`
    insert into unit_source (workspace_id, source_id, unit_id, kind)
    select ${workspaceId}, u.id, w.unit_id, ${kind}
      from ${wanted} join unit u on u.workspace_id = ${workspaceId} and u.id = w.source_id
        on conflict do nothing`;
}

/** Deletes the links from units to their sources, before the caller writes them again. */
export async function deleteAllSources(tx: Tx, unitIds: readonly string[]): Promise<void> {
  await tx.sql`
    delete from unit_source
     where workspace_id = ${tx.workspaceId} and unit_id = any(${unitIds as string[]}::uuid[])`;
}

/**
 * Returns those of some units that rest on a unit, directly or not; the walk also goes through units above the
 * clearance.
 */
export async function findResting(tx: Tx, unitId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.sql<{ id: string }[]>`
    select n.id from unnest(${ids as string[]}::uuid[]) as n(id)
     where exists (
       with recursive below as (
         select source_id from unit_source where workspace_id = ${tx.workspaceId} and unit_id = n.id
         union
         select s.source_id from below b
           join unit_source s on s.workspace_id = ${tx.workspaceId} and s.unit_id = b.source_id
       )
       select from below where source_id = ${unitId})`;
  return rows.map((row) => row.id);
}

/** Units that were derived from some, directly or not, as far as they are visible; at most `limit` are visited. */
export async function findDerived(tx: Tx, ids: readonly string[], limit: number): Promise<string[]> {
  const rows = await tx.sql<{ id: string }[]>`
    with recursive derived as (
      select unit_id from unit_source
       where workspace_id = ${tx.workspaceId} and source_id = any(${ids as string[]}::uuid[]) and kind = 'derived_from'
      union
      select s.unit_id from derived d
        join unit_source s on s.workspace_id = ${tx.workspaceId} and s.source_id = d.unit_id and s.kind = 'derived_from'
    ), first as (select unit_id from derived limit ${limit})
    select u.id from first join unit u on u.workspace_id = ${tx.workspaceId} and u.id = first.unit_id order by u.id`;
  return rows.map((row) => row.id);
}

/** Deletes the links of less sensitive units and relations to a unit that is erased. */
export async function unlinkBelow(
  tx: Tx,
  source: { readonly id: string; readonly sensitivity: Sensitivity },
): Promise<void> {
  // Lists in place of joins, which take as long as all units squared while the tables have no statistics.
  await tx.sql`
    delete from unit_source
     where workspace_id = ${tx.workspaceId} and source_id = ${source.id} and unit_id = any(array(
       select id from unit
        where workspace_id = ${tx.workspaceId} and sensitivity < ${source.sensitivity}::sensitivity and id = any(array(
          select unit_id from unit_source where workspace_id = ${tx.workspaceId} and source_id = ${source.id}))))`;
  await tx.sql`
    delete from relation_source
     where workspace_id = ${tx.workspaceId} and source_id = ${source.id} and relation_id = any(array(
       select id from relation
        where workspace_id = ${tx.workspaceId} and sensitivity < ${source.sensitivity}::sensitivity and id = any(array(
          select relation_id from relation_source
           where workspace_id = ${tx.workspaceId} and source_id = ${source.id}))))`;
}

/** Finds, for each unit, one invalidated source that is not more sensitive than the unit. */
export async function findFallenSources(
  tx: Tx,
  unitIds: readonly string[],
): Promise<{ unitId: string; sourceId: string; how: string; sensitivity: Sensitivity }[]> {
  const hasFallen = tx.sql`u.status = any(${[...FALLEN_STATUSES]}::text[])`;
  return await tx.sql<{ unitId: string; sourceId: string; how: string; sensitivity: Sensitivity }[]>`
    select distinct on (s.unit_id) s.unit_id as "unitId", s.source_id as "sourceId", u.sensitivity,
           case when ${hasFallen} then u.status else 'stale' end as how
      from unit_source s join unit u on u.workspace_id = ${tx.workspaceId} and u.id = s.source_id
      join unit d on d.workspace_id = ${tx.workspaceId} and d.id = s.unit_id and u.sensitivity <= d.sensitivity
     where s.workspace_id = ${tx.workspaceId} and s.unit_id = any(${unitIds as string[]}::uuid[])
       and (u.stale or ${hasFallen})
     order by s.unit_id, u.stale, s.source_id`;
}

/** The subject of a pass over dependants: whether their sources are valid, or how far these are trusted. */
export type PassKind = "standing" | "trust";

/** A unit whose dependants are examined, from the first or from where an earlier pass ended. */
export interface PassEntry {
  readonly sourceId: string;
  readonly afterId: string;
  /** The unit whose invalidation started the pass, how it was invalidated, and its sensitivity; null if none was. */
  readonly fallenId: string | null;
  readonly how: string | null;
  readonly fallenSensitivity: Sensitivity | null;
}

/** A dependant that a pass examined; `event` is null if the dependant did not change. */
export type SettledLink =
  & { readonly sourceId: string; readonly id: string }
  & (
    | { readonly event: null }
    | {
      readonly event: "stale" | "fresh" | "trust_capped";
      readonly type: UnitType;
      readonly version: number;
      readonly status: string;
      readonly sensitivity: Sensitivity;
      /** How the source was invalidated; null if it is not invalidated. */
      readonly sourceState: string | null;
      readonly sourceSensitivity: Sensitivity | null;
    }
  );

/** Examines up to `limit` dependants, in the order of source and dependant, also above the clearance. */
export async function settleLinks(
  tx: Tx,
  what: PassKind,
  entries: readonly PassEntry[],
  limit: number,
): Promise<SettledLink[]> {
  const { sql } = tx;
  return await sql<SettledLink[]>`
    select source_id as "sourceId", id, type, version, status, sensitivity, event, source_state as "sourceState",
           source_sensitivity as "sourceSensitivity"
      from ${what === "trust" ? sql`svc_system.settle_trust` : sql`svc_system.settle_standing`}(
             ${entries.map((entry) => entry.sourceId)}::uuid[], ${entries.map((entry) => entry.afterId)}::uuid[],
             ${limit}::int)`;
}
