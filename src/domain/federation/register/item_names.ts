/** Maps between the names of items, which are the same on all instances, and the ids that they have here. */
import { uuidv7 } from "../../../crypto/ids.ts";
import {
  findByOrigin,
  findItems,
  findItemsOfUnits,
  findOrigins,
  findTaken,
  type ItemRow,
  saveItems,
} from "../../../db/queries/federation_ids.ts";
import { lockNames } from "../../../db/queries/units.ts";
import type { Tx } from "../../../db/tx.ts";
import { isInstanceId, type ItemName, writeReference } from "../../../schema/federation_item.ts";
import { deriveId } from "../../transfer/id_map.ts";

/**
 * Returns the items for some local ids. An id without an origin that could be an instance, such as a relation's or that
 * of a unit from a foreign file, began here.
 * @param prefer if two items stand for one unit, the instance whose item is chosen
 */
export async function findWireNames(
  tx: Tx,
  instance: string,
  ids: readonly string[],
  prefer?: string,
): Promise<ReadonlyMap<string, ItemName>> {
  const wanted = [...new Set(ids)];
  const [items, origins] = await Promise.all([findItemsOfUnits(tx, wanted), findOrigins(tx, wanted)]);
  const byUnit = Map.groupBy(items, (item) => item.unitId);
  return new Map(wanted.map((id) => {
    const known = byUnit.get(id) ?? [];
    const item = known.find(({ origin }) => origin.instance === prefer) ??
      known.find(({ role }) => role !== "stand_in");
    const origin = origins.get(id);
    const began = origin !== undefined && isInstanceId(origin.instance) ? origin : { instance, id };
    return [id, item?.origin ?? began];
  }));
}

/** Returns the known local ids of items. Items that have none yet are left out. */
export async function findLocalIds(
  tx: Tx,
  instance: string,
  names: readonly ItemName[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  if (names.length === 0) return found;
  const [items, units, own] = await Promise.all([
    findItems(tx, names),
    findByOrigin(tx, names),
    findTaken(tx, names.filter((name) => name.instance === instance).map((name) => name.id)),
  ]);
  for (const { origin, unitId } of items) found.set(writeReference(origin), unitId);
  for (const { origin, id } of units) if (!found.has(writeReference(origin))) found.set(writeReference(origin), id);
  for (const name of names) {
    const reference = writeReference(name);
    // A relation, a unit from a foreign file, or an erased item.
    if (!found.has(reference) && name.instance === instance && own.has(name.id)) found.set(reference, name.id);
  }
  return found;
}

/**
 * Returns the local ids of items. An item without one gets one, which is reserved at once so that no other item can
 * take it: the item's own id, or, if that is taken, one derived from its origin.
 */
export async function reserveLocalIds(
  tx: Tx,
  instance: string,
  names: readonly ItemName[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = new Map(names.map((name) => [writeReference(name), name]));
  const known = await findLocalIds(tx, instance, [...wanted.values()]);
  if ([...wanted.keys()].every((reference) => known.has(reference))) return known;
  // Without the lock two transactions could give one id to two items.
  await lockNames(tx, ["federation names"]);
  const found = new Map(await findLocalIds(tx, instance, [...wanted.values()]));
  const missing = [...wanted].filter(([reference]) => !found.has(reference));
  const taken = new Set(await findTaken(tx, missing.map(([, { id }]) => id)));
  const rows = missing.map(([reference, origin]): ItemRow => {
    const unitId = taken.has(origin.id) ? deriveId(`${tx.workspaceId} ${origin.instance}`, origin.id) : origin.id;
    taken.add(unitId);
    found.set(reference, unitId);
    return {
      ...{ origin, unitId, role: "reserved", shownWriter: null, shownVersion: null, shownHash: null },
      ...{ context: {}, settled: {}, isOwn: false },
    };
  });
  await saveItems(tx, rows);
  return found;
}

/** Returns another id for an item whose own id belongs to something else here. */
export async function reserveAnother(tx: Tx, name: ItemName): Promise<string> {
  await lockNames(tx, ["federation names"]);
  const derived = deriveId(`${tx.workspaceId} ${name.instance}`, name.id);
  const taken = await findTaken(tx, [name.id, derived]);
  if (!taken.has(name.id)) return name.id;
  return taken.has(derived) ? uuidv7(tx.now) : derived;
}
