/** `svc connect` and `svc disconnect`, for each client in a home folder of its own. */
import { deepEqual, doesNotMatch, equal, match, ok, rejects } from "node:assert/strict";
import { Command } from "commander";
import { parse as parseJson } from "jsonc-parser";
import { parse as parseToml } from "@decimalturn/toml-patch";
import { dirname, join } from "node:path";
import { addConnectCommand, addDisconnectCommand } from "../../src/cli/connect/command.ts";

const URL_OF = "https://memory.example";
const KEY = "svc_live_abcdefghijkl_verysecretpart";

interface Expected {
  /** The file of the server, below the home folder or the project. */
  readonly servers: string;
  readonly entry: object;
  readonly above: string;
  /** The file of hooks; undefined: the client has none. */
  readonly hooks?: string;
  readonly events?: readonly string[];
}

const header = (reference: string) => ({ headers: { Authorization: `Bearer ${reference}` } });
const USER: Readonly<Record<string, Expected>> = {
  "claude-code": {
    servers: ".claude.json",
    above: "mcpServers",
    entry: { type: "http", url: `${URL_OF}/mcp`, ...header("${SVC_KEY}") },
    hooks: ".claude/settings.json",
    events: ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"],
  },
  cursor: {
    servers: ".cursor/mcp.json",
    above: "mcpServers",
    entry: { url: `${URL_OF}/mcp`, ...header("${env:SVC_KEY}") },
    hooks: ".cursor/hooks.json",
    events: ["sessionStart", "beforeSubmitPrompt", "stop", "sessionEnd"],
  },
  codex: {
    servers: ".codex/config.toml",
    above: "mcp_servers",
    entry: { url: `${URL_OF}/mcp`, bearer_token_env_var: "SVC_KEY" },
    hooks: ".codex/hooks.json",
    events: ["SessionStart", "UserPromptSubmit", "Stop"],
  },
  vscode: {
    servers: ".config/Code/User/mcp.json",
    above: "servers",
    entry: { type: "http", url: `${URL_OF}/mcp`, ...header("${env:SVC_KEY}") },
    hooks: ".copilot/hooks/svc.json",
    events: ["SessionStart", "UserPromptSubmit", "Stop"],
  },
  gemini: {
    servers: ".gemini/settings.json",
    above: "mcpServers",
    entry: { httpUrl: `${URL_OF}/mcp`, ...header("$SVC_KEY") },
    hooks: ".gemini/settings.json",
    events: ["SessionStart", "BeforeAgent", "AfterAgent", "SessionEnd"],
  },
  opencode: {
    servers: ".config/opencode/opencode.json",
    above: "mcp",
    entry: { type: "remote", url: `${URL_OF}/mcp`, ...header("{env:SVC_KEY}"), enabled: true },
  },
};
const PROJECT: Readonly<Record<string, string>> = {
  "claude-code": ".mcp.json",
  cursor: ".cursor/mcp.json",
  codex: ".codex/config.toml",
  vscode: ".vscode/mcp.json",
  gemini: ".gemini/settings.json",
  opencode: "opencode.json",
};
/** What a user has in such a file already. */
const OWN: Readonly<Record<string, string>> = {
  json:
    '{\n    // mine\n    "theme": "dark",\n    "mcpServers": {},\n    "servers": { "a": { "command": "x" } }, // keep\n}\n',
  toml: '# mine\nmodel = "gpt" # keep\n\n[mcp_servers.other]\ncommand = "x"\n',
};

class Home implements AsyncDisposable {
  readonly #before = Deno.env.toObject();
  readonly #cwd = Deno.cwd();
  private constructor(readonly home: string) {}

  static async make(): Promise<Home> {
    const made = new Home(await Deno.realPath(await Deno.makeTempDir({ prefix: "svc-home-" })));
    for (const name of ["XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"]) Deno.env.delete(name);
    Deno.env.set("HOME", made.home);
    Deno.env.set("SVC_URL", URL_OF);
    Deno.env.set("SVC_KEY", KEY);
    Deno.chdir(made.home);
    return made;
  }

  /** Runs a command; gives what it printed and its exit code. */
  async run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    const cli = new Command("svc");
    addConnectCommand(cli);
    addDisconnectCommand(cli);
    const { log, error } = console;
    const [out, err]: string[][] = [[], []];
    console.log = (text: string) => void out!.push(text);
    console.error = (text: string) => void err!.push(text);
    Deno.exitCode = 0;
    try {
      await cli.parseAsync(args, { from: "user" });
      return { code: Deno.exitCode, out: out!.join("\n"), err: err!.join("\n") };
    } finally {
      Object.assign(console, { log, error });
      Deno.exitCode = 0;
    }
  }

  read(path: string): Promise<string> {
    return Deno.readTextFile(join(this.home, path));
  }

  async write(path: string, text: string, mode = 0o644): Promise<void> {
    await Deno.mkdir(dirname(join(this.home, path)), { recursive: true });
    await Deno.writeTextFile(join(this.home, path), text);
    await Deno.chmod(join(this.home, path), mode);
  }

  /** All files with their content. */
  async files(): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    const walk = async (folder: string): Promise<void> => {
      for await (const { name, isDirectory } of Deno.readDir(join(this.home, folder))) {
        if (isDirectory) await walk(join(folder, name));
        else found[join(folder, name)] = await this.read(join(folder, name));
      }
    };
    await walk("");
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    Deno.chdir(this.#cwd);
    for (const name of ["SVC_URL", "SVC_KEY"]) Deno.env.delete(name);
    for (const [name, value] of Object.entries(this.#before)) Deno.env.set(name, value);
    await Deno.remove(this.home, { recursive: true });
  }
}

// deno-lint-ignore no-explicit-any
function parse(path: string, text: string): any {
  return path.endsWith(".toml") ? parseToml(text) : parseJson(text);
}

for (const [client, expected] of Object.entries(USER)) {
  const withHooks = expected.hooks === undefined ? [] : ["--hooks"];

  Deno.test(`${client}: connecting writes the server and the hooks, a second time nothing, disconnecting takes all of it away`, async () => {
    await using home = await Home.make();
    const dry = await home.run("connect", client, ...withHooks, "--dry-run");
    match(dry.out, /^\+.*memory\.example\/mcp/m);
    deepEqual(await home.files(), {}, "a dry run writes nothing");

    equal((await home.run("connect", client, ...withHooks)).code, 0);
    const files = await home.files();
    deepEqual(parse(expected.servers, files[expected.servers]!)[expected.above].svc, expected.entry);
    equal(JSON.stringify(files).includes("verysecretpart"), false, "the key stands nowhere");
    if (expected.hooks !== undefined) {
      const hooks = parse(expected.hooks, files[expected.hooks]!).hooks;
      deepEqual(Object.keys(hooks), expected.events);
      for (const event of expected.events!) {
        match(JSON.stringify(hooks[event]), new RegExp(`(?:svc hook|hook/main\\.ts) ${client} ${event}"`));
      }
      if (client === "cursor") equal(parse(expected.hooks, files[expected.hooks]!).version, 1);
    }
    equal((await home.run("connect", client, ...withHooks)).out, "Nothing to change.");
    deepEqual(await home.files(), files);

    equal((await home.run("disconnect", client)).code, 0);
    deepEqual(await home.files(), {}, "files that connecting made are gone");
    equal((await home.run("disconnect", client)).out, "Nothing to change.");
  });

  Deno.test(`${client}: what the user has in the files stays, byte for byte and with its mode, in a project as well`, async () => {
    await using home = await Home.make();
    const files = [[expected.servers, []], [PROJECT[client]!, ["--project"]]] as const;
    for (const [path, flags] of files) {
      const own = OWN[path.endsWith(".toml") ? "toml" : "json"]!;
      await home.write(path, own, 0o640);
      equal((await home.run("connect", client, ...flags)).code, 0);
      const text = await home.read(path);
      deepEqual(parse(path, text)[expected.above].svc, expected.entry);
      match(text, /mine[^]*keep/);
      equal(await home.read(`${path}.svc-backup`), own);
      equal((await Deno.stat(join(home.home, path))).mode! & 0o777, 0o640);
      equal((await home.run("disconnect", client, ...flags)).code, 0);
      equal(await home.read(path), own);
      equal(Object.keys(await home.files()).some((name) => name.endsWith(".svc-backup")), false);
    }
  });

  Deno.test(`${client}: a broken file, a foreign server of the same name and a changed address`, async () => {
    await using home = await Home.make();
    const path = expected.servers;
    const isToml = path.endsWith(".toml");
    for (const broken of [isToml ? "a = " : '{"a": ', isToml ? "mcp_servers = 1\n" : `{"${expected.above}": 1}`]) {
      await home.write(path, broken);
      const { code, err } = await home.run("connect", client);
      equal(code, 2);
      match(err, /^Cannot connect: .*(not valid|not an object|not a table)/);
      equal(await home.read(path), broken);
    }
    const foreign = isToml
      ? '[mcp_servers.svc]\ncommand = "other"\n'
      : JSON.stringify({ [expected.above]: { svc: { command: "other" } } });
    await home.write(path, foreign);
    match((await home.run("connect", client)).err, /has another server/);
    equal((await home.run("disconnect", client)).out, "Nothing to change.");
    equal(await home.read(path), foreign);

    await Deno.remove(join(home.home, path));
    await home.run("connect", client, "--url", "http://127.0.0.1:1/v1");
    await home.run("connect", client);
    deepEqual(parse(path, await home.read(path))[expected.above].svc, expected.entry);
  });
}

Deno.test("other hooks of the user stay beside ours, and what the user added to our entry stays when the address changes", async () => {
  await using home = await Home.make();
  const own =
    '{\n  "hooks": {\n    "Stop": [\n      { "hooks": [{ "type": "command", "command": "say done" }] }\n    ]\n  }\n}\n';
  await home.write(".claude/settings.json", own);
  await home.run("connect", "claude-code", "--hooks");
  const { hooks } = JSON.parse(await home.read(".claude/settings.json"));
  equal(hooks.Stop.length, 2);
  await home.run("disconnect", "claude-code");
  equal(await home.read(".claude/settings.json"), own);

  await home.run("connect", "cursor", "--url", "http://old.example");
  const servers = JSON.parse(await home.read(".cursor/mcp.json"));
  servers.mcpServers.svc.timeout = 5;
  servers.mcpServers.svc.headers["x-more"] = "1";
  await home.write(".cursor/mcp.json", JSON.stringify(servers));
  await home.run("connect", "cursor");
  deepEqual(JSON.parse(await home.read(".cursor/mcp.json")).mcpServers.svc, {
    ...{ url: `${URL_OF}/mcp`, timeout: 5 },
    headers: { Authorization: "Bearer ${env:SVC_KEY}", "x-more": "1" },
  });
});

Deno.test("a link is followed and stays a link; a link to nothing and a folder are refused", async () => {
  await using home = await Home.make();
  await home.write("dotfiles/mcp.json", "{}\n");
  await Deno.mkdir(join(home.home, ".cursor"));
  await Deno.symlink(join(home.home, "dotfiles/mcp.json"), join(home.home, ".cursor/mcp.json"));
  equal((await home.run("connect", "cursor")).code, 0);
  ok((await Deno.lstat(join(home.home, ".cursor/mcp.json"))).isSymlink);
  ok(JSON.parse(await home.read("dotfiles/mcp.json")).mcpServers.svc);
  await Deno.remove(join(home.home, "dotfiles/mcp.json"));
  match((await home.run("connect", "cursor")).err, /link to nothing/);
  await Deno.mkdir(join(home.home, ".claude.json"));
  match((await home.run("connect", "claude-code")).err, /not a file/);
});

Deno.test("an address that is none, hooks of a client without any and files of a project", async () => {
  await using home = await Home.make();
  for (const url of ["ftp://x", "https://user:pw@x", "nowhere", "http://x/?a=1"]) {
    equal((await home.run("connect", "cursor", "--url", url)).code, 2, url);
  }
  match((await home.run("connect", "opencode", "--hooks")).err, /runs no commands/);
  deepEqual(await home.files(), {});
  Deno.env.set("PATH", home.home);
  match((await home.run("connect", "vscode", "--hooks", "--project")).err, /svc, which is not on the PATH/);
  await home.write("svc", "", 0o755);
  doesNotMatch((await home.run("connect", "vscode", "--hooks", "--project")).err, /PATH/);
  const hooks = JSON.parse(await home.read(".github/hooks/svc.json")).hooks;
  equal(hooks.Stop[0].command, "svc hook vscode Stop", "a shared file names no place on this machine");
  await rejects(Deno.stat(join(home.home, ".config/Code/User/mcp.json")), Deno.errors.NotFound);
});
