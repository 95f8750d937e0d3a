/**
 * The library of the protocol. It costs 32 MB and a tenth of a second, so it is loaded by the first request to MCP; the name
 * is a literal, so that the compiled program has it.
 */
export type McpLibrary = typeof import("@modelcontextprotocol/server");

export function loadLibrary(): Promise<McpLibrary> {
  return import("@modelcontextprotocol/server");
}
