/** Makes the program that reads the arguments: the requested command in full, of others names and descriptions. */
import { Command } from "commander";
import { COMMANDS } from "./commands.ts";
import { PARTS } from "./parts.ts";

/** Makes the program for `args`, which name at most one command to load. */
export async function createCli(args: readonly string[], version: string): Promise<Command> {
  const cli = new Command("svc").description("Memory and knowledge for software agents").version(version)
    .showHelpAfterError();
  // The program's own options take no values, so the first other argument is the command.
  const [first, second] = args.filter((arg) => !arg.startsWith("-"));
  const asked = first === "help" ? second : first;
  for (const { name, description, load } of COMMANDS) {
    if (name === asked) (await load())(cli, PARTS);
    else cli.command(name).description(description);
  }
  // Handles only errors in the program's own arguments: each command ends in its own way. As in the commands, 2 means
  // bad input.
  return cli.exitOverride(({ exitCode }) => Deno.exit(exitCode === 0 ? 0 : 2));
}
