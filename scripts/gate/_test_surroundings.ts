/** The surroundings that tests need besides the checkout: a throwaway PostgreSQL cluster, a Redis, and programs. */
import postgres from "postgres";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { startEmbedded } from "../../src/db/embedded.ts";
import { dropDatabase, findServerPrograms, NativePostgres } from "./native_postgres.ts";
import { exists } from "../exists.ts";

/** The tests create and drop a thousand databases: on a disk that alone takes ten minutes. */
const MEMORY_FOLDER = "/dev/shm";
const MEMORY_FREE_MIN_BYTES = 4 * 1024 ** 3;
/** The longest time that one part may take to stop, in milliseconds. */
const STOP_MS = 20_000;

/** The surroundings of the tests, and what this machine lacks. */
export interface Surroundings extends AsyncDisposable {
  readonly env: Record<string, string>;
  readonly gaps: readonly string[];
}

/** The environment of tests. It leaves out the service's own settings, so that a test sees only those that it sets. */
async function testEnvironment(): Promise<Record<string, string>> {
  if (!Deno.env.get("TMPDIR") && await isRoomy(MEMORY_FOLDER)) Deno.env.set("TMPDIR", MEMORY_FOLDER);
  const inherited = Object.entries(Deno.env.toObject()).filter(([name]) =>
    name.startsWith("SVC_TEST_") || !/^(SVC_|OTEL_|PG|DATABASE_URL$|NO_COLOR$|FORCE_COLOR$)/.test(name)
  );
  const run = crypto.randomUUID().slice(0, 8);
  return { ...Object.fromEntries(inherited), NO_COLOR: "1", SVC_TEST_RUN: run };
}

/**
 * Starts the surroundings of the quick form: a migrated embedded database, whose data folder tests copy; the tests of a
 * process share a service on it. Tests that this form leaves out are no gap.
 */
export async function prepareQuickSurroundings(): Promise<Surroundings> {
  const { TEST_DATABASE_URL: _, ...env } = await testEnvironment();
  const close = await prepareEmbedded(env);
  env["SVC_TEST_SHARED_SERVICE"] = "1";
  return { env, gaps: [], [Symbol.asyncDispose]: close };
}

/** Starts the surroundings of tests. `isWhole`: there are many, so that migrating an embedded database pays off. */
export async function prepareSurroundings({ isWhole }: { readonly isWhole: boolean }): Promise<Surroundings> {
  const env = await testEnvironment();
  const gaps: string[] = [];
  const closers: (() => Promise<void>)[] = [];
  for (const part of [preparePostgres, prepareRedis, ...(isWhole ? [prepareEmbedded] : [])]) {
    const close = await part(env, gaps);
    if (close) closers.push(close);
  }
  await findProgram(env, gaps, "SVC_TEST_CHROMIUM", ["chromium", "chromium-browser", "google-chrome"]);
  await findProgram(env, gaps, "SVC_TEST_HAPROXY", ["haproxy"]);
  await findProgram(env, gaps, "SVC_TEST_NODE", ["node"]);
  await findProgram(env, gaps, "SVC_TEST_NPM", ["npm"]);
  await findProgram(env, gaps, "SVC_TEST_FAKETIME", ["faketime"]);
  await findProgram(env, gaps, "SVC_TEST_PGBOUNCER", ["pgbouncer"]);
  await findProgram(env, gaps, "SVC_TEST_PROMTOOL", ["promtool"]);
  if (!env.SVC_TEST_DATA) gaps.push("no test data: set SVC_TEST_DATA to the folder with `locomo` and `security`");
  return {
    env,
    gaps,
    async [Symbol.asyncDispose]() {
      for (const close of closers.splice(0)) await withinMs(close(), STOP_MS);
    },
  };
}

/** Waits for work that may fail or never end; either is reported and does not hold up the caller. */
async function withinMs(work: Promise<void>, ms: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(() => resolve(`it takes longer than ${ms} ms`), ms);
  const fault = await Promise.race([work.then(() => undefined, String), late]);
  clearTimeout(timer);
  if (fault !== undefined) console.error(`Cannot clean up after the tests: ${fault}`);
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

/** Makes a migrated data folder of the embedded database, which tests copy. */
async function prepareEmbedded(env: Record<string, string>): Promise<() => Promise<void>> {
  const folder = await Deno.makeTempDir({ prefix: "svc-test-template-" });
  await using _migrated = await startEmbedded(folder, { embeddingDimension: 384 });
  env["SVC_TEST_EMBEDDED_TEMPLATE"] = folder;
  return () => Deno.remove(folder, { recursive: true });
}

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
  await sql.end({ timeout: 5 });
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

/** Removes databases that crashed tests of this run left on a foreign server. */
async function dropDatabases(url: string, prefix: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  for (const { datname } of await sql`select datname from pg_database where starts_with(datname, ${prefix})`) {
    await dropDatabase(sql, datname);
  }
  await sql.end({ timeout: 5 });
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
  const timer = setTimeout(() => ready.resolve(false), STOP_MS);
  const isReady = await ready.promise;
  clearTimeout(timer);
  if (!isReady) {
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
      const path = join(folder || ".", name);
      if (await exists(path)) return void (env[variable] = path);
    }
  }
  gaps.push(`no ${names[0]}: it is not on the path and ${variable} is not set`);
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
