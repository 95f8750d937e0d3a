/** How clients find out where to get a token: metadata and challenges (RFC 9728), and an official client that does. */
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { type OAuthClientProvider, UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { entryOf, freePort, PUBLIC_URL, startIssuer, type TestIssuer, trusting } from "../_issuer.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";
import { send } from "../mcp/_client.ts";

const WORKSPACE = { claim: "workspace" };
const WELL_KNOWN = "/.well-known/oauth-protected-resource";

Deno.test({
  name: "the service describes itself and its parts as resources, and names its issuers; without any it is none",
  ...POSTGRES,
  async fn() {
    await using issuer = await startIssuer();
    const requestScopes = ["memory:read", "memory:write"];
    await using service = await startService({ env: trusting(entryOf(issuer, WORKSPACE, { requestScopes })) });
    for (const path of ["", "/mcp", "/mcp/all", "/v1"]) {
      const { status, body, headers } = await service.get(WELL_KNOWN + path, { key: null });
      assert.equal(status, 200, path);
      assert.deepEqual(body, {
        resource: `http://svc.test${path}`,
        authorization_servers: [issuer.url, "http://svc.test"],
        scopes_supported: requestScopes,
        bearer_methods_supported: ["header"],
        resource_name: "svc memory",
        resource_documentation: "http://svc.test/v1/docs",
      });
      assert.equal(headers.get("content-type"), "application/json");
    }
    for (const path of ["/other", "/mcp/x", "/v1/docs", "//mcp"]) {
      assert.equal((await service.get(WELL_KNOWN + path, { key: null })).status, 404, path);
    }
    const env = { ...trusting(entryOf(issuer, WORKSPACE)), SVC_PUBLIC_URL: "https://memory.example/team" };
    await using below = await startService({ env });
    for (const path of ["/team/mcp", "/mcp"]) {
      const { body } = await below.get(WELL_KNOWN + path, { key: null });
      assert.deepEqual([body.resource, "scopes_supported" in body], ["https://memory.example/team/mcp", false]);
    }
    await using off = await startService({ env: { SVC_PUBLIC_URL: PUBLIC_URL, SVC_OAUTH_SERVER: "off" } });
    assert.equal((await off.get(WELL_KNOWN, { key: null })).status, 404);
    assert.equal((await off.get("/v1/whoami", { key: null })).headers.get("www-authenticate"), "Bearer");
  },
});

Deno.test({
  name: "T17 a refusal names the description of what was called, the fault of the token and the scope that is missing",
  ...POSTGRES,
  async fn() {
    await using issuer = await startIssuer();
    const entry = entryOf(issuer, WORKSPACE, { requestScopes: ["memory:read"] });
    await using service = await startService({ env: trusting(entry) });
    const { workspaceId: workspace } = service;
    const told = async (path: string, key: string | null, body?: unknown) =>
      (await service.call(body ? "POST" : "GET", path, { key, body })).headers.get("www-authenticate");
    const metadata = (path: string) => `resource_metadata="http://svc.test${WELL_KNOWN}${path}"`;
    const scope = 'scope="memory:read"';
    assert.equal(await told("/v1/whoami", null), `Bearer ${metadata("/v1")}, ${scope}`);
    assert.equal(await told("/mcp", null), `Bearer ${metadata("/mcp")}, ${scope}`);
    assert.equal(await told("/mcp/all", null), `Bearer ${metadata("/mcp/all")}, ${scope}`);
    assert.equal(await told("/svc.v1.SvcService/Recall", null, {}), `Bearer ${metadata("")}, ${scope}`);
    assert.equal(await told("/v1/stream", null), `Bearer ${metadata("/v1")}, ${scope}`);
    const expired = await issuer.sign({ workspace, iat: 1_000_000_000, exp: 1_000_000_500 });
    const fault = 'Bearer error="invalid_token", error_description="its token has expired"';
    assert.equal(await told("/v1/whoami", expired), `${fault}, ${metadata("/v1")}, ${scope}`);
    const reader = await issuer.sign({ workspace });
    const missing = `Bearer error="insufficient_scope", scope="memory:write", ${metadata("/v1")}`;
    assert.equal(await told("/v1/memory/facts", reader, { statement: "The depot opens at seven" }), missing);
    const tool = { name: "remember", arguments: { statement: "The depot opens at seven" } };
    const called = await send(service, "tools/call", tool, { key: reader });
    assert.equal(called.status, 403);
    assert.equal(called.headers.get("www-authenticate"), missing.replace("/v1", "/mcp"));
    // Neither admins' operations nor those between instances take tokens.
    assert.equal(await told("/v1/admin/api-keys", null), "Bearer");
  },
});

/** What an application keeps of one person's sign-in. */
class Provider implements OAuthClientProvider {
  #tokens: Awaited<ReturnType<OAuthClientProvider["tokens"]>>;
  #verifier = "";
  sentTo: URL | undefined;

  readonly redirectUrl = "http://127.0.0.1:1/callback";
  readonly clientMetadata = { client_name: "test", redirect_uris: [this.redirectUrl] };
  readonly clientInformation = () => ({ client_id: "claude" });
  readonly tokens = () => this.#tokens;
  readonly saveTokens = (tokens: NonNullable<Awaited<ReturnType<OAuthClientProvider["tokens"]>>>) => {
    this.#tokens = tokens;
  };
  readonly redirectToAuthorization = (url: URL) => {
    this.sentTo = url;
  };
  readonly saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier;
  };
  readonly codeVerifier = () => this.#verifier;
}

/** The person's browser: follows the address to the issuer, and back. */
async function agree(issuer: TestIssuer, at: URL): Promise<string> {
  assert.equal(at.origin, issuer.origin);
  const { headers } = await fetch(at, { redirect: "manual" });
  return new URL(headers.get("location")!).searchParams.get("code")!;
}

Deno.test({
  name: "with the address alone an official client finds the issuer, gets a token for the MCP server, and recalls",
  ...POSTGRES,
  async fn() {
    await using issuer = await startIssuer();
    const port = freePort();
    const url = `http://127.0.0.1:${port}`;
    const env = { ...trusting(entryOf(issuer, WORKSPACE, { requestScopes: ["memory:read"] })), SVC_PUBLIC_URL: url };
    await using service = await startService({ env });
    await using _server = Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {} }, service.service.fetch);
    issuer.person = { workspace: service.workspaceId, sub: "ada" };
    await service.post("/v1/memory/facts", { statement: "The depot opens at seven" });
    const authProvider = new Provider();
    const connect = async (code?: string) => {
      const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider });
      if (code !== undefined) await transport.finishAuth(code);
      const client = new Client({ name: "test", version: "1" });
      await client.connect(transport as never);
      return client;
    };
    await assert.rejects(connect(), UnauthorizedError);
    assert.equal(authProvider.sentTo!.searchParams.get("resource"), `${url}/mcp`);
    assert.equal(authProvider.sentTo!.searchParams.get("scope"), "memory:read");
    const client = await connect(await agree(issuer, authProvider.sentTo!));
    const { tools } = await client.listTools();
    const names = tools.map(({ name }: { name: string }) => name);
    assert.ok(names.includes("recall") && !names.includes("remember"), names.join());
    const { content } = await client.callTool({ name: "recall", arguments: { query: "when does the depot open?" } });
    assert.match(JSON.stringify(content), /The depot opens at seven/);
    await client.close();
    // The token that it has is for the MCP server, and for nothing else here.
    const token = authProvider.tokens()!.access_token;
    assert.match((await service.get("/v1/whoami", { key: token })).body.message, /is for the MCP server alone/);
  },
});
