/**
 * One run with one peer: greets it if that is due, publishes local changes, sends erasures, pulls the peer's pages to
 * the end, asks for a missing vote, and pushes to a peer that does not pull by itself. Each position is stored together
 * with the items up to it, so the next run finds whatever was lost on the way.
 */
import { createContext, type OperationContext } from "../../../context.ts";
import { readCursor } from "../../../db/queries/federation_publication.ts";
import * as queries from "../../../db/queries/federation_sync_runs.ts";
import { ServiceError } from "../../../errors.ts";
import type { SyncReport } from "../../../schema/federation_sync.ts";
import { turnFailed } from "../../../telemetry/federation_events.ts";
import { isLockTimeout } from "../../common/worker_lock_timeout.ts";
import { askClaims } from "./claims.ts";
import { greet, isGreetingDue, notePeerFault } from "../peers/greet.ts";
import { eventOfFault } from "../peers/peer_fault.ts";
import { isBehind, type PeerError } from "../peers/peer_state.ts";
import { announces, isAbroad } from "../peers/peers.ts";
import { publish } from "../register/publish.ts";
import { isReadable, pull } from "./pull.ts";
import { isComparable, reconcile } from "./reconcile.ts";
import { notePeerEvent, standingOf } from "../peers/standing.ts";
import { push, tellErasures } from "./tell_peer.ts";
import { afterInterval, SyncRun, SyncRunLost, type SyncRunOptions } from "./sync_run.ts";

/** The longest run; the next run continues where it ended. A job has its own limit. */
export const TURN_MS_MAX = 600_000;
/** How long to wait after a failure that is not the peer's fault. */
const RETRY_MS = 30_000;
const HOUR_MS = 3_600_000;

/**
 * Takes a run with a peer.
 * @returns the result, also if the run stopped early; undefined if another process holds the run, or there is no such
 * peer
 * @throws errors that are no fault of the peer
 */
export async function syncWithPeer(
  ctx: OperationContext,
  peer: string,
  options: SyncRunOptions = {},
): Promise<Omit<SyncReport, "durationMs"> | undefined> {
  const timed = AbortSignal.timeout(TURN_MS_MAX);
  const signal = AbortSignal.any([ctx.signal, timed]);
  const began = performance.now();
  using run = await SyncRun.begin(createContext(ctx.deps, ctx, { ...ctx, signal }), peer, options);
  if (run === undefined) return undefined;
  let error: SyncReport["error"] = null;
  try {
    error = await exchange(run);
  } catch (cause) {
    if (ctx.signal.aborted) throw cause;
    error = await noteEnd(ctx, run, cause, timed.aborted);
  } finally {
    await run.end();
    ctx.deps.telemetry.metrics.observeTurn((performance.now() - began) / 1_000);
  }
  return { peer, ...run.report, error };
}

/** Returns why a run stopped early, and stores it if it is a fault of the peer. */
async function noteEnd(
  ctx: OperationContext,
  run: SyncRun,
  cause: unknown,
  isTooLong: boolean,
): Promise<NonNullable<SyncReport["error"]>> {
  const { id } = run.peer;
  const { log } = ctx.deps.telemetry;
  if (cause instanceof SyncRunLost) return { code: "conflict", message: "Another process continues with the peer" };
  if (isTooLong) {
    // A run that brings items counts as a success, however many are left.
    const { received, sent } = run.counts;
    if (received + sent > 0 && isBehind(standingOf(run.peer))) await notePeerEvent(ctx, id, { kind: "level" });
    await ctx.tx((tx) => queries.hurrySyncRun(tx, id));
    return { code: "deadline_exceeded", message: "The run took too long; the next one goes on where it ended" };
  }
  if (run.isOver) return { code: "conflict", message: "The peer's entry was changed or removed meanwhile" };
  const fault = eventOfFault(cause);
  if (fault === undefined) {
    if (!isLockTimeout(cause)) turnFailed(log, { workspaceId: ctx.workspaceId, peer: id, error: cause });
    await ctx.tx((tx) => queries.postponeSyncRun(tx, id, new Date(tx.now.getTime() + RETRY_MS)));
    if (cause instanceof ServiceError) return { code: cause.code, message: cause.message };
    return { code: "internal", message: "An internal error; see the log" };
  }
  turnFailed(log, { workspaceId: ctx.workspaceId, peer: id, error: cause });
  const peer = await notePeerFault(ctx, id, cause);
  return errorOf(peer?.lastError) ?? { code: "rate_limited", message: "The peer asks to wait" };
}

function errorOf(lastError: unknown): SyncReport["error"] {
  if (lastError === null || lastError === undefined) return null;
  const { code, message } = lastError as PeerError;
  return { code, message };
}

/** Does the steps of a run. Returns why the peer could not be greeted; null if all steps were done. */
async function exchange(run: SyncRun): Promise<SyncReport["error"]> {
  const { ctx, options: { mode = "both" } } = run;
  const refusal = await greetIfDue(run);
  if (refusal !== null) return refusal;
  while (await publish(ctx)) await run.hold();
  await tellErasures(run);
  const isPulling = mode !== "push" && isReadable(run.peer);
  const isAnew = isPulling && await pull(run);
  if (mode !== "push") await askClaims(run);
  if (mode !== "pull" && isPushed(run)) await pushNews(run);
  const now = ctx.deps.clock();
  const isWanted = run.options.reconcile === true || isAnew || isReconciliationDue(run, now);
  if (isWanted && isComparable(run.peer)) await reconcile(run);
  run.noteLevel();
  if (isBehind(standingOf(run.peer))) await notePeerEvent(ctx, run.peer.id, { kind: "level" });
  return null;
}

/**
 * Whether a run pushes, to a peer that announces that it takes pushed items: if it only receives, and in a job that asks for
 * it unless the peer only pushes.
 */
function isPushed({ peer, options }: SyncRun): boolean {
  if (!announces(peer, "push-1")) return false;
  const { direction, told } = peer;
  return direction === "push" || (options.mode !== undefined && told.direction !== "push");
}

/**
 * Greets a peer that is not ACTIVE, or whose last handshake was some hours ago. Returns why it could not be greeted.
 */
async function greetIfDue(run: SyncRun): Promise<SyncReport["error"]> {
  const { ctx } = run;
  if (!isGreetingDue(run.peer, ctx.deps.clock())) return null;
  await run.hold();
  const greeted = await greet(ctx, run.peer);
  if (greeted === undefined || greeted.state !== "ACTIVE") {
    return errorOf(greeted?.lastError) ?? { code: "not_found", message: "The peer is not approved any more" };
  }
  run.peer = greeted;
  // A greeting makes the next run due at once; that is this run, so the next one is postponed.
  await ctx.tx((tx) => queries.postponeSyncRun(tx, greeted.id, afterInterval(ctx, tx.now)));
  return null;
}

/** Pushes entries after the last place that the peer has; after place 0 if our own record began again. */
async function pushNews(run: SyncRun): Promise<void> {
  const { pushedSeq } = run.state;
  const cursor = await run.ctx.tx((tx) => readCursor(tx), { readOnly: true });
  await push(run, pushedSeq < (cursor?.nextSeq ?? 0) ? pushedSeq : 0);
}

function isReconciliationDue({ ctx, peer, state: { reconciledAt } }: SyncRun, now: Date): boolean {
  const { federation } = ctx.deps.config;
  // A peer in another region may not read the digest.
  if (isAbroad(peer)) return false;
  return reconciledAt === null || now.getTime() - reconciledAt.getTime() >= federation.reconcileHours * HOUR_MS;
}
