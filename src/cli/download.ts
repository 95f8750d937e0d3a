/** Tells a person why the packages that the program needs cannot be had. It loads nothing that has to be downloaded. */

/** How Deno says that a package is not in its cache and cannot be downloaded. */
const FAILED =
  /^(?:Failed caching npm package|error sending request|Error getting response|Could not load|npm package not found)[^\n]*/i;

/**
 * Says what to do when a package could not be downloaded; undefined for any other error.
 * @param error what an `import()` threw
 */
export function refusalOfDownload(error: unknown): string | undefined {
  if (!(error instanceof TypeError) || !FAILED.test(error.message)) return undefined;
  const url = /\((https?:\/\/[^)\s]+)\)/.exec(error.message)?.[1];
  const where = url === undefined ? "npm's registry" : new URL(url).origin;
  return `Cannot start: its packages are not on this machine yet, and ${where} cannot be reached. ` +
    "Start it once with a network; behind a proxy, set HTTPS_PROXY";
}
