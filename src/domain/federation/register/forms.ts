/** Computes the shared forms of stored units and relations, together with their entries in the register. */
import {
  findByOrigin,
  findItems,
  findItemsOfUnits,
  type ItemRow,
  listGiven,
} from "../../../db/queries/federation_ids.ts";
import { findVersions, findVersionsOfUnits, type VersionRow } from "../../../db/queries/federation_versions.ts";
import { findRelations, type RelationRow } from "../../../db/queries/relations.ts";
import type { UnitRow } from "../../../db/queries/unit_columns.ts";
import { findUnits } from "../../../db/queries/units.ts";
import type { Tx } from "../../../db/tx.ts";
import type { Sensitivity } from "../../../schema/common.ts";
import { type ItemName, type ItemType, writeReference } from "../../../schema/federation_item.ts";
import { findWireNames } from "./item_names.ts";
import { namedByRelation, relationForm } from "./relation_form.ts";
import { hashItem, namedByUnit, type SharedForm, unitForm } from "./shared_form.ts";

/** The present content of a unit or relation, in its shared form. */
export interface StoredForm {
  readonly origin: ItemName;
  readonly type: ItemType;
  readonly unitId: string;
  readonly unitVersion: number;
  readonly updatedAt: Date;
  readonly sensitivity: Sensitivity;
  readonly form: SharedForm;
  readonly hash: string;
  /** The item's row; undefined if no other instance has published a version of it. */
  readonly item: ItemRow | undefined;
  /** The register's entries of the item, of all writers. */
  readonly entries: readonly VersionRow[];
}

/** A unit or relation that is no longer here, with the register's entries of its item. */
export interface GoneItem {
  readonly unitId: string;
  readonly entries: readonly VersionRow[];
}

/**
 * Returns the items for some local ids, with their present forms. A unit that only stands beside its item's shown unit,
 * such as a peer's contested version, is left out.
 */
export async function readForms(
  tx: Tx,
  instance: string,
  ids: readonly string[],
): Promise<{ forms: StoredForm[]; gone: GoneItem[] }> {
  const [units, relations] = await Promise.all([findUnits(tx, ids), findRelations(tx, ids)]);
  const here = new Set([...units, ...relations].map(({ id }) => id));
  const names = await nameItems(tx, instance, units, relations);
  const [entries, items, forms, gone] = await Promise.all([
    findVersions(tx, [...names.values()]),
    findItems(tx, [...names.values()]),
    formsOf(tx, instance, units, relations),
    readGone(tx, ids.filter((id) => !here.has(id))),
  ]);
  const entriesBy = Map.groupBy(entries, ({ origin }) => writeReference(origin));
  const itemsBy = new Map(items.map((item) => [writeReference(item.origin), item]));
  const toStored = (row: UnitRow | RelationRow, type: ItemType): StoredForm[] => {
    const origin = names.get(row.id);
    if (origin === undefined) return [];
    const form = forms.get(row.id)!;
    const reference = writeReference(origin);
    const { version: unitVersion, updatedAt, sensitivity } = row;
    const hash = hashItem(type, origin, form);
    const known = { item: itemsBy.get(reference), entries: entriesBy.get(reference) ?? [] };
    return [{ origin, type, unitId: row.id, unitVersion, updatedAt, sensitivity, form, hash, ...known }];
  };
  return {
    forms: [
      ...units.flatMap((row) => toStored(row, row.type)),
      ...relations.flatMap((row) => toStored(row, "relation")),
    ],
    gone,
  };
}

/** Computes the forms of some rows, by local id. */
export async function formsOf(
  tx: Tx,
  instance: string,
  units: readonly UnitRow[],
  relations: readonly RelationRow[],
): Promise<ReadonlyMap<string, SharedForm>> {
  const given = await listGiven(tx, units.map(({ docNo }) => docNo));
  const givenOf = ({ docNo }: UnitRow) => given.get(docNo) ?? [];
  const named = [...units.flatMap((row) => namedByUnit(row, givenOf(row))), ...relations.flatMap(namedByRelation)];
  const names = await findWireNames(tx, instance, named);
  const write = (id: string) => writeReference(names.get(id)!);
  return new Map([
    ...units.map((row) => [row.id, unitForm(row, givenOf(row), write)] as const),
    ...relations.map((row) => [row.id, relationForm(row, write)] as const),
  ]);
}

/** Returns the items for rows, by local id. A row is left out if another unit is shown for its
 * item.
 */
async function nameItems(
  tx: Tx,
  instance: string,
  units: readonly UnitRow[],
  relations: readonly RelationRow[],
): Promise<ReadonlyMap<string, ItemName>> {
  const names = await findWireNames(tx, instance, [...units, ...relations].map(({ id }) => id));
  const doubtful = units.filter((row) => row.id !== names.get(row.id)!.id).map((row) => names.get(row.id)!);
  const [items, first] = await Promise.all([findItems(tx, doubtful), findByOrigin(tx, doubtful)]);
  const shown = new Map<string, string>();
  for (const { origin, id } of first) if (!shown.has(writeReference(origin))) shown.set(writeReference(origin), id);
  for (const { origin, unitId } of items) shown.set(writeReference(origin), unitId);
  return new Map([...names].filter(([id, name]) => (shown.get(writeReference(name)) ?? id) === id));
}

/** Returns the items of local ids that are no longer here, with their entries in the register. */
async function readGone(tx: Tx, ids: readonly string[]): Promise<GoneItem[]> {
  if (ids.length === 0) return [];
  const [told, items] = await Promise.all([findVersionsOfUnits(tx, ids), findItemsOfUnits(tx, ids)]);
  const idBy = new Map<string, { origin: ItemName; unitId: string }>();
  for (const { origin, unitId } of told) if (unitId !== null) idBy.set(writeReference(origin), { origin, unitId });
  // An item for which another unit stood in is not erased with that unit.
  for (const { origin, unitId, role } of items) {
    if (role === "unit") idBy.set(writeReference(origin), { origin, unitId });
  }
  const known = [...idBy.values()];
  const entries = Map.groupBy(
    await findVersions(tx, known.map(({ origin }) => origin)),
    ({ origin }) => writeReference(origin),
  );
  return known.map(({ origin, unitId }) => ({ unitId, entries: entries.get(writeReference(origin)) ?? [] }));
}
