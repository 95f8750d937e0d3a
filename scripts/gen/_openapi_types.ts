/** TypeScript types of the JSON Schemas that occur in the OpenAPI document, as text. */

/** What the generator reads of a schema; anything else in it only bounds values. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: boolean | Schema;
  readonly prefixItems?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly description?: string;
  readonly default?: unknown;
  readonly discriminator?: unknown;
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const REF = "#/components/schemas/";

/** Returns the declaration of a named schema: an interface where it is a plain object, otherwise an alias. */
export function declareType(name: string, schema: Schema): string {
  if (!IDENTIFIER.test(name)) throw new Error(`Cannot name a type ${name}: it is no identifier`);
  const text = printType(schema);
  const declaration = isObject(schema) && text.startsWith("{")
    ? `export interface ${name} ${text}`
    : `export type ${name} = ${text};`;
  return `${printDoc([schema.description])}${declaration}\n`;
}

/** Returns a type expression; members of objects stand on lines of their own, indented by `indent`. */
export function printType(schema: Schema | boolean, indent = ""): string {
  if (typeof schema === "boolean") return schema ? "unknown" : "never";
  if (schema.$ref !== undefined) return nameOfRef(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return joinUnion(schema.enum.map((value) => JSON.stringify(value)));
  const parts = [];
  const union = schema.anyOf ?? schema.oneOf;
  if (union !== undefined) parts.push(joinUnion(union.map((one) => printType(one, indent))));
  if (schema.allOf !== undefined) parts.push(...schema.allOf.map((one) => printType(one, indent)));
  if (isObject(schema)) parts.push(printObject(schema, indent));
  else if (parts.length === 0) {
    parts.push(joinUnion([schema.type ?? []].flat().map((type) => printPlain(type, schema, indent))));
  }
  if (parts.length === 1) return parts[0]!;
  return parts.map((part) => part.includes(" | ") ? `(${part})` : part).join(" & ");
}

/** Returns the members of an object type, one or more lines each, between braces. */
export function printMembers(members: readonly Member[], indent = "", rest?: string): string {
  const inner = `${indent}  `;
  const lines = members.map(({ name, schema, required, type }) => {
    const doc = printDoc([schema.description, describeDefault(schema)], inner);
    const key = IDENTIFIER.test(name) ? name : JSON.stringify(name);
    return `${doc}${inner}${key}${required ? "" : "?"}: ${type ?? printType(schema, inner)};\n`;
  });
  if (rest !== undefined) lines.push(`${inner}[member: string]: ${rest};\n`);
  return lines.length === 0 ? "{}" : `{\n${lines.join("")}${indent}}`;
}

export interface Member {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  /** Instead of the schema's own type. */
  readonly type?: string;
}

/** Whether the schema is an object with members, not a union of such. */
export function isObject(schema: Schema): boolean {
  return schema.type === "object" || (schema.type === undefined && schema.properties !== undefined);
}

/** Lists the members of an object schema. A member with a default may be left out. */
export function listMembers({ properties = {}, required = [] }: Schema): Member[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    required: required.includes(name) && schema.default === undefined,
  }));
}

/** Returns a doc comment of these paragraphs; empty where there is nothing to say. */
export function printDoc(paragraphs: readonly (string | undefined)[], indent = ""): string {
  const text = paragraphs.filter((one) => one !== undefined && one !== "").join("\n\n").replaceAll("*/", "*\\/");
  if (text === "") return "";
  const lines = text.split("\n");
  if (lines.length === 1) return `${indent}/** ${text} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd() + "\n").join("")}${indent} */\n`;
}

function describeDefault({ default: value }: Schema): string | undefined {
  return value === undefined ? undefined : `@default ${JSON.stringify(value)}`;
}

/**
 * Free members beside named ones become one index signature that allows what the named ones are: a type in which both
 * are intersected could not be written down as a literal.
 */
function printObject(schema: Schema, indent: string): string {
  const members = listMembers(schema);
  const { additionalProperties: free } = schema;
  if (free === undefined || free === false) return printMembers(members, indent);
  const own = typeof free === "boolean" || Object.keys(free).length === 0 ? "unknown" : printType(free, `${indent}  `);
  if (own === "unknown") return printMembers(members, indent, own);
  const types = [own, ...members.map(({ schema }) => printType(schema, `${indent}  `))];
  if (members.some(({ required }) => !required)) types.push("undefined");
  return printMembers(members, indent, joinUnion(types));
}

function printPlain(type: string, schema: Schema, indent: string): string {
  if (type === "integer" || type === "number") return "number";
  if (type === "string" || type === "boolean" || type === "null") return type;
  if (type === "object") return printObject(schema, indent);
  if (type !== "array") throw new Error(`Cannot write a type for ${JSON.stringify(schema)}: ${type} is unknown`);
  if (schema.prefixItems !== undefined) {
    return `[${schema.prefixItems.map((one) => printType(one, indent)).join(", ")}]`;
  }
  const item = printType(schema.items ?? true, indent);
  return /[ ]/.test(item) && !/^\{[^]*\}$/.test(item) ? `(${item})[]` : `${item}[]`;
}

function joinUnion(types: readonly string[]): string {
  const all = new Set(types.flatMap((type) => isFlatUnion(type) ? type.split(" | ") : [type]));
  if (all.has("unknown") || all.size === 0) return "unknown";
  return [...all].join(" | ");
}

/** Whether a type is a union of names and literals only, so that it can be cut at its bars. */
function isFlatUnion(type: string): boolean {
  return type.includes(" | ") && !/[{}()[\]&]/.test(type) && !/"[^"]*\|[^"]*"/.test(type);
}

function nameOfRef(ref: string): string {
  if (!ref.startsWith(REF)) throw new Error(`Cannot name the type of ${ref}: it is no schema of the document`);
  return ref.slice(REF.length);
}
