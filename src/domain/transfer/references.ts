/** Finds the members of a body that are ids of other resources, by the body's schema, so that none is forgotten. */
import { z } from "zod";

/** A place in a body: member names, `*` for each item of a list. */
export type ReferencePath = readonly string[];

interface JsonSchema {
  readonly $ref?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

/** All places of a schema that hold an `Id`. */
export function referencePaths(schema: z.ZodType): ReferencePath[] {
  const root = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema & {
    $defs?: Record<string, JsonSchema>;
  };
  const found: ReferencePath[] = [];
  const walk = (node: JsonSchema, path: ReferencePath) => {
    if (node.$ref !== undefined) {
      const name = node.$ref.split("/").at(-1)!;
      if (name === "Id") found.push(path);
      else if (root.$defs?.[name] !== undefined) walk(root.$defs[name], path);
      return;
    }
    for (const choice of [...node.anyOf ?? [], ...node.oneOf ?? []]) walk(choice, path);
    if (node.items !== undefined) walk(node.items, [...path, "*"]);
    for (const [name, member] of Object.entries(node.properties ?? {})) walk(member, [...path, name]);
  };
  walk(root, []);
  return found;
}

/** A copy of the value with the ids at some places mapped. */
export function mapReferences(value: unknown, paths: readonly ReferencePath[], map: (id: string) => string): unknown {
  return paths.reduce((mapped, path) => mapAt(mapped, path, map), value);
}

function mapAt(value: unknown, [name, ...rest]: ReferencePath, map: (id: string) => string): unknown {
  if (name === undefined) return typeof value === "string" ? map(value) : value;
  if (value === null || typeof value !== "object") return value;
  if (name === "*") return Array.isArray(value) ? value.map((item) => mapAt(item, rest, map)) : value;
  const member = (value as Record<string, unknown>)[name];
  if (member === undefined) return value;
  return { ...value, [name]: mapAt(member, rest, map) };
}
