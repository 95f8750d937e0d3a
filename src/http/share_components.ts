/**
 * Moves what several places of the OpenAPI document have in common, such as schemas, parameters and replies, to
 * `components`, or refers to existing components. The document keeps its meaning and is half as long.
 */

// A part of the document: the library's types do not fit what is walked through.
// deno-lint-ignore no-explicit-any
type Json = any;

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

/** A shorter schema is not worth a reference, and too common for its name to express its meaning. */
const SCHEMA_CHARS_MIN = 40;
/** The bounds of a number do not express what it counts. */
const NUMBERS: ReadonlySet<string> = new Set(["number", "integer"]);

/** Returns the document with references in place of repetitions; names and order depend on the document alone. */
export function shareComponents({ paths, components, ...rest }: Document): Document {
  const refer = referrer(components["schemas"] ?? {});
  const operations = listOperations(mapValues(paths, (methods) => mapValues(methods, (one) => tidy(one, refer))));
  const schemas = openReplies(mapValues(components["schemas"] ?? {}, (schema) => refer(schema, true)), operations);
  const parameters = nameRepeated(
    operations.flatMap(({ id, operation }) =>
      (operation.parameters ?? []).map((value: Json) => ({ id, name: value.name, value }))
    ),
  );
  const replies = nameRepeated(
    operations.flatMap(({ id, operation }) =>
      repliesOf(operation).map((value) => ({
        id,
        name: replyName(value),
        value,
      }))
    ),
    withoutExample,
  );
  return {
    ...rest,
    paths: mapValues(paths, (methods, path) =>
      mapValues(methods, (_, method) => {
        const { operation } = operations.find((one) => one.path === path && one.method === method)!;
        return {
          ...operation,
          ...(operation.parameters && {
            parameters: operation.parameters.map((one: Json) => parameters.refer("parameters", one)),
          }),
          responses: mapValues(operation.responses, (one) => replies.refer("responses", one)),
        };
      })),
    components: {
      ...components,
      schemas,
      parameters: parameters.components,
      responses: sorted({ ...components["responses"], ...replies.components }),
    },
  };
}

/**
 * Allows further members in schemas that only replies use, because a later version may add some.
 * The service refuses unknown members in requests.
 */
function openReplies(schemas: Document["paths"][string], operations: readonly Placed[]): Record<string, Json> {
  const sent = new Set<string>();
  const visit = (value: Json): void => {
    if (typeof value !== "object" || value === null) return;
    const name = typeof value.$ref === "string" ? value.$ref.split("/").at(-1) : undefined;
    if (name !== undefined && !sent.has(name)) {
      sent.add(name);
      visit(schemas[name]);
    }
    Object.values(value).forEach(visit);
  };
  for (const { operation } of operations) visit([operation.parameters, operation.requestBody]);
  visit(schemas["StreamClientMessage"]);
  const open = (value: Json): Json => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(open);
    const { additionalProperties, ...rest } = value;
    return mapValues(additionalProperties === false || additionalProperties === undefined ? rest : value, open);
  };
  return mapValues(schemas, (schema, name) => sent.has(name) ? schema : open(schema));
}

interface Placed {
  readonly path: string;
  readonly method: string;
  readonly id: string;
  readonly operation: Json;
}

function listOperations(paths: Document["paths"]): Placed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, id: operation.operationId, operation }))
  );
}

/** Removes repetitions from parameters, and replaces schemas by references to named ones. */
function tidy(operation: Json, refer: (schema: Json) => Json): Json {
  const content = (value: Json) => value && mapValues(value, (one) => ({ ...one, schema: refer(one.schema) }));
  return {
    ...operation,
    ...(operation.parameters && {
      parameters: operation.parameters.map(({ required, schema, ...parameter }: Json) => {
        const { description, ...bare } = schema;
        const isSame = description === undefined || description === parameter.description;
        return { ...parameter, ...(required && { required }), schema: refer(isSame ? bare : schema) };
      }),
    }),
    ...(operation.requestBody && {
      requestBody: { ...operation.requestBody, content: content(operation.requestBody.content) },
    }),
    responses: mapValues(
      operation.responses,
      (reply) => reply.content === undefined ? reply : { ...reply, content: content(reply.content) },
    ),
  };
}

/** The JSON replies of a named schema, which have a name to share. */
function repliesOf(operation: Json): Json[] {
  return Object.values<Json>(operation.responses).filter((reply) => replyName(reply) !== undefined);
}

function replyName(reply: Json): string | undefined {
  return reply.content?.["application/json"]?.schema.$ref?.split("/").at(-1);
}

/**
 * Replies that differ only in their examples are merged; the first example stands for all of them.
 */
function withoutExample(reply: Json): Json {
  const json = reply.content?.["application/json"];
  if (json === undefined) return reply;
  const { example: _, ...rest } = json;
  return { ...reply, content: { "application/json": rest } };
}

interface Use {
  readonly id: string;
  readonly name: string | undefined;
  readonly value: Json;
}

/**
 * Names values that occur more than once. If several values have one name, the most frequent gets
 * the name alone; the others get the id of the first operation that uses them appended.
 */
function nameRepeated(uses: readonly Use[], keyed: (value: Json) => Json = (value) => value) {
  const keyOf = (value: Json) => canonical(keyed(value));
  const groups = [...Map.groupBy(uses, ({ value }) => keyOf(value)).values()].filter((group) => group.length > 1)
    .sort((a, b) => b.length - a.length);
  const names = new Map<string, string>();
  const components: Record<string, Json> = {};
  for (const group of groups) {
    const { id, name } = group[0]!;
    const own = name! in components ? `${name}-${id}` : name!;
    const shown = group.map(({ value }) => value).find((value) => canonical(value) !== canonical(keyed(value)));
    names.set(keyOf(group[0]!.value), own);
    components[own] = shown ?? group[0]!.value;
  }
  return {
    components: sorted(components),
    refer(folder: string, value: Json): Json {
      const name = names.get(keyOf(value));
      return name === undefined ? value : { $ref: `#/components/${folder}/${name}` };
    },
  };
}

/**
 * The library repeats a named schema wherever its description, default or nullability differs. The returned function
 * puts a reference there, beside the differences.
 */
function referrer(schemas: Readonly<Record<string, Json>>) {
  const names = new Map<string, string | undefined>();
  for (const [name, schema] of Object.entries(schemas)) {
    const key = canonical(bareOf(schema).bare);
    // If two schemas look the same, their shape identifies neither.
    if (key.length >= SCHEMA_CHARS_MIN && !NUMBERS.has(schema.type)) names.set(key, names.has(key) ? undefined : name);
  }
  const refer = (schema: Json, isNamed = false): Json => {
    if (typeof schema !== "object" || schema === null || schema.$ref !== undefined) return schema;
    if (!isNamed) {
      const { bare, beside, isNullable } = bareOf(schema);
      const name = names.get(canonical(bare));
      if (name !== undefined) {
        const to = { $ref: `#/components/schemas/${name}` };
        const { description, ...others } = beside;
        const isSaid = description === undefined || description === schemas[name].description;
        const kept = isSaid ? others : beside;
        return isNullable ? { anyOf: [to, { type: "null" }], ...kept } : { ...to, ...kept };
      }
    }
    return Object.fromEntries(
      Object.entries<Json>(schema).map(([keyword, value]) => [keyword, referIn(keyword, value)]),
    );
  };
  const referIn = (keyword: string, value: Json): Json => {
    if (MAPS.has(keyword)) return mapValues(value, (one) => refer(one));
    if (LISTS.has(keyword)) return value.map((one: Json) => refer(one));
    return SCHEMAS.has(keyword) ? refer(value) : value;
  };
  return refer;
}

/** The keywords that contain schemas. */
const MAPS = new Set(["properties", "patternProperties"]);
const LISTS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const SCHEMAS = new Set(["items", "additionalProperties", "propertyNames", "not", "contains"]);

/** Splits a schema: the part that a reference can replace, and the members that may stand beside a reference. */
function bareOf(schema: Json): { bare: Json; beside: Json; isNullable: boolean } {
  const { description, default: given, ...rest } = schema;
  const beside = { ...(description !== undefined && { description }), ...(given !== undefined && { default: given }) };
  if (!Array.isArray(rest.type) || rest.type.at(-1) !== "null") return { bare: rest, beside, isNullable: false };
  const types = rest.type.slice(0, -1);
  const bare = {
    ...rest,
    type: types.length === 1 ? types[0] : types,
    ...(rest.enum && { enum: rest.enum.filter((one: Json) => one !== null) }),
  };
  return { bare, beside, isNullable: true };
}

/** A text that is equal for values that differ only in the order of their members. */
function canonical(value: Json): string {
  return JSON.stringify(
    value,
    (_, node) => typeof node === "object" && node !== null && !Array.isArray(node) ? sorted(node) : node,
  );
}

function sorted(members: Readonly<Record<string, Json>>): Record<string, Json> {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => a < b ? -1 : 1));
}

function mapValues(
  members: Readonly<Record<string, Json>>,
  map: (value: Json, name: string) => Json,
): Record<string, Json> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, map(value, name)]));
}
