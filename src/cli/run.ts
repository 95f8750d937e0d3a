/** The command line. It loads the one command that is asked for. */
import { asksForVersion, VERSION } from "./version.ts";

/** Runs the command that the arguments name; one that fails for a reason that was written for people ends the process with 1. */
export async function run(args: readonly string[]): Promise<void> {
  if (asksForVersion(args)) return console.log(VERSION);
  if (args[0] === "hook" && !args.some((arg) => arg === "--help" || arg === "-h")) {
    const { runHook } = await import("./hook/run.ts");
    await runHook(args.slice(1));
  }
  const { createCli } = await import("./program.ts");
  try {
    await (await createCli(args, VERSION)).parseAsync(args, { from: "user" });
  } catch (error) {
    const [{ isTold }, { oneLine }] = await Promise.all([import("./told.ts"), import("./agent/text.ts")]);
    if (!isTold(error)) throw error;
    // It may name a file of somebody else's archive.
    console.error(oneLine(error.message));
    Deno.exit(1);
  }
}
