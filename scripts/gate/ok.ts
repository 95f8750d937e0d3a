/**
 * The one gate: `deno task ok` runs every check and every test, goes on after a failure, and ends with a table and the
 * line `N passed, N failed`, in which each failed check counts once. A check that does not end within its bound is
 * ended and has failed.
 */

import { LOCKED } from "../locked.ts";
import { Bound } from "./_machine.ts";

interface Gate {
  readonly name: string;
  /** Arguments of `deno`. */
  readonly args: readonly string[];
  /** The longest time that it may take, in seconds of an idle machine. */
  readonly boundSeconds?: number;
}

const BOUND_SECONDS = 600;
/** The time that an ended gate has to clean up, in milliseconds. */
const END_MS = 60_000;
/** How long to wait for the rest of an ended gate's output, in milliseconds. */
const DRAIN_MS = 5_000;

const CONSOLE = ["--config", "src/console/deno.json"];

const GATES: readonly Gate[] = [
  { name: "format", args: ["fmt", "--check", "--quiet"] },
  { name: "lint", args: ["lint", "--quiet"] },
  { name: "layers", args: ["run", "-A", "scripts/gate/check_layers.ts"] },
  { name: "openapi", args: ["run", "-A", "scripts/gen/openapi.ts", "--check"] },
  { name: "mcp", args: ["run", "-A", "scripts/gen/mcp.ts", "--check"] },
  { name: "configuration", args: ["run", "-A", "scripts/gen/configuration.ts", "--check"] },
  { name: "architecture", args: ["run", "-A", "scripts/gen/architecture.ts", "--check"] },
  { name: "errors", args: ["run", "-A", "scripts/gen/errors.ts", "--check"] },
  { name: "security", args: ["run", "-A", "scripts/gen/security.ts", "--check"] },
  { name: "proto", args: ["run", "-A", "scripts/gen/proto.ts", "--check"] },
  { name: "sdk", args: ["run", "-A", "scripts/gen/sdk.ts", "--check"] },
  {
    name: "package",
    args: ["publish", "--dry-run", "--allow-dirty", "--quiet", "--config", "clients/typescript/deno.json"],
  },
  // The console has the types of a browser, so it is checked by its own configuration.
  { name: "console format", args: ["fmt", "--check", "--quiet", ...CONSOLE, "src/console"] },
  { name: "console lint", args: ["lint", "--quiet", ...CONSOLE, "src/console"] },
  { name: "console types", args: ["check", "--quiet", ...CONSOLE, "src/console"] },
  { name: "console", args: ["run", "-A", "scripts/gen/console.ts", "--check"] },
  { name: "worker", args: ["run", "-A", "scripts/gen/argon2id_worker.ts", "--check"] },
];

/** Where a gate runs or checks a program it takes the locked packages. */
function withLock([command, ...args]: readonly string[]): string[] {
  return [command!, ...["run", "check"].includes(command!) ? LOCKED : [], ...args];
}

/** Keeps one core busy for half a minute. */
const TYPES: Gate = { name: "types", args: ["check", "--quiet", "clients", "src", "scripts", "tests"] };

/** A gate of its own checks types. The program limits its own time; this limit is for the case that it fails to. */
const TESTS: Gate = {
  name: "tests",
  args: ["run", "-A", "scripts/gate/run_tests.ts", "--no-check"],
  boundSeconds: 4_200,
};

interface Result {
  readonly name: string;
  readonly ok: boolean;
  readonly seconds: number;
  /** The last line that the gate wrote. */
  readonly lastLine: string;
}

/** Runs a gate. @param tell gets its output, line by line */
async function runGate(
  { name, args, boundSeconds = BOUND_SECONDS }: Gate,
  tell: (line: string) => void,
): Promise<Result> {
  tell(`\n=== ${name}: deno ${args.join(" ")}`);
  const started = performance.now();
  const child = new Deno.Command(Deno.execPath(), { args: withLock(args), stdout: "piped", stderr: "piped" }).spawn();
  const timers: ReturnType<typeof setTimeout>[] = [];
  const bound = new Bound(boundSeconds, end);
  function end() {
    tell(`${name} has not ended after ${((performance.now() - started) / 1_000).toFixed(0)} s: it is ended`);
    kill(child, "SIGTERM");
    timers.push(setTimeout(() => kill(child, "SIGKILL"), END_MS));
  }
  stop.signal.addEventListener("abort", end, { once: true });
  let lastLine = "";
  const drain = async (stream: ReadableStream<Uint8Array>, onLine: (line: string) => void) => {
    let rest = "";
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      for (const line of lines) onLine(line);
    }
    if (rest !== "") onLine(rest);
  };
  const drained = Promise.all([
    drain(child.stdout, (line) => {
      tell(line);
      if (line.trim() !== "") lastLine = line.trim();
    }),
    drain(child.stderr, tell),
  ]);
  const { success } = await child.status;
  bound[Symbol.dispose]();
  // A process that the gate started may outlive it and hold its output open.
  await Promise.race([drained, new Promise((resolve) => timers.push(setTimeout(resolve, DRAIN_MS)))]);
  stop.signal.removeEventListener("abort", end);
  for (const timer of timers) clearTimeout(timer);
  return { name, ok: success, seconds: (performance.now() - started) / 1000, lastLine };
}

/** Runs gates one after the other. What each of them says is told at its end, so that it stands together. */
async function runInTurn(gates: readonly Gate[]): Promise<Result[]> {
  const results: Result[] = [];
  for (const gate of gates) {
    if (stop.signal.aborted) results.push({ name: gate.name, ok: false, seconds: 0, lastLine: "" });
    else {
      const lines: string[] = [];
      results.push(await runGate(gate, (line) => lines.push(line)));
      console.log(lines.join("\n"));
    }
  }
  return results;
}

function kill(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch { /* it has ended by itself */ }
}

const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const) Deno.addSignalListener(signal, () => stop.abort());

// The tests that come first wait most of their time, so the checks run beside them.
const [types, checks, tests] = await Promise.all([
  runInTurn([TYPES]),
  runInTurn(GATES),
  runGate(TESTS, console.log),
]);
const results = [...types, ...checks, tests];

console.log("\n=== summary");
for (const { name, ok, seconds } of results) {
  console.log(`${ok ? "ok    " : "FAILED"} ${name.padEnd(14)} ${seconds.toFixed(1).padStart(7)} s`);
}
const counts = results.at(-1)!.lastLine.match(/^(\d+) passed, (\d+) failed$/);
const passed = counts ? Number(counts[1]) : 0;
const failed = (counts ? Number(counts[2]) : 1) + results.slice(0, -1).filter((result) => !result.ok).length;
console.log(`\n${passed} passed, ${failed} failed`);
Deno.exit(results.every((result) => result.ok) && failed === 0 ? 0 : 1);
