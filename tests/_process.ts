/** The service as a process of its own, started as `deno task start` starts it. */
import { LOCKED } from "../scripts/locked.ts";
import { waitFor } from "./_wait.ts";

const ROOT = new URL("../", import.meta.url).pathname;

export interface StartedProcess extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Resolves when the process has ended and all its output was read. */
  readonly exitCode: Promise<number>;
  /** Standard output and error so far. */
  output(): string;
  kill(signal: Deno.Signal): void;
  /** Waits until it answers on its port. */
  listening(): Promise<void>;
}

/**
 * Starts `scripts/start.ts`, or another program of this checkout, with these variables and a free port, and without the
 * environment of the tests.
 */
export async function startProcess(
  env: Readonly<Record<string, string>>,
  [program, ...args]: readonly [string, ...string[]] = ["scripts/start.ts"],
): Promise<StartedProcess> {
  const port = findFreePort();
  const { PATH = "", HOME = "", DENO_DIR = "" } = Deno.env.toObject();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", ...LOCKED, "-A", "--no-check", "--quiet", `${ROOT}${program}`, ...args],
    clearEnv: true,
    env: { PATH, HOME, ...(DENO_DIR && { DENO_DIR }), NO_COLOR: "1", SVC_PORT: String(port), ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  const read = async (stream: ReadableStream<Uint8Array>) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) output += text;
  };
  let ended = false;
  const exitCode = Promise.all([child.status, read(child.stdout), read(child.stderr)]).then(([status]) => {
    ended = true;
    return status.code;
  });
  const url = `http://127.0.0.1:${port}`;
  const kill = (signal: Deno.Signal) => {
    if (!ended) child.kill(signal);
  };
  return {
    url,
    pid: child.pid,
    exitCode,
    output: () => output,
    kill,
    async listening() {
      await waitFor(`an answer from ${url}`, async () => {
        if (ended) return true;
        const reply = await fetch(`${url}/healthz`);
        await reply.body?.cancel();
        return reply.status === 200;
      });
      if (ended) throw new Error(`The process has ended:\n${output}`);
    },
    async [Symbol.asyncDispose]() {
      // The second one ends it immediately; both are passed on to the process that serves.
      for (const _ of [1, 2]) kill("SIGTERM");
      await exitCode;
    },
  };
}

export function findFreePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return (listener.addr as Deno.NetAddr).port;
}
