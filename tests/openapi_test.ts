/** The OpenAPI document: what is served is what is committed, valid, named and small. */
import assert from "node:assert/strict";
import Ajv2020 from "ajv/dist/2020.js";
import { parse as parseYaml } from "yaml";
import { describeApi, SERVER_VERSION } from "../src/http/openapi.ts";
import { ONE } from "../src/operations/cost.ts";
import { pathOf } from "../src/http/app.ts";
import { BODY_BYTES_MAX } from "../src/operations/operation.ts";
import { ENDPOINTS, GROUPS } from "../src/http/endpoints.ts";
import { checkInput } from "../src/schema/field_errors.ts";
import { DATA } from "./_data.ts";

const committed = await Deno.readTextFile(new URL("./openapi.json", import.meta.url));
// deno-lint-ignore no-explicit-any
const document: any = JSON.parse(committed);

/** What a reference to a component of the document stands for. */
// deno-lint-ignore no-explicit-any
function follow(value: any): any {
  if (value?.$ref === undefined) return value;
  const [, , folder, name] = value.$ref.split("/");
  return follow(document.components[folder][name]);
}

Deno.test("the document that the routes make is the committed one", () => {
  assert.deepEqual(JSON.parse(JSON.stringify(describeApi(ENDPOINTS, GROUPS))), document, "run scripts/gen/openapi.ts");
});

Deno.test("the document, the package of the client and the README name the same licence", async () => {
  const { license } = JSON.parse(await Deno.readTextFile(new URL("../clients/typescript/deno.json", import.meta.url)));
  assert.equal(document.info.license.identifier, license);
  const readme = await Deno.readTextFile(new URL("../README.md", import.meta.url));
  assert.ok(readme.split("## Licence")[1]!.includes(`\`${license}\``));
});

Deno.test("the document is OpenAPI 3.1.0 for the server /v1, with the running version and the bearer scheme", () => {
  assert.equal(document.openapi, "3.1.0");
  assert.equal(document.info.version, SERVER_VERSION);
  assert.deepEqual(document.servers, [{ url: "/v1" }]);
  const { BearerAuth } = document.components.securitySchemes;
  assert.deepEqual([BearerAuth.type, BearerAuth.scheme, BearerAuth.bearerFormat], ["http", "bearer", "API Key"]);
});

Deno.test("T60 every endpoint is in the document, guarded ones with BearerAuth, bodies required", () => {
  for (const endpoint of ENDPOINTS) {
    const operation = document.paths[endpoint.route.path]?.[endpoint.route.method];
    assert.ok(operation, pathOf(endpoint));
    const security = operation.security ?? document.security;
    assert.deepEqual(security, endpoint.scope === "public" ? [] : [{ BearerAuth: [] }], endpoint.id);
    if (operation.requestBody) assert.equal(operation.requestBody.required, true, pathOf(endpoint));
  }
});

Deno.test("what costs more than one request says what it costs, and so does every operation with a large body", () => {
  for (const { id, cost, bodyBytesMax, route: { description = "" } } of ENDPOINTS) {
    assert.equal(/It costs \d+ of the key's rate/.test(description), cost !== ONE, id);
    assert.equal(description.includes("is heavy"), cost.isHeavy || cost.bySize !== undefined, id);
    // A body of more than a megabyte is a batch or a file.
    if (bodyBytesMax > BODY_BYTES_MAX) assert.notEqual(cost, ONE, id);
  }
  for (const name of ["Retry-After", "RateLimit", "RateLimit-Policy"]) {
    assert.ok(document.components.headers[name].description, name);
    assert.ok(follow(document.paths["/graph"].get.responses["4XX"]).headers[name].$ref.endsWith(name));
  }
});

Deno.test("every deprecated operation names the one that does the same, and no other is called deprecated", () => {
  for (
    const [path, methods] of Object.entries<Record<string, { deprecated?: boolean; description?: string }>>(
      document.paths,
    )
  ) {
    for (const [method, { deprecated = false, description = "" }] of Object.entries(methods)) {
      const [, newerMethod, newerPath] = /^Deprecated: `([A-Z]+) \/v1([^`]+)` does the same/.exec(description) ?? [];
      assert.equal(newerPath !== undefined, deprecated, `${method} ${path}`);
      if (!deprecated) continue;
      const newer = document.paths[newerPath!]?.[newerMethod!.toLowerCase()];
      assert.ok(newer && !newer.deprecated, `${method} ${path} names ${newerMethod} ${newerPath}`);
    }
  }
});

Deno.test("every operation shows a reply, and it has the declared shape", () => {
  for (const { operation, route } of ENDPOINTS) {
    if (operation === undefined || !("reply" in operation) || route.deprecated) continue;
    const replies = document.paths[route.path][route.method].responses;
    const reply = follow(replies[operation.status]).content["application/json"];
    assert.ok(reply.example, `${operation.id}: give example.reply, or run scripts/gen/reply_examples.ts`);
    assert.equal(checkInput(operation.reply, reply.example).faults, undefined, operation.id);
  }
});

Deno.test("every request body refuses unknown fields, but for merge patches, whose fields are the caller's", () => {
  const open: string[] = [];
  for (const endpoint of ENDPOINTS) {
    const operation = document.paths[endpoint.route.path][endpoint.route.method];
    const schema = operation.requestBody?.content["application/json"]?.schema;
    const resolved = schema?.$ref ? document.components.schemas[schema.$ref.split("/").at(-1)] : schema;
    if (resolved?.type === "object" && resolved.additionalProperties !== false) open.push(pathOf(endpoint));
  }
  assert.deepEqual(open, ["/v1/session/{id}/scratch"]);
});

Deno.test({
  name: "the document is valid against the OpenAPI 3.1 schema",
  ignore: DATA === undefined,
  async fn() {
    const folder = `${DATA}/security/openapi-3.1-schema/src/schemas/validation`;
    const text = await Deno.readTextFile(`${folder}/schema.yaml`);
    // Ajv resolves this dynamic reference wrongly; without a dialect of its own the document means the plain schema.
    const schema = JSON.parse(
      JSON.stringify(parseYaml(text)).replaceAll('"$dynamicRef":"#meta"', '"$ref":"#/$defs/schema"'),
    );
    const ajv = new Ajv2020.default({ strict: false, allErrors: true, validateFormats: false });
    const validate = ajv.compile(schema);
    assert.ok(validate(document), JSON.stringify(validate.errors?.slice(0, 5), null, 2));
  },
});

Deno.test("a choice between objects names the member that decides, and the schema of each of its values", () => {
  const schemas: Record<string, { oneOf?: { $ref?: string }[]; discriminator?: { mapping: Record<string, string> } }> =
    document.components.schemas;
  const choices = Object.entries(schemas).filter(([, schema]) => schema.oneOf !== undefined);
  assert.ok(choices.length > 0);
  for (const [name, { oneOf, discriminator }] of choices) {
    const refs = oneOf!.map((variant) => variant.$ref);
    assert.deepEqual(Object.values(discriminator?.mapping ?? {}).sort(), refs.sort(), name);
  }
});

Deno.test("the document is small: less than 800 KB as it is served", () => {
  const { byteLength } = new TextEncoder().encode(JSON.stringify(document));
  assert.ok(byteLength < 800_000, `${byteLength} bytes`);
});

Deno.test("nothing that callers send or get is without a name, and every operation says what it does and answers", () => {
  const ids = new Set<string>();
  for (const { operationId: id, summary, description, requestBody, responses } of operationsOf(document)) {
    assert.ok(!ids.has(id), `${id} is there twice`);
    ids.add(id);
    assert.ok(summary && description, `${id} needs words`);
    for (const [status, given] of Object.entries(responses)) {
      const reply = follow(given);
      assert.ok(
        reply.description && reply.description !== summary,
        `${id} ${status}: the schema of the reply needs a description`,
      );
    }
    for (const holder of [requestBody, ...Object.values(responses).map(follow)]) {
      for (
        const [type, { schema }] of Object.entries<{ schema: { $ref?: string; type?: string } }>(holder?.content ?? {})
      ) {
        // A text or a file has no members that a name could stand for.
        assert.ok(schema.$ref ?? schema.type === "string", `${id}: ${type} needs .meta({ id })`);
      }
    }
  }
});

Deno.test("every reference leads to a component, and every component is referred to", () => {
  const used = new Set([...committed.matchAll(/"#\/components\/([^"]+)"/g)].map(([, path]) => path!));
  const folders = Object.entries<object>(document.components).filter(([folder]) => folder !== "securitySchemes");
  const known = folders.flatMap(([folder, members]) => Object.keys(members).map((name) => `${folder}/${name}`));
  assert.deepEqual([...used].sort(), known.sort());
});

Deno.test("a default is a value that its schema allows", () => {
  const ajv = new Ajv2020.default({ strict: false, validateFormats: false });
  ajv.addSchema(document, "openapi");
  const visit = (node: unknown, place: readonly string[]): void => {
    if (typeof node !== "object" || node === null) return;
    if ("default" in node && place.at(-1) !== "properties") {
      const pointer = place.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join(
        "/",
      );
      assert.ok(ajv.compile({ $ref: `openapi#/${pointer}` })(node.default), `${place.join("/")}: ${node.default}`);
    }
    for (const [name, value] of Object.entries(node)) {
      if (name !== "example" && name !== "examples") visit(value, [...place, name]);
    }
  };
  visit(document, []);
});

// deno-lint-ignore no-explicit-any
function operationsOf({ paths }: any): any[] {
  return Object.values<object>(paths).flatMap((methods) => Object.values(methods));
}
