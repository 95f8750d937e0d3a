/** How a person, or a program on this machine, starts this Deno again later. */

/** Folders in which npx, pnpm and Bun keep a package for one call; they empty them when they like. */
const KEPT_FOR_A_CALL = /[\\/](_npx|dlx|dlx-[^\\/]+|bunx-[^\\/]+)[\\/]/;

/** The program's path; of a Deno that npx fetched, the command that fetches the same release again. */
export function denoCommand(
  quote: (path: string) => string,
  program: string = Deno.execPath(),
  version: string = Deno.version.deno,
): string {
  return KEPT_FOR_A_CALL.test(program) ? `npx -y deno@${version}` : quote(program);
}

/** How a person calls the command line of this program, in its checkout. */
export function cliCommand(program: string = Deno.execPath()): string {
  if (Deno.build.standalone) return "svc";
  return `${denoCommand(() => "deno", program)} run -A src/cli/main.ts`;
}
