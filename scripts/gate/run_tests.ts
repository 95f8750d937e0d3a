/**
 * Runs all tests: `deno task test [files, folders or deno test options]`.
 *
 * It brings up what the tests need — a throwaway PostgreSQL cluster and a Redis — and says at the end what it could not
 * run for want of something on this machine. With `SVC_TEST_STRICT=1` every such gap is a failure. A few files that look
 * at nothing but their own services share a process; each other file has its own. A process that does not end within
 * its bound is ended, counted as failed and named with the test that hung, and the others go on. When all tests run and
 * a single process fails, it runs again with nothing beside it: what passes then is named as flaky, with its error, and
 * does not fail the run, however strict it is. The last line is always `N passed, N failed`.
 *
 * `--quick` takes a minute or two on an idle machine: unit tests, the contract of every operation and one file of behaviour per
 * module, all on the embedded database; it needs no program but Deno.
 *
 * Environment: `TEST_DATABASE_URL` superuser of a PostgreSQL ≥ 15 to use instead of a cluster of its own;
 * `SVC_TEST_CHROMIUM`, `SVC_TEST_FAKETIME`, `SVC_TEST_HAPROXY`, `SVC_TEST_PGBOUNCER`, `SVC_TEST_PROMTOOL`,
 * `SVC_TEST_REDIS_SERVER`, `SVC_TEST_UV` programs to use instead of those on the path; `SVC_TEST_DATA` folder with the published test
 * vectors and the LoCoMo conversations; `SVC_TEST_JOBS` how many files run at once (unless told, more while cores have
 * nothing to do); `SVC_TEST_FILE_SECONDS` longest that one file may take; `SVC_TEST_TOTAL_SECONDS` longest that all may
 * take, both of an idle machine: on a busy one they are longer; `TMPDIR` where clusters and other
 * temporary files go, in memory (`/dev/shm`) unless told; `SVC_TEST_WAIT_SECONDS` longest that a test waits for something.
 */
import { LOCKED } from "../locked.ts";
import { Bound, IdleCores } from "./_machine.ts";
import { rerunFailed } from "./_reruns.ts";
import { type FileOutcome, runTestFiles } from "./_test_file.ts";
import { prepareQuickSurroundings, prepareSurroundings } from "./_test_surroundings.ts";

const ROOTS = ["src", "tests", "scripts"];
/** The files for `--quick`: unit tests, and files whose tests run on the embedded database. */
const QUICK = [
  "tests/contract_test.ts",
  ...["session", "relations", "facts", "review", "tasks", "graph", "decisions", "entities", "procedural", "timeline"]
    .map((module) => `tests/http/${module}_test.ts`),
  ...["tests/http/self_profile_test.ts", "tests/http/stats_test.ts", "tests/openapi_test.ts"],
  // What checks the checks. The rules' examples are run in `src/language`; knocking them out takes longer.
  ...["scripts/gate/_machine_test.ts", "scripts/gate/_reruns_test.ts", "scripts/gate/check_layers_test.ts"],
  // All folders with unit tests except `db`, whose tests start and kill processes.
  ...["crypto", "domain", "edge", "http", "kv", "language", "providers", "retrieval", "rpc", "schema", "telemetry"]
    .map((folder) => `src/${folder}`),
];
/** What `--quick` leaves out: tests that read very long texts. */
const LONG = /_long_test\.ts$/;
/** These begin first, because a long file that begins last would run alone at the end. */
const LONG_FOLDERS = ["tests/fault/", "tests/rpc/", "tests/db/", "tests/"];
/**
 * Folders whose files share processes, and the number of files per process. A process takes a second to load the
 * program, and runs the first requests slowly. Files elsewhere depend on their process, or keep one busy alone.
 */
const TOGETHER: readonly (readonly [folder: RegExp, count: number])[] = [
  [/^src\/(?!db\/)/, 30],
  // The tests of the console share a browser, too.
  [/^tests\/console\//, 4],
  [/^tests\/(federation|http|mcp|outbound|recall|rpc|sdk|webhooks)\//, 10],
];
/** Tests wait a good part of their time, so there is one more job than cores, and more where most of them wait. */
const JOBS = navigator.hardwareConcurrency + 1;
const JOBS_MAX = 3 * JOBS;
/** One more job begins while this many cores have nothing to do and this much memory is free. */
const IDLE_CORES_MIN = 0.7;
const FREE_MIN_BYTES = 2 * 1024 ** 3;
/** How often to look whether one more can begin, in milliseconds. */
const LOOK_MS = 2_000;
/** The longest file, an export and import with little memory, takes four to five minutes on two slow cores. */
const FILE_SECONDS = 480;
const TOTAL_SECONDS = 3_600;
const SLOWEST_TOLD = 20;

const strict = Deno.env.get("SVC_TEST_STRICT") === "1";

async function main(args: readonly string[]): Promise<void> {
  const outcomes: FileOutcome[] = [];
  const flaky: FileOutcome[] = [];
  let gaps: readonly string[] = [];
  let faults = 0;
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    Deno.addSignalListener(signal, () => stop.abort(new Error(`the run was ended by ${signal}`)));
  }
  try {
    const isQuick = args.includes("--quick");
    const paths = args.filter((arg) => !arg.startsWith("-"));
    if (isQuick && paths.length > 0) throw new Error("--quick takes no files: it has its own list");
    const files = (await listTestFiles(isQuick ? QUICK : paths)).filter((file) => !isQuick || !LONG.test(file));
    const options = args.filter((arg) => arg.startsWith("-") && arg !== "--quick");
    if (!options.includes("--no-check")) {
      await checkTypes(files);
      options.push("--no-check");
    }
    await using surroundings =
      await (isQuick ? prepareQuickSurroundings() : prepareSurroundings({ isWhole: paths.length === 0 }));
    gaps = surroundings.gaps;
    using all = new Bound(seconds("SVC_TEST_TOTAL_SECONDS", TOTAL_SECONDS));
    const run = async (some: readonly string[]) => {
      if (all.isOver || stop.signal.aborted) return [];
      const manner = { args: options, env: surroundings.env, boundSeconds: boundOf(some), signal: stop.signal };
      const done = await runTestFiles(some, manner);
      for (const outcome of done) tellOutput(outcome);
      return done;
    };
    const unrun = await runAll(files, run, outcomes);
    for (const file of unrun) {
      console.log(`\nNOT RUN ${file}: ${stop.signal.reason ?? "the time for all files is over"}`);
    }
    faults += unrun.length;
    if (paths.length === 0 && !isQuick && unrun.length === 0) {
      flaky.push(...await rerunFailed(outcomes, run));
    }
  } catch (error) {
    console.error("Cannot run the tests:", error);
    faults++;
  }
  const failed = tell(outcomes, flaky, gaps) + faults;
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
  console.log(`\n${passed} passed, ${failed} failed`);
  // A run without any test is no success.
  Deno.exit(failed > 0 || passed === 0 ? 1 : 0);
}

/** Checks all files at once, because a check in each file's own process would take longer than most tests. */
async function checkTypes(files: readonly string[]): Promise<void> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["check", ...LOCKED, "--quiet", ...files],
    stdin: "null",
  }).spawn().status;
  if (!success) throw new Error("the types do not hold");
}

/** Runs the files, some at once; returns those that had not begun when the total time was over. */
async function runAll(
  files: readonly string[],
  run: (files: readonly string[]) => Promise<readonly FileOutcome[]>,
  outcomes: FileOutcome[],
): Promise<string[]> {
  const waiting = inProcesses(files);
  const unrun: string[] = [];
  const running = new Set<Promise<void>>();
  const begin = (next: readonly string[]) => {
    const one = run(next).then((done) => {
      outcomes.push(...done);
      if (done.length === 0) unrun.push(...next);
    }).finally(() => running.delete(one));
    running.add(one);
  };
  const told = Deno.env.has("SVC_TEST_JOBS"), least = seconds("SVC_TEST_JOBS", JOBS);
  const idle = new IdleCores();
  while (waiting.length > 0 || running.size > 0) {
    while (waiting.length > 0 && running.size < least) begin(waiting.shift()!);
    const isRoom = !told && running.size < JOBS_MAX && (idle.look() ?? 0) >= IDLE_CORES_MIN &&
      Deno.systemMemoryInfo().available >= FREE_MIN_BYTES;
    if (isRoom && waiting.length > 0) begin(waiting.shift()!);
    await pausedOr(running);
  }
  return unrun;
}

/** Resolves after `LOOK_MS`, or when one of these has ended. */
async function pausedOr(running: ReadonlySet<Promise<void>>): Promise<void> {
  const pause = Promise.withResolvers<void>();
  const timer = setTimeout(pause.resolve, LOOK_MS);
  await Promise.race([...running, pause.promise]).finally(() => clearTimeout(timer));
}

function tellOutput({ file, output, hung, seconds }: FileOutcome): void {
  console.log(output.trimEnd());
  if (hung !== undefined) console.log(`HUNG ${file}: "${hung}" had not ended after ${seconds.toFixed(0)} s`);
}

/** A process that runs several files gets more time, at most twice as much. */
function boundOf(files: readonly string[]): number {
  return seconds("SVC_TEST_FILE_SECONDS", FILE_SECONDS) * Math.min(2, 1 + (files.length - 1) / 5);
}

/** Divides the files among processes, in their order. */
function inProcesses(files: readonly string[]): string[][] {
  const processes: string[][] = [];
  const begun = new Map<RegExp, string[]>();
  for (const file of files) {
    const [folder, count] = TOGETHER.find(([folder]) => folder.test(file)) ?? [];
    const shared = folder && begun.get(folder);
    if (shared && shared.length < count!) shared.push(file);
    else {
      const own = [file];
      processes.push(own);
      if (folder) begun.set(folder, own);
    }
  }
  return processes;
}

function seconds(variable: string, otherwise: number): number {
  const value = Deno.env.get(variable);
  if (value === undefined) return otherwise;
  if (!/^[1-9]\d*$/.test(value)) throw new Error(`Cannot read ${variable}: ${value} is no whole number above 0`);
  return Number(value);
}

/** Reports failures, slow files and gaps; returns the number of failures. */
function tell(outcomes: readonly FileOutcome[], flaky: readonly FileOutcome[], gaps: readonly string[]): number {
  const slowest = outcomes.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_TOLD);
  if (outcomes.length > SLOWEST_TOLD) {
    console.log("\nThe slowest files:");
    for (const { file, seconds } of slowest) console.log(`  ${seconds.toFixed(1).padStart(6)} s ${file}`);
  }
  const all = [...gaps, ...outcomes.flatMap(({ ignored }) => ignored.map((name) => `ignored test: ${name}`))];
  if (all.length > 0) {
    const number = `${all.length} gap${all.length === 1 ? "" : "s"}`;
    console.log(`\n${strict ? "ERROR" : "WARNING"}: ${number}, not everything was run:`);
    for (const gap of all) console.log(`  - ${gap}`);
  }
  // They come last, with their reasons, so that the end of a log shows them.
  tellFailures("FLAKY (failed beside others, passed alone)", flaky);
  tellFailures("FAILED", outcomes.filter(({ failed }) => failed > 0));
  return outcomes.reduce((sum, outcome) => sum + outcome.failed, 0) + (strict ? all.length : 0);
}

function tellFailures(title: string, outcomes: readonly FileOutcome[]): void {
  if (outcomes.length > 0) console.log(`\n${title}:`);
  for (const { file, failed, hung, failures } of outcomes) {
    console.log(`  - ${file}: ${failed}${hung === undefined ? "" : `, "${hung}" hung`}`);
    for (const { test, message } of failures) console.log(`    ${test}: ${message}`);
  }
}

/** The test files in folders, or the given files; default: all folders with code. Long ones come first. */
async function listTestFiles(paths: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const path of paths.length > 0 ? paths : ROOTS) {
    if ((await Deno.stat(path)).isDirectory) {
      for await (const file of walk(path.replace(/\/$/, ""))) files.push(file);
    } else files.push(path);
  }
  const rank = (file: string) => {
    const at = LONG_FOLDERS.findIndex((folder) => file.startsWith(folder));
    return at === -1 ? LONG_FOLDERS.length : at;
  };
  return files.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

async function* walk(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* walk(path);
    else if (name.endsWith("_test.ts")) yield path;
  }
}

await main(Deno.args);
