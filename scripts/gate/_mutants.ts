/** Running tests in a copy of the tree from which a defence was taken away. */
import { dirname, join } from "node:path";
import { type Mutation, withoutDefence } from "./mutations/mutation.ts";

/** The outcome of a test run; `broken`: it did not reach its tests, which shows nothing. */
export type Verdict = "green" | "red" | "hangs" | "broken";

export interface TestRun {
  readonly verdict: Verdict;
  readonly seconds: number;
  /** The end of its output, for a run with an unexpected outcome. */
  readonly output: string;
}

/** Without a defence a test may take this often as long as with it, and as long as `RED_SECONDS_MIN`, not more. */
const RED_FACTOR = 12;
/** A test whose condition never becomes true waits half a minute for it each time, and the machine may be busy. */
const RED_SECONDS_MIN = 150;
const BASELINE_SECONDS_MAX = 300;
const OUTPUT_MAX = 4_000;

/** A copy of the tree with its own folder for temporary files. One test runs in it at a time. */
export class Lane implements AsyncDisposable {
  readonly #baselines = new Map<string, TestRun>();
  /** The process group of the running test. */
  #group: number | undefined;

  private constructor(
    readonly directory: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  /** Copies the tracked files in their present state, and links the dependencies' folder if there is one. */
  static async make(env: Readonly<Record<string, string>>): Promise<Lane> {
    const directory = await Deno.makeTempDir({ prefix: "svc-mutants-", dir: env.TMPDIR });
    const { stdout } = await new Deno.Command("git", { args: ["ls-files", "-z"] }).output();
    for (const file of new TextDecoder().decode(stdout).split("\0").filter(Boolean)) {
      await Deno.mkdir(join(directory, dirname(file)), { recursive: true });
      await Deno.copyFile(file, join(directory, file));
    }
    const modules = await Deno.stat("node_modules").catch(() => undefined);
    if (modules) await Deno.symlink(join(Deno.cwd(), "node_modules"), join(directory, "node_modules"));
    await Deno.mkdir(join(directory, ".tmp"));
    // PostgreSQL does not run as root, so its user needs access to the clusters that tests make.
    await Deno.chmod(directory, 0o755);
    await Deno.chmod(join(directory, ".tmp"), 0o1777);
    return new Lane(directory, { ...env, TMPDIR: join(directory, ".tmp") });
  }

  /** Runs the test with the defence, unless it was run for another entry, and without it. */
  async try(mutation: Mutation): Promise<{ readonly before: TestRun; readonly after: TestRun | undefined }> {
    const name = `${mutation.test} ${mutation.filter}`;
    const before = this.#baselines.get(name) ?? await this.#run(mutation, BASELINE_SECONDS_MAX);
    this.#baselines.set(name, before);
    if (before.verdict !== "green") return { before, after: undefined };
    const path = join(this.directory, mutation.file);
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, withoutDefence(mutation, text));
    try {
      return { before, after: await this.#run(mutation, Math.max(RED_SECONDS_MIN, RED_FACTOR * before.seconds)) };
    } finally {
      await Deno.writeTextFile(path, text);
    }
  }

  /** Ends the running test, with every process that it started. */
  kill(): void {
    if (this.#group === undefined) return;
    try {
      Deno.kill(-this.#group, "SIGKILL");
    } catch { /* all of it has ended */ }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    await Deno.remove(this.directory, { recursive: true });
    await removeCompiled(this.directory);
  }

  async #run({ test, filter }: Mutation, secondsMax: number): Promise<TestRun> {
    const started = performance.now();
    const child = new Deno.Command("setsid", {
      args: [
        ...[Deno.execPath(), "test", "--allow-all", "--quiet", "--no-check"],
        ...(filter === "" ? [] : [`--filter=${filter}`]),
        test,
      ],
      cwd: this.directory,
      env: { ...this.env, SVC_TEST_RUN: crypto.randomUUID().slice(0, 8) },
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#group = child.pid;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.kill();
    }, secondsMax * 1000);
    const texts = Promise.all([readEnd(child.stdout), readEnd(child.stderr)]);
    const { code } = await child.status;
    clearTimeout(timer);
    this.kill();
    const output = (await texts).join("\n");
    const seconds = (performance.now() - started) / 1000;
    return { verdict: isLate ? "hangs" : judge(output, code), seconds, output: output.slice(-OUTPUT_MAX) };
  }
}

/** A run without a summary or a test, or whose module does not load, shows nothing about a defence. */
function judge(output: string, code: number): Verdict {
  const summary = /(\d+) passed.* \| (\d+) failed/.exec(output);
  if (summary === null || output.includes("(uncaught error)")) return "broken";
  if (summary[1] === "0" && summary[2] === "0") return "broken";
  return code === 0 ? "green" : "red";
}

/** The last characters of a stream, however long it is. */
async function readEnd(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const part of stream.pipeThrough(new TextDecoderStream())) text = (text + part).slice(-100_000);
  return text;
}

/** Deno caches compiled files by path, and nobody uses these paths again. */
async function removeCompiled(directory: string): Promise<void> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"], stderr: "null" }).output();
  const { typescriptCache } = JSON.parse(new TextDecoder().decode(stdout));
  await Deno.remove(join(typescriptCache, "file", directory), { recursive: true }).catch(() => {});
}
