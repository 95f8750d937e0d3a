/**
 * `svc login`: gets a key for the command line after a person has agreed in the browser (RFC 8628), and keeps it in the
 * credentials file. The key is a grant: it ends in the console, under “Connected clients”.
 */
import type { Command } from "commander";
import { pause } from "../../pause.ts";
import { endWith } from "./error.ts";
import { agentCommand } from "./command.ts";
import { CommandError } from "./error.ts";
import { credentialsPath, readAddress, readKeptKey, writeCredentials } from "./credentials.ts";

/** The command line, as every service of this kind knows it. */
const CLIENT_ID = "svc";
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

interface Codes {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

interface Refusal {
  readonly error: string;
  readonly error_description?: string;
}

export function addLoginCommand(cli: Command): void {
  agentCommand(cli, "login", "get a key for the command line: a person agrees to it in the browser")
    .option("--url <url>", "address of the service; default: SVC_URL, or that of the credentials")
    .option("--replace", "replace the key that the credentials file has")
    .action(async ({ url = readAddress(), replace, json }: { url?: string; replace?: true; json?: true }) => {
      try {
        if (!replace && readKeptKey() !== undefined) {
          throw new CommandError(
            "bad_input",
            `Cannot log in: ${credentialsPath()} has a key already; --replace puts the new one in its place`,
          );
        }
        const address = url.replace(/\/$/, "");
        const key = await ask(address);
        writeCredentials({ url: address, key });
        console.log(
          json ? JSON.stringify({ url: address, credentials: credentialsPath() }) : `Logged in to ${address}.`,
        );
      } catch (error) {
        endWith(error, json === true);
      }
    });
}

/** Shows the person where to agree, and waits for it. @returns the key */
async function ask(address: string): Promise<string> {
  const codes = await send<Codes>(`${address}/oauth/device`, { client_id: CLIENT_ID, resource: address });
  if ("error" in codes) throw refused(codes);
  console.error(`Open ${codes.verification_uri_complete}\nand agree there, if it shows the code ${codes.user_code}.`);
  const form = { grant_type: DEVICE_GRANT, client_id: CLIENT_ID, device_code: codes.device_code };
  for (let seconds = codes.interval;;) {
    await pause(seconds * 1_000);
    const reply = await send<{ readonly access_token: string }>(`${address}/oauth/token`, form);
    if (!("error" in reply)) return reply.access_token;
    if (reply.error === "slow_down") seconds += 5;
    else if (reply.error !== "authorization_pending" && reply.error !== "temporarily_unavailable") throw refused(reply);
  }
}

async function send<T>(url: string, form: Readonly<Record<string, string>>): Promise<T | Refusal> {
  let reply: Response;
  try {
    reply = await fetch(url, { method: "POST", body: new URLSearchParams(form), redirect: "error" });
  } catch (cause) {
    throw new CommandError("retry_later", `Cannot reach the service at ${new URL(url).origin}`, { cause });
  }
  const body = await reply.json().catch(() => undefined);
  if (typeof body === "object" && body !== null) return body;
  throw new CommandError(
    "failed",
    `Cannot log in: ${new URL(url).origin} is not such a service, or of an earlier version`,
  );
}

function refused({ error, error_description: why }: Refusal): CommandError {
  if (error === "access_denied") return new CommandError("no_access", "Cannot log in: the person has denied it");
  return new CommandError("failed", why ?? `Cannot log in: ${error}`);
}
