/** Calls of `/mcp` as a client of the newest revision sends them, and the official clients on a real port. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Reply, TestService } from "../_service.ts";

export const REVISION = "2026-07-28";

export interface SendOptions {
  readonly key?: string | null;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const META = {
  "io.modelcontextprotocol/protocolVersion": REVISION,
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Sends one request of the newest revision. */
export function send(
  service: TestService,
  method: string,
  params: Record<string, unknown> = {},
  { key, path = "/mcp", headers = {} }: SendOptions = {},
): Promise<Reply> {
  const name = params["name"] ?? params["uri"];
  return service.call("POST", path, {
    ...(key !== undefined && { key }),
    body: { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: META } },
    headers: {
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": REVISION,
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
      ...headers,
    },
  });
}

/** Sends one request as revisions before 2026-07-28 do. */
export function sendLegacy(
  service: TestService,
  method: string,
  params: Record<string, unknown> = {},
  { key, path = "/mcp", headers = {} }: SendOptions = {},
): Promise<Reply> {
  return service.call("POST", path, {
    ...(key !== undefined && { key }),
    body: { jsonrpc: "2.0", id: 1, method, params },
    headers: { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25", ...headers },
  });
}

/** What a tool answers. */
export interface Told {
  readonly text: string;
  // deno-lint-ignore no-explicit-any
  readonly data: any;
  readonly isError: boolean;
}

export async function callTool(
  service: TestService,
  name: string,
  args: Record<string, unknown> = {},
  options: SendOptions = {},
): Promise<Told> {
  const { status, body } = await send(service, "tools/call", { name, arguments: args }, options);
  if (body?.result === undefined) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
  const { content, structuredContent: data, isError = false } = body.result;
  return { text: content[0].text, data, isError };
}

/** The official client of version 2, in either way of negotiating. */
export async function connectV2(url: string, key: string, mode: "auto" | "legacy"): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}
