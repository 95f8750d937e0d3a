/**
 * The entry point of the single binary `svc`. It imports statically, so that `deno compile` embeds everything it needs.
 */
import { run } from "./run.ts";

if (import.meta.main) await run(Deno.args);
