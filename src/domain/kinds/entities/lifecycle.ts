/** The ends of entities, beside archiving. Erasing one also erases its names and what was merged into it. */
import type { OperationContext } from "../../../context.ts";
import type { Entity } from "../../../schema/entity.ts";
import type { ForgetBody } from "../../../schema/unit.ts";
import { forgetUnit, type Forgotten, restoreUnit } from "../../unit/lifecycle.ts";
import { ENTITIES } from "./kind.ts";
import { archiveEntity, getEntity } from "./read.ts";

/**
 * Archives an entity, or erases it for ever with all that were merged into it; a merged one can only be erased.
 * @throws ServiceError `not_found`, `erased`, `version_mismatch`, `invalid_transition`; `insufficient_scope` when a
 * part of its history is above the key's clearance.
 */
export async function forgetEntity(
  ctx: OperationContext,
  id: string,
  body: ForgetBody,
  ifMatch: number | undefined,
): Promise<Forgotten> {
  const { mode, reason = null } = body;
  if (mode === "archive") return { mode, entity: await archiveEntity(ctx, id, ifMatch, reason) };
  return await forgetUnit(ctx, ENTITIES, id, body, ifMatch);
}

/**
 * Restores an archived entity.
 * @throws ServiceError `not_found`, `erased`, `version_mismatch`, `invalid_transition`
 */
export async function restoreEntity(ctx: OperationContext, id: string, ifMatch: number | undefined): Promise<Entity> {
  await restoreUnit(ctx, ENTITIES, id, ifMatch);
  return await getEntity(ctx, id, {});
}
