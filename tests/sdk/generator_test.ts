/** The generator of the client: what it makes of the document's forms, and what it refuses. */
import assert from "node:assert/strict";
import type { Document } from "../../scripts/gen/_sdk_operations.ts";
import { generate } from "../../scripts/gen/sdk.ts";
import document from "../openapi.json" with { type: "json" };

const TYPES = "clients/typescript/gen/types.ts";
const OPERATIONS = "clients/typescript/gen/operations.ts";
const MODELS = "clients/python/src/svc_memory/gen/models.py";
const METHODS = "clients/python/src/svc_memory/gen/sync.py";

/** A document with one operation. */
function documentOf(operation: Record<string, unknown>, components: Record<string, unknown> = {}): Document {
  const schemas = {
    Problem: { type: "object", properties: { code: { enum: ["a"] } } },
    ...components["schemas"] as object,
  };
  return {
    ...{ info: { version: "1" }, servers: [{ url: "/v1" }] },
    components: { ...components, schemas },
    paths: {
      "/things/{id}": { post: { operationId: "doIt", responses: { 200: reply({ type: "string" }) }, ...operation } },
    },
  } as unknown as Document;
}

const reply = (schema: unknown) => ({ content: { "application/json": { schema } } });
const json = (schema: unknown) => ({ content: { "application/json": { schema } } });
const inPath = { name: "id", in: "path", required: true, schema: { type: "string" } };
const closed = (properties: Record<string, unknown>, required: string[] = []) => ({
  ...{ type: "object", properties, required, additionalProperties: false },
});

Deno.test("what is committed is what the document makes, on each run", async () => {
  for (let run = 0; run < 2; run++) {
    for (const [path, text] of Object.entries(generate(document as unknown as Document))) {
      assert.ok(await Deno.readTextFile(new URL(`../../${path}`, import.meta.url)) === text, path);
    }
  }
});

Deno.test("members of path, query and body that have one name are refused, and so are names that the client has", () => {
  const query = { name: "limit", in: "query", schema: { type: "integer" } };
  const twice = documentOf({ parameters: [inPath, query], requestBody: json(closed({ limit: { type: "integer" } })) });
  assert.throws(() => generate(twice), /doIt one flat argument: it has two members limit/);
  const union = { anyOf: [closed({ a: {} }), closed({ id: {} })] };
  assert.throws(() => generate(documentOf({ parameters: [inPath], requestBody: json(union) })), /two members id/);
  assert.throws(() => generate(documentOf({ operationId: "watch" })), /Cannot call watch/);
  const header = { name: "signal", in: "header", schema: { type: "string" } };
  assert.throws(() => generate(documentOf({ parameters: [header] })), /another signal/);
});

Deno.test("references in parameters, bodies and replies are followed; one that leads nowhere is refused", () => {
  const made = generate(documentOf({
    parameters: [{ $ref: "#/components/parameters/Id" }, { $ref: "#/components/parameters/IfMatch" }],
    requestBody: { $ref: "#/components/requestBodies/Body" },
    responses: { 200: { $ref: "#/components/responses/Ok" }, "4XX": { $ref: "#/components/responses/No" } },
  }, {
    parameters: { Id: inPath, IfMatch: { name: "If-Match", in: "header", schema: { type: "string" } } },
    requestBodies: { Body: json({ $ref: "#/components/schemas/Body" }) },
    responses: { Ok: reply({ $ref: "#/components/schemas/Thing" }) },
    schemas: {
      Body: closed({ a: { type: "string", default: "x" } }, ["a"]),
      Thing: closed({ b: { type: "number" } }, ["b"]),
    },
  }));
  assert.match(
    made[OPERATIONS]!,
    /doIt: \{"method":"POST","path":"\/v1\/things\/\{id\}","body":"flat","headers":\["if-match"\]\}/,
  );
  assert.match(made[TYPES]!, /input: \{\n {6}id: string;\n {4}\} & Body;\n {4}output: Thing;\n {4}headers: "ifMatch";/);
  // What has a default may be left out, whatever the document says.
  assert.match(made[TYPES]!, /export interface Body \{\n {2}\/\*\* @default "x" \*\/\n {2}a\?: string;/);
  assert.throws(
    () => generate(documentOf({ parameters: [{ $ref: "#/components/parameters/None" }] })),
    /has nothing there/,
  );
  assert.throws(() => generate(documentOf({ parameters: [{ $ref: "https://evil.example" }] })), /leads out/);
});

Deno.test("bodies that are no plain objects become one member; older paths and WebSockets are left out", () => {
  const bodyOf = (schema: unknown, type = "application/json") =>
    /doIt: (.*),\n/.exec(
      generate(documentOf({ requestBody: { content: { [type]: { schema } } } }))[OPERATIONS]!,
    )?.[1];
  assert.match(bodyOf({ type: "object", additionalProperties: true })!, /"body":"json"/);
  assert.match(bodyOf({ oneOf: [closed({ a: {} })], discriminator: { propertyName: "a" } })!, /"body":"json"/);
  assert.match(bodyOf({ anyOf: [closed({ a: {} }), closed({ b: {} })] })!, /"body":"flat"/);
  assert.match(bodyOf({ type: "string" }, "application/x-ndjson")!, /"body":"application\/x-ndjson"/);
  for (const left of [{ deprecated: true }, { operationId: "doItV2" }, { responses: { 101: {} } }]) {
    assert.doesNotMatch(generate(documentOf(left))[OPERATIONS]!, /doIt/);
  }
});

Deno.test("types keep what schemas say: unions, null, literals, free members, text that would end a comment", () => {
  const made = generate(documentOf({}, {
    schemas: {
      Tree: {
        ...{ type: "object", properties: { AND: { type: "array", items: { $ref: "#/components/schemas/Tree" } } } },
        additionalProperties: { type: ["string", "null"] },
      },
      Odd: { anyOf: [{ const: "a|b" }, { type: ["integer", "null"] }], description: "ends */ here" },
      Pair: { type: "array", prefixItems: [{ type: "string" }, { enum: [1, 2] }] },
      Lists: { type: "array", items: { anyOf: [{ type: "string" }, { type: "object", properties: {} }] } },
      Free: { type: "object", additionalProperties: {}, properties: { "a-b": { type: "boolean" } }, required: ["a-b"] },
    },
  }))[TYPES]!;
  assert.match(
    made,
    /interface Tree \{\n {2}AND\?: Tree\[\];\n {2}\[member: string\]: string \| null \| Tree\[\] \| undefined;/,
  );
  assert.match(made, /\/\*\* ends \*\\\/ here \*\/\nexport type Odd = "a\|b" \| number \| null;/);
  assert.match(made, /export type Pair = \[string, 1 \| 2\];/);
  assert.match(made, /export type Lists = \(string \| \{\}\)\[\];/);
  assert.match(made, /interface Free \{\n {2}"a-b": boolean;\n {2}\[member: string\]: unknown;/);
});

Deno.test("Python has its own names, tells unions apart, keeps later values, and knows what null says", () => {
  const made = generate(documentOf({
    parameters: [inPath],
    requestBody: json({
      anyOf: [
        closed({
          workspaceId: { type: "string" },
          in: { type: "string" },
          thing: { $ref: "#/components/schemas/Any" },
        }),
        closed({ workspace_id: { type: "string" }, until: { type: ["string", "null"], format: "date-time" } }),
      ],
    }),
    responses: { 200: reply({ $ref: "#/components/schemas/Any" }) },
  }, {
    schemas: {
      Any: {
        oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }],
        discriminator: { propertyName: "type" },
      },
      Cat: closed({ type: { enum: ["cat"] }, mood: { enum: ["good", "bad"] }, lives: { type: "integer", default: 9 } }),
      Dog: closed({ type: { enum: ["dog"] }, owner: closed({ name: { type: "string" } }) }, ["type", "owner"]),
    },
  }));
  assert.match(made[MODELS]!, /Any: TypeAlias = Annotated\[Cat \| Dog, Field\(discriminator="type"\)\]/);
  assert.match(made[MODELS]!, /class Cat\(Model\):\n {4}type: Literal\["cat"\] \| None = None\n/);
  assert.match(made[MODELS]!, /mood: Annotated\[Literal\["good", "bad"\], OPEN\] \| None = None/);
  assert.match(made[MODELS]!, /lives: int = 9/);
  assert.match(made[MODELS]!, /class DogOwner\(Model\):[^]*owner: DogOwner\n/);
  assert.match(
    made[METHODS]!,
    /id: str,\n {8}workspace_id: str \| None = None,\n {8}in_: str \| None = None,\n {8}thing: models\.Cat \| Mapping\[str, Any\] \| models\.Dog \| None = None,\n {8}until: datetime \| Unset \| None = UNSET,\n/,
  );
  assert.match(made[METHODS]!, /"in": in_, [^}]*"until": nullable\(until\)/);
});
