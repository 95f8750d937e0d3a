/**
 * The flags with which `deno` takes the locked packages and no others. Programs below `src/` need none, as
 * `src/deno.json` names the lock. The configuration of the top folder does not: `deno task` downloads all packages of a
 * lock that it knows before it runs anything, those of the tests, too.
 */
export const LOCKED: readonly string[] = [`--lock=${new URL("../deno.lock", import.meta.url).pathname}`, "--frozen"];
