/** The service as processes of their own, for tests that kill things. */
import { join } from "node:path";
import { WAIT_MS } from "../_wait.ts";

const ROOT = join(import.meta.dirname!, "../..");

export interface ProcessOptions {
  /** Port to listen on, to take the place of one that was killed; a free one unless told. */
  readonly port?: number | undefined;
  /** Further arguments of `deno run`, such as limits of its engine. */
  readonly denoArgs?: readonly string[];
  /** Most files that it may have open. */
  readonly filesMax?: number;
  /** The program that takes `serve`; `src/cli/main.ts` unless told. */
  readonly program?: string;
}

export class ServiceProcess implements AsyncDisposable {
  readonly url: string;
  readonly port: number;
  #exitCode: number | undefined;
  readonly #child: Deno.ChildProcess;
  readonly #log: string[] = [];
  readonly #drained: Promise<void[]>;

  private constructor(child: Deno.ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    child.status.then(({ code }) => this.#exitCode = code);
    this.#drained = Promise.all([this.#drain(child.stdout), this.#drain(child.stderr)]);
  }

  /** Starts the service and waits until it answers `/healthz`. */
  static async start(env: Record<string, string>, options: ProcessOptions = {}): Promise<ServiceProcess> {
    const { port = freePort(), denoArgs = [], filesMax, program: entry = "src/cli/main.ts" } = options;
    const command = [Deno.execPath(), "run", "-A", "--no-check", ...denoArgs, entry, "serve"];
    const limited = filesMax === undefined ? [] : ["sh", "-c", `ulimit -n ${filesMax}; exec "$@"`, "sh"];
    const [program, ...args] = [...limited, ...command];
    const child = new Deno.Command(program, {
      args,
      cwd: ROOT,
      // Many callers are played with one key.
      env: {
        SVC_REQUESTS_PER_KEY_MAX: "0",
        SVC_REQUESTS_PER_WORKSPACE_MAX: "0",
        SVC_DB_SECONDS_PER_KEY: "0",
        SVC_DB_SECONDS_PER_WORKSPACE: "0",
        SVC_PORT: String(port),
        SVC_LOG_LEVEL: "warn",
        // On a busy machine a connection may take seconds.
        SVC_DB_CONNECT_TIMEOUT_SECONDS: "10",
        ...env,
      },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const service = new ServiceProcess(child, port);
    try {
      await until(
        `the service answers on ${port}`,
        async () => service.#exitCode !== undefined || await service.status("/healthz") === 200,
        service,
      );
      if (service.#exitCode !== undefined) throw new Error(`The process ended with ${service.#exitCode}`);
      return service;
    } catch (error) {
      await service.kill();
      throw new Error(`Cannot start the service:\n${service.output}`, { cause: error });
    }
  }

  /** Everything that the process wrote. */
  get output(): string {
    return this.#log.join("");
  }

  /** Status of a GET without a key; 0 when there is no answer. */
  async status(path: string): Promise<number> {
    try {
      const response = await fetch(this.url + path, { signal: AbortSignal.timeout(5_000) });
      await response.body?.cancel();
      return response.status;
    } catch {
      return 0;
    }
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** The exit code of a process that has ended by itself or by a signal. */
  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  async kill(): Promise<void> {
    try {
      this.#child.kill("SIGKILL");
    } catch { /* it has ended by itself */ }
    await Promise.all([this.#child.status, this.#drained]);
  }

  /** SIGTERM; resolves with the exit code. */
  async stop(): Promise<number> {
    this.#child.kill("SIGTERM");
    const [{ code }] = await Promise.all([this.#child.status, this.#drained]);
    return code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  async #drain(stream: ReadableStream<Uint8Array>): Promise<void> {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) this.#log.push(text);
  }
}

/** Waits until something is so, looking every 20 ms. */
export async function until(what: string, so: () => Promise<boolean>, service?: ServiceProcess): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  while (!await so()) {
    if (performance.now() > deadline) throw new Error(`It did not come about that ${what}\n${service?.output ?? ""}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export interface Answer {
  readonly status: number;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
  readonly retryAfter: string | null;
  /** It is the kept reply of an earlier request with the same key. */
  readonly isReplay: boolean;
  readonly ms: number;
}

/** Longest that a client waits for a reply, in milliseconds; far above every deadline of the service. */
const CLIENT_MS = 30_000;

/** One request; status 0 when the connection broke, which says nothing about whether it was carried out. */
export async function send(
  url: string,
  key: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const started = performance.now();
  const done = (status: number, body: unknown, headers = new Headers()): Answer => ({
    ...{ status, body, retryAfter: headers.get("retry-after"), isReplay: headers.has("idempotency-replayed") },
    ms: performance.now() - started,
  });
  try {
    const response = await fetch(`${url}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
      signal: AbortSignal.timeout(CLIENT_MS),
    });
    return done(response.status, await response.json(), response.headers);
  } catch {
    return done(0, undefined);
  }
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
