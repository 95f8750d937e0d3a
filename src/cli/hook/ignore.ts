/** Switches the memory off: by `SVC_MEMORY=off` for a session, by a file `.svc-ignore` for a folder and its tree. */
import { dirname, join } from "node:path";

const OFF = ["off", "0", "false", "no"];
const DEPTH_MAX = 64;

/** Whether these folders forbid recall and recording. */
export async function isIgnored(folders: readonly string[]): Promise<boolean> {
  if (OFF.includes((Deno.env.get("SVC_MEMORY") ?? "").trim().toLowerCase())) return true;
  for (const folder of folders) {
    let at = folder;
    for (let depth = 0; depth < DEPTH_MAX; depth++) {
      if (await isThere(join(at, ".svc-ignore"))) return true;
      const above = dirname(at);
      if (above === at) break;
      at = above;
    }
  }
  return false;
}

async function isThere(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    // A folder that cannot be read may contain one.
    return !(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory);
  }
}
