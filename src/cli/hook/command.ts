/** The usage of `svc hook`, for help; running it uses none of this, because it has little time. */
import { Argument, type Command } from "commander";
import { HOOK_CLIENTS } from "./clients.ts";
import { runHook } from "./run.ts";

export function addHookCommand(cli: Command): void {
  cli.command("hook").description("called by a coding agent: recall before a prompt, record after an answer")
    .addArgument(new Argument("<client>").choices(Object.keys(HOOK_CLIENTS)))
    .argument("<event>", "the client's name of the event")
    .addHelpText(
      "after",
      "\nThe client's JSON comes on standard input. `svc connect <client> --hooks` writes the configuration for it.",
    )
    .action((client: string, event: string) => runHook([client, event]));
}
