/**
 * A long run of the fuzzer: `deno task fuzz [--seed N] [--runs N] [--only <part of operationId>]`.
 *
 * Without a seed it takes a new one, and prints it. It prints each finding with the request that causes it; put that
 * request into `tests/fuzz/seeds.json`, so that every gate sends it from then on.
 */
import { parseArgs } from "node:util";
import { LOCKED } from "../locked.ts";

const { values } = parseArgs({
  args: Deno.args,
  options: { seed: { type: "string" }, runs: { type: "string", default: "100" }, only: { type: "string" } },
});
const seed = values.seed ?? String(crypto.getRandomValues(new Uint32Array(1))[0]! >>> 1);
for (const [name, text] of [["seed", seed], ["runs", values.runs]]) {
  if (/^\d{1,9}$/.test(text!) || (name === "seed" && /^\d{1,10}$/.test(text!))) continue;
  console.error(`--${name} must be a whole number`);
  Deno.exit(2);
}
console.log(`deno task fuzz --seed ${seed} --runs ${values.runs}${values.only ? ` --only ${values.only}` : ""}`);
const report = await Deno.makeTempFile({ prefix: "fuzz-", suffix: ".json" });
const { code } = await new Deno.Command(Deno.execPath(), {
  args: ["run", ...LOCKED, "-A", "scripts/gate/run_tests.ts", "--no-check", "tests/fuzz/fuzz_test.ts"],
  env: {
    SVC_TEST_FUZZ_SEED: seed,
    SVC_TEST_FUZZ_RUNS: values.runs!,
    SVC_TEST_FUZZ_REPORT: report,
    ...(values.only && { SVC_TEST_FUZZ_ONLY: values.only }),
  },
}).spawn().status;
console.log(`Replies by operation and status: ${report}`);
Deno.exit(code);
