/**
 * The array types that statements use, for the driver.
 *
 * By itself the driver asks for all array types with a statement of its own on every new connection; when the backend
 * dies just then, nobody handles its rejection, and the process ends. A type that is not listed here arrives as text.
 */
import type postgres from "postgres";

interface ElementType {
  /** Object id of the array type in `pg_type`. */
  readonly oid: number;
  readonly parse: (text: string) => unknown;
}

const asText = (text: string) => text;

/** Elements are parsed as the driver parses single values: a bigint stays text. */
const ELEMENTS: Readonly<Record<string, ElementType>> = {
  boolean: { oid: 1000, parse: (text) => text === "t" },
  smallint: { oid: 1005, parse: Number },
  integer: { oid: 1007, parse: Number },
  text: { oid: 1009, parse: asText },
  varchar: { oid: 1015, parse: asText },
  bigint: { oid: 1016, parse: asText },
  real: { oid: 1021, parse: Number },
  double: { oid: 1022, parse: Number },
  timestamptz: { oid: 1185, parse: (text) => new Date(text) },
  uuid: { oid: 2951, parse: asText },
};

/**
 * The driver's `types` option. Arrays of texts and of numbers can be sent; the driver treats other arrays as a single
 * value.
 */
export const ARRAY_TYPES: Record<string, postgres.PostgresType> = Object.fromEntries(
  Object.entries(ELEMENTS).map(([name, { oid, parse }]) => [`${name}[]`, {
    to: oid,
    from: [oid],
    parse: (text: string) => parseArray(text, parse),
    serialize: serializeArray,
  }]),
);

/** Reads `{a,"b \"c\"",NULL}`; arrays of one dimension. */
function parseArray(text: string, parse: (element: string) => unknown): unknown[] {
  const elements: unknown[] = [];
  for (const [, quoted, plain] of text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,"]+)/gs)) {
    if (quoted !== undefined) elements.push(parse(quoted.replaceAll(/\\(.)/gs, "$1")));
    else elements.push(plain === "NULL" ? null : parse(plain!));
  }
  return elements;
}

const TO_ESCAPE = /["\\]/;

function serializeArray(values: unknown): string {
  // An array that was written as text already is sent as it is.
  if (!Array.isArray(values)) return String(values);
  let text = "{";
  for (const value of values) {
    if (text.length > 1) text += ",";
    if (value === null) text += "NULL";
    else if (typeof value === "number") text += value;
    else if (typeof value === "string") {
      text += `"${TO_ESCAPE.test(value) ? value.replaceAll(/["\\]/g, "\\$&") : value}"`;
    } else {throw new TypeError(
        `Cannot send an array: an element is ${Array.isArray(value) ? "an array" : typeof value}`,
      );}
  }
  return text + "}";
}

/** Bytes by the engine's own hexadecimal: it takes a twentieth of the time of the driver's, and postings are all bytes. */
export const BYTEA: postgres.PostgresType = {
  to: 17,
  from: [17],
  parse: (text: string) => Uint8Array.fromHex(text.slice(2)),
  serialize: (value: Uint8Array) => `\\x${value.toHex()}`,
};
