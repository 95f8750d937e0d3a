/** `deno task start`: runs `deno serve src/main.ts` on the configured host and port, and passes SIGTERM on. */
import { readConfig } from "../src/config.ts";
import { V8_FLAGS } from "../src/cli/v8_flags.ts";

const config = readConfig();
const program = new URL("../src/main.ts", import.meta.url).pathname;
const flags = ["-A", "--quiet", `--v8-flags=${V8_FLAGS}`];
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
