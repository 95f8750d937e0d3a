/** Drawers: named groups that an entity is filed under. */
import type { OperationContext } from "../../../context.ts";
import { ServiceError } from "../../../errors.ts";
import type { Entity } from "../../../schema/entity.ts";
import { requireVersion, reviseUnit } from "../../unit/store.ts";
import { requireSize } from "./additions.ts";
import { requireEntity } from "./read.ts";
import { showEntities } from "./show_entities.ts";

/**
 * Files an entity under a drawer, or takes it out. Doing so twice changes nothing.
 * @throws ServiceError `not_found`, `erased`, `version_mismatch`, `invalid_transition`, `validation_failed`
 */
export async function fileEntity(
  ctx: OperationContext,
  id: string,
  drawer: string,
  isIn: boolean,
  ifMatch: number | undefined,
): Promise<Entity> {
  return await ctx.tx(async (tx) => {
    const entity = await requireEntity(tx, id, { lock: "update" });
    requireVersion(entity, ifMatch);
    const { drawers } = entity.body;
    if (drawers.includes(drawer) === isIn) return (await showEntities(tx, [entity]))[0]!;
    if (entity.status !== "active") {
      throw new ServiceError("invalid_transition", `Cannot change the drawers of the entity: it is ${entity.status}`);
    }
    const next = isIn ? [...drawers, drawer] : drawers.filter((name) => name !== drawer);
    const body = { ...entity.body, drawers: next };
    requireSize(body);
    const row = await reviseUnit(tx, entity, { body }, { event: isIn ? "filed" : "unfiled", reason: null });
    return (await showEntities(tx, [row]))[0]!;
  });
}
