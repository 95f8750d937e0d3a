/**
 * Each client's place of its configuration, and its form of an MCP server, a header with an environment variable, and
 * hooks. Sources: code.claude.com/docs/en/{mcp,hooks,settings}; cursor.com/docs/{mcp,hooks};
 * developers.openai.com/codex/{mcp,hooks};
 * code.visualstudio.com/docs/agents/reference/{mcp-configuration,hooks-reference};
 * geminicli.com/docs/{tools/mcp-server,hooks/reference}; opencode.ai/docs/{mcp-servers,config}.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { CommandError } from "../agent/error.ts";
import { configFolder, homeFolder } from "../agent/places.ts";
import { HOOK_CLIENTS } from "../hook/clients.ts";

/** The name of the server, and of the variable that holds the key. */
export const SERVER_NAME = "svc";
export const KEY_VARIABLE = "SVC_KEY";

/** The entries for one file. */
export interface Plan {
  readonly path: string;
  readonly format: "json" | "toml";
  /** Members that the file needs: they are in it already, or come with the first entry. */
  readonly base?: Readonly<Record<string, unknown>>;
  /** The entry of the MCP server, and the member that it is in. */
  readonly server?: { readonly above: string; readonly entry: Readonly<Record<string, unknown>> };
  /** One element of the list of each event. */
  readonly hooks?: Readonly<Record<string, object>>;
}

export interface PlanOptions {
  /** The address of the MCP server. */
  readonly url: string;
  readonly withHooks: boolean;
  /** The folder of the project; undefined: for all projects of the user. */
  readonly project: string | undefined;
  /** The command by which a client starts a hook; the names of client and event follow it. */
  readonly command: string;
}

const bearer = (reference: string) => ({ Authorization: `Bearer ${reference}` });

/** The clients' own timeouts; ours is far shorter. */
const TIMEOUT_SECONDS = 5;

export const CLIENTS: Readonly<Record<string, (options: PlanOptions) => Plan[]>> = {
  "claude-code": ({ url, withHooks, project, command }) => {
    const own = Deno.env.get("CLAUDE_CONFIG_DIR");
    const entry = { type: "http", url, headers: bearer(`\${${KEY_VARIABLE}}`) };
    const settings = project === undefined
      ? join(own ?? join(homeFolder(), ".claude"), "settings.json")
      : join(project, ".claude", "settings.json");
    const servers = project === undefined ? join(own ?? homeFolder(), ".claude.json") : join(project, ".mcp.json");
    const group = (event: string) => ({ hooks: [handlerOf(command, "claude-code", event, TIMEOUT_SECONDS)] });
    return [
      { path: servers, format: "json", server: { above: "mcpServers", entry } },
      ...(withHooks ? [{ path: settings, format: "json" as const, hooks: hooksOf("claude-code", group) }] : []),
    ];
  },
  cursor: ({ url, withHooks, project, command }) => {
    const folder = join(project ?? homeFolder(), ".cursor");
    const hooks = hooksOf("cursor", (event) => ({ command: commandOf(command, "cursor", event) }));
    return [
      {
        ...{ path: join(folder, "mcp.json"), format: "json" },
        server: { above: "mcpServers", entry: { url, headers: bearer(`\${env:${KEY_VARIABLE}}`) } },
      },
      ...(withHooks
        ? [{ path: join(folder, "hooks.json"), format: "json" as const, base: { version: 1 }, hooks }]
        : []),
    ];
  },
  codex: ({ url, withHooks, project, command }) => {
    const folder = project === undefined
      ? Deno.env.get("CODEX_HOME") ?? join(homeFolder(), ".codex")
      : join(project, ".codex");
    const group = (event: string) => ({ hooks: [handlerOf(command, "codex", event, TIMEOUT_SECONDS)] });
    return [
      {
        ...{ path: join(folder, "config.toml"), format: "toml" },
        server: { above: "mcp_servers", entry: { url, bearer_token_env_var: KEY_VARIABLE } },
      },
      ...(withHooks
        ? [{ path: join(folder, "hooks.json"), format: "json" as const, hooks: hooksOf("codex", group) }]
        : []),
    ];
  },
  vscode: ({ url, withHooks, project, command }) => {
    const servers = project === undefined ? join(codeFolder(), "mcp.json") : join(project, ".vscode", "mcp.json");
    const hookFile = project === undefined
      ? join(homeFolder(), ".copilot", "hooks", "svc.json")
      : join(project, ".github", "hooks", "svc.json");
    const hooks = hooksOf("vscode", (event) => handlerOf(command, "vscode", event, TIMEOUT_SECONDS));
    return [
      {
        ...{ path: servers, format: "json" },
        server: { above: "servers", entry: { type: "http", url, headers: bearer(`\${env:${KEY_VARIABLE}}`) } },
      },
      ...(withHooks ? [{ path: hookFile, format: "json" as const, hooks }] : []),
    ];
  },
  gemini: ({ url, withHooks, project, command }) => {
    const group = (event: string) => ({
      hooks: [{ name: `${SERVER_NAME}-${event}`, ...handlerOf(command, "gemini", event, TIMEOUT_SECONDS * 1_000) }],
    });
    return [{
      ...{ path: join(project ?? homeFolder(), ".gemini", "settings.json"), format: "json" },
      server: { above: "mcpServers", entry: { httpUrl: url, headers: bearer(`$${KEY_VARIABLE}`) } },
      ...(withHooks && { hooks: hooksOf("gemini", group) }),
    }];
  },
  opencode: ({ url, withHooks, project }) => {
    if (withHooks) {
      throw new CommandError(
        "bad_input",
        "Cannot connect opencode with --hooks: it runs no commands at its events, only plugins",
      );
    }
    const folder = project ?? join(configFolder(), "opencode");
    const commented = join(folder, "opencode.jsonc");
    const path = existsSync(commented) ? commented : join(folder, "opencode.json");
    const entry = { type: "remote", url, headers: bearer(`{env:${KEY_VARIABLE}}`), enabled: true };
    return [{ path, format: "json", server: { above: "mcp", entry } }];
  },
};

function hooksOf(client: string, make: (event: string) => object): Record<string, object> {
  return Object.fromEntries(Object.keys(HOOK_CLIENTS[client]!.events).map((event) => [event, make(event)]));
}

function handlerOf(command: string, client: string, event: string, timeout: number) {
  return { type: "command", command: commandOf(command, client, event), timeout };
}

function commandOf(command: string, client: string, event: string): string {
  return `${command} ${client} ${event}`;
}

/** The part before the client's name in a command that `svc connect` wrote, wherever this program was then. */
const OWN_START = /(?:(?:^|[/\\"' ])svc(?:\.exe)?["']? hook|[/\\]cli[/\\]hook[/\\]main\.ts["']?)$/;

/** Whether `svc connect` wrote a command of a client's hook. */
export function isOwnCommand(command: unknown, client: string, event: string): boolean {
  const end = ` ${client} ${event}`;
  return typeof command === "string" && command.endsWith(end) && OWN_START.test(command.slice(0, -end.length));
}

/** The folder of the user's own VS Code settings. */
function codeFolder(): string {
  const { os } = Deno.build;
  if (os === "windows") {
    return join(Deno.env.get("APPDATA") ?? join(homeFolder(), "AppData", "Roaming"), "Code", "User");
  }
  if (os === "darwin") return join(homeFolder(), "Library", "Application Support", "Code", "User");
  return join(configFolder(), "Code", "User");
}
