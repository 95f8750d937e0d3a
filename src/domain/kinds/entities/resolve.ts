/** Finds entities by name, and survivors by the ids of merged entities. */
import type { Tx } from "../../../db/tx.ts";
import { findMerges } from "../../../db/queries/entity_merges.ts";
import type { EntityNameRow } from "../../../db/queries/entity_names.ts";
import { isSameEntityType } from "../../../schema/entity_type.ts";

/** Chains are kept flat; one that was made without clearance for all of it takes several steps. */
const STEPS_MAX = 16;

/**
 * Maps entity ids to those of survivors: a merged entity to the end of its chain of merges, any
 * other to itself. Ids that belong to no entity stay as they are.
 */
export async function resolveEntities(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const roots = new Map(ids.map((id) => [id, id]));
  let ends = [...roots.keys()];
  for (let step = 0; step < STEPS_MAX && ends.length > 0; step++) {
    const next = new Map((await findMerges(tx, ends)).map(({ sourceId, rootId }) => [sourceId, rootId]));
    for (const [id, end] of roots) roots.set(id, next.get(end) ?? end);
    ends = [...new Set(next.values())];
  }
  return roots;
}

/**
 * Entities whose own name it is come before those that have it as an alias, active before archived,
 * older before newer.
 */
function sortHolders(rows: readonly EntityNameRow[]): EntityNameRow[] {
  return rows.toSorted((a, b) =>
    Number(b.kind === "name") - Number(a.kind === "name") ||
    Number(b.status === "active") - Number(a.status === "active") ||
    (a.entityId < b.entityId ? -1 : 1)
  );
}

/** The entity that a statement means. */
export interface MeantEntity {
  readonly nameKey: string;
  readonly aliasKeys: readonly string[];
  readonly entityType: string;
  /** The sensitivity that the author stated. An entity that has it is preferred. */
  readonly sensitivity: string | undefined;
}

/**
 * Picks the entity that a statement means. Own names come before aliases, then active entities
 * before others, then those of the stated sensitivity, then those of the same type. If no entity
 * has the name, it picks the only one whose own name is among the stated aliases. Undefined: there
 * is none. A shared alias is not enough to make two entities one: a person decides.
 */
export function pickEntity(
  wanted: MeantEntity,
  rows: readonly EntityNameRow[],
): { readonly id: string; readonly matchedBy: "name" | "alias" } | undefined {
  const fits = sortHolders(rows).filter((row) => isSameEntityType(row.entityType, wanted.entityType));
  const score = (row: EntityNameRow) =>
    (row.kind === "name" ? 8 : 0) + (row.status === "active" ? 4 : 0) +
    (row.sensitivity === wanted.sensitivity ? 2 : 0) + (row.entityType === wanted.entityType ? 1 : 0);
  const byName = fits.filter((row) => row.nameKey === wanted.nameKey)
    .reduce<EntityNameRow | undefined>((a, b) => a === undefined || score(b) > score(a) ? b : a, undefined);
  if (byName !== undefined) return { id: byName.entityId, matchedBy: byName.kind };
  const named = fits.filter((row) => row.kind === "name" && wanted.aliasKeys.includes(row.nameKey));
  const ids = new Set(named.map((row) => row.entityId));
  const [only] = ids;
  return ids.size === 1 ? { id: only!, matchedBy: "alias" } : undefined;
}
