/** Finds entities whose names are near others', and asks a person about each pair, once. Nothing is merged here. */
import type { Tx } from "../../../db/tx.ts";
import { findSharing, readEntities } from "../../../db/queries/entity_blocks.ts";
import { findNames } from "../../../db/queries/entity_names.ts";
import { findPairItems } from "../../../db/queries/review_items.ts";
import { lockNames } from "../../../db/queries/units.ts";
import type { NearEntity } from "../../../schema/entity.ts";
import { nameKeys } from "../../../language/names.ts";
import { ENTITY_TYPE_OTHER } from "../../../schema/entity_type.ts";
import { openReviewItems, type ReviewItemToOpen } from "../../unit/review_item.ts";
import { mostSensitive } from "../../unit/trust.ts";
import { blocksOf } from "../../unit/names/blocks.ts";
import type { NamedBody, NamedUnit } from "../../unit/names/names.ts";
import type { EntityBody, EntityRow } from "./body.ts";
import { type NameShape, type Nearness, nearness, shapeOf } from "../../unit/names/near.ts";

/** The most entities that are read for one block. */
const PER_BLOCK_MAX = 40;
/** The most entities that are compared with one entity. */
const CANDIDATES_MAX = 30;
/** The most comparisons for a batch; its entities share them. */
const BATCH_CANDIDATES_MAX = 3_000;
/** The most entities that are reported for one entity. */
const TOLD_MAX = 5;
/** Aliases that are compared; of an entity with more, these and the new ones. */
const NAMES_MAX = 20;

const SAME_NAME: Nearness = { similarity: 1, rule: "same_name" };

/** An entity with its new names. */
export interface NewlyNamed {
  readonly entity: NamedUnit;
  readonly names: readonly string[];
}

export interface NearName extends Nearness {
  readonly row: EntityRow;
}

/** Finds visible entities with names near the new ones, the nearest first. Bounded, however many entities there are. */
export async function findNear(
  tx: Tx,
  items: readonly NewlyNamed[],
  most: number = TOLD_MAX,
): Promise<NearName[][]> {
  if (items.length === 0) return [];
  const places: number[] = [];
  const blocks: number[] = [];
  const shapes = items.map(({ names }) => names.slice(0, NAMES_MAX).map(shapeOf));
  for (const [place, list] of shapes.entries()) {
    const { entityType } = items[place]!.entity.body;
    for (const block of new Set(list.flatMap((shape) => blocksOf(shape, entityType).asked))) {
      places.push(place);
      blocks.push(block);
    }
  }
  const perPlace = Math.max(4, Math.min(CANDIDATES_MAX, Math.floor(BATCH_CANDIDATES_MAX / items.length)));
  const limits = { perBlock: Math.max(8, Math.min(PER_BLOCK_MAX, perPlace)), perPlace };
  const [sharing, holders] = await Promise.all([
    findSharing(tx, { places, blocks }, limits),
    findNames(tx, [...new Set(items.flatMap(({ names }) => nameKeys(names)))]),
  ]);
  const holdersOf = Map.groupBy(holders, (holder) => holder.nameKey);
  const sharingOf = Map.groupBy(sharing, (hit) => hit.place);
  const candidates = items.map(({ names, entity }, place) => {
    const same = nameKeys(names).flatMap((key) => holdersOf.get(key) ?? [])
      .sort((a, b) => (a.entityId < b.entityId ? -1 : 1)).slice(0, perPlace);
    const ids = new Set([...same, ...sharingOf.get(place) ?? []].map(({ entityId }) => entityId));
    ids.delete(entity.id);
    return ids;
  });
  const ids = [...new Set(candidates.flatMap((list) => [...list]))];
  const rows = ids.length === 0 ? [] : await readEntities<EntityBody>(tx, ids);
  // One entity is a candidate for many, so the shapes of its names are computed once.
  const active = rows.filter((row) => row.status === "active");
  const byId = new Map(active.map((row) => [row.id, { row, shapes: shapesOf(row.body) }]));
  return items.map(({ entity, names }, place) =>
    [...candidates[place]!].flatMap((id): NearName[] => {
      const other = byId.get(id);
      if (other === undefined) return [];
      // If there are many names, only some are compared, but a common name is never missed.
      const shares = nameKeys(names).some((key) => holdersOf.get(key)?.some((holder) => holder.entityId === id));
      const types = [entity.body.entityType, other.row.body.entityType] as const;
      const near = shares ? SAME_NAME : nearest(shapes[place]!, other.shapes, types);
      return near === undefined ? [] : [{ row: other.row, ...near }];
    }).sort((a, b) => b.similarity - a.similarity || (a.row.id < b.row.id ? -1 : 1)).slice(0, most)
  );
}

function shapesOf({ canonicalName, aliases }: NamedBody): NameShape[] {
  return [canonicalName, ...aliases].slice(0, NAMES_MAX * 5).map(shapeOf);
}

/** The nearest two names of two entities. */
function nearest(
  shapes: readonly NameShape[],
  others: readonly NameShape[],
  types: readonly [string, string],
): Nearness | undefined {
  let best: Nearness | undefined;
  for (const shape of shapes) {
    for (const other of others) {
      const near = nearness(shape, other, types);
      if (near !== undefined && (best === undefined || near.similarity > best.similarity)) best = near;
    }
  }
  return best;
}

/**
 * Finds near names and opens a review for each pair about which nobody was asked yet. Two
 * transactions that name entities at the same time do not see each other's.
 */
export async function reviewNear(tx: Tx, items: readonly NewlyNamed[]): Promise<NearEntity[][]> {
  const found = await findNear(tx, items);
  const pairs = items.flatMap(({ entity }, i) => found[i]!.map(({ row }) => ({ a: entity.id, b: row.id })));
  if (pairs.length === 0) return items.map(() => []);
  const nameOf = (a: string, b: string) => `entities:pair:${[a, b].sort().join(":")}`;
  await lockNames(tx, pairs.map(({ a, b }) => nameOf(a, b)));
  const asked = new Map<string, string | null>();
  for (const { place, id, status } of await findPairItems(tx, "near_duplicate", pairs)) {
    const name = nameOf(pairs[place]!.a, pairs[place]!.b);
    if (!asked.has(name)) asked.set(name, status === "open" ? id : null);
  }
  const fresh = new Map<string, ReviewItemToOpen>();
  for (const [i, { entity }] of items.entries()) {
    for (const near of found[i]!) {
      const name = nameOf(entity.id, near.row.id);
      if (!asked.has(name) && !fresh.has(name)) fresh.set(name, toPairItem(entity, near));
    }
  }
  const opened = await openReviewItems(tx, [...fresh.values()]);
  for (const [i, name] of [...fresh.keys()].entries()) asked.set(name, opened[i]!);
  return items.map(({ entity }, i) =>
    found[i]!.map(({ row: { id, body: { canonicalName } }, similarity, rule }): NearEntity => {
      return { id, canonicalName, similarity, rule, reviewItemId: asked.get(nameOf(entity.id, id))! };
    })
  );
}

function toPairItem(entity: NamedUnit, { row, similarity, rule }: NearName): ReviewItemToOpen {
  return {
    kind: "near_duplicate",
    sensitivity: mostSensitive(entity.sensitivity, row.sensitivity),
    subjectId: entity.id,
    otherId: row.id,
    detail: { type: "entity", similarity, rule },
  };
}

/** Entities with a name near the given one; for people, one of several names is enough. */
export async function findSimilar(tx: Tx, name: string): Promise<string[]> {
  const body = {
    canonicalName: name,
    entityType: "person",
    aliases: [],
    attributes: {},
    drawers: [],
    mergedInto: null,
  };
  const entity: NamedUnit = { id: "", status: "active", sensitivity: "public", body };
  const untyped = { ...entity, body: { ...body, entityType: ENTITY_TYPE_OTHER } };
  const found = await findNear(tx, [{ entity, names: [name] }, { entity: untyped, names: [name] }], CANDIDATES_MAX);
  return [...new Set(found.flat().map(({ row }) => row.id))];
}

/** The names that an entity has now and did not have before. */
export function newNames(before: NamedBody | undefined, after: NamedBody): string[] {
  const known = new Set(before === undefined ? [] : nameKeys([before.canonicalName, ...before.aliases]));
  return [after.canonicalName, ...after.aliases].filter((name) => nameKeys([name]).some((key) => !known.has(key)));
}
