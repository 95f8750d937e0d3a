/** One-use tickets with which browsers open streams. */
import { randomBytes } from "node:crypto";
import type { Deps, OperationContext, VerifiedKey } from "../../context.ts";
import { sha256Hex } from "../../crypto/hash.ts";
import { findApiKey } from "../../db/queries/api_keys.ts";
import * as queries from "../../db/queries/stream_tickets.ts";
import { ServiceError } from "../../errors.ts";
import type { StreamTicket } from "../../schema/stream.ts";
import { isExpired, refusedCredentials } from "./credentials.ts";
import { leastSensitive } from "../unit/trust.ts";

const TTL_SECONDS = 30;
const PREFIX = "svc_ticket_";
/** 32 random bytes. */
const FORM = /^svc_ticket_[A-Za-z0-9_-]{43}$/;
const OLD_MAX = 100;

/**
 * Makes a ticket that opens one stream on behalf of the caller's key, with the caller's clearance. Only its hash is
 * stored.
 * @throws ServiceError `insufficient_scope` under a break-glass grant, and for a token: the ticket would have the rights of
 *   its key
 */
export async function createStreamTicket(ctx: OperationContext): Promise<StreamTicket> {
  const { credential } = ctx;
  if (ctx.token !== undefined) {
    throw new ServiceError(
      "insufficient_scope",
      "Cannot create a ticket: a token opens the stream itself, in the Authorization header",
    );
  }
  if (credential === undefined || !ctx.actor.startsWith("key:")) {
    throw new ServiceError("insufficient_scope", "Cannot create a ticket: it needs the key of a workspace");
  }
  const ticket = PREFIX + randomBytes(32).toString("base64url");
  const expiresAt = new Date(ctx.deps.clock().getTime() + TTL_SECONDS * 1_000);
  await ctx.tx(async (tx) => {
    await queries.deleteOldStreamTickets(tx, OLD_MAX);
    const { maxSensitivity, via = null } = ctx;
    const row = { ticketHash: sha256Hex(ticket), publicId: credential, maxSensitivity, expiresAt, via };
    const keyId = await queries.insertStreamTicket(tx, row);
    if (keyId === undefined) throw refusedCredentials();
    tx.audit({ eventType: "stream_ticket.created", targets: [keyId], detail: { expiresAt: expiresAt.toISOString() } });
  });
  return { ticket, expiresAt: expiresAt.toISOString() };
}

/** The key behind a ticket. */
export interface RedeemedKey extends VerifiedKey {
  readonly via?: OperationContext["via"];
}

/**
 * Redeems a ticket, which can be used once.
 * @returns the key behind it, with its present rights and at most the clearance that the ticket was made with, and the face
 * through which the ticket was made
 * @param source the address of the caller
 * @throws ServiceError `unauthenticated` when the ticket is unknown, used or expired, or its key is no longer valid;
 * `rate_limited` after too many failures of the source
 */
export async function redeemStreamTicket(deps: Deps, ticket: string, source: string): Promise<RedeemedKey> {
  if (!FORM.test(ticket)) throw refusedCredentials();
  const ticketHash = sha256Hex(ticket);
  const attempt = await deps.failedAttempts.begin(source, ticketHash);
  let found: Awaited<ReturnType<typeof take>>;
  try {
    found = await take(deps, ticketHash);
  } catch (error) {
    await attempt.giveBack();
    throw error;
  }
  if (found === undefined) {
    attempt.fail();
    throw refusedCredentials();
  }
  await attempt.giveBack();
  const { taken, row } = found;
  return {
    ...(taken.via !== null && { via: taken.via }),
    actor: `key:${row.keyId}`,
    credential: taken.publicId,
    workspaceId: row.workspaceId,
    scopes: new Set(row.scopes),
    maxSensitivity: leastSensitive(taken.maxSensitivity, row.maxSensitivity),
    region: row.region,
    expiresAt: row.expiresAt,
    cidrs: row.cidrs,
    rateLimit: row.rateLimit,
    isSuspended: row.isSuspended,
  };
}

async function take({ db, clock }: Deps, ticketHash: string) {
  const found = await db.first(async (sql) => {
    const taken = await queries.redeemStreamTicket(sql, ticketHash);
    if (taken === undefined || isExpired(taken, clock())) return undefined;
    const row = await findApiKey(sql, taken.publicId);
    return row && { taken, row, workspaceId: row.workspaceId };
  });
  return found === undefined || found.row.revokedAt !== null || isExpired(found.row, clock()) ? undefined : found;
}
