/** Python as the tests have it: the locked tools, and environments into which the client's own wheel is installed. */
import { join } from "node:path";
import { createHash } from "node:crypto";
import { ROOT } from "../pages/_blocks.ts";

export const PROJECT = join(ROOT, "clients/python");

/** Where `scripts/test_all.sh` keeps what it installs. */
const CACHE = join(Deno.env.get("XDG_CACHE_HOME") ?? join(Deno.env.get("HOME") ?? "/root", ".cache"), "svc-tests");
const LOCK_HASH = createHash("sha256").update(Deno.readFileSync(join(PROJECT, "uv.lock"))).digest("hex").slice(0, 8);
/** The environment of the lock file. */
const TOOLS = join(CACHE, `python-${LOCK_HASH}`);
/** What mypy knows of the packages of the lock file, which takes it long to learn. */
export const MYPY_CACHE = join(TOOLS, "mypy");
const UV = Deno.env.get("SVC_TEST_UV") ?? join(CACHE, "uv/bin/uv");

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Whether the tools are there. If not, the tests are left out and the runner says so. */
export const HAS_PYTHON = exists(join(TOOLS, "ready")) && exists(UV);

export interface PythonRun {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Runs a program to its end. @throws Error with all that it wrote if it fails */
export async function run(program: string, args: readonly string[], { cwd = PROJECT, env = {} }: PythonRun = {}) {
  const signal = AbortSignal.timeout(240_000);
  const options = { args: [...args], cwd, env: { ...env, PYTHONDONTWRITEBYTECODE: "1" }, signal };
  const { success, stdout, stderr } = await new Deno.Command(program, { ...options, stdin: "null" }).output();
  if (!success) throw new Error(`${program} ${args.join(" ")}:\n${decode(stdout)}${decode(stderr)}`);
  return decode(stdout);
}

/** An environment of Python. */
export interface PythonEnvironment extends AsyncDisposable {
  readonly folder: string;
  /** The interpreter. */
  readonly python: string;
  /** A program of the environment or of the locked tools. */
  program(name: string): string;
}

/** Builds the client's wheel into a folder; returns its file. */
export async function buildWheel(folder: string): Promise<string> {
  await run(join(TOOLS, "bin/python"), ["-m", "hatchling", "build", "-t", "wheel", "-d", folder]);
  const wheel = Array.from(Deno.readDirSync(folder)).find(({ name }) => name.endsWith(".whl"))!.name;
  return join(folder, wheel);
}

/**
 * Makes an environment with the client's wheel, without a network. `tools`: with all packages of the lock file besides;
 * otherwise with nothing but what the wheel needs.
 */
export async function makeEnvironment({ tools }: { readonly tools: boolean }): Promise<PythonEnvironment> {
  const folder = await Deno.makeTempDir({ prefix: "svc-python-" });
  const wheel = await buildWheel(join(folder, "wheel"));
  const venv = join(folder, "venv");
  const python = join(venv, "bin/python");
  const env = { UV_OFFLINE: "1", UV_NO_PROGRESS: "1", UV_LINK_MODE: "copy", UV_PROJECT_ENVIRONMENT: venv };
  const uv = (...args: readonly string[]) => run(UV, args, { env });
  await uv("venv", "--quiet", "--python", join(TOOLS, "bin/python"), venv);
  if (!tools) await uv("sync", "--quiet", "--frozen", "--no-default-groups", "--no-install-project");
  await uv("pip", "install", "--quiet", "--python", python, "--no-deps", wheel);
  if (!tools) await uv("pip", "check", "--quiet", "--python", python);
  if (tools) {
    const [version] = Array.from(Deno.readDirSync(join(TOOLS, "lib"))).map(({ name }) => name);
    const packages = join("lib", version!, "site-packages");
    await Deno.writeTextFile(join(venv, packages, "tools.pth"), join(TOOLS, packages) + "\n");
  }
  return {
    ...{ folder, python },
    program: (name) => join(exists(join(venv, "bin", name)) ? venv : TOOLS, "bin", name),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
