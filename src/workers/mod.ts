/** The background loops of a process. Each enters one workspace at a time, as a request does. */
import { createContext, type Deps, type OperationContext, type Principal } from "../context.ts";
import { listWorkspaces } from "../domain/access/admin/workspaces.ts";
import { forgetOldAddresses, makeCheckpoint } from "../domain/audit/checkpoints.ts";
import { activityOf } from "../domain/common/activity.ts";
import { isLockTimeout, WORKER_LOCK_TIMEOUT_MS } from "../domain/common/worker_lock_timeout.ts";
import { SYSTEM_WORKSPACE } from "../domain/common/system.ts";
import { writeLoadOf } from "../domain/common/write_load.ts";
import { discoverPeers } from "../domain/federation/peers/discovery.ts";
import { openSeen, relinkChanged } from "../domain/kinds/entities/mention_work.ts";
import { expireDueFacts } from "../domain/kinds/facts/lifecycle.ts";
import { keyStatements } from "../domain/kinds/facts/rekey_statements.ts";
import { listWorkspacesToRefold, refoldFacts, refoldVersions } from "../domain/kinds/facts/refold.ts";
import { compactPostings } from "../domain/upkeep/compacting.ts";
import { keepNearestIndex } from "../domain/recall/database/nearest_index.ts";
import { flushUsage } from "../domain/recall/noted/usage.ts";
import { releaseLapsedTasks } from "../domain/tasks/tasks.ts";
import { linkOldStatements } from "../domain/unit/link_old.ts";
import { nameOldUnits } from "../domain/unit/names/unit_names.ts";
import { restemTexts } from "../domain/unit/restem.ts";
import { continuePasses } from "../domain/unit/standing.ts";
import { embedWorkspace } from "../domain/upkeep/embedding.ts";
import { runJobs } from "../domain/upkeep/job_works.ts";
import { eraseOldRestricted } from "../domain/upkeep/retention.ts";
import { consolidateWhenDue } from "../domain/upkeep/schedule.ts";
import { takeDueSnapshot } from "../domain/upkeep/snapshots.ts";
import { sweepWorkspace } from "../domain/upkeep/sweeping.ts";
import { revalueDue } from "../domain/upkeep/worth_votes.ts";
import { type ContextOf, webhookSenderOf } from "../domain/webhooks/sender.ts";
import { ServiceError } from "../errors.ts";
import type { Sensitivity } from "../schema/common.ts";
import { SCOPES } from "../schema/scopes.ts";
import { upgradeBegun, workerFailed, workerGaveWay } from "../telemetry/events.ts";
import { exchangeWithPeers, restWithPeers } from "./federation.ts";
import { servedWorkspacesOf } from "./served_workspaces.ts";
import { type VisitOutcome, Visits } from "./visits.ts";
import { pause } from "../pause.ts";

/** One loop: its work in a workspace, and how long it rests when no workspace had anything to do. */
export interface WorkerLoop {
  readonly name: string;
  readonly restMs: number;
  /** Does a bounded piece of work; returns whether there is more. */
  readonly step: (ctx: OperationContext) => Promise<boolean>;
  /** Whether the loop steps between the writes of requests, and seldom while they go on. */
  readonly yields?: true;
  /** Whether it steps once more when the service stops, because its data is only in memory until then. */
  readonly lastStep?: true;
  /** `all`: it also steps for work that belongs to no workspace; `system`: only for that. Default: each workspace. */
  readonly places?: "all" | "system";
  /** Whether it visits every workspace in every round: no change announces its work. Default: quiet ones seldom. */
  readonly everywhere?: true;
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
  { name: "usage", restMs: 2_000, step: allAtOnce(flushUsage), lastStep: true, everywhere: true },
  { name: "expiry", restMs: 30_000, step: untilNone(expireDueFacts) },
  {
    name: "audit",
    restMs: 60_000,
    step: inTurn(allAtOnce(makeCheckpoint), forgetOldAddresses),
    places: "all",
    lastStep: true,
  },
  { name: "leases", restMs: 5_000, step: untilNone(releaseLapsedTasks) },
  { name: "truth", restMs: 1_000, step: continuePasses },
  { name: "jobs", restMs: 1_000, step: runJobs },
  { name: "consolidation", restMs: 60_000, step: allAtOnce(consolidateWhenDue) },
  { name: "snapshots", restMs: 30_000, step: allAtOnce(takeDueSnapshot), everywhere: true },
  { name: "sweeping", restMs: 60_000, step: inTurn(sweepWorkspace, eraseOldRestricted), places: "all" },
  { name: "unit_names", restMs: 5_000, step: nameOldUnits },
  { name: "fact_names", restMs: 5_000, step: inTurn(inTurn(refoldFacts, refoldVersions), keyStatements) },
  { name: "worth", restMs: 10_000, step: revalueDue, yields: true },
  { name: "federation", restMs: 1_000, step: federate, places: "system", rest: restWithPeers },
  { name: "discovery", restMs: 300_000, step: allAtOnce(discover), places: "system" },
];

type Step = WorkerLoop["step"];

/** Runs two steps one after the other; there is more work if either step says so. */
function inTurn(first: Step, second: Step): Step {
  return async (ctx) => {
    const more = await first(ctx);
    return await second(ctx) || more;
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
  const running = WORKER_LOOPS.map((loop) => runLoop(deps, loop));
  running.push(webhookSenderOf(deps).run(webhookContext(deps)));
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(running);
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

async function runLoop(deps: Deps, loop: WorkerLoop): Promise<void> {
  await runUntilStop(deps, loop);
  if (!loop.lastStep) return;
  try {
    const signal = AbortSignal.timeout(LAST_STEP_MS);
    for (const workspaceId of await placesOf(deps, loop, { anew: true })) {
      await stepInto(deps, loop, workspaceId, signal);
    }
  } catch (error) {
    workerFailed(deps.telemetry.log, { worker: loop.name, error, retryMs: 0 });
  }
}

/** The workspaces in which a loop steps: no loop here reads another region's data or sends it to a model. */
async function placesOf(deps: Deps, loop: WorkerLoop, { anew = false } = {}): Promise<readonly string[]> {
  if (loop.places === "system") return [SYSTEM_WORKSPACE];
  const ids = await servedWorkspacesOf(deps).list({ anew });
  return loop.places === "all" ? [SYSTEM_WORKSPACE, ...ids] : ids;
}

async function runUntilStop(deps: Deps, loop: WorkerLoop): Promise<void> {
  const mayStep = loop.yields ? writeLoadOf(deps).yielding(deps.stopping) : undefined;
  const isSeldom = loop.places !== "system" && !loop.everywhere;
  const visits = isSeldom ? new Visits(activityOf(deps), loop.restMs) : undefined;
  while (!deps.stopping.aborted) {
    let [busy, hasFailed] = [false, false];
    try {
      const places = await placesOf(deps, loop);
      for (const workspaceId of visits?.due(places) ?? places) {
        await mayStep?.();
        if (deps.stopping.aborted) return;
        const end = visits?.begin(workspaceId);
        const outcome = await stepInto(deps, loop, workspaceId);
        end?.(outcome);
        busy ||= outcome === "more";
      }
    } catch (error) {
      hasFailed = true;
      if (!deps.stopping.aborted) {
        workerFailed(deps.telemetry.log, { worker: loop.name, error, retryMs: loop.restMs });
      }
    }
    if (busy) continue;
    // After a failure the loop rests for its full time.
    await (loop.rest === undefined || hasFailed ? pause(loop.restMs, deps.stopping) : loop.rest(deps));
  }
}

/** Makes one step in one workspace. If it fails there, the loop still goes on to the next workspace. */
async function stepInto(
  deps: Deps,
  loop: WorkerLoop,
  workspaceId: string,
  lastSignal?: AbortSignal,
): Promise<VisitOutcome> {
  try {
    const ctx = workerContext(deps, loop.name, workspaceId, lastSignal);
    const more = await loop.step(lastSignal === undefined ? ctx : { ...ctx, lockTimeoutMs: LAST_LOCK_TIMEOUT_MS });
    return more ? "more" : "nothing";
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
