/** The types of entities: how they are stored, and which can be of one entity. */
import { nameKey } from "../language/names.ts";

/** The type of an entity for which nobody has stated another. */
export const ENTITY_TYPE_OTHER = "other";

/** A type as it is stored: NFKC, lower case, words joined by `_`. */
export function entityTypeKey(type: string): string {
  return nameKey(type).replace(/[\s-]+/g, "_");
}

/** Whether two entities can be the same as far as their types go: one without a stated type can be of any. */
export function isSameEntityType(a: string, b: string): boolean {
  return a === b || a === ENTITY_TYPE_OTHER || b === ENTITY_TYPE_OTHER;
}
