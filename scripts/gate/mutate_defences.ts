/**
 * Shows that defences are held by tests: takes each away in a copy of the tree, one at a time, and runs the test that is
 * there for it, which has to be green before and red after. Not a part of the gate, which looks only whether each
 * defence and its test are still there. The entries stand in `scripts/gate/mutations/`, one file per subject.
 *
 *     deno run -A scripts/gate/mutate_defences.ts [--list] [--jobs <lanes>] [--from <n>] [--to <n>] [words of some names]
 *
 * `--from` and `--to` take a part of the list, both ends included, by the numbers that `--list` shows: the order in which
 * one lane goes through it. Words choose within that part; the numbers stay those of the whole list. Without an end the
 * part reaches to the first or the last entry.
 *
 * It ends with 1 when a test does not notice, fails with the defence in place, does not get as far as its tests, or
 * neither passes nor fails in time (an entry may say `hangs`).
 */
import { Lane, type TestRun } from "./_mutants.ts";
import { listMutations, type Mutation, withoutDefence } from "./mutations/mutation.ts";
import { NativePostgres } from "./native_postgres.ts";

const MEMORY_FOLDER = "/dev/shm";

interface Arguments {
  readonly words: readonly string[];
  readonly jobs: number;
  /** Numbers of the whole list, from 1, both included; `to` without a value: the last one. */
  readonly from: number;
  readonly to: number | undefined;
  readonly isList: boolean;
}

function readArguments(args: readonly string[]): Arguments {
  const words: string[] = [];
  let jobs = 1;
  let from = 1;
  let to: number | undefined;
  let isList = false;
  for (let i = 0; i < args.length; i++) {
    if (args[i] === "--list") isList = true;
    else if (args[i] === "--jobs") jobs = Number(args[++i]);
    else if (args[i] === "--from") from = Number(args[++i]);
    else if (args[i] === "--to") to = Number(args[++i]);
    else if (args[i].startsWith("--")) throw new Error(`Cannot start: unknown argument ${args[i]}`);
    else words.push(args[i].toLowerCase());
  }
  if (!Number.isInteger(jobs) || jobs < 1 || jobs > 8) throw new Error("Cannot start: --jobs takes 1 to 8");
  return { words, jobs, from, to, isList };
}

/** A mutation with its number in the whole list. */
type Numbered = Mutation & { readonly number: number };

/** All entries in the order in which one lane runs them: entries of the same test one after another. */
function inOrder(all: readonly Mutation[]): Numbered[] {
  return [...groupByTest(all).values()].flat().map((mutation, i) => ({ ...mutation, number: i + 1 }));
}

function groupByTest<T extends Mutation>(mutations: readonly T[]): Map<string, T[]> {
  return Map.groupBy(mutations, ({ test, filter }) => `${test} ${filter}`);
}

/** @throws Error when the numbers are outside the list, or no entry in the part has any of the words */
function choose(all: readonly Numbered[], { words, from, to = all.length }: Arguments): Numbered[] {
  if (!Number.isInteger(from) || !Number.isInteger(to) || from < 1 || to < from || to > all.length) {
    throw new Error(`Cannot start: --from and --to take numbers from 1 to ${all.length}, the smaller one first`);
  }
  const chosen = all.slice(from - 1, to).filter(({ name }) =>
    words.length === 0 || words.some((word) => name.toLowerCase().includes(word))
  );
  if (chosen.length === 0) throw new Error("Cannot start: no name there has any of these words");
  return chosen;
}

/** Settings of the service are kept from the tests, as `scripts/gate/run_tests.ts` does. */
function testEnvironment(): Record<string, string> {
  const kept = Object.entries(Deno.env.toObject()).filter(([name]) =>
    name.startsWith("SVC_TEST_") || !/^(SVC_|OTEL_|PG|DATABASE_URL$|TEST_DATABASE_URL$|FORCE_COLOR$)/.test(name)
  );
  return { SVC_TEST_WAIT_SECONDS: "60", ...Object.fromEntries(kept), NO_COLOR: "1" };
}

async function main(given: Arguments): Promise<number> {
  const { jobs, isList } = given;
  const chosen = choose(inOrder(await listMutations()), given);
  if (isList) {
    for (const { number, name, file, test } of chosen) console.log(`${number} ${name}: ${file}, ${test}`);
    console.log(`\n${chosen.length} defences`);
    return 0;
  }
  for (const mutation of chosen) withoutDefence(mutation, await Deno.readTextFile(mutation.file));

  if (!Deno.env.get("TMPDIR") && await isFolder(MEMORY_FOLDER)) Deno.env.set("TMPDIR", MEMORY_FOLDER);
  await using postgres = await NativePostgres.start();
  await using lanes = new AsyncDisposableStack();
  const env = { ...testEnvironment(), TEST_DATABASE_URL: postgres.url() };
  // Entries of the same test go to the same lane, one after another, so that the test runs once with its defence.
  const groups = [...groupByTest(chosen).values()];
  const running: Lane[] = [];
  let isStopped = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => {
      isStopped = true;
      for (const lane of running) lane.kill();
    });
  }
  const faults: string[] = [];
  let held = 0;
  console.log("| Defence taken away | Test | Before | After | Seconds |\n|---|---|---|---|---|");
  const work = async () => {
    const lane = lanes.use(await Lane.make(env));
    running.push(lane);
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      for (const mutation of group) {
        if (isStopped) return;
        const fault = await tryMutation(lane, mutation);
        if (isStopped) return;
        if (fault === undefined) held++;
        else faults.push(fault);
      }
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  for (const fault of faults) console.log(`\n${fault}`);
  console.log(
    `\n${held} of ${chosen.length} held, ${faults.length} not held${isStopped ? ", stopped before the end" : ""}`,
  );
  return held === chosen.length ? 0 : 1;
}

/** Prints the entry's line of the table. Returns the fault; undefined if the test notices. */
async function tryMutation(lane: Lane, mutation: Mutation): Promise<string | undefined> {
  const { before, after } = await lane.try(mutation);
  const { name, filter, test, hangs } = mutation;
  const [from, to] = [before.verdict, after?.verdict ?? "not run"];
  console.log(`| ${name} | ${filter || test} | ${from} | ${to} | ${tellSeconds(before)} / ${tellSeconds(after)} |`);
  if (to === "red" || (to === "hangs" && hangs)) return undefined;
  const run = after ?? before;
  const why = run.verdict === "green" ? "its test does not notice" : `its test is ${run.verdict}\n${run.output}`;
  return `${name}: ${why}`;
}

function tellSeconds(run: TestRun | undefined): string {
  return run === undefined ? "–" : run.seconds.toFixed(1);
}

async function isFolder(path: string): Promise<boolean> {
  return (await Deno.stat(path).catch(() => undefined))?.isDirectory ?? false;
}

Deno.exit(await main(readArguments(Deno.args)));
