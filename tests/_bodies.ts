/** Request bodies made from the schemas of our document: with every member that an operation knows, however deep. */

// deno-lint-ignore no-explicit-any
type Schema = any;

/** A recursive schema ends here. */
const DEPTH_MAX = 5;

export type Place = readonly (string | number)[];

/** A body of `schema` with every member in it, one item in each list; rules between members are not kept. */
export function fullBody(document: Schema, schema: Schema, depth = 0): unknown {
  const known = schema.$ref ? document.components.schemas[schema.$ref.split("/").at(-1)] : schema;
  const choice = known.anyOf ?? known.oneOf;
  if (choice) return fullBody(document, choice[0], depth);
  if (known.enum) return known.enum[0];
  if (known.const !== undefined) return known.const;
  switch (Array.isArray(known.type) ? known.type[0] : known.type) {
    case "string":
      if (known.format === "date-time") return "2026-03-01T09:30:00Z";
      return /0-9a-f/.test(known.pattern ?? "") ? "01890000-0000-7000-8000-000000000000" : "text";
    case "integer":
    case "number":
      return known.minimum ?? 1;
    case "boolean":
      return false;
    case "array":
      return depth > DEPTH_MAX ? [] : [fullBody(document, known.items ?? {}, depth + 1)];
    case "object": {
      if (depth > DEPTH_MAX) return {};
      const members = Object.entries(known.properties ?? {}).map((
        [name, one],
      ) => [name, fullBody(document, one, depth + 1)]);
      const free = known.additionalProperties !== undefined && known.additionalProperties !== false;
      return Object.fromEntries([...members, ...(free ? [["free", "text"]] : [])]);
    }
    default:
      return "text";
  }
}

/** Lists the places of texts in a value. */
export function textPlaces(value: unknown, place: Place = []): Place[] {
  if (typeof value === "string") return [place];
  if (typeof value !== "object" || value === null) return [];
  const entries = Array.isArray(value) ? value.map((item, i) => [i, item] as const) : Object.entries(value);
  return entries.flatMap(([name, item]) => textPlaces(item, [...place, name]));
}

/** A copy with `text` in the place of the text at `place`. */
export function withText(value: unknown, [first, ...rest]: Place, text: string): unknown {
  if (first === undefined) return text;
  const copy = Array.isArray(value) ? [...value] : { ...value as object };
  (copy as Record<string | number, unknown>)[first] = withText((value as never)[first], rest, text);
  return copy;
}
