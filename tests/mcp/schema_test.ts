/** The list of tools: what it costs a model, and what clients refuse in schemas. */
import assert from "node:assert/strict";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { ALL_TOOLS, TOOLS } from "../../src/mcp/tools/mod.ts";
import { UTTERANCES } from "./_utterances.ts";

/** Tokens of o200k that a model pays for the tools, before it has asked anything. */
const CORE_TOKENS_MAX = 1_300;
const ALL_TOKENS_MAX = 2_800;

function countTokens(tools: typeof TOOLS): number {
  // Clients show models no more than these.
  const texts = tools.map(({ described: { name, description, inputSchema } }) =>
    JSON.stringify({ name, description, inputSchema })
  );
  return texts.reduce((sum, text) => sum + encode(text).length, 0);
}

Deno.test("the tools cost a model few tokens", () => {
  assert.equal(TOOLS.length, 7);
  assert.equal(ALL_TOOLS.length, 15);
  const [core, all] = [countTokens(TOOLS), countTokens(ALL_TOOLS)];
  assert.ok(core <= CORE_TOKENS_MAX, `${core}`);
  assert.ok(all <= ALL_TOKENS_MAX, `${all}`);
});

interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: unknown;
  readonly anyOf?: unknown;
  readonly oneOf?: unknown;
  readonly allOf?: unknown;
  readonly $ref?: unknown;
}

/** What clients are known to refuse: members without a type, lists without items, alternatives, references. */
function* faultsOf(schema: Schema, path: string): Generator<string> {
  if (schema.type === undefined) yield `${path} has no type`;
  for (const name of ["anyOf", "oneOf", "allOf", "$ref"] as const) {
    if (schema[name] !== undefined) yield `${path} has ${name}`;
  }
  if (schema.type === "array") {
    if (schema.items === undefined) yield `${path} has no items`;
    else yield* faultsOf(schema.items, `${path}[]`);
  }
  if (schema.type === "object" && schema.properties !== undefined) {
    if (schema.additionalProperties !== false) yield `${path} takes unknown members`;
    for (const [name, member] of Object.entries(schema.properties)) yield* faultsOf(member, `${path}.${name}`);
  }
}

Deno.test("the schemas of arguments have what every client understands, and nothing else", () => {
  for (
    const { name, title, description, inputSchema, outputSchema, annotations } of ALL_TOOLS.map(({ described }) =>
      described
    )
  ) {
    assert.deepEqual([...faultsOf(inputSchema as Schema, name)], []);
    assert.equal(outputSchema.type, "object");
    assert.match(name, /^[a-z_]{3,20}$/);
    assert.ok(title.length <= 40 && description.length <= 600, name);
    assert.equal(annotations.openWorldHint, false);
    assert.equal(annotations.destructiveHint === true, name === "forget");
  }
});

Deno.test("of 40 things that people say, each leads to a tool by words that no other tool has", () => {
  assert.ok(UTTERANCES.length >= 40);
  const wordsOf = ({ described: { title, description, inputSchema } }: typeof ALL_TOOLS[number]) =>
    `${title} ${description} ${JSON.stringify(inputSchema)}`;
  for (const { says, tool, because } of UTTERANCES) {
    const having = ALL_TOOLS.filter((one) => wordsOf(one).includes(because)).map(({ name }) => name);
    assert.deepEqual(having, [tool], `${says} ${because}`);
  }
  for (const { name } of ALL_TOOLS) {
    const rows = UTTERANCES.filter(({ tool }) => tool === name).length;
    assert.ok(rows >= (TOOLS.some((one) => one.name === name) ? 2 : 1), name);
  }
});
