/**
 * Writes entities for code that works with all types alike: adding one finds the entity with its names, or creates it.
 */
import type { CreateEntityBody } from "../../../schema/entity.ts";
import { type KindWriting, plainWriting } from "../kind_writing.ts";
import { findOrCreateEntities, prepareEntities } from "./find_or_create.ts";
import { ENTITIES } from "./kind.ts";

export const ENTITY_WRITING: KindWriting = {
  ...plainWriting(ENTITIES),
  async prepareAdds(ctx, bodies) {
    const prepared = await prepareEntities(ctx, bodies as readonly CreateEntityBody[]);
    return prepared.map((item) => {
      if ("refusal" in item) return item;
      return {
        names: [],
        body: item.unit.body,
        async add(ctx, tx) {
          const [outcome] = await findOrCreateEntities(ctx, tx, [item]);
          if ("refusal" in outcome!) throw outcome.refusal;
          return { id: outcome!.row.id };
        },
      };
    });
  },
};
