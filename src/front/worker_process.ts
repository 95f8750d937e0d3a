/** One worker: a service process that is started, reached by a socket of its own, and started again when it ends. */
import { join } from "node:path";
import { ServiceError } from "../errors.ts";
import { pause } from "../pause.ts";
import type { Log } from "../telemetry/log.ts";
import { workerProcessEnded, workerProcessStarted } from "../telemetry/events.ts";

/** The pause before a worker is started again: doubled each time, until one has run for a while. */
const RETRY_MS = 100;
const RETRY_MS_MAX = 10_000;
const STEADY_MS = 10_000;
const LOOK_MS = 20;
/** How long a request waits for a worker that is being started again. */
const WAIT_MS = 5_000;

export interface WorkerOptions {
  readonly log: Log;
  /** The private folder of the sockets. */
  readonly folder: string;
  /** Starts the process; it listens on `socket` when it is up. */
  readonly spawn: (index: number, socket: string) => Deno.ChildProcess;
  /** It ended by itself before it was ever up: its configuration or its database forbids a start. */
  readonly onRefused: (exitCode: number) => void;
}

export class WorkerProcess {
  readonly index: number;
  readonly socket: string;
  /** How often it was started again. */
  restarts = 0;
  /** Reaches the worker for questions of the front's own. */
  readonly client: Deno.HttpClient;
  readonly #options: WorkerOptions;
  readonly #stopping = new AbortController();
  #child: Deno.ChildProcess | undefined;
  #up = Promise.withResolvers<void>();
  #isUp = false;
  #wasUp = false;

  constructor(index: number, options: WorkerOptions) {
    this.index = index;
    this.#options = options;
    this.socket = join(options.folder, `worker${index}.sock`);
    this.client = Deno.createHttpClient({ proxy: { transport: "unix", path: this.socket } });
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Resolves when it is up for the first time or again. */
  get up(): Promise<void> {
    return this.#up.promise;
  }

  /**
   * Opens a connection; waits a moment for a worker that is being started again.
   * @throws ServiceError `unavailable` when it is not up in time
   */
  async dial(): Promise<Deno.UnixConn> {
    if (!this.#isUp) await Promise.race([this.up, pause(WAIT_MS, this.#stopping.signal)]);
    try {
      return await Deno.connect({ transport: "unix", path: this.socket });
    } catch (cause) {
      throw new ServiceError("unavailable", "Cannot serve now: the process for this workspace is being started again", {
        cause,
        headers: { "retry-after": "1" },
      });
    }
  }

  /** Runs it until `stop`; resolves when the last process has ended. */
  async run(): Promise<void> {
    let retryMs = RETRY_MS;
    while (!this.#stopping.signal.aborted) {
      const started = performance.now();
      const { code, signal } = await this.#runOnce();
      if (this.#stopping.signal.aborted) return;
      if (!this.#wasUp) return this.#options.onRefused(code);
      if (performance.now() - started > STEADY_MS) retryMs = RETRY_MS;
      this.restarts++;
      workerProcessEnded(this.#options.log, { worker: this.index, exitCode: code, signal, retryMs });
      await pause(retryMs, this.#stopping.signal);
      retryMs = Math.min(2 * retryMs, RETRY_MS_MAX);
    }
  }

  /** Asks it to stop in order, and starts it no more; a second time ends it at once. */
  stop(): void {
    this.#stopping.abort();
    this.#kill("SIGTERM");
  }

  async #runOnce(): Promise<Deno.CommandStatus> {
    await Deno.remove(this.socket).catch(() => {});
    const child = this.#child = this.#options.spawn(this.index, this.socket);
    // It was asked to stop while this one was not there yet.
    if (this.#stopping.signal.aborted) this.#kill("SIGTERM");
    let hasEnded = false;
    const ended = child.status.finally(() => hasEnded = true);
    while (!hasEnded && !await this.#answers()) await Promise.race([ended, pause(LOOK_MS)]);
    if (!hasEnded) this.#noteUp(child.pid);
    const status = await ended;
    this.#isUp = false;
    this.#up = Promise.withResolvers();
    // Its standard input, by whose end it knew that the front has ended.
    await child.stdin.close().catch(() => {});
    return status;
  }

  #noteUp(pid: number): void {
    this.#isUp = this.#wasUp = true;
    this.#up.resolve();
    workerProcessStarted(this.#options.log, { worker: this.index, pid, restarts: this.restarts });
  }

  async #answers(): Promise<boolean> {
    try {
      (await Deno.connect({ transport: "unix", path: this.socket })).close();
      return true;
    } catch {
      return false;
    }
  }

  #kill(signal: Deno.Signal): void {
    try {
      this.#child?.kill(signal);
    } catch {
      // It has ended by itself.
    }
  }
}
