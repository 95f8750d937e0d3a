/** The service as a process of its own, with its output, and a client of it. */
import type { Service } from "../../src/service.ts";
import type { TestDatabase } from "../_postgres.ts";
import { TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";

export interface ServiceProcess extends AsyncDisposable {
  readonly url: string;
  /** With the key that the first start printed. */
  readonly client: TestService;
  /** Standard output so far: the log. */
  stdout(): string;
  /** Standard error so far: the first key, and nothing else. */
  stderr(): string;
  /** Waits for a log line with this event. */
  logged(event: string): Promise<Record<string, unknown>>;
  signal(name: Deno.Signal): void;
  /** The exit code, once all output is there. */
  readonly exited: Promise<number>;
}

export interface StartProcessOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly database?: TestDatabase;
  /** The database has a key already, so that the start prints none. */
  readonly hasKey?: boolean;
  /** A program to run instead of the command line. It serves on SVC_PORT. */
  readonly program?: string;
}

const ROOT = new URL("../../", import.meta.url);

/** Starts a process and waits until it accepts requests. On an empty database the client has the first key. */
export async function startProcess({ env, database, hasKey, program }: StartProcessOptions): Promise<ServiceProcess> {
  const port = freePort();
  const child = new Deno.Command(Deno.execPath(), {
    args: program === undefined ? ["run", "-A", "--quiet", "src/cli/main.ts", "serve"] : ["eval", "--quiet", program],
    cwd: ROOT,
    // The tests send more from one key than callers do, and on a busy machine a connection may take its time.
    env: {
      SVC_RATE_LIMIT_PER_MINUTE: "0",
      SVC_DB_CONNECT_TIMEOUT_SECONDS: "30",
      ...env,
      SVC_PORT: `${port}`,
      NO_COLOR: "1",
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  await using stack = new AsyncDisposableStack();
  const out = collect(child.stdout);
  const err = collect(child.stderr);
  const exited = Promise.all([child.status, out.done, err.done]).then(([status]) => status.code);
  stack.defer(async () => {
    try {
      child.kill("SIGKILL");
    } catch { /* it has ended */ }
    await exited;
  });
  const logged = (event: string) =>
    waitFor(`${event} in the log`, () => {
      const line = out.text().split("\n").find((line) => line.includes(`"event":"${event}"`) && line.endsWith("}"));
      return line === undefined ? undefined : JSON.parse(line);
    });
  const url = `http://127.0.0.1:${port}`;
  await waitFor("the service answers", async () => (await (await fetch(`${url}/healthz`)).text()) !== "");
  // The key was printed before the first answer, but may come through the pipe after it.
  const [, workspaceId = "", key = ""] = hasKey === true ? [] : await waitFor(
    "the first key",
    () => /First workspace\s+(\S+)\s+First API key\s+(\S+)\s/.exec(err.text()) ?? undefined,
  );
  // Requests of the test client have a made-up host.
  const send = (request: Request) => fetch(new Request(request.url.replace("http://svc.test", url), request));
  const owned = stack.move();
  return {
    url,
    client: new TestService({ fetch: send } as Service, workspaceId, key, database, owned),
    stdout: out.text,
    stderr: err.text,
    logged,
    signal: (name) => child.kill(name),
    exited,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function collect(stream: ReadableStream<Uint8Array>) {
  let text = "";
  const done = (async () => {
    for await (const piece of stream.pipeThrough(new TextDecoderStream())) text += piece;
  })();
  return { done, text: () => text };
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
