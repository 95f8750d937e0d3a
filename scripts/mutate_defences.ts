/**
 * Shows that defences are held by tests: takes each away in a copy of the tree, one at a time, and runs the test that is
 * there for it, which has to be green before and red after. Not a part of the gate. The entries stand in
 * `scripts/mutations/`, one file per subject.
 *
 *     deno run -A scripts/mutate_defences.ts [words of the names of some]
 */
import { dirname, join } from "node:path";
import { listMutations, type Mutation } from "./mutations/mutation.ts";
import { NativePostgres } from "./native_postgres.ts";

const tree = await Deno.makeTempDir({ prefix: "svc-mutants-" });
try {
  await copyTree(tree);
  await using postgres = await NativePostgres.start();
  const wanted = Deno.args.map((word) => word.toLowerCase());
  let survivors = 0;
  console.log("| Defence taken away | Test | Before | After |\n|---|---|---|---|");
  for (const mutation of await listMutations()) {
    if (wanted.length > 0 && !wanted.some((word) => mutation.name.toLowerCase().includes(word))) continue;
    const [before, after] = await tryMutation(mutation, postgres.url());
    if (!before || after) survivors++;
    const tell = (passed: boolean) => passed ? "green" : "red";
    console.log(`| ${mutation.name} | ${mutation.filter || mutation.test} | ${tell(before)} | ${tell(after)} |`);
  }
  console.log(`\n${survivors === 0 ? "Every defence is held by its test" : `${survivors} not held`}`);
  Deno.exitCode = survivors === 0 ? 0 : 1;
} finally {
  await Deno.remove(tree, { recursive: true });
}

/** Whether the test passes with the defence and without it. */
async function tryMutation(mutation: Mutation, url: string): Promise<readonly [boolean, boolean]> {
  const path = join(tree, mutation.file);
  const text = await Deno.readTextFile(path);
  if (text.split(mutation.defence).length !== 2) {
    throw new Error(`Cannot take ${mutation.name} away: it does not stand in ${mutation.file} exactly once`);
  }
  const before = await passes(mutation, url);
  await Deno.writeTextFile(path, text.replace(mutation.defence, () => mutation.instead));
  try {
    return [before, await passes(mutation, url)];
  } finally {
    await Deno.writeTextFile(path, text);
  }
}

/** @throws Error when no test has the name */
async function passes({ test, filter }: Mutation, url: string): Promise<boolean> {
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "--allow-all", "--quiet", "--no-check", ...(filter === "" ? [] : [`--filter=${filter}`]), test],
    cwd: tree,
    env: { TEST_DATABASE_URL: url, NO_COLOR: "1" },
    stdout: "piped",
    stderr: "null",
  }).output();
  const summary = /(\d+) passed.* \| (\d+) failed/.exec(new TextDecoder().decode(stdout));
  if (summary === null && code === 0) throw new Error(`Cannot run ${test}: it told nothing`);
  if (summary?.[1] === "0" && summary[2] === "0") throw new Error(`Cannot run ${test}: no test begins with ${filter}`);
  return code === 0;
}

/** The tracked files as they stand now, and the dependencies where they are a folder. */
async function copyTree(to: string): Promise<void> {
  const { stdout } = await new Deno.Command("git", { args: ["ls-files", "-z"] }).output();
  for (const file of new TextDecoder().decode(stdout).split("\0").filter(Boolean)) {
    await Deno.mkdir(join(to, dirname(file)), { recursive: true });
    await Deno.copyFile(file, join(to, file));
  }
  const modules = await Deno.stat("node_modules").catch(() => undefined);
  if (modules) await Deno.symlink(join(Deno.cwd(), "node_modules"), join(to, "node_modules"));
}
