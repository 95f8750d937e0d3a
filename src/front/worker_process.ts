/** One worker: starts a service process, reaches it by a socket of its own, and restarts it when it ends. */
import { join } from "node:path";
import { ServiceError } from "../errors.ts";
import { pause } from "../pause.ts";
import type { Log } from "../telemetry/log.ts";
import { workerProcessEnded, workerProcessNotStarted, workerProcessStarted } from "../telemetry/events.ts";

/** The back-off before a restart: doubles each time, until a process has run for `STEADY_MS`. */
const RETRY_MS = 100;
const RETRY_MS_MAX = 10_000;
const STEADY_MS = 10_000;
const LOOK_MS = 20;
/** How long a request waits for a worker that is being restarted, in milliseconds. */
const WAIT_MS = 5_000;

export interface WorkerOptions {
  readonly log: Log;
  /** The private folder of the sockets. */
  readonly folder: string;
  /** Starts the process, which listens on `socket` once it is up. */
  readonly spawn: (index: number, socket: string) => Deno.ChildProcess;
  /** Called when the process ends by itself before any was up: its configuration or database forbids a start. */
  readonly onRefused: (exitCode: number) => void;
}

export class WorkerProcess {
  readonly index: number;
  readonly socket: string;
  /** How often the process was restarted. */
  restarts = 0;
  /** Sends the worker the front's own questions, and requests that came over HTTP/2. */
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

  /** Resolves when the worker is up, for the first time or again. */
  get up(): Promise<void> {
    return this.#up.promise;
  }

  /**
   * Opens a connection to the worker; waits a moment if it is being restarted.
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

  /**
   * Keeps the worker running until `stop`. Resolves when its last process has ended.
   * @throws Error when its first process cannot be started
   */
  async run(): Promise<void> {
    let retryMs = RETRY_MS;
    while (!this.#stopping.signal.aborted) {
      const started = performance.now();
      const child = await this.#start(retryMs);
      if (child !== undefined) {
        const { code, signal } = await this.#follow(child);
        if (this.#stopping.signal.aborted) return;
        if (!this.#wasUp) return this.#options.onRefused(code);
        if (performance.now() - started > STEADY_MS) retryMs = RETRY_MS;
        this.restarts++;
        workerProcessEnded(this.#options.log, { worker: this.index, exitCode: code, signal, retryMs });
      }
      await pause(retryMs, this.#stopping.signal);
      retryMs = Math.min(2 * retryMs, RETRY_MS_MAX);
    }
  }

  /** Asks the process to shut down gracefully and restarts it no more; after a second call the process ends at once. */
  stop(): void {
    this.#stopping.abort();
    this.#kill("SIGTERM");
  }

  /**
   * Starts a process. @returns undefined when the machine has no room for another one just now
   * @throws Error when none was ever up: its program or the machine forbids a start
   */
  async #start(retryMs: number): Promise<Deno.ChildProcess | undefined> {
    await Deno.remove(this.socket).catch(() => {});
    try {
      return this.#child = this.#options.spawn(this.index, this.socket);
    } catch (error) {
      if (!this.#wasUp) throw error;
      workerProcessNotStarted(this.#options.log, { worker: this.index, error, retryMs });
      return undefined;
    }
  }

  /** Notes when the process is up. Resolves when it has ended. */
  async #follow(child: Deno.ChildProcess): Promise<Deno.CommandStatus> {
    // `stop` was called before this process existed.
    if (this.#stopping.signal.aborted) this.#kill("SIGTERM");
    let hasEnded = false;
    const ended = child.status.finally(() => hasEnded = true);
    while (!hasEnded && !await this.#answers()) await Promise.race([ended, pause(LOOK_MS)]);
    if (!hasEnded) this.#noteUp(child.pid);
    const status = await ended;
    this.#isUp = false;
    this.#up = Promise.withResolvers();
    // A worker ends when its standard input does; this process has ended already.
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
      // The process has ended by itself.
    }
  }
}
