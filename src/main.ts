/** The entry point of `deno serve src/main.ts`: boots the service and exports its `fetch`. */
import { readConfig } from "./config.ts";
import { Service } from "./service.ts";

const service = await Service.boot(readConfig());
service.stopOnSignals();
service.noteStarted();

export default { fetch: service.fetch } satisfies Deno.ServeDefaultExport;
