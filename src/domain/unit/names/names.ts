/**
 * Stores the names of entities. The ledger calls this for every write of an entity, by the API, an import or a merge, so
 * that the stored names always match the entities.
 */
import type { Tx } from "../../../db/tx.ts";
import { linkMerge, raiseMerges, unlinkMerge } from "../../../db/queries/entity_merges.ts";
import { deleteBlocks, type EntityBlockRow, insertBlocks } from "../../../db/queries/entity_blocks.ts";
import * as queries from "../../../db/queries/entity_names.ts";
import type { EntityNameRow } from "../../../db/queries/entity_names.ts";
import { ServiceError } from "../../../errors.ts";
import type { UnitRow } from "../../../db/queries/unit_columns.ts";
import { nameKey, nameKeys } from "../../../language/names.ts";
import { rulesOf } from "../rules.ts";
import { blocksOf } from "./blocks.ts";
import { shapeOf } from "./near.ts";

/** The names in the body of a unit that has names. */
export type NamedBody = {
  readonly canonicalName: string;
  readonly entityType: string;
  readonly aliases: readonly string[];
  /** If it was merged, the id of the unit into which it was merged, which itself may have been merged since. */
  readonly mergedInto: string | null;
};

/** The columns from which the rows in the tables of names are computed. */
export type NamedUnit = Pick<UnitRow<NamedBody>, "id" | "status" | "sensitivity" | "body">;

/** Whether a unit has names of its own. */
export function isNamed(unit: UnitRow<unknown>): unit is UnitRow<NamedBody> {
  return rulesOf(unit.type).isNamed === true;
}

/** The id of the unit into which a unit was merged; null if it was not merged. */
export function mergedInto(unit: UnitRow<unknown>): string | null {
  return isNamed(unit) ? unit.body.mergedInto : null;
}

/** The rows of an entity's names. A merged one has none, because its survivor has them as aliases. */
export function namesOf({ id, status, sensitivity, body }: NamedUnit): EntityNameRow[] {
  if (status === "merged") return [];
  const own = nameKey(body.canonicalName);
  const { entityType } = body;
  return nameKeys([body.canonicalName, ...body.aliases]).map((key) => ({
    nameKey: key,
    entityId: id,
    kind: key === own ? "name" : "alias",
    entityType,
    status,
    sensitivity,
  }));
}

function blockRowsOf({ id: entityId, status, sensitivity, body }: NamedUnit): EntityBlockRow[] {
  if (status === "merged") return [];
  const names = [body.canonicalName, ...body.aliases];
  const blocks = new Set(names.flatMap((name) => blocksOf(shapeOf(name), body.entityType).kept));
  return [...blocks].map((block) => ({ block, entityId, sensitivity }));
}

/**
 * Renews the names of an entity that was revised.
 * @throws ServiceError `conflict`
 */
export async function renewNames(tx: Tx, before: NamedUnit, after: NamedUnit): Promise<void> {
  const toKey = ({ status, sensitivity, body }: NamedUnit) =>
    JSON.stringify([status, sensitivity, body.canonicalName, body.entityType, body.aliases]);
  if (before.sensitivity !== after.sensitivity) await raiseMerges(tx, after.id, after.sensitivity);
  if (before.status === "merged" && after.status !== "merged") await unlinkMerge(tx, after.id);
  if (toKey(before) === toKey(after)) return;
  await queries.deleteNames(tx, [after.id]);
  await deleteBlocks(tx, [after.id]);
  await storeNames(tx, [after]);
}

/** Moves the names of an entity to its new sensitivity, except a name that another entity has there already. */
export async function raiseNames(tx: Tx, entity: NamedUnit): Promise<void> {
  await queries.deleteNames(tx, [entity.id]);
  await deleteBlocks(tx, [entity.id]);
  await queries.insertNames(tx, namesOf(entity));
  await insertBlocks(tx, blockRowsOf(entity));
}

/**
 * Stores the names of entities that have none stored.
 * @throws ServiceError `conflict` when one would have the name, type and sensitivity of another.
 */
export async function storeNames(tx: Tx, rows: readonly NamedUnit[]): Promise<void> {
  for (const { id: sourceId, status, sensitivity, body } of rows) {
    if (status !== "merged" || body.mergedInto === null) continue;
    await linkMerge(tx, { sourceId, survivorId: body.mergedInto, sensitivity });
  }
  const names = rows.flatMap(namesOf);
  if (names.length === 0) return;
  const given = await queries.insertNames(tx, names);
  await insertBlocks(tx, rows.flatMap(blockRowsOf));
  if (given.length === names.length) return;
  const has = new Set(given.map((name) => `${name.entityId} ${name.nameKey}`));
  const [refused] = names.filter((name) => !has.has(`${name.entityId} ${name.nameKey}`));
  const [holder] = (await queries.findNames(tx, [refused!.nameKey])).filter((name) =>
    name.kind === "name" && name.entityType === refused!.entityType && name.sensitivity === refused!.sensitivity
  );
  throw new ServiceError(
    "conflict",
    `Cannot store the entity: ${holder?.entityId ?? "another"}, ${holder?.status ?? "here"}, has its name and type`,
    { ...(holder && { extra: { entityId: holder.entityId } }) },
  );
}
