/** The user's folders by the XDG base directory specification: a relative value of its variables counts as unset. */
import { isAbsolute, join } from "node:path";

/** The user's folder. @throws Error if the environment names none */
export function homeFolder(): string {
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE");
  if (!home) throw new Error("Cannot find the user's folder: HOME is not set");
  return home;
}

/** The folder of configuration files, `~/.config`. */
export function configFolder(): string {
  return folderIn("XDG_CONFIG_HOME", ".config");
}

/** The folder for a program's data between its runs, `~/.local/state`. */
export function stateFolder(): string {
  return folderIn("XDG_STATE_HOME", join(".local", "state"));
}

function folderIn(variable: string, below: string): string {
  const named = Deno.env.get(variable);
  return named && isAbsolute(named) ? named : join(homeFolder(), below);
}
