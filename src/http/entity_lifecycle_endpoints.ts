/** The ends of entities and their versions, in both faces: the endpoints of all units, in an entity's own way. */
import * as entities from "../domain/kinds/entities/mod.ts";
import { Entity } from "../schema/entity.ts";
import type { EntityFace } from "./entity_endpoints.ts";
import * as units from "./unit_endpoints.ts";

/** What versions of an entity have: who mentions it, and what stands for it now, is no part of them. */
const EntityThen = Entity.omit({ mentionCount: true, firstSeenAt: true, lastSeenAt: true }).meta({ id: "EntityThen" });

/** The face of an entity's ends. */
function lastingFace({ path, suffix }: EntityFace): units.LastingFace {
  return {
    kind: entities.ENTITIES,
    path,
    one: `Entity${suffix}`,
    article: "an entity",
    unit: Entity,
    unitThen: EntityThen,
    restoreDescription:
      "An archived one is active again, under its names. A merged one is brought back by undoing the " +
      "merge.",
  };
}

/** `POST path/{id}/forget` */
export function forgetEndpoint(face: EntityFace) {
  return units.forgetEndpoint(
    lastingFace(face),
    (ctx, _kind, id, body, ifMatch) => entities.forgetEntity(ctx, id, body, ifMatch),
    ["invalid_transition"],
  );
}

/** `POST path/{id}/restore` */
export function restoreEndpoint(face: EntityFace) {
  return units.restoreEndpoint(
    lastingFace(face),
    (ctx, _kind, id, ifMatch) => entities.restoreEntity(ctx, id, ifMatch),
  );
}

/** `GET path/{id}/revisions` */
export function revisionsEndpoint(face: EntityFace) {
  return units.revisionsEndpoint(lastingFace(face));
}
