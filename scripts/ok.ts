/**
 * The one gate: `deno task ok` runs every check and every test, goes on after a failure, and ends with a table and the
 * line `N passed, N failed`, in which each failed check counts once.
 */

interface Gate {
  readonly name: string;
  /** Arguments of `deno`. */
  readonly args: readonly string[];
}

const GATES: readonly Gate[] = [
  { name: "format", args: ["fmt", "--check", "--quiet"] },
  { name: "lint", args: ["lint", "--quiet"] },
  { name: "types", args: ["check", "--quiet", "src", "scripts", "tests"] },
  { name: "layers", args: ["run", "-A", "scripts/check_layers.ts"] },
  { name: "openapi", args: ["run", "-A", "scripts/gen_openapi.ts", "--check"] },
  { name: "readme", args: ["run", "-A", "scripts/gen_readme.ts", "--check"] },
  { name: "security", args: ["run", "-A", "scripts/gen_security.ts", "--check"] },
  { name: "proto", args: ["run", "-A", "scripts/gen_proto.ts", "--check"] },
  { name: "worker", args: ["run", "-A", "scripts/gen_argon2id_worker.ts", "--check"] },
];

/** Types are checked by a gate of its own. */
const TESTS: Gate = { name: "tests", args: ["run", "-A", "scripts/run_tests.ts", "--no-check"] };

interface Result {
  readonly name: string;
  readonly ok: boolean;
  readonly seconds: number;
  /** Last line that the gate wrote. */
  readonly lastLine: string;
}

async function runGate({ name, args }: Gate): Promise<Result> {
  console.log(`\n=== ${name}: deno ${args.join(" ")}`);
  const started = performance.now();
  const child = new Deno.Command(Deno.execPath(), { args: [...args], stdout: "piped", stderr: "inherit" }).spawn();
  let lastLine = "";
  let rest = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      console.log(line);
      if (line.trim() !== "") lastLine = line.trim();
    }
  }
  const { success } = await child.status;
  return { name, ok: success, seconds: (performance.now() - started) / 1000, lastLine };
}

const results: Result[] = [];
for (const gate of [...GATES, TESTS]) results.push(await runGate(gate));

console.log("\n=== summary");
for (const { name, ok, seconds } of results) {
  console.log(`${ok ? "ok    " : "FAILED"} ${name.padEnd(10)} ${seconds.toFixed(1).padStart(7)} s`);
}
const counts = results.at(-1)!.lastLine.match(/^(\d+) passed, (\d+) failed$/);
const passed = counts ? Number(counts[1]) : 0;
const failed = (counts ? Number(counts[2]) : 1) + results.slice(0, -1).filter((result) => !result.ok).length;
console.log(`\n${passed} passed, ${failed} failed`);
Deno.exit(results.every((result) => result.ok) && failed === 0 ? 0 : 1);
