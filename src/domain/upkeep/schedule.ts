/** Scheduled consolidation: as often as the workspace says, behind the gate. */
import type { OperationContext } from "../../context.ts";
import { readLastAskedAt } from "../../db/queries/jobs.ts";
import { lockNames } from "../../db/queries/units.ts";
import { findWorkspace } from "../../db/queries/workspaces.ts";
import type { Tx } from "../../db/tx.ts";
import { insertJob } from "./jobs.ts";
import { GATE_LOCK, isHeld, readGate } from "./consolidation_guard.ts";

const HOUR_MS = 3_600_000;
/** A consolidation that could not be queued is tried again after so long. */
const AGAIN_SECONDS = 60;
const READ_ONLY = { readOnly: true };

/**
 * Queues a consolidation if the workspace has an interval and the last request, by anybody, is that long ago; returns
 * its job. A closed gate postpones it until the gate is open; a dry run does not count. If several processes check at
 * the same time, one queues it.
 */
export async function consolidateWhenDue(ctx: OperationContext): Promise<string | undefined> {
  if (await ctx.tx(findDueHours, READ_ONLY) === undefined) return undefined;
  const gate = await readGate(ctx);
  if (gate.state !== "open") return undefined;
  return await ctx.tx(async (tx) => {
    // Another process may have queued one, or somebody may hold the gate, since it was read.
    await lockNames(tx, [GATE_LOCK]);
    const everyHours = await findDueHours(tx);
    if (everyHours === undefined || await isHeld(tx)) return undefined;
    const row = await insertJob(ctx, tx, "consolidate", { dryRun: false, force: false, gate: gate.conditions });
    if (row === undefined) return undefined;
    tx.audit({ eventType: "consolidation.scheduled", targets: [row.id], detail: { everyHours } });
    return row.id;
  });
}

/**
 * When time alone may let the next scheduled consolidation begin. A gate that only a change can open is no matter of time:
 * the change brings the loop back.
 */
export async function nextConsolidationAt(ctx: OperationContext): Promise<Date | undefined> {
  const schedule = await ctx.tx(findSchedule, READ_ONLY);
  if (schedule === undefined || schedule.dueAt > ctx.deps.clock()) return schedule?.dueAt;
  const { conditions } = await readGate(ctx);
  const closed = conditions.filter(({ passed }) => !passed);
  if (closed.some(({ name }) => name !== "drift" && name !== "quiet_period")) return undefined;
  const { snapshotIntervalSeconds } = ctx.deps.config.governance;
  const waits = closed.map(({ name, value, threshold }) =>
    name === "drift" ? snapshotIntervalSeconds : Number(threshold) - Number(value)
  );
  return new Date(ctx.deps.clock().getTime() + 1_000 * Math.max(AGAIN_SECONDS, ...waits));
}

interface Schedule {
  readonly everyHours: number;
  readonly dueAt: Date;
}

/** When the workspace's next consolidation is due; undefined if it has no interval. */
async function findSchedule(tx: Tx): Promise<Schedule | undefined> {
  const everyHours = (await findWorkspace(tx))?.consolidateEveryHours ?? null;
  if (everyHours === null) return undefined;
  const last = await readLastAskedAt(tx, "consolidate");
  return { everyHours, dueAt: new Date((last?.getTime() ?? 0) + everyHours * HOUR_MS) };
}

/** The workspace's interval if a consolidation is due now; undefined if none is due. */
async function findDueHours(tx: Tx): Promise<number | undefined> {
  const schedule = await findSchedule(tx);
  return schedule !== undefined && schedule.dueAt <= tx.now ? schedule.everyHours : undefined;
}
