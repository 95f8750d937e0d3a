/**
 * Runs all tests: `deno task test [files or deno test options]`.
 *
 * It brings up what the tests need — a throwaway PostgreSQL cluster and a Redis — and says at the end what it could not
 * run for want of something on this machine. With `SVC_TEST_STRICT=1` every such gap is a failure.
 * The last line is always `N passed, N failed`.
 *
 * Environment: `TEST_DATABASE_URL` superuser of a PostgreSQL ≥ 15 to use instead of a cluster of its own;
 * `SVC_TEST_CHROMIUM`, `SVC_TEST_FAKETIME`, `SVC_TEST_HAPROXY`, `SVC_TEST_REDIS_SERVER` programs to use instead of those
 * on the path; `SVC_TEST_DATA` folder with the published test vectors and the LoCoMo conversations; `TMPDIR` where
 * clusters and other temporary files go, in memory (`/dev/shm`) unless told.
 */
import postgres from "postgres";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { findServerPrograms, NativePostgres } from "./native_postgres.ts";

/** Files in it measure times or use the whole machine, so they run one after another, after all others. */
const ALONE = "tests/alone";
const JOBS = "2";
/** A thousand databases are made and dropped: on a disk that alone takes ten minutes. */
const MEMORY_FOLDER = "/dev/shm";
const MEMORY_FREE_MIN_BYTES = 4 * 1024 ** 3;

const strict = Deno.env.get("SVC_TEST_STRICT") === "1";

interface Outcome {
  passed: number;
  failed: number;
  /** Names of the tests that were not run. */
  ignored: string[];
}

/** What the tests are given, and what is missing on this machine. */
interface Surroundings extends AsyncDisposable {
  readonly env: Record<string, string>;
  readonly gaps: readonly string[];
}

async function main(args: readonly string[]): Promise<void> {
  const outcome: Outcome = { passed: 0, failed: 0, ignored: [] };
  const surroundings = await prepareSurroundings();
  try {
    const files = args.filter((arg) => !arg.startsWith("-"));
    const options = args.filter((arg) => arg.startsWith("-"));
    if (files.length > 0) {
      await runDenoTest([...options, ...files], surroundings.env, outcome);
    } else {
      const roots = await existing(["src", "tests", "scripts"]);
      await runDenoTest(["--parallel", `--ignore=${ALONE}`, ...options, ...roots], surroundings.env, outcome);
      const alone = await existing([ALONE]);
      if (alone.length > 0) await runDenoTest([...options, ...alone], surroundings.env, outcome);
    }
  } finally {
    await surroundings[Symbol.asyncDispose]();
  }
  const gaps = [...surroundings.gaps, ...outcome.ignored.map((name) => `ignored test: ${name}`)];
  if (gaps.length > 0) {
    console.log(
      `\n${strict ? "ERROR" : "WARNING"}: ${gaps.length} gap${gaps.length === 1 ? "" : "s"}, not everything was run:`,
    );
    for (const gap of gaps) console.log(`  - ${gap}`);
    if (strict) outcome.failed += gaps.length;
  }
  console.log(`\n${outcome.passed} passed, ${outcome.failed} failed`);
  Deno.exit(outcome.failed > 0 ? 1 : 0);
}

/** Runs one `deno test` and adds its counts; a run that ends without a summary is a failure. */
async function runDenoTest(args: string[], env: Record<string, string>, outcome: Outcome): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", "--allow-all", "--quiet", ...args],
    env,
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let summary: RegExpMatchArray | null = null;
  let rest = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      console.log(line);
      summary = line.match(/^(?:ok|FAILED) \| (\d+) passed(?: \([^)]*\))? \| (\d+) failed/) ?? summary;
      const ignored = line.match(/^(.*) \.\.\. ignored(?: \(|$)/);
      if (ignored) outcome.ignored.push(ignored[1].trim());
    }
  }
  const { success } = await child.status;
  const failed = summary ? Number(summary[2]) : 0;
  outcome.passed += summary ? Number(summary[1]) : 0;
  // An uncaught error, a leak or a type error fails the run without failing a test.
  outcome.failed += success ? failed : Math.max(failed, 1);
}

/** Starts what tests need. Settings of the service itself are kept from them, so that a test sees only its own. */
async function prepareSurroundings(): Promise<Surroundings> {
  if (!Deno.env.get("TMPDIR") && await isRoomy(MEMORY_FOLDER)) Deno.env.set("TMPDIR", MEMORY_FOLDER);
  const inherited = Object.entries(Deno.env.toObject()).filter(([name]) =>
    name.startsWith("SVC_TEST_") || !/^(SVC_|OTEL_|PG|DATABASE_URL$|NO_COLOR$|FORCE_COLOR$)/.test(name)
  );
  const run = crypto.randomUUID().slice(0, 8);
  const env: Record<string, string> = { ...Object.fromEntries(inherited), NO_COLOR: "1", SVC_TEST_RUN: run };
  env.DENO_JOBS ??= JOBS;
  const gaps: string[] = [];
  const closers: (() => Promise<void>)[] = [];
  for (const part of [preparePostgres, prepareRedis]) {
    const close = await part(env, gaps);
    if (close) closers.push(close);
  }
  await findProgram(env, gaps, "SVC_TEST_CHROMIUM", ["chromium", "chromium-browser", "google-chrome"]);
  await findProgram(env, gaps, "SVC_TEST_HAPROXY", ["haproxy"]);
  await findProgram(env, gaps, "SVC_TEST_FAKETIME", ["faketime"]);
  if (!env.SVC_TEST_DATA) gaps.push("no test data: set SVC_TEST_DATA to the folder with `locomo` and `security`");
  const dispose = async () => {
    for (const close of closers.splice(0)) await close();
  };
  Deno.addSignalListener("SIGTERM", () => dispose().finally(() => Deno.exit(143)));
  return { env, gaps, [Symbol.asyncDispose]: dispose };
}

async function isRoomy(folder: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize >= MEMORY_FREE_MIN_BYTES;
  } catch {
    return false;
  }
}

type Part = (env: Record<string, string>, gaps: string[]) => Promise<(() => Promise<void>) | undefined>;

const preparePostgres: Part = async (env, gaps) => {
  let server: NativePostgres | undefined;
  if (!env.TEST_DATABASE_URL) {
    if (await findServerPrograms() === undefined) {
      gaps.push("no PostgreSQL: neither TEST_DATABASE_URL nor server programs (Debian: postgresql-15) are there");
      return undefined;
    }
    server = await NativePostgres.start();
    env.TEST_DATABASE_URL = server.url();
  }
  const url = env.TEST_DATABASE_URL;
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const [{ version }] = await sql<[{ version: number }]>`select current_setting('server_version_num')::int as version`;
  const [vector] = await sql<[{ version: string }?]>`
    select default_version as version from pg_available_extensions where name = 'vector'`;
  await sql.end();
  const [major, minor] = (vector?.version ?? "0.0").split(".").map(Number);
  if (version < 150_000 || (major === 0 && minor < 8)) {
    gaps.push(`no usable PostgreSQL: version ${version}, pgvector ${vector?.version ?? "none"}; needed are 15 and 0.8`);
    delete env.TEST_DATABASE_URL;
  }
  return async () => {
    if (server) await server[Symbol.asyncDispose]();
    else await dropDatabases(url, `svc_test_${env.SVC_TEST_RUN}_`);
  };
};

/** Removes from a server that is not ours what crashed tests of this run left. */
async function dropDatabases(url: string, prefix: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  for (const { datname } of await sql`select datname from pg_database where starts_with(datname, ${prefix})`) {
    await sql.unsafe(`drop database if exists ${datname} with (force)`);
  }
  await sql.end();
}

/** Sets `SVC_TEST_REDIS_URL`. Redis keeps nothing on disk. */
const prepareRedis: Part = async (env, gaps) => {
  await findProgram(env, gaps, "SVC_TEST_REDIS_SERVER", ["redis-server"]);
  if (!env.SVC_TEST_REDIS_SERVER) return undefined;
  const port = freePort();
  const password = crypto.randomUUID();
  const child = new Deno.Command(env.SVC_TEST_REDIS_SERVER, {
    args: ["--port", `${port}`, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--requirepass", password],
    cwd: Deno.env.get("TMPDIR") ?? "/tmp",
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const ready = Promise.withResolvers<boolean>();
  const drained = child.stdout.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({
      write(text) {
        if (text.includes("Ready to accept")) ready.resolve(true);
      },
    }),
  );
  child.status.then(() => ready.resolve(false));
  if (!await ready.promise) {
    gaps.push("no Redis: redis-server did not start");
    return undefined;
  }
  env.SVC_TEST_REDIS_URL = `redis://:${password}@127.0.0.1:${port}`;
  return async () => {
    child.kill("SIGTERM");
    await Promise.all([child.status, drained]);
  };
};

async function findProgram(
  env: Record<string, string>,
  gaps: string[],
  variable: string,
  names: readonly string[],
): Promise<void> {
  if (env[variable]) return;
  const folders = (Deno.env.get("PATH") ?? "").split(":").concat("/usr/sbin", "/usr/local/sbin");
  for (const name of names) {
    for (const folder of folders) {
      const [found] = await existing([join(folder || ".", name)]);
      if (found) return void (env[variable] = found);
    }
  }
  gaps.push(`no ${names[0]}: it is not on the path and ${variable} is not set`);
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

async function existing(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    try {
      await Deno.stat(path);
      found.push(path);
    } catch { /* not there */ }
  }
  return found;
}

await main(Deno.args);
