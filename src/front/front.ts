/**
 * Serves one port with several processes. The front listens, passes each request to the worker that its workspace
 * belongs to, and restarts workers that end. Only the front can reach them: their sockets are in a private folder.
 */
import type { Config } from "../config.ts";
import { ServiceError } from "../errors.ts";
import { pause } from "../pause.ts";
import { acceptFailed, shutdownBegun } from "../telemetry/events.ts";
import type { Log } from "../telemetry/log.ts";
import { Connection } from "./connection.ts";
import { ASK_HEADER, type RequestHead } from "./head.ts";
import { ACCEPT_RETRY_MS, Http2Server } from "./http2.ts";
import { type Peer, Placement } from "./placement.ts";
import { jsonOf, refusalOf } from "./reply.ts";
import { askWorker, metricsOf, readyOf } from "./whole.ts";
import { WorkerProcess } from "./worker_process.ts";

/** A caller that reads nothing of its reply for this long is disconnected. */
const STALLED_MS = 120_000;
const LOOK_MS = 5_000;

export interface FrontOptions {
  readonly config: Pick<Config, "host" | "port" | "shutdownGraceMs">;
  readonly log: Log;
  readonly workers: number;
  /** Starts a worker that listens on `socket`. */
  readonly spawn: (index: number, socket: string) => Deno.ChildProcess;
  /** Called once, when all workers are up and the front accepts connections. */
  readonly onStarted: () => void;
}

export class Front {
  readonly #options: FrontOptions;
  readonly #folder = Deno.makeTempDirSync({ prefix: "svc-front-" });
  readonly #workers: readonly WorkerProcess[];
  readonly #placement: Placement;
  readonly #http2: Http2Server;
  readonly #connections = new Set<Connection>();
  readonly #stopping = new AbortController();
  #listener: Deno.Listener<Deno.TcpConn> | undefined;
  #exitCode = 0;

  constructor(options: FrontOptions) {
    this.#options = options;
    const { log, spawn } = options;
    const onRefused = (exitCode: number) => {
      this.#exitCode ||= exitCode || 1;
      this.stop("a worker that cannot start");
    };
    this.#workers = Array.from(
      { length: options.workers },
      (_, index) => new WorkerProcess(index, { log, folder: this.#folder, spawn, onRefused }),
    );
    this.#placement = new Placement(options.workers, (head, peer, worker) => this.#findWorkspace(head, peer, worker));
    this.#http2 = new Http2Server({
      answer: (head, peer) => this.#answer(head, peer),
      workerOf: (head, peer) => this.#placement.workerOf(head, peer),
      clientOf: async (worker) => {
        (await this.#workers[worker]!.dial()).close();
        return this.#workers[worker]!.client;
      },
    }, log);
  }

  /**
   * Serves until `stop` is called. @returns the exit code, once every worker has ended
   * @throws Error when the front cannot listen on the address
   */
  async run(): Promise<number> {
    try {
      const { host: hostname, port } = this.#options.config;
      this.#listener = Deno.listen({ hostname, port });
      const running = Promise.all(this.#workers.map((worker) => worker.run()));
      const accepting = this.#accept();
      const looking = this.#cutOffStalled();
      await Promise.race([Promise.all(this.#workers.map(({ up }) => up)), running]);
      if (!this.#stopping.signal.aborted) this.#options.onStarted();
      await running;
      await accepting;
      for (const connection of this.#connections) connection.close();
      await looking;
      await this.#http2[Symbol.asyncDispose]();
      return this.#exitCode;
    } finally {
      await Deno.remove(this.#folder, { recursive: true }).catch(() => {});
    }
  }

  /** Stops accepting connections and lets the workers finish their requests; a second call ends the workers at once. */
  stop(signal: string): void {
    const { log, config } = this.#options;
    if (!this.#stopping.signal.aborted) {
      shutdownBegun(log, { signal, graceMs: config.shutdownGraceMs });
      this.#stopping.abort();
      this.#listener?.close();
      for (const connection of this.#connections) connection.closeIdle();
    }
    for (const worker of this.#workers) worker.stop();
  }

  async #accept(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        this.#serve(await this.#listener!.accept());
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        acceptFailed(this.#options.log, { error, retryMs: ACCEPT_RETRY_MS });
        await pause(ACCEPT_RETRY_MS, this.#stopping.signal);
      }
    }
  }

  #serve(conn: Deno.TcpConn): void {
    const { hostname, port } = conn.remoteAddr;
    try {
      conn.setNoDelay(true);
    } catch {
      // The connection has closed already; the next read reports it.
    }
    const router = {
      isStopping: () => this.#stopping.signal.aborted,
      answer: (head: RequestHead, peer: Peer) => this.#answer(head, peer),
      workerOf: (head: RequestHead, peer: Peer) => this.#placement.workerOf(head, peer),
      dial: (worker: number) => this.#workers[worker]!.dial(),
      dialHttp2: (peer: Peer) => this.#http2.dial(peer),
    };
    const connection = new Connection(router, conn, { hostname, port });
    this.#connections.add(connection);
    connection.serve().finally(() => this.#connections.delete(connection));
  }

  /** Answers requests about the service as a whole, which no single worker can answer. */
  #answer(head: RequestHead, peer: Peer): Promise<Response> | undefined {
    if (head.method !== "GET" && head.method !== "HEAD") return undefined;
    const [path] = head.target.split("?", 1);
    const work = path === "/health/ready" ? readyOf : path === "/metrics" ? metricsOf : undefined;
    if (work !== undefined) {
      return work(this.#workers, head, peer).catch((cause) => {
        return refusalOf(new ServiceError("unavailable", "Cannot answer now: a worker did not", { cause }), head);
      });
    }
    // Alive as long as this process answers: it restarts workers that end.
    if (head.target === "/healthz" || head.target === "/health/live") {
      return Promise.resolve(jsonOf(head, { status: "ok" }));
    }
    return undefined;
  }

  async #findWorkspace(head: RequestHead, peer: Peer, preferred: number): Promise<string | undefined> {
    const worker = this.#workers[preferred]!.isUp ? this.#workers[preferred]! : this.#workers.find(({ isUp }) => isUp);
    if (worker === undefined) return undefined;
    const reply = await askWorker(worker, { ...head, target: "/" }, peer, { [ASK_HEADER]: "workspace" });
    return (await reply.json() as { workspaceId?: string }).workspaceId;
  }

  async #cutOffStalled(): Promise<void> {
    while (this.#connections.size > 0 || !this.#stopping.signal.aborted) {
      await pause(LOOK_MS, this.#stopping.signal);
      if (this.#stopping.signal.aborted) return;
      const now = performance.now();
      for (const connection of this.#connections) {
        const since = connection.client.writingSince;
        if (since !== undefined && now - since > STALLED_MS) connection.close();
      }
    }
  }
}
