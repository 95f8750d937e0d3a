/** MCP: what the library would let through. */
import type { Mutation } from "./mutation.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "batches of MCP",
    file: "src/mcp/app.ts",
    defence: "    if (Array.isArray(message)) {\n",
    instead: "    if (Array.isArray(message) && message.length === 0) {\n",
    test: "tests/mcp/guard_test.ts",
    filter: "T71 a batch is refused",
  },
  {
    name: "origin of MCP",
    file: "src/mcp/head.ts",
    defence: "    if (!isKnown) throw",
    instead: "    if (!isKnown && from === null) throw",
    test: "tests/mcp/guard_test.ts",
    filter: "T72 a page of another host",
  },
  {
    name: "scope of a tool before its arguments",
    file: "src/mcp/server.ts",
    defence: "    call.requireScope(tool.operation, tool.name);\n",
    instead: "",
    test: "tests/mcp/guard_test.ts",
    filter: "T71 a key sees the tools",
  },
  {
    name: "a stored unit on one line",
    file: "src/mcp/tools/read.ts",
    defence: "units.map(jsonLine)",
    instead: "units.map((unit) => JSON.stringify(unit))",
    test: "tests/mcp/guard_test.ts",
    filter: "T45 T47 stored text",
  },
  {
    name: "stored text on one line",
    file: "src/mcp/text.ts",
    defence: '  return text.replace(/[\\r\\n\\v\\f\\u0085\\u2028\\u2029]+/g, " ").trim();',
    instead: "  return text.trim();",
    test: "tests/mcp/guard_test.ts",
    filter: "T45 T47 stored text",
  },
  {
    name: "what a tool itself refuses is recorded",
    file: "src/mcp/call.ts",
    defence: "      return await audited(this.#enter(first), () => Promise.reject(error));\n",
    instead: "      throw error;\n",
    test: "tests/mcp/guard_test.ts",
    filter: "T71 a call is one row of the audit log",
  },
];
