/** The common parts of commands for agents: calls to the service over HTTP, `--json`, exits by kind of failure. */
import { Command } from "commander";
import { type Client, createClient } from "../../../clients/typescript/mod.ts";
import { readCredentials } from "./credentials.ts";
import { CommandError, endWith, EXIT_BAD_INPUT } from "./error.ts";
import { plainJson } from "./text.ts";

/** The tools of a command. */
export interface AgentContext {
  readonly svc: Client;
  /** Shows the answer: with `--json` as it came, otherwise in the words that `tell` returns. */
  show<T>(answer: T, tell: (answer: T) => string): void;
}

/** Makes a command that calls the service. */
export function agentCommand(cli: Command, nameAndArguments: string, description: string): Command {
  const command = cli.command(nameAndArguments).description(description).option("--json", "write the answer as JSON");
  // A wrong call of a command is bad input like any other.
  return command.exitOverride(({ exitCode }) => Deno.exit(exitCode === 0 ? 0 : EXIT_BAD_INPUT));
}

/** Runs the work of a command; turns its errors into a sentence and an exit code. */
export async function run(
  options: { readonly json?: true },
  work: (ctx: AgentContext) => Promise<void>,
): Promise<void> {
  const asJson = options.json === true;
  try {
    await work({
      svc: createClient(readCredentials()),
      show: (answer, tell) => {
        const text = asJson ? plainJson(answer) : tell(answer);
        if (text !== "") console.log(text);
      },
    });
  } catch (error) {
    endWith(error, asJson);
  }
}

const STDIN_BYTES_MAX = 1_048_576;

/** Returns an argument; `-` stands for standard input. */
export async function textOf(argument: string): Promise<string> {
  if (argument !== "-") return argument;
  let text = "";
  for await (const piece of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.length > STDIN_BYTES_MAX) {
      throw new CommandError("bad_input", "Cannot read the text: standard input is above 1 MiB");
    }
  }
  return text.trim();
}
