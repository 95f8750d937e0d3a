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
/** The interpreter with all packages of the lock file. */
export const LOCKED_PYTHON = join(TOOLS, "bin/python");
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
  const options = { args: [...args], cwd, env: { ...env, PYTHONDONTWRITEBYTECODE: "1" } };
  const { success, stdout, stderr } = await new Deno.Command(program, { ...options, stdin: "null" }).output();
  if (!success) throw new Error(`${program} ${args.join(" ")}:\n${decode(stdout)}${decode(stderr)}`);
  return decode(stdout);
}

/** An environment of Python. */
export interface PythonEnvironment extends AsyncDisposable {
  readonly folder: string;
  /** The interpreter. */
  readonly python: string;
  /** What its programs run with. */
  readonly env: Readonly<Record<string, string>>;
  /** A program of the environment or of the locked tools. */
  program(name: string): string;
}

/** Builds the client's wheel into a folder; returns its file. */
export async function buildWheel(folder: string): Promise<string> {
  await run(join(TOOLS, "bin/python"), ["-m", "hatchling", "build", "-t", "wheel", "-d", folder]);
  const wheel = Array.from(Deno.readDirSync(folder)).find(({ name }) => name.endsWith(".whl"))!.name;
  return join(folder, wheel);
}

/** The packages of the lock file, in their two environments. */
const PACKAGES = { frameworks: TOOLS, crewai: join(TOOLS, "crewai") };

/**
 * Makes an environment with the client's wheel, without a network. `tools`: with packages of the lock file besides, of
 * `frameworks` or of `crewai`, and for `types` of both, which only type checkers can use; otherwise with nothing but
 * what the wheel needs.
 */
export async function makeEnvironment(
  { tools }: { readonly tools: keyof typeof PACKAGES | "types" | "none" },
): Promise<PythonEnvironment> {
  const folder = await Deno.makeTempDir({ prefix: "svc-python-" });
  const wheel = await buildWheel(join(folder, "wheel"));
  const venv = join(folder, "venv");
  const python = join(venv, "bin/python");
  const env = { UV_OFFLINE: "1", UV_NO_PROGRESS: "1", UV_LINK_MODE: "copy", UV_PROJECT_ENVIRONMENT: venv };
  const uv = (...args: readonly string[]) => run(UV, args, { env });
  await uv("venv", "--quiet", "--python", join(TOOLS, "bin/python"), venv);
  const isAlone = tools === "none";
  if (isAlone) await uv("sync", "--quiet", "--frozen", "--no-default-groups", "--no-install-project");
  await uv("pip", "install", "--quiet", "--python", python, "--no-deps", wheel);
  if (isAlone) await uv("pip", "check", "--quiet", "--python", python);
  else {
    const [version] = Array.from(Deno.readDirSync(join(TOOLS, "lib"))).map(({ name }) => name);
    const packages = join("lib", version!, "site-packages");
    const places = tools === "types" ? Object.values(PACKAGES) : [PACKAGES[tools]];
    await Deno.writeTextFile(
      join(venv, packages, "tools.pth"),
      places.map((place) => join(place, packages) + "\n").join(""),
    );
  }
  return {
    ...{ folder, python },
    // CrewAI keeps a database in the user's folder, and reports to its makers.
    env: tools === "crewai" ? { HOME: folder, CREWAI_DISABLE_TELEMETRY: "true" } : {},
    program: (name) => join(exists(join(venv, "bin", name)) ? venv : TOOLS, "bin", name),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
