/**
 * `svc serve`: runs the service in one process or in several. Only a process that serves loads the service's modules.
 */
import { type Command, Option } from "commander";
import { readConfig } from "../config.ts";
import { parseCount } from "./parse_count.ts";
import { countWorkers, serveByWorkers } from "./serve_workers.ts";

export function addServeCommand(cli: Command): void {
  cli.command("serve").description("serve HTTP and RPC until SIGTERM; migrate first on the embedded database")
    .option("--workers <n>", "processes on the port (default: SVC_WORKERS)", parseCount(1, 64))
    .addOption(new Option("--worker <index>", "what the service starts its workers with").argParser(Number).hideHelp())
    .addOption(new Option("--worker-socket <path>").hideHelp())
    .action(serve);
}

interface ServeOptions {
  readonly workers?: number;
  readonly worker?: number;
  readonly workerSocket?: string;
}

async function serve({ workers, worker, workerSocket }: ServeOptions): Promise<void> {
  const config = readConfig();
  if (worker !== undefined && workerSocket !== undefined) {
    const { serveAsWorker } = await import("./serve_worker.ts");
    return await serveAsWorker(config, worker, workerSocket);
  }
  const count = countWorkers(config, workers);
  if (count > 1) Deno.exit(await serveByWorkers(config, count));
  const { Service } = await import("../service.ts");
  const service = await Service.boot(config);
  service.stopOnSignals();
  await service.listen();
}
