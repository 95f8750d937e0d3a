/**
 * The version of the program, and what it needs to start: a Deno that is new enough, and its packages. It loads nothing
 * that an older Deno cannot load or that has to be downloaded.
 */
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

/** How Deno says that a package is not in its cache and cannot be downloaded. */
const NOT_DOWNLOADED =
  /^(?:Failed caching npm package|error sending request|Error getting response|Could not load|npm package not found)/i;

/**
 * Says what to do when a package could not be downloaded; undefined for any other error.
 * @param error what an `import()` threw
 */
export function refusalOfDownload(error: unknown): string | undefined {
  if (!(error instanceof TypeError) || !NOT_DOWNLOADED.test(error.message)) return undefined;
  const url = error.message.split(/[()\s]/).find((part) => URL.canParse(part) && /^https?:/.test(part));
  const where = url === undefined ? "npm's registry" : new URL(url).origin;
  return `Cannot start: its packages are not on this machine yet, and ${where} cannot be reached. ` +
    "Start it once with a network; behind a proxy, set HTTPS_PROXY";
}
