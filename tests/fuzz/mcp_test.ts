/**
 * Calls of every MCP tool, valid and nearly valid, and messages that are not calls. Whatever is sent, the service never
 * answers 5xx, answers JSON-RPC with the output that the tool declares, below the line that marks it as data, and returns
 * nothing of another workspace.
 *
 * Longer: `SVC_TEST_FUZZ_SEED=<n> SVC_TEST_FUZZ_RUNS=<n> deno task test tests/fuzz/mcp_test.ts`.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";
import { DATA_LINE } from "../../src/mcp/text.ts";
import { ALL_TOOLS } from "../../src/mcp/tools/mod.ts";
import { REVISION } from "../mcp/_client.ts";
import { POSTGRES } from "../_postgres.ts";
import type { Reply } from "../_service.ts";
import { nastyValue, type Schema, Schemas, spoil } from "./_schema.ts";
import { MARK, World } from "./_world.ts";

const SEED = Number(Deno.env.get("SVC_TEST_FUZZ_SEED") ?? 20_261_125);
const RUNS = Number(Deno.env.get("SVC_TEST_FUZZ_RUNS") ?? 6);
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

const schemas = new Schemas({});
const ajv = new Ajv2020.default({ strict: false });

/** The schema, with a pattern for ids where a string is the id of something. */
function withIds(schema: Schema): Schema {
  if (Array.isArray(schema)) return schema.map(withIds);
  if (typeof schema !== "object" || schema === null) return schema;
  if (schema.type === "string" && /^Id of/.test(schema.description ?? "")) {
    return { ...schema, pattern: "^[0-9a-f-]+$" };
  }
  return Object.fromEntries(Object.entries(schema).map(([name, member]) => [name, withIds(member)]));
}

function argumentsOf(schema: Schema): fc.Arbitrary<unknown> {
  const valid = schemas.valid(withIds(schema));
  const spoilt = fc.tuple(valid, fc.nat(), fc.oneof(nastyValue, fc.constant(undefined)))
    .map(([value, at, by]) => spoil(value, at, by));
  return fc.oneof({ weight: 3, arbitrary: valid }, { weight: 2, arbitrary: spoilt });
}

interface Sent {
  readonly message: unknown;
  readonly isNewest: boolean;
}

const META = {
  "io.modelcontextprotocol/protocolVersion": REVISION,
  "io.modelcontextprotocol/clientInfo": { name: "fuzz", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

function post(world: World, { message, isNewest }: Sent): Promise<Reply> {
  // deno-lint-ignore no-explicit-any
  const { method, params } = (message ?? {}) as any;
  const name = params?.name ?? params?.uri;
  const heads = { "mcp-protocol-version": REVISION, "mcp-method": plainHeader(method), "mcp-name": plainHeader(name) };
  return world.service.call("POST", "/mcp/all", {
    body: JSON.stringify(message) ?? "",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(isNewest ? heads : { "mcp-protocol-version": "2025-11-25" }),
    },
  });
}

function plainHeader(value: unknown): string {
  return typeof value === "string" && /^[\x21-\x7e]{1,200}$/.test(value) ? value : "none";
}

const outputs = new Map<string, ValidateFunction>(
  ALL_TOOLS.map(({ name, described }) => [name, ajv.compile(described.outputSchema)]),
);

/** What is wrong with an answer; undefined when nothing is. */
function faultOf(world: World, { message }: Sent, { status, body }: Reply): string | undefined {
  const text = JSON.stringify(body) ?? "";
  if (status >= 500) {
    const line = world.log.findLast((one) => one.includes('"stack"')) ?? "";
    return `${status}: ${text.slice(0, 300)} ${line.slice(0, 1_500)}`;
  }
  if (text.includes(MARK)) return `the mark of another workspace: ${text.slice(0, 500)}`;
  if (/"code":"internal"/.test(text)) return `an unexpected error: ${text.slice(0, 500)}`;
  if (status === 202) return undefined;
  if (status !== 200) return typeof (body?.code ?? body?.error?.code) === "undefined" ? `${status} ${text}` : undefined;
  if (body?.jsonrpc !== "2.0") return `no JSON-RPC: ${text.slice(0, 300)}`;
  if ((body.result === undefined) === (body.error === undefined)) return `neither result nor error: ${text}`;
  // deno-lint-ignore no-explicit-any
  const { id, method, params } = message as any;
  if (body.id !== id) return `the id is ${JSON.stringify(body.id)}`;
  const { result } = body;
  if (result === undefined || method !== "tools/call") return undefined;
  if (result.isError) return result._meta["svc/problem"].code === undefined ? `no code: ${text}` : undefined;
  const validate = outputs.get(params.name)!;
  if (!validate(result.structuredContent)) return `not as declared: ${JSON.stringify(validate.errors)}`;
  return result.content[0].text.startsWith(`${DATA_LINE}\n`) ? undefined : `not marked as data: ${text.slice(0, 300)}`;
}

/** Sends messages. @returns how many calls were carried out. @throws on the first wrong answer */
async function play(world: World, arbitrary: fc.Arbitrary<Sent>, seed: number, runs: number): Promise<number> {
  let done = 0;
  const property = fc.asyncProperty(arbitrary, async (kept) => {
    const sent = { ...kept, message: world.place(kept.message) };
    const reply = await post(world, sent);
    const fault = faultOf(world, sent, reply);
    if (fault !== undefined) throw new Error(`${fault}\nsent ${JSON.stringify(sent.message).slice(0, 2_000)}`);
    const { result } = reply.body ?? {};
    if (result?.structuredContent !== undefined && !result.isError) {
      done++;
      world.learn((JSON.stringify(result.structuredContent).match(UUID) ?? []).slice(0, 3));
    }
  });
  await fc.assert(property, { seed, numRuns: runs, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false });
  return done;
}

const isNewest = fc.boolean();
const call = (name: string, args: unknown) => ({
  jsonrpc: "2.0",
  id: 7,
  method: "tools/call",
  params: { name, arguments: args, _meta: META },
});
/** Messages of any kind, made by changing those that a client sends. */
const messages: fc.Arbitrary<Sent> = fc.record({
  isNewest,
  message: fc.tuple(
    fc.constantFrom<unknown>(
      call("recall", { query: "Where does Caroline live?" }),
      { jsonrpc: "2.0", id: "a", method: "tools/list", params: { _meta: META } },
      { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri: "svc://units/@own:1", _meta: META } },
      { jsonrpc: "2.0", id: 1, method: "prompts/get", params: { name: "briefing", _meta: META } },
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
      { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {} } },
    ),
    fc.nat(),
    fc.oneof(nastyValue, fc.constant(undefined)),
  ).map(([message, at, by]) => spoil(message, at, by)).filter((one) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
  ),
});

Deno.test({
  ...POSTGRES,
  name: "whatever is asked of a tool of MCP gets an answer that is declared, marked as data, and of its own workspace",
  async fn(t) {
    await using world = await World.start([]);
    for (const statement of ["Caroline lives in Paris.", "The build runs on two cores.", "Acme will ship on Friday."]) {
      const { body } = await world.service.post("/v1/memory/facts", { statement });
      world.learn([body.id]);
    }
    const done = new Set<string>();
    for (const [i, { name, described }] of ALL_TOOLS.entries()) {
      await t.step(name, async () => {
        const arbitrary = fc.record({
          isNewest,
          message: argumentsOf(described.inputSchema).map((args) => call(name, args)),
        });
        if (await play(world, arbitrary, SEED + i, 3 * RUNS) > 0) done.add(name);
      });
    }
    await t.step("messages that are none", async () => void await play(world, messages, SEED, 20 * RUNS));
    assert.ok(done.size >= 5, `carried out: ${[...done].join(", ")}`);
  },
});
