/** `deno task start`: runs `deno serve src/main.ts` on the configured host and port, and passes SIGTERM on. */
import { V8_FLAGS } from "../src/cli/v8_flags.ts";
import { refusalOfDeno } from "../src/cli/version.ts";

const refusal = refusalOfDeno();
if (refusal !== undefined) endWith(refusal);
const config = await readConfiguration();
const program = new URL("../src/main.ts", import.meta.url).pathname;
const flags = ["-A", `--v8-flags=${V8_FLAGS}`];
const child = new Deno.Command(Deno.execPath(), {
  args: ["serve", ...flags, "--host", config.host, "--port", String(config.port), program],
  stdin: "null",
}).spawn();
// A terminal sends SIGINT to both processes; only what this one alone gets is passed on.
Deno.addSignalListener("SIGINT", () => {});
Deno.addSignalListener("SIGTERM", () => {
  try {
    child.kill("SIGTERM");
  } catch {
    // It has ended by itself.
  }
});
const { code } = await child.status;
Deno.exit(code);

/** Reads the configuration. An older Deno must not even look at the modules, so their place is computed. */
async function readConfiguration() {
  const { readConfig }: typeof import("../src/config.ts") = await import(
    new URL("../src/config.ts", import.meta.url).href
  );
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "ServiceError") throw error;
    endWith(error.message);
  }
}

/** Ends with a sentence for the person. */
function endWith(sentence: string): never {
  console.error(sentence);
  Deno.exit(1);
}
