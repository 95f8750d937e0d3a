/** How each client learns of the service: what a person pastes where, and a link that some clients open. */
import { SERVICE } from "./session.ts";

const address = () => SERVICE.href.replace(/\/$/, "");
const mcp = () => `${address()}/mcp`;
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

export interface Client {
  readonly id: string;
  readonly name: string;
  /** Where the text belongs. */
  readonly where: string;
  /** What to paste. With a key it stands in the text; without one the client reads it from `SVC_KEY`. */
  readonly text: (key: string | undefined) => string;
  /** A link that sets the client up by itself. */
  readonly link?: (key: string) => string;
}

export const CLIENTS: readonly Client[] = [
  {
    id: "claude-code",
    name: "Claude Code",
    where: "In a terminal, once",
    text: (key = "$SVC_KEY") =>
      `claude mcp add --transport http svc ${mcp()} --header "Authorization: Bearer ${key}"\n`,
  },
  {
    id: "cursor",
    name: "Cursor",
    where: "In ~/.cursor/mcp.json",
    text: (key = "${env:SVC_KEY}") => json({ mcpServers: { svc: { url: mcp(), headers: bearer(key) } } }),
    link: (key) => {
      const config = btoa(JSON.stringify({ url: mcp(), headers: bearer(key) }));
      return `cursor://anysphere.cursor-deeplink/mcp/install?name=svc&config=${encodeURIComponent(config)}`;
    },
  },
  {
    id: "codex",
    name: "Codex",
    where: "In ~/.codex/config.toml",
    text: (key) =>
      `[mcp_servers.svc]\nurl = "${mcp()}"\n${
        key === undefined ? `bearer_token_env_var = "SVC_KEY"` : `http_headers = { Authorization = "Bearer ${key}" }`
      }\n`,
  },
  {
    id: "vscode",
    name: "VS Code",
    where: "In .vscode/mcp.json",
    text: (key = "${env:SVC_KEY}") => json({ servers: { svc: { type: "http", url: mcp(), headers: bearer(key) } } }),
    link: (key) => {
      const config = { name: "svc", type: "http", url: mcp(), headers: bearer(key) };
      return `vscode:mcp/install?${encodeURIComponent(JSON.stringify(config))}`;
    },
  },
  {
    id: "gemini",
    name: "Gemini CLI",
    where: "In ~/.gemini/settings.json",
    text: (key = "$SVC_KEY") => json({ mcpServers: { svc: { httpUrl: mcp(), headers: bearer(key) } } }),
  },
  {
    id: "typescript",
    name: "TypeScript",
    where: "In your program",
    text: (key) =>
      `import { createClient } from "@svc/client";\n\nconst svc = createClient({ url: "${address()}", key: ${
        key === undefined ? "process.env.SVC_KEY" : `"${key}"`
      } });\nawait svc.createFact({ statement: "Backups are kept for ninety days." });\nconst { results } = await svc.recall({ query: "How long do we keep backups?" });\n`,
  },
  {
    id: "python",
    name: "Python",
    where: "In your program",
    text: (key) =>
      `${key === undefined ? "import os\n" : ""}from svc_memory import Client\n\nsvc = Client("${address()}", ${
        key === undefined ? `os.environ["SVC_KEY"]` : `"${key}"`
      })\nsvc.create_fact(statement="Backups are kept for ninety days.")\nreply = svc.recall(query="How long do we keep backups?")\n`,
  },
  {
    id: "curl",
    name: "curl",
    where: "In a terminal",
    text: (key = "$SVC_KEY") =>
      `curl ${address()}/v1/memory/recall -H "authorization: Bearer ${key}" \\\n  -H "content-type: application/json" -d '{"query": "How long do we keep backups?"}'\n`,
  },
];
