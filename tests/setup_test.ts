/** What a first start and the image download, and what the command that runs all tests says of a bare machine. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import importMap from "../imports.json" with { type: "json" };
import { findFreePort } from "./_process.ts";
import { waitFor } from "./_wait.ts";

const ROOT = join(import.meta.dirname!, "..");
/** What a first start may download at most. Whoever adds a package to the service looks at these numbers. */
const PACKAGES_MAX = 75;
const MEGABYTES_MAX = 460;

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** The name of a package, from what a lock file calls it: `@a/b@1.0.0_peer@2.0.0`, or only `@a/b`. */
const nameOf = (id: string) => /^(@[^@]+|[^@]+)/.exec(id)![0];

async function* walk(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* walk(join(folder, name));
    else yield join(folder, name);
  }
}

/** The packages that `src` without its tests imports, and all that these need. */
async function listNeeded(): Promise<Set<string>> {
  const names = Object.keys(importMap.imports).filter((name) => !name.endsWith("/"));
  const needed = new Set<string>();
  for await (const file of walk(join(ROOT, "src"))) {
    if (!/(?<!_test)\.ts$/.test(file)) continue;
    const text = await Deno.readTextFile(file);
    for (const [, specifier] of text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"([^"./][^"]*)"/g)) {
      const name = names.find((name) => specifier === name || specifier!.startsWith(`${name}/`));
      if (name !== undefined) needed.add(name);
    }
  }
  const lock = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.lock")));
  const packages = Object.entries(lock.npm) as [string, { dependencies?: string[]; optionalDependencies?: string[] }][];
  for (const name of needed) {
    for (const [id, { dependencies = [], optionalDependencies = [] }] of packages) {
      if (nameOf(id) === name) {
        for (const below of [...dependencies, ...optionalDependencies]) needed.add(nameOf(below));
      }
    }
  }
  return needed;
}

/** The packages in a cache of Deno, and the size of the cache in megabytes. */
async function readCache(folder: string): Promise<{ readonly packages: string[]; readonly megabytes: number }> {
  const packages: string[] = [];
  const list = async (below: string, scope: string) => {
    for await (const { name, isDirectory } of Deno.readDir(below)) {
      if (!isDirectory) continue;
      if (name.startsWith("@")) await list(join(below, name), `${name}/`);
      else packages.push(scope + name);
    }
  };
  for await (const registry of Deno.readDir(join(folder, "npm"))) await list(join(folder, "npm", registry.name), "");
  let bytes = 0;
  for await (const file of walk(folder)) bytes += (await Deno.stat(file)).size;
  return { packages, megabytes: bytes / 1e6 };
}

async function assertFrugal(cache: string): Promise<void> {
  const [{ packages, megabytes }, needed] = [await readCache(cache), await listNeeded()];
  deepEqual(packages.filter((name) => !needed.has(name)).sort(), [], "what the service does not import stays away");
  ok(packages.length <= PACKAGES_MAX, `${packages.length} packages`);
  ok(megabytes <= MEGABYTES_MAX, `${megabytes.toFixed(0)} MB`);
}

/** The environment without the variables of the tests. How to reach the registry stays in it. */
function environment(cache: string): Record<string, string> {
  const kept = Object.entries(Deno.env.toObject()).filter(([name]) => !/^(SVC_|TEST_DATABASE_URL$)/.test(name));
  return { ...Object.fromEntries(kept), DENO_DIR: cache, NO_COLOR: "1" };
}

async function temporary(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir({ prefix: "svc-setup-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

Deno.test("`deno task start` with an empty cache shows that it downloads what the service imports, and takes no package of the tests", async () => {
  await using folder = await temporary();
  const cache = join(folder.path, "cache");
  const port = findFreePort();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["task", "start"],
    cwd: ROOT,
    clearEnv: true,
    env: { ...environment(cache), SVC_PORT: `${port}`, SVC_DATA_DIR: join(folder.path, "data") },
    ...{ stdin: "null", stdout: "null", stderr: "piped" },
  }).spawn();
  let ended = false;
  const end = child.output().then(({ stderr }) => (ended = true, decode(stderr)));
  await waitFor("the first answer", async () => {
    if (ended) return true;
    const reply = await fetch(`http://127.0.0.1:${port}/healthz`);
    await reply.body?.cancel();
    return reply.status === 200;
  });
  if (ended) throw new Error(await end);
  child.kill("SIGTERM");
  match(await end, /^Download https:.*pglite/m, "a person sees what the first start waits for");
  await assertFrugal(cache);
});

Deno.test("a start with an empty cache and no network ends with one sentence, and so does a command", async () => {
  await using folder = await temporary();
  // A port on which nobody listens.
  const proxy = `http://127.0.0.1:${findFreePort()}`;
  const variables = { HTTPS_PROXY: proxy, https_proxy: proxy, HTTP_PROXY: proxy, http_proxy: proxy };
  await Promise.all([["task", "start"], ["run", "-A", "src/cli/main.ts", "key", "list"]].map(async (args, i) => {
    const cache = join(folder.path, `${i}`);
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args,
      cwd: ROOT,
      clearEnv: true,
      env: { ...environment(cache), ...variables, SVC_DATA_DIR: join(folder.path, "data") },
    }).output();
    equal(code, 1);
    const said = decode(stderr).split("\n").filter((line) => line !== "" && !/^(Download|Task) /.test(line));
    equal(said.length, 1, said.join("\n"));
    match(
      said[0]!,
      /^Cannot start: its packages are not on this machine yet, and \S+ cannot be reached\. Start it once/,
    );
  }));
});

Deno.test("the image downloads what the service imports, and starts from it without a network", async () => {
  await using folder = await temporary();
  const dockerfile = await Deno.readTextFile(join(ROOT, "Dockerfile"));
  for (const [, sources] of dockerfile.matchAll(/^COPY (.*) \S+$/gm)) {
    for (const source of sources!.split(" ")) {
      const { success } = await new Deno.Command("cp", { args: ["-r", join(ROOT, source), folder.path] }).output();
      ok(success, source);
    }
  }
  const cache = join(folder.path, "cache");
  const deno = async (...args: string[]) => {
    const options = { args, cwd: folder.path, clearEnv: true, env: environment(cache) };
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), options).output();
    ok(success, decode(stderr));
    return decode(stdout);
  };
  const [, command] = /^RUN deno (cache .*)$/m.exec(dockerfile)!;
  await deno(...command!.split(" "));
  await assertFrugal(cache);
  match(await deno("run", "-A", "--cached-only", "--no-remote", "src/cli/main.ts", "doctor", "--help"), /doctor/);
});

Deno.test("the command that runs all tests names what is missing where it cannot install, and stops for it only in CI", async () => {
  await using folder = await temporary();
  // A path with the programs of every system, and none of those that the tests need.
  for (const name of "bash env dirname mkdir id sed sort head tail ls basename grep cat".split(" ")) {
    const { stdout } = await new Deno.Command("bash", { args: ["-c", `command -v ${name}`] }).output();
    await Deno.symlink(decode(stdout).trim(), join(folder.path, name));
  }
  await Deno.symlink(Deno.execPath(), join(folder.path, "deno"));
  const { HOME = "", DENO_DIR = "" } = Deno.env.toObject();
  const prepare = async (CI: string) => {
    const { success, stdout, stderr } = await new Deno.Command(join(folder.path, "bash"), {
      args: [join(ROOT, "scripts/test_all.sh"), "--prepare"],
      clearEnv: true,
      env: { PATH: folder.path, HOME, CI, ...(DENO_DIR && { DENO_DIR }) },
    }).output();
    return { success, output: decode(stdout) + decode(stderr) };
  };
  const developer = await prepare("");
  ok(developer.success, developer.output);
  for (const name of ["redis-server", "chromium", "npm"]) match(developer.output, new RegExp(`missing: ${name}`));
  const ci = await prepare("true");
  equal(ci.success, false);
  match(ci.output, /Cannot run all tests: .*redis-server.* could not be installed/);
});

Deno.test("`.ci/run` is the README's command, with every gap an error", async () => {
  const commands = (await Deno.readTextFile(join(ROOT, ".ci/run"))).split("\n").filter((line) => /^[^#]/.test(line));
  deepEqual(commands, ['exec env CI=true bash "$(dirname "$0")/../scripts/test_all.sh"']);
  match(await Deno.readTextFile(join(ROOT, "README.md")), /^bash scripts\/test_all\.sh$/m);
});
