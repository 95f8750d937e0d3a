/** The command line loads only the requested command. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { Command } from "commander";
import { COMMANDS } from "./commands.ts";
import { localParts } from "./parts.ts";
import { runCommand } from "./program.ts";

const ROOT = new URL("../..", import.meta.url).pathname;

interface Graph {
  readonly roots: readonly string[];
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?: readonly {
      readonly isDynamic?: boolean;
      readonly code?: { readonly specifier?: string };
    }[];
  }[];
}

async function graphOf(entry: string): Promise<Graph> {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--config", "src/deno.json", entry],
    cwd: ROOT,
    stderr: "null",
  }).output();
  ok(success, `deno info ${entry}`);
  return JSON.parse(new TextDecoder().decode(stdout)) as Graph;
}

/** The paths within `src` of some module URLs. */
function inSource(urls: Iterable<string>): string[] {
  return [...urls].filter((url) => url.includes("/src/")).map((url) => url.slice(url.indexOf("/src/") + 5)).sort();
}

/**
 * The files of `src` that Deno reads before it runs the first line of `entry`, including those that are only loaded
 * later.
 */
async function readFor(entry: string): Promise<string[]> {
  return inSource((await graphOf(entry)).modules.map(({ specifier }) => specifier));
}

/** The files of `src` that loading `entry` runs: its static imports, and theirs in turn. */
async function loadedBy(entry: string): Promise<string[]> {
  const graph = await graphOf(entry);
  const modules = new Map(graph.modules.map((module) => [module.specifier, module]));
  const seen = new Set<string>();
  const left = [...graph.roots];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    for (const { isDynamic, code } of modules.get(at)?.dependencies ?? []) {
      if (!isDynamic && code?.specifier !== undefined) left.push(code.specifier);
    }
  }
  return inSource(seen);
}

Deno.test("the version is told with two files loaded, help with six more", async () => {
  deepEqual(await loadedBy("src/cli/main.ts"), ["cli/main.ts", "cli/version.ts"]);
  deepEqual(await readFor("src/cli/main.ts"), ["cli/main.ts", "cli/version.ts"]);
  deepEqual(await loadedBy("src/cli/program.ts"), [
    "cli/agent/text.ts",
    "cli/commands.ts",
    "cli/parts.ts",
    "cli/program.ts",
    "errors.ts",
    "pause.ts",
  ]);
});

Deno.test("help says of every command what the command says of itself", async () => {
  for (const { name, description, load } of COMMANDS) {
    const cli = new Command("svc");
    (await load())(cli, localParts([name], runCommand));
    equal(cli.commands.length, 1, name);
    equal(cli.commands[0]!.name(), name);
    equal(cli.commands[0]!.description(), description, name);
  }
});
