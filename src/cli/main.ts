/** The command line, and the entry of the single binary `svc`. It loads the one command that is asked for. */
import packageInfo from "../../deno.json" with { type: "json" };

async function main(args: readonly string[]): Promise<void> {
  if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) return console.log(packageInfo.version);
  if (args[0] === "hook" && !args.some((arg) => arg === "--help" || arg === "-h")) {
    const { runHook } = await import("./hook/run.ts");
    await runHook(args.slice(1));
  }
  const { createCli } = await import("./program.ts");
  try {
    await (await createCli(args, packageInfo.version)).parseAsync(args, { from: "user" });
  } catch (error) {
    const [{ isTold }, { oneLine }] = await Promise.all([import("./told.ts"), import("./agent/text.ts")]);
    if (!isTold(error)) throw error;
    // It may name a file of somebody else's archive.
    console.error(oneLine(error.message));
    Deno.exit(1);
  }
}

if (import.meta.main) await main(Deno.args);
