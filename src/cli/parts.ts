/** The tools of the operator's commands. Nothing of the service is loaded before a command needs it. */
import { resolve } from "node:path";
import type { Config } from "../config.ts";
import type { Deps } from "../context.ts";
import { ServiceError } from "../errors.ts";
import { pause } from "../pause.ts";
import { plainJson } from "./agent/text.ts";
import type { Progress } from "./progress.ts";

/** The tools of a command. They are the same in a process of its own and in the running service. */
export interface CliParts {
  /** Runs a command's work with the service's parts: those of the running service, or its own for this once. */
  withDeps(work: (deps: Deps) => Promise<void>): Promise<void>;
  /** Writes a value as JSON to the person's standard output. */
  print(value: unknown): void;
  /** Writes a line to the person's standard output; resolves when it has left. */
  say(line: string): Promise<void>;
  /** Writes a line to the person's standard error. */
  remark(line: string): void;
  /** Writes a piece of a file to the person's standard output; resolves when it has left. */
  write(chunk: Uint8Array): Promise<void>;
  /** Shows how far long work has come, where there is a terminal. */
  openProgress(verb: string): Progress | Promise<Progress>;
  /** The absolute path of a file that the person named. */
  pathOf(path: string): string;
  /** Says with which code the command ends; without it, 0. */
  endWith(code: number): void;
  /** Runs another of the operator's commands with other tools. Only for the command that serves. */
  readonly runCommand: RunCommand;
}

/** Runs one command with these tools. It throws what the person is to be told, and never ends the process. */
export type RunCommand = (args: readonly string[], parts: CliParts) => Promise<void>;

/** How long a command waits for the embedded database while a process that takes no commands holds it. */
const HELD_MS = 15_000;
const AGAIN_MS = 250;

/** Makes the tools of a command that this process runs. @param args the arguments that it was called with */
export function localParts(args: readonly string[], runCommand: RunCommand): CliParts {
  return {
    async withDeps(work) {
      const { readConfig } = await import("../config.ts");
      await using deps = await openDeps(readConfig(), args);
      // If the database cannot be used, every use of it reports this; the doctor reports more.
      await deps.checkSessions().catch(() => {});
      await deps.admitClusters().catch((error) => {
        // Without the placements, a command would write where no process looks for the workspace.
        if (error instanceof ServiceError && error.code === "conflict") throw error;
      });
      await work(deps);
    },
    print: (value) => console.log(plainJson(value)),
    say: (line) => Promise.resolve(console.log(line)),
    remark: (line) => console.error(line),
    async write(chunk) {
      for (let at = 0; at < chunk.length;) at += await Deno.stdout.write(chunk.subarray(at));
    },
    openProgress: async (verb) => (await import("./progress.ts")).openProgress(verb),
    pathOf: (path) => resolve(path),
    endWith: (code) => void (Deno.exitCode = code),
    runCommand,
  };
}

/**
 * Makes the service's parts for one command. If the service runs on the embedded database, the service runs the command
 * instead, and this process ends with the exit code.
 * @throws ServiceError `not_found` when the data folder has no database: a command that made one would work in another
 *   place than the person means
 */
async function openDeps(config: Config, args: readonly string[]) {
  const isEmbedded = config.database.url === undefined;
  for (const end = performance.now() + HELD_MS;;) {
    if (isEmbedded) {
      const { runInService } = await import("./operator_client.ts");
      const code = await runInService(config.database.dataDir, args);
      if (code !== undefined) Deno.exit(code);
    }
    const [{ createDeps }, { holdsDatabase, isFolderInUse }] = await Promise.all([
      import("../app.ts"),
      import("../db/embedded.ts"),
    ]);
    if (isEmbedded && !await holdsDatabase(config.database.dataDir)) {
      const message =
        `Cannot find a database in ${resolve(config.database.dataDir)}: the service makes one when it first ` +
        "starts. Set SVC_DATA_DIR to the folder that it has";
      throw new ServiceError("not_found", message);
    }
    try {
      return await createDeps(config);
    } catch (error) {
      // Another command holds the folder for a moment, or the service is just starting.
      if (!isFolderInUse(error) || performance.now() > end) throw error;
      await pause(AGAIN_MS);
    }
  }
}
