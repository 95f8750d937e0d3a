/** `svc serve`: runs the service. Only this command loads the service's modules. */
import { type Command, Option } from "commander";
import { readConfig } from "../config.ts";
import { ServiceError } from "../errors.ts";

export function addServeCommand(cli: Command): void {
  cli.command("serve").description("serve HTTP and RPC until SIGTERM; migrate first on the embedded database")
    // An earlier version started several processes by itself.
    .addOption(new Option("--workers <n>").hideHelp())
    .action(serve);
}

async function serve({ workers }: { readonly workers?: string }): Promise<void> {
  if (workers !== undefined) {
    throw new ServiceError(
      "validation_failed",
      "Cannot serve with --workers: svc serve is one process. Start several on ports of their own, behind the proxy of " +
        "deploy/haproxy.cfg (docs/deployment.md, Several processes)",
    );
  }
  const config = readConfig();
  const { Service } = await import("../service.ts");
  const service = await Service.boot(config);
  service.stopOnSignals();
  await service.listen();
}
