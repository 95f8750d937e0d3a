/**
 * How a command reaches the service that runs on the embedded database: by a Unix socket in its data folder, which only
 * the folder's owner can open. The service runs the command itself: one process has the database, and its caches know at
 * once what was changed.
 *
 * Both sides send JSON, one message a line. The command line sends one `CommandCall`; the service answers with
 * `CommandNews`, the last of which has the exit code.
 */
import { join, relative, resolve } from "node:path";
import { ServiceError } from "../errors.ts";

/** A command that a person called. */
export interface CommandCall {
  readonly args: readonly string[];
  /** The person's folder, in which relative paths begin. */
  readonly cwd: string;
}

/** What a command writes, or its exit code. */
export type CommandNews = { readonly out: string } | { readonly err: string } | { readonly exit: number };

/** The longest path that every system takes for a socket, in bytes. */
const PATH_BYTES_MAX = 103;

/** The folder of the socket, which nobody but its owner can enter. */
export function operatorFolder(dataDir: string): string {
  return join(resolve(dataDir), "operator");
}

/** The path of the socket: relative where the absolute one is too long for a socket; undefined if both are. */
export function operatorSocketPath(dataDir: string): string | undefined {
  const path = join(operatorFolder(dataDir), "socket");
  return [path, relative(Deno.cwd(), path)].find((one) => new TextEncoder().encode(one).length <= PATH_BYTES_MAX);
}

/**
 * Has the running service run a command, and writes what the command writes.
 * @returns its exit code; undefined if no service takes commands there
 * @throws ServiceError `ip_not_allowed` when the socket belongs to somebody else; `unavailable` when the service ended
 *   before the command
 */
export async function runInService(dataDir: string, args: readonly string[]): Promise<number | undefined> {
  using connection = await connect(dataDir);
  if (connection === undefined) return undefined;
  const call: CommandCall = { args, cwd: Deno.cwd() };
  const encoder = new TextEncoder();
  try {
    await writeAll(connection, encoder.encode(`${JSON.stringify(call)}\n`));
    for await (const line of readLines(connection)) {
      const news = JSON.parse(line) as CommandNews;
      if ("exit" in news) return news.exit;
      if ("out" in news) await writeAll(Deno.stdout, encoder.encode(news.out));
      else await writeAll(Deno.stderr, encoder.encode(news.err));
    }
  } catch (cause) {
    throw brokenOff(cause);
  }
  throw brokenOff(undefined);
}

function brokenOff(cause: unknown): ServiceError {
  const message = "Cannot say how the command ended: the service ended before it did. Look what it has changed, " +
    "and run it again if need be";
  return new ServiceError("unavailable", message, { cause });
}

async function connect(dataDir: string): Promise<Deno.Conn | undefined> {
  const path = operatorSocketPath(dataDir);
  if (path === undefined) return undefined;
  try {
    return await Deno.connect({ transport: "unix", path });
  } catch (cause) {
    if (cause instanceof Deno.errors.PermissionDenied) {
      const message = `Cannot enter the data folder ${resolve(dataDir)}: it belongs to another user. ` +
        "Run the command as that user";
      throw new ServiceError("ip_not_allowed", message, { cause });
    }
    // There is no socket, or a service that was killed has left it behind.
    return undefined;
  }
}

/** The lines of a connection, without their ends; what follows the last line's end is left out. */
export async function* readLines(connection: Pick<Deno.Conn, "readable">): AsyncGenerator<string, void> {
  let rest = "";
  for await (const text of connection.readable.pipeThrough(new TextDecoderStream(), { preventCancel: true })) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
}

/** Writes all bytes: one write may take only some of them. */
export async function writeAll(to: Pick<Deno.Conn, "write">, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await to.write(bytes.subarray(at));
}
