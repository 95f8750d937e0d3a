/** The background loops of a process. Each enters one workspace at a time, as a request does. */
import { createContext, type Deps, type OperationContext, type Principal } from "../context.ts";
import { listWorkspaces } from "../domain/access/admin/workspaces.ts";
import { forgetOldAddresses, makeCheckpoint, nextForgettingAt } from "../domain/audit/checkpoints.ts";
import type { StepEnd } from "../domain/common/activity.ts";
import { isLockTimeout, WORKER_LOCK_TIMEOUT_MS } from "../domain/common/worker_lock_timeout.ts";
import { SYSTEM_WORKSPACE } from "../domain/common/system.ts";
import { writeLoadOf } from "../domain/common/write_load.ts";
import { discoverPeers } from "../domain/federation/peers/discovery.ts";
import { openSeen, relinkChanged } from "../domain/kinds/entities/mention_work.ts";
import { expireDueFacts, nextExpiryAt } from "../domain/kinds/facts/lifecycle.ts";
import { keyStatements } from "../domain/kinds/facts/rekey_statements.ts";
import { listWorkspacesToRefold, refoldFacts, refoldVersions } from "../domain/kinds/facts/refold.ts";
import { compactPostings } from "../domain/upkeep/compacting.ts";
import { keepNearestIndex } from "../domain/recall/database/nearest_index.ts";
import { flushUsage, listUsed } from "../domain/recall/noted/usage.ts";
import { nextLapseAt, releaseLapsedTasks } from "../domain/tasks/tasks.ts";
import { linkOldStatements } from "../domain/unit/link_old.ts";
import { nameOldUnits } from "../domain/unit/names/unit_names.ts";
import { restemTexts } from "../domain/unit/restem.ts";
import { continuePasses } from "../domain/unit/standing.ts";
import { embedWorkspace } from "../domain/upkeep/embedding.ts";
import { runJobs } from "../domain/upkeep/job_works.ts";
import { eraseOldRestricted } from "../domain/upkeep/retention.ts";
import { consolidateWhenDue, nextConsolidationAt } from "../domain/upkeep/schedule.ts";
import { nextSnapshotAt, takeDueSnapshot } from "../domain/upkeep/snapshots.ts";
import { nextSweepAt, sweepWorkspace } from "../domain/upkeep/sweeping.ts";
import { nextRevaluationAt, revalueDue } from "../domain/upkeep/worth_votes.ts";
import { type ContextOf, webhookSenderOf } from "../domain/webhooks/sender.ts";
import { ServiceError } from "../errors.ts";
import type { Sensitivity } from "../schema/common.ts";
import { SCOPES } from "../schema/scopes.ts";
import { upgradeBegun } from "../telemetry/database_events.ts";
import { workerFailed, workerGaveWay } from "../telemetry/events.ts";
import { exchangeWithPeers, restWithPeers } from "./federation.ts";
import { DueWork } from "./due_work.ts";
import type { QueuedLoop } from "./work_queue.ts";
import { pause } from "../pause.ts";

/** One loop: its work in a workspace, and how long it rests between two rounds. */
export interface WorkerLoop extends QueuedLoop {
  /** Does a bounded piece of work. */
  readonly step: (ctx: OperationContext) => Promise<StepEnd>;
  /** When there will be work that no change announces; asked after a step that found nothing more to do. */
  readonly dueAt?: (ctx: OperationContext) => Promise<Date | undefined>;
  /** Whether the loop steps between the writes of requests, and seldom while they go on. */
  readonly yields?: true;
  /** Whether it steps once more when the service stops, because its data is only in memory until then. */
  readonly lastStep?: true;
  /**
   * `all`: it also steps for work that belongs to no workspace; `system`: only for that; a function: in the workspaces that
   * it names. Default: where something happens or becomes due.
   */
  readonly places?: "all" | "system" | ((deps: Deps) => readonly string[]);
  /** Rests in another way, if something may wake the loop before the time is over. */
  readonly rest?: (deps: Deps) => Promise<void>;
}

export const WORKER_LOOPS: readonly WorkerLoop[] = [
  { name: "embedding", restMs: 500, step: embedWorkspace, yields: true },
  { name: "mentions", restMs: 500, step: inTurn(openSeen, relinkChanged), yields: true },
  { name: "vector_index", restMs: 5_000, step: allAtOnce(keepNearestIndex), places: "system" },
  { name: "newer_links", restMs: 30_000, step: linkOldStatements, yields: true },
  { name: "stems", restMs: 30_000, step: restemTexts, yields: true },
  { name: "compaction", restMs: 5_000, step: compactPostings, yields: true },
  { name: "usage", restMs: 2_000, step: allAtOnce(flushUsage), lastStep: true, places: listUsed },
  { name: "expiry", restMs: 30_000, step: untilNone(expireDueFacts), dueAt: nextExpiryAt },
  {
    name: "audit",
    restMs: 60_000,
    step: inTurn(allAtOnce(makeCheckpoint), forgetOldAddresses),
    dueAt: nextForgettingAt,
    places: "all",
    onUse: true,
    lastStep: true,
  },
  { name: "leases", restMs: 5_000, step: untilNone(releaseLapsedTasks), dueAt: nextLapseAt },
  { name: "truth", restMs: 1_000, step: continuePasses },
  { name: "jobs", restMs: 1_000, step: runJobs },
  { name: "consolidation", restMs: 60_000, step: allAtOnce(consolidateWhenDue), dueAt: nextConsolidationAt },
  { name: "snapshots", restMs: 30_000, step: allAtOnce(takeDueSnapshot), dueAt: nextSnapshotAt, onUse: true },
  {
    name: "sweeping",
    restMs: 60_000,
    step: inTurn(sweepWorkspace, eraseOldRestricted),
    dueAt: nextSweepAt,
    places: "all",
    onUse: true,
  },
  { name: "unit_names", restMs: 5_000, step: nameOldUnits },
  { name: "fact_names", restMs: 5_000, step: inTurn(inTurn(refoldFacts, refoldVersions), keyStatements) },
  { name: "worth", restMs: 10_000, step: revalueDue, dueAt: nextRevaluationAt, yields: true, onUse: true },
  { name: "federation", restMs: 1_000, step: federate, places: "system", rest: restWithPeers },
  { name: "discovery", restMs: 300_000, step: allAtOnce(discover), places: "system" },
];

/** The loops that step where something happens or becomes due. */
export const DUE_LOOPS = WORKER_LOOPS.filter(({ places }) => places === undefined || places === "all");

type Step = WorkerLoop["step"];

/** Runs two steps one after the other; what is sooner of their ends counts. */
function inTurn(first: Step, second: Step): Step {
  return async (ctx) => {
    const ends = [await first(ctx), await second(ctx)];
    const dates = ends.filter((end) => end instanceof Date);
    return ends.find((end) => end === true) ?? ends.find((end) => end === "later") ??
      dates.sort((a, b) => a.getTime() - b.getTime())[0] ?? false;
  };
}

/** Makes a step of work that is always finished in one call. */
function allAtOnce(work: (ctx: OperationContext) => Promise<unknown>): Step {
  return async (ctx) => {
    await work(ctx);
    return false;
  };
}

/** Makes a step of work that returns how much it did; there may be more unless that is 0. */
function untilNone(work: (ctx: OperationContext) => Promise<number>): Step {
  return async (ctx) => await work(ctx) > 0;
}

/** Asks DNS once and offers the found peers in the configured workspaces. */
async function discover(ctx: OperationContext): Promise<void> {
  await discoverPeers(ctx, (workspaceId) => workerContext(ctx.deps, "discovery", workspaceId, ctx.signal));
}

/** Runs due work with the peers of all workspaces. */
function federate(ctx: OperationContext): Promise<boolean> {
  return exchangeWithPeers(ctx, (workspaceId) => workerContext(ctx.deps, "federation", workspaceId, ctx.signal));
}

/**
 * Finishes an upgrade before the first request: folds and judges the facts that an earlier build stored by today's rule for
 * names, so that the service misses no contradiction. After an interruption it continues where it stopped.
 * @throws ServiceError `unavailable` or `deadline_exceeded` while the database cannot be reached or a row is locked
 */
export async function finishUpgrade(deps: Deps): Promise<void> {
  const waiting = new Set(await listWorkspacesToRefold(deps));
  if (waiting.size === 0) return;
  upgradeBegun(deps.telemetry.log, { workspaces: waiting.size });
  for (const { workspaceId, region } of await listWorkspaces(deps, { partial: true })) {
    const { region: served } = deps.config;
    if (!waiting.has(workspaceId) || (served !== undefined && region !== served)) continue;
    const ctx = workerContext(deps, "upgrade", workspaceId);
    while (!deps.stopping.aborted && await refoldFacts(ctx));
  }
}

/** Starts all loops. Disposing waits for the steps that are running. */
export function startWorkers(deps: Deps): AsyncDisposable {
  const due = new DueWork(deps, DUE_LOOPS);
  const running = WORKER_LOOPS.map((loop) => runLoop(deps, loop, due));
  running.push(due.run(), webhookSenderOf(deps).run(webhookContext(deps)));
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(running);
      due.queue.giveUp();
      // What cannot be written any more is due again when its time is over.
      await due.settle().catch(() => {});
    },
  };
}

/** The context of the webhook sender, which works under the clearance of the endpoint. */
export function webhookContext(deps: Deps): ContextOf {
  return (workspaceId, maxSensitivity, signal) => workerContext(deps, "webhooks", workspaceId, signal, maxSensitivity);
}

/** The context of a worker in one workspace: all scopes, highest clearance by default, bound by the same policies. */
export function workerContext(
  deps: Deps,
  name: string,
  workspaceId: string,
  signal: AbortSignal = deps.stopping,
  maxSensitivity: Sensitivity = "restricted",
): OperationContext {
  const principal: Principal = {
    actor: `worker:${name}`,
    workspaceId,
    scopes: new Set(SCOPES),
    maxSensitivity,
  };
  return createContext(deps, principal, {
    requestId: `worker-${name}`,
    operationId: `worker:${name}`,
    lockTimeoutMs: WORKER_LOCK_TIMEOUT_MS,
    signal,
  });
}

/** The longest duration of all last steps together, in milliseconds. */
const LAST_STEP_MS = 1_000;
/** The longest time that one of them waits for a lock, in milliseconds. */
const LAST_LOCK_TIMEOUT_MS = 100;

async function runLoop(deps: Deps, loop: WorkerLoop, due: DueWork): Promise<void> {
  await runUntilStop(deps, loop, due);
  if (!loop.lastStep) return;
  try {
    const signal = AbortSignal.timeout(LAST_STEP_MS);
    const places = typeof loop.places === "function"
      ? loop.places(deps)
      : [SYSTEM_WORKSPACE, ...due.queue.waiting(loop.name)];
    for (const workspaceId of places) await stepInto(deps, loop, workspaceId, signal);
  } catch (error) {
    workerFailed(deps.telemetry.log, { worker: loop.name, error, retryMs: 0 });
  }
}

async function runUntilStop(deps: Deps, loop: WorkerLoop, due: DueWork): Promise<void> {
  const mayStep = loop.yields ? writeLoadOf(deps).yielding(deps.stopping) : undefined;
  let outsideAt = -Infinity;
  while (!deps.stopping.aborted) {
    let [busy, hasFailed] = [false, false];
    try {
      const { places } = loop;
      if (typeof places === "function") { for (const id of places(deps)) await stepInto(deps, loop, id); }
      else if (places !== undefined && performance.now() - outsideAt >= loop.restMs) {
        outsideAt = performance.now();
        busy = await stepInto(deps, loop, SYSTEM_WORKSPACE) === true;
        if (busy) outsideAt = -Infinity;
      }
      if (places === undefined || places === "all") busy = await goRound(deps, loop, due, mayStep) || busy;
    } catch (error) {
      hasFailed = true;
      if (!deps.stopping.aborted) {
        workerFailed(deps.telemetry.log, { worker: loop.name, error, retryMs: loop.restMs });
      }
    }
    if (busy) continue;
    // After a failure the loop rests for its full time.
    if (hasFailed || loop.places === "system") {
      await (loop.rest === undefined || hasFailed ? pause(loop.restMs, deps.stopping) : loop.rest(deps));
    } else await due.rest(loop);
  }
}

/**
 * Steps once in every workspace where the loop has something to do now; returns whether there is more.
 * @throws what would fail in other workspaces of the same cluster, too, after it has stepped in those of the others
 */
export async function goRound(
  deps: Deps,
  loop: WorkerLoop,
  { queue }: DueWork,
  mayStep?: () => Promise<void>,
): Promise<boolean> {
  let busy = false;
  const failed = new Map<string | undefined, unknown>();
  // While the home cluster is away, nobody knows the place of some.
  const clusterOf = (workspaceId: string) => deps.db.clusterOf(workspaceId).catch(() => undefined);
  for (const workspaceId of queue.due(loop.name)) {
    if (failed.size > 0 && failed.has(await clusterOf(workspaceId))) continue;
    await mayStep?.();
    if (deps.stopping.aborted) return false;
    const end = queue.begin(loop.name, workspaceId);
    let outcome: StepEnd | "failed" = "failed";
    try {
      outcome = await stepInto(deps, loop, workspaceId);
    } catch (error) {
      failed.set(await clusterOf(workspaceId), error);
    } finally {
      end(outcome);
    }
    busy ||= outcome === true;
  }
  for (const error of failed.values()) throw error;
  return busy;
}

/** Makes one step in one workspace. If it fails there, the loop still goes on to the next workspace. */
async function stepInto(
  deps: Deps,
  loop: WorkerLoop,
  workspaceId: string,
  lastSignal?: AbortSignal,
): Promise<StepEnd | "failed"> {
  try {
    const ctx = workerContext(deps, loop.name, workspaceId, lastSignal);
    if (lastSignal !== undefined) return await loop.step({ ...ctx, lockTimeoutMs: LAST_LOCK_TIMEOUT_MS });
    const end = await loop.step(ctx);
    return end === false ? await loop.dueAt?.(ctx) ?? false : end;
  } catch (error) {
    const { log } = deps.telemetry;
    if (isLockTimeout(error)) {
      workerGaveWay(log, { worker: loop.name, workspaceId, retryMs: loop.restMs });
      return "failed";
    }
    const isEverywhere = (lastSignal ?? deps.stopping).aborted || (error instanceof ServiceError && error.retryable);
    if (isEverywhere) throw error;
    workerFailed(log, { worker: loop.name, error, retryMs: loop.restMs });
    return "failed";
  }
}
