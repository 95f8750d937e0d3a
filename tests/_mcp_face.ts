/** Tools of MCP as bindings of operations: the calls of a client of MCP. */
import assert from "node:assert/strict";
import type { Asked, Binding, SendOptions, Told } from "./_faces.ts";
import type { Tool } from "../src/mcp/tool.ts";
import { ALL_TOOLS } from "../src/mcp/tools/mod.ts";
import { send } from "./mcp/_client.ts";
import type { TestService } from "./_service.ts";

type Arguments = Record<string, unknown>;

export const MCP_BINDINGS: readonly Binding[] = ALL_TOOLS.map((tool) => {
  const prepare = async (service: TestService) => new McpAsk(service, tool, await ARGUMENTS[tool.name]!(service));
  return {
    name: `MCP ${tool.name}`,
    operation: tool.operation,
    prepare,
    ask: (service) => Promise.resolve(new McpAsk(service, tool, {})),
  };
});

/** Arguments of a call that succeeds, by tool; makes the resources that they name. */
const ARGUMENTS: Readonly<Record<string, (service: TestService) => Arguments | Promise<Arguments>>> = {
  recall: () => ({ query: "When did Caroline adopt her dog?" }),
  read: async (service) => ({ ids: [await createFact(service)], history: true }),
  remember: () => ({ statement: unique("The build runs on two cores") }),
  correct: async (service) => ({ id: await createFact(service), statement: unique("It has four"), reason: "seen" }),
  forget: async (service) => ({ id: await createFact(service), reason: "no longer needed" }),
  record: () => ({ session: unique("chat"), turns: [{ role: "user", content: "Hello." }] }),
  feedback: async (service) => ({ helpful: [await createFact(service)] }),
  timeline: () => ({ limit: 5 }),
  explain: () => ({ query: "How many cores has the build?" }),
  decide: () => ({ title: unique("Database"), decision: "We use Postgres." }),
  tasks: () => ({ status: ["pending"] }),
  task: () => ({ action: "create", title: unique("Compare the quotes") }),
  reason: () => ({ goal: "Convert the quarterly report to PDF" }),
  record_reasoning: () => ({ goal: unique("Convert the report"), steps: ["Open it."], answer: "Export it." }),
  outcome: async (service) => ({ id: await createSkill(service), success: true }),
};

function unique(text: string): string {
  return `${text} ${crypto.randomUUID()}`;
}

async function create(service: TestService, path: string, body: object): Promise<string> {
  const reply = await service.post(path, body);
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body.id;
}

function createFact(service: TestService): Promise<string> {
  return create(service, "/v1/memory/facts", { statement: unique("The build runs on two cores") });
}

function createSkill(service: TestService): Promise<string> {
  return create(service, "/v1/memory/skills", { name: unique("sum"), description: "Adds.", instructions: "Add." });
}

class McpAsk implements Asked {
  /** The protocol says nothing about repetitions. */
  readonly isRepeatable = false;
  readonly checks = [];

  constructor(readonly service: TestService, readonly tool: Tool, readonly body: Arguments) {}

  async send({ key, headers = {}, ...options }: SendOptions = {}): Promise<Told> {
    const { service, tool: { name } } = this;
    const args = "body" in options ? options.body : this.body;
    const path = "/mcp/all";
    const { status, body } = typeof args === "string"
      ? await service.call("POST", path, { ...(key !== undefined && { key }), body: args, headers })
      : await send(service, "tools/call", { name, arguments: args }, {
        ...(key !== undefined && { key }),
        path,
        headers,
      });
    const result = body.result;
    const problem = result?.isError
      ? result._meta["svc/problem"]
      : body.error?.data ?? (status >= 400 ? body : undefined);
    assert.equal(status === 200, result !== undefined, JSON.stringify(body));
    return {
      code: problem?.code,
      message: problem?.message,
      homeRegion: problem?.homeRegion,
      faults: (problem?.errors ?? []).map(({ path }: { path: string }) => path),
      isReplay: false,
      answer: result?.structuredContent,
    };
  }
}
