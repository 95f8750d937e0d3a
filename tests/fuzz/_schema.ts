/** Values that a JSON schema of our document allows, as fast-check arbitraries, and values that it nearly allows. */
import fc from "fast-check";

// deno-lint-ignore no-explicit-any
export type Schema = any;

/** Members beyond these are left out: a body of 500 items finds nothing that one of three does not, and takes longer. */
const ITEMS_MAX = 3;
const CHARS_MAX = 60;
const DEPTH_MAX = 6;

/** Words that the seeded resources have too, so that what is written is found, contradicted and merged. */
const WORDS = ["Paris", "Caroline", "lives in", "harbour", "Acme", "ship on Friday", "The build runs on two cores"];
/** Times around the clock's, and at the edges of what is taken. */
const TIMES = [
  "2024-02-29T23:59:59.999Z",
  "2026-01-01T00:00:00Z",
  "2026-03-01T10:30:00.123456+01:00",
  "2030-12-31T23:59:59-11:30",
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999Z",
];
/** What is likely to trip a parser, a formatter, a statement or a template. */
const NASTY_TEXTS = [
  "",
  " ",
  "\u0000",
  "\ud800",
  "\u202eabc\u{e0041}",
  "'; drop table unit; --",
  "%' or 1=1 --",
  "$1 {x} \\ \" '",
  "__proto__",
  "constructor",
  "2026-02-30T00:00:00Z",
  "10000-01-01T00:00:00Z",
  "01890000-0000-7000-8000-00000000000g",
  "0x10",
  "1e400",
  "NaN",
  "{}",
  "[]",
  "null",
  "a".repeat(5_000),
  "é\u0301\ufb01 ｆｕｌｌ",
  "\u{1f469}\u200d\u{1f4bb}",
  "<script>alert(1)</script>",
  "\r\nx-header: 1",
];
const NASTY_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  0.1,
  -0,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  5e-324,
  [],
  {},
  [null],
  { "": 1 },
  { constructor: 1 },
  ...NASTY_TEXTS,
];

export const nastyText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...NASTY_TEXTS),
  fc.string({ unit: "binary", maxLength: CHARS_MAX }),
);
export const nastyValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NASTY_VALUES) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: CHARS_MAX }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

/**
 * A place for an id, filled in when the request is sent: of the resource made for this operation, of any resource of the
 * workspace, of another workspace's, or of none. Ids differ with each run; places do not, so that a case can be kept.
 */
export const idPlace: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constant("@made") },
  { weight: 4, arbitrary: fc.nat({ max: 200 }).map((n) => `@own:${n}`) },
  { weight: 1, arbitrary: fc.nat({ max: 50 }).map((n) => `@foreign:${n}`) },
  { weight: 1, arbitrary: fc.constantFrom("01890000-0000-7000-8000-000000000000", "0".repeat(36), "-") },
);

/** Makes arbitraries; `document` resolves references. */
export class Schemas {
  readonly #document: Schema;

  constructor(document: Schema) {
    this.#document = document;
  }

  resolve(schema: Schema): Schema {
    return schema?.$ref ? this.#document.components.schemas[schema.$ref.split("/").at(-1)] : schema;
  }

  /** A value that the schema allows; rules between members are not in it, so that some will be refused. */
  valid(schema: Schema, depth = 0): fc.Arbitrary<unknown> {
    if (schema.$ref?.endsWith("/Id")) return idPlace;
    const known = this.resolve(schema);
    const alternatives = known.anyOf ?? known.oneOf;
    if (alternatives) {
      return fc.oneof(...alternatives.map((each: Schema) => this.valid(each, depth)));
    }
    if (known.const !== undefined) return fc.constant(known.const);
    if (known.enum) return fc.constantFrom(...known.enum);
    if (Array.isArray(known.type)) {
      return fc.oneof(...known.type.map((type: string) => this.valid({ ...known, type }, depth)));
    }
    switch (known.type) {
      case "string":
        return text(known);
      case "integer":
      case "number":
        return number(known);
      case "boolean":
        return fc.boolean();
      case "null":
        return fc.constant(null);
      case "array":
        return this.#array(known, depth);
      case "object":
        return this.#object(known, depth);
      default:
        return fc.jsonValue({ maxDepth: 2 });
    }
  }

  #array(schema: Schema, depth: number): fc.Arbitrary<unknown> {
    const minLength = Math.min(schema.minItems ?? 0, 20);
    const maxLength = Math.max(minLength, Math.min(schema.maxItems ?? ITEMS_MAX, ITEMS_MAX));
    if (depth > DEPTH_MAX && minLength === 0) return fc.constant([]);
    return fc.array(this.valid(schema.items ?? {}, depth + 1), { minLength, maxLength });
  }

  #object(schema: Schema, depth: number): fc.Arbitrary<unknown> {
    const required: string[] = schema.required ?? [];
    const names = Object.keys(schema.properties ?? {}).filter((name) => depth <= DEPTH_MAX || required.includes(name));
    const members = fc.record(
      Object.fromEntries(names.map((name) => [name, this.valid(schema.properties[name], depth + 1)])),
      { requiredKeys: required },
    );
    const extra = schema.additionalProperties;
    if (extra === undefined || extra === false || depth > DEPTH_MAX) return members;
    const others = fc.dictionary(
      fc.constantFrom("project", "a.b", "type", "tags", "metadata.project", "__proto__", "é"),
      extra === true ? fc.jsonValue({ maxDepth: 2 }) : this.valid(extra, depth + 1),
      { maxKeys: 2 },
    );
    return fc.tuple(members, others).map(([own, more]) => ({ ...more, ...own as object }));
  }
}

function text(schema: Schema): fc.Arbitrary<string> {
  if (schema.format === "date-time") {
    const moment = fc.date({ min: new Date("2000-01-01"), max: new Date("2100-01-01"), noInvalidDate: true });
    return fc.oneof(fc.constantFrom(...TIMES), moment.map((date) => date.toISOString()));
  }
  if (schema.format === "date") return fc.constantFrom("2026-03-01", "2024-02-29", "0001-01-01");
  if (schema.pattern === "^[0-9a-f-]+$") return idPlace;
  if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern));
  const minLength = schema.minLength ?? 0;
  const maxLength = Math.max(minLength, Math.min(schema.maxLength ?? CHARS_MAX, CHARS_MAX));
  const edges = schema.maxLength === undefined
    ? []
    : [fc.constant("ab ".repeat(schema.maxLength).slice(0, schema.maxLength))];
  const words = WORDS.filter((word) => word.length >= minLength && word.length <= (schema.maxLength ?? Infinity));
  return fc.oneof(
    ...(words.length > 0 ? [{ weight: 4, arbitrary: fc.constantFrom(...words) }] : []),
    { weight: 2, arbitrary: fc.string({ unit: "grapheme", minLength, maxLength }) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", minLength, maxLength }) },
    ...edges,
  );
}

function number(schema: Schema): fc.Arbitrary<number> {
  const min = schema.minimum ?? (schema.exclusiveMinimum !== undefined ? schema.exclusiveMinimum + 1e-9 : -1e6);
  const max = Math.min(schema.maximum ?? 1e6, Number.MAX_SAFE_INTEGER);
  if (schema.type === "integer") {
    const edges = fc.constantFrom(min, max, Math.min(max, min + 1));
    return fc.oneof(edges, fc.integer({ min: Math.max(min, -(2 ** 31)), max: Math.min(max, 2 ** 31 - 1) }));
  }
  return fc.oneof(fc.constantFrom(min, max), fc.double({ min, max, noNaN: true }));
}

/** Replaces, removes or adds one member somewhere in a value; `at` chooses where. */
export function spoil(value: unknown, at: number, replacement: unknown): unknown {
  const places = listPlaces(value);
  const place = places[at % places.length]!;
  return replaceAt(value, place, replacement);
}

type Place = readonly (string | number)[];

function listPlaces(value: unknown, path: Place = []): Place[] {
  if (typeof value !== "object" || value === null) return [path];
  const entries = Array.isArray(value) ? value.map((item, i) => [i, item] as const) : Object.entries(value);
  return [path, [...path, Array.isArray(value) ? value.length : "noSuchField"]].concat(
    entries.flatMap(([name, item]) => listPlaces(item, [...path, name])),
  );
}

function replaceAt(value: unknown, [first, ...rest]: Place, replacement: unknown): unknown {
  if (first === undefined) return replacement;
  const copy = Array.isArray(value) ? [...value] : { ...value as object };
  const members = copy as Record<string | number, unknown>;
  if (rest.length === 0 && replacement === undefined) delete members[first];
  else members[first] = replaceAt(members[first], rest, replacement);
  return copy;
}
