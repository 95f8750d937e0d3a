/** `svc migrate` and `svc doctor`: migrate the database, and report what is wrong with it or with the configuration. */
import type { Command } from "commander";
import { readConfig } from "../config.ts";
import { diagnose } from "../domain/upkeep/doctor.ts";
import { buildVectorIndex, migrateDatabase } from "../migrate.ts";
import type { CliParts } from "./parts.ts";

export function addMigrateCommand(cli: Command, { print }: CliParts): void {
  cli.command("migrate").description("apply this build's migrations to the database (needs SVC_OWNER_DATABASE_URL)")
    .action(async () => {
      const config = readConfig();
      print({ applied: await migrateDatabase(config) });
      await buildVectorIndex(config);
    });
}

export function addDoctorCommand(cli: Command, { withDeps, print, endWith }: CliParts): void {
  cli.command("doctor").description("check the configuration, the database and the providers")
    .action(() =>
      withDeps(async (deps) => {
        const report = await diagnose(deps);
        print(report);
        if (!report.ok) endWith(1);
      })
    );
}
