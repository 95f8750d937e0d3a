/** What the start tells the person at the terminal: where the service is, with which key, and what to do next. */
import type { Config } from "../config.ts";
import { cliCommand } from "./deno_command.ts";

/** The data that a person needs for a first call. */
export interface FirstAccess {
  readonly workspaceId: string;
  readonly key: string;
  /** The address of the service on the machine that it runs on. */
  readonly url: string;
  /** Logs a browser on this machine in to the console, once. */
  readonly ticket: string;
}

/** Prints only to the terminal, because a log line would keep the secret. */
export function greetFirst({ workspaceId, key, url, ticket }: FirstAccess): void {
  console.error(
    `\n  First workspace  ${workspaceId}\n  First API key    ${key}\n` +
      `  Reference        ${url}/v1/docs\n` +
      `  Console          ${consoleLink(url, ticket)}\n\n` +
      `  ${ABOUT_LINK}\n` +
      "  The key is shown this once. Send it as `Authorization: Bearer <key>`. If it is lost, or another one is needed,\n" +
      `  while the service runs: ${cliCommand()} key create\n\n  A first fact, ready to paste:\n\n` +
      `curl -s ${url}/v1/memory/facts -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" ` +
      `-d '{"statement": "Caroline adopted a dog called Pixel last Friday."}'\n`,
  );
}

/** Says the same of a service that has been started before, without a key. */
export function greet(url: string, ticket: string): void {
  console.error(
    `\n  Console      ${consoleLink(url, ticket)}\n  Reference    ${url}/v1/docs\n` +
      `  Another key  ${cliCommand()} key create\n\n  ${ABOUT_LINK}\n`,
  );
}

const ABOUT_LINK = "The link to the console logs a browser on this machine in, once, within 15 minutes.";

/** The ticket stands behind `#`, which browsers send to nobody. */
function consoleLink(url: string, ticket: string): string {
  return `${url}/console/#ticket=${ticket}`;
}

/** An address that means every interface cannot be called. */
export function addressOf({ host, port }: Pick<Config, "host" | "port">): string {
  const callable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${callable.includes(":") ? `[${callable}]` : callable}:${port}`;
}
