/** The kind `entity`: its members, its states and its text for recall. */
import type { CreateEntityBody, Entity, ListEntitiesQuery, UpdateEntityBody } from "../../../schema/entity.ts";
import { nameKey, nameKeys, tidyName, tidyNames } from "../../../language/names.ts";
import { entityTypeKey } from "../../../schema/entity_type.ts";
import { labelled, textsOf, toUnit, type UnitKind } from "../../unit/kind.ts";
import type { EntityBody, EntityRow } from "./body.ts";
import { newNames, reviewNear } from "./near_review.ts";
import { resolveEntities } from "./resolve.ts";

export const ENTITIES: UnitKind<EntityBody, CreateEntityBody, UpdateEntityBody, ListEntitiesQuery> = {
  type: "entity",
  isNamed: true,
  called: ["canonicalName"],
  people: [],
  terms: [],
  content: ["canonicalName", "entityType", "aliases", "attributes"],
  listed: ["active"],
  editable: ["active"],
  transitions: { archived: ["active"] },
  statusOf: () => "active",
  toBody: ({ canonicalName, entityType, aliases, attributes, drawers }) => ({
    canonicalName: tidyName(canonicalName),
    entityType: entityTypeKey(entityType),
    aliases: tidyAliases(canonicalName, aliases),
    attributes,
    drawers: [...new Set(drawers)],
    mergedInto: null,
  }),
  patchBody(body, patch) {
    const canonicalName = patch.canonicalName === undefined ? body.canonicalName : tidyName(patch.canonicalName);
    return {
      ...body,
      canonicalName,
      entityType: patch.entityType === undefined ? body.entityType : entityTypeKey(patch.entityType),
      aliases: tidyAliases(canonicalName, patch.aliases ?? [...body.aliases, body.canonicalName]),
      attributes: patch.attributes ?? body.attributes,
      drawers: patch.drawers === undefined ? body.drawers : [...new Set(patch.drawers)],
    };
  },
  textOf: ({ canonicalName, entityType, aliases, attributes }) =>
    textsOf([
      canonicalName,
      labelled("Also", aliases.join(", ")),
      entityType === "other" ? null : labelled("Type", entityType),
      ...attributeLines(attributes),
    ]),
  filterOf: ({ name, entityType, drawer }) => ({
    nameKey: name === undefined ? undefined : nameKey(name),
    bodyIn: { entityType: entityType?.map(entityTypeKey) },
    bodyContains: drawer === undefined ? undefined : { drawers: [drawer] },
  }),
  async resolveId(tx, id) {
    return (await resolveEntities(tx, [id])).get(id)!;
  },
  async onRevised(tx, before, after) {
    const names = newNames(before.body, after.body);
    if (names.length > 0) await reviewNear(tx, [{ entity: after, names }]);
  },
  namesOf: (body) => nameKeys([body.canonicalName, ...body.aliases]).map(lockNameOf),
};

/** The name under which writers of entities with a name wait for each other. */
export function lockNameOf(key: string): string {
  return `entity:${key}`;
}

/** Aliases in order, each name once, without the canonical one. */
export function tidyAliases(canonicalName: string, aliases: readonly string[]): string[] {
  return tidyNames([canonicalName, ...aliases]).slice(1);
}

/** Characters of attributes that recall indexes. */
const ATTRIBUTE_TEXT_MAX = 8_192;

/** `name: value` of each attribute; nested members are named by their path. */
function attributeLines(attributes: Readonly<Record<string, unknown>>): string[] {
  const lines: string[] = [];
  let left = ATTRIBUTE_TEXT_MAX;
  const tell = (label: string, value: unknown): void => {
    if (left <= 0 || value === null) return;
    if (Array.isArray(value) && value.every((item) => typeof item !== "object")) return tell(label, value.join(", "));
    if (typeof value === "object") {
      for (const [name, item] of Object.entries(value as object)) tell(`${label} ${name}`, item);
      return;
    }
    const line = `${label}: ${value}`.slice(0, left);
    left -= line.length;
    lines.push(line);
  };
  for (const [name, value] of Object.entries(attributes)) tell(name, value);
  return lines;
}

/** Values of an entity that its row does not hold, as far as the reader may see them. */
export interface EntitySight {
  /** The entity at the end of the chain of merges. */
  readonly mergedInto: string | null;
  readonly mentionCount: number;
  readonly firstSeenAt: Date | null;
  readonly lastSeenAt: Date | null;
}

export const UNSEEN: EntitySight = { mergedInto: null, mentionCount: 0, firstSeenAt: null, lastSeenAt: null };

/** The resource. */
export function toEntity(row: EntityRow, sight: EntitySight = UNSEEN): Entity {
  return {
    ...toUnit<Entity>(row),
    mergedInto: sight.mergedInto,
    mentionCount: sight.mentionCount,
    firstSeenAt: sight.firstSeenAt?.toISOString() ?? null,
    lastSeenAt: sight.lastSeenAt?.toISOString() ?? null,
  };
}
