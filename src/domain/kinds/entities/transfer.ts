/** How entities are exported and imported. */
import { z } from "zod";
import { findNames } from "../../../db/queries/entity_names.ts";
import { nameKey, nameKeys, tidyName } from "../../../language/names.ts";
import { Id, JsonObject } from "../../../schema/common.ts";
import {
  Drawer,
  ENTITY_STATUSES,
  EntityName,
  EntityType,
  STORED_ALIASES_MAX,
  STORED_ATTRIBUTES_BYTES_MAX,
  STORED_DRAWERS_MAX,
} from "../../../schema/entity.ts";
import { entityTypeKey } from "../../../schema/entity_type.ts";
import { saidColumns } from "../../unit/kind.ts";
import type { TransferRules } from "../entry.ts";
import type { EntityBody } from "./body.ts";
import { ENTITIES, tidyAliases } from "./kind.ts";
import { pickEntity } from "./resolve.ts";

/** If an entity of this workspace has the same name, it stands in for the imported one. */
export const ENTITY_TRANSFER: TransferRules = {
  statuses: ENTITY_STATUSES,
  body: z.strictObject({
    canonicalName: EntityName,
    entityType: EntityType,
    aliases: z.array(EntityName).max(STORED_ALIASES_MAX),
    attributes: JsonObject.refine(
      (value) => new TextEncoder().encode(JSON.stringify(value)).byteLength <= STORED_ATTRIBUTES_BYTES_MAX,
      `must be at most ${STORED_ATTRIBUTES_BYTES_MAX} bytes as JSON`,
    ),
    drawers: z.array(Drawer).max(STORED_DRAWERS_MAX),
    mergedInto: Id.nullable(),
  }),
  unordered: ["aliases", "drawers"],
  derive(body) {
    const said = body as EntityBody;
    const canonicalName = tidyName(said.canonicalName);
    const tidy = {
      ...said,
      canonicalName,
      entityType: entityTypeKey(said.entityType),
      aliases: tidyAliases(canonicalName, said.aliases),
    };
    const { text, contentHash } = saidColumns(ENTITIES, tidy, "");
    return { text, contentHash, body: tidy };
  },
  namesOf: (body) => ENTITIES.namesOf!(body as EntityBody),
  async findStandIns(tx, lines) {
    const open = lines.filter((line) => line.status === "active");
    const bodies = open.map((line) => line.body as unknown as EntityBody);
    const names = await findNames(tx, [...new Set(nameKeys(bodies.map((body) => body.canonicalName)))]);
    return new Map(open.flatMap((line, i) => {
      const found = pickEntity({
        nameKey: nameKey(bodies[i]!.canonicalName),
        aliasKeys: [],
        entityType: entityTypeKey(bodies[i]!.entityType),
        sensitivity: line.sensitivity,
      }, names);
      return found === undefined || found.id === line.id ? [] : [[line.id, found.id]];
    }));
  },
};
