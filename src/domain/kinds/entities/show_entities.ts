/** Values that entities show besides their rows: the survivor of a merged entity, and the number of mentions. */
import type { Tx } from "../../../db/tx.ts";
import { readMentionStats } from "../../../db/queries/mentions.ts";
import { findUnits } from "../../../db/queries/units.ts";
import type { Entity } from "../../../schema/entity.ts";
import type { EntityRow } from "./body.ts";
import { type EntitySight, toEntity, UNSEEN } from "./kind.ts";
import { resolveEntities } from "./resolve.ts";

/** Converts rows to resources, in one or two round trips for any number. */
export async function showEntities(tx: Tx, rows: readonly EntityRow[]): Promise<Entity[]> {
  const [survivors, stats] = await Promise.all([
    readSurvivors(tx, rows),
    readMentionStats(tx, rows.map((row) => row.id)),
  ]);
  const mentions = new Map(stats.map((one) => [one.entityId, one]));
  return rows.map((row) => {
    const sight: EntitySight = { ...UNSEEN, ...mentions.get(row.id), mergedInto: survivors.get(row.id) ?? null };
    return toEntity(row, sight);
  });
}

/** The visible survivors of merged entities. */
async function readSurvivors(tx: Tx, rows: readonly EntityRow[]): Promise<ReadonlyMap<string, string>> {
  const merged = rows.filter((row) => row.status === "merged").map((row) => row.id);
  if (merged.length === 0) return new Map();
  const roots = await resolveEntities(tx, merged);
  const visible = new Set((await findUnits(tx, [...new Set(roots.values())], { type: "entity" })).map(({ id }) => id));
  return new Map([...roots].filter(([id, root]) => id !== root && visible.has(root)));
}
