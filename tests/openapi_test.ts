/** The OpenAPI document: what is served is what is committed, valid, and clean for an independent linter. */
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

Deno.test("the document that the routes make is the committed one", () => {
  assert.deepEqual(JSON.parse(JSON.stringify(describeApi(ENDPOINTS, GROUPS))), document, "run scripts/gen/openapi.ts");
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

Deno.test("examples of replies have the declared shape, and each operation of the first groups has one", () => {
  const first = new Set(GROUPS.filter(({ section }) => section === "Start here").map(({ name }) => name));
  for (const { operation, route } of ENDPOINTS) {
    if (operation === undefined || !("reply" in operation) || route.deprecated) continue;
    const reply = document.paths[route.path][route.method].responses[operation.status].content["application/json"];
    if (first.has(route.tags![0]!)) {
      assert.ok(reply.example, `${operation.id}: give example.reply, or run scripts/gen/reply_examples.ts`);
    }
    if (reply.example === undefined) continue;
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

Deno.test("the document is clean under an independent linter", async () => {
  const config = await Deno.makeTempFile({ suffix: ".yaml" });
  await Deno.writeTextFile(
    config,
    // Nothing is switched off but what says something about a public product: its licence and its servers' addresses.
    "extends: [recommended]\nrules:\n  info-license: off\n  operation-4xx-response: off\n  no-server-example.com: off\n",
  );
  const lint = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--quiet",
      "npm:@redocly/cli@2.77.0",
      "lint",
      "--config",
      config,
      "--format",
      "json",
      openApiPath(),
    ],
    env: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
  }).output();
  await Deno.remove(config);
  const report = JSON.parse(new TextDecoder().decode(lint.stdout));
  assert.deepEqual(
    // deno-lint-ignore no-explicit-any
    report.problems.map((problem: any) => `${problem.ruleId}: ${problem.message} ${problem.location?.[0]?.pointer}`),
    // What it does not know: an operation that becomes a WebSocket succeeds with 101.
    // And two paths that `revisions` as the external id of a fact fits: the router takes the one that says by-external-id.
    [
      "no-ambiguous-paths: Paths should resolve unambiguously. Found two ambiguous paths: `/memory/facts/by-external-id/{externalId}` and `/memory/facts/{id}/revisions`. #/paths/~1memory~1facts~1{id}~1revisions",
      "operation-2xx-response: Operation must have at least one `2XX` response. #/paths/~1stream/get/responses",
    ],
  );
});

function openApiPath(): string {
  return new URL("./openapi.json", import.meta.url).pathname;
}

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
