/** Reads and changes entities. The id of a merged one leads to the entity that it was merged into. */
import type { OperationContext } from "../../../context.ts";
import { findUnitAt } from "../../../db/queries/revisions.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import type { Page } from "../../../schema/common.ts";
import type { Entity, GetEntityQuery, ListEntitiesQuery, UpdateEntityBody } from "../../../schema/entity.ts";
import { nameKey } from "../../../language/names.ts";
import { archive } from "../../unit/archive.ts";
import { listUnits } from "../../unit/read.ts";
import { requireUnit, requireVersion } from "../../unit/store.ts";
import { updateUnit } from "../../unit/update.ts";
import type { EntityBody, EntityRow } from "./body.ts";
import { ENTITIES } from "./kind.ts";
import { findSimilar } from "./near_review.ts";
import { resolveEntities } from "./resolve.ts";
import { showEntities } from "./show_entities.ts";

/**
 * The entity that an id leads to: for a merged one, the one that it was merged into.
 * @throws ServiceError `not_found`, also if the one that it was merged into is not visible; `erased`
 */
export async function requireEntity(
  tx: Tx,
  id: string,
  options: { readonly lock?: "update" } = {},
): Promise<EntityRow> {
  const target = (await resolveEntities(tx, [id])).get(id)!;
  const entity = await requireUnit<EntityBody>(tx, "entity", target, options);
  // Another transaction merged it while this one waited for the lock.
  if (entity.status === "merged" && target === id) return await requireEntity(tx, id, options);
  return entity;
}

/**
 * Reads an entity in any state, or as it was known at a time.
 * @throws ServiceError `not_found`, also when it was not known then; `erased`
 */
export async function getEntity(ctx: OperationContext, id: string, query: GetEntityQuery): Promise<Entity> {
  return await ctx.tx(async (tx) => {
    const unit = query.follow === false || query.knownAt !== undefined
      ? await requireUnit<EntityBody>(tx, "entity", id)
      : await requireEntity(tx, id);
    if (query.knownAt === undefined) return (await showEntities(tx, [unit]))[0]!;
    const row = await findUnitAt<EntityBody>(tx, id, new Date(query.knownAt));
    if (row !== undefined) return (await showEntities(tx, [row]))[0]!;
    throw new ServiceError("not_found", "Cannot find the entity: it was not known at that time");
  }, { readOnly: true });
}

/** Lists entities by creation, the newest first unless the caller asks otherwise. */
export async function listEntities(ctx: OperationContext, query: ListEntitiesQuery): Promise<Page<Entity>> {
  const { q } = query;
  return await listUnits<Entity>(ctx, ENTITIES, query, {
    ...(q !== undefined && {
      filter: async (tx) => ({ nameKeyStart: { start: nameKey(q), ids: await findSimilar(tx, q) } }),
    }),
    show: (tx, rows) => showEntities(tx, rows as EntityRow[]),
  });
}

/**
 * Revises an entity, or the one that it was merged into.
 * @throws ServiceError `not_found`, `erased`, `version_mismatch`, `invalid_transition`, `validation_failed`,
 *   `insufficient_scope`; `conflict` when another entity has the name and type
 */
export async function updateEntity(
  ctx: OperationContext,
  id: string,
  patch: UpdateEntityBody,
  ifMatch: number | undefined,
): Promise<Entity> {
  const { id: changedId } = await updateUnit<Entity, EntityBody, never, UpdateEntityBody>(
    ctx,
    ENTITIES,
    id,
    patch,
    ifMatch,
  );
  return await getEntity(ctx, changedId, {});
}

/**
 * Archives an entity; one that is archived already is returned as it is. It leaves recall and lists, and keeps its
 * names. A patch restores it, and so does somebody who finds or creates it.
 * @throws ServiceError `not_found`, `erased`, `version_mismatch`; `invalid_transition` for a merged entity
 */
export async function archiveEntity(
  ctx: OperationContext,
  id: string,
  ifMatch: number | undefined,
  reason: string | null = null,
): Promise<Entity> {
  return await ctx.tx(async (tx) => {
    const entity = await requireUnit<EntityBody>(tx, "entity", id, { lock: "update" });
    requireVersion(entity, ifMatch);
    if (entity.status === "merged") {
      throw new ServiceError(
        "invalid_transition",
        "Cannot archive the entity: it is merged; archive the one that it was merged into, or undo the merge first",
      );
    }
    return (await showEntities(tx, [await archive(tx, entity, { reason })]))[0]!;
  });
}
