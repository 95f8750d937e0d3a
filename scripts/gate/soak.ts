/**
 * The long storm of faults: `deno task soak [--minutes N] [--seed S] [--fault F14]`. It ends with 1 at the first thing that
 * is lost, doubled, mixed or not served; the same seed chooses the same faults again.
 *
 * `deno task soak --seeds N [--first S]` plays N histories of instances that exchange knowledge instead, from the seed S on
 * (1 unless told), on real stores, and as many of each kind of the decision alone, against its model. It tells how far it has
 * come, and of a failure the seed and the shortest history that still fails.
 */
import { Stage } from "../../tests/fault/_stage.ts";
import { FAULTS, runStorm } from "../../tests/fault/_storm.ts";

/** Tests that play a given number of histories. */
const HISTORIES = ["tests/federation/judge_test.ts", "tests/federation/convergence_test.ts"];
/** The characters of each process' log that are shown after a fault. */
const OUTPUT_MAX = 20_000;

function numberOf(name: string, fallback: number): number {
  const at = Deno.args.indexOf(name);
  if (at === -1) return fallback;
  const value = Number(Deno.args[at + 1]);
  if (!Number.isFinite(value) || value < 0) throw new Error(`Cannot start: ${name} is not a number from 0`);
  return value;
}

if (Deno.args.includes("--seeds")) {
  const unknown = Deno.args.find((arg, i) => i % 2 === 0 && !["--seeds", "--first"].includes(arg));
  if (unknown !== undefined) throw new Error(`Cannot start: unknown argument ${unknown}`);
  const env = {
    SVC_TEST_HISTORIES: String(numberOf("--seeds", 1_000)),
    SVC_TEST_FIRST_SEED: String(numberOf("--first", 1)),
    // A thousand histories take about half an hour.
    SVC_TEST_FILE_SECONDS: "14400",
    SVC_TEST_TOTAL_SECONDS: "14400",
  };
  const args = ["run", "-A", "scripts/gate/run_tests.ts", ...HISTORIES];
  const { code } = await new Deno.Command(Deno.execPath(), { args, env }).spawn().status;
  Deno.exit(code);
}
const unknown = Deno.args.find((arg, i) => i % 2 === 0 && !["--minutes", "--seed", "--fault"].includes(arg));
if (unknown !== undefined) throw new Error(`Cannot start: unknown argument ${unknown}`);
const minutes = numberOf("--minutes", 10);
const seed = numberOf("--seed", Math.floor(Math.random() * 1_000_000));
const only = Deno.args.includes("--fault") ? Deno.args[Deno.args.indexOf("--fault") + 1] : undefined;
const faults = FAULTS.filter(({ name }) => only === undefined || name.split(" ")[0] === only);
if (faults.length === 0) throw new Error(`Cannot start: no fault is ${only}`);
const endsAt = performance.now() + minutes * 60_000;
console.log(`# seed ${seed}, ${minutes} minutes`);
await using stage = await Stage.open({ redis: true, ownServer: true, env: { SVC_DB_DEADLINE_MS: "2000" } });
const tell = (line: string) => console.log(`${new Date().toISOString()} ${line}`);
const done = await runStorm(stage, { seed, faults, goOn: () => performance.now() < endsAt, tell }).catch(
  async (error) => {
    for (const node of stage.nodes) {
      console.error(`# ${node.url}: ready ${await node.status("/health/ready")}\n${node.output.slice(-OUTPUT_MAX)}`);
    }
    throw error;
  },
);
await stage.stop();
console.log(`${done.length} faults, everything whole`);
