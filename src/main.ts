/** The entry point of `deno serve src/main.ts`: boots the service and exports its `fetch`. */
import { requireFreeAddress } from "./cli/listening.ts";
import { takeCommands } from "./cli/operator_server.ts";
import { runCommand } from "./cli/program.ts";
import { readConfig } from "./config.ts";
import { ServiceError } from "./errors.ts";
import { Service } from "./service.ts";

async function boot(): Promise<Service> {
  try {
    const config = readConfig();
    requireFreeAddress(config);
    const service = await Service.boot(config);
    await takeCommands(service.deps, runCommand);
    return service;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    console.error(error.message);
    Deno.exit(1);
  }
}

const service = await boot();
service.stopOnSignals();

export default {
  fetch: service.fetch,
  onListen(address: Deno.Addr) {
    service.noteServed(address);
    service.noteStarted();
  },
} satisfies Deno.ServeDefaultExport;
