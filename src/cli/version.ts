/** The version of the program. */
import packageInfo from "../../deno.json" with { type: "json" };

export const VERSION = packageInfo.version;

/** Whether the arguments ask for the version and nothing else. */
export function asksForVersion(args: readonly string[]): boolean {
  return args.length === 1 && (args[0] === "--version" || args[0] === "-V");
}
