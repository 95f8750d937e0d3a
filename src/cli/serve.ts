/** `svc serve`, `svc migrate` and `svc doctor`: the service itself, its database, and what is wrong with either. */
import type { Command } from "commander";
import { buildVectorIndex, migrateDatabase } from "../app.ts";
import { readConfig } from "../config.ts";
import { diagnose } from "../domain/upkeep/doctor.ts";
import { Service } from "../service.ts";
import type { CliParts } from "./parts.ts";

export function addServeCommand(cli: Command): void {
  cli.command("serve").description("serve HTTP and RPC until SIGTERM; migrate first on the embedded database").action(
    async () => {
      const service = await Service.boot(readConfig());
      service.stopOnSignals();
      await service.listen();
    },
  );
}

export function addMigrateCommand(cli: Command, { print }: CliParts): void {
  cli.command("migrate").description("apply this build's migrations to the database (needs SVC_OWNER_DATABASE_URL)")
    .action(async () => {
      const config = readConfig();
      print({ applied: await migrateDatabase(config) });
      await buildVectorIndex(config);
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
