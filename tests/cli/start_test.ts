/** `deno task start` at a terminal: however it ends, nothing of it stays behind, and the next start serves. */
import { equal, match } from "node:assert/strict";
import { join } from "node:path";
import { findFreePort } from "../_process.ts";
import { waitFor } from "../_wait.ts";

const ROOT = join(import.meta.dirname!, "../..");

/** `deno task start` as the leader of a process group, as a shell starts it. */
class Start implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #output: Promise<Deno.CommandOutput>;
  ended = false;

  constructor(readonly port: number, dataDir: string) {
    const { PATH = "", HOME = "", DENO_DIR = "" } = Deno.env.toObject();
    const variables = { SVC_PORT: `${port}`, SVC_DATA_DIR: dataDir, SVC_SENTENCE_ENCODER: "off", NO_COLOR: "1" };
    this.#child = new Deno.Command(Deno.execPath(), {
      args: ["task", "start"],
      cwd: ROOT,
      clearEnv: true,
      env: { PATH, HOME, ...(DENO_DIR && { DENO_DIR }), ...variables },
      detached: true,
      ...{ stdin: "null", stdout: "piped", stderr: "piped" },
    }).spawn();
    this.#output = this.#child.output();
    this.#output.then(() => this.ended = true);
  }

  async serves(): Promise<void> {
    await waitFor(`an answer on ${this.port}`, async () => {
      if (this.ended) throw new Error(await this.said());
      const reply = await fetch(`http://127.0.0.1:${this.port}/healthz`);
      await reply.body?.cancel();
      return reply.status === 200;
    });
  }

  /** Sends a signal to the process that the shell knows, or to the whole group, as a terminal does. */
  async signal(signal: Deno.Signal, to: "process" | "group"): Promise<void> {
    if (to === "process") return this.#child.kill(signal);
    await new Deno.Command("kill", { args: ["-s", signal.slice(3), "--", `-${this.#child.pid}`] }).output();
  }

  /** All that every process of it wrote; resolves when the last of them has ended. */
  async said(): Promise<string> {
    const { stdout, stderr } = await this.#output;
    return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.ended) await this.signal("SIGKILL", "group");
    await this.#output;
  }
}

const ENDS = [
  { how: "kill -9", signal: "SIGKILL", to: "process", inOrder: true },
  { how: "SIGTERM", signal: "SIGTERM", to: "process", inOrder: true },
  { how: "Ctrl-C", signal: "SIGINT", to: "group", inOrder: true },
  { how: "closing the terminal", signal: "SIGHUP", to: "group", inOrder: false },
] as const;

Deno.test("a start that ended by kill -9, SIGTERM, Ctrl-C or with its terminal leaves no process, and the next one serves", async (t) => {
  const dataDir = await Deno.makeTempDir({ prefix: "svc-start-" });
  const port = findFreePort();
  try {
    for (const { how, signal, to, inOrder } of ENDS) {
      await t.step(how, async () => {
        await using start = new Start(port, dataDir);
        await start.serves();
        await start.signal(signal, to);
        // The output ends with the last process that has it.
        const said = await start.said();
        if (inOrder) match(said, /"event":"server\.stopped"[^\n]*"drained":true/);
        equal(/another program uses the port|is using it/.test(said), false, said);
      });
    }
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});
