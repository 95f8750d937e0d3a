/** `svc serve` as several processes: decides how many, and runs the front, which loads no part of the service. */
import packageInfo from "../../deno.json" with { type: "json" };
import { availableParallelism } from "node:os";
import type { Config } from "../config.ts";
import { ServiceError } from "../errors.ts";
import { Front } from "../front/front.ts";
import { limitsCountApart, serverStarted, shutdownFinished, trustedProxyUnset } from "../telemetry/events.ts";
import { createLog } from "../telemetry/log.ts";
import { V8_FLAGS } from "./v8_flags.ts";

/** The most processes by default: each has connections and memory of its own. */
const DEFAULT_MAX = 4;

/**
 * How many processes serve: as many as were asked for; by default one for each core, at most four, and one on the
 * embedded database.
 * @throws ServiceError `validation_failed` when several are asked for on the embedded database
 */
export function countWorkers(config: Pick<Config, "workers" | "database">, told = config.workers): number {
  if (config.database.url !== undefined) return told ?? Math.min(availableParallelism(), DEFAULT_MAX);
  if (told === undefined || told === 1) return 1;
  throw new ServiceError(
    "validation_failed",
    `Cannot serve with ${told} processes: the embedded database has one. Set DATABASE_URL`,
  );
}

/** Runs the front and its workers until a signal; resolves with the exit code. */
export async function serveByWorkers(config: Config, workers: number): Promise<number> {
  const log = createLog({ level: config.logLevel, secrets: config.secrets });
  const { host, port, otel, redis, trustedProxyIp } = config;
  const front = new Front({
    ...{ config, log, workers, spawn },
    onStarted() {
      const tracing = otel.endpoint !== undefined;
      serverStarted(log, { host, port, version: packageInfo.version, database: "postgres", tracing, workers });
      if (trustedProxyIp === undefined) trustedProxyUnset(log);
      if (redis.restUrl === undefined) limitsCountApart(log, { workers });
    },
  });
  let stoppedAt: number | undefined;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    Deno.addSignalListener(signal, () => {
      stoppedAt ??= performance.now();
      front.stop(signal);
    });
  }
  const exitCode = await front.run();
  const durationMs = Math.round(performance.now() - (stoppedAt ?? performance.now()));
  shutdownFinished(log, { durationMs, drained: exitCode === 0 });
  return exitCode;
}

/** Starts this program again as a worker. Its standard input ends when the front does. */
function spawn(index: number, socket: string): Deno.ChildProcess {
  const own = ["serve", "--worker", String(index), "--worker-socket", socket];
  const program = new URL("./main.ts", import.meta.url).pathname;
  const args = Deno.build.standalone
    ? own
    : ["run", "--allow-all", "--quiet", `--v8-flags=${V8_FLAGS}`, program, ...own];
  return new Deno.Command(Deno.execPath(), { args, stdin: "piped", stdout: "inherit", stderr: "inherit" }).spawn();
}
