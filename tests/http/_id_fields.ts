/** The members of an operation's body that hold ids, found in the OpenAPI document. */
import { describeApi } from "../../src/http/openapi.ts";
import { ENDPOINTS, GROUPS } from "../../src/http/endpoints.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

const document: Json = JSON.parse(JSON.stringify(describeApi(ENDPOINTS, GROUPS)));
const ID_PATTERN = "^[0-9a-f-]+$";

/** A place in a body: names of members, `[]` for any element. */
export type Place = readonly string[];

export interface IdField {
  readonly place: Place;
  /** A body that has nothing in this place yet: the schema's own example, or the smallest valid body. */
  readonly schema: Json;
}

/** Every place of an operation's JSON body that can hold an id. */
export function idFieldsOf(operationId: string): IdField[] {
  const schema = bodySchemaOf(operationId);
  if (schema === undefined) return [];
  const places = new Map<string, IdField>();
  for (const place of placesIn(schema, [], [])) places.set(place.join("."), { place, schema });
  return [...places.values()];
}

function bodySchemaOf(operationId: string): Json {
  for (const methods of Object.values<Json>(document.paths)) {
    for (const operation of Object.values<Json>(methods)) {
      if (operation.operationId === operationId) return operation.requestBody?.content?.["application/json"]?.schema;
    }
  }
}

function* placesIn(schema: Json, place: Place, within: readonly string[]): Generator<Place> {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1);
    if (name === "Id" || name === "SelfEditTarget") yield place;
    else if (!within.includes(name)) yield* placesIn(document.components.schemas[name], place, [...within, name]);
    return;
  }
  if (schema.pattern === ID_PATTERN) yield place;
  for (const part of [schema.anyOf, schema.oneOf, schema.allOf].flat().filter(Boolean)) {
    yield* placesIn(part, place, within);
  }
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    yield* placesIn(member, [...place, name], within);
  }
  if (schema.items !== undefined) yield* placesIn(schema.items, [...place, "[]"], within);
}

/** The body with an id in a place; missing members on the way are made as small as the schema allows. */
export function withId(body: Json, field: IdField, id: string): Json {
  return put(structuredClone(body), field.schema, field.place, id);
}

function put(value: Json, schema: Json, [name, ...rest]: Place, id: string): Json {
  if (name === undefined) return id;
  const resolved = resolve(schema, name);
  if (name === "[]") return [put(value?.[0] ?? leastOf(resolved.items), resolved.items, rest, id)];
  const member = resolved.properties[name];
  return { ...value, [name]: put(value?.[name] ?? leastOf(member), member, rest, id) };
}

/** The schema behind references and alternatives that has a member or elements. */
function resolve(schema: Json, name: string): Json {
  if (schema.$ref !== undefined) return resolve(document.components.schemas[schema.$ref.split("/").at(-1)], name);
  if (name === "[]" ? schema.items !== undefined : schema.properties?.[name] !== undefined) return schema;
  for (const part of [schema.anyOf, schema.oneOf, schema.allOf].flat().filter(Boolean)) {
    const found = resolve(part, name);
    if (found !== undefined) return found;
  }
}

function leastOf(schema: Json): Json {
  if (schema.$ref !== undefined) return leastOf(document.components.schemas[schema.$ref.split("/").at(-1)]);
  if (schema.default !== undefined) return schema.default;
  if (schema.type === "array") return [];
  if (schema.type !== "object") return schema.enum?.[0] ?? "x";
  const required: string[] = schema.required ?? [];
  return Object.fromEntries(required.map((name) => [name, leastOf(schema.properties[name])]));
}
