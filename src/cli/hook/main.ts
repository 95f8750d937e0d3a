/**
 * The entry of a hook that is run from the source tree: `deno run src/cli/hook/main.ts <client> <event>`. The command line as
 * a whole names every part of the service, and finding all of it takes longer than a hook has.
 */
import { runHook } from "./run.ts";

if (import.meta.main) await runHook(Deno.args);
