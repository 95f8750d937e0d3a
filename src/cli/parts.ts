/** The tools of the operator's commands. Nothing of the service is loaded before a command needs it. */
import type { Deps } from "../context.ts";
import { ServiceError } from "../errors.ts";
import { plainJson } from "./agent/text.ts";

/** The tools of a command. */
export interface CliParts {
  /** Runs a command's work with the service's parts and then disposes them. */
  withDeps(work: (deps: Deps) => Promise<void>): Promise<void>;
  /** Writes a value as JSON to standard output. */
  print(value: unknown): void;
}

export const PARTS: CliParts = {
  async withDeps(work) {
    const [{ createDeps }, { readConfig }] = await Promise.all([import("../app.ts"), import("../config.ts")]);
    await using deps = await createDeps(readConfig());
    // If the database cannot be used, every use of it reports this; the doctor reports more.
    await deps.checkSessions().catch(() => {});
    await deps.admitClusters().catch((error) => {
      // Without the placements, a command would write where no process looks for the workspace.
      if (error instanceof ServiceError && error.code === "conflict") throw error;
    });
    await work(deps);
  },
  print(value) {
    console.log(plainJson(value));
  },
};
