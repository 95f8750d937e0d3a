/** Calls of `/mcp` as a client of the newest revision sends them, and the official clients on a real port. */
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioTransportV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpTransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
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

/** The official clients, over either transport. */
export interface OfficialClient extends AsyncDisposable {
  readonly call: (name: string, args: Record<string, unknown>) => Promise<Told>;
  readonly tools: () => Promise<string[]>;
}

/** Where a client finds the service: by HTTP, or by the program that it starts. */
export type Way =
  | { readonly url: string; readonly key: string }
  | { readonly command: string; readonly args: string[]; readonly env: Record<string, string> };

const INFO = { name: "test", version: "1.0.0" };

/** The program `svc mcp`, as a client's configuration starts it. */
export function bridgeTo(url: string, key: string): Way & { command: string } {
  const main = new URL("../../src/cli/main.ts", import.meta.url).pathname;
  const env = { ...Deno.env.toObject(), SVC_URL: url, SVC_KEY: key };
  return { command: Deno.execPath(), args: ["run", "-A", "--no-check", main, "mcp"], env };
}

export const CLIENTS: Readonly<Record<string, (way: Way) => Promise<OfficialClient>>> = {
  "version 2, newest revision": (way) => connectV2(way, "auto"),
  "version 2, older revision": (way) => connectV2(way, "legacy"),
  "version 1": connectV1,
  "Vercel AI SDK": connectAiSdk,
};

// deno-lint-ignore no-explicit-any
function tell({ content, structuredContent, isError = false }: any): Told {
  return { text: content[0].text, data: structuredContent, isError };
}

function bearer(key: string) {
  return { headers: { authorization: `Bearer ${key}` } };
}

async function connectV2(way: Way, mode: "auto" | "legacy"): Promise<OfficialClient> {
  const client = new Client(INFO, { versionNegotiation: { mode } });
  await client.connect(
    "url" in way
      ? new StreamableHTTPClientTransport(new URL(way.url), { requestInit: bearer(way.key) })
      : new StdioClientTransport(way),
  );
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => tell(await client.callTool({ name, arguments: args })),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function connectV1(way: Way): Promise<OfficialClient> {
  const client = new ClientV1(INFO);
  await client.connect(
    "url" in way
      ? new HttpTransportV1(new URL(way.url), { requestInit: bearer(way.key) }) as never
      : new StdioTransportV1(way),
  );
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }: { name: string }) => name),
    call: async (name, args) => tell(await client.callTool({ name, arguments: args })),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function connectAiSdk(way: Way): Promise<OfficialClient> {
  const client = await createMCPClient({
    transport: "url" in way ? { type: "http", url: way.url, ...bearer(way.key) } : new StdioMCPTransport(way),
  });
  // deno-lint-ignore no-explicit-any
  const tools = await client.tools() as Record<string, any>;
  return {
    tools: () => Promise.resolve(Object.keys(tools)),
    call: async (name, args) => tell(await tools[name].execute(args, { toolCallId: "1", messages: [] })),
    [Symbol.asyncDispose]: () => client.close(),
  };
}
