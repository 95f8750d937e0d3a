/** Reads and replaces configuration files: completely or not at all, with a backup, never over another change. */
import { dirname } from "node:path";
import { CommandError } from "../agent/error.ts";

export interface ConfigFile {
  /** The path as the person knows it. */
  readonly path: string;
  /** The real path, if the path is a link. */
  readonly place: string;
  /** undefined: there is none. */
  readonly text: string | undefined;
  readonly mode: number | null;
  readonly owner: readonly [number, number] | undefined;
}

const BYTES_MAX = 67_108_864;
const NEW_MODE = 0o600;

/** @throws CommandError for a path that is no file, or cannot be read as text */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  let link: Deno.FileInfo;
  try {
    link = await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      return { path, place: path, text: undefined, mode: null, owner: undefined };
    }
    throw refused(path, "cannot be looked at", error);
  }
  try {
    const place = link.isSymlink ? await Deno.realPath(path) : path;
    const { isFile, size, mode, uid, gid } = await Deno.stat(place);
    if (!isFile || size > BYTES_MAX) throw refused(path, "is not a file of a configuration");
    const bytes = await Deno.readFile(place);
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const owner = uid !== null && gid !== null ? [uid, gid] as const : undefined;
    return { path, place, text, mode, owner };
  } catch (error) {
    if (error instanceof CommandError) throw error;
    if (error instanceof Deno.errors.NotFound) throw refused(path, "is a link to nothing", error);
    throw refused(path, error instanceof TypeError ? "is not UTF-8 text" : "cannot be read", error);
  }
}

/**
 * Replaces the content; `text` undefined removes the file.
 * @throws CommandError if somebody has changed it since it was read, or it cannot be written
 */
export async function replaceConfigFile(file: ConfigFile, text: string | undefined): Promise<void> {
  const now = await readConfigFile(file.path);
  if (now.text !== file.text || now.place !== file.place) {
    throw new CommandError(
      "retry_later",
      `Cannot change ${file.path}: something else has changed it meanwhile. Run it again`,
    );
  }
  try {
    if (text === undefined) return await Deno.remove(file.place);
    await Deno.mkdir(dirname(file.place), { recursive: true });
    await writeWhole(file, file.place, text);
  } catch (error) {
    throw refused(file.path, "cannot be written", error);
  }
}

/** The path of the backup, which holds the content before the first change. */
export function backupOf({ place }: ConfigFile): string {
  return `${place}.svc-backup`;
}

/** Stores the content beside the file. */
export async function keepBackup(file: ConfigFile): Promise<void> {
  if (file.text === undefined) return;
  try {
    await writeWhole(file, backupOf(file), file.text);
  } catch (error) {
    throw refused(backupOf(file), "cannot be written", error);
  }
}

/** The content of the backup; undefined if there is none. */
export async function readBackup(file: ConfigFile): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(backupOf(file));
  } catch {
    return undefined;
  }
}

async function writeWhole({ mode, owner }: ConfigFile, path: string, text: string): Promise<void> {
  const draft = `${path}.${crypto.randomUUID().slice(0, 8)}.tmp`;
  try {
    {
      using file = await Deno.open(draft, {
        write: true,
        createNew: true,
        mode: mode === null ? NEW_MODE : mode & 0o777,
      });
      const bytes = new TextEncoder().encode(text);
      for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
      await file.sync();
    }
    if (Deno.build.os !== "windows" && mode !== null) await Deno.chmod(draft, mode & 0o777);
    if (owner !== undefined && Deno.build.os !== "windows" && Deno.uid() === 0) await Deno.chown(draft, ...owner);
    await Deno.rename(draft, path);
  } catch (error) {
    await Deno.remove(draft).catch(() => {});
    throw error;
  }
}

function refused(path: string, why: string, cause?: unknown): CommandError {
  return new CommandError("bad_input", `Cannot connect: ${path} ${why}`, { cause });
}
