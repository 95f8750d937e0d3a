/** Makes the program that reads the arguments: the requested command in full, of others names and descriptions. */
import { Command } from "commander";
import { COMMANDS } from "./commands.ts";
import { type CliParts, localParts } from "./parts.ts";

/** Makes the program for `args`, which name at most one command to load. */
export async function createCli(args: readonly string[], version: string): Promise<Command> {
  const cli = new Command("svc").description("Memory and knowledge for software agents").version(version)
    .showHelpAfterError();
  await addCommands(cli, args, localParts(args, runCommand));
  // Handles only errors in the program's own arguments: each command ends in its own way. As in the commands, 2 means
  // bad input.
  return cli.exitOverride(({ exitCode }) => Deno.exit(exitCode === 0 ? 0 : 2));
}

/**
 * Runs one of the operator's commands with these tools, in a process that goes on after it.
 * @throws Error with what the person is to be told
 */
export async function runCommand(args: readonly string[], parts: CliParts): Promise<void> {
  const command = COMMANDS.find(({ name }) => name === args[0]);
  if (command?.usesDeps !== true) throw new Error(`Cannot run the command: the service does not know ${args[0]}`);
  const cli = new Command("svc").configureOutput({ writeOut: parts.remark, writeErr: parts.remark }).exitOverride();
  (await command.load())(cli, parts);
  await cli.parseAsync(args, { from: "user" });
}

async function addCommands(cli: Command, args: readonly string[], parts: CliParts): Promise<void> {
  // The program's own options take no values, so the first other argument is the command.
  const [first, second] = args.filter((arg) => !arg.startsWith("-"));
  const asked = first === "help" ? second : first;
  for (const { name, description, load } of COMMANDS) {
    if (name === asked) (await load())(cli, parts);
    else cli.command(name).description(description);
  }
}
