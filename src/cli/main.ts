/**
 * The entry point in a checkout: `deno run -A src/cli/main.ts`. Before Deno runs the first line, it reads every file
 * that static imports lead to, which takes a third of a second of CPU for the whole service. The import below is
 * computed at run time instead, so that `--version` costs none of that.
 */
import { asksForVersion, refusalOfDeno, refusalOfDownload, VERSION } from "./version.ts";

async function main(args: readonly string[]): Promise<void> {
  if (asksForVersion(args)) return console.log(VERSION);
  const refusal = refusalOfDeno();
  if (refusal !== undefined) {
    console.error(refusal);
    Deno.exit(1);
  }
  try {
    const program: { run(args: readonly string[]): Promise<void> } = await import(
      new URL("./run.ts", import.meta.url).href
    );
    await program.run(args);
  } catch (error) {
    const unreachable = refusalOfDownload(error);
    if (unreachable === undefined) throw error;
    console.error(unreachable);
    Deno.exit(1);
  }
}

if (import.meta.main) await main(Deno.args);
