/** Reads and locks everything that is known here about the items of a batch at once, and writes it back at once. */
import type { OperationContext } from "../../../context.ts";
import { findOpenConflicts } from "../../../db/queries/federation_conflicts.ts";
import { findContents, saveContents } from "../../../db/queries/federation_contents.ts";
import { findItems, saveItems } from "../../../db/queries/federation_ids.ts";
import { findVersions, saveVersions } from "../../../db/queries/federation_versions.ts";
import { findErased } from "../../../db/queries/imports.ts";
import { findRelations } from "../../../db/queries/relations.ts";
import { findUnits, lockNames } from "../../../db/queries/units.ts";
import type { Tx } from "../../../db/tx.ts";
import { type ItemName, type ItemType, writeReference } from "../../../schema/federation_item.ts";
import { hasLiveStatus } from "../../kinds/facts/fields.ts";
import { reserveAnother, reserveLocalIds } from "./item_names.ts";
import { type KnownItem, reservedRow, shownOf, unsaved } from "./known_item.ts";
import { publishPending } from "./publish.ts";
import { readUnitForm, referencesOf, type SharedForm } from "./shared_form.ts";

/** Reads and locks items by their names: until the transaction ends, no other one writes or erases them. */
export async function loadItems(
  ctx: OperationContext,
  tx: Tx,
  wanted: readonly { readonly name: ItemName; readonly type: ItemType; readonly unit: SharedForm | null }[],
): Promise<Map<string, KnownItem>> {
  const { instanceId } = ctx.deps.config;
  const names = new Map(wanted.map(({ name }) => [writeReference(name), name]));
  const mentioned = wanted.flatMap(({ type, unit }) => unit === null ? [] : referencesOf(type, unit));
  const ids = await reserveLocalIds(tx, instanceId, [...names.values(), ...mentioned]);
  const localIds = [...names.keys()].map((reference) => ids.get(reference)!);
  // Rows are locked before names, in the order in which erasing locks them; so an item that was erased meanwhile is
  // noticed.
  const here = [
    ...await findUnits(tx, localIds, { lock: "update" }),
    ...await findRelations(tx, localIds, { lock: true }),
  ];
  await lockNames(tx, localIds.map((id) => `id:${id}`).sort());
  const all = [...names.values()];
  // Local changes get a version now, so that incoming versions are compared with it.
  await publishPending(ctx, tx, here.map(({ id }) => id));
  const [erased, units, relations, items, versions, contents, conflicts] = await Promise.all([
    findErased(tx, localIds),
    findUnits(tx, localIds, { lock: "update" }),
    findRelations(tx, localIds, { lock: true }),
    findItems(tx, all, { lock: true }),
    findVersions(tx, all),
    findContents(tx, all),
    findOpenConflicts(tx, all),
  ]);
  const unitsById = new Map(units.map((unit) => [unit.id, unit]));
  const relationsById = new Map(relations.map((relation) => [relation.id, relation]));
  const rows = new Map(items.map((item) => [writeReference(item.origin), item]));
  const [versionsByName, contentsByName, conflictsByName] = [byName(versions), byName(contents), byName(conflicts)];
  const known = new Map<string, KnownItem>();
  for (const { name, type } of wanted) {
    const reference = writeReference(name);
    if (known.has(reference)) continue;
    const unitId = ids.get(reference)!;
    const stored = {
      row: rows.get(reference) ?? reservedRow(name, unitId),
      versions: new Map((versionsByName.get(reference) ?? []).map((version) => [version.writer, version])),
      contents: new Map((contentsByName.get(reference) ?? []).map(({ writer, content }) => [writer, content!])),
    };
    const found: KnownItem = {
      ...stored,
      stored,
      name,
      type,
      unit: unitsById.get(unitId),
      relation: relationsById.get(unitId),
      conflicts: new Map((conflictsByName.get(reference) ?? []).map((conflict) => [conflict.writer, conflict])),
      shown: undefined,
      isErased: erased.has(unitId),
    };
    const item = found.row.role === "stand_in" && !standsIn(found) ? await letGoOfStandIn(tx, found) : found;
    known.set(reference, { ...item, shown: shownOf(item, instanceId) });
  }
  return known;
}

/** Reads one item, as `loadItems` does. */
export async function loadItem(ctx: OperationContext, tx: Tx, name: ItemName, type: ItemType): Promise<KnownItem> {
  return (await loadItems(ctx, tx, [{ name, type, unit: null }])).get(writeReference(name))!;
}

/** Groups rows by the item that they are about. */
function byName<Row extends { readonly origin: ItemName }>(rows: readonly Row[]): Map<string, Row[]> {
  return Map.groupBy(rows, ({ origin }) => writeReference(origin));
}

/** Whether the stand-in of an item is here and has the same content. For types other than facts, equal names suffice. */
function standsIn({ row, type, unit, relation, contents }: KnownItem): boolean {
  if (type !== "fact" || unit === undefined) return (unit ?? relation) !== undefined;
  const content = row.shownWriter === null ? undefined : contents.get(row.shownWriter);
  if (content === undefined) return true;
  const { contentHash } = readUnitForm("fact", content, ({ id }) => id);
  return hasLiveStatus(unit) && unit.contentHash === contentHash;
}

/** Gives an item a unit of its own again, because its stand-in was erased or has other content now. */
async function letGoOfStandIn(tx: Tx, item: KnownItem): Promise<KnownItem> {
  const unitId = await reserveAnother(tx, item.name);
  const isErased = (await findErased(tx, [unitId])).has(unitId);
  return { ...item, row: reservedRow(item.name, unitId), unit: undefined, relation: undefined, isErased };
}

/** Writes what changed of items since they were read. */
export async function saveKnown(tx: Tx, items: Iterable<KnownItem>): Promise<void> {
  const all = [...items].map(unsaved);
  await saveItems(tx, all.flatMap(({ rows }) => rows));
  await saveVersions(tx, all.flatMap(({ versions }) => versions));
  await saveContents(tx, all.flatMap(({ contents }) => contents));
}
