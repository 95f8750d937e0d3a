/**
 * `deno task start`: runs `deno serve src/main.ts` on the configured host and port, or `svc serve` if the configuration
 * asks for several processes, and passes SIGTERM on.
 */
import { readConfig } from "../src/config.ts";
import { V8_FLAGS } from "../src/cli/v8_flags.ts";

const config = readConfig();
const pathOf = (file: string) => new URL(`../src/${file}`, import.meta.url).pathname;
const flags = ["-A", "--quiet", `--v8-flags=${V8_FLAGS}`];
const args = (config.workers ?? 1) > 1
  ? ["run", ...flags, pathOf("cli/main.ts"), "serve"]
  : ["serve", ...flags, "--host", config.host, "--port", String(config.port), pathOf("main.ts")];
const child = new Deno.Command(Deno.execPath(), {
  args,
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
