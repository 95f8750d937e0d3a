/** `svc serve`: runs the service. Only this command loads the service's modules. */
import { type Command, Option } from "commander";
import { readConfig } from "../config.ts";
import { ServiceError } from "../errors.ts";
import { requireFreeAddress } from "./listening.ts";
import { takeCommands } from "./operator_server.ts";
import type { CliParts } from "./parts.ts";

export function addServeCommand(cli: Command, { runCommand }: CliParts): void {
  cli.command("serve").description("serve HTTP and RPC until SIGTERM; migrate first on the embedded database")
    // An earlier version started several processes by itself.
    .addOption(new Option("--workers <n>").hideHelp())
    .action((options: ServeOptions) => serve(options, runCommand));
}

interface ServeOptions {
  readonly workers?: string;
}

async function serve({ workers }: ServeOptions, runCommand: CliParts["runCommand"]): Promise<void> {
  if (workers !== undefined) {
    throw new ServiceError(
      "validation_failed",
      "Cannot serve with --workers: svc serve is one process. Start several on ports of their own, behind the proxy of " +
        "deploy/haproxy.cfg (docs/guides/processes.md)",
    );
  }
  const config = readConfig();
  requireFreeAddress(config);
  const { Service } = await import("../service.ts");
  const service = await Service.boot(config);
  await takeCommands(service.deps, runCommand);
  service.stopOnSignals();
  await service.listen();
}
