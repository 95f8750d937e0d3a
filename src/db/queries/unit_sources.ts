/**
 * What units rest on, and truth maintenance. The functions in `svc_system` reach beyond the transaction's clearance and
 * give back references only, which the change feed needs.
 */
import type { Sensitivity } from "../../schema/common.ts";
import type { UnitType } from "../../schema/unit.ts";
import type { Tx } from "../scope.ts";

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

export async function deleteSources(tx: Tx, unitId: string, kind: SourceKind): Promise<void> {
  await tx.sql`
    delete from unit_source where workspace_id = ${tx.workspaceId} and unit_id = ${unitId} and kind = ${kind}`;
}

/** A unit whose flags were changed. */
export interface TouchedUnit {
  readonly id: string;
  readonly type: UnitType;
  readonly version: number;
  readonly sensitivity: Sensitivity;
}

/** Marks everything that rests on the units as stale, transitively. */
export async function markStale(tx: Tx, ids: readonly string[]): Promise<TouchedUnit[]> {
  return await tx.sql<TouchedUnit[]>`
    select id, type, version, sensitivity from svc_system.mark_stale(${ids as string[]}::uuid[])`;
}

/** Clears the mark where everything that a unit rests on stands again, transitively. */
export async function markFresh(tx: Tx, ids: readonly string[]): Promise<TouchedUnit[]> {
  return await tx.sql<TouchedUnit[]>`
    select id, type, version, sensitivity from svc_system.mark_fresh(${ids as string[]}::uuid[])`;
}

/** Lowers the trust of everything derived from a unit to `score`, transitively. */
export async function capTrust(tx: Tx, id: string, score: number): Promise<TouchedUnit[]> {
  return await tx.sql<TouchedUnit[]>`
    select id, type, version, sensitivity from svc_system.cap_trust(${id}, ${score})`;
}
