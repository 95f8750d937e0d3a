/** The operations of our OpenAPI document: requests that they allow or nearly allow, and replies that they declare. */
import fc from "fast-check";
import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";
import { idPlace, nastyText, nastyValue, type Schema, Schemas, spoil } from "./_schema.ts";
import { hostileRequests } from "./_hostile.ts";
import { importFile } from "./_import_file.ts";

/** A request with places for ids in it: nothing of one run, so that it can be kept and sent again. */
export interface FuzzRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text or lines; undefined where the operation has no body. */
  readonly body?: string;
}

/** The example of the operation's body, with the ids of what was made for it. */
export const EXAMPLE = "@example";

/** An operation's example for what is made for it. */
export const EXAMPLE_REQUEST: FuzzRequest = {
  params: {},
  query: [],
  headers: {},
  body: JSON.stringify({ [EXAMPLE]: {} }),
};

export interface Operation {
  readonly id: string;
  readonly method: string;
  /** As on the port: with `/v1` where it is below it. */
  readonly path: string;
  readonly requests: fc.Arbitrary<FuzzRequest>;
  /** Requests that cost a careless reader much; of which classes goes by the number. */
  readonly hostile: (turn: number) => readonly FuzzRequest[];
  readonly declares: (status: number) => boolean;
  /** What is wrong with a reply's body, or undefined. */
  readonly faultOf: (status: number, mediaType: string, body: unknown) => string | undefined;
}

export function readOperations(shared: Schema): Operation[] {
  const document = unshared(shared);
  const ajv = new Ajv2020.default({ strict: false, allErrors: false });
  ajv.addFormat("date-time", (text: string) => !Number.isNaN(Date.parse(text)));
  ajv.addFormat("date", /^\d{4}-\d{2}-\d{2}$/);
  ajv.addSchema(document, "openapi");
  const schemas = new Schemas(document);
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Schema).map(([method, operation]) => ({ path, method, operation: operation as Schema }))
  ).map(({ path, method, operation }) => ({
    ...describe(ajv, schemas, path, method, operation),
    hostile: (turn) =>
      hostileRequests(
        turn,
        Object.fromEntries(pathParameters(operation).map((name) => [name, "@made"])),
        operation.requestBody?.content["application/json"] !== undefined,
      ),
  }));
}

function describe(
  ajv: Ajv2020.default,
  schemas: Schemas,
  path: string,
  method: string,
  operation: Schema,
): Omit<Operation, "hostile"> {
  const responses: Record<string, Schema> = operation.responses;
  const validators = new Map<string, ValidateFunction>();
  const isOwn = operation.servers !== undefined;
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path: isOwn ? path : `/v1${path}`,
    requests: requestsOf(schemas, operation),
    declares: (status) => responses[status] !== undefined,
    faultOf(status, mediaType, body) {
      const content = responses[status]?.content;
      if (content === undefined) return body === "" ? undefined : "a body where none is declared";
      if (content[mediaType] === undefined) return `${mediaType} is not declared`;
      const pointer = ["paths", path, method, "responses", status, "content", mediaType, "schema"]
        .map((part) => encodeURIComponent(String(part).replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
      let validate = validators.get(pointer);
      if (!validate) validators.set(pointer, validate = ajv.compile({ $ref: `openapi#/${pointer}` }));
      if (validate(body)) return undefined;
      const [error] = validate.errors!;
      return `${error?.instancePath} ${error?.message} ${JSON.stringify(error?.params)}`;
    },
  };
}

/** The document with parameters and replies where they are used, and with each status of a range of them. */
function unshared(document: Schema): Schema {
  const follow = (value: Schema): Schema =>
    value.$ref === undefined ? value : follow(document.components[value.$ref.split("/")[2]][value.$ref.split("/")[3]]);
  const statusesOf = (status: string, { description }: Schema): string[] =>
    /^.XX$/.test(status) ? [...description.matchAll(/(\d{3}): /g)].map(([, one]) => one) : [status];
  const each = (operation: Schema) => ({
    ...operation,
    ...(operation.parameters && { parameters: operation.parameters.map(follow) }),
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, reply]) => [status, follow(reply)] as const)
        // An own status comes after its range, and counts.
        .toSorted(([a], [b]) => Number(b.endsWith("XX")) - Number(a.endsWith("XX")))
        .flatMap(([status, reply]) => statusesOf(status, reply).map((one) => [one, reply])),
    ),
  });
  const paths = Object.entries<Schema>(document.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, each(operation)])),
  ]);
  return { ...document, paths: Object.fromEntries(paths) };
}

function pathParameters({ parameters = [] }: Schema): string[] {
  return parameters.filter((one: Schema) => one.in === "path").map((one: Schema) => one.name);
}

function requestsOf(schemas: Schemas, operation: Schema): fc.Arbitrary<FuzzRequest> {
  const parameters: Schema[] = operation.parameters ?? [];
  const of = (place: string) => parameters.filter((parameter) => parameter.in === place);
  return fc.record({
    params: fc.record(Object.fromEntries(of("path").map(({ name, schema }) => [name, pathParam(schemas, schema)]))),
    query: queries(schemas, of("query")),
    headers: headers(of("header").map(({ name }) => name)),
    ...(operation.requestBody && { body: bodies(schemas, operation.requestBody.content) }),
  }) as fc.Arbitrary<FuzzRequest>;
}

function pathParam(schemas: Schemas, schema: Schema): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant("@made") },
    { weight: 2, arbitrary: idPlace },
    { weight: 1, arbitrary: schemas.valid(schema).map(String) },
    { weight: 1, arbitrary: nastyText },
  );
}

/** Some parameters with values that they allow, now and then one that they do not. */
function queries(schemas: Schemas, parameters: readonly Schema[]): fc.Arbitrary<[string, string][]> {
  if (parameters.length === 0) return fc.constant([]);
  const optional: fc.Arbitrary<[string, string][]>[] = parameters.map(({ name, required, schema }) => {
    const pairs = (value: unknown): [string, string][] =>
      [value].flat().map((one) => [name, typeof one === "string" ? one : JSON.stringify(one)]);
    const valid = name === "cursor" ? fc.nat({ max: 30 }).map((n) => `@cursor:${n}`) : schemas.valid(schema);
    return fc.oneof(
      ...(required ? [] : [{ weight: 8, arbitrary: fc.constant<[string, string][]>([]) }]),
      { weight: required ? 10 : 4, arbitrary: valid.map(pairs) },
      { weight: 1, arbitrary: nastyText.map(pairs) },
    );
  });
  return fc.tuple(...optional).map((all) => all.flat());
}

function headers(names: readonly string[]): fc.Arbitrary<Record<string, string>> {
  const known: Record<string, fc.Arbitrary<string>> = {};
  if (names.includes("if-match")) {
    known["if-match"] = fc.constantFrom('"1"', '"2"', '"999"', "*", '"x"', '"99999999999"');
  }
  if (names.includes("idempotency-key")) {
    known["idempotency-key"] = fc.oneof(fc.constantFrom("same", "", " ", "k".repeat(256)), fc.uuid());
  }
  // Most requests without: what they change is looked at first.
  const some = fc.record(known, { requiredKeys: [] }) as fc.Arbitrary<Record<string, string>>;
  return fc.oneof({ weight: 4, arbitrary: fc.constant<Record<string, string>>({}) }, { weight: 1, arbitrary: some });
}

function bodies(schemas: Schemas, content: Schema): fc.Arbitrary<string> {
  const json = content["application/json"]?.schema;
  if (!json || content["application/x-ndjson"]) return fc.oneof(importFile, nastyText);
  const valid = schemas.valid(json);
  const spoilt = (of: fc.Arbitrary<unknown>) =>
    fc.tuple(of, fc.nat(), fc.oneof(nastyValue, fc.constant(undefined))).map(([value, at, by]) => spoil(value, at, by));
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant<unknown>({ [EXAMPLE]: {} }) },
    // The example, with other values for some of its members.
    { weight: 5, arbitrary: partOf(schemas, json).map((members) => ({ [EXAMPLE]: members })) },
    { weight: 3, arbitrary: valid },
    { weight: 2, arbitrary: spoilt(valid) },
    { weight: 2, arbitrary: spoilt(partOf(schemas, json)).map((members) => ({ [EXAMPLE]: members })) },
  ).map((value) => JSON.stringify(value) ?? "");
}

/** One or two members of an object's schema. */
function partOf(schemas: Schemas, schema: Schema): fc.Arbitrary<unknown> {
  const known = schemas.resolve(schema);
  const names = Object.keys(known.properties ?? {});
  if (names.length === 0) return schemas.valid(schema);
  const one = fc.constantFrom(...names).chain((name) =>
    schemas.valid(known.properties[name]).map((value) => ({ [name]: value }))
  );
  return fc.oneof(one, fc.tuple(one, one).map(([a, b]) => ({ ...a, ...b })));
}
