/**
 * A real Redis behind a REST front, for tests.
 *
 * `scripts/gate/run_tests.ts` starts the Redis and passes its URL as `SVC_TEST_REDIS_URL`. A test file that is run on its own
 * starts one by itself when the server program is installed; without it, `REDIS.ignore` is true.
 */
import { join } from "node:path";

const sharedUrl = Deno.env.get("SVC_TEST_REDIS_URL");
const program = sharedUrl === undefined ? await findProgram() : undefined;

/** Options of a test that needs Redis: `Deno.test({ ...REDIS, name, fn })`. */
export const REDIS = { ignore: sharedUrl === undefined && program === undefined };
if (REDIS.ignore) console.warn("NOT RUN: the tests with a real Redis; install redis-server");

/** A REST front with its address and token. Disposing ends it, together with a Redis that was started for it. */
export interface RedisFront extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  /** Runs a Redis command past the code under test. */
  command(...args: (string | number)[]): Promise<unknown>;
}

/** `own`: with a Redis that nobody else uses, so that it can be emptied. */
export async function startRedisFront(options: { readonly own?: boolean } = {}): Promise<RedisFront> {
  await using stack = new AsyncDisposableStack();
  const redisUrl = options.own || sharedUrl === undefined ? await startRedis(stack) : sharedUrl;
  const token = crypto.randomUUID();
  const script = new URL("./_redis_front.ts", import.meta.url).pathname;
  const args = ["run", "--allow-all", "--quiet", script, redisUrl, token];
  const port = await firstMatch(start(stack, Deno.execPath(), args), /^(\d+)\n/);
  const url = `http://127.0.0.1:${port}`;
  const owned = stack.move();
  return {
    url,
    token,
    async command(...words) {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const reply = await fetch(url, { method: "POST", headers, body: JSON.stringify(words) });
      const { result, error } = await reply.json();
      if (error !== undefined) throw new Error(error);
      return result;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function startRedis(stack: AsyncDisposableStack): Promise<string> {
  const port = freePort();
  const args = ["--port", `${port}`, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", "/tmp"];
  await firstMatch(start(stack, (program ?? await findProgram())!, args), /(Ready to accept)/);
  return `redis://127.0.0.1:${port}`;
}

interface Output {
  readonly text: { value: string };
  /** Called after every piece of output, and with `true` at its end. */
  onOutput: (isAtEnd: boolean) => void;
}

/** Starts a process that ends with the stack. */
function start(stack: AsyncDisposableStack, command: string, args: string[]): Output {
  const child = new Deno.Command(command, { args, stdin: "null", stdout: "piped", stderr: "null" }).spawn();
  const output: Output = { text: { value: "" }, onOutput: () => {} };
  const drained = (async () => {
    for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
      output.text.value += piece;
      output.onOutput(false);
    }
    output.onOutput(true);
  })();
  stack.defer(async () => {
    try {
      child.kill("SIGKILL");
    } catch { /* it has ended */ }
    await Promise.all([child.status, drained]);
  });
  return output;
}

function firstMatch(output: Output, pattern: RegExp): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  output.onOutput = (isAtEnd) => {
    const found = pattern.exec(output.text.value)?.[1];
    if (found !== undefined) resolve(found);
    else if (isAtEnd) reject(new Error(`Cannot start a process for the test: it ended with ${output.text.value}`));
  };
  output.onOutput(false);
  return promise;
}

async function findProgram(): Promise<string | undefined> {
  const given = Deno.env.get("SVC_TEST_REDIS_SERVER");
  if (given) return given;
  for (const folder of (Deno.env.get("PATH") ?? "").split(":")) {
    const path = join(folder || ".", "redis-server");
    try {
      await Deno.stat(path);
      return path;
    } catch { /* not there */ }
  }
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
