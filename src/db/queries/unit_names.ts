/** Statements that write `unit_name`: the names of units, by which recall finds the units that a query names. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Tx } from "../tx.ts";
import { unitColumns, type UnitRow } from "./unit_columns.ts";

/** The source of a name: the unit's own name, another name of it, or a tag. */
export type NameSource = "name" | "alias" | "tag";

export interface UnitNameRow {
  readonly unitId: string;
  readonly unitType: string;
  readonly key: string;
  readonly words: string;
  readonly source: NameSource;
  readonly sensitivity: Sensitivity;
  readonly since: Date;
}

/** Gives units names. A name that a unit has since the same time already is in force again. */
export async function insertUnitNames(tx: Tx, names: readonly UnitNameRow[]): Promise<void> {
  if (names.length === 0) return;
  await tx.sql`
    insert into unit_name (workspace_id, unit_id, unit_type, name_key, name_words, source, sensitivity, since)
    select ${tx.workspaceId}, n.unit_id, n.unit_type, n.name_key, n.name_words, n.source, n.sensitivity::sensitivity, n.since
      from unnest(${names.map((name) => name.unitId)}::uuid[], ${names.map((name) => name.unitType)}::text[],
                  ${names.map((name) => name.key)}::text[], ${names.map((name) => name.words)}::text[],
                  ${names.map((name) => name.source)}::text[], ${names.map((name) => name.sensitivity)}::text[],
                  ${names.map((name) => name.since.toISOString())}::timestamptz[])
             as n(unit_id, unit_type, name_key, name_words, source, sensitivity, since)
     where not exists (
       select from unit_name o
        where o.workspace_id = ${tx.workspaceId} and o.unit_id = n.unit_id and o.name_key = n.name_key collate "C"
          and o.source = n.source and o.until is null)
        on conflict (workspace_id, unit_id, name_key, source, since) do update set until = null`;
}

/** The names that a unit has from now on; others end, for reads of what was known before. */
export interface RenewedNames {
  readonly unitId: string;
  readonly sensitivity: Sensitivity;
  readonly at: Date;
  readonly names: readonly UnitNameRow[];
}

export async function renewUnitNames(tx: Tx, units: readonly RenewedNames[]): Promise<void> {
  const kept = units.flatMap(({ names }) => names);
  await tx.sql`
    update unit_name o set until = c.at
      from unnest(${units.map((unit) => unit.unitId)}::uuid[], ${
    units.map((unit) => unit.at.toISOString())
  }::timestamptz[])
             as c(unit_id, at)
     where o.workspace_id = ${tx.workspaceId} and o.unit_id = c.unit_id and o.until is null
       and not exists (
         select from unnest(${kept.map((name) => name.unitId)}::uuid[], ${kept.map((name) => name.key)}::text[],
                            ${kept.map((name) => name.source)}::text[]) as k(unit_id, name_key, source)
          where k.unit_id = o.unit_id and k.name_key = o.name_key collate "C" and k.source = o.source)`;
  await tx.sql`
    update unit_name o set sensitivity = c.sensitivity::sensitivity
      from unnest(${units.map((unit) => unit.unitId)}::uuid[], ${units.map((unit) => unit.sensitivity)}::text[])
             as c(unit_id, sensitivity)
     where o.workspace_id = ${tx.workspaceId} and o.unit_id = c.unit_id and o.until is null
       and o.sensitivity <> c.sensitivity::sensitivity`;
  await insertUnitNames(tx, kept);
}

/** Raises all names of a unit, also former ones, to a sensitivity. */
export async function raiseUnitNames(tx: Tx, unitId: string, to: Sensitivity): Promise<void> {
  await tx.sql`
    update unit_name set sensitivity = ${to}
     where workspace_id = ${tx.workspaceId} and unit_id = ${unitId} and sensitivity < ${to}::sensitivity`;
}

/**
 * The number of the rule by which names are stored. Raise it when a name gets other keys, and let a migration renew the index
 * `unit_unnamed`, so that a worker stores the names of older units again. A rule may only add keys.
 */
export const NAMES_RULE = 2;

/** Units whose names an earlier build did not store, locked; those that somebody else holds are passed over. */
export async function lockUnnamed(tx: Tx, limit: number): Promise<UnitRow[]> {
  return await tx.sql<UnitRow[]>`
    select ${unitColumns(tx.sql)} from unit u
     where u.workspace_id = ${tx.workspaceId} and u.names_rule < 2
     order by u.id limit ${limit} for update of u skip locked`;
}

/** Marks units whose names are stored. */
export async function markNamed(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.sql`
    update unit set names_rule = ${NAMES_RULE} where workspace_id = ${tx.workspaceId} and id = any(${ids as string[]}::uuid[])`;
}
