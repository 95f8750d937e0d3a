/** A running service: boot, the gate in front of a database that is not there yet, and an orderly stop. */
import { createDeps, type DepsOptions, type OwnedDeps } from "./app.ts";
import type { Config } from "./config.ts";
import type { Deps } from "./context.ts";
import { checkDatabase } from "./db/boot.ts";
import { HOME } from "./db/database.ts";
import { isDriverFault } from "./db/driver_fault.ts";
import { isConnectionError } from "./db/pool.ts";
import { createFirstAccess } from "./domain/access/authorize.ts";
import { createConsoleTicket } from "./domain/access/console_tickets.ts";
import { storeConfiguredPeers } from "./domain/federation/peers/peers.ts";
import { lookAtNearestIndex } from "./domain/recall/database/nearest_index.ts";
import { ServiceError } from "./errors.ts";
import { addressOf, type FirstAccess, greet, greetFirst } from "./cli/greeting.ts";
import { withCors } from "./http/cors.ts";
import { namesHost } from "./edge/refuse_host.ts";
import { createHttpApp, type HttpOptions } from "./http/app.ts";
import { SERVER_VERSION } from "./http/openapi.ts";
import { createMcpApp, MCP_PATH } from "./mcp/app.ts";
import { migrateCluster } from "./migrate.ts";
import { createRpcApp, RPC_PREFIX } from "./rpc/app.ts";
import {
  databaseDown,
  databaseDriverFault,
  databasePooled,
  databaseRecovered,
  migrationApplied,
} from "./telemetry/database_events.ts";
import {
  acceptFailed,
  bootRefused,
  processFault,
  serverStarted,
  shutdownBegun,
  shutdownFinished,
  trustedProxyUnset,
} from "./telemetry/events.ts";
import { finishUpgrade, startWorkers } from "./workers/mod.ts";
import { streamsOf } from "./domain/feed/streams.ts";
import { webhookSenderOf } from "./domain/webhooks/sender.ts";
import { pause } from "./pause.ts";

export interface ServiceOptions extends DepsOptions, HttpOptions {
  /** Whether the background loops run. A test that steps them itself turns them off. */
  readonly workers?: boolean;
  /** Shows the first workspace's key to the person who started the service; it is never logged. */
  readonly showFirstAccess?: (access: FirstAccess) => void;
}

const BOOT_RETRY_MS = 500;
const ACCEPT_RETRY_MS = 250;
/** The time for the last reply to leave the process after it was made. */
const FLUSH_MS = 150;
/** The time for readers of streams to learn that these have ended. */
const STREAMS_MS = 2_000;

export class Service implements AsyncDisposable {
  readonly deps: Deps;
  readonly #owned: OwnedDeps;
  readonly #config: Config;
  readonly #options: ServiceOptions;
  readonly #handle: (request: Request, info?: Deno.ServeHandlerInfo) => Response | Promise<Response>;
  readonly #stack = new AsyncDisposableStack();
  /** When the boot found no database; undefined once it found one, or if it did immediately. */
  #downSince: number | undefined;
  /** Whether this start made the first workspace. */
  #isFirstStart = false;
  /** The listener. */
  #server: Deno.HttpServer<Deno.Addr> | undefined;
  #inFlight = 0;
  readonly #drained = Promise.withResolvers<void>();
  /** The signal, or the kind of fault, that stops the service. */
  #stopping: string | undefined;

  private constructor(owned: OwnedDeps, config: Config, options: ServiceOptions) {
    this.deps = owned;
    this.#owned = owned;
    this.#config = config;
    this.#options = options;
    const http = createHttpApp(owned, options);
    const others = new Map([...createRpcApp(owned), ...createMcpApp(owned, options)]);
    this.#handle = withCors(config.corsOrigins, (request, info) => {
      const { url } = request;
      // Only a URL that may be such a path is parsed, so that usual requests cost less. HTTP refuses what is no host.
      const isOther = (url.includes(RPC_PREFIX) || url.includes(MCP_PATH)) && namesHost(request);
      const other = isOther ? others.get(new URL(url).pathname.replace(/\/$/, "")) : undefined;
      return other?.(request, info) ?? http.fetch(request, info as never);
    });
  }

  /**
   * Boots: answers immediately, and refuses with 503 any request that needs a database that cannot be reached yet.
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

  /** The handler for `Deno.serve`. */
  readonly fetch = async (request: Request, info?: Deno.ServeHandlerInfo): Promise<Response> => {
    this.#inFlight++;
    try {
      return await this.#handle(request, info);
    } finally {
      if (--this.#inFlight === 0 && this.deps.stopping.aborted) this.#drained.resolve();
    }
  };

  /** Logs that requests are accepted. */
  noteStarted(): void {
    const { host, port, database, otel, trustedProxyIp } = this.#config;
    serverStarted(this.deps.telemetry.log, {
      host,
      port,
      version: SERVER_VERSION,
      database: database.url === undefined ? "embedded" : "postgres",
      tracing: otel.endpoint !== undefined,
    });
    if (trustedProxyIp === undefined) trustedProxyUnset(this.deps.telemetry.log);
    // A server's log is read by machines; the embedded database is started by a person.
    if (database.url === undefined && !this.#isFirstStart && Deno.stderr.isTerminal()) {
      greet(addressOf(this.#config), createConsoleTicket(this.deps));
    }
  }

  /**
   * Listens and serves on the configured address until the service stops. When accepting fails, as it does when the
   * process has no file descriptor left, the service listens again and keeps open connections.
   * @throws Error when it cannot listen on the address in the first place
   */
  async listen(): Promise<void> {
    const { host: hostname, port } = this.#config;
    let hasListened = false;
    const onListen = () => {
      if (!hasListened) this.noteStarted();
      hasListened = true;
    };
    while (!this.deps.stopping.aborted) {
      try {
        return await this.#listenOnce({ hostname, port, onListen });
      } catch (error) {
        if (!hasListened) throw error;
        await this.#afterAcceptFailed(error);
      }
    }
  }

  async #listenOnce(options: Deno.ServeTcpOptions): Promise<void> {
    const server = Deno.serve(options, this.fetch);
    this.#server = server;
    try {
      await server.finished;
    } catch (error) {
      // Nobody reads any more from its connections: they are closed when their open requests are finished.
      server.shutdown().catch(() => {});
      throw error;
    }
  }

  async #afterAcceptFailed(error: unknown): Promise<void> {
    acceptFailed(this.deps.telemetry.log, { error, retryMs: ACCEPT_RETRY_MS });
    await pause(ACCEPT_RETRY_MS);
  }

  /**
   * SIGTERM and SIGINT stop the service in order and exit 0 within the grace; a second signal of the same
   * name exits the process immediately. An
   * uncaught error stops it in the same order and exits 1, because the state that it left is unknown.
   */
  stopOnSignals(signals: readonly Deno.Signal[] = ["SIGTERM", "SIGINT"]): void {
    for (const signal of signals) {
      Deno.addSignalListener(signal, () => this.stopAndExit(signal, 0));
    }
    const onFault = (event: Event, error: unknown) => {
      event.preventDefault();
      const { log, metrics } = this.deps.telemetry;
      if (isDriverFault(error)) return databaseDriverFault(log, { error });
      processFault(log, { origin: event.type, error });
      metrics.countError({ method: "", endpoint: undefined, type: "process_fault" });
      // While the service stops already, one more fault changes nothing.
      if (!this.#stopping) this.stopAndExit(event.type, 1);
    };
    globalThis.addEventListener("error", (event) => onFault(event, event.error));
    globalThis.addEventListener("unhandledrejection", (event) => onFault(event, event.reason));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#owned.beginStop();
    await this.#stack.disposeAsync();
    await this.#owned[Symbol.asyncDispose]();
  }

  /**
   * Shuts down gracefully and ends the process; a second call with the same signal ends it at once. `signal` is the reason that the log
   * shows.
   */
  stopAndExit(signal: string, exitCode: number): void {
    if (this.#stopping === signal) Deno.exit(1);
    // Ctrl-C also ends `deno task`, whose end then is a reason of its own.
    if (this.#stopping !== undefined) return;
    this.#stopping = signal;
    const { log } = this.deps.telemetry;
    shutdownBegun(log, { signal, openRequests: this.#inFlight, graceMs: this.#config.shutdownGraceMs });
    const started = performance.now();
    this.#stop()
      .then((drained) => shutdownFinished(log, { durationMs: Math.round(performance.now() - started), drained }))
      .finally(() => Deno.exit(exitCode));
  }

  /** Returns whether all requests were finished within the grace. */
  async #stop(): Promise<boolean> {
    this.#owned.beginStop();
    const grace = pause(this.#config.shutdownGraceMs);
    if (this.#inFlight === 0) this.#drained.resolve();
    // The server's own shutdown comes last: it takes away the bodies of requests that are still arriving, and breaks
    // off streams that have just been told why they end.
    const streamsGone = streamsOf(this.deps).gone(STREAMS_MS);
    // Running messages to webhooks.
    const sent = webhookSenderOf(this.deps).settled();
    const finished = Promise.all([this.#drained.promise, streamsGone, sent]).then(() => this.#server?.shutdown());
    const drained = await Promise.race([finished.then(() => true), grace.then(() => false)]);
    await pause(FLUSH_MS);
    await Promise.race([this[Symbol.asyncDispose](), pause(1_000)]);
    return drained;
  }

  /** Migrates if it may, checks the role, makes the first workspace; false while the database cannot be reached. */
  async #prepare(): Promise<boolean> {
    try {
      const { areShared, keepStatements } = await this.#owned.checkSessions();
      await migrateCluster(
        this.#config,
        HOME,
        (migration, durationMs) => migrationApplied(this.deps.telemetry.log, { migration, durationMs }),
      );
      await checkDatabase(this.deps.db, { embeddingDimension: this.deps.embeddings.dimension });
      if (areShared) {
        databasePooled(this.deps.telemetry.log, { statements: keepStatements ? "prepared" : "unnamed" });
      }
      await this.#owned.admitClusters();
      await finishUpgrade(this.deps);
      void this.deps.embeddings.warmUp?.();
      await lookAtNearestIndex(this.deps);
      await storeConfiguredPeers(this.deps);
      await this.#owned.listen();
      const first = await createFirstAccess(this.deps);
      if (first) {
        const show = this.#options.showFirstAccess ?? greetFirst;
        show({ ...first, url: addressOf(this.#config), ticket: createConsoleTicket(this.deps) });
      }
      this.#isFirstStart = first !== undefined;
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      // The boot retries this again and again, but logs it once.
      if (this.#downSince === undefined) databaseDown(this.deps.telemetry.log, { error });
      this.#downSince ??= performance.now();
      return false;
    }
    if (this.#downSince !== undefined) {
      databaseRecovered(this.deps.telemetry.log, { downMs: Math.round(performance.now() - this.#downSince) });
    }
    if (this.#options.workers !== false) this.#stack.use(startWorkers(this.deps));
    this.#owned.notePrepared();
    return true;
  }

  /** Retries the boot. An obstacle to the start only shows once the database answers; then the process ends. */
  async #prepareLater(): Promise<void> {
    try {
      do await pause(BOOT_RETRY_MS); while (!this.deps.stopping.aborted && !await this.#prepare());
    } catch (error) {
      bootRefused(this.deps.telemetry.log, { error });
      console.error((error as Error).message);
      Deno.exit(1);
    }
  }
}

function isUnreachable(error: unknown): boolean {
  if (error instanceof ServiceError) return error.code === "unavailable" || error.code === "deadline_exceeded";
  return isConnectionError(error);
}
