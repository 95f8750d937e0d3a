/** Throwaway PostgreSQL clusters from the server programs that are installed on this machine. */
import { join } from "node:path";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { exists } from "../exists.ts";

export interface NativePostgresOptions {
  /** The folder with `postgres` and `initdb`; default: it is searched. */
  readonly binDir?: string;
  /** Keeps the cluster in this folder; default: a temporary folder that is deleted with it. */
  readonly dataDir?: string;
  /** Loopback TCP port; default: a free one. It stays the same over restarts. */
  readonly port?: number;
  /**
   * `true`: Postgres' own durability settings, for fault tests and measurements. `false`, the default: no fsync and a
   * minimal WAL, for tests that throw the cluster away. Either way, what is committed survives a killed server.
   */
  readonly durable?: boolean;
  /** Further `postgresql.conf` settings. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** Further environment variables of the server. */
  readonly env?: Readonly<Record<string, string>>;
}

const FAST_SETTINGS = {
  fsync: "off",
  full_page_writes: "off",
  wal_level: "minimal",
  max_wal_senders: 0,
};

const COMMON_SETTINGS = { max_connections: 200, listen_addresses: "127.0.0.1", logging_collector: "off" };

/** With these settings, a server that is not durable can be replicated, and so can its standby. */
export const REPLICATED_SETTINGS = { wal_level: "replica", max_wal_senders: 5, full_page_writes: "on" };

const READY = /database system is ready to accept (read-only )?connections/;
const START_DEADLINE_MS = 60_000;
const LOG_LINES_MAX = 400;

interface User {
  readonly uid: number;
  readonly gid: number;
}

/** Tells the watcher that its server is stopped in an orderly way. */
type Watcher = () => Promise<void>;

interface Running {
  readonly child: Deno.ChildProcess;
  /** Stops the server and removes its temporary folder if this process dies without doing so. */
  readonly dismissWatcher: Watcher;
  readonly drained: Promise<void>;
}

export class NativePostgres implements AsyncDisposable {
  readonly binDir: string;
  readonly port: number;
  readonly password: string;
  /** Holds the cluster's files and the Unix socket. */
  readonly directory: string;
  readonly #options: NativePostgresOptions;
  #settings: Readonly<Record<string, string | number>>;
  readonly #user: User | undefined;
  #log: string[] = [];
  #running: Running | undefined;

  private constructor(
    options: NativePostgresOptions,
    found: { binDir: string; port: number; password: string; directory: string; user: User | undefined },
  ) {
    this.#options = options;
    this.#settings = options.settings ?? {};
    this.binDir = found.binDir;
    this.port = found.port;
    this.password = found.password;
    this.directory = found.directory;
    this.#user = found.user;
  }

  /**
   * Creates a cluster and starts it.
   * @throws Error when no server programs are installed, or with the server's own log when it does not start.
   */
  static start(options: NativePostgresOptions = {}): Promise<NativePostgres> {
    return NativePostgres.#make(options, (server) => server.#initialise());
  }

  /**
   * Copies a running server, which must write a log for replicas (`durable` or `REPLICATED_SETTINGS`), and starts the copy as
   * a hot standby that follows it.
   */
  static startStandby(primary: NativePostgres, options: NativePostgresOptions = {}): Promise<NativePostgres> {
    return NativePostgres.#make(options, (server) => server.#copy(primary), primary.password);
  }

  static async #make(
    options: NativePostgresOptions,
    fill: (server: NativePostgres) => Promise<void>,
    given?: string,
  ): Promise<NativePostgres> {
    const binDir = options.binDir ?? await findServerPrograms();
    if (binDir === undefined) throw new Error("Cannot start PostgreSQL: no server programs are installed");
    const user = await findServerUser();
    const kept = options.dataDir !== undefined;
    const directory = kept ? await ensureDirectory(options.dataDir!) : await mkdtemp(join(tmpdir(), "svc-postgres-"));
    if (user) await Deno.chown(directory, user.uid, user.gid);
    const server = new NativePostgres(options, {
      binDir,
      user,
      directory,
      port: options.port ?? findFreePort(),
      password: await keepPassword(directory, given),
    });
    try {
      await fill(server);
      await server.start();
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
    return server;
  }

  /** URL over loopback TCP; the superuser's on database `postgres` by default. */
  url(database = "postgres", role = "postgres", password = this.password): string {
    return `postgres://${role}:${encodeURIComponent(password)}@127.0.0.1:${this.port}/${database}`;
  }

  /** The folder of the Unix socket: postgres.js takes `{ host: socketDir, port }`. */
  get socketDir(): string {
    return this.directory;
  }

  /** Process id of the postmaster. */
  get pid(): number {
    if (!this.#running) throw new Error("Cannot name the server's process: it is not running");
    return this.#running.child.pid;
  }

  /** The server's last log lines. */
  get log(): readonly string[] {
    return this.#log;
  }

  /**
   * Starts the server again after `stop` or `kill`; resolves when it accepts connections.
   * @param settings replace its earlier further settings
   */
  async start(settings = this.#settings): Promise<void> {
    if (this.#running) throw new Error("Cannot start the server: it is running");
    this.#settings = settings;
    const deadline = performance.now() + START_DEADLINE_MS;
    for (;;) {
      if (await this.#tryStart(deadline)) return;
      // The backends of a killed postmaster hold its shared memory for some milliseconds.
      const busy = this.#log.some((line) => /pre-existing shared memory|lock file .* already exists/.test(line));
      if (!busy || performance.now() > deadline) {
        throw new Error(`Cannot start PostgreSQL in ${this.directory}:\n${this.#log.slice(-20).join("\n")}`);
      }
    }
  }

  /**
   * Stops the server and resolves when it has ended. `fast` ends sessions and checkpoints; `immediate` is Postgres' own
   * emergency stop: the next start recovers from the WAL.
   */
  async stop(mode: "fast" | "immediate" = "fast"): Promise<void> {
    await this.#end((pid) => Deno.kill(pid, mode === "fast" ? "SIGINT" : "SIGQUIT"));
  }

  /** Halts the postmaster and all its processes: connections stay open, and nothing is answered. Only `kill` ends it. */
  halt(): void {
    for (const process of [this.pid, ...childrenOf(this.pid)]) Deno.kill(process, "SIGSTOP");
  }

  /** SIGKILL to the postmaster and all its processes, as a power cut would end them. */
  async kill(): Promise<void> {
    await this.#end((pid) => {
      const children = childrenOf(pid);
      for (const process of [pid, ...children]) {
        try {
          Deno.kill(process, "SIGKILL");
        } catch (error) {
          if (!(error instanceof Deno.errors.NotFound)) throw error;
        }
      }
    });
  }

  /** Makes a standby the primary of its own timeline; resolves when it accepts writes. */
  async promote(): Promise<void> {
    await this.#runTool("pg_ctl", ["promote", "--wait", "--pgdata", join(this.directory, "data")]);
  }

  async restart(mode: "fast" | "immediate" = "fast"): Promise<void> {
    await this.stop(mode);
    await this.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#running) await this.stop(this.#options.dataDir === undefined ? "immediate" : "fast");
    if (this.#options.dataDir === undefined) await Deno.remove(this.directory, { recursive: true });
  }

  async #initialise(): Promise<void> {
    const data = join(this.directory, "data");
    if (await exists(join(data, "PG_VERSION"))) return;
    await this.#runTool("initdb", [
      ...["--pgdata", data, "--username", "postgres", "--pwfile", join(this.directory, "password")],
      ...["--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-instructions"],
      ...(this.#options.durable ? [] : ["--no-sync"]),
    ]);
  }

  async #copy(primary: NativePostgres): Promise<void> {
    await this.#runTool("pg_basebackup", [
      ...["--pgdata", join(this.directory, "data"), "--dbname", primary.url(), "--write-recovery-conf"],
      ...["--wal-method", "stream", "--checkpoint", "fast", ...(this.#options.durable ? [] : ["--no-sync"])],
    ]);
  }

  /** Runs one of the server's programs to its end. */
  async #runTool(program: string, args: readonly string[]): Promise<void> {
    const { success, stderr } = await this.#command(program, args).output();
    if (!success) throw new Error(`Cannot run ${program}: ${new TextDecoder().decode(stderr)}`);
  }

  async #tryStart(deadline: number): Promise<boolean> {
    const settings = {
      ...COMMON_SETTINGS,
      port: this.port,
      unix_socket_directories: this.directory,
      ...(this.#options.durable ? {} : FAST_SETTINGS),
      ...this.#settings,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    this.#log = [];
    const child = this.#command("postgres", ["-D", join(this.directory, "data"), ...args]).spawn();
    const ready = Promise.withResolvers<boolean>();
    const drained = this.#drain(child.stderr, () => ready.resolve(true));
    child.status.then(() => ready.resolve(false));
    const timer = setTimeout(() => ready.resolve(false), Math.max(0, deadline - performance.now()));
    const accepted = await ready.promise;
    clearTimeout(timer);
    if (accepted) {
      this.#running = { child, drained, dismissWatcher: this.#watch(child.pid) };
      return true;
    }
    try {
      child.kill("SIGKILL");
    } catch { /* it has ended by itself */ }
    await child.status;
    await drained;
    return false;
  }

  #watch(pid: number): Watcher {
    // Its standard input ends when this process does, in whatever way; `done` announces an orderly stop. It runs in the
    // background, because Deno kills its own children as it exits.
    const script = `exec 3<&0; (
      trap '' INT TERM HUP; read -r word <&3; [ "$word" = done ] && exit 0
      kill -QUIT "$1" 2>/dev/null; [ -n "$2" ] || exit 0
      i=0; while [ -d "/proc/$1/fd" ] && [ -e "$2/data/postmaster.pid" ] && [ $i -lt 200 ]; do sleep 0.05; i=$((i + 1)); done
      rm -rf "$2" ) &`;
    const removed = this.#options.dataDir === undefined ? this.directory : "";
    const shell = new Deno.Command("sh", {
      args: ["-c", script, "sh", String(pid), removed],
      stdin: "piped",
      stdout: "null",
      stderr: "null",
    }).spawn();
    return async () => {
      const writer = shell.stdin.getWriter();
      await writer.write(new TextEncoder().encode("done\n"));
      await writer.close();
      await shell.status;
    };
  }

  async #end(signal: (pid: number) => void): Promise<void> {
    const running = this.#running;
    if (!running) throw new Error("Cannot stop the server: it is not running");
    this.#running = undefined;
    await running.dismissWatcher();
    signal(running.child.pid);
    await Promise.all([running.child.status, running.drained]);
  }

  async #drain(stream: ReadableStream<Uint8Array>, onReady: () => void): Promise<void> {
    let rest = "";
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        this.#log.push(line);
        if (READY.test(line)) onReady();
      }
      if (this.#log.length > LOG_LINES_MAX) this.#log.splice(0, this.#log.length - LOG_LINES_MAX);
    }
  }

  #command(program: string, args: readonly string[]): Deno.Command {
    return new Deno.Command(join(this.binDir, program), {
      args: [...args],
      cwd: this.directory,
      env: { LC_ALL: "C.UTF-8", ...(program === "postgres" && this.#options.env) },
      stdin: "null",
      stdout: program === "postgres" ? "null" : "piped",
      stderr: "piped",
      ...this.#user,
    });
  }
}

/** Finds the folder of the installed server programs, the newest version first; undefined when there is none. */
export async function findServerPrograms(): Promise<string | undefined> {
  const folders: string[] = [];
  try {
    for await (const { name } of Deno.readDir("/usr/lib/postgresql")) folders.push(`/usr/lib/postgresql/${name}/bin`);
  } catch { /* not Debian's layout */ }
  folders.sort((a, b) => Number.parseInt(b.split("/")[4]) - Number.parseInt(a.split("/")[4]));
  try {
    const { stdout } = await new Deno.Command("pg_config", { args: ["--bindir"], stderr: "null" }).output();
    folders.push(new TextDecoder().decode(stdout).trim());
  } catch { /* no pg_config on the path */ }
  for (const folder of folders) {
    if (await exists(join(folder, "postgres")) && await exists(join(folder, "initdb"))) return folder;
  }
}

/** The server refuses to run as root, so root runs it as the user `postgres`, or as `nobody` if there is none. */
async function findServerUser(): Promise<User | undefined> {
  if (Deno.uid() !== 0) return undefined;
  const entries = (await Deno.readTextFile("/etc/passwd")).split("\n").map((line) => line.split(":"));
  const entry = entries.find(([name]) => name === "postgres") ?? entries.find(([name]) => name === "nobody");
  if (!entry) throw new Error("Cannot run PostgreSQL as root: there is neither a user postgres nor nobody");
  return { uid: Number(entry[2]), gid: Number(entry[3]) };
}

function findFreePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** The superuser's password: made at the first start unless given, and read again if the folder is kept. */
async function keepPassword(directory: string, given?: string): Promise<string> {
  const file = join(directory, "password");
  if (await exists(file)) return (await Deno.readTextFile(file)).trim();
  const password = given ?? crypto.randomUUID().replaceAll("-", "");
  await Deno.writeTextFile(file, password, { mode: 0o600 });
  const { uid, gid } = await Deno.stat(directory);
  if (uid !== null && gid !== null) await Deno.chown(file, uid, gid);
  return password;
}

async function ensureDirectory(path: string): Promise<string> {
  await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  return await Deno.realPath(path);
}

function childrenOf(pid: number): number[] {
  try {
    const text = Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`);
    return text.split(" ").filter((word) => word !== "").map(Number);
  } catch {
    return []; // Without /proc the backends notice by themselves that their postmaster has gone.
  }
}
