/**
 * The states of a peer: DISCOVERED → HANDSHAKE → ACTIVE ⇄ DEGRADED. Pure: computes how an event changes a peer's row
 * and what else has to be done. Times come from the caller, so that the backoff and the day until a peer is stale
 * survive a restart.
 */
import { ServiceError } from "../../../errors.ts";
import type { PeerSource, PeerState } from "../../../schema/federation_peer.ts";

/** Why the last attempt failed. The message says what to do. */
export interface PeerError {
  readonly code: string;
  readonly message: string;
  /** RFC 3339. */
  readonly at: string;
}

/** The members of a peer's row that events change. */
export interface PeerStanding {
  readonly source: PeerSource;
  readonly state: PeerState;
  readonly approvedAt: Date | null;
  readonly approvedBy: string | null;
  readonly removedAt: Date | null;
  /**
   * Since when no sync run has succeeded, although one was tried; null while sync runs succeed, and before the first attempt. A
   * good handshake does not end it, because a peer could greet us well for ever and never give a valid page.
   */
  readonly degradedAt: Date | null;
  readonly successAt: Date | null;
  /** Failures since the last successful sync run: a peer that greets well but sends invalid pages waits longer, too. */
  readonly failures: number;
  readonly nextAttemptAt: Date | null;
  readonly lastError: PeerError | null;
  /** Whether no exchange has succeeded for a day. */
  readonly isStale: boolean;
}

export type PeerEvent =
  /** DNS names it. `pending`: how many peers of the workspace wait for approval. */
  | { readonly kind: "found"; readonly pending: number }
  /** Somebody adds it. An operator or an invitation approves it by that; `by` is who approves it. */
  | { readonly kind: "added"; readonly by?: string }
  /** The configuration names it. */
  | { readonly kind: "configured" }
  /** Somebody approves it. `hasPin`: whether the certificate of its server is pinned. */
  | { readonly kind: "approved"; readonly by: string; readonly hasPin: boolean }
  /** Our own handshake with it succeeded. */
  | { readonly kind: "greeted" }
  /** A sync run with it succeeded. */
  | { readonly kind: "level" }
  /**
   * No usable answer came, after one retry: connection, TLS, pin, deadline, 5xx, or a reply that cannot be verified.
   */
  | { readonly kind: "failed"; readonly code: string; readonly message: string }
  /** It answered 429. */
  | { readonly kind: "throttled"; readonly retryAfterMs: number }
  /** It answered 401 or 403: keys or approval have changed at the peer. */
  | { readonly kind: "refused"; readonly code: string; readonly message: string }
  /** An authenticated request of the peer arrived. */
  | { readonly kind: "heard" }
  /** Time has passed. `seenAt`: when DNS named it last. */
  | { readonly kind: "passed"; readonly seenAt: Date | null }
  | { readonly kind: "removed" };

/** What has to be done besides storing the changes. */
export type PeerEffect =
  /** Write an audit row and, if `feed` is given, a row of the change feed. */
  | { readonly kind: "tell"; readonly audit: string; readonly feed?: string; readonly detail?: Record<string, unknown> }
  /** Log the alert that the peer is stale. */
  | { readonly kind: "alert" }
  /** Make every process close its connections to the peer and end its sync runs with it. */
  | { readonly kind: "disconnect" }
  /** Delete the row. */
  | { readonly kind: "forget" }
  /**
   * Delete the peer's secrets, keys, pins, invitations and pending notices, and revoke the API key that it was given.
   */
  | { readonly kind: "wipe" };

/** How a peer's row changes, and what else has to be done. */
export interface Advance {
  readonly changes: Partial<PeerStanding>;
  readonly effects: readonly PeerEffect[];
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The waits after the first, second, … failure in a row. */
const BACKOFF_MS = [30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS];
/**
 * Up to this share of a wait is added to it at random, so that peers that failed together do not come back together.
 */
const JITTER = 0.1;
const RETRY_AFTER_MS_MAX = 10 * MINUTE_MS;
/** After a sign of life an attempt follows, but not sooner than this after the last failure. */
const HEARD_MS_MIN = 5 * SECOND_MS;
/** The most peers of a workspace that may wait for approval. */
export const PENDING_MAX = 64;

const NOTHING: Advance = { changes: {}, effects: [] };

/** Returns how long to wait after this many failures in a row, in milliseconds, without the random share. */
export function backoffMs(failures: number): number {
  return BACKOFF_MS[Math.min(Math.max(failures, 1), BACKOFF_MS.length) - 1];
}

/**
 * Computes how an event changes a peer.
 * @param row undefined if the peer is not known yet
 * @throws ServiceError `invalid_transition` if somebody approves an approved peer; `validation_failed` if DNS named the
 * peer and its pin is missing
 */
export function advancePeer(
  row: PeerStanding | undefined,
  event: PeerEvent,
  now: Date,
  random: () => number,
): Advance {
  if (row === undefined) return enter(event, now);
  if (row.removedAt !== null) return NOTHING;
  switch (event.kind) {
    case "approved":
      return approve(row, event, now);
    case "removed":
      return {
        changes: { removedAt: now, nextAttemptAt: null, lastError: null, isStale: false },
        effects: [{ kind: "tell", audit: "federation.peer_removed", feed: "peer.removed" }, { kind: "wipe" }, {
          kind: "disconnect",
        }],
      };
    case "passed":
      return pass(row, event.seenAt, now);
    case "found":
    case "added":
    case "configured":
      return NOTHING;
    default:
      return row.approvedAt === null ? NOTHING : exchange(row, event, now, random);
  }
}

/** Handles the event by which an unknown peer gets an entry. */
function enter(event: PeerEvent, now: Date): Advance {
  const standing = (source: PeerSource, approvedBy?: string): PeerStanding => ({
    source,
    state: approvedBy === undefined ? "DISCOVERED" : "HANDSHAKE",
    approvedAt: approvedBy === undefined ? null : now,
    approvedBy: approvedBy ?? null,
    removedAt: null,
    degradedAt: null,
    successAt: null,
    failures: 0,
    nextAttemptAt: approvedBy === undefined ? null : now,
    lastError: null,
    isStale: false,
  });
  switch (event.kind) {
    case "found":
      if (event.pending >= PENDING_MAX) return NOTHING;
      return {
        changes: standing("srv"),
        effects: [{ kind: "tell", audit: "federation.peer_discovered", feed: "peer.discovered" }],
      };
    case "added":
      return {
        changes: standing("stored", event.by),
        effects: [{ kind: "tell", audit: "federation.peer_added", feed: "peer.added" }],
      };
    case "configured":
      return {
        changes: standing("config", "config"),
        effects: [{ kind: "tell", audit: "federation.peer_added", feed: "peer.added" }],
      };
    default:
      return NOTHING;
  }
}

function approve(row: PeerStanding, { by, hasPin }: PeerEvent & { kind: "approved" }, now: Date): Advance {
  if (row.approvedAt !== null) {
    throw new ServiceError("invalid_transition", "Cannot approve the peer: it is approved");
  }
  if (row.source === "srv" && !hasPin) {
    throw new ServiceError("validation_failed", "Cannot approve the peer: DNS named it, which proves nothing", {
      errors: [{ path: "certPin", message: "give it: compare it with what the peer's operator tells you" }],
    });
  }
  return {
    changes: { state: "HANDSHAKE", approvedAt: now, approvedBy: by, nextAttemptAt: now },
    effects: [{ kind: "tell", audit: "federation.peer_approved", feed: "peer.state_changed" }, { kind: "disconnect" }],
  };
}

/**
 * Handles the passing of time: an approved peer may become stale, and a peer that DNS has not named for a day is
 * deleted.
 */
function pass(row: PeerStanding, seenAt: Date | null, now: Date): Advance {
  if (row.approvedAt !== null) return noteStale(row, {}, now);
  const isGone = row.source === "srv" && seenAt !== null && now.getTime() - seenAt.getTime() >= DAY_MS;
  return isGone ? { changes: {}, effects: [{ kind: "forget" }] } : NOTHING;
}

type Exchange = Extract<PeerEvent, { kind: "greeted" | "level" | "failed" | "throttled" | "refused" | "heard" }>;

/** Handles the events of an exchange with an approved peer. */
function exchange(row: PeerStanding, event: Exchange, now: Date, random: () => number): Advance {
  switch (event.kind) {
    case "greeted":
      return greet(row, now);
    case "level":
      return level(row);
    case "heard":
      return hear(row, now);
    case "throttled": {
      const waitMs = Math.min(Math.max(event.retryAfterMs, SECOND_MS), RETRY_AFTER_MS_MAX);
      return noteStale(row, { nextAttemptAt: after(now, waitMs), degradedAt: row.degradedAt ?? now }, now);
    }
    case "refused":
      return row.state === "ACTIVE" ? askAnew(row, event, now, random) : fail(row, event, now, random);
    case "failed":
      return fail(row, event, now, random);
  }
}

function greet(row: PeerStanding, now: Date): Advance {
  const changes = { successAt: now, lastError: null, nextAttemptAt: now };
  if (row.state === "ACTIVE") return { changes, effects: [] };
  // A stale peer is back only when a sync run succeeds.
  const isBack = row.state === "DEGRADED" && !row.isStale;
  return {
    changes: { ...changes, state: "ACTIVE" },
    effects: [
      isBack
        ? { kind: "tell", audit: "federation.peer_recovered", feed: "peer.recovered" }
        : { kind: "tell", audit: "federation.peer_active", feed: "peer.state_changed" },
    ],
  };
}

/** Handles a successful sync run: only this shows that the peer is back. */
function level(row: PeerStanding): Advance {
  if (!isBehind(row)) return NOTHING;
  return {
    changes: { failures: 0, degradedAt: null, isStale: false },
    effects: row.isStale ? [{ kind: "tell", audit: "federation.peer_recovered", feed: "peer.recovered" }] : [],
  };
}

/** Whether a successful sync run with a peer has to be noted, because something failed since the last one. */
export function isBehind({ failures, degradedAt, isStale }: PeerStanding): boolean {
  return failures > 0 || degradedAt !== null || isStale;
}

/** Brings the next attempt forward: an outage ends at the peer's first sign of life, not after the whole backoff. */
function hear(row: PeerStanding, now: Date): Advance {
  if (row.state === "ACTIVE" || row.nextAttemptAt === null) return NOTHING;
  const failedAt = row.lastError === null ? -Infinity : Date.parse(row.lastError.at);
  const soon = new Date(Math.max(now.getTime(), failedAt + HEARD_MS_MIN));
  return soon < row.nextAttemptAt ? { changes: { nextAttemptAt: soon }, effects: [] } : NOTHING;
}

/**
 * Handles that an ACTIVE peer no longer accepts us: a new handshake decides immediately. If the peer greets us and
 * refuses us again, the next handshake waits.
 */
function askAnew(
  row: PeerStanding,
  error: PeerEvent & { kind: "refused" },
  now: Date,
  random: () => number,
): Advance {
  const waitMs = row.failures === 0 ? 0 : backoffMs(row.failures) * (1 + JITTER * random());
  const then = noteStale(row, {
    state: "HANDSHAKE",
    degradedAt: row.degradedAt ?? now,
    failures: row.failures + 1,
    nextAttemptAt: after(now, waitMs),
    lastError: errorOf(error, now),
  }, now);
  return {
    changes: then.changes,
    effects: [
      { kind: "tell", audit: "federation.peer_refused_us", feed: "peer.state_changed", detail: { code: error.code } },
      ...then.effects,
    ],
  };
}

function fail(
  row: PeerStanding,
  error: PeerEvent & { kind: "failed" | "refused" },
  now: Date,
  random: () => number,
): Advance {
  const isFirst = row.state === "ACTIVE";
  const failures = row.failures + 1;
  const waitMs = backoffMs(failures) * (1 + JITTER * random());
  const effects: PeerEffect[] = [];
  if (error.code === "pin_mismatch") effects.push({ kind: "tell", audit: "federation_cert_pin_mismatch" });
  if (isFirst) {
    effects.push({
      kind: "tell",
      audit: "federation.peer_degraded",
      feed: "peer.state_changed",
      detail: { code: error.code },
    });
  }
  const changes: Partial<PeerStanding> = {
    state: isFirst ? "DEGRADED" : row.state,
    degradedAt: isFirst ? row.degradedAt ?? now : row.degradedAt,
    failures,
    nextAttemptAt: notBeyond(staleAt(row, isFirst ? row.degradedAt ?? now : row.degradedAt), after(now, waitMs), now),
    lastError: errorOf(error, now),
  };
  const after24h = noteStale(row, changes, now);
  return { changes: after24h.changes, effects: [...effects, ...after24h.effects] };
}

/** Marks a peer as stale, once, if no sync run has succeeded for a day. */
function noteStale(row: PeerStanding, changes: Partial<PeerStanding>, now: Date): Advance {
  const next = { ...row, ...changes };
  const at = staleAt(next, next.degradedAt);
  const isWell = next.state === "ACTIVE" && next.degradedAt === null;
  if (isWell || at === undefined || now < at) return { changes, effects: [] };
  return {
    changes: { ...changes, isStale: true },
    effects: [{ kind: "tell", audit: "federation.peer_stale", feed: "peer.stale" }, { kind: "alert" }],
  };
}

/** Returns when the peer becomes stale unless an exchange succeeds; undefined if it is stale already. */
function staleAt(row: PeerStanding, degradedAt: Date | null): Date | undefined {
  const since = degradedAt ?? row.approvedAt;
  return row.isStale || since === null ? undefined : after(since, DAY_MS);
}

/** Limits the time of the next attempt, so that one is made when the peer becomes stale and not up to an hour later. */
function notBeyond(limit: Date | undefined, next: Date, now: Date): Date {
  return limit !== undefined && limit > now && limit < next ? limit : next;
}

function errorOf({ code, message }: { readonly code: string; readonly message: string }, now: Date): PeerError {
  return { code, message, at: now.toISOString() };
}

function after(now: Date, ms: number): Date {
  return new Date(now.getTime() + Math.round(ms));
}
