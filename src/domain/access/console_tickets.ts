/**
 * Tickets that open the console once, for whoever started the service at a terminal: the link that the start prints. A
 * ticket counts on the machine itself, for a few minutes, in the process that printed it.
 */
import { randomBytes } from "node:crypto";
import { createContext, type Deps, type OperationContext } from "../../context.ts";
import { sha256Hex } from "../../crypto/hash.ts";
import { DEFAULT_SCOPES, type Scope } from "../../schema/scopes.ts";
import { perService } from "../common/per_service.ts";
import { issueApiKey } from "./admin/api_keys.ts";
import { listWorkspaces } from "./admin/workspaces.ts";
import { operatorContext } from "./authorize.ts";
import { AGE_SECONDS } from "./console_sessions.ts";
import { refusedCredentials } from "./credentials.ts";

const TTL_SECONDS = 15 * 60;
/** Whoever can start the service on its data can do all of this by the command line, too. */
const SCOPES: readonly Scope[] = [...DEFAULT_SCOPES, "memory:admin"];

/** By the hash of each ticket, when it ends. */
const ticketsOf = perService(() => new Map<string, Date>());

/** Makes a ticket. */
export function createConsoleTicket(deps: Deps): string {
  const ticket = `svc_ticket_${randomBytes(32).toString("base64url")}`;
  ticketsOf(deps).set(sha256Hex(ticket), new Date(deps.clock().getTime() + TTL_SECONDS * 1_000));
  return ticket;
}

/**
 * Takes a ticket and makes a key of the oldest workspace for it, whose secret nobody learns. The key can be seen and
 * revoked like any other, and ends when a session does.
 * @param address the caller's, as the TCP connection has it
 * @returns the context of that key
 * @throws ServiceError `unauthenticated` when there is no such ticket, or the caller is on another machine
 */
export async function redeemConsoleTicket(
  deps: Deps,
  ticket: string,
  address: string | undefined,
  request: Parameters<typeof createContext>[2],
): Promise<OperationContext> {
  const tickets = ticketsOf(deps);
  const ends = isLoopback(address) ? tickets.get(sha256Hex(ticket)) : undefined;
  if (ends !== undefined) tickets.delete(sha256Hex(ticket));
  const [workspace] = ends === undefined || ends <= deps.clock()
    ? []
    : (await listWorkspaces(deps)).toSorted((a, b) => a.workspaceId < b.workspaceId ? -1 : 1);
  if (workspace === undefined) {
    throw refusedCredentials("the link was used or has ended, or was opened on another machine; log in with a key");
  }
  const { workspaceId } = workspace;
  const { id, publicId, scopes, maxSensitivity } = await issueApiKey(operatorContext(deps, workspaceId), {
    name: "console, opened at the terminal",
    scopes: [...SCOPES],
    maxSensitivity: "restricted",
    expiresAt: new Date(deps.clock().getTime() + AGE_SECONDS * 1_000).toISOString(),
    cidrs: [],
    rateLimit: { ...deps.config.rateLimit, perMinute: 0 },
  });
  const principal = {
    actor: `key:${id}`,
    credential: publicId,
    workspaceId,
    scopes: new Set(scopes),
    maxSensitivity,
  };
  return createContext(deps, principal, request);
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && (address === "::1" || /^(::ffff:)?127\./.test(address));
}
