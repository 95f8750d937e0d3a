/**
 * What a reader of a page has: the service that `deno task start` started, a home folder of its own, a terminal in the
 * checkout in which `svc` is the command line, and the key that the first start printed.
 */
import { dirname, join } from "node:path";
import importMap from "../../imports.json" with { type: "json" };
import { findFreePort } from "../_process.ts";
import { ADMIN_TOKEN, TOTP_KEY } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { type Block, placeOf, ROOT } from "./_blocks.ts";
import type { PythonEnvironment } from "../python/_python.ts";
import type { Placeholders, Surroundings } from "./_surroundings.ts";

export interface Ran {
  readonly success: boolean;
  readonly output: string;
}

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** The command line in a checkout, as the README says, and a HAProxy that reads its configuration and ends. */
const PROGRAMS = {
  svc: `exec "${Deno.execPath()}" run -A --quiet "${join(ROOT, "src/cli/main.ts")}" "$@"`,
  haproxy: `exec "$(PATH=/usr/sbin:/usr/bin:/usr/local/sbin command -v haproxy)" -c "$@"`,
};

export class World implements AsyncDisposable {
  readonly #port = findFreePort();
  readonly #ends: (() => Promise<unknown>)[] = [];
  #key = "";
  #pasted = "";

  private constructor(readonly home: string, readonly surroundings: Surroundings, readonly cache: string) {}

  static async create(surroundings: Surroundings): Promise<World> {
    const home = await Deno.makeTempDir({ prefix: "svc-page-" });
    await Deno.mkdir(join(home, "bin"));
    for (const [name, script] of Object.entries(PROGRAMS)) {
      await Deno.writeTextFile(join(home, "bin", name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    for (const [path, bytes] of Object.entries(surroundings.files)) {
      await Deno.mkdir(dirname(join(home, path)), { recursive: true });
      await Deno.writeFile(join(home, path), bytes);
    }
    // A refusal ends a shell block, and its body says why.
    await Deno.writeTextFile(join(home, ".curlrc"), "fail-with-body\n");
    const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
    return new World(home, surroundings, JSON.parse(decode(stdout)).denoDir);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get key(): string {
    return this.#key;
  }

  /** The first request, as the start prints it to be pasted. */
  get pasted(): string {
    return this.#pasted;
  }

  environment(): Record<string, string> {
    const kept = Object.entries(Deno.env.toObject()).filter(([name]) => !/^(SVC_|TEST_DATABASE_URL$|XDG_)/.test(name));
    return {
      ...Object.fromEntries(kept),
      ...{ HOME: this.home, DENO_DIR: this.cache, NO_COLOR: "1", CURL_HOME: this.home },
      PATH: `${join(this.home, "bin")}:${dirname(Deno.execPath())}:${Deno.env.get("PATH")}`,
      ...{ SVC_PORT: `${this.#port}`, SVC_DATA_DIR: join(this.home, "data") },
      ...{ SVC_ADMIN_TOKEN: ADMIN_TOKEN, SVC_ADMIN_TOTP_KEY: TOTP_KEY },
      ...this.surroundings.env,
      ...(this.#key && { SVC_URL: this.url, SVC_KEY: this.#key }),
    };
  }

  /** The text as the reader sends it, with what is the reader's own filled in. */
  fill(text: string): string {
    const known: Placeholders = [
      ["http://127.0.0.1:8787", this.url],
      ["svc_live_…", this.#key],
      ...this.surroundings.placeholders,
    ];
    return known.reduce((filled, [written, here]) => filled.replaceAll(written, here), text);
  }

  /** Starts the service by the page's own block, and reads the first key. */
  async startService(block: string): Promise<void> {
    // The shell makes way for the last command, so that a signal reaches it.
    const child = this.#spawn(["bash", "-euc", this.fill(block).replace(/^deno task start$/m, "exec $&")]);
    const said = this.#gather(child);
    await waitFor("the service", async () => {
      if (said.ended()) return true;
      const reply = await fetch(`${this.url}/healthz`);
      await reply.body?.cancel();
      return reply.ok;
    });
    if (said.ended()) throw new Error(`The service has ended: ${said.text()}`);
    // It was printed before the first answer, and may come through the pipe after it.
    const [key, pasted] = await waitFor("the first key", () => {
      const [, key, pasted] = /First API key\s+(svc_live_\S+)[^]*^(curl .*)\n/m.exec(said.text()) ?? [];
      return key !== undefined && pasted !== undefined && [key, pasted];
    });
    this.#key = key!;
    this.#pasted = pasted!;
  }

  /** Runs shell blocks in order, in one shell that ends at the first failure. @returns what each one wrote */
  async runShell(blocks: readonly Block[]): Promise<string[]> {
    const mark = "--- the end of a block ---";
    const script = blocks.map(({ text }) => `${this.fill(text)}\necho; echo '${mark}'`).join("\n");
    const { success, output } = await this.run(["bash", "-euo", "pipefail", "-c", script]);
    const outputs = output.split(mark).map((text) => text.trim());
    if (!success) throw new Error(`${placeOf(blocks[outputs.length - 1]!)} fails: ${outputs.at(-1)}`);
    return outputs;
  }

  /** Sends SQL to the database server of the page's surroundings, as its superuser. */
  async runSql(text: string): Promise<void> {
    const file = join(this.home, "page.sql");
    await Deno.writeTextFile(file, this.fill(text));
    const { success, output } = await this.run([
      ...["psql", "--no-psqlrc", "--set", "ON_ERROR_STOP=1", "--file", file, this.fill("superuser@db")],
    ]);
    if (!success) throw new Error(output);
  }

  async run(command: readonly string[]): Promise<Ran> {
    const child = this.#spawn(command);
    const said = this.#gather(child);
    const { success } = await child.status;
    await waitFor("the end of the output", said.ended);
    return { success, output: said.text() };
  }

  /** Runs what never ends by itself until its output holds the id of a fact that is stored meanwhile. */
  async runEndless(command: readonly string[]): Promise<void> {
    const child = this.#spawn(command);
    const said = this.#gather(child);
    const ids: string[] = [];
    await waitFor("an event in the output", async () => {
      if (said.ended()) throw new Error(said.text());
      const { id } = await this.post("/v1/memory/facts", { statement: `The example runs, try ${ids.length}.` });
      ids.push(id);
      return ids.some((id) => said.text().includes(id));
    }, { everyMs: 500 });
    child.kill("SIGKILL");
  }

  /** Writes a program in TypeScript that imports the client as a package, and the command that runs it with its types. */
  async writeProgram(text: string): Promise<string[]> {
    const sdk = join(ROOT, "clients/typescript");
    const imports = {
      ...importMap.imports,
      ...{ "@svc/client": `${sdk}/mod.ts`, "@svc/client/ai-sdk": `${sdk}/ai_sdk.ts` },
      "@svc/client/langgraph": `${sdk}/langgraph.ts`,
    };
    await Deno.writeTextFile(join(this.home, "deno.json"), JSON.stringify({ imports }));
    await Deno.copyFile(join(ROOT, "deno.lock"), join(this.home, "deno.lock"));
    const file = join(this.home, "program.ts");
    await Deno.writeTextFile(file, this.fill(text));
    return [Deno.execPath(), "run", "-A", "--check", "--cached-only", "--config", join(this.home, "deno.json"), file];
  }

  /** Writes a program in Python, and the command that runs it in an environment that has the client. */
  async writePython({ python, env }: PythonEnvironment, text: string): Promise<string[]> {
    const file = join(this.home, "program.py");
    await Deno.writeTextFile(file, this.fill(text));
    return ["env", ...Object.entries(env).map(([name, value]) => `${name}=${value}`), python, file];
  }

  // deno-lint-ignore no-explicit-any
  async post(path: string, body: unknown): Promise<any> {
    const headers = { authorization: `Bearer ${this.#key}`, "content-type": "application/json" };
    const reply = await fetch(this.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!reply.ok) throw new Error(`${path}: ${await reply.text()}`);
    return await reply.json();
  }

  #spawn([program, ...args]: readonly string[]): Deno.ChildProcess {
    const options = { args, cwd: ROOT, clearEnv: true, env: this.environment() };
    return new Deno.Command(program!, { ...options, stdin: "null", stdout: "piped", stderr: "piped" }).spawn();
  }

  #gather(child: Deno.ChildProcess): { text(): string; ended(): boolean } {
    let text = "";
    let ended = false;
    const read = async (stream: ReadableStream<Uint8Array>) => {
      for await (const piece of stream.pipeThrough(new TextDecoderStream())) text += piece;
    };
    const end = Promise.all([read(child.stdout), read(child.stderr), child.status]).then(() => ended = true);
    this.#ends.push(() => {
      if (!ended) child.kill("SIGTERM");
      return end;
    });
    return { text: () => text, ended: () => ended };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#ends) await end();
    await Deno.remove(this.home, { recursive: true });
  }
}
