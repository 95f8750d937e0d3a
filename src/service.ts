/** A running service: boot, the gate in front of a database that is not there yet, and an orderly stop. */
import { createDeps, type DepsOptions, migrateDatabase, type OwnedDeps } from "./app.ts";
import type { Config } from "./config.ts";
import type { Deps } from "./context.ts";
import { checkDatabase } from "./db/boot.ts";
import { isConnectionError } from "./db/pool.ts";
import { createFirstAccess } from "./domain/access.ts";
import { ServiceError } from "./errors.ts";
import { createHttpApp, type HttpOptions } from "./http/app.ts";
import { toProblemResponse } from "./http/problem.ts";
import { SERVER_VERSION } from "./http/openapi.ts";
import { databaseDown, migrationApplied, serverStarted, shutdownBegun } from "./telemetry/events.ts";
import { startWorkers } from "./workers/mod.ts";

export interface ServiceOptions extends DepsOptions, HttpOptions {
  /** Whether the background loops run; a test that steps them itself turns them off. */
  readonly workers?: boolean;
  /** Shows the first workspace's key to the person who started the service; it is never logged. */
  readonly showFirstAccess?: (access: { workspaceId: string; key: string }) => void;
}

const BOOT_RETRY_MS = 500;
/** After the last reply was made, the time for it to leave the process. */
const FLUSH_MS = 150;

export class Service implements AsyncDisposable {
  readonly deps: Deps;
  readonly #owned: OwnedDeps;
  readonly #config: Config;
  readonly #options: ServiceOptions;
  readonly #handle: (request: Request, info?: Deno.ServeHandlerInfo) => Response | Promise<Response>;
  readonly #stack = new AsyncDisposableStack();
  #ready = false;
  #inFlight = 0;
  #drained = Promise.withResolvers<void>();

  private constructor(owned: OwnedDeps, config: Config, options: ServiceOptions) {
    this.deps = owned;
    this.#owned = owned;
    this.#config = config;
    this.#options = options;
    const app = createHttpApp(owned, options);
    this.#handle = (request, info) => app.fetch(request, info as never);
  }

  /**
   * Boots: answers at once, and refuses with 503 what needs a database that cannot be reached yet.
   * @throws ServiceError when the configuration or the database forbids a start: too much power, another dimension.
   */
  static async boot(config: Config, options: ServiceOptions = {}): Promise<Service> {
    const service = new Service(await createDeps(config, options), config, options);
    try {
      if (!await service.#prepare()) service.#prepareLater();
    } catch (error) {
      await service[Symbol.asyncDispose]();
      throw error;
    }
    return service;
  }

  /** The handler for `Deno.serve` and `deno serve`. */
  readonly fetch = async (request: Request, info?: Deno.ServeHandlerInfo): Promise<Response> => {
    this.#inFlight++;
    try {
      if (!this.#ready && new URL(request.url).pathname.startsWith("/v1/")) return refuseNotReady();
      return await this.#handle(request, info);
    } finally {
      if (--this.#inFlight === 0 && this.deps.stopping.aborted) this.#drained.resolve();
    }
  };

  /** Tells the log that requests are accepted. */
  noteStarted(): void {
    const { host, port, database, otel } = this.#config;
    serverStarted(this.deps.telemetry.log, {
      host,
      port,
      version: SERVER_VERSION,
      database: database.url === undefined ? "embedded" : "postgres",
      tracing: otel.endpoint !== undefined,
    });
  }

  /** SIGTERM and SIGINT stop the service in order and exit 0 within the grace; a second one exits at once. */
  stopOnSignals(server?: Deno.HttpServer): void {
    let stopping = false;
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      Deno.addSignalListener(signal, () => {
        if (stopping) Deno.exit(1);
        stopping = true;
        shutdownBegun(this.deps.telemetry.log, {
          signal,
          openRequests: this.#inFlight,
          graceMs: this.#config.shutdownGraceMs,
        });
        this.#stop(server).finally(() => Deno.exit(0));
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#owned.beginStop();
    await this.#stack.disposeAsync();
    await this.#owned[Symbol.asyncDispose]();
  }

  async #stop(server: Deno.HttpServer | undefined): Promise<void> {
    this.#owned.beginStop();
    const grace = pause(this.#config.shutdownGraceMs);
    if (this.#inFlight === 0) this.#drained.resolve();
    await Promise.race([Promise.all([server?.shutdown(), this.#drained.promise]), grace]);
    await pause(FLUSH_MS);
    await Promise.race([this[Symbol.asyncDispose](), pause(1_000)]);
  }

  /** Migrates where it may, checks the role, makes the first workspace; false while the database cannot be reached. */
  async #prepare(): Promise<boolean> {
    try {
      if (this.#config.database.ownerUrl !== undefined) {
        await migrateDatabase(
          this.#config,
          (migration, durationMs) => migrationApplied(this.deps.telemetry.log, { migration, durationMs }),
        );
      }
      await checkDatabase(this.deps.db, { embeddingDimension: this.deps.embeddings.dimension });
      const first = await createFirstAccess(this.deps);
      if (first) (this.#options.showFirstAccess ?? printFirstAccess)(first);
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      databaseDown(this.deps.telemetry.log, { error });
      return false;
    }
    if (this.#options.workers !== false) this.#stack.use(startWorkers(this.deps));
    this.#ready = true;
    return true;
  }

  /** Goes on trying. What forbids a start only shows once the database answers; then the process ends. */
  async #prepareLater(): Promise<void> {
    try {
      do await pause(BOOT_RETRY_MS); while (!this.deps.stopping.aborted && !await this.#prepare());
    } catch (error) {
      this.deps.telemetry.log.error("boot.refused", { error });
      console.error((error as Error).message);
      Deno.exit(1);
    }
  }
}

function isUnreachable(error: unknown): boolean {
  if (error instanceof ServiceError) return error.code === "unavailable" || error.code === "deadline_exceeded";
  return isConnectionError(error);
}

function refuseNotReady(): Response {
  const error = new ServiceError("unavailable", "Cannot serve yet: the database is not there", {
    headers: { "retry-after": "1" },
  });
  return toProblemResponse(error, crypto.randomUUID());
}

/** To the terminal and nowhere else: a log line would keep the secret. */
function printFirstAccess(access: { workspaceId: string; key: string }): void {
  console.error(
    `\n  First workspace  ${access.workspaceId}\n  First API key    ${access.key}\n\n` +
      "  The key is shown this once. Send it as `Authorization: Bearer <key>`.\n",
  );
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
