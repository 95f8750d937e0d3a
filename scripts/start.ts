/** `deno task start`: serves in this process until SIGTERM, SIGINT, or the end of `deno task`. */
import { refusalOfDeno, refusalOfDownload } from "../src/cli/version.ts";

const WATCH_MS = 250;

const refusal = refusalOfDeno();
if (refusal !== undefined) endWith(refusal);
// `deno task` sets this variable. Killed, it passes no signal on, and the port would stay taken.
if (Deno.env.has("INIT_CWD")) endWithParent();
// An older Deno must not even look at the modules, so their place is computed.
const program = new URL("../src/cli/run.ts", import.meta.url).href;
try {
  const { run }: typeof import("../src/cli/run.ts") = await import(program);
  await run(["serve"]);
} catch (error) {
  endWith(refusalOfDownload(error) ?? error);
}

/** Stops the service in order when the process that started this one has ended. */
function endWithParent(): void {
  const parent = Deno.ppid;
  const watch = setInterval(() => {
    if (Deno.ppid === parent) return;
    clearInterval(watch);
    Deno.kill(Deno.pid, "SIGTERM");
  }, WATCH_MS);
  Deno.unrefTimer(watch);
}

/** Ends with a sentence for the person, or with an error that nobody expects. */
function endWith(told: unknown): never {
  console.error(told);
  Deno.exit(1);
}
