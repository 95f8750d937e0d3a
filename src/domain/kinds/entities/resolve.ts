/** Finding entities: by name, and by the id of one that was merged. */
import type { Tx } from "../../../db/tx.ts";
import { findMerges } from "../../../db/queries/entity_merges.ts";
import type { EntityNameRow } from "../../../db/queries/entity_names.ts";
import { isSameEntityType } from "../../../schema/entity_type.ts";

/** Chains are kept flat; one that was made by somebody who is not cleared for all of it is walked. */
const STEPS_MAX = 16;

/**
 * The entities that stand for some ids: of one that was merged the one at the end of the chain, of any other itself.
 * Ids that are no entities are answered as they are.
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

/** Those whose own name it is before those whose alias, the active before the archived, the oldest first. */
function sortHolders(rows: readonly EntityNameRow[]): EntityNameRow[] {
  return rows.toSorted((a, b) =>
    Number(b.kind === "name") - Number(a.kind === "name") ||
    Number(b.status === "active") - Number(a.status === "active") ||
    (a.entityId < b.entityId ? -1 : 1)
  );
}

/** Whom a statement about an entity means. */
export interface Wanted {
  readonly nameKey: string;
  readonly aliasKeys: readonly string[];
  readonly entityType: string;
  /** Said by the author; an entity of this sensitivity is preferred then. */
  readonly sensitivity: string | undefined;
}

/**
 * Picks the entity that a statement means: one with its name, then one with it as an alias; of one type before one that
 * nobody typed. Where nobody has the name, the only one whose own name is one of its aliases. Undefined: there is none. An
 * alias that the two only share does not make them one: a person is asked whether they are.
 */
export function pickEntity(
  wanted: Wanted,
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
