/**
 * Runs test files in a `deno test` of their own, with a watchdog: a run beyond its bound is ended with all processes
 * that it started, and its results so far are reported.
 */
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { LOCKED } from "../locked.ts";
import { Bound } from "./_machine.ts";

export interface FileOutcome {
  /** Its path; for files that ran together, the first path and the number of others. */
  readonly file: string;
  /** All files that ran in the process. */
  readonly files: readonly string[];
  readonly passed: number;
  readonly failed: number;
  /** The names of the tests that did not run. */
  readonly ignored: readonly string[];
  readonly seconds: number;
  /** Its whole output, in complete lines and the last piece. */
  readonly output: string;
  /** Whether it ended by itself and reported the outcome of each of its tests. */
  readonly isWhole: boolean;
  /** The test that was running at the bound; undefined if the file ended by itself. */
  readonly hung?: string;
  /** The failures that the file reported. */
  readonly failures: readonly TestFailure[];
}

export interface TestFailure {
  /** The name of the test, with the step that failed. */
  readonly test: string;
  /** The beginning of the error's message. */
  readonly message: string;
}

export interface RunOptions {
  /** Further arguments of `deno test`. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The longest time that the file may take, in seconds of an idle machine. */
  readonly boundSeconds: number;
  /** Ends the file immediately. */
  readonly signal: AbortSignal;
}

/** The time in which processes of a killed test may end by themselves, in milliseconds. */
const ORPHANS_MS = 15_000;
/** The longest message of a failure that is reported, in characters. */
const MESSAGE_LENGTH = 300;

/**
 * Runs files in one process, so that it loads and warms up the tested program once instead of once per file. If the
 * process hangs or breaks off, each file runs again by itself, so that the faulty file is named and the others count.
 */
export async function runTestFiles(files: readonly string[], options: RunOptions): Promise<FileOutcome[]> {
  if (files.length === 1) return [{ ...await runTestFile(files[0], files[0], options), files }];
  const folder = await Deno.makeTempDir({ prefix: "svc-tests-" });
  try {
    const entry = join(folder, "several_test.ts");
    const imports = files.map((file) => `import ${JSON.stringify(pathToFileURL(resolve(file)).href)};\n`);
    await Deno.writeTextFile(entry, imports.join(""));
    const told = `${files[0]} and ${files.length - 1} more`;
    const together: FileOutcome = { ...await runTestFile(told, entry, options), files };
    if (together.isWhole || options.signal.aborted) return [together];
    const outcomes: FileOutcome[] = [{ ...together, passed: 0, failed: 1 }];
    for (const file of files) outcomes.push({ ...await runTestFile(file, file, options), files: [file] });
    return outcomes;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Runs one module. A run that ends without a summary, or with an error outside a test, counts as a failure. */
async function runTestFile(file: string, module: string, options: RunOptions): Promise<Omit<FileOutcome, "files">> {
  const started = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", ...LOCKED, "--allow-all", "--quiet", ...options.args, module],
    env: { ...options.env },
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const report = new TestReport();
  const drained = Promise.all([drain(child.stdout, report), drain(child.stderr, report)]);
  let ending: Promise<void> | undefined;
  const end = () => void (ending ??= killTree(child.pid));
  const bound = new Bound(options.boundSeconds, end);
  options.signal.addEventListener("abort", end, { once: true });
  if (options.signal.aborted) end();
  const { success } = await child.status;
  bound[Symbol.dispose]();
  options.signal.removeEventListener("abort", end);
  // A process that outlives the test may hold its output open; `killTree` has ended it, or its output does not matter.
  if (ending) await ending;
  await Promise.race([drained, new Promise((resolve) => Deno.unrefTimer(setTimeout(resolve, ORPHANS_MS)))]);
  const seconds = (performance.now() - started) / 1_000;
  const { output, ignored, failures } = report;
  if (ending) {
    const counted = { passed: report.passedSoFar, failed: report.failedSoFar + 1 };
    const hung = report.current ?? "(before the first test)";
    return { file, ...counted, ignored, seconds, output, isWhole: false, hung, failures };
  }
  const { passed, failed } = report.summary ?? { passed: report.passedSoFar, failed: report.failedSoFar };
  // An uncaught error, a leak or a type error fails the run without failing a test.
  const isGood = success && report.summary !== undefined;
  // After an uncaught error the remaining tests do not run.
  const isWhole = report.summary !== undefined && (success || failed > 0) && !output.includes("(uncaught error)");
  return { file, passed, failed: isGood ? failed : Math.max(failed, 1), ignored, seconds, output, isWhole, failures };
}

async function drain(stream: ReadableStream<Uint8Array>, report: TestReport): Promise<void> {
  for await (const text of stream.pipeThrough(new TextDecoderStream())) report.add(text);
}

/** Reads the output of `deno test`. */
export class TestReport {
  output = "";
  summary: { readonly passed: number; readonly failed: number } | undefined;
  passedSoFar = 0;
  failedSoFar = 0;
  readonly ignored: string[] = [];
  readonly failures: TestFailure[] = [];
  /** The test that began last and has not ended. */
  #current: string | undefined;
  #rest = "";
  /** The current part of the output: the tests, their errors, or the rest. */
  #part: "tests" | "errors" | "rest" = "tests";
  /** The failed test whose error is being read. */
  #failed: { test: string; message: string } | undefined;

  add(text: string): void {
    this.output += text;
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop()!;
    for (const line of lines) this.#read(line);
  }

  /** The running test, with its current step. */
  get current(): string | undefined {
    const last = /^\s*(\S.*?) \.\.\.\s*$/.exec(this.#rest)?.[1];
    return [this.#current, last].filter((name) => name !== undefined).join(" > ") || undefined;
  }

  #read(line: string): void {
    if (line === " ERRORS ") this.#part = "errors";
    else if (line === " FAILURES ") this.#part = "rest";
    if (this.#part === "errors") this.#readError(line);
    const summary = /^(?:ok|FAILED) \| (\d+) passed(?: \([^)]*\))? \| (\d+) failed/.exec(line);
    if (summary) this.summary = { passed: Number(summary[1]), failed: Number(summary[2]) };
    const begun = /^(\S.*) \.\.\.$/.exec(line);
    if (begun) this.#current = begun[1];
    // Steps are indented and do not count.
    const ended = /^(?:(\S.*) )?\.\.\. (ok|FAILED|ignored)(?: |$)/.exec(line);
    if (!ended) return;
    this.#current = undefined;
    if (ended[2] === "ok") this.passedSoFar++;
    else if (ended[2] === "FAILED") this.failedSoFar++;
    else this.ignored.push(ended[1]?.trim() ?? "(unnamed)");
  }

  /** Each error is under the name and place of its test, and ends with the place where it was thrown. */
  #readError(line: string): void {
    const failed = /^(\S.*)(?: => \S+:\d+:\d+| \(uncaught error\))$/.exec(line)?.[1];
    if (failed) {
      this.#failed = { test: failed.replaceAll(" ... ", " > "), message: "" };
      this.failures.push(this.#failed);
    } else if (this.#failed !== undefined && /^ {4}at |^Stack backtrace/.test(line)) this.#failed = undefined;
    else if (this.#failed !== undefined && line.trim() !== "" && this.#failed.message.length < MESSAGE_LENGTH) {
      this.#failed.message = `${this.#failed.message} ${line.replace(/^error: /, "").trim()}`.trim().slice(
        0,
        MESSAGE_LENGTH,
      );
    }
  }
}

/**
 * Ends a process and all processes that it started. Watchers of throwaway clusters work first: each stops its server
 * and removes its files when the watched process has ended.
 */
async function killTree(pid: number): Promise<void> {
  const orphans = descendantsOf(pid);
  kill(pid);
  for (const orphan of orphans) if (!/^(sh|postgres)$/.test(nameOf(orphan))) kill(orphan);
  const expiresAt = performance.now() + ORPHANS_MS;
  while (performance.now() < expiresAt && orphans.some((orphan) => nameOf(orphan) !== "")) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  for (const orphan of orphans) kill(orphan);
}

function kill(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch { /* it has ended by itself */ }
}

function nameOf(pid: number): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/comm`).trim();
  } catch {
    return "";
  }
}

function descendantsOf(pid: number): number[] {
  const found: number[] = [];
  try {
    for (const { name } of Deno.readDirSync(`/proc/${pid}/task`)) {
      const text = Deno.readTextFileSync(`/proc/${pid}/task/${name}/children`);
      found.push(...text.split(" ").filter((word) => word !== "").map(Number));
    }
  } catch { /* it has ended, or there is no /proc */ }
  return found.flatMap((child) => [child, ...descendantsOf(child)]);
}
