/** The measured service: a process of its own on loopback, on a throwaway durable Postgres or embedded. */
import postgres from "postgres";
import { createRoles, findServerPrograms, NativePostgres } from "../gate/native_postgres.ts";
import { note } from "./_bench.ts";
import { V8_FLAGS } from "../../src/cli/v8_flags.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const READY_DEADLINE_MS = 120_000;
const STOP_DEADLINE_MS = 15_000;
const LOG_LINES_MAX = 200;

export interface Access {
  readonly workspaceId: string;
  readonly key: string;
}

export interface BenchServiceOptions {
  /** Further variables of the service, such as `SVC_HOT_UNITS_MAX`. */
  readonly env?: Readonly<Record<string, string>>;
  /** `postgres` fails without installed server programs; `any` falls back to the embedded database. */
  readonly database: "postgres" | "embedded" | "any";
  /** Further arguments of `deno run`, such as `--cpu-prof`. */
  readonly denoArgs?: readonly string[];
  /** Default `src/cli/main.ts`. */
  readonly program?: string;
}

/** A child process whose output is read to the end; its last lines are kept for an error message. */
export class Child implements AsyncDisposable {
  readonly lines: string[] = [];
  readonly #process: Deno.ChildProcess;
  readonly #drained: Promise<unknown>;
  ended = false;

  /** With a `logFile`, standard output goes there and costs this process nothing. */
  constructor(
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    options: { readonly onLine?: (line: string) => void; readonly logFile?: string } = {},
  ) {
    const { logFile, onLine } = options;
    const command = logFile === undefined
      ? { program: Deno.execPath(), args: [...args] }
      : { program: "sh", args: ["-c", 'log=$1; shift; exec "$@" >"$log"', "sh", logFile, Deno.execPath(), ...args] };
    this.#process = new Deno.Command(command.program, {
      args: command.args,
      cwd: ROOT,
      env: { ...keptEnvironment(), ...env },
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const keep = (line: string) => {
      this.lines.push(line);
      if (this.lines.length > LOG_LINES_MAX) this.lines.shift();
      onLine?.(line);
    };
    this.#drained = Promise.all([readLines(this.#process.stdout, keep), readLines(this.#process.stderr, keep)]);
    this.#process.status.then(() => this.ended = true);
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Ends it by SIGTERM, or by SIGKILL if it does not end in time. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.ended) this.#process.kill("SIGTERM");
    const timer = setTimeout(() => !this.ended && this.#process.kill("SIGKILL"), STOP_DEADLINE_MS);
    await this.#process.status;
    clearTimeout(timer);
    await this.#drained;
  }
}

export class BenchService implements AsyncDisposable {
  constructor(
    readonly url: string,
    /** The first workspace and its key. */
    readonly access: Access,
    /** Such as `PostgreSQL 15.14, durable`. */
    readonly database: string,
    /** Superuser's URL of its database, for reference queries; absent with the embedded one. */
    readonly superuserUrl: string | undefined,
    /** The request role's URL, for reference statements under row-level security. */
    readonly requestUrl: string | undefined,
    readonly pid: number,
    readonly env: Readonly<Record<string, string>>,
    readonly stack: AsyncDisposableStack,
  ) {}

  /** Another workspace with a key, by the command line. Native Postgres only. */
  async addWorkspace(name: string): Promise<Access> {
    const { workspaceId } = await this.cli(["workspace", "create", "--name", name]);
    const { key } = await this.cli(["key", "create", "--workspace", workspaceId!, "--name", name]);
    return { workspaceId: workspaceId!, key: key! };
  }

  /** Runs the command line with the service's variables. @returns what it prints, parsed @throws Error when it fails */
  async cli(args: readonly string[]): Promise<Record<string, string>> {
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "src/cli/main.ts", ...args],
      cwd: ROOT,
      env: { ...keptEnvironment(), ...this.env },
      clearEnv: true,
    }).output();
    if (!success) throw new Error(`Cannot run svc ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
    return JSON.parse(new TextDecoder().decode(stdout));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stack.disposeAsync();
  }
}

/** Starts database and service and waits until it is ready. */
export async function startBenchService(options: BenchServiceOptions): Promise<BenchService> {
  await using stack = new AsyncDisposableStack();
  const native = options.database !== "embedded" &&
    (options.database === "postgres" || await findServerPrograms() !== undefined);
  if (!native && options.database === "any") note("No PostgreSQL server programs here: the embedded database is used.");
  const database = native ? await preparePostgres(stack) : await prepareFolder(stack);
  const port = findFreePort();
  const logDir = await Deno.makeTempDir({ prefix: "svc-bench-log-" });
  stack.defer(() => Deno.remove(logDir, { recursive: true }));
  const logFile = `${logDir}/service.log`;
  // Runs after the process has ended, and before its log is deleted.
  stack.defer(() => tellWarnings(logFile));
  // The load comes from one key, whose limit counts each request but is never reached.
  const limit = { SVC_RATE_LIMIT_PER_MINUTE: "1000000", SVC_RATE_LIMIT_BURST: "1000000" };
  const env = { ...limit, ...database.env, ...options.env, SVC_PORT: String(port) };
  const found: Partial<Record<"workspaceId" | "key", string>> = {};
  const child = stack.use(
    new Child(
      [
        "run",
        "-A",
        "--quiet",
        `--v8-flags=${V8_FLAGS}`,
        ...options.denoArgs ?? [],
        options.program ?? "src/cli/main.ts",
        "serve",
      ],
      env,
      {
        logFile,
        onLine: (line) => {
          found.workspaceId ??= /First workspace\s+(\S+)/.exec(line)?.[1];
          found.key ??= /First API key\s+(\S+)/.exec(line)?.[1];
        },
      },
    ),
  );
  const url = `http://127.0.0.1:${port}`;
  await waitUntilReady(`${url}/health/ready`, child);
  if (found.workspaceId === undefined || found.key === undefined) {
    throw new Error(`Cannot find the first key in the service's output:\n${child.lines.join("\n")}`);
  }
  const access = { workspaceId: found.workspaceId, key: found.key };
  const { name, superuserUrl, env: { DATABASE_URL: requestUrl } } = database;
  return new BenchService(url, access, name, superuserUrl, requestUrl, child.pid, env, stack.move());
}

const WARNINGS_SHOWN = 5;

/** Prints the service's warnings, so that no number hides a failure. */
async function tellWarnings(logFile: string): Promise<void> {
  const warnings: string[] = [];
  let count = 0;
  const file = await Deno.open(logFile);
  await readLines(file.readable, (line) => {
    if (!/"level":"(warn|error)"/.test(line)) return;
    if (++count <= WARNINGS_SHOWN) warnings.push(line.slice(0, 2_000));
  });
  if (count > 0) note(`The service warned ${count} times:\n${warnings.join("\n")}`);
}

interface Prepared {
  readonly name: string;
  readonly env: Record<string, string>;
  readonly superuserUrl?: string;
}

/** A durable cluster with the roles that docs/guides/deployment.md describes; the service migrates it. */
async function preparePostgres(stack: AsyncDisposableStack): Promise<Prepared> {
  const server = stack.use(await NativePostgres.start({ durable: true }));
  const superuser = postgres(server.url(), { max: 1, onnotice: () => {} });
  const passwords = await createRoles(superuser);
  await superuser`create database svc owner svc_owner`;
  const [{ server_version: version }] = await superuser<[{ server_version: string }]>`show server_version`;
  await superuser.end({ timeout: 5 });
  const inside = postgres(server.url("svc"), { max: 1, onnotice: () => {} });
  await inside`create extension vector`;
  await inside.end({ timeout: 5 });
  return {
    name: `PostgreSQL ${version}, durable`,
    superuserUrl: server.url("svc"),
    env: {
      DATABASE_URL: server.url("svc", "svc_request", passwords.request),
      SVC_OWNER_DATABASE_URL: server.url("svc", "svc_owner", passwords.owner),
    },
  };
}

async function prepareFolder(stack: AsyncDisposableStack): Promise<Prepared> {
  const dataDir = await Deno.makeTempDir({ prefix: "svc-bench-" });
  stack.defer(() => Deno.remove(dataDir, { recursive: true }));
  return { name: "embedded", env: { SVC_DATA_DIR: dataDir } };
}

/** Waits for a 200. @throws Error with the process's last lines when it ends or the deadline passes. */
export async function waitUntilReady(url: string, child: Child): Promise<void> {
  const deadline = performance.now() + READY_DEADLINE_MS;
  for (;;) {
    try {
      const response = await fetch(url);
      await response.body?.cancel();
      if (response.ok) return;
    } catch { /* not listening yet */ }
    if (child.ended || performance.now() > deadline) {
      throw new Error(`Cannot start ${url}:\n${child.lines.slice(-30).join("\n")}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export function findFreePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** The caller's environment without settings of a service. */
function keptEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(Deno.env.toObject()).filter(([name]) => !/^(SVC_|OTEL_|PG|DATABASE_URL$)/.test(name)),
  );
}

async function readLines(stream: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<void> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    lines.forEach(onLine);
  }
  if (rest !== "") onLine(rest);
}

/** Reads `--database`. @throws Error for any other value. */
export function parseDatabase(text: string): BenchServiceOptions["database"] {
  if (text === "postgres" || text === "embedded" || text === "any") return text;
  throw new Error(`Cannot measure: --database ${text} is not postgres, embedded or any`);
}
