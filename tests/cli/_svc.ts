/** The command line as a process of its own, with a home folder of its own, and a service that it can reach. */
import { join } from "node:path";
import type { TestService } from "../_service.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** What comes on standard input; it then ends. null: it never ends. */
  readonly input?: string | null;
}

/** The command line of the service, in a checkout. */
const SVC = [Deno.execPath(), "run", "-A", "--quiet", "--no-check", join(ROOT, "src/cli/main.ts")];

/** A user of a command line. */
export class Person implements AsyncDisposable {
  private constructor(readonly home: string, readonly program: readonly string[]) {}

  /** @param program what the command line is started with */
  static async make(program: readonly string[] = SVC): Promise<Person> {
    return new Person(await Deno.makeTempDir({ prefix: "svc-home-" }), program);
  }

  async svc(args: readonly string[], { env = {}, input = "" }: RunOptions = {}): Promise<Ran> {
    const child = this.#command(args, env).spawn();
    const writer = child.stdin.getWriter();
    const fed = (async () => {
      if (input !== null) {
        await writer.write(new TextEncoder().encode(input));
        await writer.close();
      }
      // A program that ends without reading is no fault here.
    })().catch(() => {});
    const { code, stdout, stderr } = await child.output();
    await fed;
    if (input === null) await writer.abort().catch(() => {});
    const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code, stdout: decode(stdout), stderr: decode(stderr) };
  }

  /** Starts a command that waits for something. `told`: resolves to what a pattern finds on standard error. */
  start(args: readonly string[]) {
    const child = this.#command(args, {}).spawn();
    child.stdin.close();
    const found = new Map<RegExp, PromiseWithResolvers<string>>();
    let stderr = "";
    const read = async () => {
      for await (const piece of child.stderr.pipeThrough(new TextDecoderStream())) {
        stderr += piece;
        for (const [pattern, { resolve }] of found) {
          const match = pattern.exec(stderr);
          if (match !== null) resolve(match[1]!);
        }
      }
      for (const { reject } of found.values()) reject(new Error(`the command ended: ${stderr}`));
    };
    const ended = Promise.all([new Response(child.stdout).text(), child.status, read()])
      .then(([stdout, { code }]): Ran => ({ code, stdout, stderr }));
    return {
      ended,
      told(pattern: RegExp): Promise<string> {
        const waiting = Promise.withResolvers<string>();
        found.set(pattern, waiting);
        return waiting.promise;
      },
    };
  }

  #command(args: readonly string[], env: Readonly<Record<string, string>>): Deno.Command {
    const [program, ...begin] = this.program;
    return new Deno.Command(program!, {
      args: [...begin, ...args],
      cwd: this.home,
      env: {
        ...{
          HOME: this.home,
          XDG_CONFIG_HOME: "",
          XDG_STATE_HOME: "",
          SVC_URL: "",
          SVC_KEY: "",
          SVC_MEMORY: "",
          NO_COLOR: "1",
        },
        DENO_DIR: Deno.env.get("DENO_DIR") ?? join(Deno.env.get("HOME") ?? "", ".cache", "deno"),
        // The machine that runs the tests may be slow; what depends on the time has tests of its own.
        SVC_HOOK_TIMEOUT_MS: "60000",
        ...env,
      },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.home, { recursive: true });
  }
}

/** A service on a port, with what it was asked. */
export interface Served extends AsyncDisposable {
  readonly url: string;
  readonly asked: string[];
}

/** Serves on a port of this machine whatever `answer` says; default: the service. */
export function serve(answer: TestService | ((request: Request) => Response | Promise<Response>)): Served {
  const handle = typeof answer === "function" ? answer : (request: Request) => answer.service.fetch(request);
  const asked: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    asked.push(`${request.method} ${new URL(request.url).pathname}`);
    return handle(request);
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    asked,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
