/** The entry of the single binary `svc`. Its imports are written out, so that `deno compile` embeds all that they lead to. */
import { run } from "./run.ts";

if (import.meta.main) await run(Deno.args);
