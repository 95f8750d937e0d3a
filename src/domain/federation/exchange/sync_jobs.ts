/** Sync jobs: a caller asks for a run with a peer and looks up its result. */
import type { OperationContext } from "../../../context.ts";
import { canonicalJson } from "../../../crypto/canonical_json.ts";
import * as jobs from "../../../db/queries/jobs.ts";
import type { JobRow } from "../../../db/queries/jobs.ts";
import { findOpenSyncJob } from "../../../db/queries/federation_sync_runs.ts";
import { ServiceError } from "../../../errors.ts";
import type { ConflictResolution } from "../../../schema/federation_peer.ts";
import type { SyncBody, SyncJob, SyncReport, SyncStarted } from "../../../schema/federation_sync.ts";
import { insertJob, runNextJob } from "../../upkeep/jobs.ts";
import { JobFailed, type RunningJob } from "../../upkeep/running_job.ts";
import { pause } from "../../../pause.ts";
import { findPeer } from "../peers/peers.ts";
import { unknownPeer } from "../peers/show_peers.ts";
import { syncWithPeer } from "./sync.ts";

const KIND = "federation_sync";
const JOB_MS_MAX = 1_800_000;
/** How long to wait between tries while another run with the peer runs. */
const WAIT_MS = 500;

/**
 * Starts a job, or returns the open one with the same options.
 * @throws ServiceError `not_found` for an unknown peer; `invalid_transition` for one that is not approved;
 * `insufficient_scope` for another strategy than the entry's without `memory:admin`; `conflict` if such a job runs with
 * a higher clearance
 */
export async function startSync(ctx: OperationContext, body: SyncBody): Promise<SyncStarted> {
  const { peer: id, conflictResolution, mode, reconcile } = body;
  const jobId = await ctx.tx(async (tx) => {
    const peer = await findPeer(ctx.deps, tx, id);
    if (peer === undefined) throw unknownPeer();
    if (peer.approvedAt === null) {
      throw new ServiceError("invalid_transition", "Cannot exchange with the peer: it is not approved");
    }
    const strategy = conflictResolution ?? peer.conflictResolution;
    if (strategy !== peer.conflictResolution && !ctx.scopes.has("memory:admin")) {
      throw new ServiceError(
        "insufficient_scope",
        "Cannot settle contradictions otherwise than the peer's entry says: the key lacks the scope memory:admin",
      );
    }
    const wishes = { peer: id, conflictResolution: strategy, mode, reconcile };
    const input = { ...wishes, same: canonicalJson(wishes) };
    const made = await insertJob(ctx, tx, KIND, input);
    return made?.id ?? await findOpenSyncJob(tx, input.same);
  });
  if (jobId !== undefined) return { jobId, status: "processing" };
  throw new ServiceError("conflict", "Cannot start: a job with the same options runs with a higher clearance");
}

/**
 * Shows a sync job and its result.
 * @throws ServiceError `not_found`
 */
export async function showSync(ctx: OperationContext, id: string): Promise<SyncJob> {
  const row = await ctx.tx((tx) => jobs.findJob(tx, id), { readOnly: true });
  if (row?.kind !== KIND) throw new ServiceError("not_found", "Cannot find the job");
  const sync = (row.report as { sync?: SyncReport } | null)?.sync;
  const nothing: SyncReport = {
    ...{ peer: String(row.input["peer"]), received: 0, sent: 0, conflicts: 0, rejected: [], durationMs: 0 },
    reconciled: null,
    error: row.failure === null ? null : { code: "internal", message: row.failure },
  };
  const report = sync ?? nothing;
  return { jobId: row.id, status: statusOf(row, sync), itemsSynced: report.received + report.sent, ...report };
}

function statusOf({ state }: JobRow, sync: SyncReport | undefined): SyncJob["status"] {
  if (state === "queued" || state === "running") return "processing";
  if (state === "failed") return "failed";
  return sync !== undefined && (sync.rejected.length > 0 || sync.error !== null) ? "partial" : "completed";
}

/** Runs the workspace's next sync job, independently of its jobs of other kinds. Returns whether there was one. */
export async function runSyncJobs(ctx: OperationContext): Promise<boolean> {
  return await runNextJob(ctx, { [KIND]: runSync }) === true;
}

/**
 * Waits for the end of a job. Runs it itself if no other process has taken it, such as when the service is stopped.
 * @throws ServiceError `not_found`
 */
export async function followSync(ctx: OperationContext, id: string): Promise<SyncJob> {
  while (true) {
    const job = await showSync(ctx, id);
    if (job.status !== "processing") return job;
    if (!await runSyncJobs(ctx)) await pause(WAIT_MS, ctx.signal);
    ctx.signal.throwIfAborted();
  }
}

async function runSync(job: RunningJob): Promise<{ sync: SyncReport }> {
  const { peer, conflictResolution, mode, reconcile } = job.row.input as unknown as SyncBody;
  const began = performance.now();
  const until = began + JOB_MS_MAX;
  while (true) {
    // The job extends its lease with each step of the run.
    const onStep = async () => void await job.step(() => Promise.resolve(undefined));
    const strategy = conflictResolution as ConflictResolution | undefined;
    const found = await syncWithPeer(job.ctx, peer, { mode, reconcile, strategy, onStep });
    if (found !== undefined) {
      const sync = { ...found, durationMs: Math.round(performance.now() - began) };
      const isUnfinished = sync.error?.code === "deadline_exceeded";
      if (isUnfinished && performance.now() < until) continue;
      if (sync.error === null || isUnfinished) return { sync };
      throw new JobFailed(sync.error.message, { sync });
    }
    const known = await job.ctx.tx((tx) => findPeer(job.ctx.deps, tx, peer), { readOnly: true });
    if (known === undefined || known.approvedAt === null) throw new ServiceError("not_found", "the peer was removed");
    if (performance.now() > until) throw new ServiceError("conflict", "another process holds the run with the peer");
    await onStep();
    await pause(WAIT_MS, job.ctx.signal);
    job.ctx.signal.throwIfAborted();
  }
}
