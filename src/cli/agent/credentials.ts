/**
 * Reads which service the command line calls, and with which key: `SVC_URL` and `SVC_KEY`, or the same two names as
 * lines of `~/.config/svc/credentials`.
 */
import { dirname, join } from "node:path";
import { CommandError } from "./error.ts";
import { configFolder } from "./places.ts";

export interface Credentials {
  /** The address of the service. */
  readonly url: string;
  /** The key of a workspace. */
  readonly key: string;
}

/** The address of a service that was started without further settings. */
const DEFAULT_URL = "http://127.0.0.1:8787";
const NAMES = ["SVC_URL", "SVC_KEY"];
const BYTES_MAX = 65_536;

/** The path of the file. */
export function credentialsPath(): string {
  return join(configFolder(), "svc", "credentials");
}

/**
 * Reads the address and the key, from the environment or else the file. It sends the file's key only to the file's own
 * address: whoever sets `SVC_URL` alone, as the settings of somebody else's folder can, does not get the key.
 * @throws CommandError `no_access` when there is no key or others can read the file; `bad_input` when the address is
 *   not a URL
 */
export function readCredentials(): Credentials {
  const [url, key] = NAMES.map((name) => Deno.env.get(name) || undefined);
  if (key !== undefined) return { url: webAddress(url ?? readFile().SVC_URL ?? DEFAULT_URL), key };
  const file = readFile();
  if (file.SVC_KEY === undefined) {
    throw new CommandError(
      "no_access",
      `Cannot ask the service: no key. Set SVC_KEY, or write it to ${credentialsPath()}`,
    );
  }
  const own = file.SVC_URL ?? DEFAULT_URL;
  if (url !== undefined && originOf(url) !== originOf(own)) {
    throw new CommandError(
      "no_access",
      `Cannot ask the service at SVC_URL: the key in ${credentialsPath()} is for ${own}. Set SVC_KEY too`,
    );
  }
  return { url: webAddress(url ?? own), key: file.SVC_KEY };
}

function webAddress(address: string): string {
  if (/^https?:$/.test(URL.parse(address)?.protocol ?? "")) return address;
  throw new CommandError("bad_input", "Cannot ask the service: SVC_URL is not an http: or https: URL");
}

/** The address of the service, for commands without a key. @throws CommandError for a broken or exposed file */
export function readAddress(): string {
  return Deno.env.get("SVC_URL") || readFile().SVC_URL || DEFAULT_URL;
}

/** The key in the file; undefined if there is none. @throws CommandError for a broken or exposed file */
export function readKeptKey(): string | undefined {
  return readFile().SVC_KEY;
}

/** Writes the file, which its owner alone can read. A process that is killed leaves the file as it was. */
export function writeCredentials({ url, key }: Credentials): void {
  const path = credentialsPath();
  Deno.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const made = `${path}.${crypto.randomUUID()}`;
  Deno.writeTextFileSync(made, `SVC_URL=${url}\nSVC_KEY=${key}\n`, { mode: 0o600, createNew: true });
  Deno.renameSync(made, path);
}

function originOf(address: string): string {
  return URL.parse(address)?.origin ?? address;
}

function readFile(): { SVC_URL?: string; SVC_KEY?: string } {
  const path = credentialsPath();
  let text: string;
  try {
    const { isFile, mode, size } = Deno.statSync(path);
    if (!isFile || size > BYTES_MAX) throw refused(path, "is not a small file");
    if (Deno.build.os !== "windows" && mode !== null && (mode & 0o077) !== 0) {
      throw refused(path, "can be read or changed by others. Run: chmod 600 " + path);
    }
    text = Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return {};
    if (error instanceof CommandError) throw error;
    throw refused(path, "cannot be read");
  }
  return parseLines(path, text);
}

function parseLines(path: string, text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [i, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const [left = "", ...rest] = line.split("=");
    const name = left.replace(/^export /, "").trim();
    if (rest.length === 0 || !NAMES.includes(name)) {
      throw refused(path, `has a line ${i + 1} that is neither SVC_URL=… nor SVC_KEY=…`);
    }
    const value = unquote(rest.join("=").trim());
    if (value !== "") found[name] = value;
  }
  return found;
}

function unquote(value: string): string {
  const isQuoted = value.length >= 2 && /["']/.test(value[0]!) && value.endsWith(value[0]!);
  return isQuoted ? value.slice(1, -1) : value;
}

function refused(path: string, why: string): CommandError {
  return new CommandError("no_access", `Cannot use the credentials: ${path} ${why}`);
}
