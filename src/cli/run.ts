/** Runs the command line. It loads only the command that the arguments name. */
import { asksForVersion, VERSION } from "./version.ts";

/**
 * Runs the command that the arguments name. If it fails with an error that was written for people, prints the message
 * and exits with 1.
 */
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
    const [{ isTold }, { oneLine }, { sayToOperator }] = await Promise.all([
      import("./told.ts"),
      import("./agent/text.ts"),
      import("../outbound/failure.ts"),
    ]);
    if (!isTold(error)) throw error;
    // The message may contain a file name from somebody else's archive.
    console.error(oneLine(sayToOperator(error)));
    Deno.exit(1);
  }
}
