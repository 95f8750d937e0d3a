/** The version of the program, and that of Deno which it needs. It loads nothing that an older Deno cannot load. */
import packageInfo from "../../deno.json" with { type: "json" };

export const VERSION = packageInfo.version;

/** The oldest release of Deno that runs the program: older ones cannot load its modules, and end with a backtrace. */
const OLDEST_DENO = "2.9.0";
/** The release that the program is tested with. */
const TESTED_DENO = "2.9.6";

/** Says what to do about a Deno that is too old; undefined if it is not. */
export function refusalOfDeno(version: string = Deno.version.deno): string | undefined {
  const numbersOf = (text: string) => text.split(/[.+-]/).slice(0, 2).map(Number);
  const [[major = 0, minor = 0], [oldMajor = 0, oldMinor = 0]] = [numbersOf(version), numbersOf(OLDEST_DENO)];
  if (major > oldMajor || (major === oldMajor && minor >= oldMinor)) return undefined;
  return `Cannot start: this is Deno ${version}, and Deno ${OLDEST_DENO} or later is needed. ` +
    `Run \`deno upgrade ${TESTED_DENO}\`, or write \`npx -y deno@${TESTED_DENO}\` for \`deno\``;
}

/** Whether the arguments ask for the version and nothing else. */
export function asksForVersion(args: readonly string[]): boolean {
  return args.length === 1 && (args[0] === "--version" || args[0] === "-V");
}
