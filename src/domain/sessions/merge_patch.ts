/** JSON merge patch, RFC 7386. */

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export type JsonObject = { readonly [name: string]: JsonValue };

/**
 * Applies a patch to a document: members of the patch replace those of the document, `null` removes one, objects are
 * merged recursively, any other value (arrays too) replaces as a whole. Neither argument is changed.
 */
export function mergePatch(document: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch;
  const members = new Map(isObject(document) ? Object.entries(document) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, mergePatch(members.get(name), value));
  }
  // Unlike assignment, `fromEntries` makes an ordinary member of one named `__proto__`.
  return Object.fromEntries(members);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
