/** The other end of `operator_client.ts`: the running service takes commands of its operator. */
import { resolve } from "node:path";
import type { Deps } from "../context.ts";
import { ServiceError } from "../errors.ts";
import { pause } from "../pause.ts";
import { sayToOperator } from "../outbound/failure.ts";
import { operatorSocketFailed } from "../telemetry/events.ts";
import { plain, plainJson } from "./agent/text.ts";
import {
  type CommandCall,
  type CommandNews,
  operatorFolder,
  operatorSocketPath,
  readLines,
  writeAll,
} from "./operator_client.ts";
import type { RunCommand } from "./parts.ts";

const ACCEPT_RETRY_MS = 250;

/**
 * Takes commands on a socket in the data folder until the service stops. Only with the embedded database: any other
 * database is open to the command line itself. If there can be no socket, the service runs without one.
 */
export async function takeCommands(deps: Deps, runCommand: RunCommand): Promise<void> {
  const { url, dataDir } = deps.config.database;
  if (url !== undefined) return;
  let listener: Deno.UnixListener;
  try {
    listener = await listen(dataDir);
  } catch (error) {
    return operatorSocketFailed(deps.telemetry.log, { error });
  }
  const open = new Set<Deno.Conn>();
  deps.disposeAtStop({
    [Symbol.asyncDispose]() {
      listener.close();
      for (const connection of open) close(connection);
      return Promise.resolve();
    },
  });
  accept(listener, async (connection) => {
    open.add(connection);
    try {
      await serve(deps, connection, runCommand);
    } catch {
      // The person has gone. What the command has begun is done.
    } finally {
      open.delete(connection);
      close(connection);
    }
  });
}

async function accept(listener: Deno.UnixListener, serve: (connection: Deno.Conn) => Promise<void>): Promise<void> {
  while (true) {
    try {
      serve(await listener.accept());
    } catch (error) {
      if (error instanceof Deno.errors.BadResource || error instanceof Deno.errors.Interrupted) return;
      // No file descriptor is left for this connection; the next one may find one.
      await pause(ACCEPT_RETRY_MS);
    }
  }
}

/** The process holds the lock of the data folder, so a socket that is there is left over from one that was killed. */
async function listen(dataDir: string): Promise<Deno.UnixListener> {
  const path = operatorSocketPath(dataDir);
  if (path === undefined) throw new Error(`the path of ${operatorFolder(dataDir)} is too long for a socket`);
  const folder = operatorFolder(dataDir);
  // The rights of the folder count: it is closed before there is a socket in it.
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  await Deno.chmod(folder, 0o700);
  await Deno.remove(path).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  return Deno.listen({ transport: "unix", path });
}

async function serve(deps: Deps, connection: Deno.Conn, runCommand: RunCommand): Promise<void> {
  const { value: line } = await readLines(connection).next();
  if (line === undefined) return;
  const { args, cwd } = JSON.parse(line) as CommandCall;
  const encoder = new TextEncoder();
  let sent = Promise.resolve();
  const send = (news: CommandNews): Promise<void> =>
    sent = sent.then(() => writeAll(connection, encoder.encode(`${JSON.stringify(news)}\n`)));
  // A write that fails shows at the next one that is awaited.
  const sendLater = (news: CommandNews) => void send(news).catch(() => {});
  let exit = 0;
  const decoder = new TextDecoder();
  try {
    await runCommand(args, {
      withDeps: (work) => work(deps),
      print: (value) => sendLater({ out: `${plainJson(value)}\n` }),
      say: (text) => send({ out: `${text}\n` }),
      remark: (text) => sendLater({ err: `${text}\n` }),
      write: (chunk) => send({ out: decoder.decode(chunk, { stream: true }) }),
      openProgress: () => ({ show() {}, count() {}, end() {} }),
      pathOf: (path) => pathOf(cwd, path),
      endWith: (code) => void (exit = code),
      runCommand,
    });
  } catch (error) {
    exit = 1;
    sendLater({ err: `${plain(error instanceof Error ? sayToOperator(error) : String(error))}\n` });
  }
  await send({ exit });
}

/** A path as the person means it. Both processes see the same files, but not each other's open ones. */
function pathOf(cwd: string, path: string): string {
  const whole = resolve(cwd, path);
  if (!/^\/(dev\/(stdin|tty|fd\b)|proc\/)/.test(whole)) return whole;
  throw new ServiceError(
    "validation_failed",
    `Cannot read ${path}: the running service reads the file, and sees no pipe of this shell. Name a file`,
  );
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // It is closed already.
  }
}
