/** The service as processes of their own, for tests that kill things. */
import { join } from "node:path";

const ROOT = join(import.meta.dirname!, "../..");

/** How long a test waits for something that is to happen, in milliseconds; far above what it takes. */
const DEADLINE_MS = 60_000;

export class ServiceProcess implements AsyncDisposable {
  readonly url: string;
  readonly #child: Deno.ChildProcess;
  readonly #log: string[] = [];
  readonly #drained: Promise<void[]>;

  private constructor(child: Deno.ChildProcess, port: number) {
    this.#child = child;
    this.url = `http://127.0.0.1:${port}`;
    this.#drained = Promise.all([this.#drain(child.stdout), this.#drain(child.stderr)]);
  }

  /** Starts `svc serve` and waits until it answers `/healthz`; `port` makes it take the place of one that was killed. */
  static async start(env: Record<string, string>, port = freePort()): Promise<ServiceProcess> {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "src/cli.ts", "serve"],
      cwd: ROOT,
      env: { SVC_PORT: String(port), SVC_LOG_LEVEL: "warn", ...env },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const service = new ServiceProcess(child, port);
    await until(`the service answers on ${port}`, async () => await service.status("/healthz") === 200, service);
    return service;
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
  const deadline = performance.now() + DEADLINE_MS;
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
  readonly ms: number;
}

/** One request; status 0 when the connection broke, which says nothing about whether it was carried out. */
export async function send(url: string, key: string, method: string, path: string, body?: unknown): Promise<Answer> {
  const started = performance.now();
  const done = (status: number, body: unknown, retryAfter: string | null) => ({
    ...{ status, body, retryAfter },
    ms: performance.now() - started,
  });
  try {
    const response = await fetch(`${url}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return done(response.status, await response.json(), response.headers.get("retry-after"));
  } catch {
    return done(0, undefined, null);
  }
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
