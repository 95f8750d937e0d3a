/** Reverts the steps of a consolidation one by one, the last first. Units that were changed since stay as they are. */
import type { OperationContext } from "../../context.ts";
import * as jobs from "../../db/queries/jobs.ts";
import type { JobStepRow } from "../../db/queries/jobs.ts";
import { findRevision } from "../../db/queries/revisions.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import type { Job, JobReport, JobUnit } from "../../schema/job.ts";
import { lockUnits } from "../kinds/any_unit.ts";
import type { FactRow } from "../kinds/facts/fields.ts";
import { REGISTRY } from "../kinds/registry.ts";
import type { RunningJob, StepNote } from "./running_job.ts";
import { insertJob, requireJob, toJob } from "./jobs.ts";
import { reviseUnit } from "../unit/store.ts";
import { changedUnit } from "./job_units.ts";

const STEPS_MAX = 2_000;

/**
 * Requests the reversion of a consolidation, which a worker carries out. Steps that are reverted already are skipped.
 * @throws ServiceError `not_found`; `invalid_transition` for a job that has not ended, was a dry run, or is no
 * consolidation.
 */
export async function revertJob(ctx: OperationContext, id: string): Promise<Job> {
  return await ctx.tx(async (tx) => {
    const target = await requireJob(tx, id);
    const why = target.kind !== "consolidate"
      ? `it is a ${target.kind}`
      : target.input["dryRun"] === true
      ? "it was a dry run and changed nothing"
      : target.state === "queued" || target.state === "running"
      ? `it is ${target.state}`
      : undefined;
    if (why !== undefined) throw new ServiceError("invalid_transition", `Cannot revert the job: ${why}`);
    return toJob((await insertJob(ctx, tx, "revert", { jobId: id }))!, []);
  });
}

/** The work of a revert job. */
export async function runRevert(job: RunningJob): Promise<Omit<JobReport, "steps">> {
  const targetId = job.row.input["jobId"] as string;
  const steps = await job.ctx.tx((tx) => jobs.listJobSteps(tx, targetId, { order: "desc", limit: STEPS_MAX }), {
    readOnly: true,
  });
  job.enter("revert");
  for (const step of steps) {
    if (step.revertedBy !== null || job.hasDone("skip", step.unitIds)) continue;
    await job.step((tx) => revertStep(tx, job, targetId, step));
  }
  return {};
}

async function revertStep(tx: Tx, job: RunningJob, targetId: string, step: JobStepRow): Promise<StepNote> {
  const named = (step.detail["units"] as JobUnit[]).filter((unit) => unit.versionBefore !== unit.versionAfter);
  const ids = named.map((unit) => unit.id);
  const units = new Map((await lockUnits(tx, ids)).map((unit) => [unit.id, unit]));
  const other = named.find((unit) => units.get(unit.id)?.version !== unit.versionAfter);
  if (other !== undefined) {
    const found = units.get(other.id);
    const why = found === undefined
      ? "is gone"
      : `was changed since: its version is ${found.version}, not ${other.versionAfter}`;
    const kept = step.unitIds.map((id) => skipped(id, named.find((unit) => unit.id === id), units.get(id)));
    return { kind: "skip", reason: `step ${step.step} stays: ${other.id} ${why}`, units: kept, undo: null };
  }
  const restored: JobUnit[] = [];
  // The last unit of a step comes first: a merged fact is restored before the kept one loses what it took over.
  for (const unit of named.toReversed()) {
    const row = units.get(unit.id)!;
    restored.push(changedUnit(row, await restore(tx, row, unit, `job ${targetId} was reverted`), "restored"));
  }
  await jobs.markReverted(tx, targetId, step.step, job.row.id);
  return { kind: "revert", reason: `took back step ${step.step} (${step.kind})`, units: restored, undo: null };
}

function skipped(id: string, unit: JobUnit | undefined, row: UnitRow | undefined): JobUnit {
  const version = row?.version ?? null;
  const status = row?.status ?? null;
  return {
    id,
    type: unit?.type ?? row?.type ?? "unit",
    role: "kept",
    versionBefore: version,
    versionAfter: version,
    statusBefore: status,
    statusAfter: status,
  };
}

async function restore(tx: Tx, row: UnitRow, unit: JobUnit, reason: string): Promise<UnitRow<unknown>> {
  const note = { event: "reverted", reason };
  // A unit that a step created is archived; it can be restored like any other.
  if (unit.versionBefore === null) return await reviseUnit(tx, row, { status: "archived" }, note);
  if (unit.role === "kept") return await letGo(tx, row as FactRow, unit.versionBefore, note);
  return await REGISTRY[row.type].writing.restore(tx, row, unit.statusBefore!, reason);
}

/** Removes from a fact what a merge added to it. Statements since the merge still count. */
async function letGo(
  tx: Tx,
  fact: FactRow,
  versionBefore: number,
  note: { readonly event: string; readonly reason: string },
): Promise<FactRow> {
  const before = (await findRevision(tx, fact.id, versionBefore))?.unit as FactRow | undefined;
  const after = (await findRevision(tx, fact.id, fact.version))?.unit as FactRow | undefined;
  if (before === undefined || after === undefined) throw new Error("a version of the fact is gone");
  const taken = after.corroborationCount - before.corroborationCount;
  return await reviseUnit(tx, fact, {
    corroborationCount: Math.max(0, fact.corroborationCount - taken),
    tags: before.tags,
    // Mentions that were found since stay.
    entityIds: fact.entityIds.filter((id) => before.entityIds.includes(id) || !after.entityIds.includes(id)),
    body: { ...fact.body, citations: before.body.citations },
  }, note);
}
