/** The README's settings for clients, each parsed and used. */
import assert from "node:assert/strict";
import { startService } from "../_service.ts";
import { send } from "./_client.ts";

const README = await Deno.readTextFile(new URL("../../README.md", import.meta.url));

function blockOf(client: string): string {
  const [, text] = new RegExp(`\`\`\`\\w+ ${client}\\n([^]*?)\`\`\``).exec(README) ?? [];
  assert.ok(text, `README shows ${client}`);
  return text;
}

interface Setting {
  readonly url: string;
  /** The header's value, in which a variable such as `${SVC_KEY}` stands for the key. */
  readonly authorization: string;
}

function read(client: string, member: string): Setting {
  const { url, headers } = JSON.parse(blockOf(client))[member].svc;
  return { url, authorization: headers.Authorization };
}

function readCodex(): Setting {
  const text = blockOf("codex");
  assert.match(text, /^\[mcp_servers\.svc\]$/m);
  const valueOf = (name: string) => new RegExp(`^${name} = "([^"]+)"$`, "m").exec(text)![1]!;
  return { url: valueOf("url"), authorization: `Bearer \${${valueOf("bearer_token_env_var")}}` };
}

Deno.test("the README's settings for Claude Code, Cursor, Codex and VS Code lead to the tools", async () => {
  await using service = await startService();
  const settings = [
    read("claude-code", "mcpServers"),
    read("cursor", "mcpServers"),
    readCodex(),
    read("vscode", "servers"),
  ];
  for (const { url, authorization } of settings) {
    assert.doesNotMatch(authorization, /svc_live_/, "no key stands in a file");
    const { origin, pathname: path } = new URL(url);
    assert.equal(origin, "http://127.0.0.1:8787");
    const key = authorization.replace(/^Bearer \$\{[\w:-]+\}$/, service.key);
    assert.equal((await send(service, "tools/list", {}, { key, path })).body.result.tools.length, 7);
  }
});
