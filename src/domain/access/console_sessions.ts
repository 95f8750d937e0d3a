/** Sessions of the console: a browser's cookie in the place of a key, below `/console/api/` only. */
import { randomBytes } from "node:crypto";
import type { Deps, OperationContext, VerifiedKey } from "../../context.ts";
import { sha256Hex } from "../../crypto/hash.ts";
import { findApiKey } from "../../db/queries/api_keys.ts";
import * as queries from "../../db/queries/console_sessions.ts";
import { ServiceError } from "../../errors.ts";
import { leastSensitive } from "../unit/trust.ts";
import { isExpired, refusedCredentials } from "./credentials.ts";

/** A session that nobody uses for so long ends. */
export const IDLE_SECONDS = 30 * 60;
/** No session lasts longer. */
export const AGE_SECONDS = 12 * 3_600;
/** For so long a session may change something after its user asked for it. */
export const WRITING_SECONDS = 15 * 60;
/** The most sessions of a key; a further one ends the oldest. */
const OF_KEY_MAX = 10;
const PREFIX = "svc_console_";
/** 32 random bytes, so nobody guesses one. */
const FORM = /^svc_console_[A-Za-z0-9_-]{43}$/;

/** What a request of a session carries. */
export interface SessionCredentials {
  /** The cookie's value; empty if there is none. */
  readonly token: string;
  /**
   * What the page got when it logged in and keeps where only its own origin reads it: a browser sends the cookie to other
   * servers of the same host as well. Empty if there is none.
   */
  readonly proof: string;
}

/** What the page may know about its session. */
export interface ConsoleSession {
  /** Until when it may change something; null: it only reads. */
  readonly writesUntil: string | null;
  readonly expiresAt: string;
  readonly idleSeconds: number;
  /** The admin whose session it is; null: it is that of a workspace's key. */
  readonly admin: { readonly id: string; readonly name: string } | null;
  /** Whether it may make, rotate and revoke keys: an admin's those of all workspaces, another one its own workspace's. */
  readonly managesKeys: boolean;
}

/** The issuer that vouches for the user of a session, and what it calls the user. */
export interface SignedInBy {
  readonly issuer: string;
  readonly subject: string;
}

/** The cookie's value and the proof of a new session. */
export function newCredentials(prefix: string): SessionCredentials {
  return { token: prefix + randomBytes(32).toString("base64url"), proof: randomBytes(32).toString("base64url") };
}

/**
 * Opens a session with the rights of the caller's key. It only reads until `setConsoleWriting`.
 * @param managesKeys whether it may make keys of its workspace, too
 * @param signedIn by which issuer its user signed in, and as whom; a key was presented otherwise
 * @returns the cookie's value and the proof, of which only hashes are stored
 * @throws ServiceError `insufficient_scope` under a break-glass grant, and for a token: the session would outlast it
 */
export async function openConsoleSession(
  ctx: OperationContext,
  { managesKeys = false, signedIn }: { readonly managesKeys?: boolean; readonly signedIn?: SignedInBy } = {},
): Promise<SessionCredentials & { readonly session: ConsoleSession }> {
  const { credential: publicId, maxSensitivity, deps } = ctx;
  if (publicId === undefined || !ctx.actor.startsWith("key:") || ctx.token !== undefined) {
    throw new ServiceError("insufficient_scope", "Cannot open the console: it needs the key of a workspace");
  }
  const credentials = newCredentials(PREFIX);
  const expiresAt = new Date(deps.clock().getTime() + AGE_SECONDS * 1_000);
  await ctx.tx(async (tx) => {
    const row = {
      ...hashesOf(credentials),
      publicId,
      managesKeys,
      scopes: [...ctx.scopes],
      maxSensitivity,
      expiresAt,
    };
    const keyId = await queries.insertConsoleSession(tx, row);
    if (keyId === undefined) throw refusedCredentials();
    await queries.deleteOldConsoleSessions(tx, keyId, OF_KEY_MAX);
    const detail = { expiresAt: expiresAt.toISOString(), ...(signedIn && { signedIn }) };
    tx.audit({ eventType: "console_session.created", targets: [keyId], detail });
  });
  return {
    ...credentials,
    session: {
      writesUntil: null,
      expiresAt: expiresAt.toISOString(),
      idleSeconds: IDLE_SECONDS,
      admin: null,
      managesKeys,
    },
  };
}

/** A session in use: its key, with the rights that both have. */
export interface UsedSession {
  readonly key: VerifiedKey;
  readonly mayWrite: boolean;
  readonly session: ConsoleSession;
}

/**
 * Finds the session of a cookie. It is read from the database each time, so that it ends in all processes at once with
 * its key, or when its user leaves.
 * @throws ServiceError `unauthenticated` when there is none, or it or its key has ended
 */
export async function useConsoleSession(
  { db, clock }: Deps,
  credentials: SessionCredentials,
): Promise<UsedSession> {
  const now = clock();
  const found = !FORM.test(credentials.token) ? undefined : await db.first(async (sql) => {
    const used = await queries.useConsoleSession(sql, hashesOf(credentials), now, IDLE_SECONDS);
    const row = used && await findApiKey(sql, used.publicId);
    return row && { used, row, workspaceId: row.workspaceId };
  });
  if (found === undefined || found.row.revokedAt !== null || isExpired(found.row, now)) {
    throw refusedCredentials("the session of the console has ended; log in again");
  }
  const { used, row } = found;
  const { writesUntil, expiresAt, managesKeys } = used;
  const mayWrite = writesUntil !== null && writesUntil > now;
  return {
    mayWrite,
    session: {
      writesUntil: mayWrite ? writesUntil.toISOString() : null,
      expiresAt: expiresAt.toISOString(),
      idleSeconds: IDLE_SECONDS,
      admin: null,
      managesKeys,
    },
    key: {
      actor: `key:${row.keyId}`,
      credential: used.publicId,
      workspaceId: row.workspaceId,
      scopes: new Set(row.scopes).intersection(new Set(used.scopes)),
      maxSensitivity: leastSensitive(used.maxSensitivity, row.maxSensitivity),
      region: row.region,
      expiresAt: row.expiresAt,
      cidrs: row.cidrs,
      rateLimit: row.rateLimit,
      isSuspended: row.isSuspended,
    },
  };
}

/** Lets a session change something for a while, or ends that. */
export async function setConsoleWriting(
  ctx: OperationContext,
  credentials: SessionCredentials,
  isOn: boolean,
): Promise<ConsoleSession> {
  const { deps } = ctx;
  const until = isOn ? new Date(deps.clock().getTime() + WRITING_SECONDS * 1_000) : null;
  await ctx.tx(async (tx) => {
    await queries.setConsoleWriting(tx, hashesOf(credentials).sessionHash, until);
    const detail = { writesUntil: until?.toISOString() ?? null };
    tx.audit({ eventType: "console_session.writing", targets: [keyIdOf(ctx)], detail });
  });
  return (await useConsoleSession(deps, credentials)).session;
}

/** Ends a session. */
export async function closeConsoleSession(ctx: OperationContext, credentials: SessionCredentials): Promise<void> {
  await ctx.tx(async (tx) => {
    await queries.deleteConsoleSession(tx, hashesOf(credentials).sessionHash);
    tx.audit({ eventType: "console_session.ended", targets: [keyIdOf(ctx)] });
  });
}

/** What is stored of a session. */
export function hashesOf({ token, proof }: SessionCredentials) {
  return { sessionHash: sha256Hex(token), proofHash: sha256Hex(proof) };
}

function keyIdOf({ actor }: OperationContext): string {
  return actor.slice("key:".length);
}
