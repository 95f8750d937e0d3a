/** `svc connect` and `svc disconnect`: add this memory to the configuration of a coding agent, and remove it. */
import { Argument, type Command } from "commander";
import { createTwoFilesPatch } from "diff";
import { realpathSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readAddress } from "../agent/credentials.ts";
import { CommandError, endWith, EXIT_BAD_INPUT } from "../agent/error.ts";
import { plain } from "../agent/text.ts";
import { denoCommand } from "../deno_command.ts";
import { CLIENTS, KEY_VARIABLE, type Plan, type PlanOptions } from "./clients.ts";
import { isNothingLeft, putIn, takeOut } from "./edit.ts";
import { backupOf, type ConfigFile, keepBackup, readBackup, readConfigFile, replaceConfigFile } from "./files.ts";
import { EditError } from "./json_edit.ts";

interface ConnectOptions {
  readonly url?: string;
  readonly hooks?: true;
  readonly project?: true;
  readonly dryRun?: true;
}

export function addConnectCommand(cli: Command): void {
  clientCommand(
    cli,
    "connect",
    "give a coding agent this memory: its configuration gets the MCP server, with --hooks also hooks",
  )
    .option("--url <url>", "address of the service; default: SVC_URL, or that of the credentials")
    .option("--hooks", "also recall before each prompt and record after each answer")
    .option("--project", "only in this folder, in files that a team shares; default: for all of this user's projects")
    .option("--dry-run", "show what would change, and change nothing")
    .action((client: string, options: ConnectOptions) =>
      guarded(async () => {
        const plans = CLIENTS[client]!(planFor(options, options.hooks === true));
        const changes = await Promise.all(
          plans.map((plan) => changeOf(plan, (text) => putIn(text ?? "", plan, client))),
        );
        await applyAll(changes, options.dryRun === true, async ({ file, plan }) => {
          // A file that already has our entries is not an earlier state.
          if (file.text !== undefined && takeOut(file.text, plan, client, undefined) === file.text) {
            await keepBackup(file);
          }
        });
        if (!options.dryRun) console.error(nextSteps(client, options));
      })
    );
}

export function addDisconnectCommand(cli: Command): void {
  clientCommand(cli, "disconnect", "take out of a coding agent's configuration what `svc connect` put in")
    .option("--project", "in the files of this folder; default: in those of the user")
    .option("--dry-run", "show what would change, and change nothing")
    .action((client: string, options: ConnectOptions) =>
      guarded(async () => {
        const plans = CLIENTS[client]!(planFor({ ...options, url: ANY_URL }, client !== "opencode"));
        const changes = await Promise.all(plans.map((plan) =>
          changeOf(plan, (text, backup) => {
            if (text === undefined) return undefined;
            const left = takeOut(text, plan, client, backup);
            // A file that connecting created is removed with its last entry.
            return left !== text && backup === undefined && isNothingLeft(left, plan) ? undefined : left;
          })
        ));
        await applyAll(changes, options.dryRun === true);
      })
    );
}

/** Removing entries needs no address. */
const ANY_URL = "http://127.0.0.1";

function clientCommand(cli: Command, name: string, description: string): Command {
  return cli.command(name).description(description)
    .addArgument(new Argument("<client>").choices(Object.keys(CLIENTS)))
    .exitOverride(({ exitCode }) => Deno.exit(exitCode === 0 ? 0 : EXIT_BAD_INPUT));
}

async function guarded(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    endWith(error, false);
  }
}

function planFor({ url, project }: ConnectOptions, withHooks: boolean): PlanOptions {
  return {
    url: `${originOf(url ?? readAddress())}/mcp`,
    withHooks,
    project: project ? Deno.cwd() : undefined,
    // A file that others share names no place on this machine.
    command: project ? "svc hook" : hookCommand(),
  };
}

/** The address without `/v1`, which people add because the documentation of the API shows it. */
function originOf(address: string): string {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new CommandError("bad_input", `Cannot connect: ${address} is not the http or https address of a service`);
  }
  const parts = url.pathname.split("/");
  while (parts.at(-1) === "") parts.pop();
  return (url.origin + parts.join("/")).replace(/\/(?:v1|mcp)$/, "");
}

/** The command by which a client starts a hook on this machine. */
function hookCommand(): string {
  const program = Deno.execPath();
  if (Deno.build.standalone) return `${isOnPath(program) ? "svc" : quote(program)} hook`;
  // From the source tree, only the few files of the hooks are run, which need no package.
  const entry = fileURLToPath(new URL("../hook/main.ts", import.meta.url));
  return `${denoCommand(quote, program)} run -A --quiet --no-config --no-lock ${quote(entry)}`;
}

function isOnPath(program: string): boolean {
  return listOnPath().includes(realpathSync(program));
}

/** The programs named `svc` that a shell of this user finds. */
function listOnPath(): string[] {
  const name = Deno.build.os === "windows" ? "svc.exe" : "svc";
  return (Deno.env.get("PATH") ?? "").split(delimiter).flatMap((folder) => {
    try {
      return folder === "" ? [] : realpathSync(join(folder, name));
    } catch {
      return [];
    }
  });
}

function quote(path: string): string {
  if (/^[\w@%+=:,./\\-]+$/.test(path)) return path;
  if (/["$`\n]/.test(path)) {
    throw new CommandError("bad_input", `Cannot connect: the path of this program cannot be quoted: ${path}`);
  }
  return `"${path}"`;
}

interface ConfigChange {
  readonly plan: Plan;
  readonly file: ConfigFile;
  readonly backup: string | undefined;
  /** undefined: the file is removed. */
  readonly text: string | undefined;
}

/** @throws CommandError for a file that cannot be changed; then none is changed */
async function changeOf(
  plan: Plan,
  edit: (text: string | undefined, backup: string | undefined) => string | undefined,
): Promise<ConfigChange> {
  const file = await readConfigFile(resolve(plan.path));
  const backup = await readBackup(file);
  try {
    // A byte order mark is not part of the JSON, and stays.
    const mark = file.text?.startsWith("\uFEFF") ? "\uFEFF" : "";
    const edited = edit(file.text?.slice(mark.length), backup?.replace(/^\uFEFF/, ""));
    return { plan, file, backup, text: edited === undefined ? undefined : mark + edited };
  } catch (error) {
    if (!(error instanceof EditError)) throw error;
    throw new CommandError("bad_input", `Cannot connect: ${plan.path} ${error.message}`);
  }
}

async function applyAll(
  changes: readonly ConfigChange[],
  isDryRun: boolean,
  prepare: (change: ConfigChange) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const real = changes.filter(({ file, text }) => text !== file.text);
  if (real.length === 0) console.log("Nothing to change.");
  for (const change of real) {
    const { file, backup, text } = change;
    if (isDryRun) {
      console.log(
        plain(createTwoFilesPatch(file.path, file.path, file.text ?? "", text ?? "", "", "", { context: 2 })),
      );
      continue;
    }
    await prepare(change);
    await replaceConfigFile(file, text);
    // The file has its earlier content again, so the backup is no longer needed.
    if (backup !== undefined && text === backup) await Deno.remove(backupOf(file));
    console.log(plain(text === undefined ? `Removed ${file.path}` : `Changed ${file.path}`));
  }
}

function nextSteps(client: string, { hooks, project }: ConnectOptions): string {
  const lines = [`Start ${client} with ${KEY_VARIABLE} in its environment; the configuration only names the variable.`];
  if (hooks) {
    lines.push(
      "Hooks also take the key from the credentials file; SVC_MEMORY=off or a file .svc-ignore switch them off.",
    );
  }
  if (hooks && project && listOnPath().length === 0) {
    lines.push("The hooks call svc, which is not on the PATH here: each who works in this folder needs it there.");
  }
  if (hooks && client === "codex") lines.push("Codex asks once whether to trust the hooks: /hooks.");
  return lines.join("\n");
}
