/**
 * A Postgres on a disk of a few megabytes: a tmpfs in a mount namespace of its own, which needs no rights where the
 * kernel lets users make namespaces.
 */
import postgres from "postgres";
import { findServerPrograms } from "../../scripts/gate/native_postgres.ts";
import { until } from "./_process.ts";

/** Runs in the namespace and does what it is told line by line; with its standard input everything ends. */
const CONTROL = `
  set -u; bin=$1 dir=$2 port=$3 pid=
  mount -t tmpfs -o size=600m,mode=0700 tmpfs "$dir" || exit 1
  "$bin/initdb" -D "$dir/data" -U postgres --auth trust --encoding UTF8 --locale C.UTF-8 --wal-segsize=1 \\
    --no-sync >/dev/null 2>&1 || exit 1
  echo made
  while read -r word size; do
    case $word in
      start) "$bin/postgres" -D "$dir/data" -c port=$port -c listen_addresses=127.0.0.1 -c unix_socket_directories="$dir" \\
               -c min_wal_size=2MB -c max_wal_size=4MB >/dev/null 2>&1 & pid=$!; echo started ;;
      shrink) used=$(df -k --output=used "$dir" | tail -1); mount -o remount,size=$((used + size))k "$dir" && echo shrunk ;;
      grow) mount -o remount,size=600m "$dir"; echo grown ;;
      alive) kill -0 $pid 2>/dev/null && echo yes || echo no ;;
    esac
  done
  [ -z "$pid" ] || { kill -QUIT $pid 2>/dev/null; wait $pid; }
`;

export class SmallDiskPostgres implements AsyncDisposable {
  readonly url: string;
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #answers: ReadableStreamDefaultReader<string>;
  readonly #directory: string;

  private constructor(child: Deno.ChildProcess, directory: string, port: number) {
    this.#child = child;
    this.#directory = directory;
    this.#input = child.stdin.getWriter();
    this.#answers = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    this.url = `postgres://postgres:unused@127.0.0.1:${port}/postgres`;
  }

  /** Answers undefined where the machine has no server programs or does not let users make namespaces. */
  static async start(): Promise<SmallDiskPostgres | undefined> {
    const binDir = await findServerPrograms();
    if (binDir === undefined) return undefined;
    const directory = await Deno.makeTempDir({ prefix: "svc-disk-" });
    const user = await serverUser();
    if (user) await Deno.chown(directory, user.uid, user.gid);
    const port = findFreePort();
    const child = new Deno.Command("unshare", {
      args: ["-Um", "--map-current-user", "--keep-caps", "sh", "-c", CONTROL, "sh", binDir, directory, `${port}`],
      ...{ cwd: directory, stdin: "piped" as const, stdout: "piped" as const, stderr: "null" as const, ...user },
    }).spawn();
    const server = new SmallDiskPostgres(child, directory, port);
    if (await server.#answer() !== "made") {
      await server[Symbol.asyncDispose]();
      return undefined;
    }
    await server.begin();
    return server;
  }

  /** Starts the server and waits until it accepts connections. */
  async begin(): Promise<void> {
    await this.#tell("start");
    await until("Postgres answers", async () => {
      const sql = postgres(this.url, { max: 1, connect_timeout: 2, onnotice: () => {} });
      try {
        await sql`select 1`;
        return true;
      } catch {
        return false;
      } finally {
        await sql.end({ timeout: 1 });
      }
    });
  }

  /** Leaves so many kilobytes free. */
  async shrink(freeKib: number): Promise<void> {
    if (await this.#tell(`shrink ${freeKib}`) !== "shrunk") throw new Error("Cannot make the disk smaller");
  }

  async grow(): Promise<void> {
    await this.#tell("grow");
  }

  async isAlive(): Promise<boolean> {
    return await this.#tell("alive") === "yes";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.close().catch(() => {});
    await this.#answers.cancel();
    await this.#child.status;
    await Deno.remove(this.#directory, { recursive: true });
  }

  async #tell(line: string): Promise<string> {
    await this.#input.write(new TextEncoder().encode(`${line}\n`));
    return await this.#answer();
  }

  async #answer(): Promise<string> {
    return (await this.#answers.read()).value?.trim() ?? "";
  }
}

/** The server refuses to run as root. */
async function serverUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (Deno.uid() !== 0) return undefined;
  const entry = /^postgres:[^:]*:(\d+):(\d+):/m.exec(await Deno.readTextFile("/etc/passwd"));
  if (entry === null) throw new Error("Cannot run PostgreSQL as root: there is no user postgres");
  return { uid: Number(entry[1]), gid: Number(entry[2]) };
}

function findFreePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
