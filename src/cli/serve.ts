/** `svc serve`, `svc migrate` and `svc doctor`: the service itself, its database, and what is wrong with either. */
import { type Command, Option } from "commander";
import { buildIndexes, migrateDatabase } from "../app.ts";
import { readConfig } from "../config.ts";
import { diagnose } from "../domain/upkeep/doctor.ts";
import { Service } from "../service.ts";
import { parseCount } from "./parse_count.ts";
import type { CliParts } from "./parts.ts";
import { countWorkers, serveAsWorker, serveByWorkers } from "./serve_workers.ts";

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
  if (worker !== undefined && workerSocket !== undefined) return await serveAsWorker(config, worker, workerSocket);
  const count = countWorkers(config, workers);
  if (count > 1) Deno.exit(await serveByWorkers(config, count));
  const service = await Service.boot(config);
  service.stopOnSignals();
  await service.listen();
}

export function addMigrateCommand(cli: Command, { print }: CliParts): void {
  cli.command("migrate").description("apply this build's migrations to the database (needs SVC_OWNER_DATABASE_URL)")
    .action(async () => {
      const config = readConfig();
      print({ applied: await migrateDatabase(config) });
      await buildIndexes(config);
    });
}

export function addDoctorCommand(cli: Command, { withDeps, print }: CliParts): void {
  cli.command("doctor").description("check the configuration, the database and the providers")
    .action(() =>
      withDeps(async (deps) => {
        const report = await diagnose(deps);
        print(report);
        if (!report.ok) Deno.exitCode = 1;
      })
    );
}
