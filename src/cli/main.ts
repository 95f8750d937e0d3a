/**
 * The entry from a checkout: `deno run -A src/cli/main.ts`. Deno reads all files that written imports lead to before it runs the first
 * line, which takes a third of a second of CPU for the whole service. So the way there is not written out, and the version costs none of it.
 */
import { asksForVersion, VERSION } from "./version.ts";

async function main(args: readonly string[]): Promise<void> {
  if (asksForVersion(args)) return console.log(VERSION);
  const program: { run(args: readonly string[]): Promise<void> } = await import(
    new URL("./run.ts", import.meta.url).href
  );
  await program.run(args);
}

if (import.meta.main) await main(Deno.args);
