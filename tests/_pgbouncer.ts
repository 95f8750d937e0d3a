/** PgBouncer in front of a test's database. */
import { join } from "node:path";
import { createDatabase, POSTGRES, type TestDatabase } from "./_postgres.ts";
import { findFreePort } from "./_process.ts";
import { PGBOUNCER } from "./_programs.ts";
import { waitFor } from "./_wait.ts";

/** Options of a test that needs PgBouncer: `Deno.test({ ignore: POSTGRES.ignore || POOLED.ignore, name, fn })`. */
export const POOLED = { ignore: PGBOUNCER === undefined };

/** A database whose requests go through a pooler in transaction mode, with few sessions to lend. */
export async function createPooledDatabase(options: PgBouncerOptions = {}): Promise<TestDatabase> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createDatabase());
  const bouncer = stack.use(await startPgBouncer(database, { poolSize: 4, ...options }));
  const owned = stack.move();
  return {
    ...database,
    requestUrl: bouncer.through(database.requestUrl),
    directUrl: database.requestUrl,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Ways to a database, for tests that must pass on each: the suffix of their names, and how the database is made. */
export const WAYS = [
  { ...POSTGRES, suffix: "", createDatabase: () => createDatabase() },
  {
    ignore: POSTGRES.ignore || POOLED.ignore,
    suffix: ", behind a pooler",
    createDatabase: () => createPooledDatabase(),
  },
] as const;

export interface PgBouncerOptions {
  /** `transaction` unless told. */
  readonly mode?: "transaction" | "session" | "statement";
  /** Connections to the server for each role; 20 unless told. */
  readonly poolSize?: number;
  /** Another program than the one that is installed. */
  readonly program?: string;
  /** Further lines of its configuration. */
  readonly settings?: readonly string[];
  /** A shipped configuration and its file of users, instead of those made here; the port is replaced by this one's. */
  readonly written?: { readonly ini: string; readonly users: string };
}

export interface PgBouncer extends AsyncDisposable {
  readonly port: number;
  /** A URL that leads to the server, through the pooler. */
  through(url: string): string;
  /** Ends it immediately, with all its connections. */
  kill(): Promise<void>;
  /** Starts it at the same port. */
  start(): Promise<void>;
  /** Its output so far. */
  output(): string;
}

/** Starts PgBouncer on a port of its own in front of the server of a database, for the roles of the database's URLs. */
export async function startPgBouncer(database: TestDatabase, options: PgBouncerOptions = {}): Promise<PgBouncer> {
  await using stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir({ prefix: "svc-pgbouncer-" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const port = findFreePort();
  await configure(folder, port, database, options);
  const bouncer = stack.adopt(new Bouncer(options.program ?? PGBOUNCER!, folder, port), (it) => it.kill());
  await bouncer.start();
  const owned = stack.move();
  return {
    port,
    through(text) {
      const url = new URL(text);
      url.port = `${port}`;
      return url.href;
    },
    kill: () => bouncer.kill(),
    start: () => bouncer.start(),
    output: () => bouncer.output,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function configure(folder: string, port: number, database: TestDatabase, options: PgBouncerOptions) {
  if (options.written !== undefined) return await configureAsWritten(folder, port, options.written);
  const server = new URL(database.superuserUrl);
  const users = [database.requestUrl, database.ownerUrl, database.superuserUrl].map((text) => new URL(text));
  await Deno.writeTextFile(
    join(folder, "users.txt"),
    users.map(({ username, password }) => `"${username}" "${decodeURIComponent(password)}"\n`).join(""),
  );
  const lines = [
    "[databases]",
    `* = host=${server.hostname} port=${server.port}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = md5",
    `auth_file = ${join(folder, "users.txt")}`,
    `pool_mode = ${options.mode ?? "transaction"}`,
    `default_pool_size = ${options.poolSize ?? 20}`,
    "max_client_conn = 500",
    "server_login_retry = 1",
    ...options.settings ?? [],
  ];
  await Deno.writeTextFile(join(folder, "pgbouncer.ini"), `${lines.join("\n")}\n`);
  await handOver(folder);
}

async function configureAsWritten(folder: string, port: number, { ini, users }: { ini: string; users: string }) {
  const text = ini.replace(/^listen_port = .*$/m, `listen_port = ${port}`)
    .replace(/^auth_file = .*$/m, `auth_file = ${join(folder, "users.txt")}`);
  await Deno.writeTextFile(join(folder, "users.txt"), users);
  await Deno.writeTextFile(join(folder, "pgbouncer.ini"), `${text}unix_socket_dir =\n`);
  await handOver(folder);
}

/** PgBouncer refuses to run as root, so root gives the folder to the user who runs the server. */
async function handOver(folder: string): Promise<void> {
  if (Deno.uid() === 0) await new Deno.Command("chown", { args: ["-R", "postgres", folder] }).output();
}

class Bouncer {
  output = "";
  readonly #program: string;
  readonly #folder: string;
  readonly #port: number;
  #running: { readonly child: Deno.ChildProcess; readonly ended: Promise<unknown> } | undefined;

  constructor(program: string, folder: string, port: number) {
    this.#program = program;
    this.#folder = folder;
    this.#port = port;
  }

  async start(): Promise<void> {
    const child = new Deno.Command(this.#program, {
      args: [...(Deno.uid() === 0 ? ["-u", "postgres"] : []), join(this.#folder, "pgbouncer.ini")],
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const read = async () => {
      for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) this.output += text;
    };
    this.#running = { child, ended: Promise.all([child.status, read()]) };
    try {
      await waitFor("the pooler listens", async () => {
        (await Deno.connect({ hostname: "127.0.0.1", port: this.#port })).close();
        return true;
      });
    } catch (error) {
      await this.kill();
      throw new Error(`Cannot start the pooler: ${this.output}`, { cause: error });
    }
  }

  async kill(): Promise<void> {
    if (this.#running === undefined) return;
    const { child, ended } = this.#running;
    this.#running = undefined;
    try {
      child.kill("SIGKILL");
    } catch { /* it has ended */ }
    await ended;
  }
}
